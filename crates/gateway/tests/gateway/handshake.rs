//! Who is let in, with what, and what the others are told.

use beckon_protocol::connect::ConnectParams;
use beckon_protocol::device::DeviceKey;
use serde_json::{Value, json};

use crate::client::{Running, SCOPES, TOKEN, params};

#[tokio::test]
async fn a_device_with_the_shared_token_is_let_in_and_gets_a_token_of_its_own() {
    let gateway = Running::start().await;
    let mut socket = gateway.socket().await;
    let response = socket.connect(1, |_| {}).await;
    let hello = &response["payload"];
    assert_eq!(hello["type"], "hello-ok");
    assert_eq!(hello["protocol"], 4);
    assert_eq!(hello["auth"]["method"], "token");
    assert_eq!(hello["auth"]["scopes"], json!(SCOPES));
    let methods = ["question.get", "question.list", "question.request", "question.resolve", "question.waitAnswer"];
    assert_eq!(hello["features"]["methods"], json!(methods));
    let events = ["connect.challenge", "question.requested", "question.resolved", "shutdown", "tick"];
    assert_eq!(hello["features"]["events"], json!(events));
    assert_eq!(
        hello["policy"],
        json!({ "maxPayload": 26_214_400, "maxBufferedBytes": 52_428_800, "tickIntervalMs": 30_000 })
    );
    let token = hello["auth"]["deviceToken"].as_str().unwrap().to_owned();
    assert_eq!(token.len(), 43);

    for (place, method) in [("token", "device-token"), ("deviceToken", "device-token")] {
        let again = gateway
            .socket()
            .await
            .connect(1, |params| {
                params.auth.token = (place == "token").then(|| token.clone());
                params.auth.device_token = (place == "deviceToken").then(|| token.clone());
            })
            .await;
        assert_eq!(again["payload"]["auth"]["method"], method, "{place}");
        assert_eq!(again["payload"]["auth"]["deviceToken"], token.as_str(), "the same at every connect");
        assert_eq!(again["payload"]["server"]["bootId"], hello["server"]["bootId"]);
        assert_ne!(again["payload"]["server"]["connId"], hello["server"]["connId"]);
    }
}

#[tokio::test]
async fn wider_scopes_need_the_shared_token_and_make_a_new_device_token() {
    let gateway = Running::start().await;
    let few = |params: &mut ConnectParams| params.scopes.truncate(1);
    let narrow = gateway.socket().await.connect(1, few).await;
    let token = narrow["payload"]["auth"]["deviceToken"].as_str().unwrap().to_owned();
    let with_device_token = |params: &mut ConnectParams| {
        params.auth.token = None;
        params.auth.device_token = Some(token.clone());
    };
    let refused = gateway.socket().await.connect(1, with_device_token).await;
    assert_eq!(refused["error"]["details"]["code"], "AUTH_SCOPE_MISMATCH");
    assert_eq!(
        refused["error"]["message"],
        "unauthorized: device token scope mismatch (re-pair or approve scope upgrade)"
    );
    let wide = gateway.socket().await.connect(1, |_| {}).await;
    assert_eq!(wide["payload"]["auth"]["scopes"], json!(SCOPES));
    assert_ne!(wide["payload"]["auth"]["deviceToken"], token.as_str());
    let old = gateway
        .socket()
        .await
        .connect(1, |params| {
            few(params);
            with_device_token(params);
        })
        .await;
    assert_eq!(old["error"]["details"]["code"], "AUTH_DEVICE_TOKEN_MISMATCH");
    let narrow_again = gateway.socket().await.connect(1, few).await;
    assert_eq!(narrow_again["payload"]["auth"]["scopes"], json!(["operator.read"]), "fewer is fine");
    assert_eq!(narrow_again["payload"]["auth"]["deviceToken"], wide["payload"]["auth"]["deviceToken"]);
}

#[tokio::test]
async fn scopes_that_don_t_exist_are_not_granted_and_none_is_granted_twice() {
    let gateway = Running::start().await;
    let scopes = ["operator.questions", "operator.nope", "operator.questions"];
    let hello = gateway
        .socket()
        .await
        .connect(1, |params| params.scopes = scopes.iter().map(ToString::to_string).collect())
        .await;
    assert_eq!(hello["payload"]["auth"]["scopes"], json!(["operator.questions"]));
}

#[tokio::test]
async fn without_a_device_only_the_command_line_may_do_anything() {
    let gateway = Running::start().await;
    for (id, mode, scopes) in [
        ("gateway-client", "backend", json!(SCOPES)),
        ("cli", "cli", json!(SCOPES)),
        ("gateway-client", "ui", json!([])),
        ("openclaw-linux", "ui", json!([])),
    ] {
        let mut socket = gateway.socket().await;
        socket.challenge().await;
        let mut params = params();
        params.client.id = id.into();
        params.client.mode = mode.into();
        let hello = socket.call("connect", serde_json::to_value(params).unwrap()).await;
        assert_eq!(hello["payload"]["auth"]["scopes"], scopes, "{id} {mode}");
        assert!(hello["payload"]["auth"].get("deviceToken").is_none());
    }
}

#[tokio::test]
async fn a_node_has_no_scopes_and_a_probe_may_speak_the_version_before() {
    let gateway = Running::start().await;
    let node = gateway.socket().await.connect(1, |params| params.role = "node".into()).await;
    assert_eq!(node["payload"]["auth"]["scopes"], json!([]));
    let probe = gateway
        .socket()
        .await
        .connect(2, |params| {
            (params.min_protocol, params.max_protocol) = (3, 3);
            params.client.id = "openclaw-probe".into();
            params.client.mode = "probe".into();
        })
        .await;
    assert_eq!(probe["ok"], true);
}

/// One refusal: what is changed in otherwise good parameters, before or after they are signed.
struct Refused {
    name: &'static str,
    unsigned: fn(&mut ConnectParams),
    signed: fn(&mut Value),
    code: &'static str,
    message: &'static str,
    details: Value,
    close: u16,
}

fn refused(name: &'static str, message: &'static str, details: Value) -> Refused {
    Refused { name, unsigned: |_| {}, signed: |_| {}, code: "INVALID_REQUEST", message, details, close: 1008 }
}

fn auth(code: &str, reason: &str, retry: bool, next: &str) -> Value {
    json!({ "code": code, "authReason": reason, "canRetryWithDeviceToken": retry, "recommendedNextStep": next })
}

const TOKEN_MISMATCH: &str = "unauthorized: gateway token mismatch (provide gateway auth token)";

fn refusals() -> Vec<Refused> {
    let device_mismatch =
        || auth("AUTH_DEVICE_TOKEN_MISMATCH", "device_token_mismatch", false, "update_auth_credentials");
    let proof = |code: &str, reason: &str| json!({ "code": code, "reason": reason });
    let no_device = |params: &mut Value| drop(params.as_object_mut().unwrap().remove("device"));
    vec![
        Refused {
            unsigned: |params| params.auth.token = Some("wrong".into()),
            ..refused(
                "wrong token",
                TOKEN_MISMATCH,
                auth("AUTH_TOKEN_MISMATCH", "token_mismatch", true, "retry_with_device_token"),
            )
        },
        Refused {
            signed: |params| {
                params["auth"]["token"] = json!("wrong");
                params.as_object_mut().unwrap().remove("device");
            },
            ..refused(
                "wrong token, no device",
                TOKEN_MISMATCH,
                auth("AUTH_TOKEN_MISMATCH", "token_mismatch", false, "update_auth_credentials"),
            )
        },
        Refused {
            unsigned: |params| params.auth.token = None,
            ..refused(
                "no token",
                "unauthorized: gateway token missing (provide gateway auth token)",
                auth("AUTH_TOKEN_MISSING", "token_missing", false, "update_auth_configuration"),
            )
        },
        Refused {
            unsigned: |params| (params.auth.token, params.auth.device_token) = (None, Some("nope".into())),
            ..refused(
                "wrong device token",
                "unauthorized: device token mismatch (rotate/reissue device token)",
                device_mismatch(),
            )
        },
        Refused {
            unsigned: |params| params.auth.device_token = Some("nope".into()),
            signed: |params| params["auth"]["token"] = json!("wrong"),
            // The signature covers the token, so this one is caught earlier.
            ..refused(
                "token changed after signing",
                "device signature invalid",
                proof("DEVICE_AUTH_SIGNATURE_INVALID", "device-signature"),
            )
        },
        Refused {
            unsigned: |params| (params.auth.token, params.auth.bootstrap_token) = (None, Some("used".into())),
            ..refused(
                "setup code",
                "unauthorized: setup code invalid, expired, revoked, or already used (create a new code)",
                auth("AUTH_BOOTSTRAP_TOKEN_INVALID", "bootstrap_token_invalid", false, "review_auth_configuration"),
            )
        },
        Refused {
            unsigned: |params| params.auth.token = None,
            signed: no_device,
            code: "NOT_PAIRED",
            ..refused("nothing at all", "device identity required", json!({ "code": "DEVICE_IDENTITY_REQUIRED" }))
        },
        Refused {
            unsigned: |params| (params.min_protocol, params.max_protocol) = (5, 5),
            close: 1002,
            ..refused(
                "newer protocol",
                "protocol mismatch",
                json!({ "code": "PROTOCOL_MISMATCH", "clientMinProtocol": 5, "clientMaxProtocol": 5,
                    "expectedProtocol": 4, "minimumProbeProtocol": 3 }),
            )
        },
        Refused {
            unsigned: |params| (params.min_protocol, params.max_protocol) = (3, 3),
            close: 1002,
            ..refused(
                "older protocol",
                "protocol mismatch",
                json!({ "code": "PROTOCOL_MISMATCH", "clientMinProtocol": 3, "clientMaxProtocol": 3,
                    "expectedProtocol": 4, "minimumProbeProtocol": 3 }),
            )
        },
        Refused {
            unsigned: |params| params.role = "boss".into(),
            ..refused("unknown role", "invalid role", Value::Null)
        },
        Refused {
            unsigned: |params| params.client.id = "webchat-ui".into(),
            ..refused(
                "a web page's client id",
                "origin not allowed (open the Control UI from the gateway host or allow it in gateway.controlUi.allowedOrigins)",
                proof("CONTROL_UI_ORIGIN_NOT_ALLOWED", "origin missing or invalid"),
            )
        },
        Refused {
            signed: |params| params["device"]["signature"] = json!("AAAA"),
            ..refused(
                "bad signature",
                "device signature invalid",
                proof("DEVICE_AUTH_SIGNATURE_INVALID", "device-signature"),
            )
        },
        Refused {
            signed: |params| params["scopes"] = json!(["operator.admin"]),
            ..refused(
                "scopes changed after signing",
                "device signature invalid",
                proof("DEVICE_AUTH_SIGNATURE_INVALID", "device-signature"),
            )
        },
        Refused {
            signed: |params| params["device"]["nonce"] = json!("00000000-0000-4000-8000-000000000000"),
            ..refused(
                "another connection's nonce",
                "device nonce mismatch",
                proof("DEVICE_AUTH_NONCE_MISMATCH", "device-nonce-mismatch"),
            )
        },
        Refused {
            signed: |params| params["device"]["nonce"] = json!(" "),
            ..refused(
                "blank nonce",
                "device nonce required",
                proof("DEVICE_AUTH_NONCE_REQUIRED", "device-nonce-missing"),
            )
        },
        Refused {
            signed: |params| params["device"]["signedAt"] = json!(1_000_000),
            ..refused(
                "old signature",
                "device signature expired",
                proof("DEVICE_AUTH_SIGNATURE_EXPIRED", "device-signature-stale"),
            )
        },
        Refused {
            signed: |params| params["device"]["id"] = json!(DeviceKey::from_seed(&[9; 32]).id()),
            ..refused(
                "id of another key",
                "device identity mismatch",
                proof("DEVICE_AUTH_DEVICE_ID_MISMATCH", "device-id-mismatch"),
            )
        },
        Refused {
            signed: |params| params["device"]["publicKey"] = json!("xx"),
            ..refused(
                "broken key",
                "device identity mismatch",
                proof("DEVICE_AUTH_DEVICE_ID_MISMATCH", "device-id-mismatch"),
            )
        },
    ]
}

#[tokio::test]
async fn every_refusal_has_its_code_message_details_and_close() {
    for case in refusals() {
        // A gateway each: wrong credentials are counted by address.
        let gateway = Running::start().await;
        let mut socket = gateway.socket().await;
        let challenge = socket.challenge().await;
        let mut params = params();
        (case.unsigned)(&mut params);
        let (nonce, ts) = (challenge["nonce"].as_str().unwrap(), challenge["ts"].as_u64().unwrap());
        params.device = Some(DeviceKey::from_seed(&[1; 32]).prove(&params, nonce, ts));
        let mut params = serde_json::to_value(params).unwrap();
        (case.signed)(&mut params);
        let response = socket.call("connect", params).await;
        assert_eq!(response["ok"], false, "{}", case.name);
        assert_eq!(response["error"]["code"], case.code, "{}", case.name);
        assert_eq!(response["error"]["message"], case.message, "{}", case.name);
        assert_eq!(response["error"].get("details").cloned().unwrap_or_default(), case.details, "{}", case.name);
        let reason: String = case.message.chars().take(120).collect();
        assert_eq!(socket.closed().await, (case.close, reason), "{}", case.name);
    }
}

#[tokio::test]
async fn a_device_token_works_only_with_its_own_key() {
    let gateway = Running::start().await;
    let hello = gateway.socket().await.connect(1, |_| {}).await;
    let token = hello["payload"]["auth"]["deviceToken"].as_str().unwrap().to_owned();
    gateway.device(2).await;
    for seed in [2, 3] {
        let stolen = gateway
            .socket()
            .await
            .connect(seed, |params| (params.auth.token, params.auth.device_token) = (None, Some(token.clone())))
            .await;
        assert_eq!(stolen["error"]["details"]["code"], "AUTH_DEVICE_TOKEN_MISMATCH");
    }
}

#[tokio::test]
async fn a_signature_can_t_be_used_on_another_connection() {
    let gateway = Running::start().await;
    let (mut first, mut second) = (gateway.socket().await, gateway.socket().await);
    let challenge = first.challenge().await;
    second.challenge().await;
    let mut params = params();
    let (nonce, ts) = (challenge["nonce"].as_str().unwrap(), challenge["ts"].as_u64().unwrap());
    params.device = Some(DeviceKey::from_seed(&[1; 32]).prove(&params, nonce, ts));
    let replayed = second.call("connect", serde_json::to_value(params).unwrap()).await;
    assert_eq!(replayed["error"]["details"]["code"], "DEVICE_AUTH_NONCE_MISMATCH");
}

#[tokio::test]
async fn guessing_ends_after_ten_tries_even_with_the_right_token() {
    let gateway = Running::start().await;
    for _ in 0..10 {
        let wrong = gateway.socket().await.connect(1, |params| params.auth.token = Some("wrong".into())).await;
        assert_eq!(wrong["error"]["details"]["code"], "AUTH_TOKEN_MISMATCH");
    }
    let limited = gateway.socket().await.connect(1, |params| params.auth.token = Some(TOKEN.into())).await;
    let error = &limited["error"];
    assert_eq!(error["message"], "unauthorized: too many failed authentication attempts (retry later)");
    assert_eq!(error["details"], auth("AUTH_RATE_LIMITED", "rate_limited", false, "wait_then_retry"));
    assert_eq!(error["retryable"], true);
    let wait = error["retryAfterMs"].as_u64().unwrap();
    assert!((50_000..=60_000).contains(&wait), "{wait}");
}

#[tokio::test]
async fn a_first_frame_that_is_no_connect_ends_the_connection() {
    let gateway = Running::start().await;
    for (frame, response, close) in [
        ("hello", None, (1000, "")),
        ("", None, (1000, "")),
        (r#"{"hi":1}"#, None, (1008, "invalid request frame")),
        ("[]", None, (1008, "invalid request frame")),
        (r#"{"type":"req","id":"1","method":"connect","zz":1}"#, None, (1008, "invalid request frame")),
        (
            r#"{"type":"req","id":"1","method":"question.list","params":{}}"#,
            Some("invalid handshake: first request must be connect"),
            (1008, "invalid handshake: first request must be connect"),
        ),
        (
            r#"{"type":"req","id":"1","method":"connect"}"#,
            Some("invalid connect params: must be object"),
            (1008, "invalid connect params: must be object"),
        ),
    ] {
        let mut socket = gateway.socket().await;
        socket.challenge().await;
        socket.send(frame).await;
        if let Some(message) = response {
            let answer = socket.next().await.unwrap();
            assert_eq!((&answer["id"], &answer["error"]["message"]), (&json!("1"), &json!(message)), "{frame}");
        }
        assert_eq!(socket.closed().await, (close.0, close.1.to_owned()), "{frame}");
    }
}
