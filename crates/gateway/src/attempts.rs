//! Guessing a credential: at most ten wrong ones a minute from one address.
//!
//! The loopback address is no exception: any program of any user of the machine reaches it. While an address is
//! limited nothing it sends is compared, not even the right token; otherwise the limit would limit nothing. Comparing
//! and counting happen under one lock, so a hundred connections at once have no more guesses than one.

use std::collections::{HashMap, VecDeque};
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Wrong credentials an address has within [`WINDOW`]. OpenClaw allows as many.
const LIMIT: usize = 10;
/// How long a wrong credential counts.
const WINDOW: Duration = Duration::from_mins(1);
/// Addresses remembered before those whose failures are old are forgotten.
const FORGET_ABOVE: usize = 1024;

/// What became of a credential.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Verdict<T> {
    /// It was compared, with this result.
    Compared(T),
    /// It was not looked at; the address may try again after that long.
    Limited(Duration),
}

/// The failures of each address.
#[derive(Default)]
pub(crate) struct Attempts(Mutex<HashMap<IpAddr, VecDeque<Instant>>>);

impl Attempts {
    /// Runs `compare` unless the address has used up its guesses; an `Err` that `is_guess` counts as one.
    pub(crate) fn judge<T, E>(
        &self,
        address: IpAddr,
        now: Instant,
        is_guess: impl FnOnce(&E) -> bool,
        compare: impl FnOnce() -> Result<T, E>,
    ) -> Verdict<Result<T, E>> {
        let mut failures = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if failures.len() > FORGET_ABOVE {
            failures.retain(|_, times| times.back().is_some_and(|&last| now.duration_since(last) < WINDOW));
        }
        let address = address.to_canonical();
        if let Some(times) = failures.get_mut(&address) {
            while times.front().is_some_and(|&first| now.duration_since(first) >= WINDOW) {
                times.pop_front();
            }
            if let Some(&first) = times.front()
                && times.len() >= LIMIT
            {
                return Verdict::Limited(WINDOW.saturating_sub(now.duration_since(first)));
            }
        }
        let result = compare();
        if result.as_ref().is_err_and(is_guess) {
            failures.entry(address).or_default().push_back(now);
        }
        Verdict::Compared(result)
    }
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use super::*;

    const HOME: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);

    #[test]
    fn after_ten_wrong_ones_even_the_right_one_waits() {
        let attempts = Attempts::default();
        let start = Instant::now();
        let guess = |address, after, right: bool| {
            attempts.judge(address, start + Duration::from_secs(after), |()| true, || right.then_some(()).ok_or(()))
        };
        for second in 0..10 {
            assert_eq!(guess(HOME, second, false), Verdict::Compared(Err(())));
        }
        assert_eq!(guess(HOME, 10, true), Verdict::Limited(Duration::from_secs(50)));
        assert_eq!(
            guess("::ffff:127.0.0.1".parse().unwrap_or(HOME), 10, true),
            Verdict::Limited(Duration::from_secs(50))
        );
        assert_eq!(guess(IpAddr::V4(Ipv4Addr::new(192, 0, 2, 1)), 10, true), Verdict::Compared(Ok(())));
        assert_eq!(guess(HOME, 60, false), Verdict::Compared(Err(())), "the first one is forgotten");
        assert_eq!(guess(HOME, 60, true), Verdict::Limited(Duration::from_secs(1)));
    }

    #[test]
    fn what_is_no_guess_is_not_counted() {
        let attempts = Attempts::default();
        let now = Instant::now();
        for _ in 0..20 {
            assert_eq!(attempts.judge(HOME, now, |()| false, || Err::<(), _>(())), Verdict::Compared(Err(())));
        }
        assert_eq!(attempts.judge(HOME, now, |()| true, || Ok(())), Verdict::Compared(Ok(())));
    }
}
