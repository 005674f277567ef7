//! Getting answers to the gateway, and endings back: the outbox of one gateway at work. [`super`] says what it promises.

use beckon_protocol::Millis;
use beckon_protocol::error::{ErrorShape, reason};
use beckon_protocol::frame::method;
use beckon_protocol::question::{GetParams, GetResult, Resolved, Status};
use serde_json::{Value, json};

use super::{Asked, World, may_be_named, not_now};
use crate::backoff;
use crate::outbox::{MAX_ATTEMPTS, OutboxItem, Refusal};
use crate::outcome::{Ending, Outcome, Resolver};
use crate::step::Step;
use crate::store::Row;
use crate::view::{SendProblem, SendProblemKind, Sent};

/// Distance between two questions about a request that should have ended: the gateway may be a moment late itself.
const RECHECK_MS: Millis = 1_000;
/// Distance between two lookups of which nothing is to be had; a gateway that fails so is not repaired in a second.
const FAILED_LOOKUP_MS: Millis = 10_000;

impl World {
    /// Does what is next for a request: sends its outbox item, or asks how it stands or who ended it.
    pub(super) fn settle(&mut self, id: &str, step: &mut Step<'_>) {
        let outcome = self.book.get(id).and_then(|entry| entry.outcome.as_ref());
        match (outcome, self.outbox.contains_key(id)) {
            (None, true) => self.send(id, step),
            (Some(outcome), false) if !outcome.lacks_name() => {}
            _ => self.look_up(id, step),
        }
    }

    /// Makes the next attempt for an item, counted first. Nothing happens before the list of this connection, or while
    /// the former attempt has no answer.
    fn send(&mut self, id: &str, step: &mut Step<'_>) {
        if !self.listed || self.asking(&Asked::Resolve(id.to_owned())) {
            return;
        }
        let Some(item) = self.outbox.get_mut(id) else { return };
        if item.attempts >= MAX_ATTEMPTS {
            let detail = format!("the gateway didn't answer {MAX_ATTEMPTS} attempts");
            return self.give_back(id, SendProblem { why: SendProblemKind::Failed, detail }, step);
        }
        item.attempts += 1;
        let params = json!(item.params(&step.device.name));
        step.keep(Row::Outbox(item.clone()));
        self.call(Asked::Resolve(id.to_owned()), method::QUESTION_RESOLVE, params, step);
        step.card_changed(id);
    }

    pub(super) fn look_up(&mut self, id: &str, step: &mut Step<'_>) {
        let asked = Asked::Get(id.to_owned());
        if self.online() && !self.asking(&asked) {
            self.call(asked, method::QUESTION_GET, json!(GetParams { id: id.to_owned() }), step);
        }
    }

    pub(super) fn looked_up(&mut self, id: &str, result: Result<Value, ErrorShape>, step: &mut Step<'_>) {
        let mut next = RECHECK_MS;
        match result.map(serde_json::from_value::<GetResult>) {
            Ok(Ok(GetResult { question })) => {
                let read_before_its_end = question.status == Status::Pending && self.has_ended(id);
                self.add(question, step);
                if read_before_its_end {
                    return self.come_back(id, next, step);
                }
            }
            Err(error) if error.reason() == Some(reason::NOT_FOUND) => {
                self.end(id, Outcome::unknown(self.sent(id)), step);
            }
            Err(error) if not_now(&error) => return self.come_back(id, backoff::wish(error.retry_after_ms), step),
            Ok(Err(_)) | Err(_) => next = FAILED_LOOKUP_MS,
        }
        let Some(entry) = self.book.get(id) else { return };
        match (&entry.outcome, &entry.record, self.outbox.get(id)) {
            (Some(outcome), ..) if next == FAILED_LOOKUP_MS && may_be_named(outcome, step.now) => {
                self.come_back(id, next, step);
            }
            (Some(outcome), _, Some(item)) => {
                let ours = item.explains(outcome, &step.device.name);
                let outcome = Outcome { resolver: Resolver::Us(item.sent), ..outcome.clone() };
                if ours {
                    self.end(id, outcome, step);
                }
                self.leave_outbox(id, ours, step);
            }
            (Some(_), _, None) => {}
            // Open, as it should be.
            (None, Some(record), None) if next == RECHECK_MS && !self.overdue(record, step.now) => {}
            (None, ..) => self.come_back(id, next, step),
        }
    }

    fn has_ended(&self, id: &str) -> bool {
        self.book.get(id).is_some_and(|entry| entry.outcome.is_some())
    }

    /// What has left this device for a request and wasn't acknowledged.
    fn sent(&self, id: &str) -> Option<Sent> {
        self.outbox.get(id).filter(|item| item.attempts > 0).map(|item| item.sent)
    }

    /// Settles a request after that long, at the earliest.
    fn come_back(&mut self, id: &str, after: Millis, step: &Step<'_>) {
        let at = step.now + after;
        self.again_at.entry(id.to_owned()).and_modify(|due| *due = at.max(*due)).or_insert(at);
    }

    /// The gateway's word on an item.
    pub(super) fn resolved(&mut self, id: &str, result: Result<Value, ErrorShape>, step: &mut Step<'_>) {
        let Some(item) = self.outbox.get(id) else { return };
        match result {
            Ok(payload) => {
                // The gateway echoes the answers in canonical form; should it not, ours are the answer.
                let said = serde_json::from_value::<Resolved>(payload).ok();
                let answers = said.and_then(|said| said.answers).or_else(|| item.answers.clone());
                let ending = answers.map_or(Ending::Cancelled, Ending::Answered);
                let outcome = Outcome { ending, resolver: Resolver::Us(item.sent), at_ms: Some(step.now) };
                self.end(id, outcome, step);
                self.leave_outbox(id, true, step);
            }
            Err(error) => match item.refusal(&error) {
                Refusal::AlreadyEnded => self.look_up(id, step),
                Refusal::Gone => {
                    self.end(id, Outcome::unknown(self.sent(id)), step);
                    self.leave_outbox(id, false, step);
                }
                Refusal::Later(after) => self.come_back(id, after, step),
                // It came too late anyway: there is nothing to repair, only to read how it ended.
                Refusal::Failed(_) if self.has_ended(id) => self.look_up(id, step),
                Refusal::Failed(problem) => self.give_back(id, problem, step),
            },
        }
    }

    /// Gives the card back to the person: the reason is kept with the draft. A refusal doesn't say whether the request is
    /// still open, so the gateway is asked.
    fn give_back(&mut self, id: &str, problem: SendProblem, step: &mut Step<'_>) {
        let draft = self.drafts.entry(id.to_owned()).or_default();
        draft.problem = Some(problem);
        step.keep(Row::Draft { question: id.to_owned(), draft: Some(draft.clone()) });
        self.leave_outbox(id, false, step);
        self.look_up(id, step);
    }

    /// Takes an item out. Its draft goes only when the answer was ours and arrived.
    fn leave_outbox(&mut self, id: &str, delivered: bool, step: &mut Step<'_>) {
        self.outbox.remove(id);
        step.keep(Row::OutboxDone { question: id.to_owned() });
        if delivered && self.drafts.remove(id).is_some() {
            step.keep(Row::Draft { question: id.to_owned(), draft: None });
        }
        step.card_changed(id);
    }

    /// Puts an answer or a skip into the outbox and sends it if the gateway is there.
    pub(crate) fn promise(&mut self, item: OutboxItem, step: &mut Step<'_>) {
        let id = item.question.clone();
        step.keep(Row::Outbox(item.clone()));
        self.outbox.insert(id.clone(), item);
        step.card_changed(&id);
        self.send(&id, step);
    }
}
