//! The loop without a screen: sleeps until a store changes, a moment comes, or it is told to end.

use super::CoordinatorError;
use super::pacing::{Next, Pacing, SAFETY};
use super::work::{Coordinator, Listener, Notice};
use crate::config::Config;
use crate::db::grove::HostRow;
use crate::host::client;
use crate::platform::watch::{self, Wake};
use crate::platform::{ProjectPaths, clock};
use crate::types::Timestamp;
use std::collections::HashSet;
use std::sync::Arc;
use std::sync::mpsc::{self, Sender};
use std::time::Duration;

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

/// Runs until told to end. `ready` is called once the lease is held, with a sender through
/// which the loop can be ended.
pub fn run(
    paths: &ProjectPaths,
    config: &Config,
    manner: Manner,
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
    let mut coordinator = Coordinator::take(paths, config, listener)?;
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
    let from_hosts = sender.clone();
    ready(sender)?;
    coordinator.recover();
    let mut watched = HashSet::new();
    let mut look = true;
    let mut wake_at = None;
    let mut pacing = Pacing::default();
    let ended = loop {
        if !paths.dir().is_dir() {
            tracing::warn!("{} is gone", paths.dir().display());
            break Ended::Gone;
        }
        if coordinator.has_news() || look {
            wake_at = coordinator.work();
            for host in coordinator.live_hosts() {
                if watched.insert(host.session_id.clone()) {
                    report_end(host, from_hosts.clone());
                }
            }
            if manner.ends_itself && coordinator.is_complete() {
                break Ended::Complete;
            }
        }
        let until_wake = wake_at.map_or(SAFETY, |at: Timestamp| {
            Duration::from_millis((at.0 - clock::now().0).max(1) as u64)
        });
        look = match pacing.woken(receiver.recv_timeout(pacing.wait(until_wake))) {
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

/// Looks again when a host ends, however it ends: its connection closes with it.
pub(super) fn report_end(host: HostRow, sender: Sender<Message>) {
    let name = format!("end-{}", host.agent);
    let started = std::thread::Builder::new()
        .name(name)
        .stack_size(128 * 1024)
        .spawn(move || {
            client::wait_end(&host);
            sender.send(Message::Look).unwrap_or_default();
        });
    if let Err(e) = started {
        tracing::warn!("the end of an agent will be noticed late: {e}");
    }
}
