//! A gateway to test, and a client that sees every frame.

use std::net::SocketAddr;
use std::path::Path;
use std::time::Duration;

use beckon_gateway::{Gateway, OpenError, Options, RunError};
use beckon_protocol::connect::{Auth, ClientInfo, ConnectParams};
use beckon_protocol::device::DeviceKey;
use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::net::TcpStream;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream};

pub(crate) const TOKEN: &str = "a-token-of-this-test-0123456789";
pub(crate) const SCOPES: [&str; 3] = ["operator.read", "operator.write", "operator.questions"];
/// Longer than anything here takes; a test that waits so long has failed.
const PATIENCE: Duration = Duration::from_secs(20);

/// A running gateway.
pub(crate) struct Running {
    pub address: SocketAddr,
    stop: Option<oneshot::Sender<()>>,
    task: JoinHandle<Result<(), RunError>>,
    _dir: Option<TempDir>,
}

impl Running {
    pub(crate) async fn start() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let running = Self::at(dir.path()).await;
        Self { _dir: Some(dir), ..running }
    }

    pub(crate) async fn at(state_dir: &Path) -> Self {
        let gateway = open(state_dir).await;
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (stop, stopped) = oneshot::channel();
        let task = tokio::spawn(gateway.run(listener, async {
            let _ = stopped.await;
        }));
        Self { address, stop: Some(stop), task, _dir: None }
    }

    /// Tells it to stop; [`Self::stopped`] waits.
    pub(crate) fn stop(&mut self) {
        self.stop.take().unwrap().send(()).unwrap();
    }

    pub(crate) async fn stopped(self) {
        self.task.await.unwrap().unwrap();
    }

    /// Drops it in the middle of whatever it does.
    pub(crate) fn crash(self) {
        self.task.abort();
    }

    pub(crate) async fn socket(&self) -> Socket {
        let unlimited = WebSocketConfig::default().max_message_size(None).max_frame_size(None);
        let address = format!("ws://{}/", self.address);
        let (stream, _) = tokio_tungstenite::connect_async_with_config(address, Some(unlimited), true).await.unwrap();
        Socket::of(stream)
    }

    /// A connected device with the usual scopes.
    pub(crate) async fn device(&self, seed: u8) -> Socket {
        self.device_for(seed, &SCOPES).await
    }

    pub(crate) async fn device_for(&self, seed: u8, scopes: &[&str]) -> Socket {
        let mut socket = self.socket().await;
        let hello =
            socket.connect(seed, |params| params.scopes = scopes.iter().map(ToString::to_string).collect()).await;
        assert_eq!(hello["ok"], true, "{hello}");
        socket
    }
}

/// Opens a gateway; waits for the one that a crash left behind to let go.
pub(crate) async fn open(state_dir: &Path) -> Gateway {
    let options = Options { state_dir: state_dir.to_owned(), token: TOKEN.to_owned() };
    for _ in 0..500 {
        match Gateway::open(options.clone()) {
            Err(OpenError::InUse(_)) => tokio::time::sleep(Duration::from_millis(10)).await,
            other => return other.unwrap(),
        }
    }
    panic!("the state directory stays locked");
}

pub(crate) fn params() -> ConnectParams {
    ConnectParams {
        min_protocol: 4,
        max_protocol: 4,
        client: ClientInfo {
            id: "openclaw-linux".into(),
            display_name: Some("Peer".into()),
            version: "0.1.0".into(),
            platform: "linux".into(),
            device_family: Some("desktop".into()),
            mode: "ui".into(),
        },
        caps: vec![],
        role: "operator".into(),
        scopes: SCOPES.map(String::from).to_vec(),
        auth: Auth { token: Some(TOKEN.into()), ..Auth::default() },
        locale: None,
        user_agent: None,
        device: None,
    }
}

/// A WebSocket and what came over it.
pub(crate) struct Socket {
    pub stream: WebSocketStream<MaybeTlsStream<TcpStream>>,
    next_id: u32,
    /// Events seen while waiting for something else.
    pub events: Vec<Value>,
}

impl Socket {
    pub(crate) fn of(stream: WebSocketStream<MaybeTlsStream<TcpStream>>) -> Self {
        Self { stream, next_id: 0, events: Vec::new() }
    }

    pub(crate) async fn send(&mut self, frame: impl Into<String>) {
        self.stream.send(Message::text(frame.into())).await.unwrap();
    }

    /// The next frame; `Err` is the close frame's code and reason.
    pub(crate) async fn next(&mut self) -> Result<Value, (u16, String)> {
        loop {
            match tokio::time::timeout(PATIENCE, self.stream.next()).await.expect("a frame in time") {
                Some(Ok(Message::Text(text))) => return Ok(serde_json::from_str(&text).unwrap()),
                Some(Ok(Message::Close(Some(frame)))) => return Err((frame.code.into(), frame.reason.to_string())),
                Some(Ok(Message::Close(None))) => return Err((1005, String::new())),
                Some(Ok(_)) => {}
                Some(Err(error)) => return Err((1006, error.to_string())),
                None => return Err((1006, String::new())),
            }
        }
    }

    /// Reads up to the close.
    pub(crate) async fn closed(&mut self) -> (u16, String) {
        loop {
            match self.next().await {
                Ok(frame) => self.events.push(frame),
                Err(close) => return close,
            }
        }
    }

    pub(crate) async fn challenge(&mut self) -> Value {
        let frame = self.next().await.unwrap();
        assert_eq!((&frame["event"], frame.get("seq")), (&json!("connect.challenge"), None));
        frame["payload"].clone()
    }

    /// The whole handshake of a device whose key is made from `seed`; returns the response.
    pub(crate) async fn connect(&mut self, seed: u8, change: impl FnOnce(&mut ConnectParams)) -> Value {
        let challenge = self.challenge().await;
        let mut params = params();
        change(&mut params);
        let (nonce, ts) = (challenge["nonce"].as_str().unwrap(), challenge["ts"].as_u64().unwrap());
        params.device = Some(DeviceKey::from_seed(&[seed; 32]).prove(&params, nonce, ts));
        self.call("connect", serde_json::to_value(params).unwrap()).await
    }

    /// Sends a call and returns its id.
    pub(crate) async fn start(&mut self, method: &str, params: Value) -> String {
        self.next_id += 1;
        let id = format!("c{}", self.next_id);
        self.send(json!({ "type": "req", "id": id, "method": method, "params": params }).to_string()).await;
        id
    }

    /// The response to a call; events that come before it are kept.
    pub(crate) async fn response(&mut self, id: &str) -> Value {
        loop {
            let frame = self.next().await.unwrap();
            match frame["type"].as_str() {
                Some("event") => self.events.push(frame),
                _ if frame["id"] == id => return frame,
                _ => panic!("unexpected {frame}"),
            }
        }
    }

    pub(crate) async fn call(&mut self, method: &str, params: Value) -> Value {
        let id = self.start(method, params).await;
        self.response(&id).await
    }

    /// The payload of a call that succeeds.
    pub(crate) async fn ok(&mut self, method: &str, params: Value) -> Value {
        let response = self.call(method, params).await;
        assert_eq!(response["ok"], true, "{response}");
        response["payload"].clone()
    }

    /// The error of a call that is refused.
    pub(crate) async fn refused(&mut self, method: &str, params: Value) -> Value {
        let response = self.call(method, params).await;
        assert_eq!(response["ok"], false, "{response}");
        response["error"].clone()
    }

    /// The next event of that name, with those before it forgotten.
    pub(crate) async fn event(&mut self, name: &str) -> Value {
        loop {
            let frame = if self.events.is_empty() { self.next().await.unwrap() } else { self.events.remove(0) };
            if frame["event"] == name {
                return frame;
            }
        }
    }
}

/// One yes-or-no question.
pub(crate) fn question(id: &str) -> Value {
    json!({ "id": id, "questions": [{ "questionId": "go", "header": "Go", "question": "Proceed?",
        "options": [{ "label": "Yes", "description": "Do it" }, { "label": "No" }] }] })
}

pub(crate) fn answer(id: &str, value: &str) -> Value {
    json!({ "id": id, "answers": { "answers": { "go": [value] } } })
}
