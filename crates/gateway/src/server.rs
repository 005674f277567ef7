//! The HTTP side: who may open a WebSocket at all, and an orderly end.
//!
//! A browser sends `Origin` with every WebSocket, and any page may open one to this machine. Nothing of ours connects
//! from a page, so a request with an `Origin` is refused before the upgrade. A page that made its own host name point
//! here (DNS rebinding) is known by its `Host`, which must be a loopback name or the very address the request reached.

use std::future::Future;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::Router;
use axum::extract::{ConnectInfo, State, WebSocketUpgrade};
use axum::http::{HeaderMap, StatusCode, header, uri::Authority};
use axum::response::{IntoResponse, Response};
use axum::routing::any;
use beckon_protocol::limits;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use uuid::Uuid;

use crate::attempts::Attempts;
use crate::clock::Clock;
use crate::connection;
use crate::desk::Desk;
use crate::fanout::Fanout;
use crate::handshake::Visitor;
use crate::intake::{Intake, Peer};

/// Bytes of each connection's read buffer, and of frames gathered into one write. The library's 128 KiB a connection
/// would be most of the gateway's memory; frames here are small.
const SOCKET_BUFFER: usize = 8 * 1024;
/// Longest wait for all connections at the end. Each has its own shorter limits; this is for what they can't see.
const FAREWELL: Duration = Duration::from_secs(8);
/// Headers of a proxy. Behind one, a client is not on this machine even if its socket is.
const FORWARDED: [&str; 5] = ["forwarded", "x-forwarded-for", "x-forwarded-host", "x-real-ip", "via"];

/// What all connections share.
pub(crate) struct Shared {
    pub desk: Desk,
    pub fanout: Arc<Fanout>,
    pub token: String,
    pub attempts: Attempts,
    pub clock: Arc<dyn Clock>,
    /// Changes at every start.
    pub boot_id: String,
    pub started: Instant,
}

impl Shared {
    pub(crate) fn new(desk: Desk, fanout: Arc<Fanout>, token: String, clock: Arc<dyn Clock>) -> Self {
        Self {
            desk,
            fanout,
            token,
            attempts: Attempts::default(),
            clock,
            boot_id: Uuid::new_v4().to_string(),
            started: Instant::now(),
        }
    }
}

#[derive(Clone)]
struct Door {
    shared: Arc<Shared>,
    stop: CancellationToken,
    connections: TaskTracker,
}

/// Serves until `shutdown`, then ends every connection and closes the desk.
pub(crate) async fn run(
    shared: Arc<Shared>,
    listener: TcpListener,
    shutdown: impl Future<Output = ()> + Send,
) -> io::Result<()> {
    let stop = CancellationToken::new();
    // Also when the caller drops this future.
    let _stop_anyway = stop.clone().drop_guard();
    let connections = TaskTracker::new();
    let desk = shared.desk.clone();
    tracing::info!(address = ?listener.local_addr().ok(), "serving");
    let door = Door { shared, stop: stop.clone(), connections: connections.clone() };
    let app = Router::new().route("/", any(knock)).with_state(door).into_make_service_with_connect_info::<Peer>();
    let mut serving = Box::pin(
        axum::serve(Intake(listener), app).with_graceful_shutdown(stop.clone().cancelled_owned()).into_future(),
    );
    tokio::select! {
        result = &mut serving => return result,
        () = shutdown => {}
    }
    tracing::info!(connections = connections.len(), "stopping");
    stop.cancel();
    connections.close();
    let farewell = async {
        connections.wait().await;
        serving.await
    };
    if tokio::time::timeout(FAREWELL, farewell).await.is_err() {
        tracing::warn!("some connections did not end in time");
    }
    desk.close().await;
    Ok(())
}

async fn knock(
    State(door): State<Door>,
    ConnectInfo(peer): ConnectInfo<Peer>,
    headers: HeaderMap,
    upgrade: Result<WebSocketUpgrade, axum::extract::ws::rejection::WebSocketUpgradeRejection>,
) -> Response {
    if headers.contains_key(header::ORIGIN) {
        tracing::warn!("refused a browser");
        return (StatusCode::FORBIDDEN, "Web pages can't connect here.\n").into_response();
    }
    if !is_ours(&headers, peer.local) {
        tracing::warn!("refused a foreign host name");
        return (StatusCode::FORBIDDEN, "This gateway answers to localhost and its own address only.\n")
            .into_response();
    }
    let upgrade = match upgrade {
        Ok(upgrade) => upgrade,
        Err(rejection) => return rejection.into_response(),
    };
    let visitor = Visitor {
        address: peer.remote.ip().to_canonical(),
        local: peer.remote.ip().to_canonical().is_loopback()
            && !FORWARDED.iter().any(|name| headers.contains_key(*name)),
        nonce: Uuid::new_v4().to_string(),
        connection: Uuid::new_v4().to_string(),
    };
    // Taken here, so that a stop can't overlook a connection that is just being made.
    let open = door.connections.token();
    upgrade
        .read_buffer_size(SOCKET_BUFFER)
        .write_buffer_size(SOCKET_BUFFER)
        .max_frame_size(limits::MAX_PAYLOAD)
        .max_message_size(limits::MAX_PAYLOAD)
        .on_upgrade(move |socket| async move {
            connection::serve(socket, door.shared, visitor, peer, door.stop).await;
            drop(open);
        })
}

/// Whether `Host` names this machine: `localhost`, a loopback address, or the address the connection came in at.
fn is_ours(headers: &HeaderMap, local: Option<SocketAddr>) -> bool {
    let mut hosts = headers.get_all(header::HOST).iter();
    let (Some(host), None) = (hosts.next(), hosts.next()) else { return false };
    let Some(authority) = host.to_str().ok().and_then(|host| host.parse::<Authority>().ok()) else { return false };
    if authority.as_str().contains('@') {
        return false;
    }
    let name = authority.host();
    if name.eq_ignore_ascii_case("localhost") {
        return true;
    }
    let literal = name.strip_prefix('[').and_then(|name| name.strip_suffix(']')).unwrap_or(name);
    let Ok(address) = literal.parse::<IpAddr>() else { return false };
    let address = address.to_canonical();
    address.is_loopback() || local.is_some_and(|local| local.ip().to_canonical() == address)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn only_names_of_this_machine_are_ours() {
        let ours = |host: &str, local: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(header::HOST, host.parse().unwrap());
            is_ours(&headers, Some(local.parse().unwrap()))
        };
        for host in ["localhost", "LOCALHOST:18789", "127.0.0.1:18789", "127.1.2.3", "[::1]:18789"] {
            assert!(ours(host, "127.0.0.1:18789"), "{host}");
        }
        assert!(ours("192.0.2.7:18789", "192.0.2.7:18789"));
        for host in [
            "evil.example",
            "localhost.evil.example",
            "127.0.0.1.evil.example",
            "192.0.2.8",
            "0.0.0.0",
            "u@localhost",
            "",
            "[::2]",
            "127.1",
            "2130706433",
        ] {
            assert!(!ours(host, "192.0.2.7:18789"), "{host}");
        }
        assert!(!is_ours(&HeaderMap::new(), None));
    }
}
