//! The hands of Beckon: sockets, the database, the key store, and the hosts of the interface.
//!
//! [`Beckon`] is the running app; [`Asker`] the other side, which asks. The rules are `beckon-core`'s.

mod asker;
mod clock;
mod connection;
mod driver;
pub mod home;
mod link;
pub mod secrets;
mod store;
#[cfg(feature = "web")]
pub mod web;

pub use asker::{AskError, Asker};
pub use connection::Down;
pub use driver::{Beckon, BuiltIn, StartError};
pub use home::Home;
pub use store::StoreError;
