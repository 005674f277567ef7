//! The pending questions in memory: by id, in the order of asking, and by deadline.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use beckon_protocol::Millis;
use beckon_protocol::question::QuestionRecord;

use super::store::Kept;

/// A pending question.
pub(super) struct Pending {
    /// Its place in the order of asking.
    pub seq: i64,
    /// What was asked.
    pub record: QuestionRecord,
    /// The record as JSON: event payload, and part of results.
    pub json: Arc<str>,
}

impl Pending {
    /// A question that has its place.
    pub(super) fn new(seq: i64, record: QuestionRecord) -> serde_json::Result<Self> {
        let json = serde_json::to_string(&record)?.into();
        Ok(Self { seq, record, json })
    }
}

/// All pending questions.
#[derive(Default)]
pub(super) struct Book {
    by_seq: BTreeMap<i64, Pending>,
    seq_of: HashMap<String, i64>,
    deadlines: BTreeSet<(Millis, i64)>,
}

impl Book {
    /// The book of these rows.
    pub(super) fn of(kept: Vec<Kept>) -> serde_json::Result<Self> {
        let mut book = Self::default();
        for Kept { seq, record, .. } in kept {
            book.add(Pending::new(seq, record)?);
        }
        Ok(book)
    }

    pub(super) fn add(&mut self, pending: Pending) {
        self.seq_of.insert(pending.record.id.clone(), pending.seq);
        self.deadlines.insert((pending.record.expires_at_ms, pending.seq));
        self.by_seq.insert(pending.seq, pending);
    }

    pub(super) fn get(&self, id: &str) -> Option<&Pending> {
        self.by_seq.get(self.seq_of.get(id)?)
    }

    pub(super) fn remove(&mut self, id: &str) -> Option<Pending> {
        let pending = self.by_seq.remove(&self.seq_of.remove(id)?)?;
        self.deadlines.remove(&(pending.record.expires_at_ms, pending.seq));
        Some(pending)
    }

    /// Oldest first.
    pub(super) fn iter(&self) -> impl Iterator<Item = &Pending> {
        self.by_seq.values()
    }

    /// When the next one ends without an answer.
    pub(super) fn next_deadline(&self) -> Option<Millis> {
        self.deadlines.first().map(|&(at, _)| at)
    }

    /// The one whose time ran out first, if any has.
    pub(super) fn overdue(&self, now: Millis) -> Option<&Pending> {
        let (_, seq) = self.deadlines.first().filter(|&&(at, _)| at <= now)?;
        self.by_seq.get(seq)
    }
}
