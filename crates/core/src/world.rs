//! One gateway as this device knows it: its link, its question book, and what is under way.
//!
//! What it promises, and in which order:
//!
//! 1. An answer becomes an outbox row (one transaction with everything else of its step) before any call carries it.
//!    A crash before the commit leaves the draft; a crash after it leaves the row, which is sent after the next start.
//! 2. Each attempt is counted in the row before its call is made.
//! 3. After every connect, `question.list` comes first. Only then are outbox items sent, because only then is it known
//!    which requests are still open; where no list is to be had at all, each item hears for itself what is wrong. A
//!    request that is open here and missing in the list is looked up; one that the gateway no longer knows ends as
//!    *unknown*, once.
//! 4. One attempt at a time. An item leaves the outbox by its acknowledgement, by a read-back that says how the request
//!    ended, or by a refusal, which gives the card back with the reason. Only the gateway's word makes an ending ours.
//!    The draft goes only with our own acknowledged answer.
//! 5. The clock here ends nothing. When the time of an open request is up by the gateway's clock, the gateway is asked.
//! 6. Whatever is asked again is asked at a distance, never at the speed of the line.
//!
//! Calls are answered by [`World::respond`] under the ticket they were made with. Each gets its answer, or the link goes
//! down; then all tickets are void, and the next connect starts again with the list.

mod delivery;

use std::collections::{BTreeMap, BTreeSet};

use beckon_protocol::error::{ErrorShape, code};
use beckon_protocol::frame::{event, method};
use beckon_protocol::question::{QuestionRecord, Resolved};
use beckon_protocol::{Event, Millis, connect};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::backoff;
use crate::book::Book;
use crate::draft::Draft;
use crate::outbox::OutboxItem;
use crate::outcome::{Outcome, Resolver};
use crate::step::{Call, Step, Ticket};
use crate::store::Row;
use crate::view::{LinkProblem, LinkView};

/// Distance between two lists while the gateway refuses them.
const LIST_AGAIN_MS: Millis = 2_000;
/// For that long after the end of a request OpenClaw says who ended it.
const NAMED_FOR_MS: Millis = 15_000;

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
    /// Calls without an answer.
    asked: BTreeMap<Ticket, Asked>,
    /// The list of this connection was applied, or is not to be had.
    listed: bool,
    /// When to come back to a request: overdue ones, items the gateway put off, lookups that failed.
    again_at: BTreeMap<String, Millis>,
    /// When to ask for the list again.
    list_again_at: Option<Millis>,
    /// The gateway's time at the last step: requests whose time was up then are shown so.
    watched_until: Millis,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Asked {
    List,
    Get(String),
    Resolve(String),
    Request,
}

impl Asked {
    /// The request it is about.
    fn about(&self) -> Option<&str> {
        match self {
            Self::Get(id) | Self::Resolve(id) => Some(id),
            Self::List | Self::Request => None,
        }
    }
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
            asked: BTreeMap::new(),
            listed: false,
            again_at: BTreeMap::new(),
            list_again_at: None,
            watched_until: 0,
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
        // By the former clock as well, since a view was taken by it.
        self.watch(step);
        let signed = |ms: Millis| i64::try_from(ms).unwrap_or(i64::MAX);
        self.clock_offset_ms = signed(clock_ms).saturating_sub(signed(step.now));
        self.watch(step);
        step.gateway_changed();
    }

    /// Shows which open requests have become overdue since the last step, or no longer are since a clock was set.
    fn watch(&mut self, step: &mut Step<'_>) {
        let now = self.gateway_time(step.now);
        let before = std::mem::replace(&mut self.watched_until, now);
        for record in self.book.open() {
            if (record.expires_at_ms <= before) != (record.expires_at_ms <= now) {
                step.card_changed(&record.id);
            }
        }
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
                    if !self.asking(&Asked::Resolve(id.clone())) {
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
            (Some(Asked::List), Ok(payload)) => match payload.get("questions").and_then(Value::as_array) {
                Some(questions) => self.list(questions, step),
                None => self.no_list(step),
            },
            // A gateway that drains refuses the list for a while.
            (Some(Asked::List), Err(error)) if not_now(&error) => {
                self.list_again_at = Some(step.now + LIST_AGAIN_MS.max(backoff::wish(error.retry_after_ms)));
            }
            (Some(Asked::List), Err(_)) => self.no_list(step),
            (Some(Asked::Get(id)), result) => self.looked_up(&id, result, step),
            (Some(Asked::Resolve(id)), result) => self.resolved(&id, result, step),
            (Some(Asked::Request) | None, _) => {}
        }
    }

    /// Everything that is open at the gateway. A record that can't be read is open there all the same.
    fn list(&mut self, questions: &[Value], step: &mut Step<'_>) {
        let open: BTreeSet<_> = questions.iter().filter_map(|question| question.get("id")?.as_str()).collect();
        for record in questions.iter().filter_map(|question| QuestionRecord::deserialize(question).ok()) {
            self.add(record, step);
        }
        self.listed = true;
        let gone = self.book.open().map(|record| &record.id).filter(|id| !open.contains(id.as_str()));
        let gone: BTreeSet<_> = gone.cloned().collect();
        let mine: Vec<_> = self.outbox.keys().filter(|id| !gone.contains(*id)).cloned().collect();
        // The line was cut while the gateway was being asked who it was.
        let nameless = self.book.iter().filter(|(_, outcome)| outcome.is_some_and(|it| may_be_named(it, step.now)));
        let nameless: Vec<_> = nameless.map(|(record, _)| record.id.clone()).collect();
        for id in gone.iter().chain(&nameless) {
            self.look_up(id, step);
        }
        for id in mine {
            self.settle(&id, step);
        }
    }

    /// There is no list to be had here. Whoever waits for an answer to be sent must hear what is wrong.
    fn no_list(&mut self, step: &mut Step<'_>) {
        self.listed = true;
        for id in self.outbox.keys().cloned().collect::<Vec<_>>() {
            self.settle(&id, step);
        }
    }

    fn asking(&self, asked: &Asked) -> bool {
        self.asked.values().any(|other| other == asked)
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
            self.again_at.remove(id);
        }
        step.card_changed(id);
    }

    /// Has the gateway ask a question.
    pub(crate) fn request(&mut self, params: Value, step: &mut Step<'_>) {
        self.call(Asked::Request, method::QUESTION_REQUEST, params, step);
    }

    /// Time passed.
    pub(crate) fn tick(&mut self, step: &mut Step<'_>) {
        if self.list_again_at.is_some_and(|at| at <= step.now) {
            self.list_again_at = None;
            self.call(Asked::List, method::QUESTION_LIST, json!({}), step);
        }
        let due: Vec<_> = self.again_at.iter().filter(|(_, at)| **at <= step.now).map(|(id, _)| id.clone()).collect();
        for id in due {
            self.again_at.remove(&id);
            self.settle(&id, step);
        }
    }

    /// Ends every step: what is overdue is shown so, and asked about.
    pub(crate) fn end_step(&mut self, step: &mut Step<'_>) {
        self.watch(step);
        // This computer's clock may have been set back.
        let latest = step.now + backoff::LONGEST_WISH_MS;
        self.again_at.values_mut().chain(&mut self.list_again_at).for_each(|at| *at = latest.min(*at));
        let overdue = self.book.open().filter(|record| self.overdue(record, step.now)).map(|record| &record.id);
        // The answer to an attempt says how the request stands.
        let asked: BTreeSet<_> = self.asked.values().filter_map(Asked::about).collect();
        let unasked = |id: &&String| !self.again_at.contains_key(*id) && !asked.contains(id.as_str());
        for id in overdue.filter(unasked).cloned().collect::<Vec<_>>() {
            self.look_up(&id, step);
        }
    }

    /// When [`World::tick`] has something to do or [`World::end_step`] something to show, on this computer's clock.
    pub(crate) fn wake_at(&self) -> Option<Millis> {
        let deadlines = self.book.open().map(|record| record.expires_at_ms).filter(|at| *at > self.watched_until);
        let deadlines = deadlines.map(|at| at.saturating_add_signed(self.clock_offset_ms.saturating_neg()));
        deadlines.chain(self.again_at.values().copied()).chain(self.list_again_at).min()
    }

    fn call(&mut self, asked: Asked, method: &'static str, params: Value, step: &mut Step<'_>) {
        let ticket = step.ticket();
        self.asked.insert(ticket, asked);
        step.calls.push(Call { gateway: self.config.id.clone(), ticket, method, params });
    }
}

/// The gateway may still say who ended it.
fn may_be_named(outcome: &Outcome, now: Millis) -> bool {
    outcome.lacks_name() && outcome.at_ms.is_some_and(|at| at.saturating_add(NAMED_FOR_MS) > now)
}

/// Worth asking again later.
fn not_now(error: &ErrorShape) -> bool {
    error.code == code::UNAVAILABLE || error.retryable == Some(true)
}
