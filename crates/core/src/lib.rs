//! The rules of Beckon, without I/O.
pub mod ask;
pub mod rules;
pub mod view;
