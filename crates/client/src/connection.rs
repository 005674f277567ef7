//! One connection to a gateway: socket, handshake, frames.
//!
//! Connections are made here and not by a page, because OpenClaw refuses sockets that come with a browser's `Origin`.

use std::time::{Duration, Instant};

use beckon_core::view::LinkProblem;
use beckon_protocol::connect::{Auth, Challenge, ClientInfo, ConnectParams, HelloOk, scope};
use beckon_protocol::device::DeviceKey;
use beckon_protocol::error::{ErrorShape, code, connect_code};
use beckon_protocol::frame::{event, method};
use beckon_protocol::{Event, Frame, Millis, PROTOCOL_VERSION, Request, close, limits};
use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_tungstenite::tungstenite::protocol::{CloseFrame, WebSocketConfig};
use tokio_tungstenite::tungstenite::{Error as SocketError, Message};
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async_with_config};

/// Reaching a host that is there takes far less.
const REACH: Duration = Duration::from_secs(10);
/// A frame must have come within two ticks, or the other end is gone.
const SILENCE: Duration = limits::TICK.saturating_mul(2);
/// An idle connection needs no 128 KiB of buffer.
const READ_BUFFER: usize = 8 * 1024;

/// Who connects.
#[derive(Debug)]
pub(crate) struct Identity {
    /// Proves which device it is; without one, only a program on the gateway's own machine keeps its scopes.
    pub(crate) key: Option<DeviceKey>,
    /// How it presents itself.
    pub(crate) client: ClientInfo,
    /// What it wants to do.
    pub(crate) scopes: Vec<String>,
}

impl Identity {
    /// The app on this device, under one of the names that OpenClaw's closed list has.
    pub(crate) fn app(key: DeviceKey, device: &str) -> Self {
        // No version of the system: it would ask for a new approval after each update.
        let (id, platform, family) = if cfg!(target_os = "macos") {
            ("openclaw-macos", "macOS", "desktop")
        } else if cfg!(target_os = "ios") {
            ("openclaw-ios", "iOS", "phone")
        } else if cfg!(target_os = "android") {
            ("openclaw-android", "Android", "phone")
        } else {
            ("openclaw-linux", "linux", "desktop")
        };
        Self {
            key: Some(key),
            client: client_info(id, "ui", device, platform, Some(family)),
            scopes: [scope::READ, scope::WRITE, scope::QUESTIONS].map(str::to_owned).to_vec(),
        }
    }

    /// A program that asks, on the gateway's own machine.
    pub(crate) fn asker(name: &str) -> Self {
        Self {
            key: None,
            client: client_info("gateway-client", "backend", name, std::env::consts::OS, None),
            scopes: vec![scope::QUESTIONS.to_owned()],
        }
    }
}

fn client_info(id: &str, mode: &str, name: &str, platform: &str, family: Option<&str>) -> ClientInfo {
    ClientInfo {
        id: id.to_owned(),
        display_name: Some(name.to_owned()),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        platform: platform.to_owned(),
        device_family: family.map(str::to_owned),
        mode: mode.to_owned(),
    }
}

/// Why there is no connection, or no longer one.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{detail}")]
pub struct Down {
    /// What kind.
    pub problem: LinkProblem,
    /// In English.
    pub detail: String,
    /// Another attempt won't help until the person acts.
    pub needs_person: bool,
    /// The gateway's wish for the next attempt.
    pub retry_after: Option<Duration>,
    /// The pairing request to approve.
    pub pairing_request: Option<String>,
}

impl Down {
    pub(crate) fn new(problem: LinkProblem, detail: impl Into<String>) -> Self {
        Self { problem, detail: detail.into(), needs_person: false, retry_after: None, pairing_request: None }
    }
}

/// An open connection whose handshake is done.
pub(crate) struct Connection {
    socket: WebSocketStream<MaybeTlsStream<TcpStream>>,
    /// What the gateway said.
    pub(crate) hello: HelloOk,
    /// Its clock when the handshake was done.
    pub(crate) clock_ms: Millis,
}

impl Connection {
    /// Reaches the gateway and shakes hands.
    pub(crate) async fn open(address: &str, identity: &Identity, token: &str) -> Result<Self, Down> {
        let config = WebSocketConfig::default()
            .read_buffer_size(READ_BUFFER)
            .max_message_size(Some(limits::MAX_PAYLOAD))
            .max_frame_size(Some(limits::MAX_PAYLOAD));
        let reached = timeout(REACH, connect_async_with_config(address, Some(config), true)).await;
        let (mut socket, _) = match reached {
            Err(_) => return Err(Down::new(LinkProblem::Unreachable, format!("{address} doesn't answer"))),
            Ok(Err(error)) => return Err(not_reached(address, &error)),
            Ok(Ok(reached)) => reached,
        };
        let shaken = timeout(limits::HANDSHAKE, shake(&mut socket, identity, token)).await;
        let (hello, clock_ms) =
            shaken.map_err(|_| Down::new(LinkProblem::NotAGateway, format!("{address} doesn't say what it is")))??;
        Ok(Self { socket, hello, clock_ms })
    }

    /// Sends a call.
    pub(crate) async fn send(&mut self, id: String, method: &str, params: Value) -> Result<(), Down> {
        send(&mut self.socket, id, method, params).await
    }

    /// The next frame. Safe to cancel.
    pub(crate) async fn next(&mut self) -> Result<Frame, Down> {
        next(&mut self.socket).await
    }

    /// Says goodbye.
    pub(crate) async fn close(mut self, code: u16) {
        let frame = CloseFrame { code: code.into(), reason: "".into() };
        // Whoever has gone needs no goodbye.
        let _ = timeout(Duration::from_secs(1), self.socket.close(Some(frame))).await;
    }
}

type Socket = WebSocketStream<MaybeTlsStream<TcpStream>>;

async fn shake(socket: &mut Socket, identity: &Identity, token: &str) -> Result<(HelloOk, Millis), Down> {
    let (Challenge { nonce, ts }, challenged) = loop {
        match next(socket).await? {
            Frame::Event(Event { event, payload, .. }) if event == event::CHALLENGE => {
                break (serde_json::from_value(payload).map_err(|error| not_a_gateway(&error))?, Instant::now());
            }
            _ => {}
        }
    };
    let mut params = ConnectParams {
        min_protocol: PROTOCOL_VERSION,
        max_protocol: PROTOCOL_VERSION,
        client: identity.client.clone(),
        caps: Vec::new(),
        role: "operator".to_owned(),
        scopes: identity.scopes.clone(),
        auth: Auth { token: Some(token.to_owned()), ..Auth::default() },
        locale: None,
        user_agent: Some(concat!("beckon/", env!("CARGO_PKG_VERSION")).to_owned()),
        device: None,
    };
    params.device = identity.key.as_ref().map(|key| key.prove(&params, &nonce, ts));
    send(socket, method::CONNECT.to_owned(), method::CONNECT, json!(params)).await?;
    loop {
        match next(socket).await? {
            Frame::Res(response) if response.id == method::CONNECT => {
                let hello = response.into_result().map_err(|error| refused(&error))?;
                let hello: HelloOk = serde_json::from_value(hello).map_err(|error| not_a_gateway(&error))?;
                return Ok((
                    hello,
                    ts.saturating_add(u64::try_from(challenged.elapsed().as_millis()).unwrap_or_default()),
                ));
            }
            _ => {}
        }
    }
}

async fn send(socket: &mut Socket, id: String, method: &str, params: Value) -> Result<(), Down> {
    let request = Frame::Req(Request { id, method: method.to_owned(), params: Some(params) });
    let text = serde_json::to_string(&request).map_err(|error| Down::new(LinkProblem::Lost, error.to_string()))?;
    socket.send(Message::text(text)).await.map_err(|error| lost(&error))
}

async fn next(socket: &mut Socket) -> Result<Frame, Down> {
    loop {
        // Anything counts as a sign of life, a ping too.
        let Ok(heard) = timeout(SILENCE, socket.next()).await else {
            return Err(Down::new(LinkProblem::Lost, "the gateway has gone silent"));
        };
        match heard {
            Some(Ok(Message::Text(text))) => {
                // A frame of a kind that isn't known is none of ours.
                if let Ok(frame) = serde_json::from_str(&text) {
                    return Ok(frame);
                }
            }
            Some(Ok(Message::Close(frame))) => return Err(closed(frame.as_ref())),
            Some(Ok(_)) => {}
            Some(Err(error)) => return Err(lost(&error)),
            None => return Err(closed(None)),
        }
    }
}

fn lost(error: &SocketError) -> Down {
    Down::new(LinkProblem::Lost, format!("the connection broke: {error}"))
}

fn not_a_gateway(error: &serde_json::Error) -> Down {
    Down::new(LinkProblem::NotAGateway, format!("the gateway's greeting can't be read: {error}"))
}

fn not_reached(address: &str, error: &SocketError) -> Down {
    match error {
        SocketError::Http(response) if response.status() == 503 => {
            Down::new(LinkProblem::Restarting, "the gateway is stopping or starting")
        }
        SocketError::Http(response) => {
            Down::new(LinkProblem::NotAGateway, format!("{address} answers with HTTP {}", response.status()))
        }
        SocketError::Protocol(error) => Down::new(LinkProblem::NotAGateway, format!("{address}: {error}")),
        error => Down::new(LinkProblem::Unreachable, format!("{address}: {error}")),
    }
}

fn closed(frame: Option<&CloseFrame>) -> Down {
    let Some(frame) = frame else { return Down::new(LinkProblem::Lost, "the connection was closed") };
    let (code, reason) = (u16::from(frame.code), frame.reason.as_str());
    let detail = format!("the gateway closed the connection: {code} {reason}");
    match code {
        close::SERVICE_RESTART | close::TRY_AGAIN_LATER => Down::new(LinkProblem::Restarting, detail),
        close::DEVICE_REMOVED => Down { needs_person: true, ..Down::new(LinkProblem::TokenRefused, detail) },
        _ => Down::new(LinkProblem::Lost, detail),
    }
}

/// A refused `connect`. Authentication is told by `details.code`; the message is for people.
fn refused(error: &ErrorShape) -> Down {
    let retry_after = error.retry_after_ms.or_else(|| error.details.as_ref()?.get("retryAfterMs")?.as_u64());
    let detail = |name: &str| error.details.as_ref()?.get(name)?.as_str().map(str::to_owned);
    let (problem, needs_person) = match (error.detail_code(), error.code.as_str()) {
        (Some(connect_code::RATE_LIMITED), _) => (LinkProblem::RateLimited, false),
        (Some(connect_code::PAIRING_REQUIRED), _) => (LinkProblem::PairingRequired, true),
        (Some(connect_code::PROTOCOL_MISMATCH), _) => (LinkProblem::WrongVersion, true),
        (Some(code), _) if code.starts_with("AUTH_") => (LinkProblem::TokenRefused, true),
        (_, code::UNAVAILABLE) => (LinkProblem::Restarting, false),
        _ => (LinkProblem::Refused, true),
    };
    Down {
        needs_person,
        retry_after: retry_after.map(Duration::from_millis),
        pairing_request: detail("requestId"),
        ..Down::new(problem, error.message.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refusals_say_what_to_do() {
        let error = |details: Value| ErrorShape { details: Some(details), ..ErrorShape::invalid("no") };
        let token = refused(&error(json!({ "code": "AUTH_TOKEN_MISMATCH" })));
        assert_eq!((token.problem, token.needs_person), (LinkProblem::TokenRefused, true));
        let limited = refused(&error(json!({ "code": "AUTH_RATE_LIMITED", "retryAfterMs": 5000 })));
        assert_eq!((limited.problem, limited.retry_after), (LinkProblem::RateLimited, Some(Duration::from_secs(5))));
        let pairing = refused(&error(json!({ "code": "PAIRING_REQUIRED", "requestId": "r1" })));
        assert_eq!((pairing.problem, pairing.pairing_request.as_deref()), (LinkProblem::PairingRequired, Some("r1")));
        assert!(!refused(&ErrorShape::unavailable("starting")).needs_person);
        assert_eq!(refused(&ErrorShape::invalid("odd")).problem, LinkProblem::Refused);
    }
}
