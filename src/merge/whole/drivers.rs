//! How the project wants single files to be merged: the attribute `merge`, and the programs it names. What such a
//! program leaves out of a result is displaced by it. Reads objects; moves nothing.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use crate::git::{
    ConflictedPath, Entry, GitError, GitVersion, MergedTree, Oid, Repo, git, is_at_least,
    is_binary, merge_default, path_bytes,
};

use crate::merge::lines::{between_newlines, is_blank, line_key};
use crate::merge::outcome::MergePlan;

/// What the attribute `merge` of a file says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::merge) enum Manner {
    /// Line by line, as everything that has no such attribute.
    Lines,
    /// `merge=union`.
    Union,
    /// `-merge`, `binary`: not as a text.
    Whole,
    /// By this program of the user's.
    Driver(String),
}

/// A file that both sides changed and a driver merged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::merge) struct Driven {
    pub(in crate::merge) path: Vec<u8>,
    pub(in crate::merge) driver: String,
    pub(in crate::merge) base: Option<Entry>,
    pub(in crate::merge) ours: Entry,
    pub(in crate::merge) theirs: Entry,
    /// What the driver made.
    pub(in crate::merge) result: Entry,
}

/// Looks the attribute up for some paths, as the target has it; where there is none, git's setting `merge.default`.
pub(in crate::merge) fn manners<'p>(
    repo: &Repo,
    target: Oid,
    paths: impl Iterator<Item = &'p [u8]>,
    drivers: &BTreeSet<String>,
) -> Result<HashMap<Vec<u8>, Manner>, GitError> {
    let mut stdin = Vec::new();
    for path in paths {
        stdin.extend_from_slice(path);
        stdin.push(0);
    }
    let mut manners = HashMap::new();
    if stdin.is_empty() {
        return Ok(manners);
    }
    let mut call = git(repo.path());
    if is_at_least(GitVersion::READS_ATTRIBUTES_FROM_TREES)? {
        call = call.global(format!("--attr-source={target}"));
    }
    let output = call
        .args(["check-attr", "-z", "--stdin", "merge"])
        .stdin(stdin)
        .run()?;
    let default = merge_default(repo)?;
    let mut fields = output.stdout.split(|byte| *byte == 0);
    while let (Some(path), Some(_), Some(value)) = (fields.next(), fields.next(), fields.next()) {
        let value = match (String::from_utf8_lossy(value), &default) {
            (value, Some(default)) if value == "unspecified" => Cow::Borrowed(default.as_str()),
            (value, Some(_) | None) => value,
        };
        let manner = match value.as_ref() {
            // A name that has a program stands for that, whatever it is.
            name if drivers.contains(name) => Manner::Driver(name.to_owned()),
            "union" => Manner::Union,
            "unset" | "binary" => Manner::Whole,
            _lines => Manner::Lines,
        };
        manners.insert(path.to_vec(), manner);
    }
    Ok(manners)
}

/// The files that git left to a driver and that came out without a conflict.
pub(in crate::merge) fn driven(
    repo: &Repo,
    plan: &MergePlan,
    merged: &MergedTree,
    drivers: &BTreeSet<String>,
) -> Result<Vec<Driven>, GitError> {
    if drivers.is_empty() {
        return Ok(Vec::new());
    }
    let mut both = Vec::new();
    for met in met(repo, plan)? {
        let is_open = |conflict: &ConflictedPath| conflict.path == met.path;
        if merged.conflicts.iter().any(is_open) {
            continue;
        }
        if let Some(result) = repo.entry_at(merged.tree, &met.path)? {
            both.push(Driven {
                path: met.path,
                driver: String::new(),
                base: met.base,
                ours: met.ours,
                theirs: met.theirs,
                result,
            });
        }
    }
    let paths = both.iter().map(|driven| driven.path.as_slice());
    let mut manners = manners(repo, plan.target, paths, drivers)?;
    both.retain_mut(|driven| match manners.remove(&driven.path) {
        Some(Manner::Driver(name)) => {
            driven.driver = name;
            true
        }
        Some(Manner::Lines | Manner::Union | Manner::Whole) | None => false,
    });
    Ok(both)
}

/// A file that both sides changed, each in its own way.
pub(super) struct Met {
    pub(super) path: Vec<u8>,
    base: Option<Entry>,
    ours: Entry,
    theirs: Entry,
}

/// The files that both sides of a plan changed and have, by their paths.
pub(super) fn met(repo: &Repo, plan: &MergePlan) -> Result<Vec<Met>, GitError> {
    let changed = |commit| -> Result<HashMap<Vec<u8>, Change>, GitError> {
        let paths = repo.changed_paths(plan.base_tree, repo.tree_of(commit)?)?;
        let paths = paths.into_iter();
        Ok(paths
            .filter_map(|changed| Some((changed.path, (changed.old, changed.new?))))
            .collect())
    };
    let (ours, theirs) = (changed(plan.target)?, changed(plan.branch)?);
    let both = ours.into_iter().filter_map(|(path, (base, ours))| {
        let (_, theirs) = *theirs.get(&path)?;
        (ours.id != theirs.id).then_some(Met {
            path,
            base,
            ours,
            theirs,
        })
    });
    let mut both: Vec<Met> = both.collect();
    both.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(both)
}

/// What git made of two commits, with the files conflicting in which a driver has left conflict markers: it has given
/// up on them, whatever it says by its exit code. The other files that drivers merged are returned besides.
pub(in crate::merge) fn without_given_up(
    repo: &Repo,
    merged: Arc<MergedTree>,
    driven: Vec<Driven>,
) -> Result<(Arc<MergedTree>, Vec<Driven>), GitError> {
    let (mut done, mut given_up) = (Vec::new(), Vec::new());
    for file in driven {
        if leaves_markers(repo, &file)? {
            given_up.push(ConflictedPath {
                path: file.path,
                base: file.base,
                ours: Some(file.ours),
                theirs: Some(file.theirs),
            });
        } else {
            done.push(file);
        }
    }
    if given_up.is_empty() {
        return Ok((merged, done));
    }
    let mut merged = Arc::unwrap_or_clone(merged);
    merged.conflicts.extend(given_up);
    merged.conflicts.sort_by(|a, b| a.path.cmp(&b.path));
    Ok((Arc::new(merged), done))
}

fn leaves_markers(repo: &Repo, file: &Driven) -> Result<bool, GitError> {
    let result = repo.blob(file.result.id)?;
    if !file.result.kind.is_regular() || is_binary(&result) {
        return Ok(false);
    }
    let mut known = Vec::new();
    for side in [file.base, Some(file.ours), Some(file.theirs)] {
        if let Some(entry) = side.filter(|entry| entry.kind.is_regular()) {
            known.push(repo.blob(entry.id)?);
        }
    }
    Ok(has_new_markers(&result, &known))
}

/// Whether a text has a line that begins and one that ends a conflict, neither of which a side has.
fn has_new_markers(result: &[u8], known: &[Vec<u8>]) -> bool {
    let known: HashSet<&[u8]> = known
        .iter()
        .flat_map(|text| between_newlines(text))
        .map(line_key)
        .collect();
    let lines: Vec<&[u8]> = between_newlines(result).into_iter().map(line_key).collect();
    let has = |sign: u8| {
        lines
            .iter()
            .any(|line| is_marker(line, sign) && !known.contains(line))
    };
    has(b'<') && has(b'>')
}

/// Seven or more of the sign, and nothing or a name after it.
fn is_marker(line: &[u8], sign: u8) -> bool {
    let length = line.iter().take_while(|byte| **byte == sign).count();
    length >= 7 && matches!(line.get(length), None | Some(b' '))
}

/// The files of a plan that a driver merged, with what it made of them.
pub(in crate::merge) fn made_by_drivers(
    repo: &Repo,
    plan: &MergePlan,
) -> Result<Vec<(String, Oid)>, GitError> {
    let Some(merged) = &plan.merged else {
        return Ok(Vec::new());
    };
    let mut made = Vec::new();
    for file in &plan.driven {
        if let Some(entry) = repo.entry_at(merged.tree, &path_bytes(file))? {
            made.push((file.clone(), entry.id));
        }
    }
    Ok(made)
}

/// A file as it was and as it is.
type Change = (Option<Entry>, Entry);

/// What a result has not that a side has and the other one did not take out: its lines, or that there is
/// something which cannot be told in lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::merge) enum LeftOut {
    Nothing,
    Lines(Missing),
    Content,
}

/// The lines that are due in a result and not there.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(in crate::merge) struct Missing {
    pub(in crate::merge) ours: Vec<MissingLine>,
    /// Those that the target does not have.
    pub(in crate::merge) theirs: Vec<MissingLine>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::merge) struct MissingLine {
    /// In the version of its side, from 1.
    pub(in crate::merge) number: u64,
    pub(in crate::merge) text: String,
}

impl Missing {
    pub(in crate::merge) fn all(&self) -> impl Iterator<Item = &MissingLine> {
        self.ours.iter().chain(&self.theirs)
    }
}

/// Compares a file in place of a driver's result with what the sides have.
pub(in crate::merge) fn left_out(
    repo: &Repo,
    file: &Driven,
    result: Entry,
) -> Result<LeftOut, GitError> {
    let entries = [file.base, Some(file.ours), Some(file.theirs), Some(result)];
    let mut texts: [Vec<u8>; 4] = Default::default();
    for (text, entry) in texts.iter_mut().zip(entries) {
        let Some(entry) = entry else { continue };
        *text = repo.blob(entry.id)?;
        if !entry.kind.is_regular() || is_binary(text) {
            return Ok(LeftOut::Content);
        }
    }
    let lines = missing(texts.each_ref().map(Vec::as_slice));
    Ok(if lines.all().next().is_none() {
        LeftOut::Nothing
    } else {
        LeftOut::Lines(lines)
    })
}

/// The lines of base, ours and theirs that are due in the result and not there.
fn missing([base, ours, theirs, result]: [&[u8]; 4]) -> Missing {
    let numbered = |text| {
        let lines = between_newlines(text).into_iter().map(line_key);
        (1..).zip(lines).filter(|(_, line)| !is_blank(line))
    };
    let lines = |text| numbered(text).map(|(_, line)| line);
    let mut counts: HashMap<&[u8], [usize; 4]> = HashMap::new();
    for (version, text) in [base, ours, theirs, result].into_iter().enumerate() {
        for line in lines(text) {
            if let Some(count) = counts.entry(line).or_default().get_mut(version) {
                *count += 1;
            }
        }
    }
    let mut due: HashMap<&[u8], usize> = HashMap::new();
    for (line, [base, ours, theirs, result]) in counts {
        let wanted = if ours >= base && theirs >= base {
            ours + theirs - base
        } else {
            let kept = |side: usize, other: usize| side.saturating_sub(base.saturating_sub(other));
            kept(ours, theirs).max(kept(theirs, ours))
        };
        due.insert(line, wanted.saturating_sub(result));
    }
    let mut of_side = |text| {
        let mut missing = Vec::new();
        for (number, line) in numbered(text) {
            if let Some(left) = due.get_mut(line).filter(|left| **left > 0) {
                *left -= 1;
                let text = String::from_utf8_lossy(line).into_owned();
                missing.push(MissingLine { number, text });
            }
        }
        missing
    };
    Missing {
        ours: of_side(ours),
        theirs: of_side(theirs),
    }
}

#[cfg(test)]
mod tests {
    use super::{has_new_markers, missing};

    #[test]
    fn markers_are_a_drivers_only_if_no_side_has_them() {
        let made = b"a\n<<<<<<< ours\nb\n=======\nc\n>>>>>>> theirs\n";
        let sides = |texts: [&str; 2]| texts.map(|text| text.as_bytes().to_vec());
        assert!(has_new_markers(made, &sides(["a\nb\n", "a\nc\n"])));
        assert!(has_new_markers(
            b"<<<<<<<<<\r\n>>>>>>>>>\r\n",
            &sides(["", ""])
        ));
        let explains = "<<<<<<< ours\n=======\n>>>>>>> theirs\n";
        assert!(!has_new_markers(made, &sides([explains, "a\nc\n"])));
        assert!(!has_new_markers(b"<<<<<<<\n=======\n", &sides(["", ""])));
        assert!(!has_new_markers(b"<<<<<<<a\n>>>>>>>b\n", &sides(["", ""])));
    }

    #[test]
    fn what_a_driver_left_out_is_what_a_side_has_and_nobody_took_out() {
        let texts = |texts: [&'static str; 4]| -> Vec<String> {
            let missing = missing(texts.map(str::as_bytes));
            missing.all().map(|line| line.text.clone()).collect()
        };
        let (base, ours, theirs) = ("a\nb\n", "a\nours\n", "a\nb\ntheirs\n");
        assert_eq!(texts([base, ours, theirs, ours]), ["theirs"]);
        assert_eq!(texts([base, ours, theirs, theirs]), ["ours"]);
        assert_eq!(
            texts([base, ours, theirs, "new\n"]),
            ["a", "ours", "theirs"]
        );
        assert!(texts([base, ours, theirs, "a\ntheirs\nours\n"]).is_empty());
    }
}
