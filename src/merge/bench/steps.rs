//! The steps that every way of merging a branch shares: the check of a tree, its commit and receipt, and the
//! journalled landing of a tested commit.

use std::path::Path;

use crate::git::{Oid, RefMove, Repo, update_ref, update_ref_telling};
use crate::platform::{clock, random};
use crate::types::merge::{GateResult, MergeReceipt, MergeTier, SettledBy};

use crate::merge::account::{Account, Source, account_in_time};
use crate::merge::commit::{merge_message, not_followed, require_verified, write_commit};
use crate::merge::context::own_settings::{Settings, changed_settings, changes_settings};
use crate::merge::context::{MergeContext, MergeItem, MergeProgress, OwnSettings};
use crate::merge::error::MergeError;
use crate::merge::gates::{LANDS_WITHOUT, flaky, meddling, unconfined};
use crate::merge::hooks::changed_hooks;
use crate::merge::journal::{Moving, Step, settle_journal, write as write_journal, write_landing};
use crate::merge::kept_twice::{self, kept_twice};
use crate::merge::land::{LandOutcome, hung, in_the_way, land};
use crate::merge::outcome::{MergeFailure, MergeOutcome, MergePlan};
use crate::merge::plan::{is_rewritten, plan_doubted};
use crate::merge::report::{Conclusion, MergeReport, back_again, made_up, woven_to_tell};

/// What became of a tree that was offered for landing.
pub(in crate::merge) enum Offered {
    Done(Box<MergeReport>),
    TargetMoved,
    /// The branch has what was tested no longer: nobody lands what was withdrawn.
    Withdrawn,
    /// It was to stop before landing.
    Stopped,
}

/// How what stands in a tree was settled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::merge) struct Settled {
    pub(in crate::merge) tier: MergeTier,
    pub(in crate::merge) source: Source,
    pub(in crate::merge) by: Option<SettledBy>,
}

impl Settled {
    /// By git and our rules, which displace nothing.
    pub(in crate::merge) fn by_rules(tier: MergeTier) -> Self {
        Self {
            tier,
            source: Source::Engine,
            by: None,
        }
    }

    /// By `merge.onDisplaced: commit`.
    pub(in crate::merge) fn by_policy() -> Self {
        Self {
            by: Some(SettledBy::Policy),
            ..Self::by_rules(MergeTier::AutoResolve)
        }
    }
}

/// A tree that passed its account, as a commit that no ref points to yet.
pub(in crate::merge) struct Prepared {
    pub(in crate::merge) plan: MergePlan,
    pub(in crate::merge) tier: MergeTier,
    pub(in crate::merge) commit: Oid,
    pub(in crate::merge) receipt: MergeReceipt,
}

/// One branch on its way into one target.
#[derive(Clone, Copy)]
pub(in crate::merge) struct Bench<'a> {
    pub(in crate::merge) context: &'a MergeContext,
    pub(in crate::merge) item: &'a MergeItem,
    pub(in crate::merge) repo: &'a Repo,
}

impl Bench<'_> {
    pub(in crate::merge) fn check(
        &self,
        plan: &MergePlan,
        source: Source,
    ) -> Result<Account, MergeError> {
        let cancel = self.context.call_off.token(&self.item.branch);
        let account = account_in_time(self.repo, plan, source, Some(&cancel));
        self.context.call_off.check(&self.item.branch)?;
        Ok(account?)
    }

    /// Fails when the user wants branches signed and what is to be merged is not.
    pub(in crate::merge) fn verify(&self, outcome: &MergeOutcome) -> Result<(), MergeError> {
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
    pub(in crate::merge) fn refused_ahead(
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

    /// Checks a plan's tree and commits it. The inner error is the report of a tree that does not
    /// balance, or that only a person may land.
    pub(in crate::merge) fn prepare(
        &self,
        mut plan: MergePlan,
        settled: Settled,
    ) -> Result<Result<Prepared, Box<MergeReport>>, MergeError> {
        let Settled { tier, source, by } = settled;
        let checked = self.check(&plan, source)?;
        if !checked.balances() {
            if source == Source::Engine
                && let Some(report) = self.doubted(&plan)?
            {
                return Ok(Err(report));
            }
            let failure = MergeFailure::Unaccounted {
                lines: checked.unaccounted,
            };
            return Ok(Err(Box::new(self.failed(&failure, Some(&plan)))));
        }
        if let Some(report) = self.only_a_person(&plan, tier)? {
            return Ok(Err(report));
        }
        let settings = self.settings(&plan)?;
        if !settings.is_empty() {
            plan.warnings.push(changes_settings(&settings));
        }
        let message = merge_message(&self.item.branch, &self.context.target_branch);
        let parents = [plan.target, plan.branch];
        let cancel = self.context.call_off.token(&self.item.branch);
        let commit = write_commit(self.repo, plan.tree, &parents, &message, Some(&cancel));
        self.context.call_off.check(&self.item.branch)?;
        let commit = commit?;
        plan.warnings.extend(back_again(&checked.brought_back));
        let mut receipt = self.receipt(&plan, tier, commit, checked);
        receipt.settled_by = by;
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

    /// The report of a merge that the account refuses though nobody contests what it refuses: if that can be decided, it
    /// waits for a person.
    fn doubted(&self, plan: &MergePlan) -> Result<Option<Box<MergeReport>>, MergeError> {
        let cancel = self.context.call_off.token(&self.item.branch);
        let outcome = plan_doubted(self.repo, plan, Some(&cancel));
        self.context.call_off.check(&self.item.branch)?;
        match outcome? {
            MergeOutcome::ContentDisplaced(open) if open.displaced.len() > plan.displaced.len() => {
                Ok(Some(Box::new(self.held(&open, MergeTier::AutoResolve))))
            }
            MergeOutcome::Clean(_)
            | MergeOutcome::Resolved(_)
            | MergeOutcome::ContentDisplaced(_)
            | MergeOutcome::Failed(_) => Ok(None),
        }
    }

    /// The report of a merge that waits because it changes settings that only a person lands.
    pub(in crate::merge) fn only_a_person(
        &self,
        plan: &MergePlan,
        tier: MergeTier,
    ) -> Result<Option<Box<MergeReport>>, MergeError> {
        if self.context.own_settings == OwnSettings::Land {
            return Ok(None);
        }
        let settings = self.settings(plan)?;
        Ok((!settings.is_empty()).then(|| Box::new(self.waits(plan, tier, &settings))))
    }

    fn settings(&self, plan: &MergePlan) -> Result<Settings, MergeError> {
        let trees = (self.repo.tree_of(plan.target)?, plan.tree);
        let project = (self.repo, self.context.root.as_path());
        Ok(changed_settings(project, self.repo, trees)?)
    }

    /// Lands a commit whose gates are green; the journal has its `Planned` step already.
    pub(in crate::merge) fn land(
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
        let (undo, hangs) = update_ref_telling(
            self.repo,
            &receipt.undo_ref,
            (None, Some(plan.target)),
            "grove: state before a merge",
        )?;
        if undo != RefMove::Moved {
            // The id is random: somebody took it in between, so start over with another.
            return Ok(Offered::TargetMoved);
        }
        let entered = Moving::with(self.repo, target)
            .and_then(|moving| write_landing(&self.context.root, receipt, moving));
        let branch = &self.item.branch;
        let landed = entered.and_then(|entry| {
            observer(MergeProgress::Entered(Step::Landing));
            if is_rewritten(self.repo, branch, plan.branch)? {
                return Ok(None);
            }
            let reason = format!("grove: merge {branch}");
            land(self.repo, target, plan.target, commit, &reason, &entry).map(Some)
        });
        match landed {
            Ok(None) => {
                self.drop_undo(receipt, plan.target);
                Ok(Offered::Withdrawn)
            }
            Ok(Some(LandOutcome::Landed { checkout, said })) => {
                let mut report = self.landed(prepared, checkout.as_deref(), observer);
                report.warnings.extend(hangs.into_iter().chain(said));
                Ok(Offered::Done(Box::new(report)))
            }
            Ok(Some(LandOutcome::TargetMoved { .. })) => {
                self.drop_undo(receipt, plan.target);
                Ok(Offered::TargetMoved)
            }
            Ok(Some(LandOutcome::Refused { checkout, reason })) => {
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
            .chain(self.hooks_changed(checkout, plan.target, *commit))
            .chain(self.gone_on(plan));
        report.warnings.extend(said);
        report.gates.clone_from(gates);
        report.receipt = Some(receipt.clone());
        report
    }

    /// A merge that has landed stays in the journal until its receipt is stored, and one that git left
    /// half done until it is put right.
    pub(in crate::merge) fn settle(
        &self,
        id: &str,
        settled: &Result<Offered, MergeError>,
    ) -> Result<(), MergeError> {
        match settled {
            Ok(Offered::Done(report)) if report.receipt.is_some() => Ok(()),
            Err(error @ MergeError::HalfLanded { .. }) => {
                hung::remember(id, error);
                Ok(())
            }
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

    pub(in crate::merge) fn enter(
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
            settled_by: None,
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
            crossed: checked.crossed,
            gates: Vec::<GateResult>::new(),
            id,
        }
    }
}
