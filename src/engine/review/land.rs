//! Landing what a review has decided.

use super::load::{Loaded, load, plan, words};
use super::view::{Decision, ReviewView};
use crate::config;
use crate::coordinator::landing::{self, Reviewed};
use crate::merge::{self, Choices, Conclusion, MergeProgress, MergeReport, Review};
use crate::platform::ProjectPaths;
use crate::types::merge::MergeTier;
use std::collections::HashMap;

/// How accepting ended.
pub(in crate::engine) enum Accepted {
    Landed(String),
    /// Something has moved: nothing landed, this is to be reviewed now.
    Moved(Box<ReviewView>),
    Refused(String),
}

/// What is to be landed.
pub(in crate::engine) struct Offer {
    pub(in crate::engine) id: i64,
    /// The tips that the person has looked at.
    pub(in crate::engine) target_tip: String,
    pub(in crate::engine) branch_tip: String,
    pub(in crate::engine) decisions: Vec<(String, Decision)>,
}

/// Lands a review through the gates, if it still is about what is there.
pub(in crate::engine) fn accept(
    paths: &ProjectPaths,
    offer: &Offer,
    observer: &mut dyn FnMut(MergeProgress<'_>),
) -> Accepted {
    match try_accept(paths, offer, observer) {
        Ok(accepted) => accepted,
        Err(reason) => Accepted::Refused(reason),
    }
}

fn try_accept(
    paths: &ProjectPaths,
    offer: &Offer,
    observer: &mut dyn FnMut(MergeProgress<'_>),
) -> Result<Accepted, String> {
    let loaded = plan(paths, offer.id)?;
    let tips = (
        loaded.contested.target.to_string(),
        loaded.contested.branch.to_string(),
    );
    if tips != (offer.target_tip.clone(), offer.branch_tip.clone()) {
        return moved(paths, offer);
    }
    let Loaded {
        row,
        target,
        contested,
        keys,
    } = loaded;
    let by_key: HashMap<&str, &Decision> = offer
        .decisions
        .iter()
        .map(|(key, decision)| (key.as_str(), decision))
        .collect();
    let mut decisions = Vec::new();
    for (key, place) in keys.iter().zip(&contested.places) {
        let Some(decision) = by_key.get(key.as_str()) else {
            return Err(format!(
                "{}:{} has no decision yet",
                place.hunk.file, place.hunk.start_line
            ));
        };
        decisions.push(to_merge(decision));
    }
    let asked = offer
        .decisions
        .iter()
        .any(|(_, decision)| matches!(decision, Decision::Text { proposed: true, .. }));
    let review = Review {
        target: contested.target,
        branch: contested.branch,
        choices: Choices::Hunks(decisions),
        tier: if asked {
            MergeTier::AiResolve
        } else {
            MergeTier::AutoResolve
        },
        made: contested.made,
    };
    let config = config::load(&paths.root).map_err(words)?.config;
    let context = landing::context(paths, &config, &target);
    let reviewed =
        landing::land_reviewed(paths, &context, &row, &review, observer).map_err(words)?;
    match reviewed {
        Reviewed::Report(report) => ended(&report),
        Reviewed::Outdated => moved(paths, offer),
        Reviewed::Taken => Err(format!(
            "{} is being merged by another process",
            row.entry.branch_name
        )),
        Reviewed::Error(why) => Err(why),
    }
}

pub(super) fn to_merge(decision: &Decision) -> merge::Decision {
    match decision {
        Decision::Ours => merge::Decision::Ours,
        Decision::Theirs => merge::Decision::Theirs,
        Decision::Both => merge::Decision::Both,
        Decision::BothReversed => merge::Decision::BothReversed,
        Decision::Text { text, .. } => merge::Decision::Text(text.clone()),
    }
}

fn ended(report: &MergeReport) -> Result<Accepted, String> {
    let said = report.error_message.clone().unwrap_or_default();
    match report.conclusion {
        Conclusion::Landed => {
            let commit = report.merged_commit.as_deref().unwrap_or_default();
            let commit = commit.get(..8).unwrap_or(commit);
            let gone = if report.displaced.is_empty() {
                "no line is gone".to_owned()
            } else {
                let what = merge::amount(&report.displaced);
                format!("{what} gone, kept in the receipt")
            };
            Ok(Accepted::Landed(format!(
                "landed on {} as {commit}; {gone}",
                report.target
            )))
        }
        Conclusion::AlreadyMerged => Ok(Accepted::Landed(format!(
            "{} was part of {} already",
            report.branch, report.target
        ))),
        Conclusion::Held | Conclusion::GatesRed | Conclusion::Refused | Conclusion::Failed => {
            Err(said)
        }
    }
}

fn moved(paths: &ProjectPaths, offer: &Offer) -> Result<Accepted, String> {
    let mut view = load(paths, offer.id)?;
    let which = match (
        view.target_tip == offer.target_tip,
        view.branch_tip == offer.branch_tip,
    ) {
        (true, _) => view.branch.clone(),
        (false, true) => view.target.clone(),
        (false, false) => format!("{} and {}", view.target, view.branch),
    };
    let open = view.places.iter().filter(|p| p.decision.is_none()).count();
    let rest = match open {
        0 => "every place is decided as before; look and accept again".to_owned(),
        1 => "one place is new".to_owned(),
        n => format!("{n} places are new"),
    };
    view.moved = Some(format!("{which} has moved, nothing landed: {rest}"));
    Ok(Accepted::Moved(Box::new(view)))
}
