//! The rules of Beckon, without I/O: no socket, no file, no clock of its own.
//!
//! [`App::apply`] takes in what a person wants ([`view::Intent`]) and what links report ([`LinkEvent`]), and returns
//! [`Effects`]: rows to commit, calls to make, patches to show, in that order. The question rules ([`rules`], [`ask`])
//! serve the gateway too.

pub mod address;
mod app;
pub mod ask;
pub mod backoff;
mod book;
mod card;
pub mod draft;
pub mod outbox;
pub mod outcome;
pub mod rules;
mod sample;
mod step;
pub mod store;
pub mod view;
mod world;

pub use app::{App, BUILT_IN, Input};
pub use step::{Call, Effects, LinkCommand, SecretChange, ThisDevice, Ticket};
pub use world::{GatewayConfig, LinkEvent};
