//! The desk's thread: judging operations, and turns. The module above says what it promises.

use std::collections::HashMap;
use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant};

use beckon_core::rules;
use beckon_protocol::error::reason;
use beckon_protocol::frame::event;
use beckon_protocol::question::{QuestionRecord, RequestParams, Requested, ResolveParams, Resolved, Status};
use beckon_protocol::{ErrorShape, Millis, limits};
use tokio::sync::oneshot;

use super::book::{Book, Pending};
use super::store::{End, Kept, Store};
use super::{Ending, Operation, Reply, not_stored};
use crate::clock::Clock;
use crate::devices::{Applicant, Device};
use crate::fanout::Fanout;

/// Operations of one turn. Enough that the disk, not the batch, is the limit; few enough that the first doesn't wait
/// noticeably for the last.
pub(super) const MAX_TURN: usize = 256;
/// Longest sleep while something is pending: deadlines are on the wall clock, which may be set or run on during a
/// suspend, while the sleep is not.
const LONGEST_SLEEP: Duration = Duration::from_secs(5);
/// Pause before the desk tries again by itself what it couldn't store.
const PAUSE_AFTER_FAILURE: Duration = Duration::from_secs(1);

/// Why an operation did nothing.
enum Refusal {
    /// The caller's fault, or the way things are.
    Told(ErrorShape),
    /// The database's.
    Database(rusqlite::Error),
}

impl From<ErrorShape> for Refusal {
    fn from(error: ErrorShape) -> Self {
        Self::Told(error)
    }
}

impl From<rusqlite::Error> for Refusal {
    fn from(error: rusqlite::Error) -> Self {
        Self::Database(error)
    }
}

impl From<serde_json::Error> for Refusal {
    fn from(error: serde_json::Error) -> Self {
        Self::Database(rusqlite::Error::ToSqlConversionFailure(error.into()))
    }
}

/// What a turn does to others once it is committed.
enum Effect {
    /// `question.requested`.
    Asked(Arc<str>),
    /// `question.resolved`, and the answer of those who wait.
    Ended(Ending),
    /// The answer of an operation; the argument says whether the turn was committed.
    Answered(Box<dyn FnOnce(bool) + Send>),
}

/// The desk's thread.
pub(super) struct Clerk {
    store: Store,
    /// `None` after a failure until it could be read again.
    book: Option<Book>,
    fanout: Arc<Fanout>,
    clock: Arc<dyn Clock>,
    /// Those who wait for a question's end, by its id.
    waiting: HashMap<String, Vec<Reply<Ending>>>,
    /// Of the turn at hand.
    effects: Vec<Effect>,
    /// What the database failed with in the turn at hand.
    failed: Option<rusqlite::Error>,
}

impl Clerk {
    pub(super) fn new(store: Store, book: Book, fanout: Arc<Fanout>, clock: Arc<dyn Clock>) -> Self {
        Self { store, book: Some(book), fanout, clock, waiting: HashMap::new(), effects: Vec::new(), failed: None }
    }

    /// Works until the desk is closed or forgotten; returns whom to tell that it is closed.
    pub(super) fn work(&mut self, inbox: &mpsc::Receiver<Operation>) -> Option<oneshot::Sender<()>> {
        let mut quiet_until = None;
        loop {
            let first = match self.sleep(quiet_until) {
                None => Some(inbox.recv().ok()?),
                Some(time) => match inbox.recv_timeout(time) {
                    Ok(operation) => Some(operation),
                    Err(mpsc::RecvTimeoutError::Timeout) => None,
                    Err(mpsc::RecvTimeoutError::Disconnected) => return None,
                },
            };
            let now = self.clock.now_ms();
            self.expire(now);
            let expired = self.end_turn();
            let mut closing = None;
            for operation in first.into_iter().chain(inbox.try_iter()).take(MAX_TURN) {
                if let Operation::Close(closed) = operation {
                    closing = Some(closed);
                    break;
                }
                self.judge(operation, now);
                // SQLite may have rolled back by itself: what comes after it must not be written outside the turn.
                if self.failed.is_some() {
                    break;
                }
            }
            let judged = self.end_turn();
            quiet_until = (!expired || !judged).then(|| Instant::now() + PAUSE_AFTER_FAILURE);
            if closing.is_some() {
                return closing;
            }
        }
    }

    /// How long nothing is to be done unless someone asks; `None` means for ever.
    fn sleep(&self, quiet_until: Option<Instant>) -> Option<Duration> {
        if let Some(until) = quiet_until {
            return Some(until.saturating_duration_since(Instant::now()));
        }
        let deadline = self.book.as_ref()?.next_deadline()?;
        Some(Duration::from_millis(deadline.saturating_sub(self.clock.now_ms())).min(LONGEST_SLEEP))
    }

    /// Commits and tells, or undoes and refuses. Whether it was committed.
    fn end_turn(&mut self) -> bool {
        if self.failed.is_none() {
            self.failed = self.store.commit().err();
        }
        let effects = std::mem::take(&mut self.effects);
        let failed = self.failed.take();
        let committed = failed.is_none();
        if let Some(error) = failed {
            tracing::error!(%error, refused = effects.len(), "nothing of this turn could be stored");
            self.store.roll_back();
            self.book = None;
            self.read_again();
        }
        for effect in effects {
            match effect {
                Effect::Answered(answer) => answer(committed),
                Effect::Asked(record) if committed => self.fanout.send(event::QUESTION_REQUESTED, &record),
                Effect::Ended(ending) if committed => self.tell(&ending),
                Effect::Asked(_) | Effect::Ended(_) => {}
            }
        }
        committed
    }

    fn tell(&mut self, ending: &Ending) {
        let public = Resolved { resolution_id: None, ..ending.clone() };
        match serde_json::to_string(&public) {
            Ok(payload) => self.fanout.send(event::QUESTION_RESOLVED, &payload.into()),
            Err(error) => tracing::error!(%error, "an ending can't be told"),
        }
        for reply in ending.id.as_ref().and_then(|id| self.waiting.remove(id)).unwrap_or_default() {
            // Who doesn't wait any more has dropped the other end.
            let _ = reply.send(Ok(ending.clone()));
        }
    }

    fn read_again(&mut self) {
        match self.store.pending().map(Book::of) {
            Ok(Ok(book)) => {
                // Those who wait for a question that was never stored.
                let lost = |id: &String, _: &mut Vec<_>| book.get(id).is_none();
                for reply in self.waiting.extract_if(lost).flat_map(|(_, replies)| replies) {
                    let _ = reply.send(Err(not_stored()));
                }
                self.book = Some(book);
            }
            Ok(Err(error)) => tracing::error!(%error, "a pending question can't be read"),
            Err(error) => tracing::error!(%error, "the pending questions can't be read"),
        }
    }

    fn expire(&mut self, now: Millis) {
        if self.book.is_none() {
            self.read_again();
        }
        let Some(book) = &mut self.book else { return };
        while let Some(id) = book.overdue(now).map(|pending| pending.record.id.clone()) {
            let Some(pending) = book.remove(&id) else { return };
            let end = End { status: Status::Expired, answers: None, resolved_by: None, resolution_id: None };
            match self.store.end(pending.seq, &end, now) {
                Ok(true) => self.effects.push(Effect::Ended(Resolved {
                    id: Some(id),
                    status: Status::Expired,
                    answers: None,
                    resolution_id: None,
                })),
                Ok(false) => tracing::error!("a question had ended in the database only"),
                Err(error) => {
                    self.failed = Some(error);
                    return;
                }
            }
        }
    }

    fn judge(&mut self, operation: Operation, now: Millis) {
        match operation {
            Operation::Request(params, reply) => {
                let outcome = self.request(params, now);
                self.settle(reply, outcome);
            }
            Operation::List(reply) => {
                let outcome = self.book().map(|book| book.iter().map(|pending| Arc::clone(&pending.json)).collect());
                self.settle(reply, outcome);
            }
            Operation::Get(id, reply) => {
                let outcome = self.get(&id);
                self.settle(reply, outcome);
            }
            Operation::Resolve(params, reply) => {
                let outcome = self.resolve(params, now);
                self.settle(reply, outcome);
            }
            Operation::Wait(id, reply) => self.wait(id, reply),
            Operation::Device(id, role, reply) => {
                let outcome = self.store.device(&id, &role).map_err(Refusal::from);
                self.settle(reply, outcome);
            }
            Operation::Approve(applicant, reply) => {
                let outcome = self.approve(&applicant, now);
                self.settle(reply, outcome);
            }
            Operation::Close(closed) => drop(closed),
        }
    }

    /// Keeps an operation's answer until the turn is committed.
    fn settle<T: Send + 'static>(&mut self, reply: Reply<T>, outcome: Result<T, Refusal>) {
        let outcome = outcome.map_err(|refusal| match refusal {
            Refusal::Told(error) => error,
            Refusal::Database(error) => {
                self.failed.get_or_insert(error);
                not_stored()
            }
        });
        self.effects.push(Effect::Answered(Box::new(move |committed| {
            // A caller that went away is no fault.
            let _ = reply.send(if committed { outcome } else { Err(not_stored()) });
        })));
    }

    fn book(&mut self) -> Result<&mut Book, Refusal> {
        self.book.as_mut().ok_or_else(|| Refusal::Told(not_stored()))
    }

    fn request(&mut self, params: RequestParams, now: Millis) -> Result<Requested, Refusal> {
        self.book()?;
        rules::check_questions(&params.questions).map_err(|broken| ErrorShape::invalid(broken.to_string()))?;
        let limit = params.timeout_ms.unwrap_or(limits::QUESTION_TIMEOUT_MS).min(limits::QUESTION_TIMEOUT_MAX_MS);
        let record = QuestionRecord {
            id: params.id.unwrap_or_else(|| uuid::Uuid::new_v4().to_string()),
            questions: params.questions,
            agent_id: params.agent_id,
            session_key: params.session_key,
            run_id: params.run_id,
            created_at_ms: now,
            expires_at_ms: now.saturating_add(limit),
            status: Status::Pending,
            answers: None,
            resolved_by: None,
        };
        let requested = Requested { id: record.id.clone(), expires_at_ms: record.expires_at_ms };
        let Some(seq) = self.store.insert(&record)? else {
            let message = format!("question '{}' already exists", record.id);
            return Err(ErrorShape::question(reason::ID_IN_USE, message).into());
        };
        let pending = Pending::new(seq, record)?;
        self.effects.push(Effect::Asked(Arc::clone(&pending.json)));
        self.book()?.add(pending);
        Ok(requested)
    }

    fn get(&mut self, id: &str) -> Result<Arc<str>, Refusal> {
        if let Some(pending) = self.book()?.get(id) {
            return Ok(Arc::clone(&pending.json));
        }
        Ok(serde_json::to_string(&self.ended(id)?.record)?.into())
    }

    fn resolve(&mut self, params: ResolveParams, now: Millis) -> Result<Resolved, Refusal> {
        let Some(pending) = self.book()?.get(&params.id) else {
            return self.resolve_again(&params);
        };
        if pending.record.expires_at_ms <= now {
            // Its time is over, but that couldn't be stored yet.
            return Err(not_stored().into());
        }
        let seq = pending.seq;
        let answers = match &params.answers {
            None => None,
            Some(answers) => Some(
                rules::canonical(&pending.record.questions, answers)
                    .map_err(|broken| ErrorShape::question(reason::INVALID_ANSWER, broken.to_string()))?,
            ),
        };
        let status = if answers.is_some() { Status::Answered } else { Status::Cancelled };
        let end = End {
            status,
            answers: answers.as_ref(),
            resolved_by: params.resolved_by.as_deref(),
            resolution_id: params.resolution_id.as_deref(),
        };
        if !self.store.end(seq, &end, now)? {
            tracing::error!("a question had ended in the database only");
            return Err(not_stored().into());
        }
        self.book()?.remove(&params.id);
        let resolved = Resolved { id: None, status, answers, resolution_id: None };
        let ending = Resolved { id: Some(params.id), resolution_id: params.resolution_id, ..resolved.clone() };
        self.effects.push(Effect::Ended(ending));
        Ok(resolved)
    }

    /// An answer to a question that has ended: a repetition of the one that ended it, or too late.
    fn resolve_again(&self, params: &ResolveParams) -> Result<Resolved, Refusal> {
        let ended = self.ended(&params.id)?;
        if params.resolution_id.is_some() && params.resolution_id == ended.resolution_id {
            return Ok(Resolved { resolution_id: None, ..ended.resolved() });
        }
        let how = match ended.record.status {
            Status::Answered => "answered",
            Status::Cancelled => "cancelled",
            Status::Expired | Status::Pending => "expired",
        };
        let message = format!("question '{}' is already {how}", params.id);
        Err(ErrorShape::question(reason::ALREADY_TERMINAL, message).into())
    }

    fn wait(&mut self, id: String, reply: Reply<Ending>) {
        let outcome = match self.book() {
            Err(refusal) => Err(refusal),
            Ok(book) if book.get(&id).is_some() => {
                let waiting = self.waiting.entry(id).or_default();
                waiting.retain(|reply| !reply.is_closed());
                waiting.push(reply);
                return;
            }
            Ok(_) => self.ended(&id).map(|ended| Resolved { id: Some(id), ..ended.resolved() }),
        };
        self.settle(reply, outcome);
    }

    fn ended(&self, id: &str) -> Result<Kept, Refusal> {
        self.store.question(id)?.ok_or_else(|| {
            Refusal::Told(ErrorShape::question(reason::NOT_FOUND, format!("question '{id}' was not found")))
        })
    }

    fn approve(&mut self, applicant: &Applicant, now: Millis) -> Result<Device, Refusal> {
        let known = self.store.device(&applicant.device_id, &applicant.role)?;
        let widened = Device::widened(known.as_ref(), &applicant.scopes, now).map_err(|error| {
            tracing::error!(%error, "no randomness for a device token");
            not_stored()
        })?;
        if let Some(device) = &widened {
            self.store.put_device(applicant, device)?;
        }
        widened.or(known).ok_or_else(|| Refusal::Told(not_stored()))
    }
}
