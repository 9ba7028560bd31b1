//! Counting the lines of four versions of one or several files and comparing the counts: the
//! arithmetic of the account. Knows versions of paths, not how they came to be.

use std::collections::{HashMap, HashSet};

use similar::Algorithm;

use crate::git::{Entry, GitError, Oid, Repo, is_binary};
use crate::types::merge::{AccountTotals, DisplacedKind, RevivedLine};

use super::account::{Account, Declared, Versions};
use super::edits::edits;
use super::lines::{has_words, is_blank, line_key};
use super::outcome::{LineProblem, UnaccountedLine};

/// How often one line occurs.
#[derive(Debug, Clone, Copy, Default)]
struct Counts {
    base: u64,
    ours: u64,
    theirs: u64,
    result: u64,
    /// Occurrences of the base that a side removed; counted only where it matters.
    cut_by_ours: u64,
    cut_by_theirs: u64,
}

impl Counts {
    /// How often the line has to be in the result, given which occurrences each side removed.
    fn due(&self) -> u64 {
        (self.ours.saturating_sub(self.cut_by_theirs))
            .max(self.theirs.saturating_sub(self.cut_by_ours))
    }

    /// The least that any correct three-way merge may come to. Which of several equal lines a side
    /// removed or moved is a matter of how the texts are aligned, and git's engine may see it in
    /// another way than we would; a line that each version has at most once leaves no such choice.
    fn least_due(&self) -> u64 {
        let removed = |side: u64| self.base.saturating_sub(side);
        let added = |side: u64| side.saturating_sub(self.base);
        let kept = self
            .base
            .saturating_sub(removed(self.ours) + removed(self.theirs));
        // Equal additions of both sides may be one. A kept line may also have been moved: by the side
        // that added less, within the other's additions; or by both, two kept lines to one place.
        let (fewer, more) = (
            added(self.ours).min(added(self.theirs)),
            added(self.ours).max(added(self.theirs)),
        );
        let moved_within = kept.min(more - fewer);
        more + (kept - moved_within).div_ceil(2)
    }
}

impl Counts {
    /// Tells who had removed a line altogether that is in the result, nobody having written it anew.
    fn brought_back(&self) -> Option<&'static str> {
        if self.result == 0 || self.ours > self.base || self.theirs > self.base {
            return None;
        }
        match (self.base, self.ours, self.theirs) {
            (0, _, _) => None,
            (_, 0, 0) => Some("both"),
            (_, 0, _) => Some("target"),
            (_, _, 0) => Some("branch"),
            (_, _, _) => None,
        }
    }
}

/// Line counts over one path or several.
#[derive(Debug, Default)]
pub(super) struct Tally {
    lines: HashMap<Vec<u8>, Counts>,
    /// Content that is not text: each version counts as one thing.
    opaque: HashMap<Oid, Counts>,
}

impl Tally {
    pub(super) fn add(
        &mut self,
        repo: &Repo,
        versions: &Versions,
        exact: bool,
    ) -> Result<(), GitError> {
        let mut texts: [Option<Vec<u8>>; 4] = Default::default();
        let mut is_text = true;
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
                is_text = false;
                break;
            }
            let bytes = repo.blob(entry.id)?;
            if is_binary(&bytes) {
                is_text = false;
                break;
            }
            *text = Some(bytes);
        }
        if !is_text {
            self.add_opaque(versions);
            return Ok(());
        }
        let [base, ours, theirs, result] = texts
            .each_ref()
            .map(|text| lines_of(text.as_deref().unwrap_or_default()));
        let mut count = |lines: &[&[u8]], field: fn(&mut Counts) -> &mut u64| {
            for line in lines.iter().filter(|line| !is_blank(line)) {
                // Most lines are in several versions: only the first needs a copy.
                match self.lines.get_mut(*line) {
                    Some(counts) => *field(counts) += 1,
                    None => *field(self.lines.entry(line.to_vec()).or_default()) += 1,
                }
            }
        };
        count(&base, |c| &mut c.base);
        count(&ours, |c| &mut c.ours);
        count(&theirs, |c| &mut c.theirs);
        count(&result, |c| &mut c.result);
        if !exact {
            return Ok(());
        }
        for (line, cuts) in cut_lines(&base, &ours) {
            self.lines.entry(line.to_vec()).or_default().cut_by_ours += cuts;
        }
        for (line, cuts) in cut_lines(&base, &theirs) {
            self.lines.entry(line.to_vec()).or_default().cut_by_theirs += cuts;
        }
        Ok(())
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

    pub(super) fn check(&self, files: &[&str], declared: Declared<'_>, exact: bool) -> Account {
        let mut account = Account::default();
        let file = files.first().copied().unwrap_or_default();
        let files: HashSet<&str> = files.iter().copied().collect();
        let mut spare = Spare::for_files(&files, declared);
        let mut problem = |text: String, problem| {
            account.unaccounted.push(UnaccountedLine {
                file: file.to_owned(),
                text,
                problem,
            });
        };
        // Sorted, so that the same merge always reports the same lines.
        let mut lines: Vec<(&Vec<u8>, &Counts)> = self.lines.iter().collect();
        lines.sort_by_key(|(line, _)| *line);
        let mut totals = AccountTotals::default();
        let mut back = Vec::new();
        for (line, counts) in lines {
            let due = if exact {
                counts.due()
            } else {
                counts.least_due()
            };
            let kept = due.min(counts.result);
            let woven = take(&mut spare.woven, line, due - kept);
            let displaced = take(&mut spare.displaced, line, due - kept - woven);
            totals.kept += kept;
            totals.woven += woven;
            totals.displaced += displaced;
            totals.removed += counts.base.saturating_sub(counts.result);
            for _ in kept + woven + displaced..due {
                problem(
                    String::from_utf8_lossy(line).into_owned(),
                    LineProblem::Lost,
                );
            }
            if let Some(removed_by) = counts.brought_back() {
                totals.brought_back += counts.result;
                // A brace is no news.
                if has_words(line) {
                    back.push(RevivedLine {
                        file: file.to_owned(),
                        text: String::from_utf8_lossy(line).into_owned(),
                        removed_by: removed_by.to_owned(),
                    });
                }
            }
            let known = counts.base + counts.ours + counts.theirs;
            if known == 0 && !declared.source.may_invent() {
                let results = take(&mut spare.results, line, counts.result);
                for _ in results..counts.result {
                    problem(
                        String::from_utf8_lossy(line).into_owned(),
                        LineProblem::Invented,
                    );
                }
            }
        }
        for (id, counts) in &self.opaque {
            let added = counts.ours.max(counts.theirs).saturating_sub(counts.base);
            if added > counts.result && !spare.opaque {
                problem(format!("content {id}"), LineProblem::Lost);
            }
        }
        account.totals = totals;
        account.brought_back = back;
        account
    }
}

/// Declared content that has not been matched with a missing line yet.
struct Spare {
    displaced: HashMap<Vec<u8>, u64>,
    woven: HashMap<Vec<u8>, u64>,
    results: HashMap<Vec<u8>, u64>,
    opaque: bool,
}

impl Spare {
    fn for_files(files: &HashSet<&str>, declared: Declared<'_>) -> Self {
        let mut spare = Self {
            displaced: HashMap::new(),
            woven: HashMap::new(),
            results: HashMap::new(),
            opaque: false,
        };
        let put = |map: &mut HashMap<Vec<u8>, u64>, text: &str| {
            for line in lines_of(text.as_bytes()) {
                *map.entry(declared_key(line)).or_default() += 1;
            }
        };
        for hunk in declared.displaced {
            if !files.contains(hunk.file.as_str()) {
                continue;
            }
            match hunk.kind {
                DisplacedKind::Text
                | DisplacedKind::DeletedByBranch
                | DisplacedKind::DeletedByTarget => {
                    put(&mut spare.displaced, &hunk.text);
                    spare.opaque |= hunk.text.is_empty() || hunk.start_line == 0;
                }
                DisplacedKind::Binary | DisplacedKind::Symlink | DisplacedKind::Mode => {
                    spare.opaque = true;
                }
                // A name is no line.
                DisplacedKind::Renamed => {}
            }
        }
        for woven in declared.woven {
            if files.contains(woven.file.as_str()) {
                for line in &woven.lines {
                    put(&mut spare.woven, line);
                }
                put(&mut spare.results, &woven.result);
            }
        }
        spare
    }
}

fn declared_key(line: &[u8]) -> Vec<u8> {
    line_key(line).to_vec()
}

/// Takes up to `wanted` occurrences of a line. Declared text went through UTF-8, so bytes that are
/// not valid are looked up the way they were written down.
fn take(spare: &mut HashMap<Vec<u8>, u64>, line: &[u8], wanted: u64) -> u64 {
    if wanted == 0 {
        return 0;
    }
    let key = String::from_utf8_lossy(line).into_owned().into_bytes();
    match spare.get_mut(&key) {
        Some(left) => {
            let taken = wanted.min(*left);
            *left -= taken;
            taken
        }
        None => 0,
    }
}

fn lines_of(bytes: &[u8]) -> Vec<&[u8]> {
    let body = bytes.strip_suffix(b"\n").unwrap_or(bytes);
    if bytes.is_empty() {
        return Vec::new();
    }
    body.split(|byte| *byte == b'\n').map(line_key).collect()
}

/// Counts the base lines a side removed. Two ways of aligning the texts may disagree about which
/// of several equal lines went; a line counts as removed when either says so.
fn cut_lines<'a>(base: &[&'a [u8]], side: &[&[u8]]) -> HashMap<&'a [u8], u64> {
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

#[cfg(test)]
mod tests {
    use super::*;

    /// The definition: all ways in which the sides may have removed and added equal lines.
    fn least_by_trying(counts: Counts) -> u64 {
        let cuts = |side: u64| counts.base.saturating_sub(side)..=counts.base;
        let mut least = u64::MAX;
        for by_ours in cuts(counts.ours) {
            for by_theirs in cuts(counts.theirs) {
                let kept = counts.base.saturating_sub(by_ours + by_theirs);
                let added_by_ours = counts.ours + by_ours - counts.base;
                let added_by_theirs = counts.theirs + by_theirs - counts.base;
                least = least.min(kept + added_by_ours.max(added_by_theirs));
            }
        }
        least
    }

    #[test]
    fn the_least_due_is_what_trying_all_alignments_gives() {
        for base in 0..7 {
            for ours in 0..7 {
                for theirs in 0..7 {
                    let counts = Counts {
                        base,
                        ours,
                        theirs,
                        ..Counts::default()
                    };
                    assert_eq!(counts.least_due(), least_by_trying(counts), "{counts:?}");
                }
            }
        }
    }

    #[test]
    fn a_line_that_occurs_once_has_no_slack() {
        let due = |base, ours, theirs| {
            Counts {
                base,
                ours,
                theirs,
                ..Counts::default()
            }
            .least_due()
        };
        assert_eq!(due(1, 1, 1), 1, "kept by both");
        assert_eq!(due(0, 1, 0), 1, "added by one");
        assert_eq!(due(0, 1, 1), 1, "added by both");
        assert_eq!(due(1, 1, 0), 0, "removed by one");
        assert_eq!(due(1, 0, 0), 0, "removed by both");
    }
}
