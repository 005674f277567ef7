//! What the stories and properties are played with: a model gateway, devices with a disk, and the wires between them.
#![allow(dead_code, reason = "each test file uses a part of it")]

pub(crate) mod device;
pub(crate) mod gateway;
pub(crate) mod mirror;
pub(crate) mod room;
pub(crate) mod store;
