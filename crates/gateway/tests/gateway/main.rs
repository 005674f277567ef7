//! The gateway over real sockets, with a real database.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::missing_panics_doc)]

mod client;
mod door;
mod handshake;
mod limits;
mod questions;
mod restart;
mod wording;
