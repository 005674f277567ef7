#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::expect_used)]

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use beckon_protocol::question::{Answers, Question, QuestionOption, QuestionRecord, Status};
use proptest::prelude::*;
use tempfile::TempDir;
use tokio::runtime::Runtime;

use super::*;
use crate::clock::manual::ManualClock;
use crate::fanout::{Outbox, Seat};

const START: u64 = 1_800_000_000_000;

/// A desk with a device that hears of everything.
struct Office {
    desk: Desk,
    clock: Arc<ManualClock>,
    device: Arc<Outbox>,
    _seat: Seat,
    _dir: Option<TempDir>,
}

impl Office {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let office = Self::at(dir.path(), Arc::new(ManualClock::at(START)));
        Self { _dir: Some(dir), ..office }
    }

    fn at(path: &Path, clock: Arc<ManualClock>) -> Self {
        let fanout = Arc::new(Fanout::default());
        let device = Arc::new(Outbox::default());
        let seat = fanout.join(Arc::clone(&device));
        let store = Store::open(&path.join("gateway.db")).unwrap();
        let desk = Desk::start(store, fanout, Arc::clone(&clock) as _, ()).unwrap();
        Self { desk, clock, device, _seat: seat, _dir: None }
    }

    /// The events so far: name and payload.
    fn events(&self) -> Vec<(String, serde_json::Value)> {
        std::iter::from_fn(|| self.device.try_next())
            .map(|frame| {
                let frame: serde_json::Value = serde_json::from_str(&frame.into_text()).unwrap();
                (frame["event"].as_str().unwrap().to_owned(), frame["payload"].clone())
            })
            .collect()
    }
}

fn ask(id: &str, timeout_ms: u64) -> RequestParams {
    let option = |label: &str| QuestionOption { label: label.to_owned(), description: None };
    RequestParams {
        questions: vec![Question {
            question_id: "go".to_owned(),
            header: "Go".to_owned(),
            question: "Proceed?".to_owned(),
            options: vec![option("Yes"), option("No")],
            multi_select: false,
            is_other: false,
            is_secret: false,
            url: None,
        }],
        id: Some(id.to_owned()),
        agent_id: None,
        session_key: None,
        run_id: None,
        timeout_ms: Some(timeout_ms),
    }
}

fn answer(id: &str, value: &str, resolution: Option<&str>) -> ResolveParams {
    ResolveParams {
        id: id.to_owned(),
        answers: Some(Answers { answers: [("go".to_owned(), vec![value.to_owned()])].into() }),
        cancel: false,
        resolved_by: Some("phone".to_owned()),
        resolution_id: resolution.map(str::to_owned),
    }
}

fn skip(id: &str) -> ResolveParams {
    ResolveParams { answers: None, cancel: true, ..answer(id, "", None) }
}

/// The end of a wait; a test doesn't hang when it never comes.
async fn patiently<T>(answer: Answer<T>) -> Result<T, ErrorShape> {
    tokio::time::timeout(std::time::Duration::from_secs(10), answer).await.expect("an answer in time")
}

fn message<T>(outcome: Result<T, ErrorShape>) -> String {
    outcome.err().expect("a refusal").message
}

#[tokio::test]
async fn asking_is_told_before_it_is_acknowledged() {
    let office = Office::new();
    let requested = office.desk.request(ask("q", 5000)).await.unwrap();
    assert_eq!(requested.expires_at_ms, START + 5000);
    let events = office.events();
    assert_eq!(events.len(), 1);
    assert_eq!(events[0].0, "question.requested");
    assert_eq!(
        events[0].1,
        serde_json::from_str::<serde_json::Value>(&office.desk.get("q".into()).await.unwrap()).unwrap()
    );
}

#[tokio::test]
async fn an_id_is_used_once_even_after_its_question_ended() {
    let office = Office::new();
    office.desk.request(ask("q", 5000)).await.unwrap();
    assert_eq!(message(office.desk.request(ask("q", 5000)).await), "question 'q' already exists");
    office.desk.resolve(answer("q", "Yes", None)).await.unwrap();
    assert_eq!(office.desk.request(ask("q", 5000)).await.unwrap_err().reason(), Some("QUESTION_ID_IN_USE"));
}

#[tokio::test]
async fn what_breaks_a_rule_is_neither_stored_nor_told() {
    let office = Office::new();
    let mut bad = ask("q", 5000);
    bad.questions[0].options.truncate(1);
    assert_eq!(message(office.desk.request(bad).await), "question 'go' must have either no options or 2 to 4 options");
    assert!(office.desk.list().await.unwrap().is_empty());
    office.desk.request(ask("q", 5000)).await.unwrap();
    let refused = office.desk.resolve(answer("q", "Maybe", None)).await.unwrap_err();
    assert_eq!(
        (refused.message.as_str(), refused.reason()),
        ("question 'go' contains an unknown option", Some("QUESTION_INVALID_ANSWER"))
    );
    assert_eq!(office.events().len(), 1);
    assert_eq!(office.desk.list().await.unwrap().len(), 1);
}

#[tokio::test]
async fn an_answer_may_be_repeated_but_not_replaced() {
    let office = Office::new();
    office.desk.request(ask("q", 5000)).await.unwrap();
    let first = office.desk.resolve(answer("q", "Yes", Some("r1"))).await.unwrap();
    assert_eq!(office.desk.resolve(answer("q", "No", Some("r1"))).await.unwrap(), first);
    assert_eq!(message(office.desk.resolve(answer("q", "Yes", Some("r2"))).await), "question 'q' is already answered");
    assert_eq!(message(office.desk.resolve(answer("q", "Yes", None)).await), "question 'q' is already answered");
    assert_eq!(message(office.desk.resolve(skip("q")).await), "question 'q' is already answered");
    assert_eq!(message(office.desk.resolve(answer("nope", "Yes", None)).await), "question 'nope' was not found");
    assert_eq!(office.events().len(), 2, "a repetition is not told again");
}

#[tokio::test]
async fn a_skip_without_marker_is_not_a_repetition_of_another() {
    let office = Office::new();
    office.desk.request(ask("q", 5000)).await.unwrap();
    office.desk.resolve(skip("q")).await.unwrap();
    assert_eq!(message(office.desk.resolve(skip("q")).await), "question 'q' is already cancelled");
}

#[tokio::test]
async fn everyone_who_waits_hears_the_end() {
    let office = Office::new();
    office.desk.request(ask("q", 5000)).await.unwrap();
    let waits: Vec<_> = (0..50).map(|_| office.desk.wait("q".into())).collect();
    office.desk.resolve(answer("q", "Yes", Some("r1"))).await.unwrap();
    for wait in waits {
        let ended = patiently(wait).await.unwrap();
        assert_eq!((ended.status, ended.resolution_id.as_deref()), (Status::Answered, Some("r1")));
    }
    assert_eq!(office.desk.wait("q".into()).await.unwrap().status, Status::Answered, "also afterwards");
    assert_eq!(message(office.desk.wait("nope".into()).await), "question 'nope' was not found");
}

#[tokio::test]
async fn time_runs_out_at_the_millisecond() {
    let office = Office::new();
    office.desk.request(ask("q", 5000)).await.unwrap();
    let wait = office.desk.wait("q".into());
    office.clock.advance(4999);
    assert_eq!(office.desk.list().await.unwrap().len(), 1);
    office.clock.advance(1);
    assert_eq!(message(office.desk.resolve(answer("q", "Yes", None)).await), "question 'q' is already expired");
    assert_eq!(patiently(wait).await.unwrap().status, Status::Expired);
    assert_eq!(office.events().last().unwrap().1, serde_json::json!({ "id": "q", "status": "expired" }));
    let record: serde_json::Value = serde_json::from_str(&office.desk.get("q".into()).await.unwrap()).unwrap();
    assert_eq!((record["status"].as_str(), record.get("resolvedBy")), (Some("expired"), None));
}

/// The desk's own clock, not a caller, ends it.
#[tokio::test]
async fn nobody_has_to_ask_for_a_question_to_expire() {
    let dir = tempfile::tempdir().unwrap();
    let fanout = Arc::new(Fanout::default());
    let store = Store::open(&dir.path().join("gateway.db")).unwrap();
    let desk = Desk::start(store, fanout, Arc::new(crate::clock::SystemClock), ()).unwrap();
    desk.request(ask("q", 50)).await.unwrap();
    assert_eq!(patiently(desk.wait("q".into())).await.unwrap().status, Status::Expired);
}

#[tokio::test]
async fn a_restart_keeps_what_is_pending_and_ends_what_is_overdue() {
    let dir = tempfile::tempdir().unwrap();
    let clock = Arc::new(ManualClock::at(START));
    let before = Office::at(dir.path(), Arc::clone(&clock));
    for (id, timeout) in [("long", 60_000), ("short", 1000), ("later", 60_000)] {
        before.desk.request(ask(id, timeout)).await.unwrap();
    }
    let pending = before.desk.list().await.unwrap();
    before.desk.close().await;
    assert_eq!(before.desk.list().await.unwrap_err().code, "UNAVAILABLE");

    clock.advance(30_000);
    let after = Office::at(dir.path(), clock);
    assert_eq!(
        after.desk.list().await.unwrap(),
        [Arc::clone(&pending[0]), Arc::clone(&pending[2])],
        "same records, same deadlines"
    );
    assert_eq!(
        after.events(),
        [("question.resolved".to_owned(), serde_json::json!({ "id": "short", "status": "expired" }))]
    );
    assert_eq!(after.desk.wait("short".into()).await.unwrap().status, Status::Expired);
    after.desk.resolve(answer("long", "Yes", None)).await.unwrap();
}

/// A second connection makes the commit itself fail: the statement succeeds, and the deferred constraint it broke is
/// found at the end.
#[tokio::test]
async fn a_commit_that_fails_changes_nothing_and_is_not_acknowledged() {
    let dir = tempfile::tempdir().unwrap();
    let office = Office::at(dir.path(), Arc::new(ManualClock::at(START)));
    office.desk.request(ask("kept", 5000)).await.unwrap();
    let wait = office.desk.wait("kept".into());
    let saboteur = rusqlite::Connection::open(dir.path().join("gateway.db")).unwrap();
    saboteur
        .execute_batch(
            "CREATE TABLE nowhere (id INTEGER PRIMARY KEY);
             CREATE TABLE fault (id INTEGER REFERENCES nowhere (id) DEFERRABLE INITIALLY DEFERRED);
             CREATE TRIGGER fail_insert AFTER INSERT ON questions BEGIN INSERT INTO fault VALUES (1); END;
             CREATE TRIGGER fail_update AFTER UPDATE ON questions BEGIN INSERT INTO fault VALUES (1); END;",
        )
        .unwrap();
    office.events();
    let lost = office.desk.request(ask("lost", 5000));
    let of_the_lost = office.desk.wait("lost".into());
    let refused = lost.await.unwrap_err();
    assert_eq!((refused.code.as_str(), refused.retryable), ("UNAVAILABLE", Some(true)));
    assert!(patiently(of_the_lost).await.is_err());
    assert_eq!(office.desk.resolve(answer("kept", "Yes", None)).await.unwrap_err().code, "UNAVAILABLE");
    office.clock.advance(5000);
    assert_eq!(office.desk.resolve(answer("kept", "Yes", None)).await.unwrap_err().code, "UNAVAILABLE", "overdue");
    assert!(office.events().is_empty(), "nobody was told");
    assert_eq!(message(office.desk.get("lost".into()).await), "question 'lost' was not found");
    assert_eq!(office.desk.list().await.unwrap().len(), 1, "reading still works");

    saboteur.execute_batch("DROP TRIGGER fail_insert; DROP TRIGGER fail_update;").unwrap();
    office.desk.request(ask("lost", 5000)).await.unwrap();
    assert_eq!(patiently(wait).await.unwrap().status, Status::Expired, "who waited still hears the end");
}

#[tokio::test]
async fn a_full_disk_refuses_and_recovers() {
    let dir = tempfile::tempdir().unwrap();
    let mut store = Store::open(&dir.path().join("gateway.db")).unwrap();
    store.limit_pages(40);
    let desk = Desk::start(store, Arc::default(), Arc::new(ManualClock::at(START)), ()).unwrap();
    let mut big = ask("big", 5000);
    big.questions[0].question = "x".repeat(400_000);
    desk.request(ask("small", 5000)).await.unwrap();
    assert_eq!(desk.request(big).await.unwrap_err().code, "UNAVAILABLE");
    desk.request(ask("another", 5000)).await.unwrap();
    assert_eq!(desk.list().await.unwrap().len(), 2);
}

#[tokio::test]
async fn of_many_answers_at_once_one_wins() {
    let office = Office::new();
    for round in 0..50 {
        let id = format!("q{round}");
        office.desk.request(ask(&id, 5000)).await.unwrap();
        let racers: Vec<_> = (0..8)
            .map(|racer| {
                let (desk, id) = (office.desk.clone(), id.clone());
                tokio::spawn(async move { desk.resolve(answer(&id, ["Yes", "No"][racer % 2], None)).await })
            })
            .collect();
        let mut won = Vec::new();
        for racer in racers {
            won.extend(racer.await.unwrap().ok());
        }
        assert_eq!(won.len(), 1);
        assert_eq!(office.desk.wait(id).await.unwrap().answers, won[0].answers);
    }
}

#[derive(Debug, Clone)]
enum Step {
    Ask { id: usize, timeout: u64 },
    Answer { id: usize, yes: bool, resolution: Option<u8> },
    Skip { id: usize },
    Wait { id: usize },
    Pass { time: u64 },
    Restart,
}

fn step() -> impl Strategy<Value = Step> {
    let id = 0..6usize;
    prop_oneof![
        4 => (id.clone(), 1..400u64).prop_map(|(id, timeout)| Step::Ask { id, timeout }),
        4 => (id.clone(), any::<bool>(), prop::option::of(0..3u8))
            .prop_map(|(id, yes, resolution)| Step::Answer { id, yes, resolution }),
        2 => id.clone().prop_map(|id| Step::Skip { id }),
        2 => id.prop_map(|id| Step::Wait { id }),
        2 => (1..300u64).prop_map(|time| Step::Pass { time }),
        1 => Just(Step::Restart),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, ..ProptestConfig::default() })]

    /// Whatever happens in whatever order: each question has one outcome, and the response that claimed it, the
    /// event, the waits and the record say the same.
    #[test]
    fn a_question_ends_once_and_everyone_agrees(steps in prop::collection::vec(step(), 1..60)) {
        Runtime::new().unwrap().block_on(async {
            let dir = tempfile::tempdir().unwrap();
            let clock = Arc::new(ManualClock::at(START));
            let mut office = Office::at(dir.path(), Arc::clone(&clock));
            let mut deadlines: HashMap<String, u64> = HashMap::new();
            let mut claimed: BTreeMap<String, Resolved> = BTreeMap::new();
            let mut told: BTreeMap<String, Vec<Resolved>> = BTreeMap::new();
            let mut waits: Vec<(String, Answer<Ending>)> = Vec::new();
            let mut hear = |events: Vec<(String, serde_json::Value)>| {
                for (name, payload) in events {
                    if name == "question.resolved" {
                        let ending: Resolved = serde_json::from_value(payload).unwrap();
                        told.entry(ending.id.clone().unwrap()).or_default().push(Resolved { id: None, ..ending });
                    }
                }
            };
            for step in steps {
                match step {
                    Step::Ask { id, timeout } => {
                        let id = format!("q{id}");
                        match office.desk.request(ask(&id, timeout)).await {
                            Ok(asked) => assert!(deadlines.insert(id, asked.expires_at_ms).is_none(), "asked twice"),
                            Err(error) => assert!(deadlines.contains_key(&id), "{error}"),
                        }
                    }
                    Step::Answer { id, yes, resolution } => {
                        let id = format!("q{id}");
                        let resolution = resolution.map(|mark| format!("{id}-{mark}"));
                        let params = answer(&id, if yes { "Yes" } else { "No" }, resolution.as_deref());
                        if let Ok(outcome) = office.desk.resolve(params).await {
                            let first = claimed.entry(id.clone()).or_insert_with(|| outcome.clone());
                            assert_eq!(*first, outcome);
                            assert!(clock.now_ms() < deadlines[&id] || resolution.is_some(), "answered after its end");
                        }
                    }
                    Step::Skip { id } => {
                        let id = format!("q{id}");
                        if let Ok(outcome) = office.desk.resolve(skip(&id)).await {
                            assert!(claimed.insert(id, outcome).is_none(), "ended twice");
                        }
                    }
                    Step::Wait { id } => {
                        let id = format!("q{id}");
                        waits.push((id.clone(), office.desk.wait(id)));
                    }
                    Step::Pass { time } => clock.advance(time),
                    Step::Restart => {
                        office.desk.close().await;
                        hear(office.events());
                        office = Office::at(dir.path(), Arc::clone(&clock));
                    }
                }
            }
            clock.advance(1000);
            assert!(office.desk.list().await.unwrap().is_empty(), "all deadlines have passed");
            hear(office.events());
            for id in deadlines.keys() {
                let record: QuestionRecord = serde_json::from_str(&office.desk.get(id.clone()).await.unwrap()).unwrap();
                let outcome = Resolved { id: None, status: record.status, answers: record.answers, resolution_id: None };
                assert_eq!(told[id], std::slice::from_ref(&outcome), "one event, of the same outcome");
                match claimed.get(id) {
                    Some(claim) => assert_eq!(*claim, outcome),
                    None => assert_eq!(outcome.status, Status::Expired),
                }
            }
            for (id, wait) in waits {
                // Those of a desk that closed were told to come again.
                if let Ok(ending) = patiently(wait).await {
                    assert_eq!(Resolved { id: None, resolution_id: None, ..ending }, told[&id][0]);
                }
            }
        });
    }
}
