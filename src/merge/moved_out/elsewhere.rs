//! Whether a block stands in any other file of the merge: then nobody can say that it went from the one place to the
//! other. Reads trees and blobs.

use std::collections::{HashMap, HashSet};

use crate::git::{ConflictedPath, GitError, Oid, Repo};
use crate::merge::lines::has_words;
use crate::merge::outcome::MergePlan;

use super::candidates::text;

/// A block with the file that it went to.
pub(super) struct Gone<'a> {
    pub(super) block: &'a [&'a [u8]],
    pub(super) to: &'a [u8],
}

/// Tells whether one of the blocks, also with a few changes in it, stands in a file of the base or of a side that is
/// neither the conflicted one nor the one that it went to.
pub(super) fn stand_elsewhere(
    repo: &Repo,
    plan: &MergePlan,
    conflict: &ConflictedPath,
    blocks: &[Gone<'_>],
) -> Result<bool, GitError> {
    let trees = [
        (plan.base_tree, conflict.base),
        (repo.tree_of(plan.target)?, conflict.ours),
        (repo.tree_of(plan.branch)?, conflict.theirs),
    ];
    // The same content again says nothing new, but for another block that went there.
    let mut seen: HashSet<(usize, Oid)> = HashSet::new();
    for (tree, version) in trees {
        let is_renamed = repo.entry_at(tree, &conflict.path)?.is_none();
        for (path, entry) in repo.files_in(tree)? {
            if path == conflict.path || is_renamed && version == Some(entry) {
                continue;
            }
            let mut lines: Option<Vec<Vec<u8>>> = None;
            for (at, gone) in blocks.iter().enumerate() {
                if path == gone.to || !seen.insert((at, entry.id)) {
                    continue;
                }
                let lines = match &mut lines {
                    Some(lines) => lines,
                    None => lines.insert(said(&text(repo, entry)?.unwrap_or_default())),
                };
                if stands_in(gone.block, lines) {
                    return Ok(true);
                }
            }
        }
    }
    Ok(false)
}

/// The lines that say something, however deep they stand.
fn said(text: &[u8]) -> Vec<Vec<u8>> {
    let lines = text.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii);
    let lines = lines.filter(|line| has_words(line));
    lines.map(<[u8]>::to_vec).collect()
}

/// Tells whether three of four lines of a block stand close together. Their order is not asked for: in doubt, they do.
fn stands_in(block: &[&[u8]], lines: &[Vec<u8>]) -> bool {
    let mut left: HashMap<&[u8], i64> = HashMap::new();
    let mut length = 0_usize;
    for line in block.iter().filter(|line| has_words(line)) {
        *left.entry(line.trim_ascii()).or_default() += 1;
        length += 1;
    }
    let least = (length * 3).div_ceil(4);
    let span = length + length / 2;
    let mut found = 0_usize;
    for (at, line) in lines.iter().enumerate() {
        if let Some(left) = left.get_mut(line.as_slice()) {
            found += usize::from(*left > 0);
            *left -= 1;
        }
        let passed = at.checked_sub(span).and_then(|at| lines.get(at));
        if let Some(left) = passed.and_then(|line| left.get_mut(line.as_slice())) {
            *left += 1;
            found -= usize::from(*left > 0);
        }
        if length > 0 && found >= least {
            return true;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::{said, stands_in};

    #[test]
    fn a_block_with_a_few_changes_is_the_same_and_scattered_lines_are_not() {
        let block: Vec<&[u8]> = vec![b"  one", b"  two", b"}", b"  three", b"  four"];
        for (text, expected) in [
            ("zero\none\ntwo\n}\nthree\nfour\n", true),
            ("\tone\n\ttwo\n\tthree and more\n\tfour\n", true),
            ("one\ntwo\nthree\n", true),
            ("one\ntwo\ntwo\ntwo\n", false),
            (
                "one\nx\ny\nz\nu\nv\ntwo\nx\ny\nz\nu\nv\nthree\nfour\n",
                false,
            ),
            ("", false),
        ] {
            assert_eq!(
                stands_in(&block, &said(text.as_bytes())),
                expected,
                "{text}"
            );
        }
    }
}
