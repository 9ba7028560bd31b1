//! Places of a list in prose, as of a change log: one item each, of one line or several, and every item stands for itself.
//! So each is changed, added or taken away by itself, whatever becomes of its neighbours. Who changes an item that the
//! other side changes or takes away has to be decided. Pure.

use similar::Algorithm;

use crate::merge::edits::{Edit, Stretch, edits, lay_over};
use crate::merge::lines::is_blank;

use crate::merge::settle::held::clashes::clash;
use crate::merge::settle::pieces::{Contest, part};
use crate::merge::settle::reading::leaning::indent;
use crate::merge::settle::reading::names::is_setting;
use crate::merge::settle::reading::text::Text;

type Item<'s, 'a> = &'s [&'a [u8]];

/// The items of both sides of a place before the line `at` of the base, which has the lines `file`. `None` unless all
/// three versions are whole items, of which both sides changed other ones.
pub(in crate::merge::settle) fn items_of_both<'a>(
    contest: &Contest<'a>,
    file: &Text<'_, '_>,
    at: usize,
) -> Option<Vec<&'a [u8]>> {
    let first = contest.base.first()?;
    let depth = indent(first);
    let after = file.lines.get(at + contest.base.len());
    if after.is_some_and(|line| !is_blank(line) && indent(line) > depth) {
        // The last item goes on.
        return None;
    }
    let base = items(&contest.base, depth)?;
    let ours = items(&contest.ours, depth)?;
    let theirs = items(&contest.theirs, depth)?;
    let our_edits = edits(Algorithm::Histogram, &base, &ours);
    let their_edits = edits(Algorithm::Histogram, &base, &theirs);
    let mut all: Vec<Item<'_, 'a>> = Vec::new();
    let alone = |_: &Edit, _: &Edit| false;
    for stretch in lay_over(base.len(), &our_edits, &their_edits, &alone) {
        match stretch {
            Stretch::Same { base: range } => all.extend(base.get(range)?),
            Stretch::Ours { new, .. } => all.extend(ours.get(new)?),
            Stretch::Theirs { new, .. } => all.extend(theirs.get(new)?),
            Stretch::Both {
                base: old,
                ours: mine,
                theirs: other,
            } => {
                let (mine, other) = (ours.get(mine)?, theirs.get(other)?);
                all.extend(mine);
                if mine == other {
                    continue;
                }
                if !old.is_empty() || clash(&mine.concat(), &other.concat(), file, at) {
                    return None;
                }
                all.extend(other.iter().filter(|item| !mine.contains(item)));
            }
        }
    }
    let mut once = all.clone();
    once.sort_unstable();
    once.dedup();
    (once.len() == all.len()).then(|| all.concat())
}

/// The items of some lines: each begins with a mark at this depth, and goes on with deeper lines.
fn items<'s, 'a>(lines: &'s [&'a [u8]], depth: usize) -> Option<Vec<Item<'s, 'a>>> {
    let begins = |line: &&[u8]| indent(line) == depth && is_item(line);
    let goes_on = |line: &&[u8]| !is_blank(line) && indent(line) > depth;
    if !lines.iter().all(|line| begins(line) || goes_on(line)) {
        return None;
    }
    let mut starts: Vec<usize> = (0..lines.len())
        .filter(|at| lines.get(*at).is_some_and(begins))
        .collect();
    if starts.first().is_some_and(|first| *first > 0) || starts.is_empty() != lines.is_empty() {
        return None;
    }
    starts.push(lines.len());
    let bounds = starts.iter().zip(starts.iter().skip(1));
    Some(bounds.map(|(from, to)| part(lines, *from..*to)).collect())
}

/// An item of prose. One of settings, as in YAML, may mean something for the next one.
fn is_item(line: &[u8]) -> bool {
    let text = line.trim_ascii_start();
    let said = [&b"- "[..], b"* ", b"+ "]
        .iter()
        .find_map(|mark| text.strip_prefix(*mark));
    said.is_some_and(|said| !is_setting(said.trim_ascii_start()))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use crate::merge::settle::{Rules, settle};
    use crate::merge::triples::runner;

    /// What a side does to an item.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    enum Deed {
        Leave,
        Rewrite,
        Remove,
        Follow,
    }

    fn deed() -> impl Strategy<Value = Deed> {
        prop_oneof![
            4 => Just(Deed::Leave),
            1 => Just(Deed::Rewrite),
            1 => Just(Deed::Remove),
            1 => Just(Deed::Follow),
        ]
    }

    fn item(words: &str, lines: usize) -> Vec<String> {
        let line = |n: usize| format!("{}{words} {n}", if n == 0 { "- " } else { "  " });
        (0..lines).map(line).collect()
    }

    fn text(items: &[Vec<String>]) -> String {
        let lines: Vec<String> = items.concat();
        format!("# Notes\n\n{}\n\nEnd\n", lines.join("\n"))
    }

    /// The items as a side has them, and those that it made.
    fn side(base: &[Vec<String>], deeds: &[(Deed, usize)], who: &str) -> [Vec<Vec<String>>; 2] {
        let (mut all, mut made) = (Vec::new(), Vec::new());
        for (at, (old, (deed, lines))) in base.iter().zip(deeds).enumerate() {
            let new = item(&format!("{who}{at} says{at}{who} thing{at}{who}"), *lines);
            match deed {
                Deed::Leave => all.push(old.clone()),
                Deed::Rewrite => {
                    all.push(new.clone());
                    made.push(new);
                }
                Deed::Remove => {}
                Deed::Follow => {
                    all.extend([old.clone(), new.clone()]);
                    made.push(new);
                }
            }
        }
        [all, made]
    }

    #[test]
    fn whatever_is_settled_has_each_item_as_its_side_made_it() {
        let strategy = prop::collection::vec(
            (1..4_usize, (deed(), 1..4_usize), (deed(), 1..4_usize)),
            2..9,
        );
        runner(5_000, 1)
            .run(&strategy, |items| {
                let name = |at: usize| format!("old{at} word{at} rest{at}");
                let base: Vec<Vec<String>> = items
                    .iter()
                    .enumerate()
                    .map(|(at, it)| item(&name(at), it.0))
                    .collect();
                let (our_deeds, their_deeds): (Vec<_>, Vec<_>) =
                    items.iter().map(|it| (it.1, it.2)).unzip();
                let [ours, our_new] = side(&base, &our_deeds, "our");
                let [theirs, their_new] = side(&base, &their_deeds, "their");
                let [base_text, our_text, their_text] =
                    [&base, &ours, &theirs].map(|items| text(items));
                let settled = settle(
                    base_text.as_bytes(),
                    our_text.as_bytes(),
                    their_text.as_bytes(),
                    Rules::default(),
                );
                let is_open = settled.contests().next().is_some();
                let excludes = |(one, two): (&(Deed, usize), &(Deed, usize))| {
                    let changes = |deed| matches!(deed, Deed::Rewrite | Deed::Remove);
                    changes(one.0)
                        && changes(two.0)
                        && !(one.0 == Deed::Remove && two.0 == Deed::Remove)
                };
                let must_ask = our_deeds.iter().zip(&their_deeds).any(excludes);
                prop_assert!(!must_ask || is_open, "{our_text}\n{their_text}");
                if is_open {
                    return Ok(());
                }
                let result = String::from_utf8(settled.render(|_| Vec::new())).unwrap();
                for new in our_new.iter().chain(&their_new) {
                    let whole = format!("\n{}\n", new.join("\n"));
                    prop_assert_eq!(result.matches(&whole).count(), 1, "{}", result);
                }
                for (old, (one, two)) in base.iter().zip(our_deeds.iter().zip(&their_deeds)) {
                    let is_left = |deed: Deed| matches!(deed, Deed::Leave | Deed::Follow);
                    let whole = format!("\n{}\n", old.join("\n"));
                    prop_assert_eq!(
                        result.contains(&whole),
                        is_left(one.0) && is_left(two.0),
                        "{}",
                        result
                    );
                }
                Ok(())
            })
            .unwrap();
    }
}
