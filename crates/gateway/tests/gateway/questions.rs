//! Asking, answering, waiting, and what everyone sees of it.

use std::time::Duration;

use serde_json::{Value, json};

use crate::client::{Running, answer, question};

#[tokio::test]
async fn a_question_goes_round() {
    let gateway = Running::start().await;
    let (mut asker, mut phone) = (gateway.device(1).await, gateway.device(2).await);
    let requested = asker.ok("question.request", question("q1")).await;
    // The asker heard of it before its own response.
    let told = asker.events.remove(0);
    assert_eq!((&told["event"], &told["seq"]), (&json!("question.requested"), &json!(1)));
    let record = &told["payload"];
    assert_eq!(record["expiresAtMs"], requested["expiresAtMs"]);
    assert_eq!(record["expiresAtMs"].as_u64().unwrap() - record["createdAtMs"].as_u64().unwrap(), 900_000);
    assert_eq!(record["status"], "pending");
    assert_eq!(record["questions"], question("q1")["questions"]);

    assert_eq!(phone.event("question.requested").await["payload"], *record);
    assert_eq!(phone.ok("question.list", json!({})).await, json!({ "questions": [record] }));
    assert_eq!(phone.ok("question.get", json!({ "id": "q1" })).await, json!({ "question": record }));

    let waiting = asker.start("question.waitAnswer", json!({ "id": "q1", "includeResolutionId": true })).await;
    let mut answered = answer("q1", " Yes ");
    answered["resolvedBy"] = json!("phone");
    answered["resolutionId"] = json!("r1");
    let outcome = json!({ "status": "answered", "answers": { "answers": { "go": ["Yes"] } } });
    assert_eq!(phone.ok("question.resolve", answered).await, outcome);
    let mut event = outcome.clone();
    event["id"] = json!("q1");
    for socket in [&mut asker, &mut phone] {
        let told = socket.event("question.resolved").await;
        assert_eq!((&told["payload"], &told["seq"]), (&event, &json!(2)));
    }
    let mut with_marker = outcome.clone();
    with_marker["resolutionId"] = json!("r1");
    assert_eq!(asker.response(&waiting).await["payload"], with_marker);
    assert_eq!(asker.ok("question.waitAnswer", json!({ "id": "q1" })).await, outcome);

    assert_eq!(phone.ok("question.list", json!({})).await, json!({ "questions": [] }));
    let ended = phone.ok("question.get", json!({ "id": "q1" })).await;
    assert_eq!(ended["question"]["status"], "answered");
    assert_eq!(ended["question"]["answers"], outcome["answers"]);
    assert_eq!(ended["question"]["resolvedBy"], "phone");
}

#[tokio::test]
async fn answering_again_is_told_apart_from_answering_late() {
    let gateway = Running::start().await;
    let mut phone = gateway.device(1).await;
    phone.ok("question.request", question("q1")).await;
    let mut first = answer("q1", "Yes");
    first["resolutionId"] = json!("r1");
    let outcome = phone.ok("question.resolve", first.clone()).await;
    assert_eq!(phone.ok("question.resolve", first).await, outcome, "a retry");
    for late in [answer("q1", "Yes"), json!({ "id": "q1", "cancel": true })] {
        let error = phone.refused("question.resolve", late).await;
        assert_eq!(error["message"], "question 'q1' is already answered");
        assert_eq!(error["details"], json!({ "reason": "QUESTION_ALREADY_TERMINAL" }));
    }
    phone.ok("question.request", question("q2")).await;
    assert_eq!(
        phone.ok("question.resolve", json!({ "id": "q2", "cancel": true })).await,
        json!({ "status": "cancelled" })
    );
    let error = phone.refused("question.resolve", answer("q2", "Yes")).await;
    assert_eq!(error["message"], "question 'q2' is already cancelled");
}

#[tokio::test]
async fn the_list_is_in_the_order_of_asking() {
    let gateway = Running::start().await;
    let mut asker = gateway.device(1).await;
    for id in ["zebra", "ant", "mole"] {
        asker.ok("question.request", question(id)).await;
    }
    asker.ok("question.resolve", answer("ant", "No")).await;
    let list = asker.ok("question.list", Value::Null).await;
    let ids: Vec<_> = list["questions"].as_array().unwrap().iter().map(|record| &record["id"]).collect();
    assert_eq!(ids, ["zebra", "mole"]);
}

#[tokio::test]
async fn a_question_expires_for_everyone_at_once() {
    let gateway = Running::start().await;
    let (mut asker, mut phone) = (gateway.device(1).await, gateway.device(2).await);
    let mut short = question("q1");
    short["timeoutMs"] = json!(100);
    asker.ok("question.request", short).await;
    assert_eq!(asker.ok("question.waitAnswer", json!({ "id": "q1" })).await, json!({ "status": "expired" }));
    let told = phone.event("question.resolved").await;
    assert_eq!(told["payload"], json!({ "id": "q1", "status": "expired" }));
    let error = phone.refused("question.resolve", answer("q1", "Yes")).await;
    assert_eq!(error["message"], "question 'q1' is already expired");
}

#[tokio::test]
async fn a_wait_has_its_own_limit_and_holds_up_nothing() {
    let gateway = Running::start().await;
    let mut asker = gateway.device(1).await;
    asker.ok("question.request", question("q1")).await;
    let short = asker.ok("question.waitAnswer", json!({ "id": "q1", "timeoutMs": 50 })).await;
    assert_eq!(short, json!({ "status": "pending" }));
    let mut waits = Vec::new();
    for _ in 0..1024 {
        waits.push(asker.start("question.waitAnswer", json!({ "id": "q1" })).await);
    }
    let error = asker.refused("question.waitAnswer", json!({ "id": "q1" })).await;
    assert_eq!(error["code"], "UNAVAILABLE");
    asker.ok("question.list", json!({})).await;
    waits.push(asker.start("question.resolve", answer("q1", "Yes")).await);
    // In any order, with events between them.
    while !waits.is_empty() {
        let frame = asker.next().await.unwrap();
        if frame["type"] == "res" {
            assert_eq!(frame["payload"]["status"], "answered");
            waits.retain(|id| frame["id"] != id.as_str());
        }
    }
}

#[tokio::test]
async fn calls_may_overlap_and_keep_their_order() {
    let gateway = Running::start().await;
    let mut asker = gateway.device(1).await;
    let mut calls = Vec::new();
    for n in 0..200 {
        calls.push(asker.start("question.request", question(&format!("q{n}"))).await);
        calls.push(asker.start("question.resolve", answer(&format!("q{n}"), "Yes")).await);
    }
    let mut answered = 0;
    while answered < calls.len() {
        let frame = asker.next().await.unwrap();
        if frame["type"] == "res" {
            assert_eq!(frame["ok"], true, "{frame}");
            answered += 1;
        }
    }
}

#[tokio::test]
async fn of_two_answers_at_once_one_wins_and_both_devices_show_it() {
    let gateway = Running::start().await;
    let mut devices = [gateway.device(1).await, gateway.device(2).await];
    for round in 0..20 {
        let id = format!("q{round}");
        devices[0].ok("question.request", question(&id)).await;
        let [a, b] = &mut devices;
        let (a, b) =
            tokio::join!(a.call("question.resolve", answer(&id, "Yes")), b.call("question.resolve", answer(&id, "No")));
        let winner = match (a["ok"].as_bool(), b["ok"].as_bool()) {
            (Some(true), Some(false)) => a,
            (Some(false), Some(true)) => b,
            _ => panic!("{a} {b}"),
        };
        for device in &mut devices {
            let told = device.event("question.resolved").await;
            assert_eq!(told["payload"]["answers"], winner["payload"]["answers"]);
        }
    }
}

#[tokio::test]
async fn a_question_stays_when_its_asker_goes() {
    let gateway = Running::start().await;
    let mut phone = gateway.device(1).await;
    let mut asker = gateway.device(2).await;
    asker.ok("question.request", question("orphan")).await;
    drop(asker);
    phone.ok("question.resolve", answer("orphan", "Yes")).await;
}

#[tokio::test]
async fn only_the_questions_scope_sees_questions() {
    let gateway = Running::start().await;
    let mut reader = gateway.device_for(1, &["operator.read", "operator.write"]).await;
    let mut answerer = gateway.device_for(2, &["operator.questions"]).await;
    let mut admin = gateway.device_for(3, &["operator.admin"]).await;
    let missing = |scope: &str| {
        json!({ "code": "FORBIDDEN", "message": format!("missing scope: {scope}"),
            "details": { "code": "MISSING_SCOPE", "missingScope": scope, "requiredScopes": [scope] } })
    };
    for (method, params) in [
        ("question.request", question("q1")),
        ("question.list", json!({})),
        ("question.get", json!({ "id": "q1" })),
        ("question.resolve", answer("q1", "Yes")),
        ("question.waitAnswer", json!({ "id": "q1" })),
    ] {
        assert_eq!(reader.refused(method, params).await, missing("operator.questions"), "{method}");
    }
    answerer.ok("question.request", question("q1")).await;
    admin.event("question.requested").await;
    admin.ok("question.resolve", answer("q1", "Yes")).await;
    tokio::time::sleep(Duration::from_millis(50)).await;
    reader.refused("question.list", json!({})).await;
    assert!(reader.events.is_empty());

    for method in ["question.nope", "chat.send", "connect"] {
        assert_eq!(answerer.refused(method, json!({})).await, missing("operator.admin"), "{method}");
        assert_eq!(admin.refused(method, json!({})).await["message"], format!("unknown method: {method}"));
    }
}

#[tokio::test]
async fn every_event_is_counted_on_its_own_connection() {
    let gateway = Running::start().await;
    let mut early = gateway.device(1).await;
    for n in 0..3 {
        early.ok("question.request", question(&format!("a{n}"))).await;
    }
    let mut late = gateway.device(2).await;
    early.ok("question.request", question("b")).await;
    assert_eq!(late.event("question.requested").await["seq"], 1);
    let seqs: Vec<_> = early.events.iter().map(|event| event["seq"].as_u64().unwrap()).collect();
    assert_eq!(seqs, [1, 2, 3, 4]);
}
