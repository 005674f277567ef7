//! The question book of one gateway: every request this device has heard of, and how each ended.
//!
//! The same request arrives several times, by event, list and lookup; the ending may arrive before the request. The
//! book takes them in any order and ends up the same.

use std::collections::BTreeMap;

use beckon_protocol::question::{QuestionRecord, Status};

use crate::outcome::Outcome;

/// Every request of a gateway by its id.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Book {
    entries: BTreeMap<String, Entry>,
}

/// What is known about one request; at least one of the two.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Entry {
    /// The request, as first seen. Its `status` is not kept up: `outcome` is.
    pub(crate) record: Option<QuestionRecord>,
    /// How it ended; `None` while it is open.
    pub(crate) outcome: Option<Outcome>,
}

impl Book {
    /// Takes a record in. True when something changed.
    pub(crate) fn add(&mut self, mut record: QuestionRecord) -> bool {
        let outcome = Outcome::of_record(&record);
        let entry = self.entries.entry(record.id.clone()).or_default();
        let new = entry.record.is_none();
        if new {
            // The book is the same whether the record came pending or ended.
            record.status = Status::Pending;
            record.answers = None;
            record.resolved_by = None;
            entry.record = Some(record);
        }
        outcome.is_some_and(|outcome| entry.end(outcome)) || new
    }

    /// Takes an ending in, also of a request that hasn't been seen yet. True when something changed.
    pub(crate) fn end(&mut self, id: &str, outcome: Outcome) -> bool {
        self.entries.entry(id.to_owned()).or_default().end(outcome)
    }

    /// One request.
    pub(crate) fn get(&self, id: &str) -> Option<&Entry> {
        self.entries.get(id)
    }

    /// The record of a request.
    pub(crate) fn record(&self, id: &str) -> Option<&QuestionRecord> {
        self.get(id)?.record.as_ref()
    }

    /// Requests whose record is known, by id.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&QuestionRecord, Option<&Outcome>)> {
        self.entries.values().filter_map(|entry| Some((entry.record.as_ref()?, entry.outcome.as_ref())))
    }

    /// Requests that are open.
    pub(crate) fn open(&self) -> impl Iterator<Item = &QuestionRecord> {
        self.iter().filter(|(_, outcome)| outcome.is_none()).map(|(record, _)| record)
    }
}

impl Entry {
    fn end(&mut self, outcome: Outcome) -> bool {
        if let Some(known) = &mut self.outcome {
            return known.learn(outcome);
        }
        self.outcome = Some(outcome);
        true
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use beckon_protocol::question::{Answers, Question, QuestionOption};
    use proptest::prelude::*;

    use super::*;
    use crate::outcome::Resolver;

    /// A pending request with one question, `deploy`.
    pub(crate) fn record(id: &str) -> QuestionRecord {
        let option = |label: &str| QuestionOption { label: label.into(), description: None };
        QuestionRecord {
            id: id.into(),
            questions: vec![Question {
                question_id: "deploy".into(),
                header: "Deploy".into(),
                question: "Where?".into(),
                options: vec![option("Staging (Recommended)"), option("Production")],
                multi_select: false,
                is_other: true,
                is_secret: false,
                url: None,
            }],
            agent_id: Some("main".into()),
            session_key: Some("agent:main:main".into()),
            run_id: Some("run".into()),
            created_at_ms: 1_000,
            expires_at_ms: 901_000,
            status: Status::Pending,
            answers: None,
            resolved_by: None,
        }
    }

    pub(crate) fn answers(value: &str) -> Answers {
        Answers { answers: [("deploy".to_owned(), vec![value.to_owned()])].into() }
    }

    #[test]
    fn an_ending_may_come_before_its_request() {
        let mut book = Book::default();
        assert!(book.end("a", Outcome::new(Status::Expired, None, Resolver::Unnamed, Some(5)).unwrap()));
        assert_eq!(book.iter().count(), 0);
        assert!(book.add(record("a")));
        assert_eq!(book.open().count(), 0);
        assert!(!book.add(record("a")), "a late copy doesn't open it again");
    }

    proptest! {
        /// Copies of `requested`, `resolved` and records, in any order and number: the same book.
        #[test]
        fn the_book_is_the_same_in_any_order(order in Just((0..6usize).collect::<Vec<_>>()).prop_shuffle(), extra in 0..6usize) {
            let ended = QuestionRecord {
                status: Status::Answered, answers: Some(answers("Production")), resolved_by: Some("phone".into()), ..record("a")
            };
            let event = Outcome::new(Status::Answered, Some(answers("Production")), Resolver::Unnamed, Some(9)).unwrap();
            let play = |order: &[usize]| {
                let mut book = Book::default();
                for step in order {
                    match step {
                        0 | 1 => drop(book.add(record("a"))),
                        2 => drop(book.end("a", event.clone())),
                        3 => drop(book.add(ended.clone())),
                        4 => drop(book.add(record("b"))),
                        _ => drop(book.end("a", Outcome::unknown(None))),
                    }
                }
                book
            };
            let shuffled: Vec<_> = order.into_iter().chain([extra]).collect();
            prop_assert_eq!(play(&shuffled), play(&[0, 1, 2, 3, 4, 5]));
        }

        /// Once a request has ended, nothing opens it again or changes how it ended.
        #[test]
        fn terminal_is_final(steps in prop::collection::vec(0..5usize, 1..20)) {
            let mut book = Book::default();
            let mut ended = None;
            for step in steps {
                match step {
                    0 => drop(book.add(record("a"))),
                    1 => drop(book.end("a", Outcome::new(Status::Answered, Some(answers("x")), Resolver::Unnamed, None).unwrap())),
                    2 => drop(book.end("a", Outcome::new(Status::Cancelled, None, Resolver::Named("y".into()), None).unwrap())),
                    3 => drop(book.end("a", Outcome::new(Status::Expired, None, Resolver::Unnamed, Some(1)).unwrap())),
                    _ => drop(book.end("a", Outcome::unknown(None))),
                }
                let now = book.get("a").and_then(|entry| entry.outcome.as_ref()).filter(|outcome| outcome.is_final());
                if let Some(before) = &ended {
                    prop_assert_eq!(now.map(|outcome| &outcome.ending), Some(before));
                }
                ended = now.map(|outcome| outcome.ending.clone());
            }
        }
    }
}
