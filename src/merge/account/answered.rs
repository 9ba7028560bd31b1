//! Which files somebody had a say in, and under which names they go. Reads objects.

use std::collections::{BTreeMap, BTreeSet};

use crate::git::{GitError, RenamedPath, Repo, path_bytes, path_name, renamed_paths};
use crate::types::merge::DisplacedKind;

use super::check::{Declared, MergeTrees, Source, Versions};

/// The settled files of a result that somebody had a say in, each with its other names.
pub(super) fn answered_files(
    repo: &Repo,
    trees: MergeTrees,
    paths: &BTreeMap<Vec<u8>, Versions>,
    declared: Declared<'_>,
) -> Result<Vec<Vec<Vec<u8>>>, GitError> {
    match declared.source {
        Source::Engine => return Ok(Vec::new()),
        Source::Chosen | Source::Filled | Source::Written => {}
    }
    let mut pairs = renamed_paths(repo, trees.base, trees.ours)?;
    pairs.extend(renamed_paths(repo, trees.base, trees.theirs)?);
    for hunk in declared.displaced {
        if hunk.kind == DisplacedKind::Renamed {
            let others = [&hunk.base, &hunk.text, &hunk.incoming];
            pairs.extend(others.map(|other| RenamedPath {
                old: path_bytes(other).into_owned(),
                new: path_bytes(&hunk.file).into_owned(),
            }));
        }
    }
    pairs.extend(moved_whole(paths));
    let is_settled = |path: &Vec<u8>| {
        let file = path_name(path);
        declared.settled.contains(&file)
    };
    let mut seen: BTreeSet<Vec<u8>> = BTreeSet::new();
    let mut found = Vec::new();
    // The settled name comes first: it is the one that missing lines are reported for.
    for path in paths.keys().filter(|path| is_settled(path)) {
        if !seen.insert(path.clone()) {
            continue;
        }
        let mut names = vec![path.clone()];
        let mut at = 0;
        while let Some(name) = names.get(at).cloned() {
            for RenamedPath { old, new } in &pairs {
                let other = if *old == name {
                    new
                } else if *new == name {
                    old
                } else {
                    continue;
                };
                if seen.insert(other.clone()) {
                    names.push(other.clone());
                }
            }
            at += 1;
        }
        found.push(names);
    }
    Ok(found)
}

/// Files under a name that no side has, with content that a side has under a name that is gone: they
/// went along with a directory.
fn moved_whole(paths: &BTreeMap<Vec<u8>, Versions>) -> Vec<RenamedPath> {
    let mut pairs = Vec::new();
    for (new, to) in paths {
        if to.result.is_none() || to.base.or(to.ours).or(to.theirs).is_some() {
            continue;
        }
        for (old, from) in paths {
            if from.result.is_none() && (from.ours == to.result || from.theirs == to.result) {
                pairs.push(RenamedPath {
                    old: old.clone(),
                    new: new.clone(),
                });
            }
        }
    }
    pairs
}
