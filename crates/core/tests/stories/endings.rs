//! Endings that are nobody's answer, and the time.

use beckon_core::view::{CardState, ResolvedBy, Sent};
use beckon_protocol::question::RESOLVED_BY_MESSAGE;

use crate::support::gateway::{RETENTION_MS, Rules};
use crate::support::room::{HOME, MAC, MINUTES_15, PHONE, Room, SOMEBODY, answers, elsewhere, you};

/// The gateway of the recordings notices 38 ms late.
const UP: u64 = MINUTES_15 + 38;

#[test]
fn at_zero_the_card_says_checking_until_the_gateway_has_spoken() {
    let mut room = Room::with_mac_and_phone(Rules::OpenClaw);
    room.ask("q");
    room.settle();
    room.write(MAC, "q", "half a sen");
    room.wait(MINUTES_15 - 1);
    assert_eq!(room.state(MAC, "q"), CardState::Pending);
    room.wait(1);
    assert_eq!(room.state(MAC, "q"), CardState::Checking);
    room.wait(UP - MINUTES_15);
    assert_eq!(room.state(MAC, "q"), CardState::Expired { at_ms: Some(room.now) });
    assert_eq!(room.typed(MAC, "q"), "half a sen");
    assert!(room.home().calls["question.get"] <= 2, "once a device");
}

#[test]
fn a_gateway_that_is_late_is_asked_at_a_distance() {
    let mut room = Room::with_mac_and_phone(Rules::OpenClaw);
    room.ask("q");
    room.settle();
    // The Mac thinks the gateway's clock is a minute further than it is.
    room.home().skew_ms = 60_000;
    room.tell_time();
    room.settle();
    room.home().skew_ms = 0;
    room.wait(UP);
    assert_eq!(room.state(MAC, "q"), CardState::Expired { at_ms: Some(room.now) });
    let asked = room.home().calls["question.get"];
    assert!((60..=130).contains(&asked), "about once a second and device: {asked}");
}

#[test]
fn a_question_that_expired_while_away_is_told_by_the_gateway() {
    for (rules, late, expected) in [
        (Rules::OpenClaw, RETENTION_MS - 1_000, CardState::Expired { at_ms: None }),
        (Rules::OpenClaw, RETENTION_MS, CardState::Unknown { sent: None }),
        (Rules::BuiltIn, 7_200_000, CardState::Expired { at_ms: None }),
    ] {
        let mut room = Room::with_mac_and_phone(rules);
        room.ask("q");
        room.settle();
        room.cut(PHONE);
        room.answer(PHONE, "q", 0);
        room.wait(UP + late);
        assert_eq!(
            room.state(PHONE, "q"),
            CardState::WaitingToSend { what: Sent::Answer },
            "the clock here ends nothing"
        );
        room.connect(PHONE);
        room.settle();
        assert_eq!(room.state(PHONE, "q"), expected);
        assert!(room.card(PHONE, "q").draft);
        assert!(room.home().accepted.is_empty());
    }
}

#[test]
fn a_question_may_expire_while_its_answer_is_on_the_way() {
    for rules in [Rules::OpenClaw, Rules::BuiltIn] {
        let mut room = Room::with_mac_and_phone(rules);
        room.ask("q");
        room.settle();
        room.wait(MINUTES_15 - 1);
        room.answer(MAC, "q", 0);
        room.wait_unheard(UP);
        room.settle();
        assert_eq!(room.state(MAC, "q"), CardState::Expired { at_ms: Some(room.now) });
        assert!(room.card(MAC, "q").draft);
        assert!(room.home().accepted.is_empty());
    }
}

#[test]
fn an_answer_in_the_last_moment_counts() {
    let mut room = Room::with_mac_and_phone(Rules::OpenClaw);
    room.ask("q");
    room.settle();
    // Its time is up, and the gateway hasn't noticed yet.
    room.wait(MINUTES_15);
    assert_eq!(room.state(MAC, "q"), CardState::Checking);
    room.answer(MAC, "q", 0);
    room.settle();
    assert_eq!(room.state(MAC, "q"), CardState::Answered { by: you(MAC), at_ms: Some(room.now) });
}

#[test]
fn a_slow_answer_to_an_overdue_question_is_sent_once() {
    let mut room = Room::with_mac_and_phone(Rules::OpenClaw);
    room.ask("q");
    room.settle();
    room.cut(PHONE);
    room.wait(MINUTES_15 - 10);
    room.answer(MAC, "q", 0);
    let call = room.wire(MAC).calls.pop_front().unwrap();
    // Meanwhile its time comes, and the gateway is asked and says that it is still open.
    room.home().skew_ms = -60_000;
    room.wait(5_000);
    assert_eq!(room.state(MAC, "q"), CardState::Sending { what: Sent::Answer });
    assert!(!room.home().calls.contains_key("question.resolve"), "no second attempt beside the first");
    room.wire(MAC).calls.push_back(call);
    room.settle();
    assert!(matches!(room.state(MAC, "q"), CardState::Answered { .. }));
}

#[test]
fn an_answer_to_a_card_that_is_being_checked_is_sent_once() {
    let mut room = Room::new(Rules::OpenClaw);
    room.pair(MAC, HOME);
    room.ask("q");
    room.settle();
    room.wait(MINUTES_15 - 1);
    room.wait_unheard(1);
    assert_eq!(room.calls_under_way(MAC), ["question.get"]);
    room.answer(MAC, "q", 0);
    // The gateway takes its time with the answer, and says at once that the question is still open.
    room.home().skew_ms = -60_000;
    room.carry_one(MAC);
    let resolve = room.wire(MAC).calls.pop_front().unwrap();
    room.wait(5_000);
    assert_eq!(room.state(MAC, "q"), CardState::Sending { what: Sent::Answer });
    assert_eq!(room.calls_under_way(MAC), Vec::<&str>::new());
    room.wire(MAC).calls.push_back(resolve);
    room.settle();
    assert_eq!(room.state(MAC, "q"), CardState::Answered { by: you(MAC), at_ms: Some(room.now) });
}

#[test]
fn time_counts_on_the_gateways_clock() {
    for skew_ms in [-86_400_000, -5_000, 5_000, 86_400_000] {
        let mut room = Room::new(Rules::OpenClaw);
        room.now = 1_000_000_000;
        room.home().skew_ms = skew_ms;
        room.pair(MAC, HOME);
        room.ask("q");
        room.settle();
        assert_eq!(room.devices[MAC].view.gateways[0].clock_offset_ms, skew_ms);
        room.wait(MINUTES_15 - 1);
        assert_eq!(room.state(MAC, "q"), CardState::Pending);
        room.wait(1);
        assert_eq!(room.state(MAC, "q"), CardState::Checking);
    }
}

#[test]
fn a_clock_that_jumps_ends_nothing() {
    for jump_ms in [-86_400_000, 86_400_000] {
        let mut room = Room::with_mac_and_phone(Rules::OpenClaw);
        room.now = 1_000_000_000;
        room.tell_time();
        room.ask("q");
        room.settle();
        room.device(MAC).skew_ms = jump_ms;
        room.wait(1_000);
        assert!(matches!(room.state(MAC, "q"), CardState::Pending | CardState::Checking));
        room.tell_time();
        room.settle();
        assert_eq!(room.state(MAC, "q"), CardState::Pending, "the gateway's next tick puts it right");
        room.wait(UP - 1_000);
        assert!(matches!(room.state(MAC, "q"), CardState::Expired { .. }));
    }
}

#[test]
fn a_clock_that_is_set_back_does_not_put_retries_off() {
    let mut room = Room::with_mac_and_phone(Rules::OpenClaw);
    room.now = 1_000_000_000;
    room.tell_time();
    room.ask("q");
    room.settle();
    room.home().refuse("question.resolve", beckon_protocol::ErrorShape::unavailable("busy"));
    room.answer(MAC, "q", 0);
    room.settle();
    room.device(MAC).skew_ms = -86_400_000;
    room.tell_time();
    room.wait(60_000);
    assert!(matches!(room.state(MAC, "q"), CardState::Answered { .. }), "{:?}", room.state(MAC, "q"));
}

#[test]
fn offline_the_time_is_seen_to_be_up_as_well() {
    let mut room = Room::with_mac_and_phone(Rules::OpenClaw);
    room.ask("q");
    room.settle();
    room.cut(PHONE);
    room.wait(MINUTES_15);
    assert_eq!(room.state(PHONE, "q"), CardState::Checking);
    room.wait(60_000);
    assert_eq!(room.state(PHONE, "q"), CardState::Checking);
}

#[test]
fn a_run_that_is_stopped_is_nobodys_skip() {
    for rules in [Rules::OpenClaw, Rules::BuiltIn] {
        let mut room = Room::with_mac_and_phone(rules);
        room.ask("q");
        room.settle();
        let now = room.now;
        room.home().stop_run("q", now);
        room.settle();
        for device in [MAC, PHONE] {
            assert_eq!(room.state(device, "q"), CardState::Stopped { at_ms: Some(now) });
        }
    }
}

#[test]
fn a_run_that_is_stopped_while_we_skip_is_not_our_skip() {
    let mut room = Room::with_mac_and_phone(Rules::OpenClaw);
    room.ask("q");
    room.settle();
    room.skip(MAC, "q");
    let now = room.now;
    room.home().stop_run("q", now);
    room.settle();
    assert_eq!(room.state(MAC, "q"), CardState::Stopped { at_ms: Some(now) });
}

#[test]
fn a_message_in_the_chat_may_be_the_answer() {
    let mut room = Room::with_mac_and_phone(Rules::OpenClaw);
    room.ask("q");
    room.settle();
    let now = room.now;
    room.home().answer_as(RESOLVED_BY_MESSAGE, "q", answers("Production"), now);
    room.settle();
    let by = ResolvedBy::Message;
    assert_eq!(room.state(MAC, "q"), CardState::Answered { by, at_ms: Some(now) });
    assert_eq!(room.shown_answer(MAC, "q"), ["Production"]);
}

#[test]
fn a_resolver_without_a_name_stays_without_one() {
    let mut room = Room::with_mac_and_phone(Rules::OpenClaw);
    room.ask("q");
    room.settle();
    room.answer(PHONE, "q", 1);
    let now = room.now;
    room.home().answer_without_a_name("q", answers("Production"), now);
    room.settle();
    assert_eq!(room.state(MAC, "q"), CardState::Answered { by: SOMEBODY, at_ms: Some(now) });
    assert_eq!(room.state(PHONE, "q"), CardState::Answered { by: SOMEBODY, at_ms: Some(now) }, "not ours for that");
}

#[test]
fn an_answer_read_before_the_end_is_not_the_last_word() {
    let mut room = Room::with_mac_and_phone(Rules::OpenClaw);
    room.ask("q");
    room.settle();
    room.wait(MINUTES_15 - 1);
    room.answer(PHONE, "q", 0);
    room.wait_unheard(1);
    // The Mac asks, the gateway reads the record, and only then the phone's answer comes in.
    room.carry(MAC);
    let stale = room.wire(MAC).news.pop_back().unwrap();
    room.answer(MAC, "q", 0);
    room.carry(PHONE);
    room.hear(MAC);
    room.report(MAC, stale);
    room.wait(2_000);
    assert!(
        matches!(room.state(MAC, "q"), CardState::Answered { by, .. } if by == elsewhere(PHONE)),
        "{:?}",
        room.state(MAC, "q")
    );
}
