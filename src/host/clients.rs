//! What each attached client still has to be sent.
//!
//! A client that reads slowly never slows the agent: its queue is bounded, and when it
//! overflows everything in it is dropped for one fresh snapshot.

use super::protocol::{Frame, Kind};
use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

/// Bytes a client may lag behind before it is brought up to date with a snapshot.
pub const QUEUE_BYTES: usize = 1024 * 1024;

/// What the sender thread of a client should do next.
#[derive(Debug, PartialEq, Eq)]
pub enum Next {
    Send(Vec<Arc<Frame>>),
    /// Ask the terminal for a snapshot and send that.
    Snapshot,
    Close,
}

#[derive(Debug, Default)]
struct Inner {
    frames: VecDeque<Arc<Frame>>,
    bytes: usize,
    wants_snapshot: bool,
    closed: bool,
}

/// The queue of one client.
#[derive(Debug, Default)]
pub struct ClientQueue {
    inner: Mutex<Inner>,
    ready: Condvar,
}

impl ClientQueue {
    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a frame; terminal output beyond the bound is replaced by a snapshot.
    pub fn push(&self, frame: Arc<Frame>) {
        let mut inner = self.lock();
        if inner.closed {
            return;
        }
        let is_screen = matches!(frame.kind, Kind::Output);
        if is_screen && inner.wants_snapshot {
            // The snapshot to come will contain it.
            return;
        }
        if is_screen && inner.bytes + frame.body.len() > QUEUE_BYTES {
            inner.frames.retain(|f| f.kind != Kind::Output);
            inner.bytes = 0;
            inner.wants_snapshot = true;
        } else {
            if is_screen {
                inner.bytes += frame.body.len();
            }
            inner.frames.push_back(frame);
        }
        self.ready.notify_one();
    }

    /// Lets the sender finish what is queued and end.
    pub fn close(&self) {
        self.lock().closed = true;
        self.ready.notify_one();
    }

    /// Sleeps until there is something to send.
    pub fn next(&self) -> Next {
        let mut inner = self.lock();
        loop {
            if inner.wants_snapshot {
                return Next::Snapshot;
            }
            if !inner.frames.is_empty() {
                inner.bytes = 0;
                return Next::Send(inner.frames.drain(..).collect());
            }
            if inner.closed {
                return Next::Close;
            }
            inner = self
                .ready
                .wait(inner)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Output from now on is newer than the snapshot that is being taken. Called with the
    /// terminal locked, so nothing is lost or repeated in between.
    pub fn snapshot_taken(&self) {
        self.lock().wants_snapshot = false;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn output(n: usize) -> Arc<Frame> {
        Arc::new(Frame::new(Kind::Output, vec![b'x'; n]))
    }

    #[test]
    fn a_slow_client_is_dropped_to_one_snapshot_and_loses_no_other_frame() {
        let queue = ClientQueue::default();
        queue.push(output(QUEUE_BYTES));
        queue.push(Arc::new(Frame::new(Kind::Resized, [])));
        queue.push(output(1));
        queue.push(output(5));
        queue.close();
        assert_eq!(queue.next(), Next::Snapshot);
        queue.snapshot_taken();
        let Next::Send(frames) = queue.next() else {
            panic!("nothing to send")
        };
        assert_eq!(frames.len(), 1);
        assert_eq!(frames[0].kind, Kind::Resized);
        assert_eq!(queue.next(), Next::Close);
    }
}
