//! Lines of one side that speak of what the other side gives another name in the block around them. Pure.

use std::collections::{BTreeMap, HashMap, HashSet};

use crate::merge::settle::reading::heads::depths;
use crate::merge::tokens::tokens;

use super::headed::{Placed, Text, heads};

/// Adds the places of such lines.
pub(super) fn speak_of_what_is_gone(text: &Text<'_>, lost: &mut BTreeMap<usize, usize>) {
    let [ours, theirs] = &text.sides;
    let known = [&text.old, ours, theirs].map(|lines| {
        let lines = lines.iter().map(|(line, _)| *line);
        lines.collect::<HashSet<&[u8]>>()
    });
    let [in_base, in_ours, in_theirs] = &known;
    let new: Vec<usize> = (0..text.merged.len())
        .filter(|index| {
            text.merged.get(*index).is_some_and(|(line, place)| {
                text.meeting.contains_key(place)
                    && !text.open.contains(place)
                    && !in_base.contains(*line)
                    && in_ours.contains(*line) != in_theirs.contains(*line)
            })
        })
        .collect();
    if new.is_empty() {
        return;
    }
    let roots = roots(&text.merged);
    let [old, ours, theirs] = [&text.old, ours, theirs].map(|lines| Blocks::of(lines));
    for index in new {
        let Some((line, place)) = text.merged.get(index) else {
            continue;
        };
        let block = roots
            .get(index)
            .copied()
            .flatten()
            .and_then(|root| text.merged.get(root));
        let Some((_, block)) = block else { continue };
        let other = if in_ours.contains(*line) {
            &theirs
        } else {
            &ours
        };
        let gone =
            |word: &&str| word.len() > 1 && old.binds(*block, word) && !other.says(*block, word);
        let is_of_it = other.has(*block) && words(line).iter().any(gone);
        if is_of_it {
            text.leave(std::iter::once(*place), lost);
        }
    }
}

/// What the blocks of a version say, each by the place of its first line.
struct Blocks<'t> {
    said: HashMap<usize, HashSet<&'t str>>,
    bound: HashMap<usize, HashSet<&'t str>>,
}

impl<'t> Blocks<'t> {
    fn of(lines: &[Placed<'t>]) -> Self {
        let mut blocks = Self {
            said: HashMap::new(),
            bound: HashMap::new(),
        };
        let roots = roots(lines);
        let has_lines: HashSet<usize> = roots.iter().flatten().copied().collect();
        for (number, (line, place)) in lines.iter().enumerate() {
            let is_first = has_lines.contains(&number);
            let root = roots
                .get(number)
                .copied()
                .flatten()
                .and_then(|root| lines.get(root));
            let Some(block) = root.map(|(_, place)| *place).or(is_first.then_some(*place)) else {
                continue;
            };
            blocks.said.entry(block).or_default().extend(words(line));
            let binds = blocks.bound.entry(block).or_default();
            if is_first {
                binds.extend(given(line));
            } else {
                binds.extend(set(line));
            }
        }
        blocks
    }

    fn has(&self, block: usize) -> bool {
        self.said.contains_key(&block)
    }

    fn says(&self, block: usize, word: &str) -> bool {
        self.said
            .get(&block)
            .is_some_and(|words| words.contains(word))
    }

    fn binds(&self, block: usize, word: &str) -> bool {
        self.bound
            .get(&block)
            .is_some_and(|words| words.contains(word))
    }
}

/// For each line the outermost one that it stands below.
fn roots(lines: &[Placed<'_>]) -> Vec<Option<usize>> {
    let heads = heads(depths, lines);
    let mut roots: Vec<Option<usize>> = Vec::with_capacity(lines.len());
    for number in 0..lines.len() {
        let head = heads.of(number);
        // A head stands before what is below it.
        let root = head.map(|head| roots.get(head).copied().flatten().unwrap_or(head));
        roots.push(root);
    }
    roots
}

/// What the head of a function is given: the words in its brackets.
fn given(line: &[u8]) -> Vec<&str> {
    let text = std::str::from_utf8(line).unwrap_or_default();
    let inside = text
        .split_once('(')
        .and_then(|(_, rest)| rest.rsplit_once(')'));
    inside.map_or_else(Vec::new, |(inside, _)| tokens_of(inside))
}

/// The variable that a line sets.
fn set(line: &[u8]) -> Option<&str> {
    let text = std::str::from_utf8(line).ok()?;
    let (left, _) = text.split_once(" := ").or_else(|| text.split_once(" = "))?;
    let is_variable = !left.contains(['.', '[', '(', '"']) && !left.contains("::");
    let name = left.split(':').next().filter(|_| is_variable)?;
    name.split_whitespace().next_back()
}

fn words(line: &[u8]) -> Vec<&str> {
    tokens_of(std::str::from_utf8(line).unwrap_or_default())
}

fn tokens_of(text: &str) -> Vec<&str> {
    let mut words = tokens(text);
    words.retain(|word| word.contains(char::is_alphabetic));
    words
}

#[cfg(test)]
mod tests {
    use crate::merge::settle::tested::settled;

    #[test]
    fn a_line_that_speaks_of_an_argument_that_the_other_side_renamed_is_held() {
        let base = "fn f(opts) {,   a = opts.a;,   go(a);, }";
        let ours = "fn f(options) {,   a = options.a;,   go(a);, }";
        let theirs = "fn f(opts) {,   a = opts.a;,   b = opts.b;,   go(a);, }";
        assert_eq!(settled(base, ours, theirs), None);
        assert_eq!(settled(base, theirs, ours), None);
        let theirs = "fn f(opts) {,   a = opts.a;,   b = two();,   go(a);, }";
        for found in [settled(base, ours, theirs), settled(base, theirs, ours)] {
            assert!(found.is_some());
        }
    }

    #[test]
    fn a_path_in_an_arm_is_no_variable() {
        let base = "match it {,   db::E::A => a;,   db::E::C => c;, }";
        let ours = "match it {,   db::E::A => a;,   db::E::B => b;,   db::E::C => c;, }";
        let theirs = base.replace("db::E", "E");
        for found in [settled(base, ours, &theirs), settled(base, &theirs, ours)] {
            assert!(found.is_some_and(|text| text.contains("db::E::B")));
        }
    }

    #[test]
    fn a_line_that_speaks_of_a_variable_that_the_other_side_renamed_is_held() {
        let base = "def one(items):,   total = sum(items),   c = 3,   return total + c";
        let ours = "def one(items):,   amount = sum(items),   c = 3,   return amount + c";
        let theirs =
            "def one(items):,   total = sum(items),   c = 3,   log(total),   return total + c";
        assert_eq!(settled(base, ours, theirs), None);
        assert_eq!(settled(base, theirs, ours), None);
    }
}
