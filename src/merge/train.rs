//! The merge train: several branches tested at the same time, each on top of the ones before it, and
//! landed in order as their gates turn green. A red one is cut out, what was coupled behind it is
//! planned again. The target only ever moves to a commit whose gates were green on exactly that tree.

use std::collections::VecDeque;
use std::sync::mpsc::{Receiver, channel};

use crate::git::{Oid, Repo};
use crate::process::shell::Cancel;
use crate::types::merge::{GateResult, MergeTier};

use super::account::Source;
use super::assist::ConflictResolver;
use super::bench::{Bench, Offered, Prepared};
use super::context::{MergeContext, MergeItem, MergeProgress, OnDisplaced};
use super::error::MergeError;
use super::execute::{Execution, locked};
use super::gates::{GateProgress, run_gates};
use super::journal::{Step, settle_journal};
use super::outcome::{MergeOutcome, MergePlan};
use super::plan::{branch_tip, plan_commits, target_tip};
use super::report::{Conclusion, MergeReport};

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
    locked(context, |repo| {
        Train {
            context,
            items,
            repo,
            resolver,
            observer,
        }
        .run()
    })
}

struct Train<'a> {
    context: &'a MergeContext,
    items: &'a [MergeItem],
    repo: &'a Repo,
    resolver: Option<&'a dyn ConflictResolver>,
    observer: &'a mut dyn TrainObserver,
}

/// A branch that is coupled: its commit stands on the one before.
struct Car {
    index: usize,
    prepared: Prepared,
}

/// What one item came to when it was to be coupled.
enum Coupled {
    Car(Box<Prepared>),
    /// It depends on cars whose end is not known yet.
    Later,
    /// It needs somebody's decision; the others need not wait for that.
    Alone,
    Ended(Box<MergeReport>),
}

/// How a run of cars ended.
enum Run {
    /// All that were coupled have landed or were cut out.
    Through,
    /// Somebody else moved the target.
    TargetMoved,
}

impl Train<'_> {
    fn run(mut self) -> Result<(), MergeError> {
        let mut waiting: VecDeque<usize> = (0..self.items.len()).collect();
        let mut alone = Vec::new();
        let mut moved = 0;
        while !waiting.is_empty() {
            let cars = match self.couple(&mut waiting, &mut alone) {
                Ok(cars) => cars,
                Err(MergeError::NoTarget { branch }) => {
                    for index in waiting.drain(..).chain(alone.drain(..)) {
                        let branch = branch.clone();
                        self.arrived(index, Err(MergeError::NoTarget { branch }));
                    }
                    return Ok(());
                }
                Err(error) => return Err(error),
            };
            let (ended, back) = self.travel(cars)?;
            let mut rest: Vec<usize> = waiting.into_iter().chain(back).collect();
            rest.sort_unstable();
            waiting = rest.into();
            match ended {
                Run::Through => moved = 0,
                Run::TargetMoved => moved += 1,
            }
            if moved >= ATTEMPTS {
                for index in waiting.drain(..) {
                    self.arrived(
                        index,
                        Err(MergeError::TargetKeepsMoving {
                            branch: self.context.target_branch.clone(),
                            attempts: ATTEMPTS,
                        }),
                    );
                }
            }
        }
        for index in alone {
            self.by_itself(index);
        }
        Ok(())
    }

    fn bench(&self, index: usize) -> Option<Bench<'_>> {
        Some(Bench {
            context: self.context,
            item: self.items.get(index)?,
            repo: self.repo,
        })
    }

    fn arrived(&mut self, index: usize, result: Result<MergeReport, MergeError>) {
        self.observer.arrived(Arrival { index, result });
    }

    /// Takes as many of the waiting as are tested at the same time; each is planned on the one before.
    fn couple(
        &mut self,
        waiting: &mut VecDeque<usize>,
        alone: &mut Vec<usize>,
    ) -> Result<Vec<Car>, MergeError> {
        let tip = target_tip(self.repo, &self.context.target_branch)?;
        let mut on = tip;
        let mut cars: Vec<Car> = Vec::new();
        for index in std::mem::take(waiting) {
            if cars.len() >= self.context.parallel.max(1) {
                waiting.push_back(index);
                continue;
            }
            match self.couple_one(index, tip, on) {
                Ok(Coupled::Car(prepared)) => {
                    on = prepared.commit;
                    cars.push(Car {
                        index,
                        prepared: *prepared,
                    });
                }
                Ok(Coupled::Later) => waiting.push_back(index),
                Ok(Coupled::Alone) => alone.push(index),
                Ok(Coupled::Ended(report)) => self.arrived(index, Ok(*report)),
                Err(error) => self.arrived(index, Err(error)),
            }
        }
        Ok(cars)
    }

    fn couple_one(&mut self, index: usize, tip: Oid, on: Oid) -> Result<Coupled, MergeError> {
        let Some(bench) = self.bench(index) else {
            return Ok(Coupled::Later);
        };
        let branch_tip = branch_tip(self.repo, &bench.item.branch)?;
        let is_first = on == tip;
        let outcome = plan_commits(self.repo, on, branch_tip)?;
        let (plan, tier) = match outcome {
            MergeOutcome::Clean(plan) if plan.already_merged => {
                // Part of the target, or only of a car that may yet be cut out?
                return Ok(if is_first || self.repo.is_ancestor(branch_tip, tip)? {
                    let (how, tier) = (Conclusion::AlreadyMerged, MergeTier::CleanMerge);
                    Coupled::Ended(Box::new(bench.report(&plan, how, tier)))
                } else {
                    Coupled::Later
                });
            }
            MergeOutcome::Clean(plan) => (plan, MergeTier::CleanMerge),
            MergeOutcome::Resolved(plan) => (plan, MergeTier::AutoResolve),
            MergeOutcome::ContentDisplaced(plan)
                if self.context.on_displaced == OnDisplaced::Commit =>
            {
                (plan, MergeTier::AutoResolve)
            }
            MergeOutcome::ContentDisplaced(_) | MergeOutcome::Failed(_) if !is_first => {
                // Only what stands against the target itself is this branch's own trouble.
                return match plan_commits(self.repo, tip, branch_tip)? {
                    MergeOutcome::Clean(_) | MergeOutcome::Resolved(_) => Ok(Coupled::Later),
                    against @ (MergeOutcome::ContentDisplaced(_) | MergeOutcome::Failed(_)) => {
                        Ok(self.contested(&bench, &against))
                    }
                };
            }
            against @ (MergeOutcome::ContentDisplaced(_) | MergeOutcome::Failed(_)) => {
                return Ok(self.contested(&bench, &against));
            }
        };
        self.prepare(index, plan, tier, is_first)
    }

    fn prepare(
        &mut self,
        index: usize,
        plan: MergePlan,
        tier: MergeTier,
        is_first: bool,
    ) -> Result<Coupled, MergeError> {
        let Some(bench) = self.bench(index) else {
            return Ok(Coupled::Later);
        };
        match bench.prepare(plan, tier, Source::Engine)? {
            Ok(prepared) => {
                let context = self.context;
                let item = bench.item.clone();
                let bench = Bench {
                    context,
                    item: &item,
                    repo: self.repo,
                };
                let observer = &mut *self.observer;
                bench.enter(Step::Planned, &prepared.receipt, &mut |progress| {
                    observer.progress(index, progress);
                })?;
                Ok(Coupled::Car(Box::new(prepared)))
            }
            Err(report) if is_first => Ok(Coupled::Ended(report)),
            Err(_) => Ok(Coupled::Later),
        }
    }

    fn contested(&self, bench: &Bench<'_>, outcome: &MergeOutcome) -> Coupled {
        match outcome {
            MergeOutcome::Failed(failure) => Coupled::Ended(Box::new(bench.failed(failure, None))),
            MergeOutcome::Clean(plan)
            | MergeOutcome::Resolved(plan)
            | MergeOutcome::ContentDisplaced(plan) => match self.context.on_displaced {
                OnDisplaced::Hold => {
                    Coupled::Ended(Box::new(bench.held(plan, MergeTier::AutoResolve)))
                }
                OnDisplaced::Escalate | OnDisplaced::Commit => Coupled::Alone,
            },
        }
    }

    /// Tests all cars at once and lands them in order; returns the items that have to be planned
    /// again.
    fn travel(&mut self, mut cars: Vec<Car>) -> Result<(Run, Vec<usize>), MergeError> {
        let cancels: Vec<Cancel> = cars.iter().map(|_| Cancel::default()).collect();
        let (context, repo_dir) = (self.context, self.repo.path().to_path_buf());
        let commits: Vec<Oid> = cars.iter().map(|car| car.prepared.commit).collect();
        let (run, settled) = std::thread::scope(|scope| {
            let (sender, said) = channel();
            for (car, (commit, cancel)) in commits.iter().zip(&cancels).enumerate() {
                let (sender, repo_dir, commit) = (sender.clone(), &repo_dir, *commit);
                scope.spawn(move || {
                    let tell = sender.clone();
                    let gates = run_gates(context, repo_dir, commit, Some(cancel), &mut |p| {
                        // Nobody listens any more when the train has been cut.
                        tell.send(Said::Gate(car, GateNews::from(p))).ok();
                    });
                    sender.send(Said::Tested(car, gates)).ok();
                });
            }
            drop(sender);
            let ended = self.land_in_order(&mut cars, &cancels, &said);
            cancels.iter().for_each(Cancel::call);
            ended
        })?;
        let mut back = Vec::new();
        for car in cars.iter().skip(settled) {
            settle_journal(&self.context.root, &car.prepared.receipt.id)?;
            back.push(car.index);
        }
        Ok((run, back))
    }

    /// Returns how it ended and how many cars, from the first on, have come to their end.
    fn land_in_order(
        &mut self,
        cars: &mut [Car],
        cancels: &[Cancel],
        said: &Receiver<Said>,
    ) -> Result<(Run, usize), MergeError> {
        let mut tested: Vec<Option<Tested>> = cars.iter().map(|_| None).collect();
        for position in 0..cars.len() {
            let result = loop {
                if let Some(result) = tested.get_mut(position).and_then(Option::take) {
                    break result;
                }
                let Ok(news) = said.recv() else {
                    // All threads are gone without a word on this car: plan it again.
                    return Ok((Run::TargetMoved, position));
                };
                match news {
                    Said::Gate(car, news) => {
                        if let Some(car) = cars.get(car) {
                            self.tell(car.index, &news);
                        }
                    }
                    Said::Tested(car, result) => {
                        if !is_green(&result) {
                            // What is coupled behind it cannot land any more.
                            cancels.iter().skip(car + 1).for_each(Cancel::call);
                        }
                        if let Some(slot) = tested.get_mut(car) {
                            *slot = Some(result);
                        }
                    }
                }
            };
            let Some(car) = cars.get_mut(position) else {
                return Ok((Run::Through, position));
            };
            let (index, context, repo) = (car.index, self.context, self.repo);
            let Some(item) = self.items.get(index) else {
                return Ok((Run::Through, position));
            };
            let bench = Bench {
                context,
                item,
                repo,
            };
            let offered = match result {
                Ok(None) => return Ok((Run::TargetMoved, position)),
                Ok(Some(gates)) if gates.iter().all(|gate| gate.passed) => {
                    let observer = &mut *self.observer;
                    bench.land(&mut car.prepared, gates, &mut |progress| {
                        observer.progress(index, progress);
                    })
                }
                Ok(Some(gates)) => Ok(Offered::Done(Box::new(bench.red(&car.prepared, gates)))),
                Err(error) => Err(error),
            };
            bench.settle(&car.prepared.receipt.id, &offered)?;
            match offered {
                Ok(Offered::TargetMoved) => {
                    let moved = MergeProgress::PlanningAgain { attempt: 1 };
                    self.observer.progress(index, moved);
                    return Ok((Run::TargetMoved, position));
                }
                Ok(Offered::Done(report)) => {
                    let landed = report.conclusion == Conclusion::Landed;
                    self.arrived(index, Ok(*report));
                    if !landed {
                        return Ok((Run::Through, position + 1));
                    }
                }
                Err(error) => {
                    self.arrived(index, Err(error));
                    return Ok((Run::Through, position + 1));
                }
            }
        }
        Ok((Run::Through, cars.len()))
    }

    fn tell(&mut self, index: usize, news: &GateNews) {
        let total = self.context.gates.len();
        let progress = match news {
            GateNews::Started(at) => {
                let Some(gate) = self.context.gates.get(*at) else {
                    return;
                };
                GateProgress::Started {
                    index: *at,
                    total,
                    gate,
                }
            }
            GateNews::Finished(at, result) => GateProgress::Finished {
                index: *at,
                total,
                result,
            },
        };
        self.observer.progress(index, MergeProgress::Gate(progress));
    }

    /// The ordinary way, for a branch that asks somebody.
    fn by_itself(&mut self, index: usize) {
        let Some(item) = self.items.get(index) else {
            return;
        };
        let (context, repo, resolver) = (self.context, self.repo, self.resolver);
        let observer = &mut *self.observer;
        let mut tell = |progress: MergeProgress<'_>| observer.progress(index, progress);
        let result = Execution::new(context, item, repo, &mut tell).run(resolver);
        self.arrived(index, result);
    }
}

type Tested = Result<Option<Vec<GateResult>>, MergeError>;

fn is_green(tested: &Tested) -> bool {
    matches!(tested, Ok(Some(gates)) if gates.iter().all(|gate| gate.passed))
}

/// What the testing threads say.
enum Said {
    Gate(usize, GateNews),
    Tested(usize, Tested),
}

/// Progress of gates, without borrowing from the thread that makes it.
enum GateNews {
    Started(usize),
    Finished(usize, Box<GateResult>),
}

impl From<GateProgress<'_>> for GateNews {
    fn from(progress: GateProgress<'_>) -> Self {
        match progress {
            GateProgress::Started { index, .. } => Self::Started(index),
            GateProgress::Finished { index, result, .. } => {
                Self::Finished(index, Box::new(result.clone()))
            }
        }
    }
}
