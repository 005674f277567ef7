//! Stories: what happens to a question between a gateway, a Mac and a phone.
//!
//! Each device checks after every step that the patches lead to the view, that an answer is a row before it is a call,
//! that nothing that has ended changes, and that a start from the disk shows the same (`support/device.rs`).

#[cfg(test)]
#[path = "stories/answers.rs"]
mod answers;
#[cfg(test)]
#[path = "stories/endings.rs"]
mod endings;
#[cfg(test)]
#[path = "stories/gateways.rs"]
mod gateways;
#[cfg(test)]
#[path = "stories/losses.rs"]
mod losses;
#[cfg(test)]
#[path = "stories/nonsense.rs"]
mod nonsense;
#[cfg(test)]
#[path = "stories/refusals.rs"]
mod refusals;
#[cfg(test)]
mod support;
