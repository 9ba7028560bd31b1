//! Taking in connections: threads that wait for the next one, so that none has to be started while a
//! hook waits for its answer.

use super::server::{self, Resizer, Senders};
use super::shared::Shared;
use std::os::unix::net::UnixListener;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// How many threads wait when nothing happens.
const WAITING: usize = 2;

/// What every thread at the door needs.
pub(super) struct Reception {
    shared: Arc<Shared>,
    listener: UnixListener,
    resizer: Arc<Resizer>,
    senders: Arc<Senders>,
    /// Threads that wait for a connection now, or are about to.
    waiting: AtomicUsize,
}

impl Reception {
    /// Serves connections for as long as the host lives.
    pub(super) fn open(
        shared: Arc<Shared>,
        listener: UnixListener,
        resizer: Arc<Resizer>,
        senders: Arc<Senders>,
    ) -> std::io::Result<()> {
        let reception = Arc::new(Self {
            shared,
            listener,
            resizer,
            senders,
            waiting: AtomicUsize::new(0),
        });
        (0..WAITING).try_for_each(|_| reception.start())
    }

    fn start(self: &Arc<Self>) -> std::io::Result<()> {
        let reception = Arc::clone(self);
        self.waiting.fetch_add(1, Ordering::AcqRel);
        let started = std::thread::Builder::new()
            .name("client".to_owned())
            .stack_size(1024 * 1024)
            .spawn(move || reception.attend());
        if started.is_err() {
            self.waiting.fetch_sub(1, Ordering::AcqRel);
        }
        started.map(|_| ())
    }

    fn attend(self: &Arc<Self>) {
        loop {
            let accepted = self.listener.accept();
            let stream = match accepted {
                Ok((stream, _)) => stream,
                Err(e) => {
                    tracing::warn!("a connection was not accepted: {e}");
                    continue;
                }
            };
            // Whoever goes last sees to it that somebody waits.
            if self.waiting.fetch_sub(1, Ordering::AcqRel) == 1
                && let Err(e) = self.start()
            {
                tracing::warn!("the next connection waits for this one: {e}");
            }
            let served = server::converse(&self.shared, &stream, &self.resizer, &self.senders);
            if let Err(e) = served {
                tracing::debug!("connection ended: {e}");
            }
            drop(stream);
            if !self.is_needed() {
                return;
            }
        }
    }

    /// Joins those who wait, unless there are enough of them.
    fn is_needed(&self) -> bool {
        let join = |waiting| (waiting < WAITING).then_some(waiting + 1);
        self.waiting
            .fetch_update(Ordering::AcqRel, Ordering::Acquire, join)
            .is_ok()
    }
}
