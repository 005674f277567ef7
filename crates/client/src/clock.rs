//! This computer's clock.

use std::time::{SystemTime, UNIX_EPOCH};

use beckon_protocol::Millis;

/// Milliseconds since 1970.
pub(crate) fn now_ms() -> Millis {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Millis::try_from(since.as_millis()).unwrap_or(Millis::MAX)
}
