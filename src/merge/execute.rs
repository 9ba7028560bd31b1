//! One merge from queue entry to landed commit: lock, plan, account, commit, gates, land, receipt.
//! Every step is journalled before it is taken. Stores nothing: the report goes to the caller.

use crate::git::Repo;
use crate::platform::ProjectPaths;
use crate::types::merge::MergeTier;

use super::account::Source;
use super::answers::Review;
use super::assist::ConflictResolver;
use super::attribution::Whose;
use super::bench::{Bench, Offered};
use super::context::{MergeContext, MergeItem, MergeProgress, OnDisplaced};
use super::error::MergeError;
use super::escalate::{Escalated, escalate};
use super::gates::run_gates;
use super::journal::Step;
use super::lock::MergeLock;
use super::outcome::{MergeOutcome, MergePlan};
use super::plan::{Asked, plan, plan_answered};
use super::report::{Conclusion, MergeReport};
use super::whole::made_by_drivers;

/// How often a merge is planned again because the target moved meanwhile.
const ATTEMPTS: u32 = 5;

/// Merges one branch into the context's target.
pub fn execute(
    context: &MergeContext,
    item: &MergeItem,
    observer: &mut dyn FnMut(MergeProgress<'_>),
) -> Result<MergeReport, MergeError> {
    locked(context, |repo| {
        Execution::new(context, item, repo, observer).run(None)
    })
}

/// Merges one branch; contested text goes to `resolver` when the policy is to escalate.
pub fn execute_with_resolver(
    context: &MergeContext,
    item: &MergeItem,
    resolver: &dyn ConflictResolver,
    observer: &mut dyn FnMut(MergeProgress<'_>),
) -> Result<MergeReport, MergeError> {
    locked(context, |repo| {
        Execution::new(context, item, repo, observer).run(Some(resolver))
    })
}

/// Merges one branch as a review decided. The review must be for the present tips.
pub fn execute_reviewed(
    context: &MergeContext,
    item: &MergeItem,
    review: &Review,
    observer: &mut dyn FnMut(MergeProgress<'_>),
) -> Result<MergeReport, MergeError> {
    locked(context, |repo| {
        Execution::new(context, item, repo, observer).run_reviewed(review)
    })
}

/// Runs something with the target's lock held.
pub(super) fn locked<T>(
    context: &MergeContext,
    run: impl FnOnce(&Repo) -> Result<T, MergeError>,
) -> Result<T, MergeError> {
    let repo = Repo::discover(&context.root)?;
    repo.require_usable()?;
    repo.require_genuine(&ProjectPaths::new(&context.root).objects_mark())?;
    let lock = MergeLock::acquire(&context.root, &context.target_branch)?;
    let result = run(&repo);
    drop(lock);
    result
}

/// One branch, with the lock held.
pub(super) struct Execution<'a> {
    bench: Bench<'a>,
    observer: &'a mut dyn FnMut(MergeProgress<'_>),
}

impl<'a> Execution<'a> {
    pub(super) fn new(
        context: &'a MergeContext,
        item: &'a MergeItem,
        repo: &'a Repo,
        observer: &'a mut dyn FnMut(MergeProgress<'_>),
    ) -> Self {
        Self {
            bench: Bench {
                context,
                item,
                repo,
            },
            observer,
        }
    }

    pub(super) fn run(
        &mut self,
        resolver: Option<&dyn ConflictResolver>,
    ) -> Result<MergeReport, MergeError> {
        let Bench {
            context,
            item,
            repo,
        } = self.bench;
        for attempt in 1..=ATTEMPTS {
            let outcome = plan(repo, &context.target_branch, &item.branch)?;
            let offered = match outcome {
                MergeOutcome::Clean(plan) if plan.already_merged => {
                    let (how, tier) = (Conclusion::AlreadyMerged, MergeTier::CleanMerge);
                    return Ok(self.bench.report(&plan, how, tier));
                }
                MergeOutcome::Clean(plan) => {
                    self.offer(plan, MergeTier::CleanMerge, Source::Engine)?
                }
                MergeOutcome::Resolved(plan) => {
                    self.offer(plan, MergeTier::AutoResolve, Source::Engine)?
                }
                MergeOutcome::ContentDisplaced(plan) => match context.on_displaced {
                    OnDisplaced::Commit => {
                        self.offer(plan, MergeTier::AutoResolve, Source::Engine)?
                    }
                    OnDisplaced::Hold => return Ok(self.bench.held(&plan, MergeTier::AutoResolve)),
                    OnDisplaced::Escalate => match escalate(&self.bench, &plan, resolver)? {
                        Escalated::Resolved(plan, tier) => {
                            self.offer(*plan, tier, Source::Written)?
                        }
                        Escalated::Held(report) => return Ok(*report),
                    },
                },
                MergeOutcome::Failed(failure) => return Ok(self.bench.failed(&failure, None)),
            };
            match offered {
                Offered::Done(report) => return Ok(*report),
                Offered::TargetMoved => (self.observer)(MergeProgress::PlanningAgain { attempt }),
            }
        }
        Err(MergeError::TargetKeepsMoving {
            branch: context.target_branch.clone(),
            attempts: ATTEMPTS,
        })
    }

    fn run_reviewed(&mut self, review: &Review) -> Result<MergeReport, MergeError> {
        let Bench {
            context,
            item,
            repo,
        } = self.bench;
        let tips = (
            repo.ref_target(&format!("refs/heads/{}", context.target_branch)),
            repo.ref_target(&format!("refs/heads/{}", item.branch)),
        );
        if tips != (Some(review.target), Some(review.branch)) {
            return Err(MergeError::ReviewOutdated {
                branch: item.branch.clone(),
            });
        }
        let asked = Asked {
            whose: Whose::of(item),
            ..Asked::default()
        };
        let outcome = plan_answered(repo, review, asked)?;
        if let Some(plan) = outcome.plan() {
            made_the_same(repo, plan, review)?;
        }
        let offered = match outcome {
            MergeOutcome::Clean(plan) | MergeOutcome::Resolved(plan) => {
                self.offer(plan, review.tier, review.choices.source())?
            }
            MergeOutcome::ContentDisplaced(plan) => return Ok(self.bench.held(&plan, review.tier)),
            MergeOutcome::Failed(failure) => return Ok(self.bench.failed(&failure, None)),
        };
        match offered {
            Offered::Done(report) => Ok(*report),
            Offered::TargetMoved => Err(MergeError::ReviewOutdated {
                branch: item.branch.clone(),
            }),
        }
    }

    /// Takes a planned tree through account, gates and landing.
    fn offer(
        &mut self,
        plan: MergePlan,
        tier: MergeTier,
        source: Source,
    ) -> Result<Offered, MergeError> {
        let mut prepared = match self.bench.prepare(plan, tier, source)? {
            Ok(prepared) => prepared,
            Err(report) => return Ok(Offered::Done(report)),
        };
        self.bench
            .enter(Step::Planned, &prepared.receipt, self.observer)?;
        let observer = &mut *self.observer;
        let gates = run_gates(
            self.bench.context,
            self.bench.repo.path(),
            prepared.commit,
            None,
            &mut |progress| observer(MergeProgress::Gate(progress)),
        );
        let settled = match gates {
            Ok(gates) => {
                let gates = gates.unwrap_or_default();
                if gates.iter().all(|gate| gate.passed) {
                    self.bench.land(&mut prepared, gates, self.observer)
                } else {
                    Ok(Offered::Done(Box::new(self.bench.red(&prepared, gates))))
                }
            }
            Err(error) => Err(error),
        };
        self.bench.settle(&prepared.receipt.id, &settled)?;
        settled
    }
}

/// Nobody has looked at what a merge driver makes only now.
fn made_the_same(repo: &Repo, plan: &MergePlan, review: &Review) -> Result<(), MergeError> {
    if review.made.is_empty() {
        return Ok(());
    }
    let made = made_by_drivers(repo, plan)?;
    match review.made.iter().find(|then| !made.contains(then)) {
        None => Ok(()),
        Some((file, _)) => Err(MergeError::DriverDiffers { file: file.clone() }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::git::calls;
    use crate::git::trial::{git, repository};
    use std::time::Duration;

    /// A merge of one file is the price of starting git: what else there is to know is read from objects.
    #[test]
    fn a_clean_merge_starts_git_four_times() {
        let dir = repository();
        let root = dir.path();
        let put_in = |file: &str| {
            std::fs::write(root.join(file), "text\n").unwrap();
            git(root, &["add", "--", file]);
            git(root, &["commit", "-q", "-m", file]);
        };
        put_in("base");
        git(root, &["checkout", "-q", "-b", "b"]);
        put_in("theirs");
        git(root, &["checkout", "-q", "main"]);
        put_in("ours");
        let context = MergeContext {
            root: root.to_path_buf(),
            target_branch: "main".to_owned(),
            gates: Vec::new(),
            sandbox: crate::config::SandboxConfig::default(),
            gate_time_limit: Duration::from_secs(1),
            gate_retries: 0,
            parallel: 1,
            on_displaced: OnDisplaced::Hold,
        };
        let item = MergeItem {
            branch: "b".to_owned(),
            agent: "ann".to_owned(),
            task: "t".to_owned(),
        };
        let before = calls::made();
        let report = execute(&context, &item, &mut |_| {}).unwrap();
        assert!(report.is_success(), "{report:?}");
        assert_eq!(
            calls::made() - before,
            4,
            "the tree, the undo ref, the state of the checkout, the fast-forward"
        );
    }
}
