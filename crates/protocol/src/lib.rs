//! The words of the gateway protocol, wire version 4, as OpenClaw's gateway speaks it.
//!
//! Types only: no socket, no clock, no decision. Reading is lenient (unknown fields are ignored, because a newer
//! gateway adds some to closed objects), writing is exact. `docs/PROTOCOL.md` says where each fact comes from.

pub mod chat;
pub mod close;
pub mod connect;
pub mod device;
pub mod error;
pub mod frame;
pub mod limits;
pub mod question;

pub use error::ErrorShape;
pub use frame::{Event, Frame, Request, Response};

/// The one wire version this crate speaks.
pub const PROTOCOL_VERSION: u32 = 4;

/// Milliseconds since 1970 on some clock; which one, the field's name or comment says.
pub type Millis = u64;
