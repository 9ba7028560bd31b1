//! What is said to be woven, and is not: no rule's word is taken for it. Set `GROVE_TRIPLES` for more random cases.

use std::cell::Cell;

use proptest::prelude::*;

use super::Claim;
use crate::merge::account::{SettledText, refused};
use crate::merge::settle::{Piece, Rules, Settlement, settle};
use crate::merge::triples::runner;

/// The lines that the account refuses of a text of three lines, the middle one of which is said to be both.
fn refused_of([base, ours, theirs]: [&str; 3], result: &str) -> Vec<String> {
    let text = |line: &str| format!("first\n{line}\nlast\n");
    let texts = [base, ours, theirs, result].map(text);
    let [in_base, in_ours, in_theirs, in_result] = texts.each_ref().map(String::as_bytes);
    let mut text = SettledText::new(Some(in_base), [in_ours, in_theirs], in_result);
    text.woven.push(claim([base, ours, theirs], result));
    refused(&text)
}

fn claim<'a>([base, ours, theirs]: [&'a str; 3], result: &'a str) -> Claim<'a> {
    let lines = |text: &'a str| text.split('\n').map(str::as_bytes);
    Claim {
        base: lines(base).collect(),
        lines: lines(ours).chain(lines(theirs)).collect(),
        result: lines(result).collect(),
    }
}

#[test]
fn a_line_that_lost_what_one_side_changed_in_it_is_not_woven() {
    let nothing = Vec::<String>::new();
    let versions = ["f(a, b, c)", "f(a1, b, c)", "f(a, b, c, d)"];
    assert_eq!(refused_of(versions, "f(a1, b, c, d)"), nothing);
    for lost in [
        // One side's line, a word of one side dropped, what one deleted back.
        "f(a1, b, c)",
        "f(a, b, c, d)",
        "f(a1, b, d)",
        "f(a1, a, b, c, d)",
        "f(a1, b, c, d, e)",
    ] {
        assert_ne!(refused_of(versions, lost), nothing, "{lost}");
    }
    let versions = ["f(a, b, c)", "f(b, c)", "f(a, b, c, d)"];
    assert_eq!(refused_of(versions, "f(b, c, d)"), nothing);
    assert_ne!(refused_of(versions, "f(a, b, c, d)"), nothing);
}

#[test]
fn a_line_that_lost_the_white_space_of_one_side_is_not_woven() {
    let nothing = Vec::<String>::new();
    let versions = ["rm $D /tmp x", "rm $D/tmp x", "rm $D /tmp y"];
    assert_eq!(refused_of(versions, "rm $D/tmp y"), nothing);
    assert_ne!(refused_of(versions, "rm $D /tmp y"), nothing);
    for (spaced, good) in [
        ("  key: one", "  key: two"),
        ("key:  one", "key:  two"),
        ("key: one  ", "key: two  "),
        ("\tkey: one", "\tkey: two"),
    ] {
        let versions = ["key: one", spaced, "key: two"];
        for [ours, theirs] in [[1, 2], [2, 1]] {
            let versions = [versions[0], versions[ours], versions[theirs]];
            assert_eq!(refused_of(versions, good), nothing, "{spaced:?}");
            assert_ne!(refused_of(versions, "key: two"), nothing, "{spaced:?}");
        }
    }
    // A carriage return is no white space of a line.
    let versions = ["f(a, b)\r", "f(a1, b)\r", "f(a, b1)\r"];
    assert_eq!(refused_of(versions, "f(a1, b1)\r"), nothing);
    // Several lines that were broken anew.
    let versions = [
        "f(\n    a = 1,\n    b\n)",
        "f(a = 1, b)",
        "f(\n    a  = 1,\n    b\n)",
    ];
    assert_ne!(refused_of(versions, "f(a = 1, b)"), nothing);
}

#[test]
fn what_only_one_side_changed_or_nobody_has_is_not_woven() {
    let nothing = Vec::<String>::new();
    let versions = ["f(a, b)", "f(a1, b)", "f(a, b)"];
    assert_ne!(refused_of(versions, "f(a, b)"), nothing);
    // A line of the base that is not there, and a line of the sides that is not.
    let [base, ours, theirs, result] =
        ["x\ny\n", "x\ny1\n", "x\ny2\n", "x\ny2\n"].map(str::as_bytes);
    for versions in [["y y1", "y1", "y2"], ["y", "y1", "y3"]] {
        let mut text = SettledText::new(Some(base), [ours, theirs], result);
        text.woven.push(claim(versions, "y2"));
        assert_ne!(refused(&text), nothing, "{versions:?}");
    }
}

#[test]
fn the_definition_that_more_may_see_stands_for_both() {
    let refused_of = |lines: [&str; 2], made: &str| {
        let texts = [
            "a\n",
            &format!("a\n{}\n", lines[0]),
            &format!("a\n{}\n", lines[1]),
        ];
        let result = format!("a\n{made}\n");
        let [base, ours, theirs] = texts.map(str::as_bytes);
        let mut text = SettledText::new(Some(base), [ours, theirs], result.as_bytes());
        text.woven.push(Claim {
            base: Vec::new(),
            lines: lines.map(str::as_bytes).to_vec(),
            result: vec![made.as_bytes()],
        });
        refused(&text)
    };
    let nothing = Vec::<String>::new();
    assert_eq!(refused_of(["mod x;", "pub mod x;"], "pub mod x;"), nothing);
    assert_eq!(
        refused_of(["pub(crate) mod x;", "pub mod x;"], "pub mod x;"),
        nothing
    );
    assert_ne!(refused_of(["mod x;", "pub mod x;"], "mod x;"), nothing);
    assert_ne!(refused_of(["mod x;", "pub mod y;"], "pub mod y;"), nothing);
    assert_ne!(refused_of(["mod  x;", "pub mod x;"], "pub mod x;"), nothing);
}

/// A settlement with the woven line `at` in other words, told as what it was made of.
fn refused_with(versions: [&[u8]; 3], settled: &Settlement<'_>, at: usize, other: &[u8]) -> bool {
    let [base, ours, theirs] = versions;
    let mut changed = settled.clone();
    let woven = changed.pieces.iter_mut().filter_map(|piece| match piece {
        Piece::Woven(woven) => Some(woven),
        Piece::Settled(_) | Piece::Contested(_) => None,
    });
    for woven in woven.skip(at).take(1) {
        woven.result = vec![other.to_vec()];
    }
    let result = changed.render(|contest| contest.theirs.clone());
    let mut text = SettledText::new(Some(base), [ours, theirs], &result);
    for woven in changed.woven() {
        text.woven.push(Claim {
            base: woven.base.clone(),
            lines: woven.lines.clone(),
            result: woven.result.iter().map(Vec::as_slice).collect(),
        });
    }
    !refused(&text).is_empty()
}

/// What each side does to the three words of each line.
type Reworded = Vec<Changes>;
/// What the first side does to each word, and what the second.
type Changes = ([u8; 3], [u8; 3]);

fn side(reworded: &Reworded, of: fn(&Changes) -> [u8; 3], by: &str) -> Vec<u8> {
    let lines = reworded.iter().enumerate().map(|(n, words)| {
        let names = ["left", "mid", "right"].into_iter().zip(of(words));
        let words = names.map(|(name, change)| match change {
            0 => format!(", {name}{n}_{by}"),
            1 => String::new(),
            2 => format!(",  {name}{n}"),
            _ => format!(", {name}{n}"),
        });
        format!("step{n}(self{});\n", words.collect::<String>())
    });
    lines.collect::<String>().into_bytes()
}

#[test]
fn every_woven_line_is_shown_by_the_texts_and_none_that_lost_a_change() {
    let (right, wrong) = (Cell::new(0_u32), Cell::new(0_u32));
    let mut runner = runner(3_000, 1);
    let run = |reworded: Reworded| {
        let base = side(&reworded, |_| [9; 3], "");
        let [ours, theirs] = [
            side(&reworded, |(ours, _)| *ours, "ours"),
            side(&reworded, |(_, theirs)| *theirs, "theirs"),
        ];
        let versions = [&base, &ours, &theirs].map(Vec::as_slice);
        let settled = settle(&base, &ours, &theirs, Rules::default());
        if settled.contests().next().is_some() {
            return Ok(());
        }
        for (at, woven) in settled.woven().enumerate() {
            let ([old], [mine, other], [made]) = (&*woven.base, &*woven.lines, &*woven.result)
            else {
                continue;
            };
            prop_assert!(!refused_with(versions, &settled, at, made));
            right.set(right.get() + 1);
            let said = String::from_utf8_lossy(made).into_owned();
            for bad in [old.to_vec(), mine.to_vec(), other.to_vec()]
                .into_iter()
                .chain(
                    [("_ours", ""), ("_theirs", ""), ("  ", " "), ("self, ", "")]
                        .map(|(word, less)| said.replacen(word, less, 1).into()),
                )
                .filter(|bad| bad != made)
            {
                wrong.set(wrong.get() + 1);
                let is_refused = refused_with(versions, &settled, at, &bad);
                prop_assert!(is_refused, "{:?} for {said}", String::from_utf8_lossy(&bad));
            }
        }
        Ok(())
    };
    let words = || [0..14_u8, 0..14_u8, 0..14_u8];
    let cases = prop::collection::vec((words(), words()), 1..4);
    runner.run(&cases, run).unwrap();
    // Or the property says little.
    assert!(
        right.get() > 500 && wrong.get() > 1_000,
        "{right:?} {wrong:?}"
    );
}
