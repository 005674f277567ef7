//! The built-in gateway: a WebSocket server that speaks OpenClaw's gateway protocol, version 4, for durable questions.
//!
//! ```text
//! socket ─► intake ─► server ─► handshake ─► connection ─► methods ─► desk ─► store
//!                                                │                     │
//!                                                └────── outbox ◄─ fanout
//! ```
//!
//! [`desk`] holds the promises: what survives a crash, who wins, in which order everyone is told. The rest brings
//! operations to it and takes events away. A caller binds the socket and says when to stop; see [`Gateway::run`].

mod attempts;
mod clock;
mod connection;
mod desk;
mod devices;
mod fanout;
mod handshake;
mod intake;
mod methods;
mod schema;
mod server;
pub mod serving;
pub mod token;

use std::fs::{File, TryLockError};
use std::future::Future;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::clock::{Clock, SystemClock};
use crate::desk::{Desk, StartError, Store};
use crate::fanout::Fanout;
use crate::server::Shared;

/// What a gateway needs to know before it starts.
#[derive(Clone)]
pub struct Options {
    /// Directory of the database and the lock; made when absent, for the owner only. One gateway at a time uses it.
    pub state_dir: PathBuf,
    /// The shared token ([`token::load_or_create`]): whoever has it may connect from this machine and approve devices.
    pub token: String,
}

/// Leaves the token out.
impl std::fmt::Debug for Options {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Options").field("state_dir", &self.state_dir).finish_non_exhaustive()
    }
}

/// Why a gateway can't start. Nothing was changed, and no data was dropped.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OpenError {
    /// Another gateway already runs on this state directory.
    #[error("another gateway already runs on {}", .0.display())]
    InUse(PathBuf),
    /// A newer program wrote the database.
    #[error("{} was written by a newer Beckon (schema {found}, this one knows {known}): use that one", path.display())]
    TooNew {
        /// The database.
        path: PathBuf,
        /// Version of its schema.
        found: i64,
        /// Newest version this program knows.
        known: usize,
    },
    /// The file is another program's database.
    #[error("{} is not a database of Beckon", .0.display())]
    Foreign(PathBuf),
    /// The database is broken. It was left as it is: move it away to start afresh, or restore a copy.
    #[error("{} is damaged: {what}", path.display())]
    Damaged {
        /// The database.
        path: PathBuf,
        /// What is wrong with it.
        what: String,
    },
    /// The token is empty.
    #[error("the shared token is empty: anyone could connect")]
    NoToken,
    /// The operating system refused.
    #[error("can't use {}: {source}", path.display())]
    Io {
        /// What was to be used.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
}

impl OpenError {
    fn database(path: &Path, error: rusqlite::Error) -> Self {
        use rusqlite::ErrorCode::{DatabaseCorrupt, NotADatabase};
        let path = path.to_owned();
        match error {
            rusqlite::Error::SqliteFailure(failure, _) if matches!(failure.code, DatabaseCorrupt | NotADatabase) => {
                Self::Damaged { path, what: error.to_string() }
            }
            rusqlite::Error::SqliteFailure(..) => Self::Io { path, source: std::io::Error::other(error) },
            // A row that can't be read: the file is sound, its contents are not.
            _ => Self::Damaged { path, what: error.to_string() },
        }
    }
}

/// Why a gateway stopped by itself.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RunError {
    /// The listener failed.
    #[error("the listener failed: {0}")]
    Listener(#[from] std::io::Error),
}

/// A gateway that is open: a handle that is cheap to clone.
#[derive(Clone)]
pub struct Gateway {
    shared: Arc<Shared>,
}

impl Gateway {
    /// Locks the state directory, opens the database, brings its schema up to date and loads what is pending.
    ///
    /// Questions are on their way at once: those that expired while no gateway ran end now. When the last handle is
    /// dropped, or [`Self::run`] has returned, the directory is free again.
    pub fn open(options: Options) -> Result<Self, OpenError> {
        Self::open_at(options, Arc::new(SystemClock))
    }

    fn open_at(options: Options, clock: Arc<dyn Clock>) -> Result<Self, OpenError> {
        let Options { state_dir, token } = options;
        if token.trim().is_empty() {
            return Err(OpenError::NoToken);
        }
        let io = |path: &Path| {
            let path = path.to_owned();
            move |source| OpenError::Io { path, source }
        };
        make_private_dir(&state_dir).map_err(io(&state_dir))?;
        let lock_path = state_dir.join(LOCK);
        let lock = File::create(&lock_path).map_err(io(&lock_path))?;
        // Once more, after the moment in which somebody may have looked whether a gateway runs here.
        let locked = lock.try_lock().or_else(|_| {
            std::thread::sleep(std::time::Duration::from_millis(50));
            lock.try_lock()
        });
        locked.map_err(|error| match error {
            TryLockError::WouldBlock => OpenError::InUse(state_dir.clone()),
            TryLockError::Error(source) => io(&lock_path)(source),
        })?;
        let database = state_dir.join("gateway.db");
        let store = Store::open(&database)?;
        let fanout = Arc::new(Fanout::default());
        let desk = Desk::start(store, Arc::clone(&fanout), Arc::clone(&clock), lock).map_err(|error| match error {
            StartError::Database(error) => OpenError::database(&database, error),
            StartError::Thread(source) => io(&state_dir)(source),
        })?;
        Ok(Self { shared: Arc::new(Shared::new(desk, fanout, token, clock)) })
    }

    /// Serves `listener` until `shutdown` resolves; then tells every client (`shutdown` event, close 1012), waits for
    /// them, at most a few seconds, and closes the database. The handle's clones are of no use afterwards.
    ///
    /// Only addresses of this machine are served as such: a client from elsewhere, or through a proxy, must have an
    /// approved device.
    pub async fn run(
        self,
        listener: tokio::net::TcpListener,
        shutdown: impl Future<Output = ()> + Send,
    ) -> Result<(), RunError> {
        server::run(self.shared, listener, shutdown).await.map_err(RunError::Listener)
    }
}

/// Locked while a gateway runs on the state directory.
const LOCK: &str = "gateway.lock";

/// Whether a gateway runs on a state directory.
fn is_served(state_dir: &Path) -> bool {
    File::open(state_dir.join(LOCK)).is_ok_and(|lock| matches!(lock.try_lock_shared(), Err(TryLockError::WouldBlock)))
}

fn make_private_dir(path: &Path) -> std::io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)
}
