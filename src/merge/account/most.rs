//! How often a line may be in a file that our own rules settled: as often as the sides left it in its place, and
//! as often as they put it in. What both put in at one place counts once, unless the two are different
//! additions that only look alike. Nothing is doubled unsaid, whichever rule was at work.

use std::borrow::Cow;
use std::collections::HashMap;

use similar::Algorithm;

use crate::git::{GitError, Oid, Repo};
use crate::merge::conflict::bytes_as_listed;
use crate::merge::edits::{Edit, edits, put_in_by_both};
use crate::merge::lines::{has_words, is_blank, without};
use crate::merge::outcome::{LineProblem, UnaccountedLine};

use super::check::{Account, Declared, Source};
use super::places::texts;
use super::tally::lines_of;

/// Adds the lines to an account that a settled file has too often.
pub(super) fn check_most(
    repo: &Repo,
    account: &mut Account,
    result: Oid,
    declared: Declared<'_>,
) -> Result<(), GitError> {
    match declared.source {
        Source::Engine => {}
        // There, somebody has said so, and it is listed.
        Source::Chosen | Source::Written => return Ok(()),
    }
    for file in declared.versions.iter().filter(|file| file.by_lines) {
        let result = repo.entry_at(result, file.path.as_bytes())?;
        let Some(versions) = texts(repo, file, result)? else {
            continue;
        };
        let [base, ours, theirs, result] = versions.each_ref().map(|text| lines_of(text));
        let contested = declared.displaced.iter().filter(|d| d.file == file.path);
        let contested = contested.map(|hunk| {
            [
                Cow::Borrowed(hunk.base.as_bytes()),
                bytes_as_listed(&hunk.text, &hunk.text_bytes),
                bytes_as_listed(&hunk.incoming, &hunk.incoming_bytes),
            ]
        });
        let contested: Vec<[Cow<'_, [u8]>; 3]> = contested.collect();
        let listed = contested.iter().flat_map(|texts| {
            let [base, ours, theirs] = texts.each_ref().map(|text| lines_of(text));
            doubled_there(&base, &ours, &theirs)
        });
        for line in too_many([&base, &ours, &theirs, &result], listed) {
            account.unaccounted.push(UnaccountedLine {
                file: file.path.clone(),
                text: String::from_utf8_lossy(line).into_owned(),
                problem: LineProblem::Repeated,
            });
        }
    }
    Ok(())
}

/// What the branch's side of a contested place may double: what it left of the base there, and what the target put in,
/// too. Both are listed with the place.
pub(super) fn doubled_there<'a>(
    base: &[&'a [u8]],
    ours: &[&'a [u8]],
    theirs: &[&'a [u8]],
) -> Vec<&'a [u8]> {
    without(theirs, &without(theirs, &[base, ours].concat()))
}

type Counts<'a> = HashMap<&'a [u8], u64>;

/// The lines that a result has more often than the versions allow, once for each time too many.
pub(super) fn too_many<'a, 'l: 'a>(
    [base, ours, theirs, result]: [&[&'a [u8]]; 4],
    listed: impl Iterator<Item = &'l [u8]>,
) -> Vec<&'a [u8]> {
    // Where several equal lines could have been moved, either reading may be the right one.
    let readings = [Algorithm::Histogram, Algorithm::Myers].map(|algorithm| {
        let (mine, other) = (edits(algorithm, base, ours), edits(algorithm, base, theirs));
        most([base, ours, theirs], &mine, &other)
    });
    let mut listed_too: Counts<'_> = HashMap::new();
    count(&mut listed_too, listed);
    let [mut in_ours, mut in_theirs, mut in_result] = [(); 3].map(|()| Counts::new());
    count(&mut in_ours, ours.iter().copied());
    count(&mut in_theirs, theirs.iter().copied());
    count(&mut in_result, result.iter().copied());
    let of = |counts: &Counts<'_>, line: &[u8]| counts.get(line).copied().unwrap_or(0);
    let mut found = Vec::new();
    for (line, there) in &in_result {
        let in_sides = of(&in_ours, line).max(of(&in_theirs, line));
        if in_sides == 0 {
            // Nobody's line: whether it may be there is asked elsewhere.
            continue;
        }
        let by_reading = readings.iter().map(|most| of(most, line)).max();
        let most = by_reading.unwrap_or(0).max(in_sides) + of(&listed_too, line);
        let extra = there.saturating_sub(most);
        found.extend(std::iter::repeat_n(
            *line,
            usize::try_from(extra).unwrap_or(0),
        ));
    }
    // Sorted, so that the same merge always reports the same lines.
    found.sort_unstable();
    found
}

/// How often each line may be there, in one reading of what the sides did.
fn most<'a>([base, ours, theirs]: [&[&'a [u8]]; 3], mine: &[Edit], other: &[Edit]) -> Counts<'a> {
    let text = |lines: &[&'a [u8]], edit: &Edit| -> Vec<&'a [u8]> {
        lines.get(edit.new.clone()).unwrap_or_default().to_vec()
    };
    let mut is_kept = vec![true; base.len()];
    for at in mine.iter().chain(other).flat_map(|edit| edit.base.clone()) {
        if let Some(kept) = is_kept.get_mut(at) {
            *kept = false;
        }
    }
    let mut kept = Counts::new();
    let left = base.iter().zip(is_kept).filter(|(_, kept)| *kept);
    count(&mut kept, left.map(|(line, _)| *line));
    let mut most = Counts::new();
    for (lines, edits) in [(ours, mine), (theirs, other)] {
        for edit in edits {
            count(&mut most, text(lines, edit).into_iter());
        }
    }
    let is_telling = |line: &[u8]| has_words(line) && !kept.contains_key(line);
    let mut from = 0;
    for edit in mine {
        while other
            .get(from)
            .is_some_and(|o| o.base.end < edit.base.start)
        {
            from += 1;
        }
        let near = other.iter().skip(from);
        for other in near.take_while(|other| other.base.start <= edit.base.end) {
            let (one, two) = (text(ours, edit), text(theirs, other));
            for line in put_in_by_both(&one, &two, is_telling) {
                most.entry(line).and_modify(|n| *n = n.saturating_sub(1));
            }
        }
    }
    // A line of which some stay may be one that a side brought back, too.
    count(
        &mut most,
        base.iter().copied().filter(|line| !is_telling(line)),
    );
    most
}

fn count<'a>(counts: &mut Counts<'a>, lines: impl Iterator<Item = &'a [u8]>) {
    for line in lines.filter(|line| !is_blank(line)) {
        *counts.entry(line).or_default() += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::too_many;

    fn extra(base: &str, ours: &str, theirs: &str, result: &str) -> String {
        let versions = [base, ours, theirs, result]
            .map(|text| -> Vec<&[u8]> { text.split_whitespace().map(str::as_bytes).collect() });
        let [base, ours, theirs, result] = versions.each_ref().map(Vec::as_slice);
        let found = too_many([base, ours, theirs, result], std::iter::empty());
        String::from_utf8(found.join(&b' ')).unwrap()
    }

    #[test]
    fn what_both_put_in_at_one_place_is_there_once() {
        let (ours, theirs) = ("a s1 s2 s3 b c", "a s1 s2 s3 b2 c");
        assert_eq!(extra("a b c", ours, theirs, "a s1 s2 s3 b2 c"), "");
        let twice = "a s1 s2 s3 s1 s2 s3 b2 c";
        assert_eq!(extra("a b c", ours, theirs, twice), "s1 s2 s3");
    }

    #[test]
    fn what_one_side_moved_is_there_once() {
        let (base, ours, theirs) = ("a m1 m2 m3 b c", "a b if m1x m2 m3 c", "a m1x m2 m3 b c");
        assert_eq!(extra(base, ours, theirs, "a b if m1x m2 m3 c"), "");
        let both = "a m1x m2 m3 b if m1x m2 m3 c";
        assert_eq!(extra(base, ours, theirs, both), "m1x m2 m3");
    }

    #[test]
    fn additions_at_different_places_and_ones_that_look_alike_are_there_as_often() {
        assert_eq!(extra("a b c", "a x b c", "a b x c", "a x b x c"), "");
        let (ours, theirs) = ("a f1 test f2 } c", "a g1 test g2 } c");
        let both = "a f1 test f2 } g1 test g2 } c";
        assert_eq!(extra("a c", ours, theirs, both), "");
        assert_eq!(extra("a b b", "a b b b", "b b", "b b b"), "");
    }
}
