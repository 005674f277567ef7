//! Refusals of parameters, word for word as OpenClaw 2026.9.6 gave them to the same calls.

use serde_json::{Value, json};

use crate::client::Running;

fn one(change: impl FnOnce(&mut Value)) -> Value {
    let mut question = json!({ "questionId": "q", "header": "H", "question": "Go?",
        "options": [{ "label": "Yes" }, { "label": "No" }] });
    change(&mut question);
    json!({ "questions": [question] })
}

fn with(name: &str, value: Value) -> Value {
    one(|question| question[name] = value)
}

fn request_cases() -> Vec<(Value, &'static str)> {
    let beside = |name: &str, value: Value| {
        let mut params = one(|_| {});
        params[name] = value;
        params
    };
    let several = |ids: &[&str]| {
        let questions: Vec<_> = ids.iter().map(|id| with("questionId", json!(id))["questions"][0].clone()).collect();
        json!({ "questions": questions })
    };
    vec![
        (json!({}), "must have required property 'questions'"),
        (Value::Null, "must have required property 'questions'"),
        (json!("x"), "must be object"),
        (json!([]), "must be object"),
        (json!({ "questions": "x" }), "at /questions: must be array"),
        (json!({ "questions": [] }), "at /questions: must not have fewer than 1 items"),
        (json!({ "questions": [1] }), "at /questions/0: must be object"),
        (json!({ "questions": [{}] }), "at /questions/0: must have required property 'questionId'"),
        (several(&["a", "b", "c", "d"]), "at /questions: must not have more than 3 items"),
        (with("image", json!("x")), "at /questions/0: unexpected property 'image'"),
        (with("questionId", json!("Q-1")), "at /questions/0/questionId: must match pattern \"^[a-z][a-z0-9_]*$\""),
        (with("header", json!("1234567890123")), "at /questions/0/header: must not have more than 12 characters"),
        (with("header", json!(5)), "at /questions/0/header: must be string"),
        (with("question", json!("")), "at /questions/0/question: must not have fewer than 1 characters"),
        (with("url", json!("")), "at /questions/0/url: must not have fewer than 1 characters"),
        (
            with("url", json!(format!("https://{}", "x".repeat(2050)))),
            "at /questions/0/url: must not have more than 2048 characters",
        ),
        (with("options", json!("x")), "at /questions/0/options: must be array"),
        (
            with(
                "options",
                json!([{ "label": "a" }, { "label": "b" }, { "label": "c" }, { "label": "d" }, { "label": "e" }]),
            ),
            "at /questions/0/options: must not have more than 4 items",
        ),
        (
            with("options", json!([{}, { "label": "b" }])),
            "at /questions/0/options/0: must have required property 'label'",
        ),
        (
            with("options", json!([{ "label": "" }, { "label": "b" }])),
            "at /questions/0/options/0/label: must not have fewer than 1 characters",
        ),
        (
            with("options", json!([{ "label": "a", "x": 1 }, { "label": "b" }])),
            "at /questions/0/options/0: unexpected property 'x'",
        ),
        (with("multiSelect", json!("yes")), "at /questions/0/multiSelect: must be boolean"),
        (
            with("secretStore", json!({ "name": "A", "kind": "x" })),
            "at /questions/0/secretStore/kind: must be equal to constant; \
             at /questions/0/secretStore/kind: must match a schema in anyOf",
        ),
        (beside("timeoutMs", json!(0)), "at /timeoutMs: must be >= 1"),
        (beside("timeoutMs", json!("5")), "at /timeoutMs: must be integer"),
        (beside("timeoutMs", json!(1.5)), "at /timeoutMs: must be integer"),
        (beside("id", json!("")), "at /id: must not have fewer than 1 characters"),
        (beside("agentId", Value::Null), "at /agentId: must be string"),
        (beside("zz", json!(1)), "at root: unexpected property 'zz'"),
        (
            {
                let mut params = one(|question| {
                    question["header"] = json!("1234567890123");
                    question["question"] = json!("");
                });
                params["timeoutMs"] = json!(0);
                params["zz"] = json!(1);
                params
            },
            "at root: unexpected property 'zz'; at /questions/0/header: must not have more than 12 characters; \
             at /questions/0/question: must not have fewer than 1 characters; at /timeoutMs: must be >= 1",
        ),
    ]
}

fn resolve_cases() -> Vec<(Value, &'static str)> {
    vec![
        (json!({}), "must have required property 'id'; must match a schema in anyOf"),
        (json!([]), "must be object; must match a schema in anyOf"),
        (
            json!({ "id": "x" }),
            "must have required property 'answers'; must have required property 'cancel'; must match a schema in anyOf",
        ),
        (
            json!({ "id": "x", "cancel": false }),
            "must have required property 'answers'; at root: unexpected property 'cancel'; \
             at /cancel: must be equal to constant; must match a schema in anyOf",
        ),
        (
            json!({ "id": "x", "cancel": true, "answers": { "answers": {} } }),
            "at root: unexpected property 'cancel'; at root: unexpected property 'answers'; must match a schema in anyOf",
        ),
        (
            json!({ "id": "x", "cancel": true, "resolutionId": "r" }),
            "must have required property 'answers'; at root: unexpected property 'cancel'; \
             at root: unexpected property 'resolutionId'; must match a schema in anyOf",
        ),
        (
            json!({ "id": "x", "answers": { "answers": { "a": [5] } } }),
            "at /answers/answers/a/0: must be string; must have required property 'cancel'; \
             at root: unexpected property 'answers'; must match a schema in anyOf",
        ),
        (
            json!({ "id": "x", "answers": { "answers": {} }, "resolutionId": "x".repeat(129) }),
            "at /resolutionId: must not have more than 128 characters; must have required property 'cancel'; \
             at root: unexpected property 'answers'; must match a schema in anyOf",
        ),
    ]
}

#[tokio::test]
async fn schema_faults_read_as_in_openclaw_and_store_nothing() {
    let gateway = Running::start().await;
    let mut socket = gateway.device(1).await;
    let others = [
        ("question.get", json!({}), "must have required property 'id'"),
        ("question.get", json!({ "id": "x", "extra": 1 }), "at root: unexpected property 'extra'"),
        ("question.list", json!({ "sessionKey": "agent:main:main" }), "at root: unexpected property 'sessionKey'"),
        ("question.waitAnswer", json!({ "id": "x", "timeoutMs": 0 }), "at /timeoutMs: must be >= 1"),
        (
            "question.waitAnswer",
            json!({ "id": "x", "includeResolutionId": 1 }),
            "at /includeResolutionId: must be boolean",
        ),
    ];
    let cases = request_cases()
        .into_iter()
        .map(|(params, faults)| ("question.request", params, faults))
        .chain(resolve_cases().into_iter().map(|(params, faults)| ("question.resolve", params, faults)))
        .chain(others);
    for (method, params, faults) in cases {
        let error = socket.refused(method, params).await;
        assert_eq!(
            error,
            json!({ "code": "INVALID_REQUEST", "message": format!("invalid {method} params: {faults}") })
        );
    }
    assert_eq!(socket.ok("question.list", json!({})).await, json!({ "questions": [] }));
    assert!(socket.events.is_empty());
}

#[tokio::test]
async fn rules_beyond_the_schema_read_as_in_openclaw_and_store_nothing() {
    let gateway = Running::start().await;
    let mut socket = gateway.device(1).await;
    let secret = json!({ "name": "API_KEY", "kind": "secret" });
    let url = "question 'q' requires an absolute HTTP(S) URL without credentials";
    for (params, message) in [
        (with("options", json!([{ "label": "Yes" }])), "question 'q' must have either no options or 2 to 4 options"),
        (
            with("options", json!([{ "label": "Yes" }, { "label": " yes" }])),
            "question 'q' has duplicate option label ' yes'",
        ),
        (
            json!({ "questions": [one(|_| {})["questions"][0], one(|_| {})["questions"][0]] }),
            "duplicate question id 'q'",
        ),
        (with("isSecret", json!(true)), "question 'q': secret questions are not supported yet"),
        (with("secretStore", secret.clone()), "secret store questions require an operator.admin client"),
        (with("url", json!("javascript:alert(1)")), url),
        (with("url", json!("https://user:secret@host/")), url),
        (with("url", json!("/relative")), url),
        (with("url", json!(" https://host/")), url),
        (with("url", json!("https:host")), url),
    ] {
        assert_eq!(
            socket.refused("question.request", params).await,
            json!({ "code": "INVALID_REQUEST", "message": message })
        );
    }
    assert_eq!(socket.ok("question.list", json!({})).await, json!({ "questions": [] }));
    let mut admin = gateway.device_for(2, &["operator.admin"]).await;
    let error = admin.refused("question.request", with("secretStore", secret)).await;
    assert_eq!(error["message"], "secret store questions require trusted agent runtime authority");
    socket.ok("question.request", with("url", json!("HTTPS://host/path"))).await;
}

#[tokio::test]
async fn answers_are_refused_as_in_openclaw_and_change_nothing() {
    let gateway = Running::start().await;
    let mut socket = gateway.device(1).await;
    let options = json!([{ "label": "Postgres" }, { "label": "MySQL" }]);
    let questions = json!([
        { "questionId": "db", "header": "DB", "question": "Which?", "options": options },
        { "questionId": "features", "header": "F", "question": "What?", "options": options, "multiSelect": true, "isOther": true },
    ]);
    socket.ok("question.request", json!({ "id": "q1", "questions": questions })).await;
    let answers = |db: Value, features: Value| json!({ "db": db, "features": features });
    for (answers, message) in [
        (json!({ "db": ["Postgres"] }), "question 'features' requires an answer"),
        (answers(json!([]), json!(["MySQL"])), "question 'db' requires an answer"),
        (answers(json!(["  "]), json!(["MySQL"])), "question 'db' contains an empty answer"),
        (answers(json!(["Postgres", "MySQL"]), json!(["MySQL"])), "question 'db' does not allow multiple answers"),
        (answers(json!(["postgres"]), json!(["MySQL"])), "question 'db' contains an unknown option"),
        (json!({ "db": ["MySQL"], "features": ["x"], "zzz": ["x"] }), "question 'zzz' is not part of this request"),
    ] {
        let error = socket.refused("question.resolve", json!({ "id": "q1", "answers": { "answers": answers } })).await;
        let details = json!({ "reason": "QUESTION_INVALID_ANSWER" });
        assert_eq!(error, json!({ "code": "INVALID_REQUEST", "message": message, "details": details }));
    }
    let error = socket.refused("question.resolve", json!({ "id": "nope", "cancel": true })).await;
    assert_eq!(error["message"], "question 'nope' was not found");
    assert_eq!(error["details"], json!({ "reason": "QUESTION_NOT_FOUND" }));
    let kept = answers(json!([" Postgres "]), json!(["MySQL", " my own ", "MySQL"]));
    let outcome = socket.ok("question.resolve", json!({ "id": "q1", "answers": { "answers": kept } })).await;
    assert_eq!(outcome["answers"]["answers"], answers(json!(["Postgres"]), json!(["MySQL", "my own", "MySQL"])));
}

#[tokio::test]
async fn connect_faults_read_as_in_openclaw() {
    let gateway = Running::start().await;
    let client = json!({ "id": "openclaw-linux", "version": "1", "platform": "linux", "mode": "ui" });
    let base = json!({ "minProtocol": 4, "maxProtocol": 4, "client": client });
    let changed = |place: &str, value: Value| {
        let mut params = base.clone();
        *params.pointer_mut(place).unwrap_or(&mut Value::Null) = value.clone();
        if params.pointer(place).is_none() {
            let (parent, name) = place.rsplit_once('/').unwrap();
            params.pointer_mut(parent).unwrap()[name] = value;
        }
        params
    };
    let device = json!({ "id": "a", "publicKey": "a", "signature": "a", "signedAt": 1, "nonce": "a" });
    let device_with = |name: &str, value: Value| {
        let mut device = device.clone();
        device[name] = value;
        changed("/device", device)
    };
    for (params, faults) in [
        (json!({}), "must have required property 'minProtocol'"),
        (changed("/client/id", json!("my-app")), "at /client/id: must be equal to one of the allowed values"),
        (changed("/client/mode", json!("mobile")), "at /client/mode: must be equal to one of the allowed values"),
        (
            changed("/client", json!({ "id": "cli", "platform": "x", "mode": "ui" })),
            "at /client: must have required property 'version'",
        ),
        (changed("/client/displayName", json!("")), "at /client/displayName: must not have fewer than 1 characters"),
        (changed("/hello", json!(1)), "at root: unexpected property 'hello'"),
        (changed("/minProtocol", json!(0)), "at /minProtocol: must be >= 1"),
        (changed("/auth", json!({ "zz": 1 })), "at /auth: unexpected property 'zz'"),
        (changed("/caps", json!("x")), "at /caps: must be array"),
        (changed("/scopes", json!([1])), "at /scopes/0: must be string"),
        (changed("/scopes", json!([""])), "at /scopes/0: must not have fewer than 1 characters"),
        (device_with("signedAt", json!("x")), "at /device/signedAt: must be integer"),
        (device_with("signedAt", json!(-1)), "at /device/signedAt: must be >= 0"),
        (device_with("nonce", json!("")), "at /device/nonce: must not have fewer than 1 characters"),
    ] {
        let mut socket = gateway.socket().await;
        socket.challenge().await;
        let message = format!("invalid connect params: {faults}");
        let response = socket.call("connect", params).await;
        assert_eq!(response["error"], json!({ "code": "INVALID_REQUEST", "message": message }));
        assert_eq!(socket.closed().await, (1008, message));
    }
    // The close frame has no room for more than 120 bytes of it.
    let mut socket = gateway.socket().await;
    socket.challenge().await;
    let mut params = changed("/minProtocol", json!("x"));
    params["zz"] = json!(1);
    params["client"]["id"] = json!("zz");
    socket.call("connect", params).await;
    assert_eq!(
        socket.closed().await.1,
        "invalid connect params: at root: unexpected property 'zz'; at /minProtocol: must be integer; at /client/id: must be equa"
    );
}
