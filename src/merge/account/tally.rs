//! Counting the lines of four versions of one or several files and comparing the counts with what is
//! due. Knows versions of paths, not how they came to be.

use std::collections::{HashMap, HashSet};

use similar::Algorithm;

use crate::git::{Entry, GitError, Oid, Repo, is_binary};
use crate::types::merge::InventedLine;

use super::check::{Account, Declared, Versions};
use super::counts::Counts;
use super::spare::{Spare, take};
use super::stretches::added_by_both;
use crate::merge::edits::{alike, edits};
use crate::merge::lines::{between_newlines, is_blank, line_key};
use crate::merge::outcome::{LineProblem, UnaccountedLine};

/// Line counts over one path or several.
#[derive(Debug, Default)]
pub(super) struct Tally {
    lines: HashMap<Vec<u8>, Counts>,
    /// How many lines are in all versions where they were, and are none of those above.
    unchanged: u64,
    is_of_one_path: bool,
    /// Content that is not text: each version counts as one thing.
    opaque: HashMap<Oid, Counts>,
}

impl Tally {
    /// A tally of one path only, which need not count the lines that no version changed.
    pub(super) fn of_one_path() -> Self {
        Self {
            is_of_one_path: true,
            ..Self::default()
        }
    }

    pub(super) fn add(
        &mut self,
        repo: &Repo,
        versions: &Versions,
        exact: bool,
    ) -> Result<(), GitError> {
        match texts_of(repo, versions)? {
            Some(texts) => {
                let lines = texts.each_ref().map(|text| lines_of(text.as_slice()));
                self.add_lines(&lines, versions.comes_or_goes(), exact);
            }
            None => self.add_opaque(versions),
        }
        Ok(())
    }

    /// Adds the lines of the four versions of a text, not all of which may be known.
    pub(super) fn add_lines(&mut self, whole: &[Vec<&[u8]>; 4], comes_or_goes: bool, exact: bool) {
        let [base, ours, theirs, _] = self.count(whole);
        let (mut our_cuts, mut their_cuts) = (HashMap::new(), HashMap::new());
        if exact {
            our_cuts = cut_lines(base, ours);
            their_cuts = cut_lines(base, theirs);
        }
        for (line, cuts) in &our_cuts {
            self.lines.entry(line.to_vec()).or_default().cut_by_ours += cuts;
        }
        for (line, cuts) in &their_cuts {
            self.lines.entry(line.to_vec()).or_default().cut_by_theirs += cuts;
        }
        // What each side added to what is not known: the other part is under another name.
        let is_alone = self.is_of_one_path;
        if comes_or_goes || (is_alone && !self.lines.values().any(Counts::is_added_by_both)) {
            return;
        }
        let [base, ours, theirs, _] = whole;
        for (line, parts) in added_by_both(base, ours, theirs) {
            let cuts = |cuts: &HashMap<&[u8], u64>| cuts.get(line).copied().unwrap_or(0);
            let apart = due_apart(&parts, exact, cuts(&our_cuts), cuts(&their_cuts));
            self.lines.entry(line.to_vec()).or_default().apart += apart;
        }
    }

    /// Counts the lines of the four versions, and returns the part in which these differ.
    fn count<'s, 'a>(&mut self, whole: &'s [Vec<&'a [u8]>; 4]) -> [&'s [&'a [u8]]; 4] {
        let [base, ..] = whole;
        let (mut head, mut tail) = (0, 0);
        if self.is_of_one_path {
            (head, tail) = (usize::MAX, usize::MAX);
            for side in whole.iter().skip(1) {
                let (first, last) = alike(base, side);
                (head, tail) = (head.min(first), tail.min(last));
            }
        }
        let differing = whole
            .each_ref()
            .map(|lines| lines.get(head..lines.len() - tail).unwrap_or_default());
        for (version, lines) in differing.iter().enumerate() {
            for line in lines.iter().filter(|line| !is_blank(line)) {
                // Most lines are in several versions: only the first needs a copy.
                match self.lines.get_mut(*line) {
                    Some(counts) => *counts.of(version) += 1,
                    None => *self.lines.entry(line.to_vec()).or_default().of(version) += 1,
                }
            }
        }
        let same = base.iter().take(head).chain(base.iter().rev().take(tail));
        for line in same.filter(|line| !is_blank(line)) {
            match self.lines.get_mut(*line) {
                Some(counts) => (0..whole.len()).for_each(|version| *counts.of(version) += 1),
                None => self.unchanged += 1,
            }
        }
        differing
    }

    fn add_opaque(&mut self, versions: &Versions) {
        let mut count = |entry: Option<Entry>, field: fn(&mut Counts) -> &mut u64| {
            if let Some(entry) = entry {
                *field(self.opaque.entry(entry.id).or_default()) += 1;
            }
        };
        count(versions.base, |c| &mut c.base);
        count(versions.ours, |c| &mut c.ours);
        count(versions.theirs, |c| &mut c.theirs);
        count(versions.result, |c| &mut c.result);
    }

    /// The lines that a side may have removed and that are there all the same.
    pub(super) fn may_be_back(&self) -> impl Iterator<Item = (&[u8], Counts)> {
        let lines = self.lines.iter();
        let found = lines.filter(|(_, counts)| counts.may_be_back().is_some());
        found.map(|(line, counts)| (line.as_slice(), *counts))
    }

    /// Compares what is there with what is due and what was declared. Problems are reported for the
    /// first of the files.
    pub(super) fn check(&self, files: &[&str], declared: Declared<'_>, exact: bool) -> Account {
        let names: HashSet<&str> = files.iter().copied().collect();
        let file = files.first().copied().unwrap_or_default();
        let spare = Spare::for_files(&names, declared);
        self.checked(file, spare, declared.may_invent(files), exact)
    }

    pub(super) fn checked(
        &self,
        file: &str,
        spare: Spare,
        may_invent: bool,
        exact: bool,
    ) -> Account {
        let mut checking = Checking {
            file,
            spare,
            account: Account::default(),
        };
        checking.account.totals.kept += self.unchanged;
        // Sorted, so that the same merge always reports the same lines.
        let mut lines: Vec<(&Vec<u8>, &Counts)> = self.lines.iter().collect();
        lines.sort_by_key(|(line, _)| *line);
        for (line, counts) in lines {
            checking.kept(line, counts, exact);
            checking.invented(line, counts, may_invent);
        }
        for (id, counts) in &self.opaque {
            let added = counts.ours.max(counts.theirs).saturating_sub(counts.base);
            if added > counts.result && !checking.spare.opaque {
                checking.problem(format!("content {id}"), LineProblem::Lost);
            }
        }
        checking.account
    }
}

/// A comparison under way.
struct Checking<'f> {
    file: &'f str,
    spare: Spare,
    account: Account,
}

impl Checking<'_> {
    fn problem(&mut self, text: String, problem: LineProblem) {
        self.account.unaccounted.push(UnaccountedLine {
            file: self.file.to_owned(),
            text,
            problem,
        });
    }

    /// As often as it is due, a line is in the result, or became part of another one, or is listed.
    fn kept(&mut self, line: &[u8], counts: &Counts, exact: bool) {
        let due = counts.apart
            + if exact {
                counts.due_by_sums()
            } else {
                counts.least_due()
            };
        let kept = due.min(counts.result);
        let woven = take(&mut self.spare.woven, line, due - kept);
        let displaced = take(&mut self.spare.displaced, line, due - kept - woven);
        let totals = &mut self.account.totals;
        totals.kept += kept;
        totals.woven += woven;
        totals.displaced += displaced;
        totals.removed += counts.base.saturating_sub(counts.result);
        for _ in kept + woven + displaced..due {
            self.problem(lossy(line), LineProblem::Lost);
        }
    }

    fn invented(&mut self, line: &[u8], counts: &Counts, may_invent: bool) {
        if counts.base + counts.ours + counts.theirs > 0 {
            return;
        }
        let results = take(&mut self.spare.results, line, counts.result);
        for _ in results..counts.result {
            if may_invent {
                self.account.invented.push(InventedLine {
                    file: self.file.to_owned(),
                    text: lossy(line),
                });
            } else {
                self.problem(lossy(line), LineProblem::Invented);
            }
        }
    }
}

fn lossy(line: &[u8]) -> String {
    String::from_utf8_lossy(line).into_owned()
}

pub(super) fn lines_of(bytes: &[u8]) -> Vec<&[u8]> {
    let body = bytes.strip_suffix(b"\n").unwrap_or(bytes);
    if bytes.is_empty() {
        return Vec::new();
    }
    let mut lines = between_newlines(body);
    for line in &mut lines {
        *line = line_key(line);
    }
    lines
}

/// The texts of the four versions, empty where there is none. `None` when one of them is not text.
fn texts_of(repo: &Repo, versions: &Versions) -> Result<Option<[Vec<u8>; 4]>, GitError> {
    let mut texts: [Vec<u8>; 4] = Default::default();
    let entries = [
        versions.base,
        versions.ours,
        versions.theirs,
        versions.result,
    ];
    for (text, entry) in texts.iter_mut().zip(entries) {
        let Some(entry) = entry else {
            continue;
        };
        if !entry.kind.is_regular() {
            return Ok(None);
        }
        *text = repo.blob(entry.id)?;
        if is_binary(text) {
            return Ok(None);
        }
    }
    Ok(Some(texts))
}

/// How many more of a line are due, counted stretch by stretch, than its sums over the file tell.
fn due_apart(parts: &[Counts], exact: bool, cut_by_ours: u64, cut_by_theirs: u64) -> u64 {
    let sum = |field: fn(&Counts) -> u64| parts.iter().map(field).sum::<u64>();
    let whole = Counts {
        base: sum(|part| part.base),
        ours: sum(|part| part.ours),
        theirs: sum(|part| part.theirs),
        cut_by_ours,
        cut_by_theirs,
        ..Counts::default()
    };
    // Where a side removed some as well, which ones it moved is a matter of reading.
    let is_uncut = cut_by_ours + cut_by_theirs == 0;
    let by_stretch = if exact && is_uncut {
        sum(Counts::due_by_sums)
    } else {
        sum(Counts::least_due)
    };
    by_stretch.saturating_sub(if exact {
        whole.due_by_sums()
    } else {
        whole.least_due()
    })
}

/// Counts the base lines a side removed. Two ways of aligning the texts may disagree about which
/// of several equal lines went; a line counts as removed when either says so.
pub(super) fn cut_lines<'a>(base: &[&'a [u8]], side: &[&[u8]]) -> HashMap<&'a [u8], u64> {
    let mut most: HashMap<&[u8], u64> = HashMap::new();
    for algorithm in [Algorithm::Histogram, Algorithm::Myers] {
        let mut cuts: HashMap<&[u8], u64> = HashMap::new();
        for edit in edits(algorithm, base, side) {
            for line in base.get(edit.base).unwrap_or_default() {
                *cuts.entry(line).or_default() += 1;
            }
        }
        for (line, count) in cuts {
            let known = most.entry(line).or_default();
            *known = (*known).max(count);
        }
    }
    most
}
