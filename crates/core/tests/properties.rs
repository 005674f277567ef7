//! Properties: whatever happens between a gateway, a Mac and a phone, in whatever order, the promises hold.
//!
//! [`Game`] plays random moves and keeps its own simple record of what people did and what the gateway accepted; that
//! record and the model gateway are what the devices are compared with. More cases: `PROPTEST_CASES=10000`.

#[cfg(test)]
mod support;

#[cfg(test)]
mod game {
    use std::collections::{BTreeMap, BTreeSet};

    use beckon_core::view::{CardState, CardView, DELEGATION, Intent, IntentErrorCode, ResolvedBy, Sent};
    use beckon_core::{Input, LinkEvent};
    use beckon_protocol::error::{ErrorShape, reason};
    use beckon_protocol::frame::method;
    use beckon_protocol::question::{
        Answers, QuestionRecord, RESOLVED_BY_MESSAGE, RESOLVED_BY_RUN_END, ResolveParams, Status,
    };
    use proptest::prelude::*;
    use proptest::test_runner::FileFailurePersistence;

    use crate::support::gateway::{Rules, Truth};
    use crate::support::mirror;
    use crate::support::room::{HOME, MAC, MINUTES_15, PHONE, Room, answers, key};

    const QUESTIONS: [&str; 3] = ["a", "b", "c"];
    const DEVICES: [&str; 2] = [MAC, PHONE];
    const LABELS: [&str; 2] = ["Staging (Recommended)", "Production"];

    /// One thing that happens. Numbers are taken modulo what there is.
    #[derive(Debug, Clone)]
    enum Move {
        Ask(&'static str),
        Choose(&'static str, &'static str, u32),
        Write(&'static str, &'static str, String),
        Send(&'static str, &'static str, Sent),
        /// Chooses and sends.
        Answer(&'static str, &'static str, u32),
        /// Somebody at a program that isn't Beckon.
        AnswerElsewhere(&'static str),
        AnswerByMessage(&'static str),
        StopRun(&'static str),
        /// A device's next call reaches the gateway.
        Carry(&'static str),
        /// A device hears one of the things on its wire, not always the oldest.
        Hear(&'static str, usize),
        /// A device hears an event that stays on the wire.
        HearTwice(&'static str, usize),
        /// A device hears an event again that it heard long ago.
        Replay(&'static str, usize),
        /// Something on the wire gets lost: the connection will break.
        Lose(&'static str, usize),
        LoseCall(&'static str),
        Cut(&'static str),
        Connect(&'static str),
        Kill(&'static str),
        RestartGateway,
        Drain(bool),
        Busy,
        FailLookup(bool),
        RefuseAnswer,
        TellTime,
        SetClock(&'static str, i64),
        Wait(u64),
        Settle,
    }

    fn device() -> impl Strategy<Value = &'static str> {
        prop::sample::select(&DEVICES[..])
    }

    fn question() -> impl Strategy<Value = &'static str> {
        prop::sample::select(&QUESTIONS[..])
    }

    fn moves() -> impl Strategy<Value = Move> {
        prop_oneof![
            1 => question().prop_map(Move::Ask),
            6 => (device(), question(), 0u32..2).prop_map(|(d, q, option)| Move::Answer(d, q, option)),
            2 => (device(), question(), 0u32..2).prop_map(|(d, q, option)| Move::Choose(d, q, option)),
            3 => (device(), question(), "[ xyz]{0,3}").prop_map(|(d, q, text)| Move::Write(d, q, text)),
            6 => (device(), question(), prop::sample::select(vec![Sent::Answer, Sent::Answer, Sent::Delegation, Sent::Skip]))
                .prop_map(|(d, q, sent)| Move::Send(d, q, sent)),
            1 => question().prop_map(Move::AnswerElsewhere),
            1 => question().prop_map(Move::AnswerByMessage),
            1 => question().prop_map(Move::StopRun),
            10 => device().prop_map(Move::Carry),
            12 => (device(), 0usize..4).prop_map(|(d, at)| Move::Hear(d, at)),
            2 => (device(), any::<usize>()).prop_map(|(d, at)| Move::HearTwice(d, at)),
            2 => (device(), any::<usize>()).prop_map(|(d, at)| Move::Replay(d, at)),
            2 => (device(), any::<usize>()).prop_map(|(d, at)| Move::Lose(d, at)),
            1 => device().prop_map(Move::LoseCall),
            3 => device().prop_map(Move::Cut),
            5 => device().prop_map(Move::Connect),
            2 => device().prop_map(Move::Kill),
            1 => Just(Move::RestartGateway),
            1 => any::<bool>().prop_map(Move::Drain),
            2 => Just(Move::Busy),
            1 => any::<bool>().prop_map(Move::FailLookup),
            1 => Just(Move::RefuseAnswer),
            1 => Just(Move::TellTime),
            1 => (device(), prop::sample::select(vec![-86_400_000i64, -3_000, 0, 3_000, 86_400_000]))
                .prop_map(|(d, skew)| Move::SetClock(d, skew)),
            4 => prop::sample::select(vec![1u64, 1_000, 5_000, 20_000, 400_000, MINUTES_15]).prop_map(Move::Wait),
            3 => Just(Move::Settle),
        ]
    }

    /// The room, and what a witness remembers of what was done in it.
    struct Game {
        room: Room,
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
        accepted: usize,
    }

    impl Game {
        fn new(rules: Rules) -> Self {
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
                accepted: 0,
            }
        }

        fn play(&mut self, what: Move) {
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
                        self.room.home().answer_as("desk", question, answers(LABELS[1]), now);
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
                    let error =
                        if later { ErrorShape::unavailable("busy") } else { ErrorShape::new("INTERNAL", "oops") };
                    self.room.home().refuse(method::QUESTION_GET, error);
                }
                Move::RefuseAnswer => {
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
        fn heal(&mut self) {
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
        fn check_healed(&mut self) {
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
                ResolvedBy::Elsewhere { name: Some(name) } => name != us && record.resolved_by.as_ref() == Some(name),
                ResolvedBy::Elsewhere { name: None } => record.resolved_by.is_none() || name_may_be_missing,
            };
            let right = match (&card.state, record.status) {
                (CardState::Answered { by, .. }, Status::Answered) => {
                    by_right(by) && card.questions[0].answer == answer
                }
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

    fn rules() -> impl Strategy<Value = Rules> {
        prop::sample::select(vec![Rules::OpenClaw, Rules::BuiltIn])
    }

    /// That many times the usual number of cases; failures are kept beside this file.
    fn config(times: u32) -> ProptestConfig {
        let persistence = FileFailurePersistence::WithSource("regressions");
        let usual = ProptestConfig::default();
        ProptestConfig { failure_persistence: Some(Box::new(persistence)), cases: times * usual.cases, ..usual }
    }

    /// What may happen to one question around its deadline. Two devices want to answer it, each in its way.
    fn race() -> impl Strategy<Value = Vec<Move>> {
        let must = [
            Move::Send(MAC, "a", Sent::Answer),
            Move::Send(PHONE, "a", Sent::Answer),
            Move::Carry(MAC),
            Move::Carry(PHONE),
        ];
        let may = prop_oneof![
            4 => device().prop_map(Move::Carry),
            4 => (device(), 0usize..3).prop_map(|(d, at)| Move::Hear(d, at)),
            2 => prop::sample::select(vec![1u64, 37, 38]).prop_map(Move::Wait),
            1 => device().prop_map(Move::Cut),
            1 => device().prop_map(Move::Connect),
            1 => device().prop_map(Move::Kill),
            1 => Just(Move::StopRun("a")),
            1 => Just(Move::AnswerByMessage("a")),
        ];
        prop::collection::vec(may, 0..12).prop_flat_map(move |may| {
            let moves: Vec<_> = must.iter().cloned().chain(may).collect();
            Just(moves).prop_shuffle()
        })
    }

    proptest! {
        #![proptest_config(config(4))]

        /// In the same millisecond, around the deadline, with lines that break: one outcome, the same for everyone.
        #[test]
        fn a_race_has_one_winner(
            rules in rules(),
            event_first: bool,
            same: bool,
            before_deadline in 0u64..3,
            moves in race(),
        ) {
            let mut game = Game::new(rules);
            game.room.home().event_first = event_first;
            game.play(Move::Ask("a"));
            game.play(Move::Settle);
            game.play(Move::Choose(MAC, "a", 0));
            game.play(Move::Choose(PHONE, "a", u32::from(!same)));
            game.room.wait(MINUTES_15 - before_deadline);
            for what in moves {
                game.play(what);
            }
            game.heal();
            game.check_healed();
            prop_assert_ne!(game.room.home().truth("a"), Truth::Open);
        }
    }

    proptest! {
        #![proptest_config(config(2))]

        #[test]
        fn every_device_ends_up_with_the_gateways_truth(
            rules in rules(),
            event_first: bool,
            moves in prop::collection::vec(moves(), 1..80),
        ) {
            let mut game = Game::new(rules);
            game.room.home().event_first = event_first;
            game.play(Move::Ask("a"));
            game.play(Move::Ask("b"));
            game.play(Move::Settle);
            for what in moves {
                game.play(what);
            }
            game.heal();
            game.check_healed();
        }
    }
}
