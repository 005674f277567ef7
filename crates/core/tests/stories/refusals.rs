//! Gateways that say no, or not now.

use beckon_core::outbox::MAX_ATTEMPTS;
use beckon_core::view::{CardState, IntentErrorCode, SendProblemKind, Sent};
use beckon_protocol::ErrorShape;
use beckon_protocol::error::{code, reason};

use crate::support::gateway::{Rules, Truth};
use crate::support::room::{HOME, MAC, PHONE, Room, SOMEBODY, elsewhere, you};

fn asked() -> Room {
    let mut room = Room::with_mac_and_phone(Rules::OpenClaw);
    room.ask("q");
    room.settle();
    room
}

#[test]
fn a_gateway_that_is_busy_is_asked_again_after_its_wish() {
    let mut room = asked();
    room.home().refuse("question.resolve", ErrorShape::unavailable("busy"));
    room.answer(MAC, "q", 1);
    room.settle();
    assert_eq!(room.state(MAC, "q"), CardState::Sending { what: Sent::Answer });
    room.wait(999);
    assert_eq!(room.home().calls["question.resolve"], 1);
    room.wait(1);
    assert_eq!(room.state(MAC, "q"), CardState::Answered { by: you(MAC), at_ms: Some(room.now) });
}

#[test]
fn a_refusal_that_is_worth_a_retry_is_one_whatever_its_code() {
    let mut room = asked();
    room.home().refuse("question.resolve", ErrorShape { retryable: Some(true), ..ErrorShape::new("INTERNAL", "oops") });
    room.answer(MAC, "q", 1);
    room.wait(1_000);
    assert_eq!(room.state(MAC, "q"), CardState::Answered { by: you(MAC), at_ms: Some(room.now) });
}

#[test]
fn an_invalid_answer_comes_back_with_the_reason_and_the_draft() {
    let mut room = asked();
    room.home().refuse("question.resolve", ErrorShape::question(reason::INVALID_ANSWER, "no such place"));
    room.write(MAC, "q", "the moon");
    room.send(MAC, "q");
    room.settle();
    let card = room.card(MAC, "q");
    assert_eq!(card.state, CardState::Pending);
    let problem = card.problem.unwrap();
    assert_eq!((problem.why, problem.detail.as_str()), (SendProblemKind::Invalid, "no such place"));
    assert_eq!(room.typed(MAC, "q"), "the moon");
    room.restart(MAC);
    assert!(room.card(MAC, "q").problem.is_some(), "a kill doesn't hide it");
    room.connect(MAC);
    room.wait(1);
    room.write(MAC, "q", "Mars");
    room.send(MAC, "q");
    assert_eq!(room.card(MAC, "q").problem, None, "the new attempt isn't judged yet");
    room.settle();
    assert_eq!(room.shown_answer(PHONE, "q"), ["Mars"]);
}

#[test]
fn a_device_that_may_not_answer_is_told() {
    let mut room = asked();
    room.home().refuse("question.resolve", ErrorShape::missing_scope("operator.questions"));
    room.answer(MAC, "q", 0);
    room.settle();
    let card = room.card(MAC, "q");
    assert_eq!((card.state, card.problem.unwrap().why), (CardState::Pending, SendProblemKind::Forbidden));
    assert!(card.draft);
}

/// The scope was taken away while the device was offline: not even the list is to be had.
#[test]
fn a_device_that_may_not_even_list_is_told_too() {
    let mut room = asked();
    room.cut(MAC);
    room.answer(MAC, "q", 0);
    room.home().scopes = vec!["operator.read".into()];
    room.connect(MAC);
    room.wait(60_000);
    let card = room.card(MAC, "q");
    assert_eq!(
        (card.state, card.problem.map(|problem| problem.why)),
        (CardState::Pending, Some(SendProblemKind::Forbidden))
    );
    assert_eq!(room.home().calls["question.list"], 3, "a refusal for good isn't asked again");
}

#[test]
fn a_failure_that_is_not_worth_a_retry_returns_the_card() {
    let mut room = asked();
    room.home().refuse("question.resolve", ErrorShape::new(code::UNAVAILABLE, "the disk is full"));
    room.answer(MAC, "q", 0);
    room.settle();
    let card = room.card(MAC, "q");
    assert_eq!((card.state, card.problem.unwrap().why), (CardState::Pending, SendProblemKind::Failed));
}

#[test]
fn after_many_attempts_the_person_is_asked() {
    let mut room = asked();
    for _ in 0..2 * MAX_ATTEMPTS {
        room.home().refuse("question.resolve", ErrorShape::unavailable("busy"));
    }
    room.answer(MAC, "q", 0);
    room.wait(600_000);
    assert_eq!(room.home().calls["question.resolve"], MAX_ATTEMPTS);
    let card = room.card(MAC, "q");
    assert_eq!((card.state, card.problem.unwrap().why), (CardState::Pending, SendProblemKind::Failed));
    assert!(card.draft);
}

/// An answer at which the connection, or the program, dies each time.
#[test]
fn an_item_that_breaks_the_connection_does_not_do_so_for_ever() {
    for restart in [false, true] {
        let mut room = asked();
        room.answer(MAC, "q", 0);
        let mut attempts = 0;
        for _ in 0..2 * MAX_ATTEMPTS {
            let resolves = room.wire(MAC).calls.iter().filter(|call| call.method == "question.resolve").count();
            attempts += u32::try_from(resolves).unwrap();
            if restart {
                room.restart(MAC);
            } else {
                room.cut(MAC);
            }
            room.connect(MAC);
            room.carry(MAC);
            room.hear(MAC);
        }
        assert_eq!(attempts, MAX_ATTEMPTS);
        let card = room.card(MAC, "q");
        assert_eq!(
            (card.state, card.problem.map(|problem| problem.why)),
            (CardState::Pending, Some(SendProblemKind::Failed))
        );
        // The person may try again.
        room.settle();
        room.wait(1);
        room.send(MAC, "q");
        room.settle();
        assert!(matches!(room.state(MAC, "q"), CardState::Answered { .. }));
    }
}

#[test]
fn a_gateway_that_drains_refuses_the_list_and_takes_the_answer_later() {
    let mut room = asked();
    room.cut(MAC);
    room.answer(MAC, "q", 0);
    room.home().draining = true;
    room.connect(MAC);
    room.wait(10_000);
    assert_eq!(room.state(MAC, "q"), CardState::Sending { what: Sent::Answer });
    assert!((4..=12).contains(&room.home().calls["question.list"]), "{:?}", room.home().calls);
    room.home().draining = false;
    room.wait(5_000);
    assert!(matches!(room.state(MAC, "q"), CardState::Answered { .. }));
}

#[test]
fn a_gateway_that_drains_takes_answers_on_connections_it_has() {
    let mut room = asked();
    room.home().draining = true;
    room.answer(MAC, "q", 0);
    room.settle();
    assert_eq!(room.state(MAC, "q"), CardState::Answered { by: you(MAC), at_ms: Some(room.now) });
}

#[test]
fn a_lookup_that_fails_is_repeated() {
    for error in [ErrorShape::unavailable("busy"), ErrorShape::new("INTERNAL", "oops")] {
        let mut room = asked();
        room.cut(PHONE);
        room.answer(MAC, "q", 0);
        room.settle();
        room.home().refuse("question.get", error);
        room.connect(PHONE);
        room.settle();
        assert_eq!(room.state(PHONE, "q"), CardState::Pending);
        room.wait(12_000);
        assert_eq!(room.state(PHONE, "q"), CardState::Answered { by: elsewhere(MAC), at_ms: None });
    }
}

#[test]
fn a_read_back_that_fails_is_repeated_and_not_guessed() {
    for error in [ErrorShape::unavailable("busy"), ErrorShape::new("INTERNAL", "oops")] {
        let mut room = asked();
        room.answer(PHONE, "q", 1);
        room.answer(MAC, "q", 1);
        room.carry(MAC);
        let at_ms = Some(room.now);
        room.home().refuse("question.get", error);
        room.carry(PHONE);
        room.hear(PHONE);
        room.carry(PHONE);
        room.hear(PHONE);
        assert_eq!(room.state(PHONE, "q"), CardState::Sending { what: Sent::Answer });
        room.wait(12_000);
        assert_eq!(room.state(PHONE, "q"), CardState::Answered { by: elsewhere(MAC), at_ms });
    }
}

#[test]
fn an_ending_is_shown_when_nobody_will_say_whose_it_was() {
    let mut room = asked();
    for _ in 0..10 {
        room.home().refuse("question.get", ErrorShape::new("INTERNAL", "oops"));
    }
    room.answer(PHONE, "q", 1);
    room.answer(MAC, "q", 1);
    room.carry(MAC);
    let at_ms = Some(room.now);
    room.wait(60_000);
    assert_eq!(room.state(PHONE, "q"), CardState::Answered { by: SOMEBODY, at_ms });
    assert!(room.home().calls["question.get"] <= 3, "not for ever");
}

/// `question.resolve` says that it has ended, and `question.get` can't say how.
#[test]
fn a_gateway_that_contradicts_itself_does_not_keep_us_busy() {
    let mut room = asked();
    for _ in 0..200 {
        room.home().refuse("question.resolve", ErrorShape::question(reason::ALREADY_TERMINAL, "ended"));
        room.home().refuse("question.get", ErrorShape::new("INTERNAL", "oops"));
    }
    room.answer(MAC, "q", 0);
    room.settle();
    assert!(room.home().calls["question.resolve"] <= 2, "not at the speed of the line");
    room.wait(600_000);
    assert_eq!(room.home().calls["question.resolve"], MAX_ATTEMPTS);
    let card = room.card(MAC, "q");
    assert_eq!(
        (card.state, card.problem.map(|problem| problem.why)),
        (CardState::Pending, Some(SendProblemKind::Failed))
    );
}

#[test]
fn a_refusal_of_an_answer_that_came_too_late_is_no_problem_to_show() {
    for error in [
        ErrorShape::question(reason::INVALID_ANSWER, "no"),
        ErrorShape::missing_scope("operator.questions"),
        ErrorShape::new("INTERNAL", "oops"),
    ] {
        let mut room = asked();
        room.answer(PHONE, "q", 0);
        room.answer(MAC, "q", 1);
        room.carry(MAC);
        room.home().refuse("question.resolve", error);
        room.settle();
        let card = room.card(PHONE, "q");
        assert_eq!(card.state, CardState::Answered { by: elsewhere(MAC), at_ms: Some(room.now) });
        assert_eq!(card.problem, None, "it has ended; there is nothing to repair");
    }
}

/// The list lacks it, nobody can say how it ended, and the answer is refused for a reason of its own.
#[test]
fn a_card_that_was_given_back_is_asked_about_until_the_gateway_has_spoken() {
    let mut room = asked();
    room.cut(PHONE);
    room.answer(MAC, "q", 0);
    room.answer(PHONE, "q", 1);
    room.settle();
    room.home().refuse("question.get", ErrorShape::new("INTERNAL", "oops"));
    room.home().refuse("question.resolve", ErrorShape::missing_scope("operator.questions"));
    room.connect(PHONE);
    room.wait(12_000);
    assert_eq!(room.state(PHONE, "q"), CardState::Answered { by: elsewhere(MAC), at_ms: None });
}

#[test]
fn a_gateways_wish_for_the_next_attempt_is_kept_within_reason() {
    for wish in [0, u64::MAX] {
        let mut room = asked();
        for _ in 0..3 {
            let busy = ErrorShape { retry_after_ms: Some(wish), ..ErrorShape::unavailable("busy") };
            room.home().refuse("question.resolve", busy);
        }
        room.answer(MAC, "q", 0);
        room.settle();
        assert_eq!(room.home().calls["question.resolve"], 1, "not at once");
        room.wait(300_000);
        assert!(matches!(room.state(MAC, "q"), CardState::Answered { .. }), "not never");
    }
}

#[test]
fn an_overdue_question_waits_for_the_list_without_a_stream_of_calls() {
    let mut room = asked();
    room.cut(PHONE);
    room.answer(PHONE, "q", 0);
    // Its time is up by the phone's reckoning, the gateway has it open, and its list is slow.
    room.home().skew_ms = 900_000;
    room.connect(PHONE);
    room.home().skew_ms = 0;
    let list = room.wire(PHONE).calls.pop_front().unwrap();
    room.wait(10_000);
    assert!(room.home().calls.get("question.get").is_none_or(|gets| *gets <= 12), "{:?}", room.home().calls);
    room.wire(PHONE).calls.push_back(list);
    room.settle();
    room.wait(5_000);
    assert!(matches!(room.home().truth("q"), Truth::Ended(_)));
}

#[test]
fn what_is_not_there_can_not_be_answered() {
    use beckon_core::view::Intent;
    let mut room = asked();
    for card in ["q", "nowhere/q", "home.example/other", "", "/"] {
        let refused = room.intent(MAC, Intent::Skip { card: card.into() }).unwrap_err();
        assert_eq!(refused.code, IntentErrorCode::NotFound, "{card}");
    }
    let card = format!("{HOME}/q");
    for intent in [
        Intent::Choose { card: card.clone(), question: 1, option: 0, on: true },
        Intent::Choose { card: card.clone(), question: u32::MAX, option: u32::MAX, on: true },
        Intent::ChooseOther { card: card.clone(), question: 9, on: true },
        Intent::Type { card, question: 7, text: "x".into() },
    ] {
        assert_eq!(room.intent(MAC, intent).unwrap_err().code, IntentErrorCode::Malformed);
    }
}
