//! Lines that both sides put in at different places: git keeps both without a word, and so does the merged tree. And
//! lines that one side moved, and that a contested place has where they were.
//! They are counted, for somebody may have meant them once. Reads objects; decides nothing.

use std::collections::{HashMap, HashSet};

use similar::Algorithm;

use crate::git::{ChangedPath, Entry, GitError, Oid, Repo, is_binary, path_name};
use crate::text::counted;
use crate::types::merge::{DisplacedHunk, DisplacedKind, KeptTwice};

use super::edits::{Edit, edits, put_in_by_both};
use super::lines::{between_newlines, has_words, line_key};
use super::outcome::MergePlan;

/// More pairs of insertions than this are not compared with each other.
const MOST_PAIRS: usize = 10_000;

/// Finds them in a plan's tree, file by file.
pub(super) fn kept_twice(repo: &Repo, plan: &MergePlan) -> Result<Vec<KeptTwice>, GitError> {
    let changed = |commit: Oid| repo.changed_paths(plan.base_tree, repo.tree_of(commit)?);
    let theirs: HashMap<Vec<u8>, Option<Entry>> = changed(plan.branch)?
        .into_iter()
        .map(|change| (change.path, change.new))
        .collect();
    let mut found = Vec::new();
    for ChangedPath { path, old, new } in changed(plan.target)? {
        let (Some(our), Some(Some(their))) = (new, theirs.get(&path).copied()) else {
            continue;
        };
        let Some(result) = repo.entry_at(plan.tree, &path)? else {
            continue;
        };
        if [our.id, their.id].contains(&result.id) {
            continue;
        }
        let mut texts: [Vec<u8>; 4] = Default::default();
        let entries = [old, Some(our), Some(their), Some(result)];
        for (text, entry) in texts.iter_mut().zip(entries) {
            if let Some(entry) = entry.filter(|entry| entry.kind.is_regular()) {
                *text = repo.blob(entry.id)?;
            }
        }
        if texts.iter().any(|text| is_binary(text)) {
            continue;
        }
        let [.., result] = &texts;
        let file = path_name(&path);
        let decided = plan.displaced.iter();
        let decided = decided.filter(|hunk| hunk.file == file && has_branch_lines(hunk));
        let decided: Vec<&str> = decided.map(|hunk| hunk.incoming.as_str()).collect();
        let texts = texts.each_ref().map(Vec::as_slice);
        let all = [(in_file(texts), false), (moved(texts, &decided), true)];
        for (found_here, moved) in all {
            let Some((count, first)) = found_here else {
                continue;
            };
            let lines = between_newlines(result).into_iter().zip(1..);
            let lines = lines.filter(|(line, _)| line_key(line) == first);
            found.push(KeptTwice {
                file: file.clone(),
                count,
                first: String::from_utf8_lossy(first).trim().to_owned(),
                lines: lines.map(|(_, number)| number).collect(),
                moved,
            });
        }
    }
    found.sort_by(|a, b| a.file.cmp(&b.file));
    Ok(found)
}

/// Whether what is said to be the branch's side are lines of the branch: what a driver made was never anywhere else, and
/// a name or a link is no line.
fn has_branch_lines(hunk: &DisplacedHunk) -> bool {
    match hunk.kind {
        DisplacedKind::Text
        | DisplacedKind::DeletedByBranch
        | DisplacedKind::DeletedByTarget
        | DisplacedKind::Binary => true,
        DisplacedKind::Symlink
        | DisplacedKind::Mode
        | DisplacedKind::Renamed
        | DisplacedKind::Driven => false,
    }
}

/// Says it, as a note to the merge.
pub(super) fn said(twice: &KeptTwice) -> String {
    let what = if twice.moved {
        super::report::moved_said(twice.count)
    } else {
        let lines = counted(twice.count, "equal line");
        format!("both sides put in {lines}, kept twice")
    };
    format!("{}: {what}: {}{}", twice.file, twice.first, twice.place())
}

/// How many lines neither side has more often than the base, but the result has, given what was decided for contested
/// places that have them; and the first of them.
fn moved<'t>(texts: [&'t [u8]; 4], decided: &[&str]) -> Option<(u64, &'t [u8])> {
    let lines = decided.iter().flat_map(|text| text.lines());
    let decided: HashSet<&[u8]> = lines.map(|line| line_key(line.as_bytes())).collect();
    if decided.is_empty() {
        return None;
    }
    let mut counts: HashMap<&[u8], [u64; 4]> = HashMap::new();
    for (version, text) in texts.into_iter().enumerate() {
        for line in between_newlines(text) {
            if let Some(count) = counts.entry(line_key(line)).or_default().get_mut(version) {
                *count += 1;
            }
        }
    }
    let more = |line: &[u8]| match counts.get(line) {
        Some([base, ours, theirs, result]) if decided.contains(line) && has_words(line) => {
            let is_wanted = *ours > *base || *theirs > *base;
            let more = result.saturating_sub(*base);
            if is_wanted { 0 } else { more }
        }
        Some(_) | None => 0,
    };
    let [.., result] = texts;
    let mut lines = between_newlines(result).into_iter().map(line_key);
    let first = lines.find(|line| more(line) > 0)?;
    Some((counts.keys().map(|line| more(line)).sum(), first))
}

/// How many lines are there twice because both sides put them in, and the first of them. A line that two larger
/// insertions have in common by chance does not count.
fn in_file<'t>(texts: [&'t [u8]; 4]) -> Option<(u64, &'t [u8])> {
    let [base, ours, theirs, result] = texts.map(|text| -> Vec<&[u8]> {
        let lines = between_newlines(text).into_iter();
        lines.map(line_key).collect()
    });
    let mut counts: HashMap<&[u8], [usize; 4]> = HashMap::new();
    for (version, lines) in [&base, &ours, &theirs, &result].into_iter().enumerate() {
        for line in lines {
            if let Some(count) = counts.entry(line).or_default().get_mut(version) {
                *count += 1;
            }
        }
    }
    // New on both sides, or moved by both: of many equal lines, nobody knows.
    let is_new = |line: &[u8]| {
        let is_meant = |[base, ours, theirs, _]: &[usize; 4]| {
            *base == 0 || base == ours && base == theirs && *base == 1
        };
        has_words(line) && counts.get(line).is_some_and(is_meant)
    };
    let mut left: HashMap<&[u8], usize> = HashMap::new();
    for (line, [_, ours, theirs, result]) in &counts {
        let more = result.saturating_sub(*ours.max(theirs));
        if more > 0 && *ours > 0 && *theirs > 0 && is_new(line) {
            left.insert(line, more);
        }
    }
    if left.is_empty() {
        return None;
    }
    let put_in = |lines: &[&'t [u8]]| -> Vec<Vec<&'t [u8]>> {
        let parts = edits(Algorithm::Histogram, &base, lines).into_iter();
        let parts = parts.map(|Edit { new, .. }| lines.get(new).unwrap_or_default().to_vec());
        parts
            .filter(|part| part.iter().any(|line| left.contains_key(line)))
            .collect()
    };
    let (mine, others) = (put_in(&ours), put_in(&theirs));
    if mine.len().saturating_mul(others.len()) > MOST_PAIRS {
        return None;
    }
    let pairs = mine
        .iter()
        .flat_map(|one| others.iter().map(move |two| (one, two)));
    let shared: HashSet<&[u8]> = pairs
        .flat_map(|(one, two)| put_in_by_both(one, two, is_new))
        .filter(|line| left.contains_key(line))
        .collect();
    let count: usize = shared.iter().filter_map(|line| left.get(line)).sum();
    let first = ours.iter().find(|line| shared.contains(*line))?;
    Some((count as u64, first))
}

#[cfg(test)]
mod tests {
    use super::in_file;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn no_more_is_counted_than_the_result_has_beyond_each_side(
            versions in prop::array::uniform4("([abc{]\n){0,8}")
        ) {
            let times = |text: &str, wanted: &str| text.lines().filter(|line| *line == wanted).count();
            let [base, ours, theirs, result] = &versions;
            let more = |line: &str| {
                let sides = times(ours, line).max(times(theirs, line));
                match times(base, line) {
                    0 | 1 => times(result, line).saturating_sub(sides),
                    _known => 0,
                }
            };
            let most: usize = ["a", "b", "c"].map(more).iter().sum();
            let found = in_file(versions.each_ref().map(|text| text.as_bytes()));
            let (count, first) = found.unwrap_or_default();
            prop_assert!(count as usize <= most, "{count} of {most}");
            prop_assert!((count == 0) == first.is_empty());
        }
    }

    fn twice(texts: [&'static str; 4]) -> Option<(u64, &'static str)> {
        let (count, first) = in_file(texts.map(str::as_bytes))?;
        Some((count, std::str::from_utf8(first).unwrap()))
    }

    #[test]
    fn what_both_sides_put_in_at_different_places_is_counted_and_nothing_else() {
        let base = "1\n2\n3\n4\n5\n6\n";
        let ours = "new\n1\n2\n3\n4\n5\n6\n";
        let theirs = "1\n2\n3\n4\n5\n6\nnew\n";
        let result = "new\n1\n2\n3\n4\n5\n6\nnew\n";
        assert_eq!(twice([base, ours, theirs, result]), Some((1, "new")));
        let once = "new\n1\n2\n3\n4\n5\n6\n";
        assert_eq!(twice([base, ours, theirs, once]), None, "there once");
        let other = "1\n2\n3\n4\n5\n6\nother\n";
        let both = "new\n1\n2\n3\n4\n5\n6\nother\n";
        assert_eq!(twice([base, ours, other, both]), None, "not the same");
        let known = [
            "1\nnew\n3\n",
            "new\n1\nnew\n3\n",
            "1\nnew\n3\nnew\n",
            "new\n1\nnew\n3\nnew\n",
        ];
        assert_eq!(twice(known), None, "one of many");
        let moved = [
            "block\nmore\n1\n2\n3\n4\n5\n6\n",
            "1\n2\n3\nblock\nmore\n4\n5\n6\n",
            "1\n2\n3\n4\n5\n6\nblock\nmore\n",
            "1\n2\n3\nblock\nmore\n4\n5\n6\nblock\nmore\n",
        ];
        assert_eq!(twice(moved), Some((2, "block")), "both moved it");
        let [base, ours, theirs, _] = moved;
        assert_eq!(twice([base, ours, theirs, theirs]), None);
    }

    #[test]
    fn a_line_that_two_functions_have_in_common_is_no_double() {
        let base = "1\n2\n3\n4\n";
        let one = "fn a() {\nlet out = new();\nput(1);\nend(a);\n}\n";
        let two = "fn b() {\nlet out = new();\nput(2);\nend(b);\n}\n";
        let texts = [
            base.to_owned(),
            format!("{one}{base}"),
            format!("{base}{two}"),
            format!("{one}{base}{two}"),
        ];
        assert_eq!(in_file(texts.each_ref().map(|text| text.as_bytes())), None);
        let texts = [
            base.to_owned(),
            format!("{one}{base}"),
            format!("{base}{two}{one}"),
            format!("{one}{base}{two}{one}"),
        ];
        let found = in_file(texts.each_ref().map(|text| text.as_bytes()));
        assert_eq!(found, Some((4, &b"fn a() {"[..])));
    }
}
