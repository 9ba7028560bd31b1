//! How often a line has to be there at least, however the versions are read: a side has deleted it on purpose only as
//! often as it has it fewer times than the base. Which of several equal lines it moved, and to where, makes no
//! difference to how many there are; a reading that comes to fewer has taken two of them for one.
//!
//! Git's own results are not asked: they are git's, whatever they come to.

use std::borrow::Cow;

use crate::git::{GitError, Oid, Repo, path_bytes};
use crate::merge::conflict::bytes_as_listed;
use crate::merge::lines::{is_blank, without};
use crate::merge::outcome::{LineProblem, UnaccountedLine};

use super::check::{Account, Declared, Source};
use super::places::{add_new, texts};
use super::reindented::take_reindented;
use super::spare::{Spare, take};
use super::tally::lines_of;
use super::texts::Texts;

/// Adds the lines to an account that a settled file has less often than all versions together tell.
pub(super) fn check_fewest(
    repo: &Repo,
    account: &mut Account,
    result: Oid,
    declared: Declared<'_>,
) -> Result<(), GitError> {
    for file in declared.versions.iter().filter(|file| file.by_lines) {
        let result = repo.entry_at(result, &path_bytes(&file.path))?;
        let Some(versions) = texts(repo, file, result)? else {
            continue;
        };
        let versions = versions.each_ref().map(|text| lines_of(text));
        let listed = declared.displaced.iter().filter(|d| d.file == file.path);
        let listed = listed.map(|hunk| {
            [
                bytes_as_listed(&hunk.text, &hunk.text_bytes),
                bytes_as_listed(&hunk.incoming, &hunk.incoming_bytes),
            ]
        });
        let listed: Vec<[Cow<'_, [u8]>; 2]> = listed.collect();
        let mut named: Vec<&[u8]> = Vec::new();
        for hunk in &listed {
            let [ours, theirs] = hunk.each_ref().map(|text| lines_of(text));
            named.extend(match declared.source {
                Source::Engine => displaced_there(&ours, &theirs),
                // Neither version need be in the result.
                Source::Chosen | Source::Filled | Source::Written => ours,
            });
        }
        for woven in declared.woven.iter().filter(|w| w.file == file.path) {
            let lines = woven.lines.iter();
            named.extend(lines.flat_map(|line| lines_of(line.as_bytes())));
        }
        let texts = Texts::new(versions.each_ref().map(Vec::as_slice));
        let lost = missing(&texts, &named, declared.source).into_iter();
        let lost = lost.map(|line| UnaccountedLine {
            file: file.path.clone(),
            text: String::from_utf8_lossy(line).into_owned(),
            problem: LineProblem::Lost,
        });
        // The sums over the file may have told the same.
        add_new(&mut account.unaccounted, lost.collect(), |line| {
            (line.file.clone(), line.text.clone())
        });
    }
    Ok(())
}

/// What a contested place displaces that has the branch's side: a line that is there, too, is not lost.
pub(super) fn displaced_there<'a>(ours: &[&'a [u8]], theirs: &[&'a [u8]]) -> Vec<&'a [u8]> {
    without(ours, theirs)
}

/// The lines that a result has less often than it must, once for each time; but for those that are named.
pub(super) fn missing<'a>(texts: &Texts<'a>, named: &[&[u8]], source: Source) -> Vec<&'a [u8]> {
    let mut named = Spare::of_lines(named, &[], &[]).displaced;
    let mut found = Vec::new();
    for (_, line, counts) in texts.all() {
        let fewest = match source {
            Source::Engine | Source::Chosen => counts.fewest(),
            // Of two new versions, a writer may have made one.
            Source::Filled | Source::Written => counts.base.min(counts.ours).min(counts.theirs),
        };
        let short = fewest.saturating_sub(counts.result);
        if short == 0 || is_blank(line) {
            continue;
        }
        let lost = short - take(&mut named, line, short);
        found.extend(std::iter::repeat_n(
            line,
            usize::try_from(lost).unwrap_or(0),
        ));
    }
    match source {
        Source::Engine | Source::Chosen => {}
        Source::Filled | Source::Written => {
            let made = texts.all().filter(|(_, _, counts)| counts.is_new());
            let written = made.flat_map(|(_, line, counts)| {
                std::iter::repeat_n(line, usize::try_from(counts.result).unwrap_or(0))
            });
            take_reindented(&mut found, |line| line, written);
        }
    }
    // Sorted, so that the same merge always reports the same lines.
    found.sort_unstable();
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lost(versions: [&'static str; 4], named: &str, source: Source) -> String {
        let lines = |text: &'static str| -> Vec<&'static [u8]> {
            text.split_whitespace().map(str::as_bytes).collect()
        };
        let versions = versions.map(lines);
        let named: Vec<&[u8]> = named.split_whitespace().map(str::as_bytes).collect();
        let texts = Texts::new(versions.each_ref().map(Vec::as_slice));
        let found = missing(&texts, &named, source);
        String::from_utf8(found.join(&b' ')).unwrap()
    }

    #[test]
    fn a_line_that_every_version_has_twice_is_not_there_once() {
        let versions = ["a b x c x", "x a b x c", "c x a b x", "c x a b"];
        for source in [Source::Engine, Source::Chosen, Source::Written] {
            assert_eq!(lost(versions, "", source), "x");
            assert_eq!(lost(versions, "x", source), "", "it is named");
        }
    }

    #[test]
    fn what_both_removed_may_be_two_lines_and_what_both_added_one() {
        let engine = Source::Engine;
        assert_eq!(lost(["x a x b", "a x b", "x a b", "a b"], "", engine), "");
        assert_eq!(lost(["a", "a x", "x a", "x a"], "", engine), "");
        assert_eq!(lost(["x a", "x x a", "a", "a"], "", engine), "x");
        let more = ["x x a b", "a b x x", "n x x a b x", "n a b x x"];
        assert_eq!(lost(more, "", engine), "x", "one was added");
        assert_eq!(lost(more, "", Source::Written), "");
    }

    #[test]
    fn a_line_that_was_set_deeper_is_there() {
        let deeper = |source| {
            let versions = [vec![b"a".as_slice()], vec![b"a"], vec![b"a"], vec![b"  a"]];
            let texts = Texts::new(versions.each_ref().map(Vec::as_slice));
            missing(&texts, &[], source).len()
        };
        assert_eq!(deeper(Source::Engine), 1);
        assert_eq!(deeper(Source::Written), 0);
    }
}
