//! Landing what a review has decided.

use super::landed;
use super::load::{Loaded, load, plan, words};
use super::view::{Decision, ReviewView};
use crate::config;
use crate::coordinator::decisions;
use crate::coordinator::landing;
use crate::coordinator::reviewed::{Decided, Reviewed, land_reviewed};
use crate::merge::{
    self, CallOff, Choices, Conclusion, MergeContext, MergeProgress, MergeReport, OwnSettings,
    Review,
};
use crate::platform::ProjectPaths;
use crate::process::shell::Cancel;
use crate::types::merge::DisplacedHunk;
use std::cell::Cell;
use std::collections::HashMap;

/// How accepting ended.
pub(in crate::engine) enum Accepted {
    Landed(String),
    /// Something has moved: nothing landed, this is to be reviewed now.
    Moved(Box<ReviewView>),
    Refused(String),
}

/// How a merge ended that was to land what is decided.
pub(super) enum Ended {
    Landed {
        target: String,
        /// The commit, shortened.
        commit: String,
        /// What of the two sides is not in it.
        gone: Vec<DisplacedHunk>,
    },
    /// There was nothing left to land.
    WasThere { branch: String, target: String },
}

impl Ended {
    /// Says it of the branch.
    pub(super) fn said(&self) -> String {
        match self {
            Self::Landed {
                target,
                commit,
                gone,
            } => {
                let gone = match gone.as_slice() {
                    [] => "no line is gone".to_owned(),
                    gone => format!("{} gone, kept in the receipt", merge::amount(gone)),
                };
                format!("landed on {target} as {commit}; {gone}")
            }
            Self::WasThere { branch, target } => format!("{branch} was part of {target} already"),
        }
    }
}

/// What is to be landed.
pub(in crate::engine) struct Offer {
    pub(in crate::engine) id: i64,
    /// The tips that the person has looked at.
    pub(in crate::engine) target_tip: String,
    pub(in crate::engine) branch_tip: String,
    pub(in crate::engine) decisions: Vec<(String, Decision)>,
}

/// How often it is looked again at what is contested, when the merge that was waited for has moved the target.
const LOOKS: u32 = 5;

/// Lands a review through the gates, if it still is about what is there. While another merge goes into the same branch
/// it is the next one, until `leaves` says that nobody waits any more.
pub(in crate::engine) fn accept(
    paths: &ProjectPaths,
    call_off: &CallOff,
    offer: &Offer,
    leaves: &Cancel,
    observer: &mut dyn FnMut(MergeProgress<'_>),
) -> Accepted {
    match try_accept(paths, call_off, offer, leaves, observer) {
        Ok(accepted) => accepted,
        Err(reason) => Accepted::Refused(reason),
    }
}

fn try_accept(
    paths: &ProjectPaths,
    call_off: &CallOff,
    offer: &Offer,
    leaves: &Cancel,
    observer: &mut dyn FnMut(MergeProgress<'_>),
) -> Result<Accepted, String> {
    let mut loaded = plan(paths, offer.id)?;
    let tips = (
        loaded.contested.target.to_string(),
        loaded.contested.branch.to_string(),
    );
    if tips != (offer.target_tip.clone(), offer.branch_tip.clone()) {
        return moved(paths, offer);
    }
    if let Some(receipt) = loaded.landed.take() {
        return landed::accept((paths, call_off), (&loaded, &receipt), offer, observer);
    }
    let config = config::load(&paths.root).map_err(words)?.config;
    let context = MergeContext {
        call_off: call_off.clone(),
        // The review names them.
        own_settings: OwnSettings::Land,
        ..landing::context(paths, &config, &loaded.target)
    };
    // Whoever merges it, should this process end before, merges it so.
    review_of(&loaded, offer)?;
    decisions::accept(paths, offer.id, &offer.decisions).map_err(words)?;
    for _ in 0..LOOKS {
        let review = review_of(&loaded, offer)?;
        let waited = Cell::new(false);
        let waits = || {
            waited.set(true);
            !leaves.is_called()
        };
        let decided = Decided {
            context: &context,
            row: &loaded.row,
            review: &review,
            waits: &waits,
        };
        match land_reviewed(paths, &decided, observer).map_err(words)? {
            Reviewed::Report(report) => {
                return ended(&report).map(|ended| Accepted::Landed(ended.said()));
            }
            Reviewed::Outdated if waited.get() => {
                let now = plan(paths, offer.id)?;
                if !asks_the_same(&loaded, &now) {
                    return moved(paths, offer);
                }
                loaded = now;
            }
            Reviewed::Outdated => return moved(paths, offer),
            Reviewed::Taken => {
                let branch = &loaded.row.entry.branch_name;
                return Err(format!("{branch} is being merged already"));
            }
            Reviewed::Busy(error) => return Err(error.to_string()),
            Reviewed::Error(why) => return Err(why),
        }
    }
    moved(paths, offer)
}

/// Whether what was decided answers a later plan as well: other merges have moved the target, and the branch and what is
/// contested between the two are as they were.
fn asks_the_same(before: &Loaded, now: &Loaded) -> bool {
    let (then, contested) = (&before.contested, &now.contested);
    before.keys == now.keys && then.branch == contested.branch && then.made == contested.made
}

pub(super) fn review_of(loaded: &Loaded, offer: &Offer) -> Result<Review, String> {
    let Loaded {
        contested, keys, ..
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
        if let Decision::Text { text, .. } = decision {
            let hunk = &place.hunk;
            let versions = [hunk.base.as_str(), &hunk.text, &hunk.incoming];
            if let Some(marker) = merge::stray_marker(&hunk.file, text, &versions) {
                return Err(format!(
                    "{}:{} has a conflict marker in it ({marker}): edit it again",
                    hunk.file, hunk.start_line
                ));
            }
        }
        decisions.push(*decision);
    }
    Ok(Review {
        target: contested.target,
        branch: contested.branch,
        tier: merge::tier_of(&decisions),
        choices: Choices::Hunks(decisions.into_iter().map(Into::into).collect()),
        made: contested.made.clone(),
    })
}

/// Tells how it ended; the error says why nothing has landed.
pub(super) fn ended(report: &MergeReport) -> Result<Ended, String> {
    match report.conclusion {
        Conclusion::Landed => {
            let commit = report.merged_commit.as_deref().unwrap_or_default();
            Ok(Ended::Landed {
                target: report.target.clone(),
                commit: commit.get(..8).unwrap_or(commit).to_owned(),
                gone: report.displaced.clone(),
            })
        }
        Conclusion::AlreadyMerged => Ok(Ended::WasThere {
            branch: report.branch.clone(),
            target: report.target.clone(),
        }),
        Conclusion::Held
        | Conclusion::NeedsPerson
        | Conclusion::GatesRed
        | Conclusion::Refused
        | Conclusion::Failed => Err(report.error_message.clone().unwrap_or_default()),
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
