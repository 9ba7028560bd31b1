//! The coordinator's loop inside a front end's process, for as long as it holds the lease.

use crate::config;
use crate::coordinator::headless::{self, Manner, Message};
use crate::coordinator::work::Notice;
use crate::merge::CallOff;
use crate::platform::{ProjectPaths, lease};
use std::sync::Arc;
use std::sync::mpsc::{self, Sender};
use std::thread::JoinHandle;

/// What the coordinator tells the engine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum News {
    Did(String),
    Trouble(String),
    /// Merged by itself: a person hears of it at once.
    Merge {
        text: String,
        is_well: bool,
    },
    /// Something has moved on whose record is in the stores.
    Moved,
}

/// A running coordinator.
pub(super) struct Duty {
    sender: Sender<Message>,
    thread: JoinHandle<()>,
}

impl Duty {
    /// Starts the loop if the lease is free.
    pub(super) fn take(
        paths: &ProjectPaths,
        call_off: &CallOff,
        on_news: impl Fn(News) + Send + Sync + 'static,
    ) -> Option<Self> {
        if !matches!(lease::holder(&paths.coordinator_lease()), Ok(None)) {
            return None;
        }
        let config = match config::load(&paths.root) {
            Ok(loaded) => loaded.config,
            Err(e) => {
                on_news(News::Trouble(e.to_string()));
                return None;
            }
        };
        let (handed, got) = mpsc::channel();
        let (paths, call_off) = (paths.clone(), call_off.clone());
        let thread = std::thread::Builder::new()
            .name("coordinator".to_owned())
            .spawn(move || {
                let on_news = Arc::new(on_news);
                let tell = Arc::clone(&on_news);
                let listener = Arc::new(move |notice| tell(news(notice)));
                // A screen is left by a person, not by a trigger.
                let manner = Manner {
                    lands: true,
                    ends_itself: false,
                };
                let result = headless::run(&paths, &config, manner, call_off, listener, |sender| {
                    // The starter waits for it.
                    handed.send(sender).unwrap_or_default();
                    Ok(())
                });
                if let Err(e) = result {
                    on_news(News::Trouble(e.to_string()));
                }
            });
        let thread = thread.ok()?;
        // Nothing comes when somebody else was faster.
        let sender = got.recv().ok()?;
        Some(Self { sender, thread })
    }

    pub(super) fn is_running(&self) -> bool {
        !self.thread.is_finished()
    }

    /// Ends the loop after the merge that is going on.
    pub(super) fn end(self) {
        self.sender.send(Message::End).unwrap_or_default();
        if self.thread.join().is_err() {
            tracing::error!("the coordinator's thread failed");
        }
    }
}

fn news(notice: Notice) -> News {
    match notice {
        Notice::Did(text) => News::Did(text),
        Notice::Trouble(text) => News::Trouble(text),
        Notice::Merge { text, is_well } => News::Merge { text, is_well },
        Notice::MergeEnded { .. } | Notice::Gate { .. } => News::Moved,
    }
}
