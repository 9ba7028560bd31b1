//! Calling commands off, and what whoever waits for one hears.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Sender;
use std::sync::{Mutex, PoisonError};

/// Calls off commands that are running, from another thread.
#[derive(Debug, Default)]
pub struct Cancel {
    is_called: AtomicBool,
    waiting: Mutex<Vec<Sender<Event>>>,
}

impl Cancel {
    pub fn call(&self) {
        self.is_called.store(true, Ordering::Release);
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        for sender in waiting.drain(..) {
            // A command that has ended meanwhile does not listen any more.
            sender.send(Event::CalledOff).ok();
        }
    }

    pub fn is_called(&self) -> bool {
        self.is_called.load(Ordering::Acquire)
    }

    pub(in crate::process) fn listen(&self, sender: &Sender<Event>) {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        waiting.push(sender.clone());
        drop(waiting);
        if self.is_called() {
            sender.send(Event::CalledOff).ok();
        }
    }
}

/// What the waiting thread hears.
#[derive(Debug)]
pub(in crate::process) enum Event {
    Exited,
    PipeClosed,
    CalledOff,
}
