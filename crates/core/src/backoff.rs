//! How long to wait before the next attempt: to connect, full jitter over a doubling ceiling; for the rest, what the
//! gateway wishes.

use std::time::Duration;

use beckon_protocol::Millis;

const FIRST: Duration = Duration::from_secs(1);
const LONGEST: Duration = Duration::from_secs(30);
/// Nobody gains from an attempt in the same instant.
const SHORTEST: Duration = Duration::from_millis(100);

/// The wait before attempt `failures + 1`. `random` is any number; the wait is evenly spread below the ceiling, so that
/// many clients of a gateway that restarts don't come back together.
pub fn wait(failures: u32, random: u64) -> Duration {
    let ceiling = FIRST.saturating_mul(2u32.saturating_pow(failures.saturating_sub(1))).min(LONGEST);
    let span = u64::try_from(ceiling.saturating_sub(SHORTEST).as_millis()).unwrap_or(u64::MAX);
    SHORTEST + Duration::from_millis(random % (span + 1))
}

/// Longest wait a gateway may wish for: after that the person thinks that nothing happens any more.
pub const LONGEST_WISH_MS: Millis = 60_000;

/// The gateway's wish for the next attempt (`retryAfterMs`), within reason: not at once, and not never.
pub fn wish(retry_after_ms: Option<Millis>) -> Millis {
    retry_after_ms.unwrap_or(1_000).clamp(100, LONGEST_WISH_MS)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn waits_stay_under_a_ceiling_that_doubles_to_thirty_seconds(failures in 1u32..100, random: u64) {
            let ceiling = [1, 2, 4, 8, 16, 30].get(failures as usize - 1).copied().unwrap_or(30);
            let wait = wait(failures, random);
            prop_assert!(wait >= Duration::from_millis(100) && wait <= Duration::from_secs(ceiling));
        }
    }
}
