//! Answers that arrive, and who is told what.

use beckon_core::view::{CardState, DELEGATION, Intent, IntentErrorCode, ResolvedBy, Sent};
use beckon_protocol::question::{Question, Status};

use crate::support::gateway::{Rules, Truth};
use crate::support::room::{HOME, MAC, PHONE, Room, answers, deploy, elsewhere, key, you};

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
        let at_ms = Some(room.now);
        assert_eq!(room.state(MAC, "q"), CardState::Answered { by: you(MAC), at_ms });
        assert_eq!(room.state(PHONE, "q"), CardState::Answered { by: elsewhere(MAC), at_ms });
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
    let at_ms = Some(room.now);
    assert_eq!(room.state(PHONE, "q"), CardState::Skipped { by: you(PHONE), at_ms });
    assert_eq!(room.state(MAC, "q"), CardState::Skipped { by: elsewhere(PHONE), at_ms });
    assert!(room.home().accepted[0].cancel);
}

#[test]
fn you_decide_tells_the_agent_that_a_person_chose_so() {
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
fn three_questions_go_out_as_one_answer() {
    let mut room = Room::with_mac_and_phone(Rules::OpenClaw);
    let mut record = deploy("q", room.now);
    let question =
        |id: &str, multi_select| Question { question_id: id.into(), multi_select, ..record.questions[0].clone() };
    record.questions = vec![question("where", false), question("also", true), question("why", false)];
    room.home().ask(record);
    room.settle();
    let card = || key("q");
    let tap = |question, option| Intent::Choose { card: card(), question, option, on: true };
    let taps = [tap(1, 1), tap(1, 0), tap(0, 1)];
    for tap in taps {
        room.intent(MAC, tap).unwrap();
    }
    room.intent(MAC, Intent::Type { card: card(), question: 1, text: " and here ".into() }).unwrap();
    assert_eq!(room.card(MAC, "q").missing, [2], "the gap is named");
    assert_eq!(room.intent(MAC, Intent::Send { card: card() }).unwrap_err().code, IntentErrorCode::Incomplete);
    room.delegate(MAC, "q");
    room.settle();
    let sent = &room.home().accepted[0].answers.clone().unwrap().answers;
    assert_eq!(sent["where"], ["Production"]);
    assert_eq!(sent["also"], ["Staging (Recommended)", "Production", "and here"]);
    assert_eq!(sent["why"], [DELEGATION]);
}

#[test]
fn a_secret_can_be_skipped_but_not_typed_here() {
    let mut room = Room::with_mac_and_phone(Rules::OpenClaw);
    let mut record = deploy("q", room.now);
    record.questions[0].is_secret = true;
    record.questions[0].options.clear();
    room.home().ask(record);
    room.settle();
    let card = room.card(MAC, "q");
    assert!(card.questions[0].secret && card.questions[0].other.is_none() && !card.can_delegate);
    let typed = room.intent(MAC, Intent::Type { card: key("q"), question: 0, text: "hunter2".into() });
    assert_eq!(typed.unwrap_err().code, IntentErrorCode::Malformed);
    assert_eq!(room.devices[MAC].store.rows(HOME), Some(1), "the question and no draft");
    room.skip(MAC, "q");
    room.settle();
    assert_eq!(room.state(MAC, "q"), CardState::Skipped { by: you(MAC), at_ms: Some(room.now) });
}

#[test]
fn nothing_is_sent_while_a_question_has_no_answer() {
    let mut room = Room::with_mac_and_phone(Rules::OpenClaw);
    room.ask("q");
    room.settle();
    for text in ["", "  \n "] {
        room.write(MAC, "q", text);
        let refused = room.intent(MAC, Intent::Send { card: key("q") }).unwrap_err();
        assert_eq!(refused.code, IntentErrorCode::Incomplete);
        assert_eq!(room.card(MAC, "q").missing, [0]);
    }
    room.settle();
    assert_eq!(room.home().truth("q"), Truth::Open);
}

#[test]
fn a_card_that_is_on_its_way_or_has_ended_takes_nothing_more() {
    let mut room = Room::with_mac_and_phone(Rules::OpenClaw);
    room.ask("q");
    room.settle();
    room.answer(MAC, "q", 0);
    for _ in 0..2 {
        for intent in [
            Intent::Send { card: key("q") },
            Intent::Delegate { card: key("q") },
            Intent::Skip { card: key("q") },
            Intent::Choose { card: key("q"), question: 0, option: 1, on: true },
            Intent::Type { card: key("q"), question: 0, text: "late".into() },
        ] {
            assert_eq!(room.intent(MAC, intent).unwrap_err().code, IntentErrorCode::NotOpen);
        }
        room.settle();
    }
    assert_eq!(room.home().accepted.len(), 1);
}

#[test]
fn an_answer_given_offline_waits_and_goes_out_with_the_next_connection() {
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
    assert_eq!(room.calls_under_way(PHONE), ["question.list"], "what is open there comes first");
    room.carry(PHONE);
    room.hear(PHONE);
    assert_eq!(room.calls_under_way(PHONE), ["question.resolve"]);
    room.settle();
    assert_eq!(room.state(PHONE, "q"), CardState::Answered { by: you(PHONE), at_ms: Some(room.now) });
    assert_eq!(room.shown_answer(MAC, "q"), ["Staging (Recommended)"]);
}

#[test]
fn two_devices_in_the_same_instant_have_one_winner() {
    for rules in [Rules::OpenClaw, Rules::BuiltIn] {
        let mut room = Room::with_mac_and_phone(rules);
        room.ask("q");
        room.settle();
        room.write(MAC, "q", "ask my colleague");
        room.send(MAC, "q");
        room.answer(PHONE, "q", 1);
        room.carry(PHONE);
        room.settle();
        let at_ms = Some(room.now);
        assert_eq!(room.state(PHONE, "q"), CardState::Answered { by: you(PHONE), at_ms });
        assert_eq!(room.state(MAC, "q"), CardState::Answered { by: elsewhere(PHONE), at_ms });
        assert_eq!(room.shown_answer(MAC, "q"), ["Production"], "the winner's answer");
        assert_eq!(room.typed(MAC, "q"), "ask my colleague", "the loser's draft is kept");
        assert_eq!(room.home().accepted.len(), 1);
    }
}

#[test]
fn the_same_answer_in_the_same_instant_is_only_the_winners() {
    for rules in [Rules::OpenClaw, Rules::BuiltIn] {
        let mut room = Room::with_mac_and_phone(rules);
        room.ask("q");
        room.settle();
        room.answer(MAC, "q", 1);
        room.answer(PHONE, "q", 1);
        room.carry(PHONE);
        room.settle();
        assert_eq!(room.state(MAC, "q"), CardState::Answered { by: elsewhere(PHONE), at_ms: Some(room.now) });
    }
}

#[test]
fn it_makes_no_difference_whether_the_event_or_the_response_comes_first() {
    for event_first in [true, false] {
        let mut room = Room::with_mac_and_phone(Rules::OpenClaw);
        room.home().event_first = event_first;
        room.ask("q");
        room.settle();
        room.answer(MAC, "q", 0);
        room.carry(MAC);
        room.hear_at(MAC, 0);
        let first = room.state(MAC, "q");
        let still_sending = CardState::Sending { what: Sent::Answer };
        let answered = CardState::Answered { by: you(MAC), at_ms: Some(room.now) };
        assert_eq!(
            first,
            if event_first { still_sending } else { answered.clone() },
            "never a stranger's for a moment"
        );
        room.settle();
        assert_eq!(room.state(MAC, "q"), answered);
    }
}

#[test]
fn the_acknowledgement_alone_ends_the_card() {
    let mut room = Room::with_mac_and_phone(Rules::OpenClaw);
    room.ask("q");
    room.settle();
    room.answer(MAC, "q", 0);
    room.carry(MAC);
    room.hear_responses(MAC);
    room.wire(MAC).news.clear();
    assert_eq!(room.state(MAC, "q"), CardState::Answered { by: you(MAC), at_ms: Some(room.now) });
}

#[test]
fn a_second_copy_by_event_and_list_is_one_card_with_its_draft() {
    let mut room = Room::with_mac_and_phone(Rules::OpenClaw);
    room.ask("q");
    room.settle();
    room.write(MAC, "q", "half a sen");
    room.cut(MAC);
    room.connect(MAC);
    room.settle();
    let again = deploy("q", room.now);
    room.home().tell("question.requested", serde_json::json!(again));
    room.settle();
    assert_eq!(room.devices[MAC].view.cards.len(), 1);
    assert_eq!(room.typed(MAC, "q"), "half a sen");
}

#[test]
fn drafts_outlive_everything_but_their_own_delivered_answer() {
    let mut room = Room::with_mac_and_phone(Rules::OpenClaw);
    for id in ["a", "b", "c"] {
        room.ask(id);
    }
    room.settle();
    for id in ["a", "b", "c"] {
        room.write(MAC, id, "draft");
    }
    room.restart(MAC);
    room.connect(MAC);
    room.settle();
    // Answered elsewhere; expired; forgotten.
    room.answer(PHONE, "a", 0);
    room.settle();
    room.wait(900_100);
    room.restart_gateway();
    room.settle();
    room.restart(MAC);
    for id in ["a", "b", "c"] {
        assert_eq!(room.typed(MAC, id), "draft");
        assert!(room.card(MAC, id).draft);
    }
}
