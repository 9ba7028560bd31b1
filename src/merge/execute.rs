//! One merge from queue entry to landed commit: lock, plan, account, commit, gates, land, receipt.
//! Every step is journalled before it is taken. Stores nothing: the report goes to the caller.

use crate::git::{Genuine, Repo};
use crate::platform::ProjectPaths;
use crate::types::merge::{MergeTier, SettledBy};

use super::account::Source;
use super::answers::{Kept, Review, half_decided, kept};
use super::assist::ConflictResolver;
use super::attribution::Whose;
use super::bench::{Bench, Offered, Settled};
use super::context::{MergeContext, MergeItem, MergeProgress, OnDisplaced, Stops, until_stopped};
use super::error::MergeError;
use super::escalate::{Escalated, escalate};
use super::gates::run_gates;
use super::journal::Step;
use super::lock::MergeLock;
use super::outcome::{MergeOutcome, MergePlan};
use super::plan::{Asked, plan_answered, plan_doubted, plan_until, tips};
use super::report::{Conclusion, MergeReport};
use super::scratch::scratch_name;
use super::whole::made_by_drivers;

/// How often a merge is planned again because the target moved meanwhile, or the branch was rewritten.
const ATTEMPTS: u32 = 5;

/// Merges one branch into the context's target.
pub fn execute(
    context: &MergeContext,
    item: &MergeItem,
    observer: &mut dyn FnMut(MergeProgress<'_>),
) -> Result<MergeReport, MergeError> {
    locked(context, |repo, store| {
        Execution::new(context, item, (repo, store), observer).run(None)
    })
}

/// Merges one branch; contested text goes to `resolver` when the policy is to escalate.
pub fn execute_with_resolver(
    context: &MergeContext,
    item: &MergeItem,
    resolver: &dyn ConflictResolver,
    observer: &mut dyn FnMut(MergeProgress<'_>),
) -> Result<MergeReport, MergeError> {
    locked(context, |repo, store| {
        Execution::new(context, item, (repo, store), observer).run(Some(resolver))
    })
}

/// The same by who has the target's lock already; without a resolver nobody is asked.
pub fn execute_with_lock(
    lock: MergeLock,
    (context, item): (&MergeContext, &MergeItem),
    resolver: Option<&dyn ConflictResolver>,
    observer: &mut dyn FnMut(MergeProgress<'_>),
) -> Result<MergeReport, MergeError> {
    with_lock(
        context,
        || Ok(lock),
        |repo, store| Execution::new(context, item, (repo, store), observer).run(resolver),
    )
}

/// Merges one branch as a review decided. The review must be for the present tips.
pub fn execute_reviewed(
    context: &MergeContext,
    item: &MergeItem,
    review: &Review,
    observer: &mut dyn FnMut(MergeProgress<'_>),
) -> Result<MergeReport, MergeError> {
    locked(context, |repo, store| {
        Execution::new(context, item, (repo, store), observer).run_reviewed(review)
    })
}

/// Runs something with the target's lock held. Meanwhile the store of objects is looked at: who runs must ask for what
/// was found before anything comes of what was read from it.
pub(super) fn locked<T>(
    context: &MergeContext,
    run: impl FnOnce(&Repo, &Genuine) -> Result<T, MergeError>,
) -> Result<T, MergeError> {
    let take = || MergeLock::acquire(&context.root, &context.target_branch);
    with_lock(context, take, run)
}

/// The same with the lock that `take` gives.
pub(super) fn with_lock<T>(
    context: &MergeContext,
    take: impl FnOnce() -> Result<MergeLock, MergeError>,
    run: impl FnOnce(&Repo, &Genuine) -> Result<T, MergeError>,
) -> Result<T, MergeError> {
    let repo = Repo::discover(&context.root)?
        .with_driver_limit(context.driver_time_limit)
        .with_driver_place(scratch_name(&context.root), &context.root);
    repo.require_usable()?;
    let look = repo.store_look(&ProjectPaths::new(&context.root).objects_mark());
    std::thread::scope(|scope| {
        let store = Genuine::looked_for(scope, look);
        let lock = take()?;
        let result = run(&repo, &store);
        drop(lock);
        store.require()?;
        result
    })
}

/// One branch, with the lock held.
pub(super) struct Execution<'a> {
    bench: Bench<'a>,
    store: &'a Genuine,
    /// Asked before landing, and while gates run.
    stops: Stops<'a>,
    observer: &'a mut dyn FnMut(MergeProgress<'_>),
}

fn never() -> bool {
    false
}

impl<'a> Execution<'a> {
    pub(super) fn new(
        context: &'a MergeContext,
        item: &'a MergeItem,
        (repo, store): (&'a Repo, &'a Genuine),
        observer: &'a mut dyn FnMut(MergeProgress<'_>),
    ) -> Self {
        Self {
            bench: Bench {
                context,
                item,
                repo,
            },
            store,
            stops: &never,
            observer,
        }
    }

    fn run(&mut self, resolver: Option<&dyn ConflictResolver>) -> Result<MergeReport, MergeError> {
        match self.until_it_ends(resolver)? {
            Some(report) => Ok(report),
            // Nothing stops it.
            None => Err(self.keeps_moving()),
        }
    }

    /// As `run`; `None` when `stops` said before landing that nothing is to land.
    pub(super) fn run_until(
        mut self,
        stops: Stops<'a>,
        resolver: Option<&dyn ConflictResolver>,
    ) -> Result<Option<MergeReport>, MergeError> {
        self.stops = stops;
        self.until_it_ends(resolver)
    }

    fn keeps_moving(&self) -> MergeError {
        MergeError::TargetKeepsMoving {
            branch: self.bench.context.target_branch.clone(),
            attempts: ATTEMPTS,
        }
    }

    fn until_it_ends(
        &mut self,
        resolver: Option<&dyn ConflictResolver>,
    ) -> Result<Option<MergeReport>, MergeError> {
        let Bench {
            context,
            item,
            repo,
        } = self.bench;
        let mut is_withdrawn = false;
        for attempt in 1..=ATTEMPTS {
            context.call_off.check(&item.branch)?;
            let cancel = context.call_off.token(&item.branch);
            let tips = tips(repo, (&context.target_branch, &item.branch));
            let outcome = tips.and_then(|tips| plan_until(repo, tips, &cancel));
            context.call_off.check(&item.branch)?;
            let outcome = self.store.after(outcome)?;
            self.bench.verify(&outcome)?;
            let offered = match outcome {
                MergeOutcome::Clean(plan) if plan.already_merged => {
                    let (how, tier) = (Conclusion::AlreadyMerged, MergeTier::CleanMerge);
                    return Ok(Some(self.bench.report(&plan, how, tier)));
                }
                MergeOutcome::Clean(plan) => {
                    self.offer(plan, Settled::by_rules(MergeTier::CleanMerge))?
                }
                MergeOutcome::Resolved(plan) => {
                    self.offer(plan, Settled::by_rules(MergeTier::AutoResolve))?
                }
                MergeOutcome::ContentDisplaced(plan) => match self.kept(&plan)? {
                    Kept::All(review) => self.offer_decided(&review, Some(&plan))?,
                    Kept::Some { decided, of } => {
                        let mut report = self.bench.held(&plan, MergeTier::AutoResolve);
                        report.warnings.push(half_decided(decided, of));
                        return Ok(Some(report));
                    }
                    Kept::Nothing => self.offer_contested(plan, resolver)?,
                },
                MergeOutcome::Failed(failure) => {
                    return Ok(Some(self.bench.failed(&failure, None)));
                }
            };
            match offered {
                Offered::Done(report) => return Ok(Some(*report)),
                Offered::TargetMoved => is_withdrawn = false,
                Offered::Withdrawn => is_withdrawn = true,
                Offered::Stopped => return Ok(None),
            }
            (self.observer)(MergeProgress::PlanningAgain { attempt });
        }
        Err(if is_withdrawn {
            MergeError::BranchRewritten {
                branch: item.branch.clone(),
                attempts: ATTEMPTS,
            }
        } else {
            self.keeps_moving()
        })
    }

    /// What a person has decided about the places of a plan.
    fn kept(&self, plan: &MergePlan) -> Result<Kept, MergeError> {
        let Bench {
            context,
            item,
            repo,
        } = self.bench;
        if item.decided.places.is_empty() {
            return Ok(Kept::Nothing);
        }
        let cancel = context.call_off.token(&item.branch);
        // A person was shown the places that the account asks about, too.
        let shown = plan_doubted(repo, plan, Some(&cancel));
        context.call_off.check(&item.branch)?;
        let shown = self.store.after(shown)?;
        Ok(shown
            .plan()
            .map_or(Kept::Nothing, |plan| kept(plan, &item.decided)))
    }

    /// Does with contested lines what the project wants done with them.
    fn offer_contested(
        &mut self,
        plan: MergePlan,
        resolver: Option<&dyn ConflictResolver>,
    ) -> Result<Offered, MergeError> {
        let Bench { context, item, .. } = self.bench;
        match context.on_displaced {
            OnDisplaced::Commit => self.offer(plan, Settled::by_policy()),
            OnDisplaced::Hold => {
                let report = self.bench.held(&plan, MergeTier::AutoResolve);
                Ok(Offered::Done(Box::new(report)))
            }
            OnDisplaced::Escalate => match escalate(&self.bench, &plan, resolver, self.observer)? {
                Escalated::Resolved(plan, tier) => {
                    let settled = Settled {
                        tier,
                        source: Source::Written,
                        by: Some(SettledBy::Model),
                    };
                    self.offer(*plan, settled)
                }
                Escalated::Held(report) => {
                    // A question that was cancelled has no answer.
                    context.call_off.check(&item.branch)?;
                    Ok(Offered::Done(report))
                }
            },
        }
    }

    /// Takes what a person has decided about every place through account, gates and landing. What git made of the same
    /// commits is taken from an earlier plan.
    fn offer_decided(
        &mut self,
        review: &Review,
        earlier: Option<&MergePlan>,
    ) -> Result<Offered, MergeError> {
        let Bench {
            context,
            item,
            repo,
        } = self.bench;
        let cancel = context.call_off.token(&item.branch);
        let asked = Asked {
            whose: Whose::of(item),
            cancel: Some(&cancel),
            earlier,
            ..Asked::default()
        };
        let outcome = plan_answered(repo, review, asked);
        context.call_off.check(&item.branch)?;
        let outcome = self.store.after(outcome)?;
        self.bench.verify(&outcome)?;
        if let Some(plan) = outcome.plan() {
            made_the_same(repo, plan, review)?;
        }
        let report = match outcome {
            MergeOutcome::Clean(plan) | MergeOutcome::Resolved(plan) => {
                let settled = Settled {
                    tier: review.tier,
                    source: review.choices.source(),
                    by: Some(SettledBy::Person),
                };
                return self.offer(plan, settled);
            }
            MergeOutcome::ContentDisplaced(plan) => self.bench.held(&plan, review.tier),
            MergeOutcome::Failed(failure) => self.bench.failed(&failure, None),
        };
        Ok(Offered::Done(Box::new(report)))
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
        match self.offer_decided(review, None)? {
            Offered::Done(report) => Ok(*report),
            Offered::TargetMoved | Offered::Withdrawn | Offered::Stopped => {
                Err(MergeError::ReviewOutdated {
                    branch: item.branch.clone(),
                })
            }
        }
    }

    /// Takes a planned tree through account, gates and landing.
    fn offer(&mut self, plan: MergePlan, settled: Settled) -> Result<Offered, MergeError> {
        let mut prepared = match self.bench.prepare(plan, settled)? {
            Ok(prepared) => prepared,
            Err(report) => return Ok(Offered::Done(report)),
        };
        if let Some(report) = self.bench.refused_ahead(&prepared)? {
            return Ok(Offered::Done(report));
        }
        self.bench
            .enter(Step::Planned, &prepared.receipt, self.observer)?;
        let observer = &mut *self.observer;
        let (context, branch) = (self.bench.context, &self.bench.item.branch);
        let token = context.call_off.token(branch);
        let gates = until_stopped(self.stops, std::slice::from_ref(&token), || {
            run_gates(
                context,
                self.bench.repo.path(),
                prepared.commit,
                Some(&token),
                &mut |progress| observer(MergeProgress::Gate(progress)),
            )
        });
        // From here on it lands, or is red: too late.
        let in_time = context.call_off.check(branch);
        let settled = match gates.and_then(|gates| in_time.map(|()| gates)) {
            // Nobody has cancelled it, so it was to stop; if that is over by now, it begins again.
            Ok(None) if (self.stops)() => Ok(Offered::Stopped),
            Ok(None) => Ok(Offered::TargetMoved),
            Ok(Some(gates)) => {
                if !gates.iter().all(|gate| gate.passed) {
                    self.bench.offer_red(&prepared, gates)
                } else if (self.stops)() {
                    Ok(Offered::Stopped)
                } else {
                    self.bench.land(&mut prepared, gates, self.observer)
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
    fn a_clean_merge_starts_git_three_times() {
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
            driver_time_limit: Duration::from_mins(10),
            gate_retries: 0,
            parallel: 1,
            on_displaced: OnDisplaced::Hold,
            call_off: crate::merge::CallOff::default(),
            own_settings: crate::merge::OwnSettings::Hold,
        };
        let item = MergeItem {
            branch: "b".to_owned(),
            agent: "ann".to_owned(),
            task: "t".to_owned(),
            ..MergeItem::default()
        };
        let before = calls::made();
        let report = execute(&context, &item, &mut |_| {}).unwrap();
        assert!(report.is_success(), "{report:?}");
        assert_eq!(
            calls::made() - before,
            3,
            "the tree, the undo ref, the fast-forward"
        );
    }
}
