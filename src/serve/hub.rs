//! The WebSocket clients and what each of them wants to see.
//!
//! Every client has a queue of limited length. One that does not keep up may hold the others up
//! for a moment, and is then dropped and told so; it can read what it missed from the API.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use axum::extract::ws::Utf8Bytes;
use tokio::sync::{Semaphore, mpsc, oneshot, watch};

use super::feed::News;

/// Frames that may wait for one client.
const QUEUE: usize = 256;
/// How long the others wait for a client that is behind, altogether, until it has caught up.
const PATIENCE: Duration = Duration::from_secs(2);
/// More clients than a team of people needs; each costs a socket and a queue.
pub(super) const MAX_CLIENTS: usize = 128;

/// Why a client is dropped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Goodbye {
    TooSlow,
    /// It has not answered for a long time.
    Silent,
    ServerEnds,
}

/// What a client has asked for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Wants {
    pub(super) run: Option<String>,
    pub(super) agent: Option<String>,
    pub(super) mail: bool,
}

impl Wants {
    pub(super) fn is_nothing(&self) -> bool {
        *self == Self::default()
    }

    fn includes(&self, news: &News) -> bool {
        let agent = |name: &str| self.agent.as_deref() == Some(name);
        match news {
            News::Event(event) => {
                agent(&event.agent_name) || (self.run.is_some() && self.run == event.run_id)
            }
            News::Mail(mail) => self.mail || agent(&mail.to) || agent(&mail.from),
        }
    }
}

struct Client {
    id: u64,
    wants: Wants,
    frames: mpsc::Sender<Utf8Bytes>,
    patience: Mutex<Duration>,
    goodbye: Mutex<Option<oneshot::Sender<Goodbye>>>,
}

impl Client {
    fn dismiss(&self, why: Goodbye) {
        let sender = self
            .goodbye
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        // Nobody receives it when the client has just left by itself.
        sender.map(|s| s.send(why));
    }

    /// Queues a frame; `false` when the client does not keep up.
    async fn offer(&self, frame: Utf8Bytes) -> bool {
        let frame = match self.frames.try_send(frame) {
            // One that has left is removed by itself.
            Ok(()) | Err(mpsc::error::TrySendError::Closed(_)) => return true,
            Err(mpsc::error::TrySendError::Full(frame)) => frame,
        };
        let left = *self.patience.lock().unwrap_or_else(PoisonError::into_inner);
        let began = Instant::now();
        let sent = tokio::time::timeout(left, self.frames.send(frame)).await;
        let left = left.saturating_sub(began.elapsed());
        *self.patience.lock().unwrap_or_else(PoisonError::into_inner) = left;
        sent.is_ok()
    }

    fn forgive(&self) {
        if self.frames.capacity() == QUEUE {
            *self.patience.lock().unwrap_or_else(PoisonError::into_inner) = PATIENCE;
        }
    }
}

/// All clients of a server.
pub(super) struct Hub {
    clients: Mutex<Vec<Arc<Client>>>,
    next_id: AtomicU64,
    /// Counts changes of the stores; whoever waits for one waits for this.
    changes: watch::Sender<u64>,
    /// One permit per client.
    pub(super) places: Arc<Semaphore>,
}

impl Hub {
    pub(super) fn new() -> Arc<Self> {
        Arc::new(Self {
            clients: Mutex::new(Vec::new()),
            next_id: AtomicU64::new(1),
            changes: watch::Sender::new(0),
            places: Arc::new(Semaphore::new(MAX_CLIENTS)),
        })
    }

    fn snapshot(&self) -> Vec<Arc<Client>> {
        self.clients
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    fn remove(&self, id: u64) {
        self.clients
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .retain(|client| client.id != id);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.clients
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .is_empty()
    }

    /// Adds a client; everything stored from now on reaches it.
    pub(super) fn subscribe(self: &Arc<Self>, wants: Wants) -> Subscription {
        let (sender, frames) = mpsc::channel(QUEUE);
        let (goodbye_sender, goodbye) = oneshot::channel();
        let id = self.next_id.fetch_add(1, Ordering::Relaxed);
        let client = Client {
            id,
            wants,
            frames: sender,
            patience: Mutex::new(PATIENCE),
            goodbye: Mutex::new(Some(goodbye_sender)),
        };
        self.clients
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(Arc::new(client));
        Subscription {
            frames,
            goodbye,
            seat: Seat {
                hub: Arc::clone(self),
                id,
            },
        }
    }

    /// Hands news to everybody who wants them.
    pub(super) async fn publish(&self, news: Vec<News>) {
        let clients = self.snapshot();
        for client in &clients {
            client.forgive();
        }
        for item in news {
            let mut frame: Option<Utf8Bytes> = None;
            for client in clients.iter().filter(|c| c.wants.includes(&item)) {
                let text = match &frame {
                    Some(text) => text.clone(),
                    None => frame.insert(item.frame()).clone(),
                };
                if !client.offer(text).await {
                    self.remove(client.id);
                    client.dismiss(Goodbye::TooSlow);
                }
            }
        }
    }

    /// Tells everybody who waits for a change to look.
    pub(super) fn note_change(&self) {
        self.changes.send_modify(|n| *n += 1);
    }

    pub(super) fn changes(&self) -> watch::Receiver<u64> {
        self.changes.subscribe()
    }

    pub(super) fn dismiss_all(&self) {
        for client in self.snapshot() {
            client.dismiss(Goodbye::ServerEnds);
        }
    }
}

/// A client's place in the hub; dropping it leaves the hub.
pub(super) struct Seat {
    hub: Arc<Hub>,
    id: u64,
}

impl Drop for Seat {
    fn drop(&mut self) {
        self.hub.remove(self.id);
    }
}

/// What a client receives.
pub(super) struct Subscription {
    pub(super) frames: mpsc::Receiver<Utf8Bytes>,
    pub(super) goodbye: oneshot::Receiver<Goodbye>,
    pub(super) seat: Seat,
}
