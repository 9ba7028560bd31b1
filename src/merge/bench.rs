//! The steps that every way of merging a branch shares: the check of a tree, its commit and receipt,
//! the journalled landing of a tested commit, and the wording of each end.
//! Decides nothing about which branch comes when; `execute` and `train` do.

use std::path::Path;

use crate::git::{Oid, RefMove, Repo, update_ref};
use crate::platform::{clock, random};
use crate::types::merge::{DisplacedHunk, GateResult, MergeReceipt, MergeTier};

use super::account::{Account, Declared, MergeTrees, Source, account};
use super::commit::{merge_message, not_followed, require_verified, write_commit};
use super::context::own_settings::{changed_settings, changes_settings, waits};
use super::context::{MergeContext, MergeItem, MergeProgress, OwnSettings};
use super::error::MergeError;
use super::gates::{LANDS_WITHOUT, NOTHING_LANDS, flaky, meddling, unconfined};
use super::hooks::changed_hooks;
use super::journal::{Step, settle_journal, write as write_journal};
use super::kept_twice::{self, kept_twice};
use super::land::{LandOutcome, RefusalReason, in_the_way, land};
use super::outcome::{MergeFailure, MergeOutcome, MergePlan};
use super::report::{
    Conclusion, MergeReport, auto_resolve_skipped, back_again, made_up, red_gate_message,
    tiers_failed, woven_to_tell,
};

/// What became of a tree that was offered for landing.
pub(super) enum Offered {
    Done(Box<MergeReport>),
    TargetMoved,
    /// It was to stop before landing.
    Stopped,
}

/// A tree that passed its account, as a commit that no ref points to yet.
pub(super) struct Prepared {
    pub(super) plan: MergePlan,
    pub(super) tier: MergeTier,
    pub(super) commit: Oid,
    pub(super) receipt: MergeReceipt,
}

/// One branch on its way into one target.
#[derive(Clone, Copy)]
pub(super) struct Bench<'a> {
    pub(super) context: &'a MergeContext,
    pub(super) item: &'a MergeItem,
    pub(super) repo: &'a Repo,
}

impl Bench<'_> {
    pub(super) fn check(&self, plan: &MergePlan, source: Source) -> Result<Account, MergeError> {
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
                versions: &plan.versions,
                driven: &plan.driven,
                source,
            },
        )?)
    }

    /// Fails when the user wants branches signed and what is to be merged is not.
    pub(super) fn verify(&self, outcome: &MergeOutcome) -> Result<(), MergeError> {
        let Some(plan) = outcome.plan().filter(|plan| !plan.already_merged) else {
            return Ok(());
        };
        let branches = (
            self.context.target_branch.as_str(),
            self.item.branch.as_str(),
        );
        require_verified(self.repo, branches, plan.branch)
    }

    /// The report of a landing that a checkout would refuse, where gates would run before that.
    pub(super) fn refused_ahead(
        &self,
        prepared: &Prepared,
    ) -> Result<Option<Box<MergeReport>>, MergeError> {
        if self.context.gates.is_empty() {
            return Ok(None);
        }
        let change = (prepared.plan.target, prepared.commit);
        let found = in_the_way(self.repo, &self.context.target_branch, change)?;
        Ok(found.map(|(checkout, reason)| Box::new(self.refused(prepared, &checkout, &reason))))
    }

    fn refused(&self, prepared: &Prepared, checkout: &Path, reason: &RefusalReason) -> MergeReport {
        let mut report = self.report(&prepared.plan, Conclusion::Refused, prepared.tier);
        report.error_message = Some(reason.of(&self.context.target_branch, checkout));
        report.merged_commit = Some(prepared.commit.to_string());
        report.gates.clone_from(&prepared.receipt.gates);
        report
    }

    /// Checks a plan's tree and commits it. The inner error is the report of a tree that does not
    /// balance, or that only a person may land.
    pub(super) fn prepare(
        &self,
        mut plan: MergePlan,
        tier: MergeTier,
        source: Source,
    ) -> Result<Result<Prepared, Box<MergeReport>>, MergeError> {
        let checked = self.check(&plan, source)?;
        if !checked.balances() {
            let failure = MergeFailure::Unaccounted {
                lines: checked.unaccounted,
            };
            return Ok(Err(Box::new(self.failed(&failure, Some(&plan)))));
        }
        let trees = (self.repo.tree_of(plan.target)?, plan.tree);
        let settings = changed_settings(self.repo, &self.context.root, trees)?;
        if !settings.is_empty() {
            match self.context.own_settings {
                OwnSettings::Hold => return Ok(Err(Box::new(self.waits(&plan, tier, &settings)))),
                OwnSettings::Land => plan.warnings.push(changes_settings(&settings)),
            }
        }
        let message = merge_message(&self.item.branch, &self.context.target_branch);
        let commit = write_commit(self.repo, plan.tree, &[plan.target, plan.branch], &message)?;
        plan.warnings.extend(back_again(&checked.brought_back));
        let mut receipt = self.receipt(&plan, tier, commit, checked);
        receipt.kept_twice = kept_twice(self.repo, &plan)?;
        plan.warnings.extend(made_up(&receipt));
        plan.warnings
            .extend(receipt.kept_twice.iter().map(kept_twice::said));
        Ok(Ok(Prepared {
            plan,
            tier,
            commit,
            receipt,
        }))
    }

    /// Lands a commit whose gates are green; the journal has its `Planned` step already.
    pub(super) fn land(
        &self,
        prepared: &mut Prepared,
        gates: Vec<GateResult>,
        observer: &mut dyn FnMut(MergeProgress<'_>),
    ) -> Result<Offered, MergeError> {
        let Prepared {
            plan,
            commit,
            receipt,
            tier: _,
        } = prepared;
        let commit = *commit;
        receipt.gates = gates;
        self.enter(Step::Gated, receipt, observer)?;
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
        let landed = self.enter(Step::Landing, receipt, observer).and_then(|()| {
            let reason = format!("grove: merge {}", self.item.branch);
            land(self.repo, target, plan.target, commit, &reason)
        });
        match landed {
            Ok(LandOutcome::Landed { checkout, said }) => {
                let mut report = self.landed(prepared, checkout.as_deref(), observer);
                report.warnings.extend(said);
                Ok(Offered::Done(Box::new(report)))
            }
            Ok(LandOutcome::TargetMoved { .. }) => {
                self.drop_undo(receipt, plan.target);
                Ok(Offered::TargetMoved)
            }
            Ok(LandOutcome::Refused { checkout, reason }) => {
                self.drop_undo(receipt, plan.target);
                let report = self.refused(prepared, &checkout, &reason);
                Ok(Offered::Done(Box::new(report)))
            }
            // The next start needs it to finish or to take back.
            Err(error @ MergeError::HalfLanded { .. }) => Err(error),
            Err(error) => {
                self.drop_undo(receipt, plan.target);
                Err(error)
            }
        }
    }

    /// The report of a commit that the target is at. Whatever goes wrong from here on, the merge has
    /// landed: a journal that still says "landing" comes to the same end.
    fn landed(
        &self,
        prepared: &Prepared,
        checkout: Option<&Path>,
        observer: &mut dyn FnMut(MergeProgress<'_>),
    ) -> MergeReport {
        let Prepared {
            plan,
            tier,
            commit,
            receipt,
        } = prepared;
        let mut report = self.report(plan, Conclusion::Landed, *tier);
        if let Err(error) = self.enter(Step::Landed, receipt, observer) {
            let said = format!("landed, but the journal does not say so yet: {error}");
            report.warnings.push(said);
        }
        report.merged_commit = Some(commit.to_string());
        let gates = &receipt.gates;
        let said = flaky(gates)
            .chain(meddling(gates, LANDS_WITHOUT))
            .chain(unconfined(self.context, gates))
            .chain(not_followed(
                self.repo,
                &self.context.target_branch,
                checkout,
            ))
            .chain(self.hooks_changed(checkout, plan.target, *commit));
        report.warnings.extend(said);
        report.gates.clone_from(gates);
        report.receipt = Some(receipt.clone());
        report
    }

    /// The report of a commit with a red gate.
    pub(super) fn red(&self, prepared: &Prepared, gates: Vec<GateResult>) -> MergeReport {
        let mut report = self.report(&prepared.plan, Conclusion::GatesRed, prepared.tier);
        report.error_message = gates.iter().find(|gate| !gate.passed).map(red_gate_message);
        report.merged_commit = Some(prepared.commit.to_string());
        report.warnings.extend(meddling(&gates, NOTHING_LANDS));
        report.warnings.extend(unconfined(self.context, &gates));
        report.gates = gates;
        report
    }

    /// A merge that has landed stays in the journal until its receipt is stored, and one that git left
    /// half done until it is put right.
    pub(super) fn settle(
        &self,
        id: &str,
        settled: &Result<Offered, MergeError>,
    ) -> Result<(), MergeError> {
        match settled {
            Ok(Offered::Done(report)) if report.receipt.is_some() => Ok(()),
            Err(MergeError::HalfLanded { .. }) => Ok(()),
            Ok(_) | Err(_) => settle_journal(&self.context.root, id),
        }
    }

    fn hooks_changed(&self, checkout: Option<&Path>, before: Oid, merged: Oid) -> Option<String> {
        changed_hooks(self.repo, checkout?, before, merged).unwrap_or_else(|error| {
            tracing::warn!(%error, "hooks not compared");
            None
        })
    }

    /// A ref that stays behind keeps a commit that the target has anyway: no reason to hide how the
    /// merge ended.
    fn drop_undo(&self, receipt: &MergeReceipt, before: Oid) {
        let dropped = update_ref(
            self.repo,
            &receipt.undo_ref,
            Some(before),
            None,
            "grove: merge did not land",
        );
        if let Err(error) = dropped {
            tracing::warn!(%error, "undo ref of a merge that did not land stays behind");
        }
    }

    pub(super) fn enter(
        &self,
        step: Step,
        receipt: &MergeReceipt,
        observer: &mut dyn FnMut(MergeProgress<'_>),
    ) -> Result<(), MergeError> {
        write_journal(&self.context.root, step, receipt)?;
        observer(MergeProgress::Entered(step));
        Ok(())
    }

    fn receipt(
        &self,
        plan: &MergePlan,
        tier: MergeTier,
        commit: Oid,
        checked: Account,
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
            woven: woven_to_tell(&plan.woven),
            went_along: plan.went_along.clone(),
            account: checked.totals,
            brought_back: checked.brought_back,
            invented: checked.invented,
            kept_twice: Vec::new(),
            gates: Vec::<GateResult>::new(),
            id,
        }
    }

    pub(super) fn report(
        &self,
        plan: &MergePlan,
        conclusion: Conclusion,
        tier: MergeTier,
    ) -> MergeReport {
        MergeReport {
            branch: self.item.branch.clone(),
            target: self.context.target_branch.clone(),
            conclusion,
            tier,
            conflict_files: plan.conflict_files.clone(),
            displaced: plan.displaced.clone(),
            woven: woven_to_tell(&plan.woven),
            went_along: plan.went_along.clone(),
            gates: Vec::new(),
            merged_commit: None,
            error_message: None,
            warnings: plan.warnings.clone(),
            receipt: None,
        }
    }

    fn waits(&self, plan: &MergePlan, tier: MergeTier, settings: &[String]) -> MergeReport {
        let mut report = self.report(plan, Conclusion::NeedsPerson, tier);
        report.error_message = Some(waits(&self.item.branch, settings));
        report
    }

    pub(super) fn held(&self, plan: &MergePlan, tier: MergeTier) -> MergeReport {
        let mut report = self.report(plan, Conclusion::Held, tier);
        let mut firsts: Vec<&DisplacedHunk> = plan.displaced.iter().collect();
        firsts.dedup_by_key(|hunk| hunk.file.as_str());
        report
            .warnings
            .extend(firsts.into_iter().map(auto_resolve_skipped));
        report.error_message = Some(tiers_failed(tier));
        report
    }

    pub(super) fn failed(&self, failure: &MergeFailure, plan: Option<&MergePlan>) -> MergeReport {
        let conflict_files = match (failure, plan) {
            (MergeFailure::Structure { paths, .. } | MergeFailure::Submodule { paths, .. }, _) => {
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
            went_along: Vec::new(),
            gates: Vec::new(),
            merged_commit: None,
            error_message: Some(failure.to_string()),
            warnings: failure.further().to_vec(),
            receipt: None,
        }
    }
}
