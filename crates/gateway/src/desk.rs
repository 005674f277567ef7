//! The desk: the one place where questions are asked, answered and ended.
//!
//! A single thread ([`clerk`]) owns the pending questions ([`book`]) and the database ([`store`]). Connections send it operations
//! and wait for their answers. It works in turns:
//!
//! 1. End the questions whose time has run out, in a transaction of their own.
//! 2. Take every operation that waits, at most [`clerk::MAX_TURN`], and judge each in order against the book, so that of two
//!    answers to one question the first wins and the second learns so.
//! 3. Write all changes in one transaction and commit it: one wait for the disk, however many askers.
//! 4. Only then tell anyone: events to everyone, then the operation's own answer, in the order of the operations.
//!    `question.requested` is therefore queued on every connection before the response of `question.request`.
//!
//! **What it promises.** An acknowledged question survives a crash with its deadline. An acknowledged answer is the
//! only one, for good. A question ends exactly once: answered, cancelled or expired, and `question.get`,
//! `question.waitAnswer` and the event say the same.
//!
//! **What a crash leaves behind.** Before the commit: nothing; nobody was told anything, and the caller's connection
//! breaks. Between commit and telling: a question or an answer that its caller doesn't know of. An asker that retries
//! with its own id gets `QUESTION_ID_IN_USE`; a resolver that retries with the same `resolutionId` gets the stored
//! outcome as a success. Events are not repeated: a client that comes back reads the list. Questions that expired
//! while the gateway was down are ended by the first turn after the start.
//!
//! **When a write or the commit fails** (disk full, I/O error), the turn stops there, the transaction is rolled back,
//! the book is read again from the database, and every operation of the turn is refused with a retryable
//! `UNAVAILABLE`, reads too, because they may have seen what was then undone. Waiting callers keep waiting. If even reading fails, the next turn tries again.
//! The endings of step 1 are left for a later turn when they can't be stored; their questions take no answer.
//!
//! **Where it differs from OpenClaw** on purpose: there, questions live in memory, die with the process, and are
//! forgotten 15 s after they ended. Here `question.get`, `question.waitAnswer` and `question.request` (a used id) know
//! every question ever asked, and `question.resolve` is idempotent by `resolutionId`.

mod book;
mod clerk;
mod store;
#[cfg(test)]
mod tests;

use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, mpsc};
use std::task::{Context, Poll};

use beckon_protocol::ErrorShape;
use beckon_protocol::question::{RequestParams, Requested, ResolveParams, Resolved};
use tokio::sync::oneshot;

use self::book::Book;
use self::clerk::Clerk;
pub(crate) use self::store::Store;
use crate::clock::Clock;
use crate::devices::{Applicant, Device};
use crate::fanout::Fanout;

/// A handle of the desk. When the last one is dropped, the desk closes.
#[derive(Clone)]
pub(crate) struct Desk {
    operations: mpsc::Sender<Operation>,
}

/// How a question ended, with its `id` and `resolutionId` when there is one.
pub(crate) type Ending = Resolved;

/// The answer of an operation that is on its way. The operation was sent when this was made; dropping this doesn't
/// take it back.
pub(crate) struct Answer<T>(oneshot::Receiver<Result<T, ErrorShape>>);

impl<T> Future for Answer<T> {
    type Output = Result<T, ErrorShape>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        Pin::new(&mut self.0).poll(cx).map(|answer| answer.unwrap_or_else(|_| Err(closed())))
    }
}

type Reply<T> = oneshot::Sender<Result<T, ErrorShape>>;

enum Operation {
    Request(RequestParams, Reply<Requested>),
    List(Reply<Vec<Arc<str>>>),
    Get(String, Reply<Arc<str>>),
    Resolve(ResolveParams, Reply<Resolved>),
    Wait(String, Reply<Ending>),
    Device(String, String, Reply<Option<Device>>),
    Approve(Box<Applicant>, Reply<Device>),
    Close(oneshot::Sender<()>),
}

impl Desk {
    /// Starts the desk on `store`. `guard` is dropped after the store is closed.
    pub(crate) fn start(
        store: Store,
        fanout: Arc<Fanout>,
        clock: Arc<dyn Clock>,
        guard: impl Send + 'static,
    ) -> Result<Self, StartError> {
        let book = Book::of(store.pending()?).map_err(|error| rusqlite::Error::ToSqlConversionFailure(error.into()))?;
        tracing::info!(pending = book.iter().count(), "the desk is open");
        let (operations, inbox) = mpsc::channel();
        let mut clerk = Clerk::new(store, book, fanout, clock);
        std::thread::Builder::new().name("beckon-desk".to_owned()).spawn(move || {
            let closing = clerk.work(&inbox);
            drop(clerk);
            drop(guard);
            tracing::info!("the desk is closed");
            // Nobody may be waiting any more.
            closing.map(|closed| closed.send(()));
        })?;
        Ok(Self { operations })
    }

    /// Asks. The parameters have passed their schema.
    pub(crate) fn request(&self, params: RequestParams) -> Answer<Requested> {
        self.send(|reply| Operation::Request(params, reply))
    }

    /// The pending records as JSON, oldest first.
    pub(crate) fn list(&self) -> Answer<Vec<Arc<str>>> {
        self.send(Operation::List)
    }

    /// One record as JSON, pending or ended.
    pub(crate) fn get(&self, id: String) -> Answer<Arc<str>> {
        self.send(|reply| Operation::Get(id, reply))
    }

    /// Answers or skips.
    pub(crate) fn resolve(&self, params: ResolveParams) -> Answer<Resolved> {
        self.send(|reply| Operation::Resolve(params, reply))
    }

    /// Waits for the end.
    pub(crate) fn wait(&self, id: String) -> Answer<Ending> {
        self.send(|reply| Operation::Wait(id, reply))
    }

    /// Looks a device up.
    pub(crate) fn device(&self, id: String, role: String) -> Answer<Option<Device>> {
        self.send(|reply| Operation::Device(id, role, reply))
    }

    /// Approves a device for the scopes it asks for, beside those it has.
    pub(crate) fn approve(&self, applicant: Applicant) -> Answer<Device> {
        self.send(|reply| Operation::Approve(Box::new(applicant), reply))
    }

    /// Finishes what was sent before, closes the database and gives up the state directory.
    pub(crate) async fn close(&self) {
        let (closed, done) = oneshot::channel();
        if self.operations.send(Operation::Close(closed)).is_ok() {
            // An error means that the thread has ended, which is what we wait for.
            let _ = done.await;
        }
    }

    fn send<T>(&self, operation: impl FnOnce(Reply<T>) -> Operation) -> Answer<T> {
        let (reply, answer) = oneshot::channel();
        // When the desk is closed the reply is dropped, and the answer says so.
        let _ = self.operations.send(operation(reply));
        Answer(answer)
    }
}

/// Why the desk can't start.
#[derive(Debug, thiserror::Error)]
pub(crate) enum StartError {
    /// The pending questions can't be read.
    #[error(transparent)]
    Database(#[from] rusqlite::Error),
    /// There is no thread to be had.
    #[error(transparent)]
    Thread(#[from] std::io::Error),
}

fn not_stored() -> ErrorShape {
    ErrorShape::unavailable("the gateway can't store this now")
}

fn closed() -> ErrorShape {
    ErrorShape::unavailable("the gateway is stopping")
}
