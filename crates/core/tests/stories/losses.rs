//! Links that break, programs that die, words that are lost on the way.

use beckon_core::view::{CardState, Sent};

use crate::support::gateway::{RETENTION_MS, Rules, Truth};
use crate::support::room::{MAC, MINUTES_15, PHONE, Room, SOMEBODY, elsewhere, you};

#[test]
fn a_kill_right_after_the_tap_loses_nothing() {
    for rules in [Rules::OpenClaw, Rules::BuiltIn] {
        let mut room = Room::with_mac_and_phone(rules);
        room.ask("q");
        room.settle();
        room.answer(PHONE, "q", 1);
        room.restart(PHONE);
        assert_eq!(room.state(PHONE, "q"), CardState::WaitingToSend { what: Sent::Answer }, "never blank");
        room.connect(PHONE);
        room.settle();
        assert_eq!(room.state(PHONE, "q"), CardState::Answered { by: you(PHONE), at_ms: Some(room.now) });
        assert_eq!(room.home().accepted.len(), 1);
    }
}

#[test]
fn a_kill_before_the_acknowledgement_is_read_back() {
    for rules in [Rules::OpenClaw, Rules::BuiltIn] {
        let mut room = Room::with_mac_and_phone(rules);
        room.ask("q");
        room.settle();
        room.answer(PHONE, "q", 1);
        room.carry(PHONE);
        room.restart(PHONE);
        room.connect(PHONE);
        room.settle();
        assert_eq!(room.state(PHONE, "q"), CardState::Answered { by: you(PHONE), at_ms: None });
        assert!(!room.card(PHONE, "q").draft);
        assert_eq!(room.home().accepted.len(), 1);
    }
}

#[test]
fn a_lost_acknowledgement_is_read_back_as_ours() {
    for (rules, away) in [(Rules::OpenClaw, RETENTION_MS - 1_000), (Rules::BuiltIn, 7_200_000)] {
        let mut room = Room::with_mac_and_phone(rules);
        room.ask("q");
        room.settle();
        room.answer(PHONE, "q", 1);
        room.carry(PHONE);
        room.cut(PHONE);
        room.wait(away);
        assert_eq!(room.state(PHONE, "q"), CardState::WaitingToSend { what: Sent::Answer });
        room.connect(PHONE);
        room.settle();
        assert_eq!(room.state(PHONE, "q"), CardState::Answered { by: you(PHONE), at_ms: None });
        assert!(!room.card(PHONE, "q").draft);
    }
}

#[test]
fn a_lost_refusal_is_read_back_as_the_others() {
    for same in [false, true] {
        let mut room = Room::with_mac_and_phone(Rules::OpenClaw);
        room.ask("q");
        room.settle();
        room.answer(PHONE, "q", 1);
        room.answer(MAC, "q", u32::from(same));
        room.carry(MAC);
        room.carry(PHONE);
        room.cut(PHONE);
        room.connect(PHONE);
        room.settle();
        assert_eq!(room.state(PHONE, "q"), CardState::Answered { by: elsewhere(MAC), at_ms: None });
        assert!(room.card(PHONE, "q").draft, "what was meant here is still there");
    }
}

/// The event said how it ended and the response that would have said whose it was is lost for good.
#[test]
fn an_ending_that_nobody_can_attribute_any_more_is_not_claimed() {
    let mut room = Room::with_mac_and_phone(Rules::OpenClaw);
    room.ask("q");
    room.settle();
    room.answer(PHONE, "q", 1);
    room.answer(MAC, "q", 1);
    room.carry(MAC);
    room.carry(PHONE);
    room.hear_events(PHONE);
    let heard = room.now;
    room.cut(PHONE);
    room.wait(RETENTION_MS);
    room.connect(PHONE);
    room.settle();
    assert_eq!(room.state(PHONE, "q"), CardState::Answered { by: SOMEBODY, at_ms: Some(heard) });
    assert_eq!(room.shown_answer(PHONE, "q"), ["Production"]);
}

#[test]
fn a_lost_acknowledgement_that_can_not_be_read_back_is_unknown() {
    let mut room = Room::with_mac_and_phone(Rules::OpenClaw);
    room.ask("q");
    room.settle();
    room.answer(PHONE, "q", 1);
    room.carry(PHONE);
    room.cut(PHONE);
    room.wait(RETENTION_MS);
    room.connect(PHONE);
    room.settle();
    assert_eq!(room.state(PHONE, "q"), CardState::Unknown { sent: Some(Sent::Answer) });
    assert!(room.card(PHONE, "q").draft);
}

#[test]
fn an_answer_that_never_left_is_not_said_to_have_been_sent() {
    let mut room = Room::with_mac_and_phone(Rules::OpenClaw);
    room.ask("q");
    room.settle();
    room.cut(PHONE);
    room.answer(PHONE, "q", 1);
    room.answer(MAC, "q", 0);
    room.settle();
    room.wait(RETENTION_MS);
    room.connect(PHONE);
    room.settle();
    assert_eq!(room.state(PHONE, "q"), CardState::Unknown { sent: None });
    assert!(room.card(PHONE, "q").draft);
}

#[test]
fn a_resolution_may_come_before_its_question() {
    for rules in [Rules::OpenClaw, Rules::BuiltIn] {
        let mut room = Room::with_mac_and_phone(rules);
        room.ask("q");
        room.answer_elsewhere("q");
        assert_eq!(room.wire(PHONE).news.len(), 2);
        room.hear_at(PHONE, 1);
        assert!(!room.has_card(PHONE, "q"));
        room.settle();
        assert_eq!(room.state(PHONE, "q"), CardState::Answered { by: elsewhere("desk"), at_ms: Some(room.now) });
    }
}

#[test]
fn a_question_answered_while_away_shows_who_and_how() {
    let mut room = Room::with_mac_and_phone(Rules::OpenClaw);
    room.ask("q");
    room.settle();
    room.cut(PHONE);
    room.answer(MAC, "q", 1);
    room.settle();
    room.wait(RETENTION_MS - 1_000);
    room.connect(PHONE);
    room.settle();
    assert_eq!(room.state(PHONE, "q"), CardState::Answered { by: elsewhere(MAC), at_ms: None });
}

#[test]
fn who_it_was_is_asked_again_when_the_line_was_cut_meanwhile() {
    for restart in [false, true] {
        let mut room = Room::with_mac_and_phone(Rules::OpenClaw);
        room.ask("q");
        room.settle();
        room.answer(MAC, "q", 1);
        room.carry(MAC);
        room.hear_events(PHONE);
        let at_ms = Some(room.now);
        assert_eq!(room.state(PHONE, "q"), CardState::Answered { by: SOMEBODY, at_ms });
        if restart {
            room.restart(PHONE);
        } else {
            room.cut(PHONE);
        }
        room.wait(5_000);
        room.connect(PHONE);
        room.settle();
        assert_eq!(room.state(PHONE, "q"), CardState::Answered { by: elsewhere(MAC), at_ms });
    }
}

#[test]
fn a_gateway_that_forgets_is_asked_once() {
    let mut room = Room::with_mac_and_phone(Rules::OpenClaw);
    room.ask("q");
    room.ask("mine");
    room.settle();
    room.write(PHONE, "q", "half a sen");
    room.cut(PHONE);
    room.answer(PHONE, "mine", 0);
    room.restart_gateway();
    room.connect(PHONE);
    room.settle();
    assert_eq!(room.state(PHONE, "q"), CardState::Unknown { sent: None });
    assert_eq!(room.state(MAC, "q"), CardState::Unknown { sent: None });
    assert_eq!(room.state(PHONE, "mine"), CardState::Unknown { sent: None });
    assert_eq!(room.typed(PHONE, "q"), "half a sen");
    let asked = room.home().calls.clone();
    room.wait(2 * MINUTES_15);
    room.cut(PHONE);
    room.connect(PHONE);
    room.settle();
    assert_eq!(room.home().calls["question.get"], asked["question.get"], "nothing more to ask");
    assert_eq!(room.home().calls.get("question.resolve"), None, "nothing to send");
}

#[test]
fn the_built_in_gateway_forgets_nothing() {
    let mut room = Room::with_mac_and_phone(Rules::BuiltIn);
    room.ask("q");
    room.settle();
    room.restart_gateway();
    room.settle();
    assert_eq!(room.state(PHONE, "q"), CardState::Pending);
    room.answer(PHONE, "q", 0);
    room.restart_gateway();
    room.settle();
    assert_eq!(room.state(PHONE, "q"), CardState::Answered { by: you(PHONE), at_ms: Some(room.now) });
    assert!(matches!(room.home().truth("q"), Truth::Ended(_)));
}

#[test]
fn what_was_learned_on_a_connection_that_broke_is_not_repeated() {
    let mut room = Room::with_mac_and_phone(Rules::OpenClaw);
    room.ask("q");
    room.settle();
    room.answer(MAC, "q", 0);
    let call = room.wire(MAC).calls[0].clone();
    room.cut(MAC);
    room.connect(MAC);
    room.settle();
    assert_eq!(room.state(MAC, "q"), CardState::Answered { by: you(MAC), at_ms: Some(room.now) });
    // The refusal of the first connection's call, heard on the second.
    let error = beckon_protocol::ErrorShape::missing_scope("operator.questions");
    room.report(MAC, beckon_core::LinkEvent::Response { ticket: call.ticket, result: Err(error) });
    assert_eq!(room.card(MAC, "q").problem, None);
}
