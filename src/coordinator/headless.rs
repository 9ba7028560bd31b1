//! The loop without a screen: sleeps until a store changes, a moment comes, or it is told to end.

use super::CoordinatorError;
use super::ends::Ends;
use super::pacing::{self, Next, Pacing};
use super::work::{Coordinator, Listener, Notice};
use crate::config::Config;
use crate::merge::CallOff;
use crate::platform::paths::socket_dir;
use crate::platform::watch::{self, Wake};
use crate::platform::{ProjectPaths, clock, sockets};
use std::sync::Arc;
use std::sync::mpsc::{self, Sender};
use std::time::Instant;

/// Messages to the loop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Message {
    /// A store may have changed.
    Changed,
    /// Look whatever the stores say.
    Look,
    End,
}

/// How the loop is run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Manner {
    /// Land finished work without a person.
    pub lands: bool,
    /// End when the project's exit triggers are met.
    pub ends_itself: bool,
}

/// Why the loop has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    /// It was told to.
    Told,
    /// Its exit triggers are met.
    Complete,
    /// The project is gone.
    Gone,
}

/// Runs until told to end. Merges can be cancelled through `call_off`. `ready` is called once the lease is held, with a sender through
/// which the loop can be ended.
pub fn run(
    paths: &ProjectPaths,
    config: &Config,
    manner: Manner,
    call_off: CallOff,
    listener: Listener,
    ready: impl FnOnce(Sender<Message>) -> Result<(), CoordinatorError>,
) -> Result<Ended, CoordinatorError> {
    let (sender, receiver) = mpsc::channel();
    let from_listener = sender.clone();
    let listener: Listener = Arc::new(move |notice| {
        let ended = matches!(notice, Notice::MergeEnded { .. });
        listener(notice);
        if ended {
            // The loop has ended when nobody receives this any more.
            from_listener.send(Message::Look).unwrap_or_default();
        }
    });
    let mut coordinator = Coordinator::take(paths, config, call_off, listener)?;
    if !manner.lands {
        coordinator.only_prepare();
    }
    let from_watch = sender.clone();
    let watcher = watch::stores(&paths.dir(), move |wake| {
        let message = match wake {
            Wake::Store => Message::Changed,
            Wake::File | Wake::Overflow => Message::Look,
        };
        from_watch.send(message).unwrap_or_default();
    })?;
    let ends = Ends::new(sender.clone());
    ready(sender)?;
    coordinator.recover();
    // Those of agents that nobody watched when their hosts were killed.
    if let Ok(folder) = socket_dir() {
        sockets::sweep(&folder);
    }
    let mut look = true;
    let mut pacing = Pacing::new(Instant::now());
    let ended = loop {
        if !paths.dir().is_dir() {
            tracing::warn!("{} is gone", paths.dir().display());
            break Ended::Gone;
        }
        if coordinator.has_news() || look {
            let seen = coordinator.work();
            ends.follow(seen.alive);
            pacing.looked(Instant::now(), pacing::until(seen.wake_at, clock::now()));
            if manner.ends_itself && coordinator.is_complete() {
                break Ended::Complete;
            }
        }
        let heard = receiver.recv_timeout(pacing.wait(Instant::now()));
        look = match pacing.woken(heard, Instant::now()) {
            Next::Look => true,
            Next::Ask => false,
            Next::End => break Ended::Told,
        };
        // Several changes in a row are one look.
        let mut end = false;
        while let Ok(message) = receiver.try_recv() {
            look |= message == Message::Look;
            end |= message == Message::End;
        }
        if end {
            break Ended::Told;
        }
    };
    coordinator.finish();
    drop(watcher);
    Ok(ended)
}
