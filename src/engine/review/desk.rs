//! The thread that loads reviews and stores decisions, one after the other in the order they were asked
//! for: a decision that comes later must not be overwritten by an earlier one.

use super::load::{Opened, open, words};
use super::view::Decision;
use crate::coordinator::decisions;
use crate::engine::command::CommandId;
use crate::engine::event::EngineEvent;
use crate::platform::ProjectPaths;
use std::sync::mpsc::{self, Sender};
use std::thread::JoinHandle;

/// What the desk is asked to do.
pub(in crate::engine) enum Job {
    Load {
        id: i64,
    },
    /// Find out all there is about a place.
    LookUp {
        id: i64,
        place: String,
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
                let mut opened = None;
                while let Ok(job) = asked.recv() {
                    let waiting = std::iter::once(job).chain(asked.try_iter());
                    for job in worth_doing(waiting.collect()) {
                        if let Some(event) = work(&paths, &mut opened, job) {
                            tell(event);
                        }
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

/// Leaves out what nobody waits for any more: somebody has opened another review since, or looks at another
/// place.
fn worth_doing(jobs: Vec<Job>) -> Vec<Job> {
    let last = jobs.iter().rposition(|job| matches!(job, Job::Load { .. }));
    let looked_at = jobs
        .iter()
        .rposition(|job| matches!(job, Job::LookUp { .. }));
    let is_wanted = |at: usize, job: &Job| match job {
        Job::Load { .. } => Some(at) == last,
        Job::LookUp { .. } => Some(at) == looked_at,
        Job::Decide { .. } => true,
    };
    let jobs = jobs.into_iter().enumerate();
    jobs.filter(|(at, job)| is_wanted(*at, job))
        .map(|(_, job)| job)
        .collect()
}

fn work(paths: &ProjectPaths, opened: &mut Option<Opened>, job: Job) -> Option<EngineEvent> {
    match job {
        Job::Load { id } => {
            let result = match open(paths, id) {
                Ok((view, review)) => {
                    *opened = Some(review);
                    Ok(Box::new(view))
                }
                Err(why) => Err(why),
            };
            Some(EngineEvent::Review { id, result })
        }
        Job::LookUp { id, place } => {
            // What has landed meanwhile may have moved the places.
            if !opened
                .as_ref()
                .is_some_and(|review| review.is_of(paths, id))
            {
                *opened = open(paths, id).ok().map(|(_, review)| review);
            }
            let place = opened.as_ref()?.look_up(paths, &place)?;
            let place = Box::new(place);
            Some(EngineEvent::Place { id, place })
        }
        Job::Decide {
            command,
            id,
            place,
            decision,
        } => {
            let stored = decisions::decide(paths, id, &place, decision.as_ref());
            let result = stored.map(|()| String::new()).map_err(|error| {
                format!(
                    "the decision could not be kept and is lost when grove ends: {}",
                    words(error)
                )
            });
            Some(EngineEvent::CommandDone {
                id: command,
                result,
            })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_reviews_and_places_looked_at_one_after_the_other_only_the_last_counts() {
        let decide = |id| Job::Decide {
            command: CommandId(1),
            id,
            place: String::new(),
            decision: None,
        };
        let look_up = |id| Job::LookUp {
            id,
            place: String::new(),
        };
        let jobs = vec![
            Job::Load { id: 1 },
            look_up(10),
            decide(1),
            Job::Load { id: 2 },
            look_up(20),
            decide(2),
            look_up(30),
        ];
        let left: Vec<i64> = worth_doing(jobs)
            .iter()
            .map(|job| match job {
                Job::Load { id } => *id,
                Job::LookUp { id, .. } => *id,
                Job::Decide { id, .. } => -id,
            })
            .collect();
        assert_eq!(left, [-1, 2, -2, 30]);
    }
}
