//! What is new in the stores, in the order it came: noticed by the operating system's file
//! notification, confirmed by the databases, read once for all clients.

use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::time::Duration;

use axum::extract::ws::Utf8Bytes;
use serde::Serialize;
use tokio::sync::{mpsc::Sender, oneshot};

use super::hub::Hub;
use super::position::Position;
use super::shelf::Opened;
use crate::cli::{EventJson, MailJson};
use crate::db::DbError;
use crate::platform::settle::Settle;
use crate::platform::watch::{self, Watch};
use crate::platform::{ProjectPaths, clock};
use crate::text::to_compact_json;
use crate::types::event::StoredEvent;
use crate::types::mail::MailMessage;

/// How often the stores are asked when the system cannot notify.
const POLL: Duration = Duration::from_millis(250);
/// Looks at the stores at least this often, in case a notification was missed.
const SAFETY: Duration = Duration::from_secs(30);

/// Something that was stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum News {
    Event(StoredEvent),
    Mail(MailMessage),
}

#[derive(Serialize)]
struct FrameJson<'a, T: Serialize> {
    #[serde(rename = "type")]
    kind: &'static str,
    ts: String,
    payload: &'a T,
}

#[derive(Serialize)]
struct MailPayload<'a> {
    message: MailJson<'a>,
}

impl News {
    /// The text that clients receive.
    pub(super) fn frame(&self) -> Utf8Bytes {
        let ts = clock::now().iso();
        let text = match self {
            Self::Event(event) => to_compact_json(&FrameJson {
                kind: "event",
                ts,
                payload: &EventJson::from(event),
            }),
            Self::Mail(mail) => to_compact_json(&FrameJson {
                kind: "mail",
                ts,
                payload: &MailPayload {
                    message: MailJson::from(mail),
                },
            }),
        };
        // Plain text and numbers always serialise.
        text.unwrap_or_default().into()
    }
}

/// Messages to the feed's thread.
enum Message {
    Changed,
    /// Somebody wants to know when everything stored so far has been handed on.
    Settle(oneshot::Sender<()>),
    End,
}

/// A running feed; dropping it ends it.
pub(super) struct Feed {
    sender: mpsc::Sender<Message>,
    _watch: Option<Watch>,
}

impl Drop for Feed {
    fn drop(&mut self) {
        // A closed channel means that the thread has ended.
        self.sender.send(Message::End).unwrap_or_default();
    }
}

/// A line to the feed's thread.
#[derive(Clone)]
pub(super) struct FeedLine(mpsc::Sender<Message>);

impl FeedLine {
    /// Returns when everything stored so far has been handed on: who subscribes then sees
    /// nothing old.
    pub(super) async fn settled(&self) {
        let (sender, receiver) = oneshot::channel();
        if self.0.send(Message::Settle(sender)).is_ok() {
            // The feed ends with the server; there is nothing to see then anyway.
            receiver.await.unwrap_or_default();
        }
    }
}

impl Feed {
    /// Starts reading from the present end of the stores.
    pub(super) fn start(
        paths: &ProjectPaths,
        hub: Arc<Hub>,
        news: Sender<Vec<News>>,
    ) -> Result<Self, super::ServeError> {
        let (sender, receiver) = mpsc::channel();
        let from_watch = sender.clone();
        let watch = watch::stores(&paths.dir(), move |_| {
            from_watch.send(Message::Changed).unwrap_or_default();
        });
        let watch = watch
            .map_err(|e| tracing::warn!("changes are looked for 4 times a second: {e}"))
            .ok();
        let opened = Opened::open(paths)?;
        let position = Position::end(&opened.stores)?;
        let reader = Reader {
            paths: paths.clone(),
            opened,
            position,
            hub,
            news,
            rest: if watch.is_some() { SAFETY } else { POLL },
        };
        std::thread::Builder::new()
            .name("feed".to_owned())
            .spawn(move || reader.run(&receiver))?;
        Ok(Self {
            sender,
            _watch: watch,
        })
    }

    pub(super) fn line(&self) -> FeedLine {
        FeedLine(self.sender.clone())
    }
}

struct Reader {
    paths: ProjectPaths,
    opened: Opened,
    position: Position,
    hub: Arc<Hub>,
    news: Sender<Vec<News>>,
    rest: Duration,
}

impl Reader {
    fn run(mut self, receiver: &Receiver<Message>) {
        let mut wait = self.rest;
        let mut settle = Settle::default();
        loop {
            let first = match receiver.recv_timeout(wait) {
                Ok(message) => Some(message),
                Err(RecvTimeoutError::Timeout) => {
                    settle.is_due();
                    None
                }
                Err(RecvTimeoutError::Disconnected) => return,
            };
            // Several changes in a row are one look.
            let mut settled = Vec::new();
            for message in first.into_iter().chain(receiver.try_iter()) {
                match message {
                    Message::Changed => settle.noticed(),
                    Message::Settle(waiting) => settled.push(waiting),
                    Message::End => return,
                }
            }
            let looked = self.look();
            for waiting in settled {
                // It may have gone meanwhile.
                waiting.send(()).unwrap_or_default();
            }
            wait = match looked {
                Ok(true) => settle
                    .wait()
                    .map_or(self.rest, |again| again.min(self.rest)),
                Ok(false) => return,
                // A locked or missing database is tried again; what it holds comes later.
                Err(e) => {
                    tracing::warn!("news are late: {e}");
                    POLL
                }
            };
        }
    }

    /// Reads what is new and hands it on; `false` when nobody takes it any more.
    fn look(&mut self) -> Result<bool, DbError> {
        if !self.opened.is_current() {
            self.opened = Opened::open(&self.paths)?;
            self.position.move_to(&self.opened.stores)?;
        } else if !self.opened.stores.changed()? {
            return Ok(true);
        }
        self.hub.note_change();
        // The end is looked up first: who comes after the question has missed nothing.
        let end = Position::end(&self.opened.stores)?;
        if self.hub.is_empty() {
            self.position.skip_to(end);
            return Ok(true);
        }
        loop {
            let news = self.position.advance(&self.opened.stores)?;
            if news.is_empty() {
                return Ok(true);
            }
            if self.news.blocking_send(news).is_err() {
                return Ok(false);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::serve::position::tests::{project, send, subjects};

    #[test]
    fn a_row_that_is_noticed_before_it_can_be_seen_comes_half_a_minute_late() {
        let (dir, stores) = project();
        let paths = ProjectPaths::new(dir.path());
        let hub = Hub::new();
        let wants = super::super::hub::Wants {
            mail: true,
            ..Default::default()
        };
        let _client = hub.subscribe(wants);
        let (news, mut receiver) = tokio::sync::mpsc::channel(8);
        let (sender, messages) = mpsc::channel();
        let opened = Opened::open(&paths).unwrap();
        let position = Position::end(&opened.stores).unwrap();
        let reader = Reader {
            paths,
            opened,
            position,
            hub,
            news,
            // Nothing but the notice leads to a look.
            rest: Duration::from_secs(3600),
        };
        let thread = std::thread::spawn(move || reader.run(&messages));
        let (settled, seen) = oneshot::channel();
        sender.send(Message::Changed).unwrap();
        sender.send(Message::Settle(settled)).unwrap();
        // It has looked, and there was nothing.
        seen.blocking_recv().unwrap();
        send(&stores, "late");
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .build()
            .unwrap();
        let came = runtime.block_on(async {
            tokio::time::timeout(Duration::from_secs(20), receiver.recv()).await
        });
        assert_eq!(subjects(&came.unwrap().unwrap()), ["late"]);
        sender.send(Message::End).unwrap();
        thread.join().unwrap();
    }
}
