//! The reports of a branch's ends, and their wording.

use std::path::Path;

use crate::git::Oid;
use crate::merge::bench::Bench;
use crate::merge::bench::steps::Prepared;
use crate::merge::context::own_settings::{Settings, waits};
use crate::merge::gates::{NOTHING_LANDS, meddling, unconfined};
use crate::merge::land::RefusalReason;
use crate::merge::outcome::{MergeFailure, MergePlan};
use crate::merge::report::{
    Conclusion, MergeReport, auto_resolve_skipped, has_nothing, red_gate_message, tiers_failed,
    woven_to_tell,
};
use crate::text::counted;
use crate::types::merge::{DisplacedHunk, GateResult, MergeTier};

impl Bench<'_> {
    pub(super) fn refused(
        &self,
        prepared: &Prepared,
        checkout: &Path,
        reason: &RefusalReason,
    ) -> MergeReport {
        let mut report = self.report(&prepared.plan, Conclusion::Refused, prepared.tier);
        report.error_message = Some(reason.of(&self.context.target_branch, checkout));
        report.merged_commit = Some(prepared.commit.to_string());
        report.gates.clone_from(&prepared.receipt.gates);
        report
    }

    /// The report of a commit with a red gate.
    pub(in crate::merge) fn red(&self, prepared: &Prepared, gates: Vec<GateResult>) -> MergeReport {
        let mut report = self.report(&prepared.plan, Conclusion::GatesRed, prepared.tier);
        report.error_message = gates.iter().find(|gate| !gate.passed).map(red_gate_message);
        report.merged_commit = Some(prepared.commit.to_string());
        report.warnings.extend(meddling(&gates, NOTHING_LANDS));
        report.warnings.extend(unconfined(self.context, &gates));
        report.warnings.extend(self.moved_meanwhile(&prepared.plan));
        report.gates = gates;
        report
    }

    /// Says that the branch has commits that came while it was merged: what lands is what was checked.
    pub(super) fn gone_on(&self, plan: &MergePlan) -> Option<String> {
        let branch = &self.item.branch;
        let tip = self.repo.ref_target(&format!("refs/heads/{branch}"))?;
        if !self.repo.is_ancestor(plan.branch, tip).ok()? {
            return Some(format!(
                "{branch} was rewritten at the moment at which it landed, and no longer has what has landed: if that is \
                 not wanted, take it back with `grove merge undo {branch}`"
            ));
        }
        let newer = self.repo.commits_ahead(plan.branch, tip).ok()?;
        (newer > 0).then(|| {
            format!(
                "{branch} has {} that this merge does not contain, made while it ran: merge it again",
                counted(newer as u64, "newer commit")
            )
        })
    }

    /// Says that the target is no longer where it was when the gates began, though nothing has landed.
    fn moved_meanwhile(&self, plan: &MergePlan) -> Option<String> {
        let target = &self.context.target_branch;
        let now = self.repo.ref_target(&format!("refs/heads/{target}"))?;
        let short = |id: Oid| id.to_string().chars().take(8).collect::<String>();
        (now != plan.target).then(|| {
            format!(
                "{target} has moved from {} to {} while the gates ran, and not by this merge",
                short(plan.target),
                short(now)
            )
        })
    }

    pub(in crate::merge) fn report(
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
            unasked: false,
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

    pub(super) fn waits(
        &self,
        plan: &MergePlan,
        tier: MergeTier,
        settings: &Settings,
    ) -> MergeReport {
        let mut report = self.report(plan, Conclusion::NeedsPerson, tier);
        report.error_message = Some(waits(&self.item.branch, settings));
        report
    }

    pub(in crate::merge) fn held(&self, plan: &MergePlan, tier: MergeTier) -> MergeReport {
        let mut report = self.report(plan, Conclusion::Held, tier);
        let mut firsts: Vec<&DisplacedHunk> = plan.displaced.iter().collect();
        // The later one goes.
        firsts.dedup_by(|later, first| {
            if later.file == first.file && has_nothing(first) {
                *first = *later;
            }
            later.file == first.file
        });
        report
            .warnings
            .extend(firsts.into_iter().map(auto_resolve_skipped));
        report.error_message = Some(tiers_failed(tier));
        report
    }

    pub(in crate::merge) fn failed(
        &self,
        failure: &MergeFailure,
        plan: Option<&MergePlan>,
    ) -> MergeReport {
        let conflict_files = match (failure, plan) {
            (MergeFailure::Structure { paths, .. } | MergeFailure::Submodule { paths, .. }, _) => {
                paths.clone()
            }
            (
                MergeFailure::UnrelatedHistories { .. } | MergeFailure::Unaccounted { .. },
                Some(plan),
            ) => plan.conflict_files.clone(),
            (MergeFailure::UnrelatedHistories { .. } | MergeFailure::Unaccounted { .. }, None) => {
                Vec::new()
            }
        };
        MergeReport {
            branch: self.item.branch.clone(),
            target: self.context.target_branch.clone(),
            conclusion: Conclusion::Failed,
            tier: MergeTier::AutoResolve,
            unasked: false,
            conflict_files,
            displaced: Vec::new(),
            woven: Vec::new(),
            went_along: Vec::new(),
            gates: Vec::new(),
            merged_commit: None,
            error_message: Some(failure.with_way_on()),
            warnings: failure.further().to_vec(),
            receipt: None,
        }
    }
}
