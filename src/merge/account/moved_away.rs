//! A block that one side deleted and the other took to another file, where the result has it: git sees no conflict
//! between the two, and nobody gets to know that a deletion came to nothing. Reads objects; refuses nothing.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::ops::Range;

use similar::Algorithm;

use super::check::Versions;
use super::tally::lines_of;
use crate::git::{Entry, GitError, Repo, is_binary, path_name};
use crate::merge::edits::edits;
use crate::merge::lines::{has_words, is_blank};
use crate::merge::moves::{LARGEST_SEARCH, longest_common_run};
use crate::types::merge::RevivedLine;

/// Fewer lines that say something may be alike by chance.
const LEAST: usize = 2;
/// A file with more bytes is not searched for blocks.
const LARGEST_FILE: usize = 1 << 20;

type Paths = BTreeMap<Vec<u8>, Versions>;

/// The lines of such blocks, where the result has them.
pub(super) fn moved_away(repo: &Repo, paths: &Paths) -> Result<Vec<RevivedLine>, GitError> {
    let mut gone = Vec::new();
    for (path, versions) in paths {
        gone.extend(gone_from(repo, path, versions)?);
    }
    if gone.is_empty() {
        return Ok(Vec::new());
    }
    let ours: Side = |versions| versions.ours;
    let theirs: Side = |versions| versions.theirs;
    let known: HashSet<&[u8]> = gone.iter().flat_map(Block::words).collect();
    let by_ours = arrivals(repo, paths, ours, &known)?;
    let by_theirs = arrivals(repo, paths, theirs, &known)?;
    let mut found = found_in(repo, paths, &gone, (&by_ours, &by_theirs), "branch")?;
    found.extend(found_in(
        repo,
        paths,
        &gone,
        (&by_theirs, &by_ours),
        "target",
    )?);
    Ok(found)
}

type Side = fn(&Versions) -> Option<Entry>;

/// Lines of a file that neither side has there any more.
struct Block<'p> {
    path: &'p [u8],
    lines: Vec<Vec<u8>>,
}

impl Block<'_> {
    fn lines(&self) -> Vec<&[u8]> {
        self.lines.iter().map(Vec::as_slice).collect()
    }

    fn words(&self) -> impl Iterator<Item = &[u8]> {
        let lines = self.lines.iter().map(Vec::as_slice);
        lines.filter(|line| has_words(line))
    }
}

/// What one side put into one file.
struct Arrival<'p> {
    path: &'p [u8],
    lines: Vec<Vec<u8>>,
}

fn gone_from<'p>(
    repo: &Repo,
    path: &'p [u8],
    versions: &Versions,
) -> Result<Vec<Block<'p>>, GitError> {
    let (base, ours, theirs) = (versions.base, versions.ours, versions.theirs);
    if base.is_none() || ours == base || theirs == base {
        return Ok(Vec::new());
    }
    let [base, ours, theirs] = [text(repo, base)?, text(repo, ours)?, text(repo, theirs)?];
    let [base, ours, theirs] = [&base, &ours, &theirs].map(|text| lines_of(text));
    if !may_be_gone(&base, &ours, &theirs) {
        return Ok(Vec::new());
    }
    let by_ours = removed(&base, &ours);
    let by_theirs = removed(&base, &theirs);
    let mut blocks: Vec<Range<usize>> = Vec::new();
    for at in 0..base.len() {
        if !by_ours.contains(&at) || !by_theirs.contains(&at) {
            continue;
        }
        match blocks.last_mut() {
            Some(block) if block.end == at => block.end += 1,
            Some(_) | None => blocks.push(at..at + 1),
        }
    }
    let blocks = blocks.into_iter().filter_map(|block| {
        let lines = base.get(block)?;
        says_enough(lines).then(|| Block {
            path,
            lines: lines.iter().map(|line| line.to_vec()).collect(),
        })
    });
    Ok(blocks.collect())
}

/// Whether both sides have fewer of some lines: cheaper to ask than where.
fn may_be_gone(base: &[&[u8]], ours: &[&[u8]], theirs: &[&[u8]]) -> bool {
    let mut counts: HashMap<&[u8], [usize; 3]> = HashMap::new();
    for (version, lines) in [base, ours, theirs].into_iter().enumerate() {
        for line in lines.iter().filter(|line| has_words(line)) {
            if let Some(count) = counts.entry(line).or_default().get_mut(version) {
                *count += 1;
            }
        }
    }
    let gone = counts
        .values()
        .map(|[base, ours, theirs]| base.saturating_sub(*ours.max(theirs)));
    gone.sum::<usize>() >= LEAST
}

fn says_enough(lines: &[&[u8]]) -> bool {
    lines.iter().filter(|line| has_words(line)).count() >= LEAST
}

/// The places of a base that a side took lines from.
fn removed(base: &[&[u8]], side: &[&[u8]]) -> HashSet<usize> {
    let edits = edits(Algorithm::Histogram, base, side);
    edits.into_iter().flat_map(|edit| edit.base).collect()
}

/// What a side put into files of its own version, of those that have some of the lines.
fn arrivals<'p>(
    repo: &Repo,
    paths: &'p Paths,
    side: Side,
    known: &HashSet<&[u8]>,
) -> Result<Vec<Arrival<'p>>, GitError> {
    let mut arrivals = Vec::new();
    for (path, versions) in paths {
        let now = side(versions);
        if now == versions.base || now.is_none() {
            continue;
        }
        let now = text(repo, now)?;
        let now = lines_of(&now);
        if !now.iter().any(|line| known.contains(line)) {
            continue;
        }
        let base = text(repo, versions.base)?;
        for edit in edits(Algorithm::Histogram, &lines_of(&base), &now) {
            let lines = now.get(edit.new).unwrap_or_default();
            if says_enough(lines) {
                let lines = lines.iter().map(|line| line.to_vec()).collect();
                arrivals.push(Arrival { path, lines });
            }
        }
    }
    Ok(arrivals)
}

/// The blocks that the mover put elsewhere, that the deleter has nowhere, and that the result has.
fn found_in(
    repo: &Repo,
    paths: &Paths,
    gone: &[Block<'_>],
    (by_mover, by_deleter): (&[Arrival<'_>], &[Arrival<'_>]),
    deleter: &str,
) -> Result<Vec<RevivedLine>, GitError> {
    let mut found = Vec::new();
    for block in gone {
        for arrival in by_mover.iter().filter(|arrival| arrival.path != block.path) {
            let run = common(block, arrival);
            if !says_enough(&run) {
                continue;
            }
            let is_moved_too = by_deleter.iter().any(|other| {
                let other: Vec<&[u8]> = other.lines.iter().map(Vec::as_slice).collect();
                place(&run, &other).is_some()
            });
            if is_moved_too {
                continue;
            }
            let result = paths.get(arrival.path).and_then(|versions| versions.result);
            let result = text(repo, result)?;
            let result = lines_of(&result);
            let Some(at) = place(&run, &result) else {
                continue;
            };
            let lines = run.iter().zip(at + 1..).filter(|(line, _)| !is_blank(line));
            found.extend(lines.map(|(line, at)| RevivedLine {
                file: path_name(arrival.path),
                line: at as u64,
                text: String::from_utf8_lossy(line).into_owned(),
                removed_by: deleter.to_owned(),
            }));
        }
    }
    Ok(found)
}

/// What of a block is in an arrival, as one run.
fn common<'b>(block: &'b Block<'_>, arrival: &Arrival<'_>) -> Vec<&'b [u8]> {
    let lines = block.lines();
    let there: Vec<&[u8]> = arrival.lines.iter().map(Vec::as_slice).collect();
    if lines.len() * there.len() > LARGEST_SEARCH {
        return Vec::new();
    }
    let (from, _, length) = longest_common_run(&lines, &there);
    lines.get(from..from + length).unwrap_or_default().to_vec()
}

/// Where some lines hold a run.
fn place(run: &[&[u8]], lines: &[&[u8]]) -> Option<usize> {
    lines.windows(run.len()).position(|window| window == run)
}

/// Empty where there is no text to search.
fn text(repo: &Repo, entry: Option<Entry>) -> Result<Vec<u8>, GitError> {
    let Some(entry) = entry.filter(|entry| entry.kind.is_regular()) else {
        return Ok(Vec::new());
    };
    if repo.blob_size(entry.id)? > LARGEST_FILE {
        return Ok(Vec::new());
    }
    let mut bytes = repo.blob(entry.id)?;
    if is_binary(&bytes) {
        bytes.clear();
    }
    Ok(bytes)
}
