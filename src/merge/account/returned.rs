//! Lines that a side deleted and that are in the result all the same: which, how often, and where. Equal lines count
//! over whole files, so that none of them hides another. No fault, but never unsaid. Reads objects.

use std::collections::{HashMap, HashSet};

use similar::Algorithm;

use super::not_text::readable;
use crate::git::{Entry, GitError, Oid, RenamedPath, Repo, is_binary, path_name, renamed_paths};
use crate::merge::edits::edits;
use crate::merge::lines::has_words;
use crate::types::merge::RevivedLine;

use super::changed_back::{maybe_respaced, reworded};
use super::check::{Declared, MergeTrees, Source, Versions};
use super::counts::{Back, Counts};
use super::tally::{Tally, cut_lines, lines_of};

/// Names them for some files, whose lines a tally has counted.
pub(super) fn returned(
    repo: &Repo,
    trees: MergeTrees,
    files: &[(&[u8], &Versions)],
    tally: &Tally,
    declared: Declared<'_>,
) -> Result<Vec<RevivedLine>, GitError> {
    // What git merged without a question has no line more often than the sides left it and put it in: there, only a
    // line is news that a side has no longer at all.
    let is_gits = declared.source == Source::Engine && !is_any_settled(files, declared);
    let is_news = |line: &[u8], counts: &Counts| {
        !is_gits || (has_words(line) && counts.moved_back().is_some())
    };
    let asked = tally.may_be_back();
    let asked: Vec<(&[u8], Counts)> = asked
        .filter(|(line, counts)| is_news(line, counts))
        .collect();
    let respaced = maybe_respaced(tally.lines());
    if asked.is_empty() && respaced.is_empty() {
        return Ok(Vec::new());
    }
    let files = Files::new(repo, trees, files)?;
    let mut back: HashMap<&[u8], Back> = if is_gits {
        let moved = asked.iter();
        moved
            .filter_map(|(line, counts)| Some((*line, counts.moved_back()?)))
            .collect()
    } else {
        let by_ours = files.put_in(|versions| versions.ours, &files.renamed_by_ours)?;
        let by_theirs = files.put_in(|versions| versions.theirs, &files.renamed_by_theirs)?;
        let times = |all: &HashMap<Vec<u8>, u64>, line: &[u8]| all.get(line).copied().unwrap_or(0);
        let back = asked.iter().filter_map(|(line, counts)| {
            let back = counts.brought_back(times(&by_ours, line), times(&by_theirs, line))?;
            Some((*line, back))
        });
        // A brace that a side moved is no news.
        back.filter(|(line, back)| has_words(line) || !back.is_moved)
            .collect()
    };
    for (line, respaced) in files.respaced(&respaced)? {
        back.entry(line).or_insert(respaced);
    }
    let mut found = files.places(&back)?;
    files.add_reworded(&mut found)?;
    Ok(found)
}

fn lossy(line: &[u8]) -> String {
    String::from_utf8_lossy(line).into_owned()
}

/// Whether one of the files was settled here or by a driver, and not by git's own rules.
fn is_any_settled(files: &[(&[u8], &Versions)], declared: Declared<'_>) -> bool {
    let is_settled = |path: &[u8]| {
        let name = path_name(path);
        let mut all = declared.settled.iter().chain(declared.driven);
        all.any(|file| *file == name)
    };
    files.iter().any(|(path, _)| is_settled(path))
}

/// The files in question, each under all the names it may have.
struct Files<'f> {
    repo: &'f Repo,
    trees: MergeTrees,
    files: &'f [(&'f [u8], &'f Versions)],
    renamed_by_ours: Vec<RenamedPath>,
    renamed_by_theirs: Vec<RenamedPath>,
}

impl<'f> Files<'f> {
    fn new(
        repo: &'f Repo,
        trees: MergeTrees,
        files: &'f [(&'f [u8], &'f Versions)],
    ) -> Result<Self, GitError> {
        let renamed = |side: Oid| match files {
            [_] => Ok(Vec::new()),
            [..] => renamed_paths(repo, trees.base, side),
        };
        Ok(Self {
            repo,
            trees,
            files,
            renamed_by_ours: renamed(trees.ours)?,
            renamed_by_theirs: renamed(trees.theirs)?,
        })
    }

    /// How often a side put in each line.
    fn put_in(
        &self,
        side: impl Fn(&Versions) -> Option<Entry>,
        renamed: &[RenamedPath],
    ) -> Result<HashMap<Vec<u8>, u64>, GitError> {
        let mut sums: HashMap<Vec<u8>, u64> = HashMap::new();
        for (path, versions) in self.files {
            let base = match versions.base {
                None => self.formerly(path, renamed, self.trees.base)?,
                known => known,
            };
            let (side, base) = (self.text(side(versions))?, self.text(base)?);
            for (line, count) in cut_lines(&lines_of(&side), &lines_of(&base)) {
                *sums.entry(line.to_vec()).or_default() += count;
            }
        }
        Ok(sums)
    }

    /// Those of some lines that are, but for white space around them, in the result though a side has nothing left that
    /// says the same.
    fn respaced<'l>(&self, lines: &[&'l [u8]]) -> Result<Vec<(&'l [u8], Back)>, GitError> {
        if lines.is_empty() {
            return Ok(Vec::new());
        }
        let mut counts: HashMap<&[u8], Counts> = lines
            .iter()
            .map(|line| (line.trim_ascii(), Counts::default()))
            .collect();
        for (_, versions) in self.files {
            let entries = [
                versions.base,
                versions.ours,
                versions.theirs,
                versions.result,
            ];
            for (version, entry) in entries.into_iter().enumerate() {
                let text = self.text(entry)?;
                for line in lines_of(&text) {
                    if let Some(counts) = counts.get_mut(line.trim_ascii()) {
                        *counts.of(version) += 1;
                    }
                }
            }
        }
        let back = lines.iter().filter_map(|line| {
            let back = counts.get(line.trim_ascii())?.moved_back()?;
            Some((*line, back))
        });
        Ok(back.collect())
    }

    /// Adds lines in other words that stand amid a block that is back.
    fn add_reworded(&self, found: &mut Vec<RevivedLine>) -> Result<(), GitError> {
        let mut more = Vec::new();
        for (path, versions) in self.files {
            let name = path_name(path);
            let here: Vec<&RevivedLine> = found.iter().filter(|it| it.file == name).collect();
            let [first, _, ..] = here.as_slice() else {
                continue;
            };
            let places = here.iter().filter_map(|line| line.line.checked_sub(1));
            let places = places.filter_map(|at| usize::try_from(at).ok()).collect();
            let texts = [
                self.text(versions.base)?,
                self.text(versions.ours)?,
                self.text(versions.theirs)?,
                self.only_text(versions.result)?,
            ];
            let [base, ours, theirs, result] = texts.each_ref().map(|text| lines_of(text));
            for at in reworded(&base, [&ours, &theirs], &result, &places) {
                more.push(RevivedLine {
                    file: name.clone(),
                    line: at as u64 + 1,
                    text: lossy(result.get(at).copied().unwrap_or_default()),
                    removed_by: first.removed_by.clone(),
                });
            }
        }
        found.extend(more);
        found.sort_by(|a, b| (&a.file, a.line).cmp(&(&b.file, b.line)));
        Ok(())
    }

    /// Finds the lines in the result: first where who had removed them has something else.
    fn places(&self, back: &HashMap<&[u8], Back>) -> Result<Vec<RevivedLine>, GitError> {
        let mut left: HashMap<&[u8], u64> = back
            .iter()
            .map(|(line, back)| (*line, back.times))
            .collect();
        let mut found = Vec::new();
        let mut elsewhere = Vec::new();
        for (path, versions) in self.files {
            let text = self.text(versions.result)?;
            let lines = lines_of(&text);
            if !lines.iter().any(|line| back.contains_key(*line)) {
                continue;
            }
            let ours = self.new_lines(path, versions.ours, self.trees.ours, &lines)?;
            let theirs = self.new_lines(path, versions.theirs, self.trees.theirs, &lines)?;
            for (at, line) in lines.iter().enumerate() {
                let Some(Back { by, .. }) = back.get(*line) else {
                    continue;
                };
                let said = RevivedLine {
                    file: path_name(path),
                    line: at as u64 + 1,
                    text: lossy(line),
                    removed_by: (*by).to_owned(),
                };
                let new = if *by == "branch" { &theirs } else { &ours };
                match left.get_mut(*line).filter(|left| **left > 0) {
                    Some(left) if new.contains(&at) => {
                        *left -= 1;
                        found.push(said);
                    }
                    Some(_) | None => elsewhere.push((line.to_vec(), said)),
                }
            }
        }
        for (line, said) in elsewhere {
            if let Some(left) = left.get_mut(line.as_slice()).filter(|left| **left > 0) {
                *left -= 1;
                found.push(said);
            }
        }
        found.sort_by(|a, b| (&a.file, a.line).cmp(&(&b.file, b.line)));
        Ok(found)
    }

    /// Which lines of the result a side does not have there.
    fn new_lines(
        &self,
        path: &[u8],
        entry: Option<Entry>,
        tree: Oid,
        result: &[&[u8]],
    ) -> Result<HashSet<usize>, GitError> {
        let entry = match entry {
            None => {
                let renamed = [&*self.renamed_by_ours, &*self.renamed_by_theirs].concat();
                self.formerly(path, &renamed, tree)?
            }
            known => known,
        };
        let side = self.text(entry)?;
        let edits = edits(Algorithm::Histogram, &lines_of(&side), result);
        Ok(edits.into_iter().flat_map(|edit| edit.new).collect())
    }

    /// What a tree has under the name that a path had before a rename.
    fn formerly(
        &self,
        path: &[u8],
        renamed: &[RenamedPath],
        tree: Oid,
    ) -> Result<Option<Entry>, GitError> {
        match renamed.iter().find(|pair| pair.new == path) {
            Some(pair) => self.repo.entry_at(tree, &pair.old),
            None => Ok(None),
        }
    }

    /// Empty where there is no file.
    fn text(&self, entry: Option<Entry>) -> Result<Vec<u8>, GitError> {
        let content = self.content(entry)?;
        Ok(if is_binary(&content) {
            readable(&content).into_owned()
        } else {
            content
        })
    }

    /// Empty where there is no text.
    fn only_text(&self, entry: Option<Entry>) -> Result<Vec<u8>, GitError> {
        let mut content = self.content(entry)?;
        if is_binary(&content) {
            content.clear();
        }
        Ok(content)
    }

    fn content(&self, entry: Option<Entry>) -> Result<Vec<u8>, GitError> {
        match entry.filter(|entry| entry.kind.is_regular()) {
            Some(entry) => self.repo.blob(entry.id),
            None => Ok(Vec::new()),
        }
    }
}
