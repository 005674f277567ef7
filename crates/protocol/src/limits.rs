//! Numbers both sides agree on.

use std::time::Duration;

/// Largest frame before `connect` succeeded, in bytes; a larger one closes with 1009.
pub const PRE_CONNECT_FRAME: usize = 64 * 1024;
/// Largest frame afterwards, in bytes (`policy.maxPayload`).
pub const MAX_PAYLOAD: usize = 26_214_400;
/// Most bytes queued for one connection (`policy.maxBufferedBytes`).
pub const MAX_BUFFERED: usize = 52_428_800;
/// A connection that hasn't finished its handshake by then is closed with 1000.
pub const HANDSHAKE: Duration = Duration::from_secs(15);
/// Distance between two `tick` events.
pub const TICK: Duration = Duration::from_secs(30);
/// Distance between two pings of the gateway; a pong must come before the next.
pub const PING: Duration = Duration::from_secs(25);
/// How far `signedAt` may be from the gateway's clock, in milliseconds.
pub const SIGNATURE_SKEW_MS: u64 = 120_000;
/// `question.request` without `timeoutMs`, in milliseconds.
pub const QUESTION_TIMEOUT_MS: u64 = 900_000;
/// Longest `timeoutMs`; a longer one is cut to it.
pub const QUESTION_TIMEOUT_MAX_MS: u64 = 2_147_000_000;
/// Most questions of one request.
pub const MAX_QUESTIONS: usize = 3;
/// Longest header, in UTF-16 units.
pub const MAX_HEADER: usize = 12;
/// Fewest and most options of a question that has any.
pub const OPTIONS: std::ops::RangeInclusive<usize> = 2..=4;
