//! One connection, from the upgrade to the close.
//!
//! After the handshake two loops share the socket: one reads calls and collects their answers, the other writes what
//! is in the [`Outbox`], ticks and pings. The first to end says why, and the socket is closed accordingly.
//!
//! A connection can't make the gateway hold much for it: it has at most [`MOST_CALLS`] calls and [`MOST_WAITS`] waits
//! under way, nothing more is read while [`BACKLOG`] bytes wait to be written to it, and events beyond
//! `maxBufferedBytes` close it.

use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use axum::Error as SocketError;
use axum::extract::ws::{CloseFrame, Message, WebSocket};
use beckon_protocol::connect::{Challenge, Tick, scope};
use beckon_protocol::frame::{event, method};
use beckon_protocol::{ErrorShape, close, limits};
use bytes::Bytes;
use futures_util::stream::{FuturesUnordered, SplitSink, SplitStream};
use futures_util::{SinkExt, StreamExt};
use serde::Serialize;
use serde_json::{Value, json};
use tokio::time::{Instant, MissedTickBehavior, interval_at, timeout};
use tokio_util::sync::CancellationToken;

use crate::fanout::Outbox;
use crate::handshake::{self, Admitted, Visitor};
use crate::intake::Peer;
use crate::methods::{self, Caller, Outcome};
use crate::schema;
use crate::server::Shared;

/// Calls under way at once; more are read when some are answered. Enough to keep the desk's turns full.
const MOST_CALLS: usize = 64;
/// Waits under way at once. A client needs one a question.
const MOST_WAITS: usize = 1024;
/// Bytes waiting to be written above which nothing is read.
const BACKLOG: usize = 1024 * 1024;
/// How long the other side has for its half of the close.
const GOODBYE: Duration = Duration::from_secs(1);
/// The same for one that was too slow: what it has in its buffers comes before the close. Not while stopping.
const SLOW_GOODBYE: Duration = Duration::from_secs(10);
/// How long calls under way, and then their answers, have when the gateway stops.
const LAST_CALLS: Duration = Duration::from_secs(2);
/// Longest reason of a close frame, in bytes. The protocol's limit is 123; OpenClaw cuts here.
const LONGEST_REASON: usize = 120;

/// Why a connection ends.
enum End {
    /// With a close frame.
    Close(u16, String),
    /// With a close frame that may take its time.
    Slow,
    /// The other side closed it, or it broke.
    Gone,
}

impl End {
    fn close(code: u16, reason: &str) -> Self {
        Self::Close(code, reason.to_owned())
    }
}

/// Serves a socket until its end.
pub(crate) async fn serve(
    mut socket: WebSocket,
    shared: Arc<Shared>,
    visitor: Visitor,
    peer: Peer,
    stop: CancellationToken,
) {
    let met = tokio::select! {
        met = timeout(limits::HANDSHAKE, meet(&mut socket, &shared, &visitor, &peer)) => {
            met.unwrap_or_else(|_| Err(End::close(close::NORMAL, "")))
        }
        () = stop.cancelled() => Err(End::close(close::SERVICE_RESTART, "service restart")),
    };
    let (mut sink, mut stream) = socket.split();
    let end = match met {
        Err(end) => end,
        Ok((admitted, hello)) => {
            tracing::debug!(connection = %visitor.connection, "connected");
            peer.allowance.lift();
            let end = talk(&mut sink, &mut stream, &shared, &admitted, hello, &stop).await;
            tracing::debug!(connection = %visitor.connection, "disconnected");
            end
        }
    };
    let (code, reason, patience) = match end {
        End::Gone => return,
        End::Close(code, reason) => (code, reason, GOODBYE),
        End::Slow => (close::POLICY, "slow consumer".to_owned(), SLOW_GOODBYE),
    };
    peer.allowance.linger();
    let frame = CloseFrame { code, reason: cut(&reason, LONGEST_REASON).into() };
    let goodbye = timeout(patience, async {
        if sink.send(Message::Close(Some(frame))).await.is_ok() {
            while let Some(Ok(_)) = stream.next().await {}
        }
    });
    // Who doesn't close its half is cut off.
    tokio::select! {
        _ = goodbye => {}
        () = stop.cancelled(), if patience > GOODBYE => {}
    }
}

/// Challenge, `connect`, and the refusal if it is one.
async fn meet(
    socket: &mut WebSocket,
    shared: &Shared,
    visitor: &Visitor,
    peer: &Peer,
) -> Result<(Admitted, String), End> {
    let challenge = Challenge { nonce: visitor.nonce.clone(), ts: shared.clock.now_ms() };
    let challenge = json!({ "type": "event", "event": event::CHALLENGE, "payload": challenge });
    socket.send(Message::text(challenge.to_string())).await.map_err(|_| End::Gone)?;
    let frame = loop {
        match socket.recv().await {
            None => return Err(End::Gone),
            Some(Err(_)) if peer.allowance.is_spent() => return Err(End::close(close::TOO_BIG, "")),
            Some(Err(error)) => return Err(broken(error)),
            Some(Ok(message)) => {
                if let Some(bytes) = body(message) {
                    break bytes;
                }
            }
        }
    };
    if frame.len() > limits::PRE_CONNECT_FRAME {
        return Err(End::close(close::TOO_BIG, ""));
    }
    let Ok(frame) = serde_json::from_slice::<Value>(&frame) else { return Err(End::close(close::NORMAL, "")) };
    let Ok(call) = Call::of(frame) else { return Err(End::close(close::POLICY, "invalid request frame")) };
    let refusal = if call.method == method::CONNECT {
        match handshake::admit(shared, visitor, call.params.unwrap_or(Value::Null)).await {
            Ok(admitted) => {
                let hello = response(
                    &call.id,
                    serde_json::to_string(&admitted.hello).map_err(|error| {
                        tracing::error!(%error, "hello-ok can't be written");
                        ErrorShape::unavailable("the greeting can't be written")
                    }),
                );
                return Ok((admitted, hello));
            }
            Err(refusal) => refusal,
        }
    } else {
        let error = ErrorShape::invalid("invalid handshake: first request must be connect");
        handshake::Refusal { error, close: close::POLICY }
    };
    tracing::info!(
        connection = %visitor.connection,
        code = refusal.error.detail_code().unwrap_or(&refusal.error.code),
        "a connection was refused"
    );
    let reason = refusal.reason();
    socket.send(Message::text(response(&call.id, Err(refusal.error)))).await.map_err(|_| End::Gone)?;
    Err(End::Close(refusal.close, reason))
}

async fn talk(
    sink: &mut SplitSink<WebSocket, Message>,
    stream: &mut SplitStream<WebSocket>,
    shared: &Shared,
    admitted: &Admitted,
    hello: String,
    stop: &CancellationToken,
) -> End {
    let caller = Caller { scopes: &admitted.scopes };
    let outbox = Arc::new(Outbox::default());
    outbox.text(hello);
    // After the greeting is queued: it comes first, and no event between the two is missed.
    let _seat = caller.may(scope::QUESTIONS).then(|| shared.fanout.join(Arc::clone(&outbox)));
    let alive = AtomicBool::new(true);
    let mut writing = pin!(write(sink, &outbox, shared, &alive));
    let end = tokio::select! {
        end = read(stream, &outbox, shared, caller, &alive, stop) => end,
        end = &mut writing => end,
        () = outbox.too_slow() => End::Slow,
    };
    if matches!(end, End::Close(close::SERVICE_RESTART, _)) {
        outbox.event(event::SHUTDOWN, json!({ "reason": "gateway stopping" }).to_string().into());
        let last_words = async {
            tokio::select! {
                _ = &mut writing => {}
                () = outbox.at_most(0) => {}
            }
        };
        // Who doesn't read them in time learns from the close, or from the broken socket.
        let _ = timeout(LAST_CALLS, last_words).await;
    }
    end
}

/// Writes the outbox, ticks and pings, until the socket breaks or a ping stays unanswered.
async fn write(sink: &mut SplitSink<WebSocket, Message>, outbox: &Outbox, shared: &Shared, alive: &AtomicBool) -> End {
    let start = Instant::now();
    let mut ticks = interval_at(start + limits::TICK, limits::TICK);
    let mut pings = interval_at(start + limits::PING, limits::PING);
    for timer in [&mut ticks, &mut pings] {
        timer.set_missed_tick_behavior(MissedTickBehavior::Delay);
    }
    loop {
        let frame = tokio::select! {
            frame = outbox.next() => frame,
            _ = ticks.tick() => {
                let tick = Tick { ts: shared.clock.now_ms() };
                outbox.event(event::TICK, json!(tick).to_string().into());
                continue;
            }
            _ = pings.tick() => {
                if !alive.swap(false, Ordering::Relaxed) || sink.send(Message::Ping(Bytes::new())).await.is_err() {
                    return End::Gone;
                }
                continue;
            }
        };
        // Everything that waits goes out in as few writes as it takes.
        let mut weight = 0;
        let mut next = Some(frame);
        while let Some(frame) = next {
            weight += frame.weight();
            if sink.feed(Message::text(frame.into_text())).await.is_err() {
                return End::Gone;
            }
            next = if weight < BACKLOG { outbox.try_next() } else { None };
        }
        if sink.flush().await.is_err() {
            return End::Gone;
        }
        outbox.sent(weight);
    }
}

/// Reads calls and queues their answers, until the socket ends or the gateway stops.
async fn read(
    stream: &mut SplitStream<WebSocket>,
    outbox: &Outbox,
    shared: &Shared,
    caller: Caller<'_>,
    alive: &AtomicBool,
    stop: &CancellationToken,
) -> End {
    let mut calls = FuturesUnordered::new();
    let mut waits = FuturesUnordered::new();
    loop {
        let crowded = outbox.backlog() > BACKLOG;
        let message = tokio::select! {
            message = stream.next(), if !crowded && calls.len() < MOST_CALLS => message,
            Some(answer) = calls.next() => {
                outbox.text(answer);
                continue;
            }
            Some(answer) = waits.next() => {
                outbox.text(answer);
                continue;
            }
            () = outbox.at_most(BACKLOG), if crowded => continue,
            () = stop.cancelled() => {
                let last_calls = async {
                    while let Some(answer) = calls.next().await {
                        outbox.text(answer);
                    }
                };
                let _ = timeout(LAST_CALLS, last_calls).await;
                return End::close(close::SERVICE_RESTART, "service restart");
            }
        };
        let bytes = match message {
            None => return End::Gone,
            Some(Err(error)) => return broken(error),
            Some(Ok(Message::Pong(_))) => {
                alive.store(true, Ordering::Relaxed);
                continue;
            }
            Some(Ok(message)) => body(message),
        };
        // What isn't JSON can't be answered; OpenClaw ignores it too.
        let Some(frame) = bytes.and_then(|bytes| serde_json::from_slice::<Value>(&bytes).ok()) else { continue };
        match Call::of(frame) {
            Err(refusal) => outbox.text(refusal),
            Ok(Call { id, method, params }) => {
                let started = methods::find(&method, caller).and_then(|method| {
                    if method.waits && waits.len() >= MOST_WAITS {
                        return Err(ErrorShape::unavailable("too many waits on one connection"));
                    }
                    Ok((method.waits, method.call(&shared.desk, params, caller)?))
                });
                match started {
                    Err(error) => outbox.text(response(&id, Err(error))),
                    Ok((true, outcome)) => waits.push(answered(id, outcome)),
                    Ok((false, outcome)) => calls.push(answered(id, outcome)),
                }
            }
        }
    }
}

async fn answered(id: String, outcome: Outcome) -> String {
    response(&id, outcome.await)
}

/// A call as it came.
struct Call {
    id: String,
    method: String,
    params: Option<Value>,
}

impl Call {
    /// Takes a frame apart, or makes the answer to a frame that is none.
    fn of(mut frame: Value) -> Result<Self, String> {
        let field = |frame: &mut Value, name: &str| match frame.get_mut(name).map(Value::take) {
            Some(Value::String(text)) => Some(text),
            _ => None,
        };
        if let Err(faults) = schema::FRAME.check(&frame) {
            let id = field(&mut frame, "id").unwrap_or_else(|| "invalid".to_owned());
            return Err(response(&id, Err(ErrorShape::invalid(format!("invalid request frame: {faults}")))));
        }
        Ok(Self {
            id: field(&mut frame, "id").unwrap_or_default(),
            method: field(&mut frame, "method").unwrap_or_default(),
            params: frame.get_mut("params").map(Value::take),
        })
    }
}

/// A response frame.
fn response(id: &str, outcome: Result<String, ErrorShape>) -> String {
    #[derive(Serialize)]
    struct Refused<'a> {
        r#type: &'static str,
        id: &'a str,
        ok: bool,
        error: ErrorShape,
    }
    match outcome {
        Ok(payload) => format!(r#"{{"type":"res","id":{},"ok":true,"payload":{payload}}}"#, Value::from(id)),
        Err(error) => serde_json::to_string(&Refused { r#type: "res", id, ok: false, error }).unwrap_or_default(),
    }
}

/// The bytes of a message that carries a frame. Text and binary are the same here, as in OpenClaw.
fn body(message: Message) -> Option<Bytes> {
    match message {
        Message::Text(text) => Some(text.into()),
        Message::Binary(bytes) => Some(bytes),
        Message::Ping(_) | Message::Pong(_) | Message::Close(_) => None,
    }
}

/// How a connection ends whose bytes can't be read.
fn broken(error: SocketError) -> End {
    use tungstenite::Error as Broken;
    match error.into_inner().downcast_ref::<Broken>() {
        Some(Broken::Capacity(_)) => End::close(close::TOO_BIG, ""),
        Some(Broken::Protocol(_)) => End::close(close::PROTOCOL_ERROR, ""),
        // 1007: text that isn't UTF-8.
        Some(Broken::Utf8(_)) => End::close(1007, ""),
        _ => End::Gone,
    }
}

/// The start of `text`, at most `most` bytes, whole characters.
fn cut(text: &str, most: usize) -> &str {
    text.get(..text.floor_char_boundary(most)).unwrap_or(text)
}
