//! Taking in connections: threads that wait for the next one, so that none has to be started while a
//! hook waits for its answer.

use super::callers;
use super::crowd::{Crowd, Seat};
use super::seldom::Seldom;
use super::server::{self, Resizer, Senders, Visit};
use super::shared::Shared;
use std::io;
use std::os::unix::net::{UnixListener, UnixStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// How many threads wait when nothing happens.
const WAITING: usize = 2;
/// How long nobody is taken in after that has failed: the next attempt would fail as well, and say so.
const PAUSE: Duration = Duration::from_millis(100);
/// How often trouble at the door is told.
const TOLD_EVERY: Duration = Duration::from_secs(60);

/// What every thread at the door needs.
pub(super) struct Reception {
    shared: Arc<Shared>,
    listener: UnixListener,
    resizer: Arc<Resizer>,
    senders: Arc<Senders>,
    /// Threads that wait for a connection now, or are about to.
    waiting: AtomicUsize,
    crowd: Crowd,
    not_accepted: Seldom,
    turned_away: Seldom,
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
            crowd: Crowd::new(files()),
            not_accepted: Seldom::new(TOLD_EVERY),
            turned_away: Seldom::new(TOLD_EVERY),
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
            let stream = match self.listener.accept() {
                Ok((stream, _)) => stream,
                Err(e) => {
                    if let Some(more) = self.not_accepted.speaks(Instant::now()) {
                        tracing::warn!(more, "a connection was not accepted: {e}");
                    }
                    std::thread::sleep(PAUSE);
                    continue;
                }
            };
            // Before anybody else is let near the door: a crowd of strangers makes no crowd of threads.
            let (visit, seat) = match self.admit(&stream) {
                Ok(Some(admitted)) => admitted,
                Ok(None) => continue,
                Err(e) => {
                    tracing::debug!("connection not served: {e}");
                    continue;
                }
            };
            // Whoever goes last sees to it that somebody waits.
            if self.waiting.fetch_sub(1, Ordering::AcqRel) == 1
                && let Err(e) = self.start()
            {
                tracing::warn!("the next connection waits for this one: {e}");
            }
            let served =
                server::converse(&self.shared, visit, &stream, &self.resizer, &self.senders);
            if let Err(e) = served {
                tracing::debug!("connection ended: {e}");
            }
            drop(stream);
            drop(seat);
            if !self.is_needed() {
                return;
            }
        }
    }

    /// Finds out who has come and whether there is a place for it.
    fn admit(&self, stream: &UnixStream) -> io::Result<Option<(Visit, Seat<'_>)>> {
        let pid = callers::peer(stream)?;
        let caller = callers::caller(&self.shared, pid);
        if let Some(seat) = self.crowd.enter(&caller) {
            return Ok(Some((Visit { pid, caller }, seat)));
        }
        if let Some(more) = self.turned_away.speaks(Instant::now()) {
            tracing::warn!(more, pid, ?caller, "turned away: too many connections");
        }
        server::turn_away(&self.shared, caller, stream).map(|()| None)
    }

    /// Joins those who wait, unless there are enough of them.
    fn is_needed(&self) -> bool {
        let join = |waiting| (waiting < WAITING).then_some(waiting + 1);
        self.waiting
            .fetch_update(Ordering::AcqRel, Ordering::Acquire, join)
            .is_ok()
    }
}

/// How many files this process may have open, where that is limited.
fn files() -> Option<u64> {
    rustix::process::getrlimit(rustix::process::Resource::Nofile).current
}
