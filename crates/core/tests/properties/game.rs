//! The game: plays moves in a room, and compares what the devices show with what a witness remembers.

use std::collections::{BTreeMap, BTreeSet};

use beckon_core::view::{CardState, CardView, DELEGATION, Intent, IntentErrorCode, ResolvedBy, Sent};
use beckon_core::{Input, LinkEvent};
use beckon_protocol::error::{ErrorShape, reason};
use beckon_protocol::frame::method;
use beckon_protocol::question::{
    Answers, QuestionRecord, RESOLVED_BY_MESSAGE, RESOLVED_BY_RUN_END, ResolveParams, Status,
};

use crate::moves::{DEVICES, Move, QUESTIONS};
use crate::support::gateway::{Rules, Truth};
use crate::support::mirror;
use crate::support::room::{HOME, Room, answers, key};

/// The room, and what a witness remembers of what was done in it.
pub(crate) struct Game {
    pub(crate) room: Room,
    asked: BTreeSet<&'static str>,
    /// What was last sent from a device for a question.
    sent: BTreeMap<(&'static str, &'static str), Option<Answers>>,
    /// What was last typed.
    typed: BTreeMap<(&'static str, &'static str), String>,
    /// Events a device has heard.
    heard: BTreeMap<&'static str, Vec<LinkEvent>>,
    /// Connections on which something was lost.
    doomed: BTreeSet<&'static str>,
    /// Devices that were cut off, killed, refused a lookup or had their clock set: who ended something may have
    /// escaped them.
    interrupted: BTreeSet<&'static str>,
    /// An answer was refused whatever it was: one whose earlier attempt had arrived is given back, and read later as that
    /// of a device with our name.
    refused: bool,
    accepted: usize,
}

impl Game {
    pub(crate) fn new(rules: Rules) -> Self {
        let mut room = Room::with_mac_and_phone(rules);
        // A time at which clocks can be a day wrong.
        room.now = 1_000_000_000;
        room.tell_time();
        room.settle();
        Self {
            room,
            asked: BTreeSet::new(),
            sent: BTreeMap::new(),
            typed: BTreeMap::new(),
            heard: BTreeMap::new(),
            doomed: BTreeSet::new(),
            interrupted: BTreeSet::new(),
            refused: false,
            accepted: 0,
        }
    }

    pub(crate) fn play(&mut self, what: Move) {
        let now = self.room.now;
        match what {
            Move::Ask(question) => {
                if self.asked.insert(question) {
                    self.room.ask(question);
                }
            }
            Move::Choose(device, question, option) => {
                let intent = Intent::Choose { card: key(question), question: 0, option, on: true };
                self.edit(device, question, intent);
            }
            Move::Write(device, question, text) => {
                let intent = Intent::Type { card: key(question), question: 0, text: text.clone() };
                if self.edit(device, question, intent) {
                    self.typed.insert((device, question), text);
                }
            }
            Move::Send(device, question, sent) => self.send(device, question, sent),
            Move::Answer(device, question, option) => {
                self.play(Move::Choose(device, question, option));
                self.send(device, question, Sent::Answer);
            }
            Move::AnswerElsewhere(question) => {
                if self.room.home().truth(question) == Truth::Open {
                    self.room.home().answer_as("desk", question, answers("Production"), now);
                }
            }
            Move::AnswerByMessage(question) => {
                self.room.home().answer_as(RESOLVED_BY_MESSAGE, question, answers("by hand"), now);
            }
            Move::StopRun(question) => self.room.home().stop_run(question, now),
            Move::Carry(device) => drop(self.room.carry_one(device)),
            Move::Hear(device, at) => self.hear(device, at, false),
            Move::HearTwice(device, at) => self.hear(device, at, true),
            Move::Replay(device, at) => {
                let heard = self.heard.get(device).filter(|heard| !heard.is_empty());
                if let Some(event) = heard.map(|heard| heard[at % heard.len()].clone()) {
                    self.room.report(device, event);
                }
            }
            Move::Lose(device, at) => {
                let news = &mut self.room.wire(device).news;
                if !news.is_empty() {
                    let at = at % news.len();
                    news.remove(at);
                    self.doomed.insert(device);
                }
            }
            Move::LoseCall(device) => {
                if self.room.wire(device).calls.pop_front().is_some() {
                    self.doomed.insert(device);
                }
            }
            Move::Cut(device) => self.cut(device),
            Move::Connect(device) => self.connect(device),
            Move::Kill(device) => {
                self.interrupted.insert(device);
                self.room.restart(device);
            }
            Move::RestartGateway => {
                for device in DEVICES {
                    self.cut(device);
                }
                self.room.home().restart();
            }
            Move::Drain(draining) => self.room.home().draining = draining,
            Move::Busy => self.room.home().refuse(method::QUESTION_RESOLVE, ErrorShape::unavailable("busy")),
            Move::FailLookup(later) => {
                self.interrupted.extend(DEVICES);
                let error = if later { ErrorShape::unavailable("busy") } else { ErrorShape::new("INTERNAL", "oops") };
                self.room.home().refuse(method::QUESTION_GET, error);
            }
            Move::RefuseAnswer => {
                self.refused = true;
                let error = ErrorShape::question(reason::INVALID_ANSWER, "not that");
                self.room.home().refuse(method::QUESTION_RESOLVE, error);
            }
            Move::TellTime => self.room.tell_time(),
            Move::SetClock(device, skew_ms) => {
                self.interrupted.insert(device);
                self.room.device(device).skew_ms = skew_ms;
                // Whatever comes next; the time of the last step is no longer the past.
                self.room.device(device).apply(Input::Tick, now).unwrap();
            }
            Move::Wait(ms) => self.room.wait_unheard(ms),
            Move::Settle => self.room.settle(),
        }
        self.room.publish();
        self.check_step();
    }

    fn shown(&self, device: &str, question: &str) -> Option<CardView> {
        self.room.devices[device].view.cards.iter().find(|card| card.key == key(question)).cloned()
    }

    /// What an intent on a card should be told, but for what it says itself.
    fn refusal(&self, device: &str, question: &str) -> Option<IntentErrorCode> {
        match self.shown(device, question).map(|card| card.state) {
            None => Some(IntentErrorCode::NotFound),
            Some(CardState::Pending | CardState::Checking) => None,
            Some(_) => Some(IntentErrorCode::NotOpen),
        }
    }

    fn edit(&mut self, device: &str, question: &str, intent: Intent) -> bool {
        let refusal = self.refusal(device, question);
        assert_eq!(self.room.intent(device, intent).err().map(|error| error.code), refusal);
        refusal.is_none()
    }

    fn send(&mut self, device: &'static str, question: &'static str, sent: Sent) {
        // Nobody taps twice in the same instant.
        self.room.wait_unheard(1);
        let card = key(question);
        let missing = self.shown(device, question).is_some_and(|card| !card.missing.is_empty());
        let refusal = self
            .refusal(device, question)
            .or_else(|| (sent == Sent::Answer && missing).then_some(IntentErrorCode::Incomplete));
        let draft = self.shown(device, question).map(|card| drafted(&card));
        let (intent, meant) = match sent {
            Sent::Answer => (Intent::Send { card }, draft.flatten().map(|value| answers(&value))),
            Sent::Delegation => {
                let value = draft.flatten().unwrap_or_else(|| DELEGATION.to_owned());
                (Intent::Delegate { card }, Some(answers(&value)))
            }
            Sent::Skip => (Intent::Skip { card }, None),
        };
        assert_eq!(self.room.intent(device, intent).err().map(|error| error.code), refusal);
        if refusal.is_none() {
            self.sent.insert((device, question), meant);
        }
    }

    fn hear(&mut self, device: &'static str, at: usize, again: bool) {
        let news = &mut self.room.wire(device).news;
        if news.is_empty() {
            return;
        }
        let at = at % news.len();
        let event = news[at].clone();
        let is_event = matches!(event, LinkEvent::Event(_));
        if is_event {
            self.heard.entry(device).or_default().push(event.clone());
        }
        if !(again && is_event) {
            self.room.wire(device).news.remove(at);
        }
        self.room.report(device, event);
    }

    fn cut(&mut self, device: &'static str) {
        self.doomed.remove(device);
        self.interrupted.insert(device);
        self.room.cut(device);
    }

    fn connect(&mut self, device: &'static str) {
        if !self.room.online(device) {
            self.room.connect(device);
        }
    }

    /// What holds at any moment.
    fn check_step(&mut self) {
        for accepted in self.room.home().accepted.clone().split_off(self.accepted) {
            self.accepted += 1;
            self.check_accepted(&accepted);
        }
        for ((device, question), text) in &self.typed {
            let card = self.shown(device, question).expect("a card that was typed into");
            if by_you(&card.state).is_none() {
                let kept = card.questions[0].other.as_ref().map(|other| &other.text);
                assert_eq!(kept, Some(text), "typed on {device} for {question} and lost");
            }
        }
    }

    /// The gateway takes what the person last sent there, and only once.
    fn check_accepted(&mut self, accepted: &ResolveParams) {
        let name = accepted.resolved_by.clone().unwrap();
        let device = DEVICES.into_iter().find(|device| self.room.devices[device].this.name == name).unwrap();
        let question = QUESTIONS.into_iter().find(|question| *question == accepted.id).unwrap();
        assert_eq!(self.sent.get(&(device, question)), Some(&accepted.answers), "not what was sent");
        let times = self.room.home().accepted.iter().filter(|other| other.id == accepted.id).count();
        assert_eq!(times, 1, "two answers to one question");
    }

    /// Lines up, gateway well, clocks told, everything delivered.
    pub(crate) fn heal(&mut self) {
        self.room.home().relent();
        for device in DEVICES {
            if self.doomed.contains(device) {
                self.cut(device);
            }
            self.connect(device);
        }
        self.room.tell_time();
        self.room.settle();
        // Longer than any wait for another try.
        self.room.wait(70_000);
        self.check_step();
    }

    /// What holds once everything has been delivered.
    pub(crate) fn check_healed(&mut self) {
        for device in DEVICES {
            for question in QUESTIONS {
                let truth = self.room.home().truth(question);
                let Some(card) = self.shown(device, question) else {
                    assert_ne!(truth, Truth::Open, "{device} doesn't show {question}");
                    continue;
                };
                let kept = self.room.devices[device].store.outbox_item(HOME, question);
                assert_eq!(kept, None, "{device} still has {question} to send");
                match truth {
                    Truth::Open => self.check_open(device, question, &card),
                    Truth::Forgotten => {
                        assert!(matches!(card.state, CardState::Unknown { .. }), "{device} {card:?}");
                    }
                    Truth::Ended(record) => self.check_ended(device, &card, &record, false),
                    Truth::EndedAndForgotten(record) => self.check_ended(device, &card, &record, true),
                }
            }
        }
    }

    /// Whatever was sent for it was given back with the reason.
    fn check_open(&self, device: &'static str, question: &'static str, card: &CardView) {
        assert!(matches!(card.state, CardState::Pending | CardState::Checking), "{device} {card:?}");
        assert_eq!(card.problem.is_some(), self.sent.contains_key(&(device, question)), "{device} {card:?}");
    }

    fn check_ended(&self, device: &'static str, card: &CardView, record: &QuestionRecord, forgotten: bool) {
        if forgotten && matches!(card.state, CardState::Unknown { .. }) {
            return;
        }
        assert!(mirror::is_final(&card.state), "{device} {card:?}");
        let us = &self.room.devices[device].this.name;
        if let Some(named) = by_you(&card.state) {
            assert_eq!((named, record.resolved_by.as_ref()), (us, Some(us)), "{device} claims another's answer");
        }
        let answer = record.answers.as_ref().map(|answers| answers.answers["deploy"].clone());
        let name_may_be_missing = forgotten || self.interrupted.contains(device);
        let by_right = |by: &ResolvedBy| match by {
            ResolvedBy::You { .. } => record.resolved_by.as_ref() == Some(us),
            ResolvedBy::Message => record.resolved_by.as_deref() == Some(RESOLVED_BY_MESSAGE),
            ResolvedBy::Elsewhere { name: Some(name) } => {
                record.resolved_by.as_ref() == Some(name) && (name != us || self.refused)
            }
            ResolvedBy::Elsewhere { name: None } => record.resolved_by.is_none() || name_may_be_missing,
        };
        let right = match (&card.state, record.status) {
            (CardState::Answered { by, .. }, Status::Answered) => by_right(by) && card.questions[0].answer == answer,
            (CardState::Skipped { by, .. }, Status::Cancelled) => by_right(by),
            (CardState::Stopped { .. }, Status::Cancelled) => {
                record.resolved_by.as_deref() == Some(RESOLVED_BY_RUN_END)
            }
            (CardState::Expired { .. }, Status::Expired) => true,
            _ => false,
        };
        assert!(right, "{device} shows {card:?}, the gateway has {record:?}");
    }
}

/// The answer a card's draft amounts to.
fn drafted(card: &CardView) -> Option<String> {
    let question = &card.questions[0];
    let option = question.options.iter().find(|option| option.chosen).map(|option| option.value.clone());
    let text = question.other.as_ref().filter(|other| other.chosen).map(|other| other.text.trim().to_owned());
    option.or(text).filter(|value| !value.is_empty())
}

fn by_you(state: &CardState) -> Option<&String> {
    match state {
        CardState::Answered { by: ResolvedBy::You { device, .. }, .. }
        | CardState::Skipped { by: ResolvedBy::You { device, .. }, .. } => Some(device),
        _ => None,
    }
}
