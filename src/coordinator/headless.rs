//! The loop without a screen: sleeps until a store changes, a moment comes, or it is told to end.

use super::work::{Coordinator, Listener, Notice};
use super::CoordinatorError;
use crate::config::Config;
use crate::platform::watch::{self, Wake};
use crate::platform::{ProjectPaths, clock};
use std::sync::Arc;
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::time::Duration;

/// Looks at the stores at least this often, in case a notification was missed.
const SAFETY: Duration = Duration::from_secs(30);

/// Messages to the loop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Message {
    Look,
    End,
}

/// A listener that writes to the log.
pub fn log_listener() -> Listener {
    Arc::new(|notice| match notice {
        Notice::Did(line) => tracing::info!("{line}"),
        Notice::Trouble(line) => tracing::warn!("{line}"),
        Notice::Gate { .. } | Notice::MergeEnded { .. } => {}
    })
}

/// Runs until told to end. `ready` is called once the lease is held, with a sender through
/// which the loop can be ended.
pub fn run(
    paths: &ProjectPaths,
    config: &Config,
    listener: Listener,
    ready: impl FnOnce(Sender<Message>) -> Result<(), CoordinatorError>,
) -> Result<(), CoordinatorError> {
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
    let from_watch = sender.clone();
    let watcher = watch::stores(&paths.dir(), move |wake| {
        if wake == Wake::Changed {
            from_watch.send(Message::Look).unwrap_or_default();
        }
    })?;
    ready(sender)?;
    coordinator.recover();
    loop {
        let wake_at = coordinator.work();
        let wait = wake_at.map_or(SAFETY, |at| {
            Duration::from_millis((at.0 - clock::now().0).max(1) as u64).min(SAFETY)
        });
        match receiver.recv_timeout(wait) {
            Ok(Message::Look) | Err(RecvTimeoutError::Timeout) => {}
            Ok(Message::End) | Err(RecvTimeoutError::Disconnected) => break,
        }
        // Several changes in a row are one look.
        while let Ok(message) = receiver.try_recv() {
            if message == Message::End {
                coordinator.finish();
                drop(watcher);
                return Ok(());
            }
        }
    }
    coordinator.finish();
    drop(watcher);
    Ok(())
}
