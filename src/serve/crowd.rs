//! Who is connected. A connection holds its place while a request of it is being answered; one that
//! is idle keeps it only until somebody else needs it.

use std::collections::HashMap;
use std::pin::Pin;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};

use axum::body::{Body, Bytes};
use hyper::body::{Frame, SizeHint};
use tokio::sync::Notify;

/// All connections, up to a limit.
pub(super) struct Crowd {
    limit: usize,
    guests: Mutex<Guests>,
    emptied: Notify,
}

#[derive(Default)]
struct Guests {
    all: HashMap<u64, Arc<Guest>>,
    /// Counts what happens, so that it can be told what was earlier.
    now: u64,
}

struct Guest {
    /// Requests that are being answered.
    working: AtomicU32,
    leave: Notify,
    /// When it was asked something last, or came.
    since: Mutex<u64>,
}

impl Guest {
    fn is_working(&self) -> bool {
        self.working.load(Ordering::Relaxed) > 0
    }

    fn since(&self) -> MutexGuard<'_, u64> {
        self.since.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// One connection's place.
pub(super) struct Seat {
    crowd: Arc<Crowd>,
    id: u64,
    guest: Arc<Guest>,
}

impl Crowd {
    pub(super) fn new(limit: usize) -> Arc<Self> {
        Arc::new(Self {
            limit,
            guests: Mutex::default(),
            emptied: Notify::new(),
        })
    }

    fn guests(&self) -> MutexGuard<'_, Guests> {
        self.guests.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A place for a newcomer. Where there is none, the connection that has been idle longest is
    /// asked to leave; `None` when all are at work.
    pub(super) fn enter(self: &Arc<Self>) -> Option<Seat> {
        let mut guests = self.guests();
        if guests.all.len() >= self.limit {
            let idle = guests.all.iter().filter(|(_, guest)| !guest.is_working());
            let longest = idle
                .min_by_key(|(_, guest)| *guest.since())
                .map(|(id, _)| *id);
            guests.all.remove(&longest?)?.leave.notify_one();
        }
        guests.now += 1;
        let id = guests.now;
        let guest = Arc::new(Guest {
            working: AtomicU32::new(0),
            leave: Notify::new(),
            since: Mutex::new(id),
        });
        guests.all.insert(id, Arc::clone(&guest));
        Some(Seat {
            crowd: Arc::clone(self),
            id,
            guest,
        })
    }

    /// Returns when nobody is there any more.
    pub(super) async fn empty(&self) {
        while !self.guests().all.is_empty() {
            self.emptied.notified().await;
        }
    }
}

impl Seat {
    /// Returns when somebody else has been given this place.
    pub(super) async fn wanted(&self) {
        self.guest.leave.notified().await;
    }

    /// Whether a request is being answered.
    pub(super) fn is_working(&self) -> bool {
        self.guest.is_working()
    }

    /// A request is being answered, for as long as this lives.
    pub(super) fn work(&self) -> Work {
        self.guest.working.fetch_add(1, Ordering::Relaxed);
        Work {
            crowd: Arc::clone(&self.crowd),
            guest: Arc::clone(&self.guest),
        }
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        let mut guests = self.crowd.guests();
        guests.all.remove(&self.id);
        if guests.all.is_empty() {
            self.crowd.emptied.notify_one();
        }
    }
}

/// A request that is being answered.
pub(super) struct Work {
    crowd: Arc<Crowd>,
    guest: Arc<Guest>,
}

impl Drop for Work {
    fn drop(&mut self) {
        let mut guests = self.crowd.guests();
        guests.now += 1;
        *self.guest.since() = guests.now;
        self.guest.working.fetch_sub(1, Ordering::Relaxed);
    }
}

/// The body of an answer: the work ends when it has been handed over.
pub(super) struct WorkBody {
    body: Body,
    _work: Work,
}

impl WorkBody {
    pub(super) fn new(body: Body, work: Work) -> Self {
        Self { body, _work: work }
    }
}

impl hyper::body::Body for WorkBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.body).poll_frame(cx)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_wanted(seat: &Seat) -> bool {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .build()
            .unwrap();
        runtime.block_on(async {
            tokio::select! {
                biased;
                () = seat.wanted() => true,
                () = std::future::ready(()) => false,
            }
        })
    }

    #[test]
    fn who_is_idle_longest_makes_room_and_who_works_stays() {
        let crowd = Crowd::new(3);
        let seats: Vec<Seat> = (0..3).filter_map(|_| crowd.enter()).collect();
        let work = seats[0].work();
        let _fourth = crowd.enter().unwrap();
        assert_eq!(
            seats.iter().map(is_wanted).collect::<Vec<_>>(),
            [false, true, false]
        );
        drop(work);
        let _fifth = crowd.enter().unwrap();
        assert!(
            is_wanted(&seats[2]),
            "it came before the first one's last request"
        );
        assert!(!is_wanted(&seats[0]));
    }

    #[test]
    fn where_all_work_nobody_comes_in_until_one_is_done_or_gone() {
        let crowd = Crowd::new(1);
        let seat = crowd.enter().unwrap();
        let (one, other) = (seat.work(), seat.work());
        assert!(crowd.enter().is_none());
        drop(one);
        assert!(crowd.enter().is_none());
        drop(other);
        let second = crowd.enter().unwrap();
        let _work = second.work();
        drop(seat);
        assert!(crowd.enter().is_none(), "the place was given away before");
        drop(second);
        assert!(crowd.enter().is_some());
    }
}
