//! How a question ended, as far as this device knows.
//!
//! Knowledge arrives in pieces and in any order: an event without a name, a record with one, our own
//! acknowledgement, a "not found". [`Outcome::learn`] adds a piece; pieces that say the same thing more precisely are
//! taken, and nothing turns an ending into another one. The order of the pieces makes no difference.

use beckon_protocol::Millis;
use beckon_protocol::question::{Answers, QuestionRecord, RESOLVED_BY_MESSAGE, RESOLVED_BY_RUN_END, Status};
use serde::{Deserialize, Serialize};

use crate::view::{ResolvedBy, Sent};

/// How a question ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outcome {
    /// What happened.
    pub ending: Ending,
    /// Who did it.
    pub resolver: Resolver,
    /// When this device saw it, on this computer's clock; `None` when it was away.
    pub at_ms: Option<Millis>,
}

/// What happened.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Ending {
    /// The gateway no longer knows the question.
    Unknown,
    /// Ended with these values.
    Answered(Answers),
    /// Skipped, or its run was stopped.
    Cancelled,
    /// Its time ran out.
    Expired,
}

/// Who ended it. Later ones know more.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Resolver {
    /// Not said.
    Unnamed,
    /// `resolvedBy` of the record.
    Named(String),
    /// This device.
    Us(Sent),
}

impl Outcome {
    /// The gateway no longer knows the question; `sent` is what this device had under way.
    pub fn unknown(sent: Option<Sent>) -> Self {
        Self { ending: Ending::Unknown, resolver: sent.map_or(Resolver::Unnamed, Resolver::Us), at_ms: None }
    }

    /// From a status and its answers; `None` while pending.
    pub fn new(status: Status, answers: Option<Answers>, resolver: Resolver, at_ms: Option<Millis>) -> Option<Self> {
        let ending = match status {
            Status::Pending => return None,
            Status::Answered => Ending::Answered(answers.unwrap_or_default()),
            Status::Cancelled => Ending::Cancelled,
            Status::Expired => Ending::Expired,
        };
        Some(Self { ending, resolver, at_ms })
    }

    /// What a record says; `None` while it is pending.
    pub fn of_record(record: &QuestionRecord) -> Option<Self> {
        let resolver = record.resolved_by.clone().map_or(Resolver::Unnamed, Resolver::Named);
        Self::new(record.status, record.answers.clone(), resolver, None)
    }

    /// Adds another piece of knowledge about the same question. True when something changed.
    pub fn learn(&mut self, piece: Self) -> bool {
        let before = self.clone();
        match (&self.ending, &piece.ending) {
            (Ending::Unknown, Ending::Unknown) => self.resolver = piece.resolver.max(before.resolver.clone()),
            // What was under way here is not who ended it.
            (Ending::Unknown, _) => *self = piece,
            (mine, other) if mine == other => {
                self.resolver = piece.resolver.max(before.resolver.clone());
                self.at_ms = earliest(self.at_ms, piece.at_ms);
            }
            _ => {}
        }
        *self != before
    }

    /// The gateway's word, as opposed to no longer knowing.
    pub fn is_final(&self) -> bool {
        self.ending != Ending::Unknown
    }

    /// Worth asking the gateway who it was: somebody did something, and the event doesn't name them.
    pub fn lacks_name(&self) -> bool {
        self.resolver == Resolver::Unnamed && matches!(self.ending, Ending::Answered(_) | Ending::Cancelled)
    }

    /// The run ended, not a person.
    pub fn run_stopped(&self) -> bool {
        self.ending == Ending::Cancelled && self.resolver == Resolver::Named(RESOLVED_BY_RUN_END.to_owned())
    }

    /// Who, for the summary. `device` is what this device is called.
    pub fn resolved_by(&self, device: &str) -> ResolvedBy {
        match &self.resolver {
            Resolver::Us(sent) => ResolvedBy::You { device: device.to_owned(), delegated: *sent == Sent::Delegation },
            Resolver::Named(name) if name == RESOLVED_BY_MESSAGE => ResolvedBy::Message,
            Resolver::Named(name) => ResolvedBy::Elsewhere { name: Some(name.clone()) },
            Resolver::Unnamed => ResolvedBy::Elsewhere { name: None },
        }
    }
}

fn earliest(one: Option<Millis>, other: Option<Millis>) -> Option<Millis> {
    one.into_iter().chain(other).min()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use proptest::sample::subsequence;

    use super::*;

    fn answered(resolver: Resolver, at_ms: Option<Millis>) -> Outcome {
        let answers = Answers { answers: [("q".to_owned(), vec!["A".to_owned()])].into() };
        Outcome { ending: Ending::Answered(answers), resolver, at_ms }
    }

    #[test]
    fn an_ending_never_becomes_another() {
        let mut outcome = answered(Resolver::Unnamed, Some(1));
        for status in [Status::Expired, Status::Cancelled] {
            assert!(!outcome.learn(Outcome::new(status, None, Resolver::Named("x".into()), Some(2)).unwrap()));
        }
        assert!(!outcome.learn(Outcome::unknown(Some(Sent::Skip))));
        assert_eq!(outcome, answered(Resolver::Unnamed, Some(1)));
    }

    #[test]
    fn not_knowing_gives_way_to_knowing() {
        let mut outcome = Outcome::unknown(Some(Sent::Answer));
        assert!(!outcome.is_final());
        assert!(outcome.learn(answered(Resolver::Named("phone".into()), None)));
        assert_eq!(outcome, answered(Resolver::Named("phone".into()), None));
    }

    proptest! {
        /// The pieces about one ending may come in any order, some of them twice.
        #[test]
        fn order_makes_no_difference(
            order in subsequence((0..5usize).collect::<Vec<_>>(), 1..=5).prop_shuffle(),
            again in prop::collection::vec(0..5usize, 0..4),
        ) {
            let pieces = [
                Outcome::unknown(None),
                answered(Resolver::Unnamed, Some(5)),
                answered(Resolver::Named("phone".into()), None),
                answered(Resolver::Us(Sent::Answer), Some(7)),
                answered(Resolver::Unnamed, Some(3)),
            ];
            let all = |order: &[usize]| {
                let mut outcome = pieces[order[0]].clone();
                for at in order {
                    outcome.learn(pieces[*at].clone());
                }
                outcome
            };
            let mut sorted = order.clone();
            sorted.sort_unstable();
            let repeated: Vec<_> = order.iter().copied().chain(again.into_iter().filter(|at| order.contains(at))).collect();
            prop_assert_eq!(all(&repeated), all(&sorted));
        }
    }
}
