//! The engine's part of reviews: who does which request, and how the front end hears of it. Nothing here
//! waits; what takes long runs beside the loop.

use super::command::{Command, CommandId};
use super::event::EngineEvent;
use super::review::{self, Accepted, Desk, Job, Offer};
use crate::merge::CallOff;
use crate::platform::ProjectPaths;
use crate::process::shell::Cancel;
use std::sync::Arc;
use tokio::sync::mpsc::Sender;

/// Wakes the engine.
pub(super) type Waker = Arc<dyn Fn() + Send + Sync>;

/// Where a request belongs and whom it tells.
#[derive(Clone)]
pub(super) struct Line {
    pub(super) paths: ProjectPaths,
    pub(super) events: Sender<EngineEvent>,
    pub(super) call_off: CallOff,
    pub(super) wake: Waker,
}

impl Line {
    fn tell(&self, event: EngineEvent) {
        // A front end that has left needs no answer.
        self.events.blocking_send(event).unwrap_or_default();
    }

    fn done(&self, id: CommandId, result: Result<String, String>) {
        self.tell(EngineEvent::CommandDone { id, result });
        (self.wake)();
    }
}

/// What is under way.
#[derive(Default)]
pub(super) struct Reviews {
    desk: Option<Desk>,
    /// Ends the questions that are under way, and waiting for one's turn. Landings are not ended; leaving waits for them.
    cancel: Arc<Cancel>,
}

impl Reviews {
    /// Takes one request.
    pub(super) fn request(&mut self, command_id: CommandId, command: Command, line: Line) {
        match command {
            Command::Review { id } => self.put(command_id, Job::Load { id }, line),
            Command::LookUp { id, place } => {
                self.put(command_id, Job::LookUp { id, place }, line);
            }
            Command::Decide {
                id,
                place,
                decision,
            } => {
                let job = Job::Decide {
                    command: command_id,
                    id,
                    place,
                    decision,
                };
                self.put(command_id, job, line);
            }
            Command::AskAi { id, place } => {
                let cancel = Arc::clone(&self.cancel);
                tokio::task::spawn_blocking(move || {
                    let result = review::ask(&line.paths, id, &place, &cancel);
                    line.tell(EngineEvent::Proposal { id, place, result });
                });
            }
            Command::AcceptReview {
                id,
                target_tip,
                branch_tip,
                decisions,
            } => {
                let offer = Offer {
                    id,
                    target_tip,
                    branch_tip,
                    decisions,
                };
                let leaves = Arc::clone(&self.cancel);
                tokio::task::spawn_blocking(move || accept(&line, &offer, &leaves));
            }
            Command::Attach { .. }
            | Command::Detach { .. }
            | Command::Input { .. }
            | Command::Paste { .. }
            | Command::Resize { .. }
            | Command::SendMail { .. }
            | Command::ReplyMail { .. }
            | Command::MarkRead { .. }
            | Command::Nudge { .. }
            | Command::Stop { .. }
            | Command::MergeNow { .. }
            | Command::MergeClean
            | Command::RetryMerge { .. }
            | Command::CombineMerge { .. }
            | Command::KeepBoth { .. }
            | Command::ReorderMerge { .. }
            | Command::PauseMerges { .. }
            | Command::DropMerge { .. }
            | Command::CancelMerge { .. }
            | Command::RestoreMerge { .. }
            | Command::PlanUndo { .. }
            | Command::UndoMerge { .. }
            | Command::MergeHistory { .. }
            | Command::WatchMerges { .. }
            | Command::WatchOverlaps { .. }
            | Command::Sling { .. }
            | Command::Init
            | Command::Quit { .. } => {}
        }
    }

    fn put(&mut self, id: CommandId, job: Job, line: Line) {
        if self.desk.is_none() {
            let to = line.clone();
            match Desk::open(&line.paths, move |event| to.tell(event)) {
                Ok(desk) => self.desk = Some(desk),
                Err(error) => tracing::error!("reviews cannot be loaded: {error}"),
            }
        }
        let taken = self.desk.as_ref().is_some_and(|desk| desk.put(job));
        if !taken {
            tokio::task::spawn_blocking(move || {
                line.done(
                    id,
                    Err("reviews do not work now; start grove again".to_owned()),
                );
            });
        }
    }

    /// What says that nobody waits for a turn any more.
    pub(super) fn leaves(&self) -> Arc<Cancel> {
        Arc::clone(&self.cancel)
    }

    /// Stores what was decided and ends questions. The runtime's own end waits for a landing.
    pub(super) fn close(&mut self) {
        self.cancel.call();
        if let Some(desk) = self.desk.take() {
            desk.close();
        }
    }
}

fn accept(line: &Line, offer: &Offer, leaves: &Cancel) {
    let id = offer.id;
    // What moves on is in the stores.
    let accepted = review::accept(&line.paths, &line.call_off, offer, leaves, &mut |_| {
        (line.wake)();
    });
    match accepted {
        Accepted::Landed(text) => line.tell(EngineEvent::Accepted {
            id,
            result: Ok(text),
        }),
        Accepted::Refused(reason) => line.tell(EngineEvent::Accepted {
            id,
            result: Err(reason),
        }),
        Accepted::Moved(view) => line.tell(EngineEvent::Review {
            id,
            result: Ok(view),
        }),
    }
    (line.wake)();
}
