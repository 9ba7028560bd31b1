//! Counting the lines of four versions of one or several files and comparing the counts with what is
//! due. Knows versions of paths, not how they came to be.

use std::collections::{HashMap, HashSet};

use similar::Algorithm;

use crate::git::{Entry, GitError, Oid, Repo, is_binary};
use crate::types::merge::InventedLine;

use super::check::{Account, Declared, Versions};
use super::counts::Counts;
use super::not_text::known_lines;
use super::reindented::take_reindented;
use super::spare::{Spare, take};
use super::stretches::added_by_both;
use super::texts::Texts;
use crate::merge::edits::edits;
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
    /// A file was text on one side only.
    is_mixed: bool,
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
            Some((texts, opaque)) => {
                // What is no text has no lines, and counts as one thing besides.
                if opaque != Versions::default() {
                    self.is_mixed = true;
                    self.add_opaque(&opaque);
                }
                let lines = texts.each_ref().map(|text| lines_of(text.as_slice()));
                let texts = Texts::new(lines.each_ref().map(Vec::as_slice));
                self.add_lines(&texts, versions.comes_or_goes(), exact);
            }
            None => self.add_opaque(versions),
        }
        Ok(())
    }

    /// Adds the lines of the four versions of a text, not all of which may be known.
    pub(super) fn add_lines(&mut self, texts: &Texts<'_>, comes_or_goes: bool, exact: bool) {
        let mut sums = texts.counts.clone();
        if exact {
            count_cuts(texts, &mut sums);
        }
        // What each side added to what is not known: the other part is under another name.
        let is_asked = !self.is_of_one_path || sums.iter().any(Counts::is_added_by_both);
        if !comes_or_goes && is_asked {
            for (number, parts) in added_by_both(texts) {
                if let Some(sums) = sums.get_mut(number as usize) {
                    sums.apart = due_apart(&parts, exact, sums);
                }
            }
        }
        for (line, sums) in texts.all().map(|(_, line, _)| line).zip(sums) {
            if is_blank(line) {
                continue;
            }
            if self.is_of_one_path && sums.is_untouched() {
                self.unchanged += sums.result;
            } else {
                self.lines.entry(line.to_vec()).or_default().add(&sums);
            }
        }
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

    /// All lines that were counted, but for those that no version changed.
    pub(super) fn lines(&self) -> impl Iterator<Item = (&[u8], Counts)> + Clone {
        let lines = self.lines.iter();
        lines.map(|(line, counts)| (line.as_slice(), *counts))
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
            is_mixed: self.is_mixed,
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
        let Account {
            unaccounted,
            invented,
            ..
        } = &mut checking.account;
        let written = invented.iter().map(|line| line.text.as_bytes());
        take_reindented(unaccounted, |line| line.text.as_bytes(), written);
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
    is_mixed: bool,
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
        // A version that is declared without its lines, as by a driver.
        if self.is_mixed && self.spare.opaque {
            return;
        }
        for _ in kept + woven + displaced..due {
            self.problem(lossy(line), LineProblem::Lost);
        }
    }

    fn invented(&mut self, line: &[u8], counts: &Counts, may_invent: bool) {
        if !counts.is_new() {
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

/// The texts of the four versions, empty where there is none, and the versions that are not text.
type TextsAndOpaque = ([Vec<u8>; 4], Versions);

/// Parts the versions that are text from those that are not, of which only lines are known that a text has. `None` when
/// none of them is, or one is no file.
fn texts_of(repo: &Repo, versions: &Versions) -> Result<Option<TextsAndOpaque>, GitError> {
    let mut texts: [Vec<u8>; 4] = Default::default();
    let mut no_texts: [Vec<u8>; 4] = Default::default();
    let mut opaque = *versions;
    let entries = [
        &mut opaque.base,
        &mut opaque.ours,
        &mut opaque.theirs,
        &mut opaque.result,
    ];
    let mut is_any_text = false;
    for ((text, no_text), version) in texts.iter_mut().zip(&mut no_texts).zip(entries) {
        let Some(entry) = *version else {
            continue;
        };
        if !entry.kind.is_regular() {
            return Ok(None);
        }
        let content = repo.blob(entry.id)?;
        if is_binary(&content) {
            *no_text = content;
        } else {
            (*text, *version) = (content, None);
            is_any_text = true;
        }
    }
    if !is_any_text {
        return Ok((opaque == Versions::default()).then_some((texts, opaque)));
    }
    let found = no_texts.map(|no_text| {
        let texts = texts.each_ref().map(Vec::as_slice);
        known_lines(&no_text, &texts)
    });
    for (text, found) in texts.iter_mut().zip(found) {
        text.extend(found);
    }
    Ok(Some((texts, opaque)))
}

/// How many more of a line are due, counted stretch by stretch, than its sums over the file tell.
fn due_apart(parts: &[Counts], exact: bool, sums: &Counts) -> u64 {
    let sum = |field: fn(&Counts) -> u64| parts.iter().map(field).sum::<u64>();
    // Where a side removed some as well, which ones it moved is a matter of reading.
    let is_uncut = sums.cut_by_ours + sums.cut_by_theirs == 0;
    let by_stretch = if exact && is_uncut {
        sum(Counts::due_by_sums)
    } else {
        sum(Counts::least_due)
    };
    by_stretch.saturating_sub(if exact {
        sums.due_by_sums()
    } else {
        sums.least_due()
    })
}

/// Counts by number the base lines that each side removed, in the reading that says the most.
fn count_cuts(texts: &Texts<'_>, sums: &mut [Counts]) {
    for reading in texts.readings() {
        let cuts = [&reading.ours, &reading.theirs].map(|edits| {
            let mut cuts: HashMap<u32, u64> = HashMap::new();
            let removed = edits.iter().flat_map(|edit| edit.base.clone());
            for number in removed.filter_map(|at| texts.base().get(at)) {
                *cuts.entry(*number).or_default() += 1;
            }
            cuts
        });
        let [by_ours, by_theirs] = cuts;
        for (number, cuts) in by_ours {
            if let Some(sums) = sums.get_mut(number as usize) {
                sums.cut_by_ours = sums.cut_by_ours.max(cuts);
            }
        }
        for (number, cuts) in by_theirs {
            if let Some(sums) = sums.get_mut(number as usize) {
                sums.cut_by_theirs = sums.cut_by_theirs.max(cuts);
            }
        }
    }
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
