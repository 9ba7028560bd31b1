//! What somebody wrote, place by place.
//!
//! 1. *Landmarks* (see there) cut all versions and the answer into places, and a place by what is a landmark in it
//!    alone into smaller ones, until there is none. Places between which a side moved lines are one place. The
//!    answer has the landmarks in the same order, or it is refused; one that it lacks is lost, and separates nothing.
//! 2. A place that at most one side changed, or both alike, is in the answer what that side made of it: what is
//!    missing is lost, and with anything else in it, the answer is refused.
//! 3. In any other place lines are counted: each is there as often as `Counts::due` says or is lost, and what is there
//!    more often than both sides together left and added was brought back or made up.
//! 4. Nothing lost in one place is made up for in another, but for a new line that no side has twice in the place around
//!    both: that was moved. Between places that both sides changed, it may be; out of one that only one side changed,
//!    that is said.
//!
//! Nothing here knows how the merge engine reads the versions. Pure.

use std::collections::{HashMap, HashSet};

use super::between::{Place, between, positions};
use super::counts::Counts;
use super::findings::{Findings, is_one_line};
use super::landmarks::landmarks;
use super::reading::reading;
use super::reindented::take_reindented;
use super::tally::cut_lines;
use crate::merge::lines::{between_newlines, is_blank, line_key};

/// More misfits than any text has lines.
const REFUSED: u64 = 1 << 40;

/// Reads a text as the merge of three others. The inner error is the line at which it differs from what nobody
/// contested.
pub(super) fn judged<'a>(
    base: Option<&'a [u8]>,
    ours: &'a [u8],
    theirs: &'a [u8],
    result: &'a [u8],
) -> Result<Findings<'a>, Vec<u8>> {
    let whole = Place {
        base: base.map(counted_lines),
        ours: counted_lines(ours),
        theirs: counted_lines(theirs),
    };
    let answer = counted_lines(result);
    let mut said = judged_place(&whole, &answer).map_err(<[u8]>::to_vec)?;
    let counts = whole.counts(&answer);
    // New in its place, but a side has taken it out of the file.
    let is_removed = |line: &&[u8]| counts.get(line).is_some_and(Counts::is_removed);
    let (removed, invented): (Vec<&[u8]>, Vec<&[u8]>) =
        said.invented.iter().partition(|line| is_removed(line));
    said.invented = invented;
    for line in removed {
        let by = counts.get(line).map_or("both", Counts::remover);
        said.brought_back.push((line, by));
    }
    Ok(said)
}

/// The lines that count: a blank one may come and go.
pub(super) fn counted_lines(text: &[u8]) -> Vec<&[u8]> {
    let lines = between_newlines(text).into_iter().map(line_key);
    lines.filter(|line| !is_blank(line)).collect()
}

/// The error is a line that is not where it belongs.
pub(super) fn judged_place<'a>(
    place: &Place<'a>,
    answer: &[&'a [u8]],
) -> Result<Findings<'a>, &'a [u8]> {
    if let Some(agreed) = place.agreed() {
        return left_alone(agreed, answer);
    }
    let there = positions(answer);
    let mut marks = landmarks(&place.versions());
    marks.retain(|mark| there.contains_key(mark));
    if marks.is_empty() {
        return Ok(counted(&[(place, answer)]));
    }
    let parts = place.parts(&marks);
    let cost = |part: usize, text: &[&'a [u8]]| parts.get(part).map_or(0, |p| misfits(p, text));
    let texts = between(answer, &reading(&marks, answer, &there, cost)?);
    let mut sum = Findings::default();
    for group in place.linked(&marks) {
        let members: Vec<(&Place<'a>, &[&[u8]])> = group
            .into_iter()
            .filter_map(|number| Some((parts.get(number)?, *texts.get(number)?)))
            .collect();
        if members.len() == 1 || is_one_sided(&members) {
            for (part, text) in members {
                sum.add(judged_place(part, text)?);
            }
        } else {
            sum.add(counted(&members));
        }
    }
    sum.take_moved(&place.counts(answer));
    Ok(sum)
}

/// How many lines are too many or too few here, however the texts are read. What would be refused fits worse than
/// anything else.
fn misfits<'a>(place: &Place<'a>, answer: &[&'a [u8]]) -> u64 {
    if let Some(agreed) = place.agreed() {
        let said = left_alone(agreed, answer);
        return said.map_or(REFUSED, |said| said.lost.len() as u64);
    }
    let counts = place.counts(answer).into_values().map(|counts| {
        let (back, invented) = counts.too_many();
        back + invented + counts.least_due().saturating_sub(counts.result)
    });
    counts.sum()
}

/// Only one side did anything in any of the places: each of them is what that side made of it.
fn is_one_sided(places: &[(&Place<'_>, &[&[u8]])]) -> bool {
    let all = |is_so: fn(&Place<'_>) -> bool| places.iter().all(|(place, _)| is_so(place));
    all(|place| place.ours == place.base()) || all(|place| place.theirs == place.base())
}

/// What counting the lines of some places together tells.
fn counted<'a>(places: &[(&Place<'a>, &[&'a [u8]])]) -> Findings<'a> {
    let mut sums: HashMap<&'a [u8], Counts> = HashMap::new();
    for (place, answer) in places {
        for (line, counts) in place.counts(answer) {
            let sum = sums.entry(line).or_default();
            for version in 0..4 {
                let mut counts = counts;
                *sum.of(version) += *counts.of(version);
            }
        }
        for (line, cuts) in cut_lines(place.base(), &place.ours) {
            sums.entry(line).or_default().cut_by_ours += cuts;
        }
        for (line, cuts) in cut_lines(place.base(), &place.theirs) {
            sums.entry(line).or_default().cut_by_theirs += cuts;
        }
    }
    let mut said = Findings {
        moved: moved_between(places, &sums),
        ..Findings::default()
    };
    let mut lines: Vec<(&[u8], Counts)> = sums.into_iter().collect();
    // Sorted, so that the same answer is always told the same.
    lines.sort_unstable_by_key(|(line, _)| *line);
    for (line, counts) in lines {
        let times = |n: u64| std::iter::repeat_n(line, usize::try_from(n).unwrap_or(0));
        said.lost
            .extend(times(counts.due().saturating_sub(counts.result)));
        let (back, invented) = counts.too_many();
        let by = counts.remover();
        said.brought_back.extend(times(back).map(|line| (line, by)));
        said.invented.extend(times(invented));
    }
    let written = said.invented.iter().copied();
    take_reindented(&mut said.lost, |line| line, written);
    said
}

/// Lines that are not in the one of the places that only one side changed, to put them in. Where a side moved others
/// from one place to the other, counting them together does not tell.
fn moved_between<'a>(
    places: &[(&Place<'a>, &[&'a [u8]])],
    sums: &HashMap<&'a [u8], Counts>,
) -> Vec<&'a [u8]> {
    let mut moved = Vec::new();
    for (place, answer) in places {
        let there: HashSet<&[u8]> = answer.iter().copied().collect();
        let due = place.agreed().unwrap_or_default().iter();
        let is_due = |counts: &Counts| is_one_line(counts) && counts.ours + counts.theirs == 1;
        let away = due.filter(|line| sums.get(*line).is_some_and(is_due));
        moved.extend(away.filter(|line| !there.contains(**line)));
    }
    moved
}

/// Lines of a place that nobody contested may be missing, which is said; any other is in the way.
fn left_alone<'a>(agreed: &[&'a [u8]], answer: &[&'a [u8]]) -> Result<Findings<'a>, &'a [u8]> {
    let mut rest = answer.iter().peekable();
    let lost: Vec<&[u8]> = agreed
        .iter()
        .filter(|line| rest.next_if_eq(line).is_none())
        .copied()
        .collect();
    match rest.next() {
        Some(line) => Err(line),
        None => Ok(Findings {
            uncontested: lost.iter().copied().collect(),
            lost,
            ..Findings::default()
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BASE: &str = "top\nx0\nmid\ncheck\ndone\nlast\ny0\nend\n";
    const OURS: &str = "top\ncheck\nx1\nmid\ncheck\ndone\nlast\ny1\nend\n";
    const THEIRS: &str = "top\nx2\nmid\ndone\nlast\ny2\nend\n";

    fn said(answer: &'static str) -> Result<Findings<'static>, String> {
        let [base, ours, theirs] = [BASE, OURS, THEIRS].map(str::as_bytes);
        judged(Some(base), ours, theirs, answer.as_bytes())
            .map_err(|line| String::from_utf8(line).unwrap())
    }

    #[test]
    fn a_line_lost_here_is_not_made_up_for_by_one_that_is_back_there() {
        let good = "top\ncheck\nx1\nx2\nmid\ndone\nlast\ny1\ny2\nend\n";
        assert_eq!(said(good), Ok(Findings::default()));
        let traded = "top\nx1\nx2\nmid\ncheck\ndone\nlast\ny1\ny2\nend\n";
        assert_eq!(said(traded), Err("check".to_owned()));
        let lost = said("top\nx1\nx2\nmid\ndone\nlast\ny1\ny2\nend\n").unwrap();
        assert_eq!(lost.lost, [b"check"]);
        let back = said("top\ncheck\nx1\nx2\nx0\nmid\ndone\nlast\ny1\ny2\nend\n").unwrap();
        assert_eq!(back.brought_back, [(&b"x0"[..], "both")]);
        let new = said("top\ncheck\nx1\nx2\nmid\ndone\nlast\ny1\ny2\ncheck\nend\n").unwrap();
        assert_eq!(new.brought_back, [(&b"check"[..], "branch")]);
        let new = said("top\ncheck\nx1\nx2\nmid\ndone\nlast\ny1\ny2\nnew\nend\n").unwrap();
        assert_eq!(new.invented, [b"new"]);
    }

    /// The lost, brought back and invented lines; the versions are words.
    fn of([base, ours, theirs]: [&str; 3], answer: &str) -> Result<[String; 3], String> {
        let text = |words: &str| words.split_whitespace().map(|w| format!("{w}\n")).collect();
        let texts: [String; 4] = [base, ours, theirs, answer].map(text);
        let [base, ours, theirs, answer] = texts.each_ref().map(String::as_bytes);
        let joined = |lines: Vec<&[u8]>| String::from_utf8(lines.join(&b' ')).unwrap();
        let said = judged(Some(base), ours, theirs, answer);
        let said = said.map_err(|line| String::from_utf8(line).unwrap())?;
        let back = said.brought_back.into_iter().map(|(line, _)| line);
        Ok([said.lost, back.collect(), said.invented].map(joined))
    }

    fn nothing() -> Result<[String; 3], String> {
        Ok(Default::default())
    }

    #[test]
    fn places_stay_apart_where_a_side_repeats_what_was_in_the_one_before() {
        let versions = [
            "one } old two old end",
            "one ours two } ours end",
            "one } theirs two check theirs end",
        ];
        assert_eq!(
            of(versions, "one ours theirs two } ours check theirs end"),
            nothing()
        );
        let netted = of(versions, "one ours two theirs } ours check theirs end").unwrap();
        assert_eq!(netted, ["theirs", "", "theirs"]);
    }

    #[test]
    fn who_keeps_both_versions_with_the_line_that_they_share_loses_nothing() {
        // `x` is there twice: what one side put in before it stands after the first and before the second.
        let versions = [
            "one x old two check x old end",
            "one x ours two check x old end",
            "one check x theirs two check x theirs end",
        ];
        let both = "one x ours check x theirs two check x theirs end";
        assert_eq!(of(versions, both).unwrap(), ["", "", "x"]);
        let lost = of(versions, "one x ours x theirs two check x theirs end").unwrap();
        assert_eq!(lost[0], "check");
        // What is back in the same place makes up for nothing.
        let versions = [
            "one x check old two",
            "one x ours two",
            "one check x check theirs two",
        ];
        let traded = of(versions, "one x ours x check theirs two").unwrap();
        assert_eq!(traded[0], "check");
    }

    #[test]
    fn of_two_equal_lines_the_one_is_meant_with_which_the_answer_is_not_refused() {
        let versions = [
            "one x old two",
            "one check x ours two",
            "one check x theirs two",
        ];
        let twice = "one check x check x theirs ours two";
        assert_eq!(of(versions, twice).unwrap()[0], "");
        assert_eq!(of(versions, "one check x ours two").unwrap()[0], "theirs");
    }

    #[test]
    fn a_line_that_all_versions_have_is_lost_though_both_sides_moved_others_past_it() {
        let versions = [
            "one check old two x } old end",
            "one x } check ours two check log } ours end",
            "one log theirs two check } theirs end",
        ];
        let good = "one x } check ours log theirs two check log } ours check } theirs end";
        assert_eq!(of(versions, good).unwrap()[0], "");
        assert_eq!(of(versions, &good.replace("two ", "")).unwrap()[0], "two");
    }

    #[test]
    fn an_edit_goes_along_with_what_the_other_side_moved() {
        let versions = [
            "a x y z b c d e f",
            "a b c d e x y z f",
            "a x y2 z b c d e f",
        ];
        assert_eq!(of(versions, "a b c d e x y2 z f"), nothing());
        assert_eq!(of(versions, "a b c d e x y z f").unwrap()[0], "y2");
        // Where it comes by is not part of that.
        assert_eq!(
            of(versions, "a b new c d e x y2 z f"),
            Err("new".to_owned())
        );
        // Neither line is alone, but the three together are.
        let repeated = versions.map(|version| format!("{version} g y x z z"));
        let repeated = repeated.each_ref().map(String::as_str);
        assert_eq!(of(repeated, "a b c d e x y2 z f g y x z z"), nothing());
    }

    #[test]
    fn lines_that_both_files_have_in_another_order_are_due_once() {
        let (ours, theirs) = ("a\nx\nb\nc\nd\nours\n", "a\nb\nc\nd\nx\ntheirs\n");
        let [ours, theirs] = [ours, theirs].map(str::as_bytes);
        let answer = b"a\nb\nc\nd\nx\nours\ntheirs\n";
        assert_eq!(judged(None, ours, theirs, answer), Ok(Findings::default()));
        let said = judged(None, ours, theirs, b"a\nb\nc\nd\nx\nours\n").unwrap();
        assert_eq!(said.lost, [b"theirs"]);
    }

    #[test]
    fn a_landmark_is_kept_in_its_order_or_said_to_be_lost() {
        let versions = ["a x b y c", "a x1 b y1 c", "a x2 b y2 c"];
        assert_eq!(of(versions, "a x1 x2 b y1 y2 c"), nothing());
        assert_eq!(of(versions, "a x1 x2 y1 y2 c b"), Err("c".to_owned()));
        assert_eq!(of(versions, "a x1 x2 y1 y2 c").unwrap()[0], "b");
        // Of two, the one that fits is meant.
        assert_eq!(of(versions, "a x1 b x2 b y1 y2 c").unwrap(), ["", "", "b"]);
    }

    #[test]
    fn what_nobody_contests_may_be_missing_but_not_replaced() {
        let versions = ["a p q b x c", "a p q b x1 c", "a p q2 b x2 c"];
        assert_eq!(of(versions, "a p q2 b x1 x2 c"), nothing());
        assert_eq!(of(versions, "a p b x1 x2 c").unwrap()[0], "q2");
        assert_eq!(of(versions, "a p q b x1 x2 c"), Err("q".to_owned()));
    }

    #[test]
    fn a_line_that_one_side_put_where_nothing_is_contested_does_not_leave_that_place_unsaid() {
        let versions = ["a b c x d e", "a lock b c x1 d e", "a b c x2 d log e"];
        let moved = |answer: &str| {
            let texts = [versions[0], versions[1], versions[2], answer];
            let texts = texts.map(|words| words.replace(' ', "\n") + "\n");
            let [base, ours, theirs, answer] = texts.each_ref().map(String::as_bytes);
            let said = judged(Some(base), ours, theirs, answer).unwrap();
            assert!(said.lost.is_empty() && said.invented.is_empty());
            String::from_utf8(said.moved.join(&b' ')).unwrap()
        };
        assert_eq!(moved("a lock b c x1 x2 d log e"), "");
        assert_eq!(moved("a b c lock x1 x2 d log e"), "lock");
        assert_eq!(moved("a lock b c x1 x2 log d e"), "log");
    }

    #[test]
    fn a_new_line_in_a_neighbouring_place_is_where_it_is_and_an_old_one_is_not() {
        let moved = said("top\ncheck\nx1\nmid\ndone\nlast\nx2\ny1\ny2\nend\n");
        assert_eq!(moved, Ok(Findings::default()));
        let moved = said("top\nx1\nx2\nmid\ndone\nlast\ncheck\ny1\ny2\nend\n").unwrap();
        assert_eq!(moved.lost, [b"check"]);
        assert_eq!(moved.brought_back, [(&b"check"[..], "branch")]);
    }
}
