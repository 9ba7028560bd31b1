//! Random files into which both sides put the same block at the same place, with changes of their own around it. The
//! block is there once, or somebody is asked; and who only changed a neighbour is not asked. Set `GROVE_TRIPLES`
//! for more.

use std::cell::Cell;

use proptest::prelude::*;

use super::{Piece, Rules, settle};
use crate::merge::triples::runner;

/// What a side does to a line next to the block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Neighbour {
    Left,
    Changed,
    Gone,
    Indented,
}

/// What a side does around the block.
#[derive(Debug, Clone)]
struct Around {
    before: Neighbour,
    after: Neighbour,
    /// Lines of its own just before and after the block.
    above: usize,
    below: usize,
}

impl Around {
    /// The block, and at most some more lines.
    fn leaves_neighbours(&self) -> bool {
        self.before == Neighbour::Left && self.after == Neighbour::Left
    }

    /// The block, and at most one line next to it in other words.
    fn is_plain(&self) -> bool {
        let changes = [self.before, self.after];
        let is_changed = |of: &&Neighbour| **of == Neighbour::Changed;
        let rest = changes
            .iter()
            .all(|of| matches!(of, Neighbour::Left | Neighbour::Changed));
        rest && changes.iter().filter(is_changed).count() <= 1 && self.above + self.below == 0
    }
}

fn around() -> impl Strategy<Value = Around> {
    let neighbour = || {
        prop_oneof![
            6 => Just(Neighbour::Left),
            3 => Just(Neighbour::Changed),
            1 => Just(Neighbour::Gone),
            1 => Just(Neighbour::Indented),
        ]
    };
    let more = || prop_oneof![4 => Just(0_usize), 1 => 1..3_usize];
    (neighbour(), neighbour(), more(), more()).prop_map(|(before, after, above, below)| Around {
        before,
        after,
        above,
        below,
    })
}

fn base_lines(length: usize) -> Vec<String> {
    (0..length)
        .map(|n| match n % 6 {
            4 => "}".to_owned(),
            5 => String::new(),
            _ => format!("step{n}(left{n}, mid{n}, right{n});"),
        })
        .collect()
}

fn block(length: usize, ends_blank: bool) -> Vec<String> {
    let mut lines = vec!["fn shared(p) {".to_owned()];
    lines.extend((0..length).map(|n| format!("    shared{n}(p);")));
    lines.push("}".to_owned());
    if ends_blank {
        lines.push(String::new());
    }
    lines
}

fn side(base: &[String], at: usize, block: &[String], around: &Around, by: &str) -> Vec<String> {
    let changed = |line: Option<&String>, what: Neighbour| -> Vec<String> {
        let Some(line) = line else { return Vec::new() };
        match what {
            Neighbour::Changed if line.contains("mid") => {
                vec![line.replace("mid", &format!("mid_{by}"))]
            }
            Neighbour::Left | Neighbour::Changed => vec![line.clone()],
            Neighbour::Gone => Vec::new(),
            Neighbour::Indented => vec![format!("    {line}")],
        }
    };
    let own = |count: usize, place: &str| -> Vec<String> {
        (0..count)
            .map(|n| format!("{place}{n} of {by}();"))
            .collect()
    };
    let (head, tail) = base.split_at(at);
    let mut lines = head[..at.saturating_sub(1)].to_vec();
    lines.extend(changed(head.last(), around.before));
    lines.extend(own(around.above, "above"));
    lines.extend(block.iter().cloned());
    lines.extend(own(around.below, "below"));
    lines.extend(changed(tail.first(), around.after));
    lines.extend(tail.iter().skip(1).cloned());
    lines
}

/// Length of the base, place and length of the block, whether a blank line ends it, and the sides.
type Case = (usize, usize, usize, bool, Around, Around);

fn text(lines: &[String]) -> Vec<u8> {
    lines
        .iter()
        .flat_map(|line| [line, "\n"].concat().into_bytes())
        .collect()
}

#[test]
fn a_block_that_both_put_in_is_there_once_or_somebody_is_asked() {
    let mut runner = runner(4_000, 1);
    let cases = runner.config().cases;
    let strategy = (
        2..30_usize,
        any::<usize>(),
        2..6_usize,
        any::<bool>(),
        around(),
        around(),
    );
    let held = Cell::new(0_u32);
    let run = |(length, at, block_length, ends_blank, ours, theirs): Case| {
        let base = base_lines(length);
        let at: usize = at % (length + 1);
        let block = block(block_length, ends_blank);
        let [mine, other] = [(&ours, "ours"), (&theirs, "theirs")]
            .map(|(around, by)| text(&side(&base, at, &block, around, by)));
        let base = text(&base);
        let settlement = settle(&base, &mine, &other, Rules::default());
        let mut settled = String::new();
        for piece in &settlement.pieces {
            match piece {
                Piece::Settled(lines) => {
                    for line in lines {
                        settled += &(String::from_utf8_lossy(line) + "\n");
                    }
                }
                Piece::Woven(woven) => {
                    for line in &woven.result {
                        settled += &(String::from_utf8_lossy(line) + "\n");
                    }
                }
                Piece::Contested(_) => {}
            }
        }
        for line in block.iter().filter(|line| line.contains("shared")) {
            let copies = settled
                .lines()
                .filter(|other| *other == line.as_str())
                .count();
            prop_assert!(copies <= 1, "{line} {copies} times:\n{settled}");
        }
        let contested = settlement.contests().count();
        held.set(held.get() + u32::from(contested > 0));
        let plain = |one: &Around, two: &Around| one.is_plain() && two.leaves_neighbours();
        if (plain(&ours, &theirs) || plain(&theirs, &ours)) && ours.above + theirs.above == 0 {
            let is_one_sided = ours.below == 0 || theirs.below == 0;
            prop_assert!(contested == 0 || !is_one_sided, "held:\n{settlement:?}");
        }
        Ok(())
    };
    runner.run(&strategy, run).unwrap();
    assert!(
        held.get() < cases * 2 / 3,
        "{} of {cases} are held",
        held.get()
    );
}
