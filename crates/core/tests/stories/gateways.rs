//! Gateways that come and go, and the first minutes with the app.

use beckon_core::view::{BuiltInView, CardState, Intent, IntentErrorCode, LinkView, SecretsView};
use beckon_core::{BUILT_IN, Input};
use beckon_protocol::ErrorShape;

use crate::support::device::Device;
use crate::support::gateway::{Gateway, Rules, Truth};
use crate::support::room::{HOME, MAC, PHONE, Room, WORK, you};

fn add(address: &str) -> Intent {
    Intent::AddGateway { address: address.into(), token: "token".into() }
}

/// A Mac with a gateway of its own.
fn with_built_in() -> Room {
    let mut room = Room::new(Rules::OpenClaw);
    room.gateways.insert(BUILT_IN, Gateway::new(Rules::BuiltIn));
    let built_in = BuiltInView { address: "ws://127.0.0.1:7117".into(), mcp_snippet: "{}".into() };
    room.devices.insert(MAC, Device::new(MAC, Some(built_in)));
    room
}

#[test]
fn the_same_question_id_at_two_gateways_is_two_questions() {
    let mut room = Room::with_mac_and_phone(Rules::OpenClaw);
    room.gateways.insert(WORK, Gateway::new(Rules::BuiltIn));
    room.pair(MAC, WORK);
    room.ask_at(HOME, "q");
    room.ask_at(WORK, "q");
    room.settle();
    room.write(MAC, "work.example/q", "only here");
    room.answer(MAC, "home.example/q", 1);
    room.settle();
    room.restart(MAC);
    assert_eq!(room.state(MAC, "home.example/q"), CardState::Answered { by: you(MAC), at_ms: Some(room.now) });
    assert_eq!(room.state(MAC, "work.example/q"), CardState::Pending);
    assert_eq!(room.typed(MAC, "work.example/q"), "only here");
    assert_eq!(room.gateways[WORK].truth("q"), Truth::Open);
}

#[test]
fn a_removed_gateway_takes_everything_with_it() {
    let mut room = Room::with_mac_and_phone(Rules::OpenClaw);
    room.gateways.insert(WORK, Gateway::new(Rules::OpenClaw));
    room.pair(MAC, WORK);
    room.ask_at(HOME, "q");
    room.ask_at(WORK, "q");
    room.settle();
    room.write(MAC, "work.example/q", "draft");
    room.answer(MAC, "home.example/q", 1);
    room.intent(MAC, Intent::RemoveGateway { gateway: HOME.into() }).unwrap();
    assert!(!room.has_card(MAC, "home.example/q"));
    assert_eq!(room.devices[MAC].store.rows(HOME), None);
    assert_eq!(room.devices[MAC].store.rows(WORK), Some(2), "the other's question and draft");
    assert_eq!(room.devices[MAC].view.gateways.len(), 1);
    let refused = room.intent(MAC, Intent::RemoveGateway { gateway: HOME.into() }).unwrap_err();
    assert_eq!(refused.code, IntentErrorCode::NotFound);
}

#[test]
fn an_acknowledgement_for_a_removed_gateway_is_nobodys() {
    let mut room = Room::with_mac_and_phone(Rules::OpenClaw);
    room.ask("q");
    room.settle();
    room.answer(MAC, "q", 1);
    room.carry(MAC);
    let late: Vec<_> = room.wire(MAC).news.drain(..).collect();
    room.intent(MAC, Intent::RemoveGateway { gateway: HOME.into() }).unwrap();
    for event in late.clone() {
        room.report(MAC, event);
    }
    assert!(room.devices[MAC].view.cards.is_empty());
    // Added again, it starts from what the gateway says, and late words of the old link change nothing of that.
    room.pair(MAC, HOME);
    room.ask("new");
    room.settle();
    room.answer(MAC, "new", 0);
    for event in late {
        room.report(MAC, event);
    }
    room.settle();
    assert_eq!(room.state(MAC, "new"), CardState::Answered { by: you(MAC), at_ms: Some(room.now) });
}

#[test]
fn one_gateway_is_not_added_twice() {
    let mut room = with_built_in();
    room.pair(MAC, HOME);
    let here = room.devices[MAC].view.clone();
    for address in [
        "wss://home.example",
        " HOME.example/ ",
        "https://home.example",
        "home.example:443",
        "ws://127.0.0.1:7117",
        // The same host and port by another scheme, and the name of the one in this program.
        "wss://127.0.0.1:7117",
        "wss://built-in",
    ] {
        assert_eq!(room.intent(MAC, add(address)).unwrap_err().code, IntentErrorCode::AlreadyAdded, "{address}");
        assert_eq!(room.devices[MAC].view, here);
    }
    assert_eq!(
        room.intent(MAC, Intent::RemoveGateway { gateway: BUILT_IN.into() }).unwrap_err().code,
        IntentErrorCode::Malformed
    );
}

#[test]
fn what_can_not_be_added_says_why_and_changes_nothing() {
    let mut room = Room::new(Rules::OpenClaw);
    room.unpack(MAC);
    let token = |token: &str| Intent::AddGateway { address: "gateway.example".into(), token: token.into() };
    for (intent, code) in [
        (add("ws://gateway.example"), IntentErrorCode::BadAddress),
        (add("not an address"), IntentErrorCode::BadAddress),
        (token("  "), IntentErrorCode::BadToken),
    ] {
        assert_eq!(room.intent(MAC, intent).unwrap_err().code, code);
    }
    let now = room.now;
    room.device(MAC).apply(Input::Secrets(SecretsView::Missing), now).unwrap();
    assert_eq!(room.intent(MAC, token("t")).unwrap_err().code, IntentErrorCode::NoKeyStore);
    assert!(room.devices[MAC].view.first_run, "no door was taken");
    room.device(MAC).apply(Input::Secrets(SecretsView::File), now).unwrap();
    room.intent(MAC, token(" t\n")).unwrap();
    assert!(!room.devices[MAC].view.first_run);
}

#[test]
fn a_phone_shows_the_doors_until_one_is_taken() {
    let mut room = Room::new(Rules::OpenClaw);
    room.unpack(PHONE);
    assert!(room.devices[PHONE].view.first_run);
    assert_eq!(room.intent(PHONE, Intent::UseBuiltIn).unwrap_err().code, IntentErrorCode::NotFound);
    assert_eq!(room.intent(PHONE, Intent::SendTestQuestion).unwrap_err().code, IntentErrorCode::NoGateway);
    room.restart(PHONE);
    assert!(room.devices[PHONE].view.first_run);
    room.pair(PHONE, HOME);
    assert!(!room.devices[PHONE].view.first_run);
    room.intent(PHONE, Intent::RemoveGateway { gateway: HOME.into() }).unwrap();
    room.restart(PHONE);
    assert!(!room.devices[PHONE].view.first_run, "doors are for the first time");
}

#[test]
fn a_desktop_leaves_the_doors_by_its_own_gateway() {
    let mut room = with_built_in();
    assert!(room.devices[MAC].view.first_run);
    room.intent(MAC, Intent::UseBuiltIn).unwrap();
    assert!(!room.devices[MAC].view.first_run);
    room.restart(MAC);
    assert!(!room.devices[MAC].view.first_run);
}

#[test]
fn a_question_that_waits_comes_before_the_doors() {
    let mut room = with_built_in();
    room.connect_to(MAC, BUILT_IN);
    room.settle();
    assert!(room.devices[MAC].view.first_run);
    room.ask_at(BUILT_IN, "q");
    room.settle();
    assert!(!room.devices[MAC].view.first_run);
}

#[test]
fn a_test_question_goes_through_the_gateway_like_any_other() {
    let mut room = with_built_in();
    assert_eq!(room.intent(MAC, Intent::SendTestQuestion).unwrap_err().code, IntentErrorCode::NoGateway);
    assert!(room.devices[MAC].view.first_run);
    room.connect_to(MAC, BUILT_IN);
    room.settle();
    room.intent(MAC, Intent::SendTestQuestion).unwrap();
    room.settle();
    let card = room.devices[MAC].view.cards[0].clone();
    assert_eq!((card.gateway.as_str(), card.state.clone()), (BUILT_IN, CardState::Pending));
    assert!(card.questions[0].options[0].recommended);
    room.answer(MAC, &card.key, 0);
    room.settle();
    assert_eq!(room.state(MAC, &card.key), CardState::Answered { by: you(MAC), at_ms: Some(room.now) });
    // Refused, it changes nothing.
    room.gateways.get_mut(BUILT_IN).unwrap().refuse("question.request", ErrorShape::unavailable("stopping"));
    room.intent(MAC, Intent::SendTestQuestion).unwrap();
    room.settle();
    assert_eq!(room.devices[MAC].view.cards.len(), 1);
}

#[test]
fn the_built_in_gateway_keeps_its_questions_over_a_start_on_another_port() {
    let mut room = with_built_in();
    room.connect_to(MAC, BUILT_IN);
    room.ask_at(BUILT_IN, "q");
    room.settle();
    room.write(MAC, "built-in/q", "draft");
    room.restart(MAC);
    assert_eq!(room.typed(MAC, "built-in/q"), "draft");
    assert_eq!(room.devices[MAC].view.gateways[0].link, LinkView::Connecting);
}

#[test]
fn a_gateway_that_grants_too_little_is_shown_so() {
    let mut room = Room::new(Rules::OpenClaw);
    room.home().scopes = vec!["operator.read".into()];
    room.pair(MAC, HOME);
    let missing_scopes = vec!["operator.write".into(), "operator.questions".into()];
    assert_eq!(room.devices[MAC].view.gateways[0].link, LinkView::Online { missing_scopes });
}

#[test]
fn waiting_counts_what_still_needs_the_person() {
    let mut room = Room::with_mac_and_phone(Rules::OpenClaw);
    let waiting = |room: &Room| (room.devices[MAC].view.gateways[0].waiting, room.devices[MAC].view.chats[0].waiting);
    room.ask("a");
    room.ask("b");
    room.settle();
    assert_eq!(waiting(&room), (2, 2));
    room.answer(MAC, "a", 0);
    assert_eq!(waiting(&room), (1, 1), "on its way it needs nobody");
    room.settle();
    room.skip(PHONE, "b");
    room.settle();
    assert_eq!(waiting(&room), (0, 0));
}
