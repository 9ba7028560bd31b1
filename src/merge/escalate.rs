//! The tiers that ask somebody who can read: `ai-resolve` with the three versions of each contested
//! file, then `reimagine` on top of the target. What they answer passes the same account as
//! everything else, or the merge is held as if nobody had been asked.

use std::collections::BTreeMap;

use crate::git::{Oid, Repo, path_bytes};
use crate::types::merge::{MergeTier, WovenLine};

use super::account::Source;
use super::answers::{Choices, Review};
use super::assist::{ConflictResolver, ContestedFile, accept, contested_files};
use super::attribution::Whose;
use super::bench::Bench;
use super::carried::NewLines;
use super::context::MergeProgress;
use super::error::MergeError;
use super::outcome::{LineProblem, MergeFailure, MergeOutcome, MergePlan, UnaccountedLine};
use super::plan::{Asked, plan_answered};
use super::report::MergeReport;
use super::scratch::Scratch;

/// What asking came to.
pub(super) enum Escalated {
    /// A tree in which nothing is lost, and the tier that made it.
    Resolved(Box<MergePlan>, MergeTier),
    Held(Box<MergeReport>),
}

/// Asks for every contested file, tier by tier.
pub(super) fn escalate(
    bench: &Bench<'_>,
    plan: &MergePlan,
    resolver: Option<&dyn ConflictResolver>,
    observer: &mut dyn FnMut(MergeProgress<'_>),
) -> Result<Escalated, MergeError> {
    let Some(resolver) = resolver else {
        let report = bench.held(plan, MergeTier::AutoResolve);
        return Ok(Escalated::Held(Box::new(report)));
    };
    // Nobody is asked about what nobody but a person lands.
    if let Some(report) = bench.only_a_person(plan, MergeTier::AutoResolve)? {
        return Ok(Escalated::Held(report));
    }
    let mut last = MergeTier::AutoResolve;
    let mut unasked = false;
    let mut said = Vec::new();
    match contested_files(bench.repo, plan)? {
        // Nobody was asked, so this is no failure of a tier that asks.
        Err(reason) => said.push(format!("ai-resolve is not possible: {reason}")),
        Ok(files) => {
            for tier in [MergeTier::AiResolve, MergeTier::Reimagine] {
                if !resolver.offers(tier) {
                    continue;
                }
                if let Some(why) = resolver.skips(tier, &plan.conflict_files) {
                    said.push(format!("{tier} skipped: {why}"));
                    continue;
                }
                last = tier;
                let outcome = attempt(bench, plan, &files, (resolver, tier), observer)?;
                match outcome {
                    Ok(mut resolved) => {
                        resolved.warnings.extend(said);
                        return Ok(Escalated::Resolved(Box::new(resolved), tier));
                    }
                    Err(reason) => {
                        unasked = resolver.is_missing();
                        said.push(reason);
                    }
                }
            }
        }
    }
    let mut report = bench.held(plan, last);
    report.unasked = unasked;
    report.warnings.extend(said);
    Ok(Escalated::Held(Box::new(report)))
}

/// One tier; the inner error says why its answer is of no use.
fn attempt(
    bench: &Bench<'_>,
    plan: &MergePlan,
    files: &[ContestedFile],
    (resolver, tier): (&dyn ConflictResolver, MergeTier),
    observer: &mut dyn FnMut(MergeProgress<'_>),
) -> Result<Result<MergePlan, String>, MergeError> {
    let root = &bench.context.root;
    // A program that writes where it stands must not stand in the user's checkout.
    let scratch = if tier == MergeTier::Reimagine {
        let limit = bench.repo.driver_limit();
        Scratch::checkout((bench.repo.path(), root), plan.target, limit)?
    } else {
        Scratch::empty(bench.repo.path(), root)?
    };
    let mut answers = BTreeMap::new();
    for file in files {
        observer(MergeProgress::Asking { file: &file.path });
        let answer = resolver
            .answer(bench.item, tier, file, scratch.path())
            .and_then(|text| accept(file, text));
        match answer {
            Ok(text) => answers.insert(file.path.clone(), text),
            Err(reason) => return Ok(Err(format!("{tier} failed for {}: {reason}", file.path))),
        };
    }
    drop(scratch);
    let review = Review {
        target: plan.target,
        branch: plan.branch,
        choices: Choices::Files(answers),
        tier,
        made: Vec::new(),
    };
    let call_off = &bench.context.call_off;
    let cancel = call_off.token(&bench.item.branch);
    let asked = Asked {
        whose: Whose::of(bench.item),
        earlier: Some(plan),
        cancel: Some(&cancel),
        ..Asked::default()
    };
    let planned = plan_answered(bench.repo, &review, asked);
    call_off.check(&bench.item.branch)?;
    let mut resolved = match planned? {
        MergeOutcome::Clean(resolved) | MergeOutcome::Resolved(resolved) => resolved,
        MergeOutcome::ContentDisplaced(_) | MergeOutcome::Failed(_) => {
            return Ok(Err(format!("{tier} left content displaced")));
        }
    };
    let mut checked = bench.check(&resolved, Source::Written)?;
    if !checked.balances() {
        let woven = rewritten_lines(bench.repo, &resolved, files, &checked.unaccounted)?;
        resolved.woven.extend(woven);
        checked = bench.check(&resolved, Source::Written)?;
    }
    if checked.balances() {
        return Ok(Ok(resolved));
    }
    let failure = MergeFailure::Unaccounted {
        lines: checked.unaccounted,
    };
    Ok(Err(format!("{tier} rejected: {failure}")))
}

/// Lines that were rewritten: everything that their side had put into them is in a new line of the
/// same file, and what nobody took out of them too. They are declared, with the line they became part of: all that
/// became part of one line together. A line that only those of one side became is one of that side, altered.
fn rewritten_lines(
    repo: &Repo,
    plan: &MergePlan,
    files: &[ContestedFile],
    missing: &[UnaccountedLine],
) -> Result<Vec<WovenLine>, MergeError> {
    let mut woven: Vec<(WovenLine, [bool; 2])> = Vec::new();
    for file in files {
        let result = text_at(repo, plan.tree, &file.path)?;
        let others: Vec<&str> = files
            .iter()
            .filter(|other| other.path != file.path)
            .flat_map(|other| [other.base.as_str(), &other.ours, &other.theirs])
            .collect();
        let new = NewLines::of(&result, &[&file.base, &file.ours, &file.theirs], &others);
        for lost in missing
            .iter()
            .filter(|line| line.problem == LineProblem::Lost && line.file == file.path)
        {
            let found = file.hunks.iter().find_map(|hunk| {
                let has = |text: &str| text.lines().any(|line| line == lost.text);
                // A line that both have is no sign of either.
                let (sides, other) = match [has(&hunk.text), has(&hunk.incoming)] {
                    [true, true] => ([false, false], &hunk.incoming),
                    [true, false] => ([true, false], &hunk.incoming),
                    [false, true] => ([false, true], &hunk.text),
                    [false, false] => return None,
                };
                Some((hunk, other, sides))
            });
            let Some((hunk, other, sides)) = found else {
                continue;
            };
            let carrier = new.carrier_of(&lost.text, &hunk.base, other);
            let Some(carrier) = carrier else { continue };
            let mut known = woven.iter_mut();
            let same = known.find(|(woven, _)| {
                woven.file == file.path && woven.base == hunk.base && woven.result == carrier
            });
            if let Some((woven, [ours, theirs])) = same {
                woven.lines.push(lost.text.clone());
                let [by_ours, by_theirs] = sides;
                (*ours, *theirs) = (*ours || by_ours, *theirs || by_theirs);
            } else {
                let line = WovenLine {
                    file: file.path.clone(),
                    base: hunk.base.clone(),
                    lines: vec![lost.text.clone()],
                    result: carrier.to_owned(),
                };
                woven.push((line, sides));
            }
        }
    }
    let of_both = woven.into_iter().filter(|(_, sides)| *sides == [true; 2]);
    Ok(of_both.map(|(line, _)| line).collect())
}

fn text_at(repo: &Repo, tree: Oid, path: &str) -> Result<String, MergeError> {
    let Some(entry) = repo.entry_at(tree, &path_bytes(path))? else {
        return Ok(String::new());
    };
    Ok(String::from_utf8_lossy(&repo.blob(entry.id)?).into_owned())
}
