//! The app against the built-in gateway: real sockets on loopback, real databases.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

use std::path::Path;
use std::time::Duration;

use beckon_client::{AskError, Asker, Beckon, BuiltIn, Home, StartError, secrets};
use beckon_core::ask::{AskArguments, AskResult};
use beckon_core::view::{
    BuiltInView, CardState, CardView, GatewayView, Intent, IntentErrorCode, LinkProblem, LinkView, Patch, SecretsView,
};
use beckon_gateway::serving::{Endpoint, Serving};
use serde_json::json;
use tokio::sync::mpsc;
use tokio::time::timeout;

const SOON: Duration = Duration::from_secs(20);

struct Phone {
    beckon: Beckon,
    patches: mpsc::Receiver<Patch>,
}

impl Phone {
    /// An app that has the gateway as its built-in one.
    fn beside(home: &Home, endpoint: &Endpoint) -> Self {
        Self::start(home, Some(built_in(endpoint)))
    }

    fn start(home: &Home, built_in: Option<BuiltIn>) -> Self {
        Self::of(start(home, built_in).unwrap())
    }

    fn of(beckon: Beckon) -> Self {
        Self { patches: beckon.subscribe(), beckon }
    }

    /// Waits for something to be shown.
    async fn sees<T>(&mut self, what: impl Fn(Patch) -> Option<T>) -> T {
        let seen = async {
            loop {
                if let Some(seen) = what(self.patches.recv().await.expect("Beckon runs")) {
                    return seen;
                }
            }
        };
        timeout(SOON, seen).await.expect("it is shown in time")
    }

    async fn card(&mut self, test: impl Fn(&CardView) -> bool) -> CardView {
        let test = &test;
        self.sees(|patch| match patch {
            Patch::Card { card } => Some(card).filter(test),
            Patch::Reset { view } => view.cards.into_iter().find(test),
            _ => None,
        })
        .await
    }

    async fn gateway(&mut self, test: impl Fn(&GatewayView) -> bool) -> GatewayView {
        let test = &test;
        self.sees(|patch| match patch {
            Patch::Gateway { gateway } => Some(gateway).filter(test),
            Patch::Reset { view } => view.gateways.into_iter().find(test),
            _ => None,
        })
        .await
    }

    async fn answer(&mut self, card: &CardView, option: u32) {
        let choose = Intent::Choose { card: card.key.clone(), question: 0, option, on: true };
        self.beckon.intent(choose).await.unwrap();
        self.beckon.intent(Intent::Send { card: card.key.clone() }).await.unwrap();
    }
}

/// No test may touch the key store of whoever runs it.
fn start(home: &Home, built_in: Option<BuiltIn>) -> Result<Beckon, StartError> {
    Beckon::start_with(home, built_in, secrets::none)
}

fn built_in(endpoint: &Endpoint) -> BuiltIn {
    let view = BuiltInView { address: endpoint.address.clone(), mcp_snippet: String::new() };
    BuiltIn { view, token: endpoint.token.clone() }
}

fn pending(card: &CardView) -> bool {
    card.state == CardState::Pending
}

fn home(dir: &Path, name: &str) -> Home {
    Home::at(dir.join(name)).unwrap()
}

fn question() -> beckon_core::ask::Ask {
    let arguments = json!({ "questions": [{ "id": "deploy", "header": "Deploy", "question": "Where?",
        "options": [{ "label": "Staging (Recommended)" }, { "label": "Production" }] }] });
    AskArguments::from_json(arguments).unwrap().check().unwrap()
}

fn asker(endpoint: &Endpoint) -> Asker {
    Asker {
        address: endpoint.address.clone(),
        token: endpoint.token.clone(),
        name: "test".into(),
        session_key: Some("shell:nightly".into()),
    }
}

fn asks(endpoint: &Endpoint) -> tokio::task::JoinHandle<Result<AskResult, AskError>> {
    let asker = asker(endpoint);
    tokio::spawn(async move { asker.ask(question(), std::future::pending()).await })
}

fn answered(value: &str) -> String {
    json!({ "status": "answered", "answers": { "answers": { "deploy": [value] } } }).to_string()
}

fn text(result: &AskResult) -> String {
    json!(result).to_string()
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_reaches_whoever_asked() {
    let dir = tempfile::tempdir().unwrap();
    let serving = Serving::start(&dir.path().join("gateway"), None, Some(0)).await.unwrap();
    let mut phone = Phone::beside(&home(dir.path(), "phone"), &serving.endpoint);
    let asked = asks(&serving.endpoint);

    let card = phone.card(pending).await;
    assert_eq!(card.questions[0].options[0].label, "Staging");
    assert!(card.questions[0].options[0].recommended);
    let nothing = phone.beckon.intent(Intent::Send { card: card.key.clone() }).await.unwrap_err();
    assert_eq!(nothing.code, IntentErrorCode::Incomplete);
    phone.answer(&card, 0).await;

    let ended = phone.card(|card| matches!(card.state, CardState::Answered { .. })).await;
    assert_eq!(ended.questions[0].answer.as_deref(), Some(&["Staging (Recommended)".to_owned()][..]));
    assert_eq!(text(&asked.await.unwrap().unwrap()), answered("Staging (Recommended)"));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_app_shows_on_start_what_it_knew() {
    let dir = tempfile::tempdir().unwrap();
    let serving = Serving::start(&dir.path().join("gateway"), None, Some(0)).await.unwrap();
    let home = home(dir.path(), "phone");
    let mut phone = Phone::beside(&home, &serving.endpoint);
    let asked = asks(&serving.endpoint);
    let card = phone.card(pending).await;
    let written = Intent::Type { card: card.key.clone(), question: 0, text: "after the backup".into() };
    phone.beckon.intent(written).await.unwrap();
    drop(phone);

    // The lock goes with the last thread of the former app.
    let mut phone = loop {
        match start(&home, Some(built_in(&serving.endpoint))) {
            Ok(beckon) => break Phone::of(beckon),
            Err(StartError::Home(_)) => tokio::time::sleep(Duration::from_millis(10)).await,
            Err(error) => panic!("{error}"),
        }
    };
    let Patch::Reset { view } = phone.patches.recv().await.unwrap() else { panic!("the view comes first") };
    assert_eq!(view.cards[0].questions[0].other.as_ref().unwrap().text, "after the backup");
    phone.beckon.intent(Intent::Send { card: card.key }).await.unwrap();
    assert_eq!(text(&asked.await.unwrap().unwrap()), answered("after the backup"));
}

#[tokio::test(flavor = "multi_thread")]
async fn two_devices_show_the_same_outcome() {
    let dir = tempfile::tempdir().unwrap();
    let serving = Serving::start(&dir.path().join("gateway"), None, Some(0)).await.unwrap();
    let mut mac = Phone::beside(&home(dir.path(), "mac"), &serving.endpoint);
    let mut phone = Phone::beside(&home(dir.path(), "phone"), &serving.endpoint);
    let asked = asks(&serving.endpoint);
    mac.card(pending).await;
    let card = phone.card(pending).await;
    phone.beckon.intent(Intent::Skip { card: card.key }).await.unwrap();
    phone.card(|card| matches!(card.state, CardState::Skipped { .. })).await;
    mac.card(|card| matches!(card.state, CardState::Skipped { .. })).await;
    assert_eq!(text(&asked.await.unwrap().unwrap()), r#"{"status":"no_answer"}"#);
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_asks_can_take_it_back() {
    let dir = tempfile::tempdir().unwrap();
    let serving = Serving::start(&dir.path().join("gateway"), None, Some(0)).await.unwrap();
    let mut phone = Phone::beside(&home(dir.path(), "phone"), &serving.endpoint);
    let (cancel, cancelled) = tokio::sync::oneshot::channel::<()>();
    let script = asker(&serving.endpoint);
    let asked = tokio::spawn(async move { script.ask(question(), async { drop(cancelled.await) }).await });
    phone.card(pending).await;
    cancel.send(()).unwrap();
    assert_eq!(text(&asked.await.unwrap().unwrap()), r#"{"status":"no_answer"}"#);
    phone.card(|card| matches!(card.state, CardState::Stopped { .. })).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_wrong_token_and_a_missing_gateway_are_told_apart() {
    let dir = tempfile::tempdir().unwrap();
    let serving = Serving::start(&dir.path().join("gateway"), None, Some(0)).await.unwrap();
    let wrong = Asker { token: "wrong".into(), ..asker(&serving.endpoint) };
    let refused = wrong.ask(question(), std::future::pending()).await.unwrap_err();
    assert!(refused.to_string().contains("token mismatch"), "{refused}");

    let mut phone = Phone::start(&home(dir.path(), "phone"), None);
    let add = |address: &str| Intent::AddGateway { address: address.to_owned(), token: "wrong".into() };
    phone.beckon.intent(Intent::AllowSecretFile).await.unwrap();
    phone.beckon.intent(add(&serving.endpoint.address)).await.unwrap();
    let stuck = phone.gateway(|gateway| matches!(gateway.link, LinkView::Stuck { .. })).await;
    let LinkView::Stuck { why, .. } = stuck.link else { unreachable!() };
    assert_eq!(why, LinkProblem::TokenRefused);

    let closed = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
    phone.beckon.intent(add(&closed.to_string())).await.unwrap();
    let retrying = phone.gateway(|gateway| matches!(gateway.link, LinkView::Retrying { .. })).await;
    let LinkView::Retrying { why, .. } = retrying.link else { unreachable!() };
    assert_eq!(why, LinkProblem::Unreachable);
    phone.beckon.intent(Intent::RemoveGateway { gateway: retrying.id }).await.unwrap();
    let secrets = std::fs::read_to_string(home(dir.path(), "phone").secret_file()).unwrap();
    assert!(secrets.contains(&stuck.id) && !secrets.contains(&closed.to_string()));
}

#[tokio::test(flavor = "multi_thread")]
async fn one_app_at_a_time() {
    let dir = tempfile::tempdir().unwrap();
    let home = home(dir.path(), "phone");
    let _first = Phone::start(&home, None);
    assert!(matches!(start(&home, None), Err(StartError::Home(_))));
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_sent_that_could_not_be_stored() {
    let dir = tempfile::tempdir().unwrap();
    let serving = Serving::start(&dir.path().join("gateway"), None, Some(0)).await.unwrap();
    let home = home(dir.path(), "phone");
    let mut phone = Phone::beside(&home, &serving.endpoint);
    let asked = asks(&serving.endpoint);
    let card = phone.card(pending).await;
    let choose = Intent::Choose { card: card.key.clone(), question: 0, option: 0, on: true };
    phone.beckon.intent(choose).await.unwrap();

    // Another connection holds the write lock: as good as a disk that refuses.
    let mut other = rusqlite::Connection::open(home.database()).unwrap();
    let blocking = other.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate).unwrap();
    let refused = phone.beckon.intent(Intent::Send { card: card.key.clone() }).await.unwrap_err();
    assert_eq!(refused.code, IntentErrorCode::NotStored);
    let again = phone.card(|card| pending(card) && card.draft).await;
    assert_eq!(again.missing, [0; 0], "the draft is still there");
    drop(blocking);

    phone.gateway(|gateway| matches!(gateway.link, LinkView::Online { .. })).await;
    phone.beckon.intent(Intent::Send { card: card.key }).await.unwrap();
    assert_eq!(text(&asked.await.unwrap().unwrap()), answered("Staging (Recommended)"));
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_key_store_a_file_must_be_allowed() {
    let dir = tempfile::tempdir().unwrap();
    let mut phone = Phone::start(&home(dir.path(), "phone"), None);
    let Patch::Reset { view } = phone.patches.recv().await.unwrap() else { panic!("the view comes first") };
    assert_eq!(view.secrets, SecretsView::Missing);
    let file = home(dir.path(), "phone").secret_file();
    let add = Intent::AddGateway { address: "127.0.0.1:9".into(), token: "token".into() };
    let refused = phone.beckon.intent(add.clone()).await.unwrap_err();
    assert_eq!(refused.code, IntentErrorCode::NoKeyStore);
    assert!(!file.exists(), "nothing is kept before the person allows it");
    phone.beckon.intent(Intent::AllowSecretFile).await.unwrap();
    phone.beckon.intent(add).await.unwrap();
    assert!(std::fs::read_to_string(file).unwrap().contains("token"));
}
