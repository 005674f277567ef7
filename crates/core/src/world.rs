//! One gateway as this device knows it: its link, its question book, and what is under way.
//!
//! What it promises, and in which order:
//!
//! 1. An answer becomes an outbox row (one transaction with everything else of its step) before any call carries it.
//!    A crash before the commit leaves the draft; a crash after it leaves the row, which is sent after the next start.
//! 2. Each attempt is counted in the row before its call is made.
//! 3. After every connect, `question.list` comes first. Only then are outbox items sent, because only then is it known
//!    which requests are still open. A request that is open here and missing in the list is looked up; one that the
//!    gateway no longer knows ends as *unknown*, once.
//! 4. An item leaves the outbox by its acknowledgement, by a read-back that says how the request ended, or by a
//!    refusal, which gives the card back with the reason. The draft goes only with our own acknowledged answer.
//! 5. The clock here ends nothing. When the time of an open request is up by the gateway's clock, the gateway is asked.
//!
//! Calls are answered by [`World::respond`] under the ticket they were made with. When the link goes down, all tickets
//! are void, and the next connect starts again with the list.

use std::collections::{BTreeMap, BTreeSet};

use beckon_protocol::error::{ErrorShape, reason};
use beckon_protocol::frame::{event, method};
use beckon_protocol::question::{GetParams, GetResult, ListResult, QuestionRecord, Resolved};
use beckon_protocol::{Event, Millis, connect};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::book::Book;
use crate::draft::Draft;
use crate::outbox::{OutboxItem, Refusal};
use crate::outcome::{Outcome, Resolver};
use crate::step::{Call, Step, Ticket};
use crate::store::Row;
use crate::view::{LinkProblem, LinkView, SendProblem};

/// How long an overdue request waits between two questions about it: the gateway may be a moment late itself.
const OVERDUE_RECHECK_MS: Millis = 1_000;
/// Distance between two lists while the gateway refuses them.
const LIST_AGAIN_MS: Millis = 2_000;

/// Name and address of a gateway.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GatewayConfig {
    /// Key of everything under it; contains no slash.
    pub id: String,
    /// What people call it.
    pub name: String,
    /// `ws://` or `wss://`.
    pub address: String,
    /// The one inside this program.
    pub built_in: bool,
}

/// What happens on the link to a gateway.
#[derive(Debug, Clone, PartialEq)]
pub enum LinkEvent {
    /// An attempt to connect begins.
    Connecting,
    /// The handshake is done.
    Online {
        /// What this device may do.
        scopes: Vec<String>,
        /// The gateway's clock.
        clock_ms: Millis,
    },
    /// The gateway says that something happened.
    Event(Event),
    /// The answer to a call.
    Response {
        /// The call.
        ticket: Ticket,
        /// What came back.
        result: Result<Value, ErrorShape>,
    },
    /// Down; tried again at that time.
    Retrying {
        /// On this computer's clock.
        at_ms: Millis,
        /// What happened.
        why: LinkProblem,
        /// More, in English.
        detail: String,
    },
    /// Down until the person acts.
    Stuck {
        /// What to act on.
        why: LinkProblem,
        /// More, in English.
        detail: String,
        /// The pairing request to approve.
        pairing_request: Option<String>,
    },
}

/// One gateway as this device knows it.
#[derive(Debug, Clone)]
pub(crate) struct World {
    pub(crate) config: GatewayConfig,
    pub(crate) link: LinkView,
    pub(crate) clock_offset_ms: i64,
    pub(crate) book: Book,
    pub(crate) drafts: BTreeMap<String, Draft>,
    pub(crate) outbox: BTreeMap<String, OutboxItem>,
    pub(crate) problems: BTreeMap<String, SendProblem>,
    /// Calls without an answer.
    asked: BTreeMap<Ticket, Asked>,
    /// The list of this connection was applied.
    listed: bool,
    /// When to ask again: overdue requests and items the gateway put off, by request.
    again_at: BTreeMap<String, Millis>,
    /// When to ask for the list again.
    list_again_at: Option<Millis>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Asked {
    List,
    Get(String),
    Resolve(String),
    Request,
}

impl World {
    pub(crate) fn new(config: GatewayConfig) -> Self {
        Self {
            config,
            link: LinkView::Connecting,
            clock_offset_ms: 0,
            book: Book::default(),
            drafts: BTreeMap::new(),
            outbox: BTreeMap::new(),
            problems: BTreeMap::new(),
            asked: BTreeMap::new(),
            listed: false,
            again_at: BTreeMap::new(),
            list_again_at: None,
        }
    }

    /// Takes in a row that was kept.
    pub(crate) fn restore(&mut self, row: Row) {
        match row {
            Row::Question(record) => drop(self.book.add(record)),
            Row::Outcome { question, outcome } => drop(self.book.end(&question, outcome)),
            Row::Draft { question, draft } => drop(draft.map(|draft| self.drafts.insert(question, draft))),
            Row::Outbox(item) => drop(self.outbox.insert(item.question.clone(), item)),
            Row::OutboxDone { question } => drop(self.outbox.remove(&question)),
        }
    }

    pub(crate) fn online(&self) -> bool {
        matches!(self.link, LinkView::Online { .. })
    }

    /// The gateway's clock.
    pub(crate) fn gateway_time(&self, now: Millis) -> Millis {
        now.saturating_add_signed(self.clock_offset_ms)
    }

    pub(crate) fn overdue(&self, record: &QuestionRecord, now: Millis) -> bool {
        record.expires_at_ms <= self.gateway_time(now)
    }

    /// Something happened on the link.
    pub(crate) fn apply(&mut self, happened: LinkEvent, step: &mut Step<'_>) {
        match happened {
            LinkEvent::Connecting => self.down(LinkView::Connecting, step),
            LinkEvent::Retrying { at_ms, why, detail } => {
                self.down(LinkView::Retrying { at_ms, why, detail }, step);
            }
            LinkEvent::Stuck { why, detail, pairing_request } => {
                self.down(LinkView::Stuck { why, detail, pairing_request }, step);
            }
            LinkEvent::Online { scopes, clock_ms } => {
                let wanted = [connect::scope::READ, connect::scope::WRITE, connect::scope::QUESTIONS];
                let missing = wanted.into_iter().filter(|scope| !scopes.iter().any(|granted| granted == scope));
                self.down(LinkView::Online { missing_scopes: missing.map(str::to_owned).collect() }, step);
                self.set_clock(clock_ms, step);
                self.call(Asked::List, method::QUESTION_LIST, json!({}), step);
            }
            LinkEvent::Event(event) => self.event(event, step),
            LinkEvent::Response { ticket, result } => self.respond(ticket, result, step),
        }
    }

    /// Every call of the former connection is void, whatever the new state is.
    fn down(&mut self, link: LinkView, step: &mut Step<'_>) {
        self.asked.clear();
        self.again_at.clear();
        self.list_again_at = None;
        self.listed = false;
        self.link = link;
        step.gateway_changed();
        for question in self.outbox.keys() {
            step.card_changed(question);
        }
    }

    fn set_clock(&mut self, clock_ms: Millis, step: &mut Step<'_>) {
        self.clock_offset_ms = clock_ms.cast_signed().saturating_sub(step.now.cast_signed());
        step.gateway_changed();
    }

    fn event(&mut self, happened: Event, step: &mut Step<'_>) {
        match happened.event.as_str() {
            event::QUESTION_REQUESTED => {
                if let Ok(record) = serde_json::from_value(happened.payload) {
                    self.add(record, step);
                }
            }
            event::QUESTION_RESOLVED => {
                let Ok(Resolved { id: Some(id), status, answers, .. }) = serde_json::from_value(happened.payload)
                else {
                    return;
                };
                if let Some(outcome) = Outcome::new(status, answers, Resolver::Unnamed, Some(step.now)) {
                    self.end(&id, outcome, step);
                    // Our own acknowledgement tells who it was; otherwise the gateway does, for a short while.
                    if !self.asked.values().any(|asked| *asked == Asked::Resolve(id.clone())) {
                        self.settle(&id, step);
                    }
                }
            }
            event::TICK => {
                if let Ok(connect::Tick { ts }) = serde_json::from_value(happened.payload) {
                    self.set_clock(ts, step);
                }
            }
            _ => {}
        }
    }

    fn respond(&mut self, ticket: Ticket, result: Result<Value, ErrorShape>, step: &mut Step<'_>) {
        match (self.asked.remove(&ticket), result) {
            (Some(Asked::List), Ok(payload)) => {
                if let Ok(ListResult { questions }) = serde_json::from_value(payload) {
                    self.list(questions, step);
                }
            }
            // A gateway that drains refuses the list for a while.
            (Some(Asked::List), Err(_)) => self.list_again_at = Some(step.now + LIST_AGAIN_MS),
            (Some(Asked::Get(id)), result) => self.looked_up(&id, result, step),
            (Some(Asked::Resolve(id)), result) => self.resolved(&id, result, step),
            (Some(Asked::Request) | None, _) => {}
        }
    }

    /// Everything that is open at the gateway.
    fn list(&mut self, records: Vec<QuestionRecord>, step: &mut Step<'_>) {
        let open: BTreeSet<_> = records.iter().map(|record| record.id.clone()).collect();
        for record in records {
            self.add(record, step);
        }
        self.listed = true;
        let gone: BTreeSet<_> =
            self.book.open().map(|record| record.id.clone()).filter(|id| !open.contains(id)).collect();
        for id in &gone {
            self.look_up(id, step);
        }
        let mine: Vec<_> = self.outbox.keys().filter(|id| !gone.contains(*id)).cloned().collect();
        for id in mine {
            self.settle(&id, step);
        }
    }

    /// Does what is next for a request: sends its outbox item, or asks how it ended.
    fn settle(&mut self, id: &str, step: &mut Step<'_>) {
        let outcome = self.book.get(id).and_then(|entry| entry.outcome.as_ref());
        match (outcome, self.outbox.contains_key(id)) {
            (None, true) => self.send(id, step),
            (Some(_), true) => self.look_up(id, step),
            (Some(outcome), false) if outcome.lacks_name() => self.look_up(id, step),
            _ => {}
        }
    }

    /// Makes the next attempt for an item, counted first. Nothing happens before the list of this connection.
    fn send(&mut self, id: &str, step: &mut Step<'_>) {
        let Some(item) = self.outbox.get_mut(id).filter(|_| self.listed) else { return };
        item.attempts += 1;
        let params = json!(item.params(&step.device.name));
        step.keep(Row::Outbox(item.clone()));
        self.call(Asked::Resolve(id.to_owned()), method::QUESTION_RESOLVE, params, step);
        step.card_changed(id);
    }

    fn look_up(&mut self, id: &str, step: &mut Step<'_>) {
        let asked = Asked::Get(id.to_owned());
        if self.online() && !self.asked.values().any(|other| *other == asked) {
            self.call(asked, method::QUESTION_GET, json!(GetParams { id: id.to_owned() }), step);
        }
    }

    fn looked_up(&mut self, id: &str, result: Result<Value, ErrorShape>, step: &mut Step<'_>) {
        match result.map(serde_json::from_value::<GetResult>) {
            Ok(Ok(GetResult { question })) => self.add(question, step),
            Err(error) if error.reason() == Some(reason::NOT_FOUND) => {
                let sent = self.outbox.get(id).map(|item| item.sent);
                self.end(id, Outcome::unknown(sent), step);
            }
            Ok(Err(_)) | Err(_) => {}
        }
        self.read_back(id, step);
    }

    /// After a lookup: an ended request settles its item; an open one is still to be answered, or overdue.
    fn read_back(&mut self, id: &str, step: &mut Step<'_>) {
        let Some(entry) = self.book.get(id) else { return };
        match (&entry.outcome, self.outbox.get(id)) {
            (Some(outcome), Some(item)) => {
                let ours = item.explains(outcome, &step.device.name);
                let outcome = Outcome { resolver: Resolver::Us(item.sent), ..outcome.clone() };
                if ours {
                    self.end(id, outcome, step);
                }
                self.leave_outbox(id, ours, step);
            }
            (None, Some(_)) => self.send(id, step),
            (None, None) => drop(self.again_at.insert(id.to_owned(), step.now + OVERDUE_RECHECK_MS)),
            (Some(_), None) => {}
        }
    }

    /// The gateway's word on an item.
    fn resolved(&mut self, id: &str, result: Result<Value, ErrorShape>, step: &mut Step<'_>) {
        let Some(item) = self.outbox.get(id) else { return };
        match result {
            Ok(payload) => {
                // The gateway echoes the answers in canonical form; should it not, ours are the answer.
                let said = serde_json::from_value::<Resolved>(payload).ok();
                let answers = said.and_then(|said| said.answers).or_else(|| item.answers.clone());
                let ending = answers.map_or(crate::outcome::Ending::Cancelled, crate::outcome::Ending::Answered);
                let outcome = Outcome { ending, resolver: Resolver::Us(item.sent), at_ms: Some(step.now) };
                self.end(id, outcome, step);
                self.leave_outbox(id, true, step);
            }
            Err(error) => match item.refusal(&error) {
                Refusal::AlreadyEnded => self.look_up(id, step),
                Refusal::Gone => {
                    let sent = item.sent;
                    self.end(id, Outcome::unknown(Some(sent)), step);
                    self.leave_outbox(id, false, step);
                }
                Refusal::Later(after) => drop(self.again_at.insert(id.to_owned(), step.now + after)),
                Refusal::Failed(problem) => {
                    self.problems.insert(id.to_owned(), problem);
                    self.leave_outbox(id, false, step);
                }
            },
        }
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

    fn add(&mut self, record: QuestionRecord, step: &mut Step<'_>) {
        let id = record.id.clone();
        let known = self.book.record(&id).is_some();
        if self.book.add(record) {
            self.keep_entry(&id, !known, step);
        }
    }

    fn end(&mut self, id: &str, outcome: Outcome, step: &mut Step<'_>) {
        if self.book.end(id, outcome) {
            self.keep_entry(id, false, step);
        }
    }

    fn keep_entry(&mut self, id: &str, with_record: bool, step: &mut Step<'_>) {
        let Some(entry) = self.book.get(id) else { return };
        if let Some(record) = entry.record.as_ref().filter(|_| with_record) {
            step.keep(Row::Question(record.clone()));
        }
        // The ending of a request that was never seen is only kept once there is a card to show it on.
        if let (Some(outcome), Some(_)) = (&entry.outcome, &entry.record) {
            step.keep(Row::Outcome { question: id.to_owned(), outcome: outcome.clone() });
            self.problems.remove(id);
            self.again_at.remove(id);
        }
        step.card_changed(id);
    }

    /// Puts an answer or a skip into the outbox and sends it if the gateway is there.
    pub(crate) fn promise(&mut self, item: OutboxItem, step: &mut Step<'_>) {
        let id = item.question.clone();
        self.problems.remove(&id);
        step.keep(Row::Outbox(item.clone()));
        self.outbox.insert(id.clone(), item);
        step.card_changed(&id);
        self.send(&id, step);
    }

    /// Has the gateway ask a question.
    pub(crate) fn request(&mut self, params: Value, step: &mut Step<'_>) {
        self.call(Asked::Request, method::QUESTION_REQUEST, params, step);
    }

    /// Time passed.
    pub(crate) fn tick(&mut self, step: &mut Step<'_>) {
        if !self.online() {
            return;
        }
        if self.list_again_at.is_some_and(|at| at <= step.now) {
            self.list_again_at = None;
            self.call(Asked::List, method::QUESTION_LIST, json!({}), step);
        }
        let due: Vec<_> = self.again_at.iter().filter(|(_, at)| **at <= step.now).map(|(id, _)| id.clone()).collect();
        for id in due {
            self.again_at.remove(&id);
            self.settle(&id, step);
        }
        let overdue: Vec<_> =
            self.book.open().filter(|record| self.overdue(record, step.now)).map(|record| record.id.clone()).collect();
        for id in overdue {
            if !self.again_at.contains_key(&id) {
                self.look_up(&id, step);
                step.card_changed(&id);
            }
        }
    }

    /// When [`World::tick`] has something to do, on this computer's clock.
    pub(crate) fn wake_at(&self) -> Option<Millis> {
        if !self.online() {
            return None;
        }
        let checking = |id: &str| {
            self.again_at.contains_key(id) || self.asked.values().any(|asked| *asked == Asked::Get(id.to_owned()))
        };
        let expiries = self
            .book
            .open()
            .filter(|record| !checking(&record.id))
            .map(|record| record.expires_at_ms.saturating_add_signed(-self.clock_offset_ms));
        expiries.chain(self.again_at.values().copied()).chain(self.list_again_at).min()
    }

    fn call(&mut self, asked: Asked, method: &'static str, params: Value, step: &mut Step<'_>) {
        let ticket = step.ticket();
        self.asked.insert(ticket, asked);
        step.calls.push(Call { gateway: self.config.id.clone(), ticket, method, params });
    }
}
