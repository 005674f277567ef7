//! The browser host: serves the interface on loopback and carries View, Patch and Intent over a WebSocket.
//!
//! Who may talk to it: the page gets in with a key that is printed once and exchanged for a cookie that scripts can't
//! read (`HttpOnly`) and other sites can't use (`SameSite=Strict`). Cookies know no ports, so its name has the port, and
//! other servers on this computer that the browser visits see it. The WebSocket wants that cookie, and an `Origin`
//! and a `Host` of this very address, so that neither a foreign page nor a rebound name gets a byte of state.

use std::borrow::Cow;
use std::net::SocketAddr;
use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::ws::{Message, WebSocket, WebSocketUpgrade};
use axum::extract::{Query, State};
use axum::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, COOKIE, HOST, LOCATION, ORIGIN, REFERRER_POLICY, SET_COOKIE,
    X_CONTENT_TYPE_OPTIONS,
};
use axum::http::{HeaderMap, HeaderName, StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use beckon_core::view::{HostMessage, HostRequest, IntentError, IntentErrorCode, Patch};
use futures_util::StreamExt;
use serde::Deserialize;
use subtle::ConstantTimeEq;
use tokio::net::TcpListener;
use tokio::sync::mpsc;

use crate::Beckon;

/// No script, style, picture or connection but our own.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; \
                      connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
/// Largest frame from a page; an answer of 100 000 characters fits many times.
const MAX_REQUEST: usize = 4 * 1024 * 1024;

/// A file of the interface by its path, without a leading slash.
pub type Files = fn(&str) -> Option<Cow<'static, [u8]>>;

/// The host, bound and ready to run.
pub struct Host {
    listener: TcpListener,
    shared: Arc<Shared>,
}

struct Shared {
    beckon: Beckon,
    files: Files,
    address: SocketAddr,
    key: String,
}

impl Host {
    /// Binds to that port of the loopback address; 0 takes a free one.
    pub async fn bind(beckon: Beckon, files: Files, port: u16) -> std::io::Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", port)).await?;
        let address = listener.local_addr()?;
        let mut key = [0; 32];
        getrandom::fill(&mut key).map_err(std::io::Error::other)?;
        Ok(Self { listener, shared: Arc::new(Shared { beckon, files, address, key: hex::encode(key) }) })
    }

    /// What to open in a browser. Whoever has it can answer questions.
    pub fn url(&self) -> String {
        format!("http://{}/?key={}", self.shared.address, self.shared.key)
    }

    /// Serves until `shutdown`.
    pub async fn run(self, shutdown: impl Future<Output = ()> + Send + 'static) -> std::io::Result<()> {
        let router =
            Router::new().route("/", get(enter)).route("/host", get(connect)).fallback(file).with_state(self.shared);
        axum::serve(self.listener, router).with_graceful_shutdown(shutdown).await
    }
}

#[derive(Deserialize)]
struct Entry {
    key: Option<String>,
    lang: Option<String>,
}

/// The page, or with a key: the cookie, and the page without the key in its address.
async fn enter(State(shared): State<Arc<Shared>>, Query(entry): Query<Entry>, headers: HeaderMap) -> Response {
    let Some(key) = entry.key else { return page(&shared, &headers, "index.html") };
    if !shared.is_ours(&headers) || !same(&key, &shared.key) {
        return refuse();
    }
    let cookie = format!("{}={}; HttpOnly; SameSite=Strict; Path=/", shared.cookie_name(), shared.key);
    let language = entry.lang.filter(|lang| lang.chars().all(|c| c.is_ascii_alphanumeric() || c == '-'));
    let place = language.map_or_else(|| "/".to_owned(), |lang| format!("/?lang={lang}"));
    (StatusCode::SEE_OTHER, [(SET_COOKIE, cookie), (LOCATION, place), (CACHE_CONTROL, "no-store".to_owned())])
        .into_response()
}

async fn file(State(shared): State<Arc<Shared>>, uri: Uri, headers: HeaderMap) -> Response {
    page(&shared, &headers, uri.path().trim_start_matches('/'))
}

fn page(shared: &Shared, headers: &HeaderMap, path: &str) -> Response {
    if !shared.is_ours(headers) || !shared.is_let_in(headers) {
        return refuse();
    }
    let Some(body) = (shared.files)(path) else {
        return (StatusCode::NOT_FOUND, "There is no such file in this build of the interface.").into_response();
    };
    let kind = mime_guess::from_path(path).first_or_octet_stream();
    let fixed: [(HeaderName, &str); 5] = [
        (CONTENT_TYPE, kind.as_ref()),
        (CONTENT_SECURITY_POLICY, POLICY),
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (REFERRER_POLICY, "no-referrer"),
        (CACHE_CONTROL, "no-store"),
    ];
    (fixed, Body::from(body.into_owned())).into_response()
}

fn refuse() -> Response {
    let text = "This page opens with the address that Beckon printed when it started. Use that one, or start it again.";
    (StatusCode::FORBIDDEN, text).into_response()
}

async fn connect(State(shared): State<Arc<Shared>>, headers: HeaderMap, upgrade: WebSocketUpgrade) -> Response {
    let origin = headers.get(ORIGIN).and_then(|origin| origin.to_str().ok());
    if !shared.is_ours(&headers) || !shared.is_let_in(&headers) || origin != Some(&format!("http://{}", shared.address))
    {
        return refuse();
    }
    upgrade.max_message_size(MAX_REQUEST).on_upgrade(move |socket| carry(socket, shared.beckon.clone()))
}

impl Shared {
    /// Asked for by this address, not by a name that somebody made point here.
    fn is_ours(&self, headers: &HeaderMap) -> bool {
        headers.get(HOST).and_then(|host| host.to_str().ok()) == Some(&self.address.to_string())
    }

    fn cookie_name(&self) -> String {
        format!("beckon-{}", self.address.port())
    }

    fn is_let_in(&self, headers: &HeaderMap) -> bool {
        let cookies = headers.get_all(COOKIE).iter().filter_map(|cookies| cookies.to_str().ok());
        let mut cookies =
            cookies.flat_map(|cookies| cookies.split(';')).filter_map(|cookie| cookie.trim().split_once('='));
        let ours = self.cookie_name();
        cookies.any(|(name, value)| name == ours && same(value, &self.key))
    }
}

/// Compares without telling by its time where the difference is.
fn same(one: &str, other: &str) -> bool {
    one.as_bytes().ct_eq(other.as_bytes()).into()
}

/// Patches out, intents in, until either side goes.
async fn carry(mut socket: WebSocket, beckon: Beckon) {
    let mut patches = beckon.subscribe();
    loop {
        let message = tokio::select! {
            patch = next_patch(&beckon, &mut patches) => match patch {
                Some(patch) => HostMessage::Patch { patch },
                None => return,
            },
            heard = socket.next() => match heard {
                Some(Ok(Message::Text(text))) => reply(&beckon, &text).await,
                Some(Ok(Message::Ping(_) | Message::Pong(_))) => continue,
                Some(Ok(Message::Binary(_) | Message::Close(_)) | Err(_)) | None => return,
            },
        };
        let Ok(text) = serde_json::to_string(&message) else { return };
        if socket.send(Message::text(text)).await.is_err() {
            return;
        }
    }
}

/// `None` when Beckon has stopped.
async fn next_patch(beckon: &Beckon, patches: &mut mpsc::Receiver<Patch>) -> Option<Patch> {
    if let Some(patch) = patches.recv().await {
        return Some(patch);
    }
    // Too far behind: a new subscription starts with the whole view.
    *patches = beckon.subscribe();
    patches.recv().await
}

async fn reply(beckon: &Beckon, text: &str) -> HostMessage {
    match serde_json::from_str::<HostRequest>(text) {
        Ok(HostRequest { id, intent }) => HostMessage::Reply { id, error: beckon.intent(intent).await.err() },
        Err(error) => {
            let error = IntentError::new(IntentErrorCode::Malformed, error.to_string());
            HostMessage::Reply { id: 0, error: Some(error) }
        }
    }
}
