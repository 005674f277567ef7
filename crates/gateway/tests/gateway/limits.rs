//! Frames that are too large, too many, or come too late.

use std::time::Duration;

use futures_util::SinkExt;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::Message;

use crate::client::{Running, question};

#[tokio::test]
async fn before_the_handshake_a_frame_may_have_64_kib() {
    let gateway = Running::start().await;
    let padded = |size: usize| {
        let frame = r#"{"type":"req","id":"1","method":"question.list","params":""}"#;
        frame.replace("\"\"", &format!("\"{}\"", "x".repeat(size - frame.len())))
    };
    let mut socket = gateway.socket().await;
    socket.challenge().await;
    socket.send(padded(64 * 1024)).await;
    assert_eq!(socket.closed().await.0, 1008, "read and refused for what it says");
    for size in [64 * 1024 + 1, 70_000, 1_000_000] {
        let mut socket = gateway.socket().await;
        socket.challenge().await;
        // Large ones may be cut off while they are still being sent.
        let _ = socket.stream.send(Message::text(padded(size))).await;
        assert_eq!(socket.closed().await, (1009, String::new()), "{size}");
    }
}

#[tokio::test]
async fn afterwards_a_frame_may_have_25_mib() {
    let gateway = Running::start().await;
    let mut socket = gateway.device(1).await;
    let mut large = question("q1");
    large["questions"][0]["question"] = json!("x".repeat(20_000_000));
    socket.ok("question.request", large.clone()).await;
    socket.ok("question.resolve", json!({ "id": "q1", "cancel": true })).await;
    large["questions"][0]["question"] = json!("x".repeat(26_214_400));
    let frame = json!({ "type": "req", "id": "1", "method": "question.request", "params": large }).to_string();
    let _ = socket.stream.send(Message::text(frame)).await;
    socket.events.clear();
    assert_eq!(socket.closed().await, (1009, String::new()));
}

/// A WebSocket without a client library, so that it can break the rules.
async fn raw(gateway: &Running) -> TcpStream {
    let mut stream = TcpStream::connect(gateway.address).await.unwrap();
    let upgrade = "GET / HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\
                   Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";
    stream.write_all(upgrade.as_bytes()).await.unwrap();
    stream
}

/// Header of a text frame that claims so many bytes.
fn header(bytes: u64) -> Vec<u8> {
    [&[0x81, 0x80 | 127][..], &bytes.to_be_bytes(), &[1, 2, 3, 4]].concat()
}

async fn ends_with_too_big(mut stream: TcpStream) {
    let mut answer = Vec::new();
    tokio::time::timeout(Duration::from_secs(5), stream.read_to_end(&mut answer)).await.unwrap().unwrap();
    assert!(answer.ends_with(&[0x88, 2, 0x03, 0xF1]), "a close frame with 1009");
}

#[tokio::test]
async fn a_frame_that_claims_too_much_is_refused_at_its_header() {
    let gateway = Running::start().await;
    let mut stream = raw(&gateway).await;
    stream.write_all(&header(64 << 20)).await.unwrap();
    ends_with_too_big(stream).await;
}

/// Nobody keeps what a stranger sends until its large frame is complete, or its pings without end.
#[tokio::test]
async fn before_the_handshake_little_is_read_whatever_it_is() {
    let gateway = Running::start().await;
    let mut half_a_frame = raw(&gateway).await;
    half_a_frame.write_all(&[header(1_000_000), vec![b'x'; 100_000]].concat()).await.unwrap();
    ends_with_too_big(half_a_frame).await;
    let mut pings = raw(&gateway).await;
    pings.write_all(&[0x89, 0x80, 1, 2, 3, 4].repeat(20_000)).await.unwrap();
    ends_with_too_big(pings).await;
}

#[tokio::test]
async fn who_doesn_t_read_is_closed_and_others_don_t_notice() {
    let gateway = Running::start().await;
    let (mut asker, mut lazy) = (gateway.device(1).await, gateway.device_for(2, &["operator.questions"]).await);
    // Nine times 8 MiB: more than the buffers of the sockets and the 50 MiB of the queue.
    for n in 0..9 {
        let mut large = question(&format!("q{n}"));
        large["questions"][0]["question"] = json!("x".repeat(8 << 20));
        asker.ok("question.request", large).await;
        asker.events.clear();
    }
    let close = lazy.closed().await;
    assert_eq!(close, (1008, "slow consumer".to_owned()));
    assert!(lazy.events.len() < 9, "what it hadn't read is gone");
    assert_eq!(asker.ok("question.list", json!({})).await["questions"].as_array().map(Vec::len), Some(9));
}

#[tokio::test]
async fn broken_frames_are_answered_or_ignored_and_the_connection_lives() {
    let gateway = Running::start().await;
    let mut socket = gateway.device(1).await;
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    for ignored in ["not json", "", "{", "nul", &deep] {
        socket.send(ignored).await;
    }
    for (frame, id, message) in [
        (r#"{"type":"nope"}"#, "invalid", "must have required property 'id'; at /type: must be equal to constant"),
        (r#"{"type":"req","id":"z","method":""}"#, "z", "at /method: must not have fewer than 1 characters"),
        (r#"{"type":"req","id":"a","method":"question.list","extra":1}"#, "a", "at root: unexpected property 'extra'"),
        (r#"{"type":"req","id":5,"method":"x"}"#, "invalid", "at /id: must be string"),
        (r#"{"id":"a"}"#, "a", "must have required property 'type'"),
        ("[]", "invalid", "must be object"),
        ("null", "invalid", "must be object"),
        (
            r#"{"type":"res","id":"a","ok":true}"#,
            "a",
            "must have required property 'method'; at root: unexpected property 'ok'; at /type: must be equal to constant",
        ),
    ] {
        socket.send(frame).await;
        let answer = socket.next().await.unwrap();
        let error = json!({ "code": "INVALID_REQUEST", "message": format!("invalid request frame: {message}") });
        assert_eq!(answer, json!({ "type": "res", "id": id, "ok": false, "error": error }), "{frame}");
    }
    let list = r#"{"type":"req","id":"b","method":"question.list","traceparent":"00","expectedProfileId":"x"}"#;
    socket.stream.send(Message::binary(list.as_bytes().to_vec())).await.unwrap();
    assert_eq!(socket.response("b").await["payload"], json!({ "questions": [] }));
}

#[tokio::test]
async fn hostile_text_goes_through_unchanged() {
    let gateway = Running::start().await;
    let mut socket = gateway.device(1).await;
    let text = "\u{0}\u{202e}\u{feff}\u{1f468}\u{200d}\u{1f680}\u{2028}</script>\n\t\"\\";
    let mut hostile = question("q\u{0}\u{202e}");
    hostile["questions"][0]["question"] = json!(text);
    socket.ok("question.request", hostile).await;
    let record = &socket.ok("question.get", json!({ "id": "q\u{0}\u{202e}" })).await["question"];
    assert_eq!(record["questions"][0]["question"], text);
}

/// Lets the gateway's timers believe that so much time has passed, and gives it a moment to act on it.
async fn pass(time: Duration) {
    tokio::time::pause();
    tokio::time::advance(time).await;
    tokio::time::resume();
    tokio::time::sleep(Duration::from_millis(50)).await;
}

#[tokio::test]
async fn a_silent_socket_is_closed_after_15_seconds() {
    let gateway = Running::start().await;
    let mut mute = TcpStream::connect(gateway.address).await.unwrap();
    let mut silent = gateway.socket().await;
    silent.challenge().await;
    pass(Duration::from_millis(14_500)).await;
    let early = tokio::time::timeout(Duration::from_millis(100), silent.next()).await;
    assert!(early.is_err(), "still open");
    pass(Duration::from_millis(500)).await;
    assert_eq!(silent.closed().await, (1000, String::new()));
    // The other one didn't even ask for a WebSocket.
    pass(Duration::from_secs(5)).await;
    let mut nothing = Vec::new();
    let _ = tokio::time::timeout(Duration::from_secs(5), mute.read_to_end(&mut nothing)).await.expect("cut off");
    assert!(nothing.is_empty());
}

#[tokio::test]
async fn ticks_come_and_a_dead_client_is_noticed() {
    let gateway = Running::start().await;
    let (mut alive, mut dead) = (gateway.device(1).await, gateway.device(2).await);
    // A ping at 25 s, a tick at 30 s. The one that reads answers the ping with a pong.
    pass(Duration::from_secs(25)).await;
    alive.ok("question.list", json!({})).await;
    pass(Duration::from_secs(5)).await;
    let tick = alive.event("tick").await;
    assert_eq!(tick["seq"], 1);
    assert!(tick["payload"]["ts"].as_u64().unwrap() > 1_700_000_000_000);
    pass(Duration::from_secs(20)).await;
    alive.ok("question.list", json!({})).await;
    assert_eq!(dead.closed().await.0, 1006, "cut off without a word");
}

#[tokio::test]
async fn whole_numbers_may_be_written_with_a_fraction() {
    let gateway = Running::start().await;
    let mut socket = gateway.device(1).await;
    for (timeout, lasts) in [("5000.0", 5000), ("1e300", 2_147_000_000_u64), ("1000000000000", 2_147_000_000)] {
        let question = question(timeout).to_string();
        let params = question.replacen('{', &format!("{{\"timeoutMs\":{timeout},"), 1);
        let frame = format!(r#"{{"type":"req","id":"n","method":"question.request","params":{params}}}"#);
        socket.send(frame).await;
        let requested = socket.response("n").await;
        let created = socket.event("question.requested").await["payload"]["createdAtMs"].clone();
        let lasted = requested["payload"]["expiresAtMs"].as_u64().unwrap() - created.as_u64().unwrap();
        assert_eq!(lasted, lasts, "{requested}");
    }
    let refused: Value = socket.refused("question.request", json!({ "timeoutMs": 1.5 })).await;
    assert_eq!(
        refused["message"],
        "invalid question.request params: must have required property 'questions'; at /timeoutMs: must be integer"
    );
}
