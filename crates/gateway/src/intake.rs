//! Accepting sockets, and what one may send before it has said who it is.
//!
//! Until its handshake is done, a socket has [`DEADLINE`] and [`BUDGET`] bytes, the HTTP request included, whatever
//! they contain. Both are counted here, below HTTP and WebSocket, because neither of those can be told to read less:
//! a WebSocket message is buffered whole before anyone sees it, and its size limit can't change after the upgrade.
//! The exact limit of the first message, 64 KiB, is checked by the handshake; this bounds the memory.

use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use axum::extract::connect_info::Connected;
use axum::serve::{IncomingStream, Listener};
use beckon_protocol::limits;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::Sleep;

/// Bytes: one message of the allowed size, the HTTP request, and some control frames.
const BUDGET: usize = limits::PRE_CONNECT_FRAME + 16 * 1024;
/// The handshake has its own deadline, with a proper close; this one is for a socket that doesn't even finish its
/// HTTP request.
const DEADLINE: Duration = limits::HANDSHAKE.saturating_add(Duration::from_secs(5));
/// How long bytes that nobody wants are read after a close, so that the close itself isn't lost to a reset.
const LINGER: Duration = Duration::from_secs(1);

/// Accepts TCP connections.
pub(crate) struct Intake(pub(crate) TcpListener);

impl Listener for Intake {
    type Io = Line;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (Self::Io, Self::Addr) {
        // The library's own loop rests after an error such as too many open files.
        let (stream, address) = Listener::accept(&mut self.0).await;
        if let Err(error) = stream.set_nodelay(true) {
            tracing::debug!(%error, "small frames may wait for each other");
        }
        (Line::new(stream), address)
    }

    fn local_addr(&self) -> io::Result<Self::Addr> {
        self.0.local_addr()
    }
}

/// Who is at the other end.
#[derive(Clone)]
pub(crate) struct Peer {
    /// Its address.
    pub remote: SocketAddr,
    /// The address it reached us at.
    pub local: Option<SocketAddr>,
    /// What it may send.
    pub allowance: Arc<Allowance>,
}

impl Connected<IncomingStream<'_, Intake>> for Peer {
    fn connect_info(stream: IncomingStream<'_, Intake>) -> Self {
        let line = stream.io();
        let local = line.stream.as_ref().and_then(|stream| stream.local_addr().ok());
        Self { remote: *stream.remote_addr(), local, allowance: Arc::clone(&line.allowance) }
    }
}

/// What a socket may send; shared between the socket and those who judge it.
#[derive(Default)]
pub(crate) struct Allowance {
    unlimited: AtomicBool,
    spent: AtomicBool,
    linger: AtomicBool,
}

impl Allowance {
    /// The handshake is done: no more limits here.
    pub(crate) fn lift(&self) {
        self.unlimited.store(true, Ordering::Relaxed);
    }

    /// Whether the socket was cut off because it sent too much.
    pub(crate) fn is_spent(&self) -> bool {
        self.spent.load(Ordering::Relaxed)
    }

    /// Have the rest of what comes read and dropped for a moment when the socket is closed.
    pub(crate) fn linger(&self) {
        self.linger.store(true, Ordering::Relaxed);
    }
}

/// A socket with its allowance.
pub(crate) struct Line {
    /// Absent only while dropping.
    stream: Option<TcpStream>,
    allowance: Arc<Allowance>,
    received: usize,
    deadline: Pin<Box<Sleep>>,
}

impl Line {
    fn new(stream: TcpStream) -> Self {
        Self {
            stream: Some(stream),
            allowance: Arc::default(),
            received: 0,
            deadline: Box::pin(tokio::time::sleep(DEADLINE)),
        }
    }

    fn stream(&mut self) -> io::Result<Pin<&mut TcpStream>> {
        self.stream.as_mut().map(Pin::new).ok_or_else(|| io::ErrorKind::NotConnected.into())
    }
}

impl AsyncRead for Line {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let limited = !self.allowance.unlimited.load(Ordering::Relaxed);
        if limited {
            if self.received >= BUDGET {
                self.allowance.spent.store(true, Ordering::Relaxed);
                return Poll::Ready(Err(io::Error::other("too much before the handshake")));
            }
            if self.deadline.as_mut().poll(cx).is_ready() {
                return Poll::Ready(Err(io::ErrorKind::TimedOut.into()));
            }
        }
        let before = buf.filled().len();
        let poll = self.stream()?.poll_read(cx, buf);
        if limited {
            self.received += buf.filled().len() - before;
        }
        poll
    }
}

impl AsyncWrite for Line {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        self.stream()?.poll_write(cx, buf)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        self.stream()?.poll_write_vectored(cx, bufs)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.as_ref().is_some_and(AsyncWrite::is_write_vectored)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.stream()?.poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.stream()?.poll_shutdown(cx)
    }
}

impl Drop for Line {
    /// Closing a socket with unread bytes resets it, and the client may then never see why it was closed.
    fn drop(&mut self) {
        if !self.allowance.linger.load(Ordering::Relaxed) {
            return;
        }
        if let (Some(mut stream), Ok(runtime)) = (self.stream.take(), tokio::runtime::Handle::try_current()) {
            runtime.spawn(tokio::time::timeout(LINGER, async move {
                let mut unwanted = vec![0; 8 * 1024];
                while stream.read(&mut unwanted).await.is_ok_and(|read| read > 0) {}
            }));
        }
    }
}
