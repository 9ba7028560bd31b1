//! One merge from queue entry to landed commit: lock, plan, account, commit, gates, land, receipt.
//! Every step is journalled before it is taken. Stores nothing: the report goes to the caller.

use crate::git::{Oid, RefMove, Repo, require_git, update_ref};
use crate::platform::{clock, random};
use crate::types::merge::{AccountTotals, GateResult, MergeReceipt, MergeTier};

use super::account::{Account, Declared, MergeTrees, account};
use super::answers::{Choices, Review};
use super::assist::{ConflictResolver, ask};
use super::commit::{merge_message, write_commit};
use super::context::{MergeContext, MergeItem, MergeProgress, OnDisplaced};
use super::error::MergeError;
use super::gates::run_gates;
use super::journal::{Step, settle_journal, write as write_journal};
use super::land::{LandOutcome, land};
use super::lock::MergeLock;
use super::outcome::{MergeFailure, MergeOutcome, MergePlan};
use super::plan::{plan, plan_reviewed};
use super::report::{Conclusion, MergeReport, auto_resolve_skipped, tiers_failed};

/// How often a merge is planned again because the target moved meanwhile.
const ATTEMPTS: u32 = 5;

/// Merges one branch into the context's target.
pub fn execute(
    context: &MergeContext,
    item: &MergeItem,
    observer: &mut dyn FnMut(MergeProgress<'_>),
) -> Result<MergeReport, MergeError> {
    locked(context, item, observer, |execution| execution.run(None))
}

/// Merges one branch; contested text goes to `resolver` when the policy is to escalate.
pub fn execute_with_resolver(
    context: &MergeContext,
    item: &MergeItem,
    resolver: &dyn ConflictResolver,
    observer: &mut dyn FnMut(MergeProgress<'_>),
) -> Result<MergeReport, MergeError> {
    locked(context, item, observer, |execution| {
        execution.run(Some(resolver))
    })
}

/// Merges one branch as a review decided. The review must be for the present tips.
pub fn execute_reviewed(
    context: &MergeContext,
    item: &MergeItem,
    review: &Review,
    observer: &mut dyn FnMut(MergeProgress<'_>),
) -> Result<MergeReport, MergeError> {
    locked(context, item, observer, |execution| {
        execution.run_reviewed(review)
    })
}

fn locked(
    context: &MergeContext,
    item: &MergeItem,
    observer: &mut dyn FnMut(MergeProgress<'_>),
    run: impl FnOnce(&mut Execution<'_>) -> Result<MergeReport, MergeError>,
) -> Result<MergeReport, MergeError> {
    require_git()?;
    let repo = Repo::discover(&context.root)?;
    repo.require_usable()?;
    let lock = MergeLock::acquire(&context.root, &context.target_branch)?;
    let result = run(&mut Execution {
        context,
        item,
        repo: &repo,
        observer,
    });
    drop(lock);
    result
}

struct Execution<'a> {
    context: &'a MergeContext,
    item: &'a MergeItem,
    repo: &'a Repo,
    observer: &'a mut dyn FnMut(MergeProgress<'_>),
}

/// What became of a tree that was offered for landing.
enum Offered {
    Done(Box<MergeReport>),
    TargetMoved,
}

impl Execution<'_> {
    fn run(&mut self, resolver: Option<&dyn ConflictResolver>) -> Result<MergeReport, MergeError> {
        for attempt in 1..=ATTEMPTS {
            let outcome = plan(self.repo, &self.context.target_branch, &self.item.branch)?;
            let offered = match outcome {
                MergeOutcome::Clean(plan) if plan.already_merged => {
                    return Ok(self.report(
                        &plan,
                        Conclusion::AlreadyMerged,
                        MergeTier::CleanMerge,
                    ));
                }
                MergeOutcome::Clean(plan) => self.offer(&plan, MergeTier::CleanMerge, false)?,
                MergeOutcome::Resolved(plan) => self.offer(&plan, MergeTier::AutoResolve, false)?,
                MergeOutcome::ContentDisplaced(plan) => match self.context.on_displaced {
                    OnDisplaced::Commit => self.offer(&plan, MergeTier::AutoResolve, false)?,
                    OnDisplaced::Hold => return Ok(self.held(&plan, MergeTier::AutoResolve)),
                    OnDisplaced::Escalate => self.escalate(&plan, resolver)?,
                },
                MergeOutcome::Failed(failure) => return Ok(self.failed(&failure, None)),
            };
            match offered {
                Offered::Done(report) => return Ok(*report),
                Offered::TargetMoved => (self.observer)(MergeProgress::PlanningAgain { attempt }),
            }
        }
        Err(MergeError::TargetKeepsMoving {
            branch: self.context.target_branch.clone(),
            attempts: ATTEMPTS,
        })
    }

    fn run_reviewed(&mut self, review: &Review) -> Result<MergeReport, MergeError> {
        let tips = (
            self.repo
                .ref_target(&format!("refs/heads/{}", self.context.target_branch)),
            self.repo
                .ref_target(&format!("refs/heads/{}", self.item.branch)),
        );
        if tips != (Some(review.target), Some(review.branch)) {
            return Err(MergeError::ReviewOutdated {
                branch: self.item.branch.clone(),
            });
        }
        let offered = match plan_reviewed(self.repo, review)? {
            MergeOutcome::Clean(plan) | MergeOutcome::Resolved(plan) => {
                self.offer(&plan, review.tier, review.choices.may_invent())?
            }
            MergeOutcome::ContentDisplaced(plan) => return Ok(self.held(&plan, review.tier)),
            MergeOutcome::Failed(failure) => return Ok(self.failed(&failure, None)),
        };
        match offered {
            Offered::Done(report) => Ok(*report),
            Offered::TargetMoved => Err(MergeError::ReviewOutdated {
                branch: self.item.branch.clone(),
            }),
        }
    }

    /// Asks the resolver for every contested file; what it cannot do acceptably is held.
    fn escalate(
        &mut self,
        plan: &MergePlan,
        resolver: Option<&dyn ConflictResolver>,
    ) -> Result<Offered, MergeError> {
        let Some(resolver) = resolver else {
            let report = self.held(plan, MergeTier::AutoResolve);
            return Ok(Offered::Done(Box::new(report)));
        };
        let refused = match ask(self.repo, plan, resolver)? {
            Ok(files) => {
                let review = Review {
                    target: plan.target,
                    branch: plan.branch,
                    choices: Choices::Files(files),
                    tier: MergeTier::AiResolve,
                };
                match plan_reviewed(self.repo, &review)? {
                    MergeOutcome::Clean(resolved) | MergeOutcome::Resolved(resolved) => {
                        let checked = self.check(&resolved, true)?;
                        if checked.balances() {
                            return self.offer(&resolved, MergeTier::AiResolve, true);
                        }
                        let failure = MergeFailure::Unaccounted {
                            lines: checked.unaccounted,
                        };
                        format!("ai-resolve rejected: {failure}")
                    }
                    MergeOutcome::ContentDisplaced(_) | MergeOutcome::Failed(_) => {
                        "ai-resolve left content displaced".to_owned()
                    }
                }
            }
            Err(reason) => reason,
        };
        let mut report = self.held(plan, MergeTier::AiResolve);
        report.warnings.push(refused);
        Ok(Offered::Done(Box::new(report)))
    }

    fn check(&self, plan: &MergePlan, may_invent: bool) -> Result<Account, MergeError> {
        Ok(account(
            self.repo,
            MergeTrees {
                base: plan.base_tree,
                ours: self.repo.tree_of(plan.target)?,
                theirs: self.repo.tree_of(plan.branch)?,
                result: plan.tree,
            },
            Declared {
                displaced: &plan.displaced,
                woven: &plan.woven,
                settled: &plan.conflict_files,
                may_invent,
            },
        )?)
    }

    /// Takes a planned tree through account, gates and landing.
    fn offer(
        &mut self,
        plan: &MergePlan,
        tier: MergeTier,
        may_invent: bool,
    ) -> Result<Offered, MergeError> {
        let checked = self.check(plan, may_invent)?;
        if !checked.balances() {
            let failure = MergeFailure::Unaccounted {
                lines: checked.unaccounted,
            };
            return Ok(Offered::Done(Box::new(self.failed(&failure, Some(plan)))));
        }
        let message = merge_message(&self.item.branch, &self.context.target_branch);
        let commit = write_commit(self.repo, plan.tree, &[plan.target, plan.branch], &message)?;
        let mut receipt = self.receipt(plan, tier, commit, checked.totals);
        self.enter(Step::Planned, &receipt)?;
        let settled = self.gates_and_landing(plan, tier, commit, &mut receipt);
        // Only a landed merge stays in the journal, until its receipt is stored.
        match &settled {
            Ok(Offered::Done(report)) if report.receipt.is_some() => {}
            Ok(_) | Err(_) => settle_journal(&self.context.root, &receipt.id)?,
        }
        settled
    }

    fn gates_and_landing(
        &mut self,
        plan: &MergePlan,
        tier: MergeTier,
        commit: Oid,
        receipt: &mut MergeReceipt,
    ) -> Result<Offered, MergeError> {
        let observer = &mut *self.observer;
        let gates = run_gates(
            self.repo,
            &self.context.root,
            commit,
            &self.context.gates,
            self.context.gate_time_limit,
            &mut |progress| observer(MergeProgress::Gate(progress)),
        )?;
        receipt.gates.clone_from(&gates);
        if let Some(red) = gates.iter().find(|gate| !gate.passed) {
            let mut report = self.report(plan, Conclusion::GatesRed, tier);
            report.error_message = Some(red_gate_message(red));
            report.merged_commit = Some(commit.to_string());
            report.gates = gates;
            return Ok(Offered::Done(Box::new(report)));
        }
        self.enter(Step::Gated, receipt)?;

        receipt.landed_at = clock::now().iso();
        let target = &self.context.target_branch;
        let undo = update_ref(
            self.repo,
            &receipt.undo_ref,
            None,
            Some(plan.target),
            "grove: state before a merge",
        )?;
        if undo != RefMove::Moved {
            // The id is random: somebody took it in between, so start over with another.
            return Ok(Offered::TargetMoved);
        }
        self.enter(Step::Landing, receipt)?;
        let landed = land(
            self.repo,
            target,
            plan.target,
            commit,
            &format!("grove: merge {}", self.item.branch),
        );
        match landed {
            Ok(LandOutcome::Landed { .. }) => {
                self.enter(Step::Landed, receipt)?;
                let mut report = self.report(plan, Conclusion::Landed, tier);
                report.merged_commit = Some(commit.to_string());
                report.gates = gates;
                report.receipt = Some(receipt.clone());
                Ok(Offered::Done(Box::new(report)))
            }
            Ok(LandOutcome::TargetMoved { .. }) => {
                self.drop_undo(receipt, plan.target)?;
                Ok(Offered::TargetMoved)
            }
            Ok(LandOutcome::Refused { checkout, reason }) => {
                self.drop_undo(receipt, plan.target)?;
                let mut report = self.report(plan, Conclusion::Refused, tier);
                report.error_message = Some(format!(
                    "{target} is checked out at {}: {reason}",
                    checkout.display()
                ));
                report.merged_commit = Some(commit.to_string());
                report.gates = gates;
                Ok(Offered::Done(Box::new(report)))
            }
            Err(error) => {
                self.drop_undo(receipt, plan.target)?;
                Err(error)
            }
        }
    }

    fn drop_undo(&self, receipt: &MergeReceipt, before: Oid) -> Result<(), MergeError> {
        update_ref(
            self.repo,
            &receipt.undo_ref,
            Some(before),
            None,
            "grove: merge did not land",
        )?;
        Ok(())
    }

    fn enter(&mut self, step: Step, receipt: &MergeReceipt) -> Result<(), MergeError> {
        write_journal(&self.context.root, step, receipt)?;
        (self.observer)(MergeProgress::Entered(step));
        Ok(())
    }

    fn receipt(
        &self,
        plan: &MergePlan,
        tier: MergeTier,
        commit: Oid,
        totals: AccountTotals,
    ) -> MergeReceipt {
        let id = format!("{}-{}", clock::now().stamp(), random::alphanumeric(6));
        MergeReceipt {
            branch: self.item.branch.clone(),
            agent: self.item.agent.clone(),
            task: self.item.task.clone(),
            target: self.context.target_branch.clone(),
            target_before: plan.target.to_string(),
            branch_tip: plan.branch.to_string(),
            merge_base: plan.base.to_string(),
            merged_commit: commit.to_string(),
            merged_tree: plan.tree.to_string(),
            tier,
            landed_at: String::new(),
            undo_ref: format!("refs/grove/undo/{id}"),
            conflict_files: plan.conflict_files.clone(),
            displaced: plan.displaced.clone(),
            woven: plan.woven.clone(),
            account: totals,
            gates: Vec::<GateResult>::new(),
            id,
        }
    }

    fn report(&self, plan: &MergePlan, conclusion: Conclusion, tier: MergeTier) -> MergeReport {
        MergeReport {
            branch: self.item.branch.clone(),
            target: self.context.target_branch.clone(),
            conclusion,
            tier,
            conflict_files: plan.conflict_files.clone(),
            displaced: plan.displaced.clone(),
            woven: plan.woven.clone(),
            gates: Vec::new(),
            merged_commit: None,
            error_message: None,
            warnings: plan.warnings.clone(),
            receipt: None,
        }
    }

    fn held(&self, plan: &MergePlan, tier: MergeTier) -> MergeReport {
        let mut report = self.report(plan, Conclusion::Held, tier);
        let mut files: Vec<&str> = plan
            .displaced
            .iter()
            .map(|hunk| hunk.file.as_str())
            .collect();
        files.dedup();
        report
            .warnings
            .extend(files.into_iter().map(auto_resolve_skipped));
        report.error_message = Some(tiers_failed(tier));
        report
    }

    fn failed(&self, failure: &MergeFailure, plan: Option<&MergePlan>) -> MergeReport {
        let conflict_files = match (failure, plan) {
            (MergeFailure::Structure { paths, .. } | MergeFailure::Submodule { paths }, _) => {
                paths.clone()
            }
            (MergeFailure::UnrelatedHistories | MergeFailure::Unaccounted { .. }, Some(plan)) => {
                plan.conflict_files.clone()
            }
            (MergeFailure::UnrelatedHistories | MergeFailure::Unaccounted { .. }, None) => {
                Vec::new()
            }
        };
        MergeReport {
            branch: self.item.branch.clone(),
            target: self.context.target_branch.clone(),
            conclusion: Conclusion::Failed,
            tier: MergeTier::AutoResolve,
            conflict_files,
            displaced: Vec::new(),
            woven: Vec::new(),
            gates: Vec::new(),
            merged_commit: None,
            error_message: Some(failure.to_string()),
            warnings: Vec::new(),
            receipt: None,
        }
    }
}

fn red_gate_message(gate: &GateResult) -> String {
    let how = match (gate.timed_out, gate.exit_code) {
        (true, _) => format!("did not finish within {} s", gate.duration_ms / 1000),
        (false, Some(code)) => format!("failed with exit code {code}"),
        (false, None) => "was ended by a signal or could not be started".to_owned(),
    };
    format!("quality gate {} {how}; the target is untouched", gate.name)
}
