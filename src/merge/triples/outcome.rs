//! What a merge of three versions of one file comes to, as its properties ask for it: how often each line is there, and
//! how often it is named as not being there.

use std::collections::HashMap;

use super::repository::Repository3;
use crate::git::Oid;
use crate::merge::account::account_of;
use crate::merge::lines::{between_newlines, is_blank, line_key};
use crate::merge::settle::{Piece, Rules, settle};
use crate::merge::{Account, MergeOutcome, Source, plan_commits};

/// How often each line is there; blank ones do not count.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Counted(HashMap<Vec<u8>, usize>);

impl Counted {
    pub(super) fn of(&self, line: &[u8]) -> usize {
        self.0.get(line).copied().unwrap_or(0)
    }

    pub(super) fn lines(&self) -> impl Iterator<Item = (&Vec<u8>, usize)> {
        self.0.iter().map(|(line, count)| (line, *count))
    }

    fn add(&mut self, line: &[u8], times: usize) {
        let line = line_key(line);
        if times > 0 && !is_blank(line) {
            *self.0.entry(line.to_vec()).or_default() += times;
        }
    }

    /// What is gone where some lines stand instead of others.
    pub(super) fn add_gone(&mut self, lines: &Self, instead: &Self) {
        for (line, count) in lines.lines() {
            self.add(line, count.saturating_sub(instead.of(line)));
        }
    }
}

impl<'l> FromIterator<&'l [u8]> for Counted {
    fn from_iter<I: IntoIterator<Item = &'l [u8]>>(lines: I) -> Self {
        let mut counts = Self::default();
        for line in lines {
            counts.add(line, 1);
        }
        counts
    }
}

pub(super) fn counted(text: &[u8]) -> Counted {
    between_newlines(text).into_iter().collect()
}

/// A merged file, with the branch's side in contested places.
pub(super) struct Outcome {
    pub(super) result: Counted,
    /// Lines that are not there by decision of nobody, and lines that became part of others.
    pub(super) named: Counted,
    pub(super) contested: usize,
}

/// What the rules alone come to.
pub(super) fn settled([base, ours, theirs]: [&[u8]; 3]) -> Outcome {
    let settlement = settle(base, ours, theirs, Rules::default());
    let mut named = Counted::default();
    for piece in &settlement.pieces {
        match piece {
            Piece::Settled(_) => {}
            Piece::Woven(woven) => {
                let lines = woven.lines.iter().copied().collect();
                named.add_gone(&lines, &Counted::default());
            }
            Piece::Contested(contest) => {
                let [ours, theirs] =
                    [&contest.ours, &contest.theirs].map(|lines| lines.iter().copied().collect());
                named.add_gone(&ours, &theirs);
            }
        }
    }
    Outcome {
        contested: settlement.contests().count(),
        result: counted(&settlement.render(|contest| contest.theirs.clone())),
        named,
    }
}

/// What the whole way comes to, with git and the account; `None` where there is no plan.
pub(super) struct Planned {
    pub(super) outcome: MergeOutcome,
    pub(super) result: Counted,
    pub(super) named: Counted,
    pub(super) account: Account,
}

pub(super) fn planned(place: &Repository3, ours: Oid, theirs: Oid) -> Option<Planned> {
    let outcome = plan_commits(&place.repo, ours, theirs).unwrap();
    let plan = outcome.plan()?;
    let mut named = Counted::default();
    for hunk in &plan.displaced {
        let [ours, theirs] = [&hunk.text, &hunk.incoming].map(|text| counted(text.as_bytes()));
        named.add_gone(&ours, &theirs);
    }
    for line in plan.woven.iter().flat_map(|woven| &woven.lines) {
        named.add(line.as_bytes(), 1);
    }
    Some(Planned {
        result: counted(&place.text(plan.tree)),
        named,
        account: account_of(&place.repo, plan, Source::Engine).unwrap(),
        outcome,
    })
}
