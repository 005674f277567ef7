//! What survives, and how a gateway stops.

use beckon_gateway::{Gateway, OpenError, Options};
use serde_json::json;

use crate::client::{Running, TOKEN, answer, open, question};

#[tokio::test]
async fn a_crash_keeps_questions_deadlines_answers_and_devices() {
    let dir = tempfile::tempdir().unwrap();
    let gateway = Running::at(dir.path()).await;
    let mut phone = gateway.socket().await;
    let hello = phone.connect(1, |_| {}).await;
    let (token, boot) = (hello["payload"]["auth"]["deviceToken"].clone(), hello["payload"]["server"]["bootId"].clone());
    for id in ["open", "done", "over"] {
        let mut question = question(id);
        question["timeoutMs"] = json!(if id == "over" { 200 } else { 600_000 });
        phone.ok("question.request", question).await;
    }
    let mut answered = answer("done", "No");
    answered["resolutionId"] = json!("r1");
    let outcome = phone.ok("question.resolve", answered.clone()).await;
    let before = phone.ok("question.get", json!({ "id": "open" })).await;
    gateway.crash();
    drop(phone);
    tokio::time::sleep(std::time::Duration::from_millis(250)).await;

    let gateway = Running::at(dir.path()).await;
    let mut phone = gateway.socket().await;
    let hello = phone
        .connect(1, |params| {
            (params.auth.token, params.auth.device_token) = (None, Some(token.as_str().unwrap().to_owned()));
        })
        .await;
    assert_eq!(hello["ok"], true, "{hello}");
    assert_ne!(hello["payload"]["server"]["bootId"], boot);
    assert_eq!(phone.ok("question.list", json!({})).await["questions"], json!([before["question"]]));
    assert_eq!(phone.ok("question.waitAnswer", json!({ "id": "over" })).await, json!({ "status": "expired" }));
    assert_eq!(
        phone.ok("question.resolve", answered).await,
        outcome,
        "the retry of an answer that was acknowledged or not"
    );
    let error = phone.refused("question.request", question("done")).await;
    assert_eq!(error["details"]["reason"], "QUESTION_ID_IN_USE");
}

#[tokio::test]
async fn stopping_tells_everyone_and_frees_the_directory() {
    let dir = tempfile::tempdir().unwrap();
    let mut gateway = Running::at(dir.path()).await;
    let (mut phone, mut stranger) = (gateway.device(1).await, gateway.socket().await);
    stranger.challenge().await;
    phone.ok("question.request", question("q1")).await;
    let wait = phone.start("question.waitAnswer", json!({ "id": "q1" })).await;
    gateway.stop();
    let told = phone.event("shutdown").await;
    assert_eq!((&told["payload"], &told["seq"]), (&json!({ "reason": "gateway stopping" }), &json!(2)));
    assert_eq!(phone.closed().await, (1012, "service restart".to_owned()));
    assert!(phone.events.iter().all(|frame| frame["id"] != wait.as_str()), "a wait just ends");
    assert_eq!(stranger.closed().await, (1012, "service restart".to_owned()));
    gateway.stopped().await;
    open(dir.path()).await;
}

#[tokio::test]
async fn a_client_that_reads_nothing_can_t_hold_up_the_stop() {
    let mut gateway = Running::start().await;
    let phone = gateway.device(1).await;
    gateway.stop();
    let start = std::time::Instant::now();
    gateway.stopped().await;
    assert!(start.elapsed() < std::time::Duration::from_secs(8));
    drop(phone);
}

fn options(dir: &std::path::Path) -> Options {
    Options { state_dir: dir.to_owned(), token: TOKEN.to_owned() }
}

#[tokio::test]
async fn one_gateway_a_directory() {
    let dir = tempfile::tempdir().unwrap();
    let _first = Gateway::open(options(dir.path())).unwrap();
    assert!(matches!(Gateway::open(options(dir.path())), Err(OpenError::InUse(path)) if path == dir.path()));
}

#[tokio::test]
async fn data_that_can_t_be_read_is_refused_and_left_alone() {
    let database = |dir: &std::path::Path| rusqlite::Connection::open(dir.join("gateway.db")).unwrap();
    let newer = tempfile::tempdir().unwrap();
    drop(Gateway::open(options(newer.path())).unwrap());
    drop(open(newer.path()).await);
    database(newer.path()).pragma_update(None, "user_version", 99).unwrap();
    let foreign = tempfile::tempdir().unwrap();
    database(foreign.path()).execute_batch("CREATE TABLE theirs (id INTEGER)").unwrap();
    let torn = tempfile::tempdir().unwrap();
    std::fs::write(torn.path().join("gateway.db"), vec![b'x'; 8192]).unwrap();
    let lost = tempfile::tempdir().unwrap();
    std::fs::write(lost.path().join("gateway.db"), "").unwrap();
    std::fs::write(lost.path().join("gateway.db-wal"), "something").unwrap();

    for (name, dir) in [("newer", &newer), ("foreign", &foreign), ("torn", &torn), ("lost", &lost)] {
        let path = dir.path().join("gateway.db");
        let before = std::fs::read(&path).unwrap();
        let error = loop {
            match Gateway::open(options(dir.path())) {
                Err(OpenError::InUse(_)) => tokio::task::yield_now().await,
                Err(error) => break error,
                Ok(_) => panic!("{name} was opened"),
            }
        };
        let as_expected = match name {
            "newer" => matches!(error, OpenError::TooNew { found: 99, known: 1, .. }),
            "foreign" => matches!(error, OpenError::Foreign(_)),
            _ => matches!(error, OpenError::Damaged { .. }),
        };
        assert!(as_expected, "{name}: {error:?}");
        assert_eq!(std::fs::read(&path).unwrap(), before, "{name}");
    }
}

#[cfg(unix)]
#[tokio::test]
async fn only_the_owner_can_read_the_state() {
    use std::os::unix::fs::PermissionsExt;
    let parent = tempfile::tempdir().unwrap();
    let dir = parent.path().join("state");
    let gateway = Running::at(&dir).await;
    gateway.device(1).await.ok("question.request", question("q1")).await;
    let mode = |path: &std::path::Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&dir), 0o700);
    for file in ["gateway.db", "gateway.db-wal", "gateway.db-shm"] {
        assert_eq!(mode(&dir.join(file)), 0o600, "{file}");
    }
}

#[tokio::test]
async fn an_empty_token_is_no_token() {
    let dir = tempfile::tempdir().unwrap();
    let options = Options { token: " ".to_owned(), ..options(dir.path()) };
    assert!(matches!(Gateway::open(options), Err(OpenError::NoToken)));
}
