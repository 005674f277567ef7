//! Every wire type against what a real OpenClaw gateway (2026.9.6) sent or accepted: read, and written the same.
#![allow(clippy::unwrap_used, missing_docs, clippy::needless_pass_by_value)]

use beckon_protocol::connect::{Challenge, ConnectParams, HelloOk, Tick};
use beckon_protocol::error::ErrorShape;
use beckon_protocol::frame::Frame;
use beckon_protocol::question::{
    GetParams, GetResult, ListResult, QuestionRecord, RequestParams, Requested, ResolveParams, Resolved, WaitParams,
};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

/// Reads `recorded` as a `T` and writes it: nothing may be lost, added or renamed.
fn same<T: DeserializeOwned + Serialize>(recorded: Value) {
    let read: T = serde_json::from_value(recorded.clone()).unwrap();
    assert_eq!(serde_json::to_value(read).unwrap(), recorded);
}

fn record() -> Value {
    json!({
        "id": "ask_880b1c3c586c58245a4fdb1c496f53f1",
        "questions": [
            { "questionId": "db", "header": "Database", "question": "Which database?", "isOther": true, "options": [
                { "label": "SQLite (Recommended)" }, { "label": "Postgres", "description": "Needs a server" } ] },
            { "questionId": "features", "header": "A very long ", "question": "Which features?", "multiSelect": true,
              "isOther": true, "options": [{ "label": "Login" }, { "label": "Export, CSV" }] },
        ],
        "agentId": "main", "sessionKey": "agent:main:main", "runId": "ea79fcd7-c062-41ef-a01d-c707f69aa7e5",
        "createdAtMs": 1_796_136_441_215_u64, "expiresAtMs": 1_796_137_341_215_u64, "status": "pending"
    })
}

fn answers() -> Value {
    json!({ "answers": { "deploy_target": ["Production"] } })
}

#[test]
fn questions() {
    same::<QuestionRecord>(record());
    let mut ended = record();
    ended["status"] = json!("answered");
    ended["answers"] = answers();
    ended["resolvedBy"] = json!("plain-text");
    same::<QuestionRecord>(ended);
    same::<ListResult>(json!({ "questions": [record()] }));
    same::<GetParams>(json!({ "id": "ask_1" }));
    same::<GetResult>(json!({ "question": record() }));
    same::<RequestParams>(json!({
        "id": "my-id", "questions": [{ "questionId": "q", "header": "H", "question": "Go?",
            "options": [{ "label": "Yes" }, { "label": "No" }], "url": "https://example.com/a" }],
        "sessionKey": "agent:main:main", "agentId": "main", "runId": "run-x", "timeoutMs": 5000
    }));
    same::<Requested>(json!({ "id": "my-id", "expiresAtMs": 1 }));
}

#[test]
fn endings() {
    same::<ResolveParams>(
        json!({ "id": "a", "answers": answers(), "resolvedBy": "desktop-1", "resolutionId": "res-1" }),
    );
    same::<ResolveParams>(json!({ "id": "a", "cancel": true, "resolvedBy": "desktop-1" }));
    same::<WaitParams>(json!({ "id": "a", "timeoutMs": 100, "includeResolutionId": true }));
    for ending in [
        json!({ "id": "a", "status": "answered", "answers": answers() }),
        json!({ "id": "a", "status": "cancelled" }),
        json!({ "status": "expired" }),
        json!({ "status": "pending" }),
        json!({ "status": "answered", "answers": answers(), "resolutionId": "res-1" }),
    ] {
        same::<Resolved>(ending);
    }
}

#[test]
fn the_handshake() {
    same::<Challenge>(json!({ "nonce": "1f2706c3-7ffe-4945-96b6-d29c3397ebfc", "ts": 1_796_134_990_309_u64 }));
    same::<ConnectParams>(json!({
        "minProtocol": 4, "maxProtocol": 4,
        "client": { "id": "openclaw-linux", "displayName": "Peer", "version": "0.1.0", "platform": "linux",
            "deviceFamily": "desktop", "mode": "ui" },
        "caps": ["tool-events"], "role": "operator", "scopes": ["operator.read", "operator.questions"],
        "auth": { "token": "t" }, "locale": "en-US", "userAgent": "peer/0.1",
        "device": { "id": "6f5d", "publicKey": "EL9t", "signature": "s", "signedAt": 1, "nonce": "n" }
    }));
    same::<HelloOk>(json!({
        "type": "hello-ok", "protocol": 4,
        "server": { "version": "2026.9.6", "bootId": "59473d78", "connId": "b3e1121f" },
        "features": { "methods": ["question.list"], "events": ["question.requested"], "capabilities": [] },
        "snapshot": { "uptimeMs": 168_807 },
        "auth": { "method": "token", "role": "operator", "scopes": ["operator.read"], "deviceToken": "24M4",
            "issuedAtMs": 1_796_134_990_358_u64 },
        "policy": { "maxPayload": 26_214_400, "maxBufferedBytes": 52_428_800, "tickIntervalMs": 30000 }
    }));
    same::<Tick>(json!({ "ts": 1 }));
}

#[test]
fn frames_and_refusals() {
    same::<Frame>(json!({ "type": "req", "id": "A1", "method": "question.list", "params": {} }));
    same::<Frame>(json!({ "type": "res", "id": "A1", "ok": true, "payload": { "status": "cancelled" } }));
    same::<Frame>(json!({ "type": "event", "event": "question.requested", "payload": record(), "seq": 21 }));
    same::<ErrorShape>(json!({ "code": "INVALID_REQUEST", "message": "question 'X' was not found",
        "details": { "reason": "QUESTION_NOT_FOUND" } }));
    same::<ErrorShape>(json!({ "code": "UNAVAILABLE", "message": "question.list unavailable during gateway restart",
        "retryable": true, "retryAfterMs": 1000, "details": { "reason": "gateway-restarting" } }));
}

#[test]
fn secrets_are_not_in_debug_output() {
    let params = json!({ "minProtocol": 4, "maxProtocol": 4, "client": { "id": "cli", "version": "1", "platform": "linux",
        "mode": "cli" }, "auth": { "token": "canary-7f3a", "deviceToken": "canary-7f3a" } });
    let params: ConnectParams = serde_json::from_value(params).unwrap();
    assert!(!format!("{params:?}").contains("canary"));
}
