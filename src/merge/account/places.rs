//! The places of files that somebody wrote, or that our rules settled: what reading them one by one tells beyond the
//! sums over the file.

use std::collections::{HashMap, HashSet};
use std::hash::Hash;

use crate::git::{Entry, GitError, Oid, Repo, is_binary, path_bytes};
use crate::types::merge::{InventedLine, RevivedLine};

use super::check::{Account, Declared, Source};
use super::findings::Findings;
use super::netted::lost_in_places;
use super::spare::{Spare, take};
use super::tally::lines_of;
use super::written::judged;
use crate::merge::form::joined_base::without_marks;
use crate::merge::lines::has_words;
use crate::merge::outcome::{FileVersions, LineProblem, UnaccountedLine};

/// Adds to an account what is wrong with, or new in, single places of what was written.
pub(super) fn check_places(
    repo: &Repo,
    account: &mut Account,
    result: Oid,
    declared: Declared<'_>,
) -> Result<(), GitError> {
    let is_open = |file: &FileVersions| declared.displaced.iter().any(|d| d.file == file.path);
    let is_asked = |file: &&FileVersions| match declared.source {
        // What stands in a contested place is for whoever decides it.
        Source::Engine => file.base.is_some() && !is_open(file),
        Source::Chosen => false,
        Source::Filled | Source::Written => true,
    };
    let by_lines = declared.versions.iter().filter(|file| file.by_lines);
    for file in by_lines.filter(is_asked) {
        let written = repo.entry_at(result, &path_bytes(&file.path))?;
        let Some([base, ours, theirs, written]) = texts(repo, file, written)? else {
            continue;
        };
        let base = without_marks(&base);
        if declared.source == Source::Engine {
            let lost = lost_in_places(&base, &ours, &theirs, &written);
            let mut spare = Spare::for_files(&HashSet::from([&*file.path]), declared);
            add_lost(account, &file.path, &lost, &mut spare);
            continue;
        }
        let base = file.base.is_some().then_some(&*base);
        match judged(base, &ours, &theirs, &written) {
            Ok(said) => add(account, (&file.path, &written), &said, declared),
            Err(line) => account.unaccounted.push(UnaccountedLine {
                file: file.path.clone(),
                text: lossy(&line),
                problem: LineProblem::Disturbed,
            }),
        }
    }
    Ok(())
}

/// The versions of a file and what is written there. `None` unless all of them are text.
pub(super) fn texts(
    repo: &Repo,
    file: &FileVersions,
    written: Option<Entry>,
) -> Result<Option<[Vec<u8>; 4]>, GitError> {
    let (Some(ours), Some(theirs), Some(written)) = (file.ours, file.theirs, written) else {
        return Ok(None);
    };
    let entries = [file.base, Some(ours), Some(theirs), Some(written)];
    let mut texts: [Vec<u8>; 4] = Default::default();
    for (text, entry) in texts.iter_mut().zip(entries) {
        let Some(entry) = entry else { continue };
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

fn add(
    account: &mut Account,
    (file, written): (&str, &[u8]),
    said: &Findings<'_>,
    declared: Declared<'_>,
) {
    let mut spare = Spare::for_files(&HashSet::from([file]), declared);
    add_lost(account, file, &said.lost, &mut spare);
    let mut new = said.invented.clone();
    match declared.source {
        // Around the place that was filled, nobody could write.
        Source::Engine | Source::Chosen | Source::Filled => new.extend(&said.moved),
        Source::Written => {
            let moved = said.moved.iter().map(|line| UnaccountedLine {
                file: file.to_owned(),
                text: lossy(line),
                problem: LineProblem::Disturbed,
            });
            account.unaccounted.extend(moved);
        }
    }
    let back = said.brought_back.iter().filter(|(line, _)| has_words(line));
    let back = back.map(|(line, by)| RevivedLine {
        file: file.to_owned(),
        line: 0,
        text: lossy(line),
        removed_by: (*by).to_owned(),
    });
    let invented = new
        .iter()
        .filter(|line| take(&mut spare.results, line, 1) == 0)
        .map(|line| InventedLine {
            file: file.to_owned(),
            text: lossy(line),
        });
    let (back, invented) = (back.collect(), invented.collect());
    // The sums over the file may have told the same.
    let added = add_new(&mut account.brought_back, back, |line: &RevivedLine| {
        (line.file.clone(), line.text.clone())
    });
    account.totals.brought_back += added;
    find(&mut account.brought_back, file, &lines_of(written));
    add_new(&mut account.invented, invented, |line: &InventedLine| {
        (line.file.clone(), line.text.clone())
    });
}

/// Adds lines that are lost in a file and not declared, unless the sums over the file have told the same.
fn add_lost(account: &mut Account, file: &str, lost: &[&[u8]], spare: &mut Spare) {
    let mut unaccounted = Vec::new();
    for line in lost {
        let is_said =
            take(&mut spare.woven, line, 1) == 1 || take(&mut spare.displaced, line, 1) == 1;
        if !is_said {
            unaccounted.push(UnaccountedLine {
                file: file.to_owned(),
                text: lossy(line),
                problem: LineProblem::Lost,
            });
        }
    }
    add_new(&mut account.unaccounted, unaccounted, |line| {
        (line.file.clone(), line.text.clone())
    });
}

/// Says where lines are that are only known to be somewhere in a file.
fn find(back: &mut [RevivedLine], file: &str, written: &[&[u8]]) {
    let here = back.iter().filter(|line| line.file == file);
    let mut known: HashSet<u64> = here.map(|line| line.line).collect();
    for line in back.iter_mut().filter(|l| l.file == file && l.line == 0) {
        let places = (1..).zip(written);
        let mut same = places.filter(|(_, there)| lossy(there) == line.text);
        if let Some((at, _)) = same.find(|(at, _)| !known.contains(at)) {
            line.line = at;
            known.insert(at);
        }
    }
}

/// Adds what a list does not have as often already; returns how many those were.
pub(super) fn add_new<T, K: Eq + Hash>(
    list: &mut Vec<T>,
    more: Vec<T>,
    key: impl Fn(&T) -> K,
) -> u64 {
    let mut known: HashMap<K, usize> = HashMap::new();
    for item in list.iter() {
        *known.entry(key(item)).or_default() += 1;
    }
    let before = list.len();
    for item in more {
        match known.get_mut(&key(&item)) {
            Some(left) if *left > 0 => *left -= 1,
            Some(_) | None => list.push(item),
        }
    }
    (list.len() - before) as u64
}

fn lossy(line: &[u8]) -> String {
    String::from_utf8_lossy(line).into_owned()
}
