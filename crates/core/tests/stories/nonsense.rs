//! What a newer, broken or hostile gateway may say.

use beckon_core::LinkEvent;
use beckon_core::view::{CardState, Sent};
use beckon_protocol::Event;
use serde_json::{Value, json};

use crate::support::gateway::Rules;
use crate::support::room::{MAC, PHONE, Room, deploy, you};

fn asked() -> Room {
    let mut room = Room::with_mac_and_phone(Rules::OpenClaw);
    room.ask("q");
    room.settle();
    room
}

fn payloads() -> Vec<Value> {
    vec![
        Value::Null,
        json!(7),
        json!("text"),
        json!([]),
        json!({}),
        json!({ "id": "q" }),
        json!({ "id": 7, "status": "answered" }),
        json!({ "id": "q", "status": "paused" }),
        json!({ "id": "q", "status": "pending" }),
        json!({ "id": "q", "status": "answered", "answers": [1, 2] }),
        json!({ "ts": "now" }),
        json!({ "ts": -1 }),
        json!({ "ts": 1.5 }),
        json!({ "questions": null }),
        json!({ "questions": [{}] }),
        json!({ "question": {} }),
    ]
}

#[test]
fn events_of_unknown_kind_and_unreadable_ones_change_nothing() {
    let mut room = asked();
    room.write(MAC, "q", "draft");
    let before = room.devices[MAC].view.clone();
    for name in ["question.requested", "question.resolved", "tick", "question.reworded", "chat", ""] {
        for payload in payloads() {
            room.report(MAC, LinkEvent::Event(Event { event: name.into(), payload, seq: None }));
        }
    }
    assert_eq!(room.devices[MAC].view, before);
}

#[test]
fn unreadable_responses_lose_no_answer() {
    for payload in payloads() {
        let mut room = asked();
        room.cut(MAC);
        room.answer(MAC, "q", 1);
        room.connect(MAC);
        let list = room.wire(MAC).calls.pop_front().unwrap();
        room.report(MAC, LinkEvent::Response { ticket: list.ticket, result: Ok(payload.clone()) });
        room.wait(60_000);
        assert!(matches!(room.state(MAC, "q"), CardState::Answered { .. }), "{payload}: {:?}", room.state(MAC, "q"));
    }
}

#[test]
fn an_unreadable_acknowledgement_is_an_acknowledgement() {
    for payload in payloads() {
        let mut room = asked();
        room.answer(MAC, "q", 1);
        let call = room.wire(MAC).calls.pop_front().unwrap();
        room.report(MAC, LinkEvent::Response { ticket: call.ticket, result: Ok(payload) });
        assert_eq!(room.state(MAC, "q"), CardState::Answered { by: you(MAC), at_ms: Some(room.now) });
        assert_eq!(room.shown_answer(MAC, "q"), ["Production"]);
    }
}

/// A newer gateway has a status, or a field's form, that this program doesn't know.
#[test]
fn one_question_that_can_not_be_read_does_not_hide_the_others() {
    let mut room = asked();
    room.cut(MAC);
    room.answer(MAC, "q", 1);
    room.connect(MAC);
    let list = room.wire(MAC).calls.pop_front().unwrap();
    let mut odd = json!(deploy("odd", 1));
    odd["status"] = json!("paused");
    let questions = json!([odd, 7, deploy("q", 1), deploy("more", 1)]);
    room.report(MAC, LinkEvent::Response { ticket: list.ticket, result: Ok(json!({ "questions": questions })) });
    assert!(room.has_card(MAC, "more"));
    room.settle();
    assert!(matches!(room.state(MAC, "q"), CardState::Answered { .. }));
}

/// It is open at the gateway all the same.
#[test]
fn a_known_question_that_can_not_be_read_in_the_list_is_still_open() {
    let mut room = asked();
    room.cut(MAC);
    room.connect(MAC);
    let list = room.wire(MAC).calls.pop_front().unwrap();
    let questions = json!([{ "id": "q", "status": "paused" }]);
    room.report(MAC, LinkEvent::Response { ticket: list.ticket, result: Ok(json!({ "questions": questions })) });
    assert_eq!(room.calls_under_way(MAC), Vec::<&str>::new());
    assert_eq!(room.state(MAC, "q"), CardState::Pending);
}

#[test]
fn a_record_that_can_not_be_read_is_asked_for_again_at_a_distance() {
    let mut room = asked();
    room.cut(PHONE);
    room.answer(MAC, "q", 1);
    room.settle();
    room.answer(PHONE, "q", 0);
    room.connect(PHONE);
    room.carry(PHONE);
    room.hear(PHONE);
    let get = room.wire(PHONE).calls.pop_front().unwrap();
    room.report(PHONE, LinkEvent::Response { ticket: get.ticket, result: Ok(json!({ "question": { "id": "q" } })) });
    assert_eq!(room.state(PHONE, "q"), CardState::Sending { what: Sent::Answer });
    assert_eq!(room.calls_under_way(PHONE), Vec::<&str>::new());
    room.wait(12_000);
    assert!(matches!(room.state(PHONE, "q"), CardState::Answered { .. }));
}

#[test]
fn clocks_and_deadlines_at_the_ends_of_the_numbers() {
    for ts in [0, 1, i64::MAX.cast_unsigned(), i64::MAX.cast_unsigned() + 1, u64::MAX] {
        let mut room = asked();
        let mut far = deploy("far", 1);
        far.expires_at_ms = u64::MAX;
        room.home().tell("question.requested", json!(far));
        let mut past = deploy("past", 1);
        past.expires_at_ms = 0;
        room.home().tell("question.requested", json!(past));
        room.home().tell("tick", json!({ "ts": ts }));
        room.publish();
        room.hear(MAC);
        room.hear(PHONE);
        room.wait(3_000);
        room.tell_time();
        room.wait(3_000);
        room.answer(MAC, "q", 0);
        room.settle();
        assert!(matches!(room.state(MAC, "q"), CardState::Answered { .. }));
    }
}

#[test]
fn a_response_that_nobody_asked_for_is_ignored() {
    let mut room = asked();
    let before = room.devices[MAC].view.clone();
    for ticket in [0, 1, 99, u64::MAX] {
        for payload in payloads() {
            room.report(MAC, LinkEvent::Response { ticket: beckon_core::Ticket(ticket), result: Ok(payload) });
        }
    }
    assert_eq!(room.devices[MAC].view, before);
}
