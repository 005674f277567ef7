//! Gateways, devices and the time they share. Nothing travels by itself: a test says what arrives, and when.

use std::collections::BTreeMap;

use beckon_core::view::{CardState, CardView, Intent, IntentError, LinkProblem, ResolvedBy};
use beckon_core::{Input, LinkEvent};
use beckon_protocol::Millis;
use beckon_protocol::frame::event;
use beckon_protocol::question::{Answers, Question, QuestionOption, QuestionRecord, Status};
use serde_json::json;

use super::device::{Device, Wire};
use super::gateway::{Gateway, Rules};

pub(crate) const HOME: &str = "home.example";
pub(crate) const WORK: &str = "work.example";
pub(crate) const MAC: &str = "mac";
pub(crate) const PHONE: &str = "phone";

/// Everything there is.
pub(crate) struct Room {
    pub(crate) now: Millis,
    pub(crate) gateways: BTreeMap<&'static str, Gateway>,
    pub(crate) devices: BTreeMap<&'static str, Device>,
}

impl Room {
    /// One gateway, `HOME`, and nobody connected.
    pub(crate) fn new(rules: Rules) -> Self {
        Self { now: 1_000_000, gateways: [(HOME, Gateway::new(rules))].into(), devices: BTreeMap::new() }
    }

    /// One gateway with a Mac and a phone connected to it.
    pub(crate) fn with_mac_and_phone(rules: Rules) -> Self {
        let mut room = Self::new(rules);
        room.pair(MAC, HOME);
        room.pair(PHONE, HOME);
        room
    }

    /// A device that was never started.
    pub(crate) fn unpack(&mut self, device: &'static str) {
        self.devices.insert(device, Device::new(device, None));
    }

    /// Adds a gateway to a device, new or not, and connects it.
    pub(crate) fn pair(&mut self, device: &'static str, gateway: &str) {
        if !self.devices.contains_key(device) {
            self.unpack(device);
        }
        let add = Intent::AddGateway { address: format!("wss://{gateway}"), token: "token".into() };
        self.intent(device, add).unwrap();
        self.connect_to(device, gateway);
        self.settle();
    }

    pub(crate) fn home(&mut self) -> &mut Gateway {
        self.gateways.get_mut(HOME).unwrap()
    }

    pub(crate) fn device(&mut self, device: &str) -> &mut Device {
        self.devices.get_mut(device).unwrap()
    }

    // Agents

    /// An agent asks the usual question at `HOME`.
    pub(crate) fn ask(&mut self, id: &str) {
        self.ask_at(HOME, id);
    }

    pub(crate) fn ask_at(&mut self, gateway: &str, id: &str) {
        let now = self.now;
        let gateway = self.gateways.get_mut(gateway).unwrap();
        gateway.ask(deploy(id, gateway.clock(now)));
        self.publish();
    }

    /// Somebody at another program answers.
    pub(crate) fn answer_elsewhere(&mut self, id: &str) {
        let now = self.now;
        self.home().answer_as("Beckon on desk", id, answers("Production"), now);
        self.publish();
    }

    // People

    pub(crate) fn intent(&mut self, device: &str, intent: Intent) -> Result<(), IntentError> {
        let now = self.now;
        self.device(device).apply(Input::Intent(intent), now)
    }

    /// Taps an option of the first question.
    pub(crate) fn choose(&mut self, device: &str, card: &str, option: u32) {
        self.intent(device, Intent::Choose { card: key(card), question: 0, option, on: true }).unwrap();
    }

    /// Types into the first question.
    pub(crate) fn write(&mut self, device: &str, card: &str, text: &str) {
        self.intent(device, Intent::Type { card: key(card), question: 0, text: text.to_owned() }).unwrap();
    }

    pub(crate) fn send(&mut self, device: &str, card: &str) {
        self.intent(device, Intent::Send { card: key(card) }).unwrap();
    }

    pub(crate) fn skip(&mut self, device: &str, card: &str) {
        self.intent(device, Intent::Skip { card: key(card) }).unwrap();
    }

    pub(crate) fn delegate(&mut self, device: &str, card: &str) {
        self.intent(device, Intent::Delegate { card: key(card) }).unwrap();
    }

    /// Chooses and sends.
    pub(crate) fn answer(&mut self, device: &str, card: &str, option: u32) {
        self.choose(device, card, option);
        self.send(device, card);
    }

    // What is on the screen

    pub(crate) fn card(&self, device: &str, card: &str) -> CardView {
        let found = self.devices[device].view.cards.iter().find(|shown| shown.key == key(card));
        found.unwrap_or_else(|| panic!("{device} has no card {card}")).clone()
    }

    pub(crate) fn has_card(&self, device: &str, card: &str) -> bool {
        self.devices[device].view.cards.iter().any(|shown| shown.key == key(card))
    }

    pub(crate) fn state(&self, device: &str, card: &str) -> CardState {
        self.card(device, card).state
    }

    /// The answer a card shows for its first question.
    pub(crate) fn shown_answer(&self, device: &str, card: &str) -> Vec<String> {
        self.card(device, card).questions[0].answer.clone().unwrap_or_default()
    }

    /// What is typed in a card's first question.
    pub(crate) fn typed(&self, device: &str, card: &str) -> String {
        self.card(device, card).questions[0].other.clone().unwrap_or_default().text
    }

    // Wires

    pub(crate) fn wire(&mut self, device: &str) -> &mut Wire {
        self.device(device).wires.get_mut(HOME).unwrap()
    }

    pub(crate) fn online(&self, device: &str) -> bool {
        self.devices[device].wires.get(HOME).is_some_and(|wire| wire.online)
    }

    /// Methods of the calls that haven't reached `HOME` yet.
    pub(crate) fn calls_under_way(&mut self, device: &str) -> Vec<&'static str> {
        self.wire(device).calls.iter().map(|call| call.method).collect()
    }

    pub(crate) fn connect(&mut self, device: &str) {
        self.connect_to(device, HOME);
    }

    pub(crate) fn connect_to(&mut self, device: &str, gateway: &str) {
        let now = self.now;
        let model = &self.gateways[gateway];
        let online = LinkEvent::Online { scopes: model.scopes.clone(), clock_ms: model.clock(now) };
        let device = self.device(device);
        *device.wires.get_mut(gateway).unwrap() = Wire { online: true, ..Wire::default() };
        device.apply(Input::Link { gateway: gateway.to_owned(), event: online }, now).unwrap();
    }

    /// The connection breaks; what was on its way is lost.
    pub(crate) fn cut(&mut self, device: &str) {
        *self.wire(device) = Wire::default();
        let lost =
            LinkEvent::Retrying { at_ms: self.now + 1_000, why: LinkProblem::Lost, detail: "the line is cut".into() };
        self.report(device, lost);
    }

    /// The link of a device says something.
    pub(crate) fn report(&mut self, device: &str, event: LinkEvent) {
        let now = self.now;
        self.device(device).apply(Input::Link { gateway: HOME.to_owned(), event }, now).unwrap();
    }

    /// The program dies, and starts again.
    pub(crate) fn restart(&mut self, device: &str) {
        let now = self.now;
        self.device(device).restart(now);
    }

    /// `HOME` dies, and starts again.
    pub(crate) fn restart_gateway(&mut self) {
        let names: Vec<_> = self.devices.keys().copied().filter(|device| self.online(device)).collect();
        for device in &names {
            self.cut(device);
        }
        self.home().restart();
        for device in names {
            self.connect(device);
        }
    }

    /// What gateways have to tell goes onto the wires.
    pub(crate) fn publish(&mut self) {
        for (name, gateway) in &mut self.gateways {
            for event in std::mem::take(&mut gateway.news) {
                let wires = self.devices.values_mut().filter_map(|device| device.wires.get_mut(*name));
                wires.filter(|wire| wire.online).for_each(|wire| wire.news.push_back(LinkEvent::Event(event.clone())));
            }
        }
    }

    /// The next call of a device reaches `HOME`, and its response is on the wire. False when there is none.
    pub(crate) fn carry_one(&mut self, device: &str) -> bool {
        self.carry_one_to(device, HOME)
    }

    fn carry_one_to(&mut self, device: &str, gateway: &str) -> bool {
        let now = self.now;
        let Some(wire) = self.device(device).wires.get_mut(gateway) else { return false };
        let Some(call) = wire.calls.pop_front() else { return false };
        let model = self.gateways.get_mut(gateway).unwrap();
        let result = model.call(call.method, call.params, now);
        let event_first = model.event_first;
        if event_first {
            self.publish();
        }
        if let Some(wire) = self.device(device).wires.get_mut(gateway) {
            wire.news.push_back(LinkEvent::Response { ticket: call.ticket, result });
        }
        self.publish();
        true
    }

    /// All calls of a device reach `HOME`.
    pub(crate) fn carry(&mut self, device: &str) {
        while self.carry_one(device) {}
    }

    /// A device hears what is at `at` on its wire. False when there is nothing.
    pub(crate) fn hear_at(&mut self, device: &str, at: usize) -> bool {
        let Some(event) = self.wire(device).news.remove(at) else { return false };
        self.report(device, event);
        true
    }

    /// A device hears everything that is on its wire.
    pub(crate) fn hear(&mut self, device: &str) {
        while self.hear_at(device, 0) {}
    }

    /// A device hears the events on its wire, not the responses.
    pub(crate) fn hear_events(&mut self, device: &str) {
        self.hear_only(device, |event| matches!(event, LinkEvent::Event(_)));
    }

    /// A device hears the responses on its wire, not the events.
    pub(crate) fn hear_responses(&mut self, device: &str) {
        self.hear_only(device, |event| matches!(event, LinkEvent::Response { .. }));
    }

    fn hear_only(&mut self, device: &str, wanted: impl Fn(&LinkEvent) -> bool) {
        while let Some(at) = self.wire(device).news.iter().position(&wanted) {
            self.hear_at(device, at);
        }
    }

    /// Everything arrives, and what follows from it, until nothing is on its way.
    pub(crate) fn settle(&mut self) {
        self.publish();
        // Far more than any exchange needs.
        for _ in 0..10_000 {
            if !self.settle_once() {
                return;
            }
        }
        panic!("it never comes to rest");
    }

    fn settle_once(&mut self) -> bool {
        let now = self.now;
        let mut moved = false;
        let of = |(name, device): (&&'static str, &Device)| {
            let name = *name;
            device.wires.keys().map(|gateway| (name, gateway.clone())).collect::<Vec<_>>()
        };
        let wires: Vec<_> = self.devices.iter().flat_map(of).collect();
        for (device, gateway) in wires {
            moved |= self.carry_one_to(device, &gateway);
            let next = self.device(device).wires.get_mut(&gateway).and_then(|wire| wire.news.pop_front());
            if let Some(event) = next {
                self.device(device).apply(Input::Link { gateway, event }, now).unwrap();
                moved = true;
            }
        }
        moved
    }

    // Time

    /// Time passes while everything arrives.
    pub(crate) fn wait(&mut self, ms: Millis) {
        self.pass(ms, true);
    }

    /// Time passes while nothing arrives.
    pub(crate) fn wait_unheard(&mut self, ms: Millis) {
        self.pass(ms, false);
    }

    fn pass(&mut self, ms: Millis, flowing: bool) {
        let until = self.now + ms;
        loop {
            if flowing {
                self.settle();
            }
            let wakes = self.devices.values().filter_map(Device::wake_at);
            let next = wakes.chain(self.gateways.values().filter_map(Gateway::next_expiry)).min();
            self.now = next.map_or(until, |at| at.clamp(self.now, until));
            let now = self.now;
            self.gateways.values_mut().for_each(|gateway| gateway.expire(now));
            self.publish();
            for device in self.devices.values_mut().filter(|device| device.wake_at().is_some_and(|at| at <= now)) {
                device.apply(Input::Tick, now).unwrap();
            }
            if now == until {
                break;
            }
        }
        if flowing {
            self.settle();
        }
    }

    /// `HOME` says what time it is.
    pub(crate) fn tell_time(&mut self) {
        let now = self.now;
        let home = self.home();
        let ts = home.clock(now);
        home.tell(event::TICK, json!({ "ts": ts }));
        self.publish();
    }
}

/// Cards are at `HOME` unless their whole key is given.
pub(crate) fn key(card: &str) -> String {
    if card.contains('/') { card.to_owned() } else { format!("{HOME}/{card}") }
}

/// The usual question, asked by a run in a chat: two options, or one's own words; a quarter of an hour.
pub(crate) fn deploy(id: &str, now: Millis) -> QuestionRecord {
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
        created_at_ms: now,
        expires_at_ms: now + MINUTES_15,
        status: Status::Pending,
        answers: None,
        resolved_by: None,
    }
}

pub(crate) const MINUTES_15: Millis = 900_000;

/// An answer to it.
pub(crate) fn answers(value: &str) -> Answers {
    Answers { answers: [("deploy".to_owned(), vec![value.to_owned()])].into() }
}

/// This person, on that device.
pub(crate) fn you(device: &str) -> ResolvedBy {
    ResolvedBy::You { device: format!("Beckon on {device}"), delegated: false }
}

/// Somebody on that other device.
pub(crate) fn elsewhere(device: &str) -> ResolvedBy {
    ResolvedBy::Elsewhere { name: Some(format!("Beckon on {device}")) }
}

/// Somebody, and nobody said who.
pub(crate) const SOMEBODY: ResolvedBy = ResolvedBy::Elsewhere { name: None };
