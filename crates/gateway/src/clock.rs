//! The wall clock, passed in so that a test can turn it.

use std::time::{SystemTime, UNIX_EPOCH};

use beckon_protocol::Millis;

/// What time it is. Deadlines, `createdAtMs` and the age of a signature are read from it.
pub(crate) trait Clock: Send + Sync {
    /// Milliseconds since 1970.
    fn now_ms(&self) -> Millis;
}

/// The machine's clock.
pub(crate) struct SystemClock;

impl Clock for SystemClock {
    fn now_ms(&self) -> Millis {
        // A clock before 1970 reads as 1970: deadlines then lie in the future, and nothing ends by mistake.
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        u64::try_from(since.as_millis()).unwrap_or(Millis::MAX)
    }
}

#[cfg(test)]
pub(crate) mod manual {
    use std::sync::atomic::{AtomicU64, Ordering};

    use super::{Clock, Millis};

    /// A clock that stands still until it is told to go on.
    pub(crate) struct ManualClock(AtomicU64);

    impl ManualClock {
        pub(crate) fn at(now: Millis) -> Self {
            Self(AtomicU64::new(now))
        }

        pub(crate) fn advance(&self, by: Millis) {
            self.0.fetch_add(by, Ordering::SeqCst);
        }
    }

    impl Clock for ManualClock {
        fn now_ms(&self) -> Millis {
            self.0.load(Ordering::SeqCst)
        }
    }
}
