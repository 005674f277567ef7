//! Who may open a WebSocket at all.

use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::{Error, http};

use crate::client::{Running, Socket};

async fn knock(gateway: &Running, headers: &[(&'static str, &str)]) -> Result<(), http::Response<Option<Vec<u8>>>> {
    let mut request = format!("ws://{}/", gateway.address).into_client_request().unwrap();
    for (name, value) in headers {
        request.headers_mut().insert(*name, value.parse().unwrap());
    }
    match tokio_tungstenite::connect_async(request).await {
        Ok(_) => Ok(()),
        Err(Error::Http(response)) => Err(*response),
        Err(error) => panic!("{error}"),
    }
}

#[tokio::test]
async fn web_pages_and_foreign_names_are_refused_before_the_upgrade() {
    let gateway = Running::start().await;
    let port = gateway.address.port();
    for headers in [
        [("origin", "https://evil.example")],
        [("origin", "null")],
        [("origin", "http://localhost:1420")],
        [("origin", "tauri://localhost")],
        [("host", "evil.example")],
        [("host", "127.0.0.1.evil.example")],
        [("host", "192.0.2.1")],
    ] {
        let response = knock(&gateway, &headers).await.expect_err("refused");
        assert_eq!(response.status(), 403, "{headers:?}");
        let body = String::from_utf8(response.into_body().unwrap_or_default()).unwrap();
        assert!(!body.contains("nonce"), "{body}");
    }
    for host in
        [format!("localhost:{port}"), format!("127.0.0.1:{port}"), format!("[::1]:{port}"), "localhost".to_owned()]
    {
        assert!(knock(&gateway, &[("host", &host)]).await.is_ok(), "{host}");
    }
}

#[tokio::test]
async fn behind_a_proxy_nobody_is_at_home() {
    let gateway = Running::start().await;
    let mut request = format!("ws://{}/", gateway.address).into_client_request().unwrap();
    request.headers_mut().insert("x-forwarded-for", "203.0.113.7".parse().unwrap());
    let (stream, _) = tokio_tungstenite::connect_async(request).await.unwrap();
    let mut socket = Socket::of(stream);
    let response = socket.connect(1, |_| {}).await;
    let error = &response["error"];
    assert_eq!(
        (error["code"].as_str(), error["message"].as_str()),
        (Some("NOT_PAIRED"), Some("pairing required: device is not approved yet"))
    );
    assert_eq!(error["details"]["reason"], "not-paired");
    let id = error["details"]["requestId"].as_str().unwrap();
    assert_eq!(
        socket.closed().await,
        (1008, format!("pairing required: device is not approved yet (requestId: {id})"))
    );
}

#[tokio::test]
async fn other_paths_and_plain_requests_find_nothing() {
    let gateway = Running::start().await;
    for (path, status) in [("/", "400"), ("/nope", "404")] {
        let mut stream = tokio::net::TcpStream::connect(gateway.address).await.unwrap();
        let request = format!("GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
        tokio::io::AsyncWriteExt::write_all(&mut stream, request.as_bytes()).await.unwrap();
        let mut answer = String::new();
        tokio::io::AsyncReadExt::read_to_string(&mut stream, &mut answer).await.unwrap();
        assert!(answer.starts_with(&format!("HTTP/1.1 {status}")), "{answer}");
    }
}
