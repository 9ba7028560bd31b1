//! An answer for a single contested place by somebody who can read it, checked like every other: by its
//! form, then by the account of the merge it would make. Nothing lands here.

use std::path::Path;

use crate::git::Repo;
use crate::types::merge::MergeTier;

use super::account::{Source, account_of};
use super::answers::{Choices, Decision, Review};
use super::assist::{ContestedFile, accept};
use super::attribution::Origins;
use super::carried::NewLines;
use super::conflict::lines_without;
use super::error::MergeError;
use super::history::PastMerges;
use super::outcome::MergeFailure;
use super::places::Contested;
use super::plan::{Asked, plan_answered};
use super::prompt::place_prompt;
use super::scratch::Scratch;

/// Lines for one place, written by somebody else.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Proposed {
    pub text: String,
    /// Lines of either side that are neither in the text nor part of a line of it.
    pub lost: Vec<String>,
}

/// Asks for one place; `ask` gets the question and an empty directory to stand in. The inner error says
/// why there is no proposal.
pub fn propose(
    root: &Path,
    repo: &Repo,
    contested: &Contested,
    index: usize,
    intent: &str,
    history: &dyn PastMerges,
    ask: &dyn Fn(&str, &Path) -> Result<String, String>,
) -> Result<Result<Proposed, String>, MergeError> {
    let Some(place) = contested.places.get(index) else {
        return Ok(Err("the place is no longer contested".to_owned()));
    };
    let hunk = &place.hunk;
    let scratch = Scratch::empty(repo.path(), root)?;
    let past = history.sharing(std::slice::from_ref(&hunk.file));
    let answer = ask(&place_prompt(place, intent, &past), scratch.path());
    drop(scratch);
    let file = ContestedFile {
        path: hunk.file.clone(),
        base: hunk.base.clone(),
        ours: hunk.text.clone(),
        theirs: hunk.incoming.clone(),
        hunks: vec![hunk.clone()],
    };
    let text = match answer.and_then(|text| accept(&file, text)) {
        Ok(text) => text,
        Err(reason) => return Ok(Err(reason)),
    };
    if let Err(reason) = balances(repo, contested, index, &text)? {
        return Ok(Err(reason));
    }
    Ok(Ok(Proposed {
        lost: lost(&hunk.base, [&hunk.text, &hunk.incoming], &text),
        text,
    }))
}

/// Makes the merge with the text in its place and checks it. The other places do not matter here.
fn balances(
    repo: &Repo,
    contested: &Contested,
    index: usize,
    text: &str,
) -> Result<Result<(), String>, MergeError> {
    let decisions = (0..contested.places.len()).map(|place| {
        if place == index {
            Decision::Text(text.to_owned())
        } else {
            Decision::Theirs
        }
    });
    let review = Review {
        target: contested.target,
        branch: contested.branch,
        choices: Choices::Hunks(decisions.collect()),
        tier: MergeTier::AiResolve,
        made: Vec::new(),
    };
    let asked = Asked {
        origins: Origins::Unasked,
        ..Asked::default()
    };
    let outcome = plan_answered(repo, &review, asked)?;
    let Some(plan) = outcome.plan() else {
        return Ok(Err("the answer leaves nothing to land".to_owned()));
    };
    let checked = account_of(repo, plan, Source::Filled)?;
    Ok(if checked.balances() {
        Ok(())
    } else {
        let failure = MergeFailure::Unaccounted {
            lines: checked.unaccounted,
        };
        Err(failure.to_string())
    })
}

fn lost(base: &str, sides: [&str; 2], text: &str) -> Vec<String> {
    let new = NewLines::of(text, &sides, &[]);
    let mut lost: Vec<String> = Vec::new();
    let [ours, theirs] = sides;
    for (side, other) in [(ours, theirs), (theirs, ours)] {
        for line in lines_without(side, text) {
            let is_carried = new.carrier_of(line, base, other).is_some();
            if !is_carried && !lost.iter().any(|known| known == line) {
                lost.push(line.to_owned());
            }
        }
    }
    lost
}

#[cfg(test)]
mod tests {
    use super::lost;

    #[test]
    fn a_rewritten_line_is_not_lost_and_a_missing_one_is() {
        let (ours, theirs) = ("let port = 81;\n", "let port = 80; // web\nlet host = 1;\n");
        let base = "let port = 80;\n";
        let both = "let port = 81; // web\nlet host = 1;\n";
        assert_eq!(lost(base, [ours, theirs], both), Vec::<String>::new());
        assert_eq!(
            lost(base, [ours, theirs], "let port = 81; // web\n"),
            ["let host = 1;"]
        );
    }
}
