//! The thread that loads reviews and stores decisions, one after the other in the order they were asked
//! for: a decision that comes later must not be overwritten by an earlier one.

use super::load::{load, words};
use super::view::Decision;
use crate::db::GroveStore;
use crate::engine::command::CommandId;
use crate::engine::event::EngineEvent;
use crate::platform::ProjectPaths;
use serde_json::json;
use std::sync::mpsc::{self, Sender};
use std::thread::JoinHandle;

/// What the desk is asked to do.
pub(in crate::engine) enum Job {
    Load {
        id: i64,
    },
    Decide {
        command: CommandId,
        id: i64,
        place: String,
        decision: Option<Decision>,
    },
}

/// The running thread.
pub(in crate::engine) struct Desk {
    jobs: Sender<Job>,
    thread: JoinHandle<()>,
}

impl Desk {
    /// Starts the thread; `tell` passes what it has to say to the front end.
    pub(in crate::engine) fn open(
        paths: &ProjectPaths,
        tell: impl Fn(EngineEvent) + Send + 'static,
    ) -> std::io::Result<Self> {
        let (jobs, asked) = mpsc::channel();
        let paths = paths.clone();
        let thread = std::thread::Builder::new()
            .name("review".to_owned())
            .spawn(move || {
                while let Ok(job) = asked.recv() {
                    let waiting = std::iter::once(job).chain(asked.try_iter());
                    for job in worth_doing(waiting.collect()) {
                        tell(work(&paths, job));
                    }
                }
            })?;
        Ok(Self { jobs, thread })
    }

    /// Queues a job; `false` when the thread is gone.
    pub(in crate::engine) fn put(&self, job: Job) -> bool {
        self.jobs.send(job).is_ok()
    }

    /// Finishes what was asked and ends.
    pub(in crate::engine) fn close(self) {
        drop(self.jobs);
        if self.thread.join().is_err() {
            tracing::error!("the review's thread failed");
        }
    }
}

/// Leaves out reviews that nobody waits for any more: somebody has opened another one since.
fn worth_doing(jobs: Vec<Job>) -> Vec<Job> {
    let last = jobs.iter().rposition(|job| matches!(job, Job::Load { .. }));
    let jobs = jobs.into_iter().enumerate();
    jobs.filter(|(at, job)| !matches!(job, Job::Load { .. }) || Some(*at) == last)
        .map(|(_, job)| job)
        .collect()
}

fn work(paths: &ProjectPaths, job: Job) -> EngineEvent {
    match job {
        Job::Load { id } => EngineEvent::Review {
            id,
            result: load(paths, id).map(Box::new),
        },
        Job::Decide {
            command,
            id,
            place,
            decision,
        } => {
            let value = decision.map(|decision| json!(decision));
            let stored = GroveStore::open(&paths.grove_db())
                .and_then(|store| store.save_review_decision(id, &place, value.as_ref()));
            let result = stored.map(|()| String::new()).map_err(|error| {
                format!(
                    "the decision could not be kept and is lost when grove ends: {}",
                    words(error)
                )
            });
            EngineEvent::CommandDone {
                id: command,
                result,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_reviews_opened_one_after_the_other_only_the_last_is_loaded() {
        let decide = |id| Job::Decide {
            command: CommandId(1),
            id,
            place: String::new(),
            decision: None,
        };
        let jobs = vec![
            Job::Load { id: 1 },
            decide(1),
            Job::Load { id: 2 },
            decide(2),
        ];
        let left: Vec<i64> = worth_doing(jobs)
            .iter()
            .map(|job| match job {
                Job::Load { id } => *id,
                Job::Decide { id, .. } => -id,
            })
            .collect();
        assert_eq!(left, [-1, 2, -2]);
    }
}
