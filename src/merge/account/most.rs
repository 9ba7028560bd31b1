//! How often a line may be in a file that our own rules settled: as often as the sides left it in its place, and
//! as often as they put it in. What both put in at one place counts once, unless the two are different
//! additions that only look alike. Nothing is doubled unsaid, whichever rule was at work.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use crate::git::{GitError, Oid, Repo, path_bytes};
use crate::merge::conflict::bytes_as_listed;
use crate::merge::edits::{Edit, put_in_by_both};
use crate::merge::lines::{has_words, is_blank, without};
use crate::merge::outcome::{LineProblem, UnaccountedLine};

use super::check::{Account, Declared, Source};
use super::places::texts;
use super::tally::lines_of;
use super::texts::{Reading, Texts};

/// No more lines than this are compared for what both sides put in at one place. Beyond, all that both have counts as
/// that: then a file is refused rather than taken.
pub(in crate::merge) const MOST_LINES: usize = 20_000_000;

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
        Source::Chosen | Source::Filled | Source::Written => return Ok(()),
    }
    for file in declared.versions.iter().filter(|file| file.by_lines) {
        let result = repo.entry_at(result, &path_bytes(&file.path))?;
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
        let texts = Texts::new([&base, &ours, &theirs, &result]);
        for line in too_many(&texts, listed) {
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

/// The lines that a result has more often than the versions allow, once for each time too many.
pub(super) fn too_many<'a, 'l>(
    texts: &Texts<'a>,
    listed: impl Iterator<Item = &'l [u8]>,
) -> Vec<&'a [u8]> {
    // Where several equal lines could have been moved, either reading may be the right one.
    let readings = texts.readings().each_ref();
    let readings = readings.map(|reading| most(texts, reading));
    let mut listed_too: HashMap<u32, u64> = HashMap::new();
    for number in listed.filter_map(|line| texts.number(line)) {
        *listed_too.entry(number).or_default() += 1;
    }
    let mut found = Vec::new();
    for (number, line, counts) in texts.all() {
        let in_sides = counts.ours.max(counts.theirs);
        // Nobody's line: whether it may be there is asked elsewhere.
        if in_sides == 0 || counts.result <= in_sides || is_blank(line) {
            continue;
        }
        let by_reading = readings.iter().filter_map(|most| most.get(number as usize));
        let most = by_reading.max().copied().unwrap_or(0).max(in_sides);
        let listed = listed_too.get(&number).copied().unwrap_or(0);
        let extra = counts.result.saturating_sub(most + listed);
        found.extend(std::iter::repeat_n(
            line,
            usize::try_from(extra).unwrap_or(0),
        ));
    }
    // Sorted, so that the same merge always reports the same lines.
    found.sort_unstable();
    found
}

/// How often each line may be there, by number, in one reading of what the sides did.
fn most(texts: &Texts<'_>, reading: &Reading) -> Vec<u64> {
    let (mine, other) = (&reading.ours, &reading.theirs);
    let base = texts.base();
    let mut is_kept = vec![true; base.len()];
    for at in mine.iter().chain(other).flat_map(|edit| edit.base.clone()) {
        if let Some(kept) = is_kept.get_mut(at) {
            *kept = false;
        }
    }
    let mut is_left = vec![false; texts.counts.len()];
    let left = base.iter().zip(is_kept).filter(|(_, kept)| *kept);
    for (number, _) in left {
        if let Some(left) = is_left.get_mut(*number as usize) {
            *left = true;
        }
    }
    let is_left = |number: u32| is_left.get(number as usize) == Some(&true);
    let mut put_in: Vec<u32> = Vec::new();
    for (numbers, edits) in [(texts.ours(), mine), (texts.theirs(), other)] {
        let new = edits
            .iter()
            .filter_map(|edit| numbers.get(edit.new.clone()));
        put_in.extend(new.flatten());
    }
    let mut most = texts.counted(&put_in);
    let text = |numbers: &[u32], edit: &Edit| -> Vec<&[u8]> {
        let numbers = numbers.get(edit.new.clone()).unwrap_or_default();
        numbers.iter().map(|number| texts.line(*number)).collect()
    };
    let is_telling = |line: &[u8]| has_words(line) && !texts.number(line).is_some_and(&is_left);
    let mut from = 0;
    let mut left = MOST_LINES;
    for edit in mine {
        while other
            .get(from)
            .is_some_and(|o| o.base.end < edit.base.start)
        {
            from += 1;
        }
        let near = other.iter().skip(from);
        let mut near = near
            .take_while(|other| other.base.start <= edit.base.end)
            .peekable();
        if near.peek().is_none() {
            continue;
        }
        let one = text(texts.ours(), edit);
        let known: HashSet<&[u8]> = one.iter().copied().collect();
        for other in near {
            let two = text(texts.theirs(), other);
            let shared = two
                .iter()
                .filter(|line| known.contains(**line) && is_telling(line));
            let mut shared = shared.copied().collect::<Vec<_>>();
            // One long edit beside many short ones is compared with most of them for nothing.
            let compares = one.len() + two.len();
            if !shared.is_empty() && compares <= left {
                left -= compares;
                shared = put_in_by_both(&one, &two, is_telling);
            }
            for line in shared {
                let most = texts.number(line).and_then(|n| most.get_mut(n as usize));
                if let Some(most) = most {
                    *most = most.saturating_sub(1);
                }
            }
        }
    }
    // A line of which some stay may be one that a side brought back, too.
    for ((number, line, counts), most) in texts.all().zip(&mut most) {
        if counts.base > 0 && (is_left(number) || !has_words(line)) {
            *most += counts.base;
        }
    }
    most
}

#[cfg(test)]
mod tests {
    use super::{Texts, too_many};

    fn extra(base: &str, ours: &str, theirs: &str, result: &str) -> String {
        let versions = [base, ours, theirs, result]
            .map(|text| -> Vec<&[u8]> { text.split_whitespace().map(str::as_bytes).collect() });
        let [base, ours, theirs, result] = versions.each_ref().map(Vec::as_slice);
        let texts = Texts::new([base, ours, theirs, result]);
        let found = too_many(&texts, std::iter::empty());
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
