//! The course of a train: coupling, travelling, and again, until nothing waits.

use std::collections::VecDeque;

use crate::git::{Genuine, Repo};
use crate::merge::assist::ConflictResolver;
use crate::merge::bench::{Bench, Prepared};
use crate::merge::context::{MergeContext, MergeItem, MergeProgress, Stops};
use crate::merge::error::MergeError;
use crate::merge::execute::{Execution, with_lock};
use crate::merge::lock::MergeLock;
use crate::merge::report::MergeReport;

/// How often the train is put together again because somebody else moved the target.
const ATTEMPTS: u32 = 5;

/// One branch's end: which of the items, and how.
#[derive(Debug)]
pub struct Arrival {
    pub index: usize,
    pub result: Result<MergeReport, MergeError>,
}

/// Who hears what happens on the way.
pub trait TrainObserver {
    /// Something about one item.
    fn progress(&mut self, index: usize, progress: MergeProgress<'_>);
    /// An item has come to its end. Called as soon as it has, and once for each.
    fn arrived(&mut self, arrival: Arrival);
}

/// Merges several branches into the context's target; the error is one that concerns all of them.
pub fn execute_train(
    context: &MergeContext,
    items: &[MergeItem],
    resolver: Option<&dyn ConflictResolver>,
    observer: &mut dyn TrainObserver,
) -> Result<(), MergeError> {
    let lock = MergeLock::acquire(&context.root, &context.target_branch)?;
    execute_train_until(lock, &|| false, (context, items), resolver, observer)
}

/// The same by who has the target's lock already, until `stops` says so: it is asked before each landing and while gates
/// run, which are ended then. What has not come to its end by then never arrives.
pub fn execute_train_until(
    lock: MergeLock,
    stops: Stops<'_>,
    (context, items): (&MergeContext, &[MergeItem]),
    resolver: Option<&dyn ConflictResolver>,
    observer: &mut dyn TrainObserver,
) -> Result<(), MergeError> {
    let train = |repo: &Repo, store: &Genuine| {
        Train {
            context,
            items,
            repo,
            store,
            resolver,
            stops,
            observer,
        }
        .run()
    };
    with_lock(context, || Ok(lock), train)
}

pub(super) struct Train<'a> {
    pub(super) context: &'a MergeContext,
    pub(super) items: &'a [MergeItem],
    pub(super) repo: &'a Repo,
    pub(super) store: &'a Genuine,
    pub(super) resolver: Option<&'a dyn ConflictResolver>,
    pub(super) stops: Stops<'a>,
    pub(super) observer: &'a mut dyn TrainObserver,
}

/// A branch that is coupled: its commit stands on the one before.
pub(super) struct Car {
    pub(super) index: usize,
    pub(super) prepared: Prepared,
}

/// How a run of cars ended.
pub(super) enum Run {
    /// All that were coupled have landed or were cut out.
    Through,
    /// Somebody else moved the target.
    TargetMoved,
    /// Somebody has rewritten the first branch that is planned again.
    Withdrawn,
    /// The train was to stop.
    Stopped,
}

impl Train<'_> {
    fn run(mut self) -> Result<(), MergeError> {
        let mut waiting: VecDeque<usize> = (0..self.items.len()).collect();
        let mut alone = Vec::new();
        let mut moved = 0;
        while !waiting.is_empty() && !self.context.call_off.is_all() {
            if (self.stops)() {
                return Ok(());
            }
            let cars = match self.couple(&mut waiting, &mut alone) {
                Ok(cars) => cars,
                Err(MergeError::NoTarget { branch }) => {
                    let all = waiting.into_iter().chain(alone);
                    self.give_up(all, || MergeError::NoTarget {
                        branch: branch.clone(),
                    });
                    return Ok(());
                }
                Err(error) => return Err(error),
            };
            let (ended, mut back) = self.travel(cars)?;
            if matches!(ended, Run::Withdrawn) {
                // Who is at work on it still makes nobody else wait.
                alone.extend(back.drain(..1.min(back.len())));
            }
            let mut rest: Vec<usize> = waiting.into_iter().chain(back).collect();
            rest.sort_unstable();
            waiting = rest.into();
            match ended {
                Run::Through | Run::Withdrawn => moved = 0,
                Run::TargetMoved => moved += 1,
                Run::Stopped => return Ok(()),
            }
            if moved >= ATTEMPTS {
                let context = self.context;
                self.give_up(waiting.drain(..), || MergeError::TargetKeepsMoving {
                    branch: context.target_branch.clone(),
                    attempts: ATTEMPTS,
                });
            }
        }
        // Only when all are cancelled does anything still wait.
        for index in waiting.into_iter().chain(alone) {
            if (self.stops)() {
                return Ok(());
            }
            let planning = MergeProgress::PlanningAgain { attempt: 1 };
            self.observer.progress(index, planning);
            self.by_itself(index);
        }
        Ok(())
    }

    fn give_up(&mut self, items: impl IntoIterator<Item = usize>, why: impl Fn() -> MergeError) {
        for index in items {
            self.arrived(index, Err(why()));
        }
    }

    pub(super) fn bench(&self, index: usize) -> Option<Bench<'_>> {
        Some(Bench {
            context: self.context,
            item: self.items.get(index)?,
            repo: self.repo,
        })
    }

    pub(super) fn arrived(&mut self, index: usize, result: Result<MergeReport, MergeError>) {
        self.observer.arrived(Arrival { index, result });
    }

    /// The ordinary way, for a branch that asks somebody.
    fn by_itself(&mut self, index: usize) {
        let Some(item) = self.items.get(index) else {
            return;
        };
        let (context, resolver, stops) = (self.context, self.resolver, self.stops);
        let observer = &mut *self.observer;
        let mut tell = |progress: MergeProgress<'_>| observer.progress(index, progress);
        let execution = Execution::new(context, item, (self.repo, self.store), &mut tell);
        match execution.run_until(stops, resolver) {
            Ok(None) => {}
            Ok(Some(report)) => self.arrived(index, Ok(report)),
            Err(error) => self.arrived(index, Err(error)),
        }
    }
}
