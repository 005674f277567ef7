//! The browser host: who gets in, and who doesn't.
#![cfg(feature = "web")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

use std::borrow::Cow;
use std::fmt::Write;

use beckon_client::web::Host;
use beckon_client::{Beckon, Home, secrets};
use futures_util::{SinkExt, StreamExt};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio_tungstenite::connect_async;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;

struct Served {
    authority: String,
    key: String,
    _dir: tempfile::TempDir,
}

async fn serve() -> Served {
    let dir = tempfile::tempdir().unwrap();
    let home = Home::at(dir.path().join("home")).unwrap();
    // No test may touch the key store of whoever runs it.
    let beckon = Beckon::start_with(&home, None, secrets::none).unwrap();
    let file = |path: &str| (path == "index.html").then(|| Cow::from(&b"<!doctype html>"[..]));
    let host = Host::bind(beckon, file, 0).await.unwrap();
    let url = host.url();
    let (address, key) = url.split_once("/?key=").unwrap();
    let authority = address.trim_start_matches("http://").to_owned();
    tokio::spawn(host.run(std::future::pending()));
    Served { authority, key: key.to_owned(), _dir: dir }
}

impl Served {
    /// Status line and headers of the answer.
    async fn get(&self, path: &str, headers: &[(&str, &str)]) -> String {
        let mut socket = TcpStream::connect(&self.authority).await.unwrap();
        let mut request = format!("GET {path} HTTP/1.1\r\nConnection: close\r\n");
        for (name, value) in headers {
            write!(request, "{name}: {value}\r\n").unwrap();
        }
        socket.write_all(format!("{request}\r\n").as_bytes()).await.unwrap();
        let mut answer = String::new();
        socket.read_to_string(&mut answer).await.unwrap();
        answer
    }

    fn cookie(&self) -> String {
        let port = self.authority.rsplit(':').next().unwrap();
        format!("beckon-{port}={}", self.key)
    }

    async fn connects(&self, host: &str, origin: Option<&str>, cookie: Option<&str>) -> bool {
        let mut request = format!("ws://{}/host", self.authority).into_client_request().unwrap();
        request.headers_mut().insert("host", host.parse().unwrap());
        for (name, value) in [("origin", origin), ("cookie", cookie)] {
            if let Some(value) = value {
                request.headers_mut().insert(name, value.parse().unwrap());
            }
        }
        connect_async(request).await.is_ok()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_key_becomes_a_cookie_that_scripts_cannot_read() {
    let served = serve().await;
    let host = ("Host", served.authority.as_str());
    let entered = served.get(&format!("/?key={}", served.key), &[host]).await;
    assert!(entered.starts_with("HTTP/1.1 303"), "{entered}");
    let lower = entered.to_ascii_lowercase();
    assert!(lower.contains("httponly; samesite=strict"), "{entered}");
    assert!(lower.contains("location: /\r\n"), "the key doesn't stay in the address: {entered}");

    let page = served.get("/", &[host, ("Cookie", &served.cookie())]).await;
    assert!(page.starts_with("HTTP/1.1 200") && page.contains("content-security-policy"), "{page}");
    assert!(served.get("/nothing.js", &[host, ("Cookie", &served.cookie())]).await.starts_with("HTTP/1.1 404"));
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody_else_gets_a_byte() {
    let served = serve().await;
    let host = ("Host", served.authority.as_str());
    for (path, headers) in [
        ("/", vec![host]),
        ("/", vec![host, ("Cookie", "beckon-1=wrong")]),
        ("/?key=wrong", vec![host]),
        ("/index.html", vec![host]),
        ("/", vec![("Host", "rebound.example"), ("Cookie", &served.cookie())]),
    ] {
        let answer = served.get(path, &headers).await;
        assert!(answer.starts_with("HTTP/1.1 403"), "{path} {headers:?}: {answer}");
        assert!(!answer.contains("doctype"), "{path}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_socket_wants_cookie_origin_and_host() {
    let served = serve().await;
    let (authority, cookie) = (served.authority.clone(), served.cookie());
    let origin = format!("http://{authority}");
    assert!(served.connects(&authority, Some(&origin), Some(&cookie)).await);
    assert!(!served.connects(&authority, Some(&origin), None).await);
    assert!(!served.connects(&authority, None, Some(&cookie)).await);
    assert!(!served.connects(&authority, Some("null"), Some(&cookie)).await);
    assert!(!served.connects(&authority, Some(&format!("{origin}.example.com")), Some(&cookie)).await);
    assert!(!served.connects("rebound.example", Some(&origin), Some(&cookie)).await);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_forged_intent_is_refused_and_the_socket_goes_on() {
    let served = serve().await;
    let mut request = format!("ws://{}/host", served.authority).into_client_request().unwrap();
    request.headers_mut().insert("origin", format!("http://{}", served.authority).parse().unwrap());
    request.headers_mut().insert("cookie", served.cookie().parse().unwrap());
    let (mut socket, _) = connect_async(request).await.unwrap();
    let mut heard = async |wanted: &str| {
        loop {
            let message = socket.next().await.unwrap().unwrap().into_text().unwrap().to_string();
            if message.contains(wanted) {
                return message;
            }
            if message.contains(r#""type":"reset""#) {
                for forged in [
                    r#"{"id":1,"intent":{"type":"runProgram"}}"#,
                    "{",
                    r#"{"id":2,"intent":{"type":"skip","card":"no/such"}}"#,
                ] {
                    socket.send(Message::text(forged)).await.unwrap();
                }
            }
        }
    };
    assert!(heard(r#""type":"reply""#).await.contains("malformed"));
    assert!(heard(r#""id":2"#).await.contains("notFound"));
}
