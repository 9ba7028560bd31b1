//! How strict reading place by place is: what our own rules settle of random triples is not refused when it stands
//! next to something that somebody wrote, though no two readers would always agree on which of two lines was moved.
//! Set `GROVE_TRIPLES` for more.

use std::cell::Cell;
use std::collections::HashMap;

use proptest::prelude::*;

use super::check::{Declared, Source};
use super::most::{doubled_there, too_many};
use super::tally::{Tally, lines_of};
use super::texts::Texts;
use super::written::judged;
use crate::merge::settle::{Piece, Rules, settle};
use crate::merge::triples::{Case, case, repeated, runner};
use crate::types::merge::{DisplacedHunk, DisplacedKind, WovenLine};

#[test]
fn what_the_rules_settle_is_not_refused_as_an_answer() {
    // Cases that are settled and those of them that are refused, without moved lines and with some.
    let [settled, refused] = [(); 2].map(|()| [Cell::new(0_u32), Cell::new(0_u32)]);
    let run = |case: Case| {
        let [base, ours, theirs] = case.versions();
        let settlement = settle(&base, &ours, &theirs, Rules::default());
        if settlement.contests().count() > 0 {
            return Ok(());
        }
        let mut woven: HashMap<&[u8], usize> = HashMap::new();
        for line in settlement.woven().flat_map(|woven| &woven.lines) {
            *woven.entry(line).or_default() += 1;
        }
        let result = settlement.render(|_| Vec::new());
        let said = judged(Some(&base), &ours, &theirs, &result);
        let mut declared = |line: &[u8]| match woven.get_mut(line) {
            Some(left) if *left > 0 => {
                *left -= 1;
                true
            }
            Some(_) | None => false,
        };
        let is_right = said.is_ok_and(|said| said.lost.iter().all(|line| declared(line)));
        let kind = usize::from(case.moves());
        settled[kind].set(settled[kind].get() + 1);
        refused[kind].set(refused[kind].get() + u32::from(!is_right));
        Ok(())
    };
    runner(4_000, 1).run(&case(), run).unwrap();
    for (kind, most) in [1_000, 100].into_iter().enumerate() {
        let (settled, refused) = (settled[kind].get(), refused[kind].get());
        assert!(settled > 900, "{settled}");
        assert!(refused <= settled / most, "{refused} of {settled}");
    }
}

fn lossy(lines: &[impl AsRef<[u8]>]) -> String {
    let lines = lines
        .iter()
        .map(|line| String::from_utf8_lossy(line.as_ref()));
    lines.map(|line| line.into_owned() + "\n").collect()
}

/// The lines of a settled file, with the branch's side where it is contested, that its account refuses.
fn refused([base, ours, theirs]: [&[u8]; 3]) -> Vec<String> {
    let settlement = settle(base, ours, theirs, Rules::default());
    let (mut woven, mut displaced) = (Vec::new(), Vec::new());
    for piece in &settlement.pieces {
        match piece {
            Piece::Settled(_) => {}
            Piece::Woven(piece) => woven.push(WovenLine {
                file: "f".to_owned(),
                base: lossy(&piece.base),
                lines: piece.lines.iter().map(|line| lossy(&[line])).collect(),
                result: lossy(&piece.result),
            }),
            Piece::Contested(contest) => displaced.push(DisplacedHunk {
                file: "f".to_owned(),
                file_bytes: String::new(),
                kind: DisplacedKind::Text,
                start_line: contest.our_start as u64 + 1,
                agent: String::new(),
                commit: String::new(),
                committed_at: String::new(),
                line_count: contest.ours.len() as u64,
                base: lossy(&contest.base),
                text: lossy(&contest.ours),
                incoming: lossy(&contest.theirs),
                text_bytes: String::new(),
                incoming_bytes: String::new(),
                driver: String::new(),
                parts: Vec::new(),
            }),
        }
    }
    let result = settlement.render(|contest| contest.theirs.clone());
    let texts = [base, ours, theirs, &result].map(lines_of);
    let mut tally = Tally::of_one_path();
    let texts = Texts::new(texts.each_ref().map(Vec::as_slice));
    tally.add_lines(&texts, false, true);
    let declared = Declared {
        displaced: &displaced,
        woven: &woven,
        source: Source::Engine,
        ..Declared::default()
    };
    let checked = tally.check(&["f"], declared, true);
    let listed = displaced.iter().flat_map(|hunk| {
        let texts = [&hunk.base, &hunk.text, &hunk.incoming];
        let [base, ours, theirs] = texts.map(|text| lines_of(text.as_bytes()));
        doubled_there(&base, &ours, &theirs)
    });
    let extra = too_many(&texts, listed);
    let extra = extra
        .into_iter()
        .map(|line| format!("extra {}", lossy(&[line]).trim_end()));
    let lost = checked
        .unaccounted
        .iter()
        .map(|line| format!("{:?} {}", line.problem, line.text));
    lost.chain(extra).collect()
}

/// A line for each word.
fn text(words: &str) -> Vec<u8> {
    let lines = words.split_whitespace().map(|word| format!("{word}\n"));
    lines.collect::<String>().into_bytes()
}

#[test]
fn what_went_along_with_a_moved_block_is_not_taken_for_what_was_put_in_where_that_is_now() {
    let base = text("0 0 0 0 0 0 0 0 0 0 0 0 4 2 0 3 5 0");
    // The block `2 0 3` goes up; on the other side, `4 0` comes into it, and `4` where it goes.
    let ours = text("0 0 0 0 0 2 0 3 0 0 0 0 0 0 0 4 5 0");
    let theirs = text("0 0 0 0 0 4 0 0 0 0 0 0 0 4 2 4 0 0 3 5 0");
    for [ours, theirs] in [[&ours, &theirs], [&theirs, &ours]] {
        assert_eq!(refused([&base, ours, theirs]), Vec::<String>::new());
        let settled = settle(&base, ours, theirs, Rules::default());
        assert!(settled.contests().count() > 0, "somebody is asked");
    }
}

#[test]
fn what_both_put_in_next_to_each_other_is_not_settled_as_if_it_were_in_two_places() {
    let [base, ours, theirs] = ["3 32 20", "3 3 0", "0 32 20 4"].map(text);
    for [ours, theirs] in [[&ours, &theirs], [&theirs, &ours]] {
        assert_eq!(refused([&base, ours, theirs]), Vec::<String>::new());
    }
}

#[test]
fn what_the_rules_settle_balances() {
    let run = |versions: [Vec<u8>; 3]| {
        let found = refused(versions.each_ref().map(Vec::as_slice));
        prop_assert!(found.is_empty(), "{found:?}");
        Ok(())
    };
    runner(10_000, 1).run(&repeated(), run).unwrap();
    runner(4_000, 1)
        .run(&case().prop_map(|case| case.versions()), run)
        .unwrap();
}
