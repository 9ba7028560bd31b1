//! Which of the woven lines that a merge declares its trees show. Reads objects.

use std::collections::BTreeMap;

use crate::git::{Entry, GitError, Oid, RenamedPath, Repo, is_binary, path_bytes, renamed_paths};
use crate::merge::account::check::{Declared, MergeTrees, Source};
use crate::merge::account::tally::lines_of;
use crate::merge::account::texts::Texts;
use crate::types::merge::WovenLine;

use super::claims::{Claim, shown};
use super::elsewhere::{Versions, went_along};
use super::whole::is_of_both;
use super::words::carries;

/// The declared lines without those that nothing shows: what these should cover is lost or made up.
pub(in crate::merge::account) fn believed(
    repo: &Repo,
    trees: MergeTrees,
    declared: Declared<'_>,
) -> Result<Vec<WovenLine>, GitError> {
    let mut by_file: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (at, woven) in declared.woven.iter().enumerate() {
        by_file.entry(&woven.file).or_default().push(at);
    }
    let mut covered: Vec<Option<Vec<String>>> = vec![None; declared.woven.len()];
    let mut rest = Vec::new();
    for (file, places) in by_file {
        let entries = entries_of(repo, trees, file, declared)?;
        let texts = texts_of(repo, entries)?;
        let lines = lines_of_all(&texts);
        let texts = Texts::new(lines.each_ref().map(Vec::as_slice));
        let of_file = || places.iter().filter_map(|at| declared.woven.get(*at));
        let claims: Vec<Claim<'_>> = of_file().map(claim).collect();
        let found = shown(&texts, &claims);
        for ((at, claim), mut found) in places.iter().zip(&claims).zip(found) {
            if found.is_none()
                && declared.may_invent(&[file])
                && is_carried(&texts, claim, declared)
            {
                found = Some(claim.lines.clone());
            }
            match (found, covered.get_mut(*at)) {
                (Some(lines), Some(place)) => {
                    let lossy = |line: &[u8]| String::from_utf8_lossy(line).into_owned();
                    *place = Some(lines.into_iter().map(lossy).collect());
                }
                (Some(_) | None, Some(_) | None) => rest.push(*at),
            }
        }
    }
    follow(repo, trees, declared, &rest, &mut covered)?;
    let all = declared.woven.iter().zip(covered);
    Ok(all
        .filter_map(|(woven, lines)| {
            Some(WovenLine {
                lines: lines?,
                ..woven.clone()
            })
        })
        .collect())
}

/// What somebody wrote may say more: of each line, all that its side had put in. A model weaves lines of both sides, and
/// puts in nothing of its own.
fn is_carried(texts: &Texts<'_>, claim: &Claim<'_>, declared: Declared<'_>) -> bool {
    let may_be_written = match declared.source {
        Source::Engine | Source::Chosen | Source::Filled => true,
        Source::Written => is_of_both(texts, claim),
    };
    let is_there = |line: &[u8]| {
        let number = texts.number(line);
        let counts = number.and_then(|number| texts.counts.get(number as usize));
        counts.is_some_and(|counts| counts.result > 0)
    };
    let mut lines = claim.lines.iter();
    may_be_written
        && claim.result.iter().all(|line| is_there(line))
        && lines.all(|line| carries(&claim.base, line, &claim.result))
}

/// Claims that two files make together.
fn follow(
    repo: &Repo,
    trees: MergeTrees,
    declared: Declared<'_>,
    rest: &[usize],
    covered: &mut [Option<Vec<String>>],
) -> Result<(), GitError> {
    if rest.is_empty() {
        return Ok(());
    }
    let mut files: BTreeMap<&str, [String; 4]> = BTreeMap::new();
    let renamed = [
        renamed_paths(repo, trees.base, trees.ours)?,
        renamed_paths(repo, trees.base, trees.theirs)?,
    ];
    let left = || {
        rest.iter()
            .filter_map(|at| Some((*at, declared.woven.get(*at)?)))
    };
    for (_, woven) in left() {
        if !files.contains_key(woven.file.as_str()) {
            let entries = entries_under_any_name(repo, trees, &woven.file, &renamed)?;
            files.insert(&woven.file, texts_of(repo, entries)?);
        }
    }
    let files: BTreeMap<&str, Versions<'_>> = files
        .iter()
        .map(|(file, texts)| (*file, lines_of_all(texts)))
        .collect();
    for (one, gone) in left() {
        let found = left().find(|(other, came)| {
            let texts = (files.get(gone.file.as_str()), files.get(came.file.as_str()));
            let (Some(from), Some(to)) = texts else {
                return false;
            };
            *other != one
                && gone.file != came.file
                && went_along((from, &claim(gone)), (to, &claim(came)))
        });
        for at in found.into_iter().flat_map(|(other, _)| [one, other]) {
            if let (Some(place), Some(woven)) = (covered.get_mut(at), declared.woven.get(at)) {
                *place = Some(woven.lines.clone());
            }
        }
    }
    Ok(())
}

fn claim(woven: &WovenLine) -> Claim<'_> {
    Claim {
        base: lines_of(woven.base.as_bytes()),
        lines: woven
            .lines
            .iter()
            .flat_map(|line| lines_of(line.as_bytes()))
            .collect(),
        result: lines_of(woven.result.as_bytes()),
    }
}

/// What a file is in the four trees. Where its versions are known, a side may have it under another name.
fn entries_of(
    repo: &Repo,
    trees: MergeTrees,
    file: &str,
    declared: Declared<'_>,
) -> Result<[Option<Entry>; 4], GitError> {
    let path = path_bytes(file);
    let at = |tree: Oid| repo.entry_at(tree, &path);
    let mut known = declared.versions.iter();
    Ok(match known.find(|known| known.path == file) {
        Some(known) => [known.base, known.ours, known.theirs, at(trees.result)?],
        None => [
            at(trees.base)?,
            at(trees.ours)?,
            at(trees.theirs)?,
            at(trees.result)?,
        ],
    })
}

/// The same by the trees alone.
fn entries_under_any_name(
    repo: &Repo,
    trees: MergeTrees,
    file: &str,
    renamed: &[Vec<RenamedPath>; 2],
) -> Result<[Option<Entry>; 4], GitError> {
    let path = path_bytes(file);
    let mut pairs = renamed.iter().flatten();
    let old = pairs.find(|pair| *pair.new == *path || *pair.old == *path);
    let at = |tree: Oid| -> Result<Option<Entry>, GitError> {
        let mut found = repo.entry_at(tree, &path)?;
        for name in old.iter().flat_map(|pair| [&pair.old, &pair.new]) {
            if found.is_none() {
                found = repo.entry_at(tree, name)?;
            }
        }
        Ok(found)
    };
    Ok([
        at(trees.base)?,
        at(trees.ours)?,
        at(trees.theirs)?,
        at(trees.result)?,
    ])
}

/// The texts as declarations quote them; empty where there is none.
fn texts_of(repo: &Repo, entries: [Option<Entry>; 4]) -> Result<[String; 4], GitError> {
    let mut texts: [String; 4] = Default::default();
    for (text, entry) in texts.iter_mut().zip(entries) {
        let Some(entry) = entry.filter(|entry| entry.kind.is_regular()) else {
            continue;
        };
        let content = repo.blob(entry.id)?;
        if is_binary(&content) {
            continue;
        }
        *text = String::from_utf8_lossy(&content).into_owned();
    }
    Ok(texts)
}

fn lines_of_all(texts: &[String; 4]) -> Versions<'_> {
    texts.each_ref().map(|text| lines_of(text.as_bytes()))
}
