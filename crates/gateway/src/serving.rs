//! Serving a state directory, and finding the gateway that serves it.
//!
//! A gateway that accepts connections leaves its address and the place of its token in `endpoint.json` beside its
//! database, so that the app and the command line find it without being told. The file stays, since the next start
//! takes the same port again if it can; the lock on the directory says whether a gateway runs.

use std::future::Future;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use tokio::net::TcpListener;
use tokio::sync::Notify;
use tokio::task::JoinHandle;

use crate::token::{self, TokenError};
use crate::{Gateway, OpenError, Options, RunError};

/// Port when none is asked for; another one when it is taken.
pub const DEFAULT_PORT: u16 = 7117;

/// Where a gateway is and how to get in.
#[derive(Clone)]
pub struct Endpoint {
    /// `ws://127.0.0.1:N`.
    pub address: String,
    /// Its shared token.
    pub token: String,
}

/// A gateway that runs in this program.
pub struct Serving {
    /// Where it is.
    pub endpoint: Endpoint,
    stop: Arc<Notify>,
    task: JoinHandle<Result<(), RunError>>,
}

/// Why nothing is served.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServeError {
    /// The state directory.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// The token file.
    #[error(transparent)]
    Token(#[from] TokenError),
    /// The port.
    #[error("port {port} can't be used: {source}")]
    Port {
        /// Which.
        port: u16,
        /// Why.
        source: io::Error,
    },
    /// The endpoint file.
    #[error("{path} can't be written: {source}")]
    EndpointFile {
        /// Which.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct EndpointFile {
    address: String,
    token_file: PathBuf,
}

impl Serving {
    /// Starts a gateway on the loopback address. It accepts connections when this returns. Without `port`, the default
    /// one or any free one; without `token_file`, `token` in the state directory, made at the first start.
    pub async fn start(state_dir: &Path, token_file: Option<PathBuf>, port: Option<u16>) -> Result<Self, ServeError> {
        crate::make_private_dir(state_dir).map_err(|source| OpenError::Io { path: state_dir.to_owned(), source })?;
        let token_file = token_file.unwrap_or_else(|| state_dir.join("token"));
        let token = token::load_or_create(&token_file)?;
        let gateway = Gateway::open(Options { state_dir: state_dir.to_owned(), token: token.clone() })?;
        let listener = bind(port, last_port(state_dir)).await?;
        let local = listener.local_addr().map_err(|source| ServeError::Port { port: port.unwrap_or(0), source })?;
        let address = format!("ws://{local}");
        let file = EndpointFile { address: address.clone(), token_file: absolute(token_file) };
        let path = endpoint_path(state_dir);
        write(&path, &file).map_err(|source| ServeError::EndpointFile { path, source })?;
        let stop = Arc::new(Notify::new());
        let stopped = Arc::clone(&stop);
        let task = tokio::spawn(gateway.run(listener, async move { stopped.notified().await }));
        Ok(Self { endpoint: Endpoint { address, token }, stop, task })
    }

    /// Stops when `shutdown` resolves, or earlier when the gateway fails.
    pub async fn until(mut self, shutdown: impl Future<Output = ()>) -> Result<(), RunError> {
        tokio::select! {
            ended = &mut self.task => return flatten(ended),
            () = shutdown => self.stop.notify_one(),
        }
        flatten(self.task.await)
    }
}

fn flatten(ended: Result<Result<(), RunError>, tokio::task::JoinError>) -> Result<(), RunError> {
    ended.unwrap_or_else(|error| Err(RunError::Listener(io::Error::other(error))))
}

/// The gateway that serves a state directory. None when nobody does: whoever listens at its last address then must not
/// be handed its token.
pub fn find(state_dir: &Path) -> Option<Endpoint> {
    if !crate::is_served(state_dir) {
        return None;
    }
    let file = read(state_dir)?;
    let token = std::fs::read_to_string(&file.token_file).ok()?;
    Some(Endpoint { address: file.address, token: token.trim().to_owned() })
}

/// Where whoever waits from before looks for it: the port of the last time, then the default one, then any.
async fn bind(asked: Option<u16>, last: Option<u16>) -> Result<TcpListener, ServeError> {
    if let Some(port) = asked {
        return TcpListener::bind(("127.0.0.1", port)).await.map_err(|source| ServeError::Port { port, source });
    }
    for port in last.into_iter().chain([DEFAULT_PORT]) {
        if let Ok(listener) = TcpListener::bind(("127.0.0.1", port)).await {
            return Ok(listener);
        }
    }
    TcpListener::bind(("127.0.0.1", 0)).await.map_err(|source| ServeError::Port { port: 0, source })
}

fn last_port(state_dir: &Path) -> Option<u16> {
    let file = read(state_dir)?;
    file.address.rsplit(':').next()?.parse().ok()
}

fn read(state_dir: &Path) -> Option<EndpointFile> {
    serde_json::from_slice(&std::fs::read(endpoint_path(state_dir)).ok()?).ok()
}

fn endpoint_path(state_dir: &Path) -> PathBuf {
    state_dir.join("endpoint.json")
}

/// Another program that reads it works elsewhere.
fn absolute(path: PathBuf) -> PathBuf {
    std::path::absolute(&path).unwrap_or(path)
}

fn write(path: &Path, file: &EndpointFile) -> io::Result<()> {
    let next = path.with_extension("next");
    std::fs::write(&next, serde_json::to_vec(file)?)?;
    std::fs::rename(&next, path)
}
