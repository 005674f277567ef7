//! Who hears of what: the queues of all connections, and the events that go to several.
//!
//! An event's payload is serialised once and shared; a connection adds the few bytes around it, with a `seq` of its
//! own, only when it writes. The queue of a connection that doesn't read is bounded by bytes. Question events are
//! never dropped, because a client couldn't tell a dropped one from one that never was; the connection is closed
//! instead, and reads the list when it is back.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use beckon_protocol::limits;
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

/// Bytes around an event's payload, a little too many rather than too few.
const ENVELOPE: usize = 96;

/// The connections that hear of questions.
#[derive(Default)]
pub(crate) struct Fanout(Mutex<Listeners>);

#[derive(Default)]
struct Listeners {
    next: u64,
    outboxes: BTreeMap<u64, Arc<Outbox>>,
}

/// A connection's place in a [`Fanout`]; it leaves when this is dropped.
pub(crate) struct Seat {
    fanout: Arc<Fanout>,
    number: u64,
}

impl Fanout {
    /// From now on `outbox` gets every event, until the seat is dropped.
    pub(crate) fn join(self: &Arc<Self>, outbox: Arc<Outbox>) -> Seat {
        let mut listeners = self.lock();
        let number = listeners.next;
        listeners.next += 1;
        listeners.outboxes.insert(number, outbox);
        Seat { fanout: Arc::clone(self), number }
    }

    /// Queues an event for everyone.
    pub(crate) fn send(&self, event: &'static str, payload: &Arc<str>) {
        for outbox in self.lock().outboxes.values() {
            outbox.event(event, Arc::clone(payload));
        }
    }

    fn lock(&self) -> MutexGuard<'_, Listeners> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        self.fanout.lock().outboxes.remove(&self.number);
    }
}

/// What one connection still has to send, in order.
#[derive(Default)]
pub(crate) struct Outbox {
    queue: Mutex<Queue>,
    filled: Notify,
    emptied: Notify,
    slow: CancellationToken,
}

#[derive(Default)]
struct Queue {
    waiting: VecDeque<Outgoing>,
    /// Of everything queued or being written.
    bytes: usize,
    /// Of the last event.
    seq: u64,
}

/// One frame to be sent.
pub(crate) enum Outgoing {
    /// A finished frame.
    Text(String),
    /// An event whose frame is made when it is written.
    Event {
        /// Its name.
        event: &'static str,
        /// Its payload, shared with other connections.
        payload: Arc<str>,
        /// Its number on this connection.
        seq: u64,
    },
}

impl Outgoing {
    /// Bytes this counts for.
    pub(crate) fn weight(&self) -> usize {
        match self {
            Self::Text(text) => text.len(),
            Self::Event { payload, .. } => payload.len() + ENVELOPE,
        }
    }

    /// The frame.
    pub(crate) fn into_text(self) -> String {
        match self {
            Self::Text(text) => text,
            Self::Event { event, payload, seq } => {
                format!(r#"{{"type":"event","event":"{event}","payload":{payload},"seq":{seq}}}"#)
            }
        }
    }
}

impl Outbox {
    /// Queues a finished frame.
    pub(crate) fn text(&self, text: String) {
        self.push(|_| Outgoing::Text(text));
    }

    /// Queues an event under the connection's next `seq`.
    pub(crate) fn event(&self, event: &'static str, payload: Arc<str>) {
        self.push(|queue| {
            queue.seq += 1;
            Outgoing::Event { event, payload, seq: queue.seq }
        });
    }

    fn push(&self, frame: impl FnOnce(&mut Queue) -> Outgoing) {
        let mut queue = self.lock();
        if self.slow.is_cancelled() {
            return;
        }
        let frame = frame(&mut queue);
        let weight = frame.weight();
        // A frame on its own always fits: a list may be longer than the limit.
        if queue.bytes > 0 && queue.bytes + weight > limits::MAX_BUFFERED {
            queue.waiting.clear();
            self.slow.cancel();
            return;
        }
        queue.bytes += weight;
        queue.waiting.push_back(frame);
        self.filled.notify_one();
    }

    /// The next frame, when there is one. Its bytes count until [`Self::sent`].
    pub(crate) async fn next(&self) -> Outgoing {
        loop {
            if let Some(frame) = self.try_next() {
                return frame;
            }
            self.filled.notified().await;
        }
    }

    /// The next frame, if there is one now.
    pub(crate) fn try_next(&self) -> Option<Outgoing> {
        self.lock().waiting.pop_front()
    }

    /// A frame of that weight has left.
    pub(crate) fn sent(&self, weight: usize) {
        let mut queue = self.lock();
        queue.bytes = queue.bytes.saturating_sub(weight);
        drop(queue);
        self.emptied.notify_one();
    }

    /// Bytes that wait.
    pub(crate) fn backlog(&self) -> usize {
        self.lock().bytes
    }

    /// Resolves when at most `bytes` wait. For one caller at a time.
    pub(crate) async fn at_most(&self, bytes: usize) {
        while self.backlog() > bytes {
            self.emptied.notified().await;
        }
    }

    /// Resolves when the connection has proved too slow.
    pub(crate) async fn too_slow(&self) {
        self.slow.cancelled().await;
    }

    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drain(outbox: &Outbox) -> Vec<String> {
        std::iter::from_fn(|| outbox.try_next().map(Outgoing::into_text)).collect()
    }

    #[test]
    fn every_connection_counts_its_own_events() {
        let fanout = Arc::new(Fanout::default());
        let (early, late) = (Arc::new(Outbox::default()), Arc::new(Outbox::default()));
        let payload = Arc::from(r#"{"ts":1}"#);
        let seat = fanout.join(Arc::clone(&early));
        fanout.send("tick", &payload);
        early.text("{}".to_owned());
        let _seat = fanout.join(Arc::clone(&late));
        fanout.send("tick", &payload);
        drop(seat);
        fanout.send("tick", &payload);
        let tick = |seq| format!(r#"{{"type":"event","event":"tick","payload":{{"ts":1}},"seq":{seq}}}"#);
        assert_eq!(drain(&early), [tick(1), "{}".to_owned(), tick(2)]);
        assert_eq!(drain(&late), [tick(1), tick(2)]);
    }

    #[test]
    fn a_queue_over_its_limit_marks_its_connection_and_holds_nothing_more() {
        let outbox = Outbox::default();
        outbox.text("x".repeat(limits::MAX_BUFFERED + 1));
        assert!(!outbox.slow.is_cancelled(), "one frame always fits");
        outbox.text("y".to_owned());
        assert!(outbox.slow.is_cancelled());
        assert!(outbox.try_next().is_none());
    }
}
