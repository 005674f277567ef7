//! Stories: what happens to a question between a gateway, a Mac and a phone.
//!
//! Each device checks after every step that the patches lead to the view, that an answer is a row before it is a call,
//! that nothing that has ended changes, and that a start from the disk shows the same (`support/device.rs`).

#[cfg(test)]
mod support;

#[cfg(test)]
mod answering {
    use beckon_core::view::{CardState, DELEGATION, IntentErrorCode, ResolvedBy, Sent};
    use beckon_protocol::question::Status;

    use crate::support::gateway::{Rules, Truth};
    use crate::support::room::{MAC, PHONE, Room, answers};
    use crate::support::{by, key, you};

    #[test]
    fn an_answer_reaches_the_agent_and_closes_the_card_everywhere() {
        for rules in [Rules::OpenClaw, Rules::BuiltIn] {
            let mut room = Room::with_mac_and_phone(rules);
            room.ask("q");
            room.settle();
            assert_eq!(room.state(MAC, "q"), CardState::Pending);
            room.choose(MAC, "q", 1);
            assert!(room.card(MAC, "q").draft && !room.card(PHONE, "q").draft, "a draft stays on its device");
            room.send(MAC, "q");
            assert_eq!(room.state(MAC, "q"), CardState::Sending { what: Sent::Answer });
            room.settle();
            assert_eq!(room.state(MAC, "q"), CardState::Answered { by: you(MAC), at_ms: Some(room.now) });
            assert_eq!(room.state(PHONE, "q"), CardState::Answered { by: by("Beckon on mac"), at_ms: Some(room.now) });
            assert_eq!(room.shown_answer(PHONE, "q"), ["Production"]);
            assert!(!room.card(MAC, "q").draft, "its draft has done its work");
            let Truth::Ended(record) = room.home().truth("q") else { panic!("ended") };
            assert_eq!((record.status, record.answers), (Status::Answered, Some(answers("Production"))));
        }
    }

    #[test]
    fn a_skip_declines_the_whole_card() {
        let mut room = Room::with_mac_and_phone(Rules::OpenClaw);
        room.ask("q");
        room.settle();
        room.skip(PHONE, "q");
        room.settle();
        assert_eq!(room.state(PHONE, "q"), CardState::Skipped { by: you(PHONE), at_ms: Some(room.now) });
        assert_eq!(room.state(MAC, "q"), CardState::Skipped { by: by("Beckon on phone"), at_ms: Some(room.now) });
        assert!(room.home().accepted[0].cancel);
    }

    #[test]
    fn you_decide_tells_the_agent_so() {
        let mut room = Room::with_mac_and_phone(Rules::OpenClaw);
        room.ask("q");
        room.settle();
        room.delegate(MAC, "q");
        room.settle();
        let you = ResolvedBy::You { device: "Beckon on mac".into(), delegated: true };
        assert_eq!(room.state(MAC, "q"), CardState::Answered { by: you, at_ms: Some(room.now) });
        assert_eq!(room.shown_answer(PHONE, "q"), [DELEGATION]);
    }

    #[test]
    fn nothing_is_sent_before_every_question_has_an_answer() {
        let mut room = Room::with_mac_and_phone(Rules::OpenClaw);
        room.ask("q");
        room.settle();
        let refused = room.intent(MAC, beckon_core::view::Intent::Send { card: key("q") });
        assert_eq!(refused.unwrap_err().code, IntentErrorCode::Incomplete);
        assert_eq!(room.card(MAC, "q").missing, [0]);
        room.write(MAC, "q", "   ");
        assert_eq!(room.card(MAC, "q").missing, [0], "blanks are no answer");
        room.settle();
        assert_eq!(room.home().truth("q"), Truth::Open);
    }

    #[test]
    fn a_card_that_is_on_its_way_or_ended_takes_no_more() {
        let mut room = Room::with_mac_and_phone(Rules::OpenClaw);
        room.ask("q");
        room.settle();
        room.answer(MAC, "q", 0);
        for _ in 0..2 {
            for intent in [
                beckon_core::view::Intent::Send { card: key("q") },
                beckon_core::view::Intent::Skip { card: key("q") },
                beckon_core::view::Intent::Type { card: key("q"), question: 0, text: "late".into() },
            ] {
                assert_eq!(room.intent(MAC, intent).unwrap_err().code, IntentErrorCode::NotOpen);
            }
            room.settle();
        }
        assert_eq!(room.home().accepted.len(), 1);
    }

    #[test]
    fn an_answer_given_offline_waits_for_the_gateway() {
        let mut room = Room::with_mac_and_phone(Rules::OpenClaw);
        room.ask("q");
        room.settle();
        room.cut(PHONE);
        room.answer(PHONE, "q", 0);
        assert_eq!(room.state(PHONE, "q"), CardState::WaitingToSend { what: Sent::Answer });
        room.wait(60_000);
        assert_eq!(room.home().truth("q"), Truth::Open);
        room.connect(PHONE);
        assert_eq!(room.state(PHONE, "q"), CardState::Sending { what: Sent::Answer });
        room.settle();
        assert_eq!(room.state(PHONE, "q"), CardState::Answered { by: you(PHONE), at_ms: Some(room.now) });
    }

    #[test]
    fn the_list_comes_before_the_outbox() {
        let mut room = Room::with_mac_and_phone(Rules::OpenClaw);
        room.ask("q");
        room.settle();
        room.cut(PHONE);
        room.answer(PHONE, "q", 0);
        room.connect(PHONE);
        assert_eq!(room.wire(PHONE).calls.iter().map(|call| call.method).collect::<Vec<_>>(), ["question.list"]);
        room.skip_is_refused_while_sending(PHONE);
        room.carry(PHONE);
        room.hear(PHONE);
        assert_eq!(room.wire(PHONE).calls.iter().map(|call| call.method).collect::<Vec<_>>(), ["question.resolve"]);
    }

    #[test]
    fn two_devices_at_the_same_instant_have_one_winner() {
        for rules in [Rules::OpenClaw, Rules::BuiltIn] {
            let mut room = Room::with_mac_and_phone(rules);
            room.ask("q");
            room.settle();
            room.write(MAC, "q", "ask my colleague");
            room.send(MAC, "q");
            room.answer(PHONE, "q", 1);
            room.carry(PHONE);
            room.carry(MAC);
            room.settle();
            assert_eq!(room.state(PHONE, "q"), CardState::Answered { by: you(PHONE), at_ms: Some(room.now) });
            assert_eq!(room.state(MAC, "q"), CardState::Answered { by: by("Beckon on phone"), at_ms: Some(room.now) });
            assert_eq!(room.shown_answer(MAC, "q"), ["Production"], "the winner's answer");
            let card = room.card(MAC, "q");
            assert_eq!(card.questions[0].other.as_ref().unwrap().text, "ask my colleague", "the loser's draft is kept");
            assert_eq!(room.home().accepted.len(), 1);
        }
    }

    #[test]
    fn two_gateways_with_the_same_question_id_are_two_worlds() {
        let mut room = Room::with_mac_and_phone(Rules::OpenClaw);
        room.gateways.insert(crate::support::room::WORK, crate::support::gateway::Gateway::new(Rules::BuiltIn));
        room.pair(MAC, crate::support::room::WORK);
        room.ask("q");
        room.ask_at(crate::support::room::WORK, "q");
        room.settle();
        room.write(MAC, "work.example/q", "only here");
        room.answer(MAC, "home.example/q", 1);
        room.settle();
        assert_eq!(room.state(MAC, "home.example/q"), CardState::Answered { by: you(MAC), at_ms: Some(room.now) });
        assert_eq!(room.state(MAC, "work.example/q"), CardState::Pending);
        assert!(room.card(MAC, "work.example/q").draft);
        room.restart(MAC);
        assert!(room.card(MAC, "work.example/q").draft);
        assert_eq!(room.gateways[crate::support::room::WORK].truth("q"), Truth::Open);
        let _ = Status::Pending;
    }
}
