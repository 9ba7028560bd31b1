//! Putting a train together: each branch is planned on the one before, as its gates will see it.

use std::collections::VecDeque;

use crate::git::{GitError, Oid};
use crate::merge::bench::{Bench, Prepared, Settled};
use crate::merge::context::MergeProgress;
use crate::merge::context::OnDisplaced;
use crate::merge::error::MergeError;
use crate::merge::journal::Step;
use crate::merge::outcome::{MergeOutcome, MergePlan};
use crate::merge::plan::{branch_tip, plan_until, target_tip};
use crate::merge::report::{Conclusion, MergeReport};
use crate::types::merge::MergeTier;

use super::run::{Car, Train};

/// What one item came to when it was to be coupled.
enum Coupled {
    Car(Box<Prepared>),
    /// It depends on cars whose end is not known yet.
    Later,
    /// It needs somebody's decision; the others need not wait for that.
    Alone,
    Ended(Box<MergeReport>),
}

impl Train<'_> {
    /// Takes as many of the waiting as are tested at the same time; each is planned on the one before.
    pub(super) fn couple(
        &mut self,
        waiting: &mut VecDeque<usize>,
        alone: &mut Vec<usize>,
    ) -> Result<Vec<Car>, MergeError> {
        let tip = target_tip(self.repo, &self.context.target_branch)?;
        let mut on = tip;
        let mut cars: Vec<Car> = Vec::new();
        for index in std::mem::take(waiting) {
            if cars.len() >= self.context.parallel.max(1) {
                self.waits(index);
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
                Ok(Coupled::Later) => {
                    self.waits(index);
                    waiting.push_back(index);
                }
                Ok(Coupled::Alone) => {
                    self.waits(index);
                    alone.push(index);
                }
                Ok(Coupled::Ended(report)) => self.arrived(index, Ok(*report)),
                // That is none of this branch's doing.
                Err(error @ MergeError::Git(GitError::Replaced { .. })) => return Err(error),
                Err(error) => self.arrived(index, Err(error)),
            }
        }
        Ok(cars)
    }

    fn waits(&mut self, index: usize) {
        self.observer.progress(index, MergeProgress::Waiting);
    }

    fn couple_one(&mut self, index: usize, tip: Oid, on: Oid) -> Result<Coupled, MergeError> {
        let Some(bench) = self.bench(index) else {
            return Ok(Coupled::Later);
        };
        let branch_tip = branch_tip(self.repo, &bench.item.branch)?;
        let is_first = on == tip;
        let call_off = &self.context.call_off;
        let cancel = call_off.token(&bench.item.branch);
        let planned = plan_until(self.repo, (on, branch_tip), &cancel);
        call_off.check(&bench.item.branch)?;
        let outcome = self.store.after(planned)?;
        bench.verify(&outcome)?;
        let (plan, settled) = match outcome {
            MergeOutcome::Clean(plan) if plan.already_merged => {
                // Part of the target, or only of a car that may yet be cut out?
                return Ok(if is_first || self.repo.is_ancestor(branch_tip, tip)? {
                    let (how, tier) = (Conclusion::AlreadyMerged, MergeTier::CleanMerge);
                    Coupled::Ended(Box::new(bench.report(&plan, how, tier)))
                } else {
                    Coupled::Later
                });
            }
            MergeOutcome::Clean(plan) => (plan, Settled::by_rules(MergeTier::CleanMerge)),
            MergeOutcome::Resolved(plan) => (plan, Settled::by_rules(MergeTier::AutoResolve)),
            MergeOutcome::ContentDisplaced(plan)
                if self.context.on_displaced == OnDisplaced::Commit
                    && bench.item.decided.places.is_empty() =>
            {
                (plan, Settled::by_policy())
            }
            MergeOutcome::ContentDisplaced(_) | MergeOutcome::Failed(_) if !is_first => {
                // Only what stands against the target itself is this branch's own trouble.
                let against = plan_until(self.repo, (tip, branch_tip), &cancel);
                call_off.check(&bench.item.branch)?;
                return match against? {
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
        self.prepare(index, plan, settled, is_first)
    }

    fn prepare(
        &mut self,
        index: usize,
        plan: MergePlan,
        settled: Settled,
        is_first: bool,
    ) -> Result<Coupled, MergeError> {
        let Some(bench) = self.bench(index) else {
            return Ok(Coupled::Later);
        };
        match bench.prepare(plan, settled)? {
            Ok(prepared) => {
                let context = self.context;
                let item = bench.item.clone();
                let bench = Bench {
                    context,
                    item: &item,
                    repo: self.repo,
                };
                if let Some(report) = bench.refused_ahead(&prepared)? {
                    return Ok(Coupled::Ended(report));
                }
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
                OnDisplaced::Hold if bench.item.decided.places.is_empty() => {
                    Coupled::Ended(Box::new(bench.held(plan, MergeTier::AutoResolve)))
                }
                OnDisplaced::Hold | OnDisplaced::Escalate | OnDisplaced::Commit => Coupled::Alone,
            },
        }
    }
}
