//! White space that one side changed within a line is what it says: a line of which the other side changed no word stands
//! there as it was spaced, or somebody is asked. Set `GROVE_TRIPLES` for more cases.

use std::cell::Cell;

use proptest::prelude::*;

use super::outcome::settled;
use super::runner::runner;

/// Words of a line and what stands between them.
type Line = Vec<(String, &'static str)>;

/// A base; where one side changes a gap, and to which; where the other one rewords a word, and puts a line in; whether
/// the sides are turned.
type Case = (
    Vec<Line>,
    Vec<(usize, usize, usize)>,
    Vec<(usize, usize)>,
    Vec<(usize, Line)>,
    bool,
);

fn line() -> impl Strategy<Value = Line> {
    const WORDS: [&str; 18] = [
        "key", "value", "rm", "$D", "/tmp", "f", "(", "a", ",", "b", ")", "[", "]", "=", "2", "-",
        "\"s t\"", "x.y",
    ];
    let word = prop::sample::select(&WORDS[..]).prop_map(str::to_owned);
    prop::collection::vec((word, prop::sample::select(&[" ", "", "  "][..])), 2..6)
}

fn text(lines: &[Line]) -> Vec<u8> {
    let lines = lines.iter().map(|line| said(line) + "\n");
    lines.collect::<String>().into_bytes()
}

fn said(line: &Line) -> String {
    line.iter()
        .flat_map(|(word, gap)| [word.as_str(), gap])
        .collect()
}

#[test]
fn a_line_is_spaced_as_a_side_wants_it_or_somebody_is_asked() {
    let landed = Cell::new(0_u32);
    let lines = prop::collection::vec(line(), 1..5);
    let respaced = prop::collection::vec((any::<usize>(), any::<usize>(), 0..3_usize), 1..4);
    let reworded = prop::collection::vec((any::<usize>(), any::<usize>()), 0..2);
    let put_in = prop::collection::vec((any::<usize>(), line()), 0..2);
    let mut settling = runner(6_000, 2);
    let run = |(base, respaced, reworded, put_in, is_turned): Case| {
        let mut spaced = base.clone();
        for (at, gap, new) in respaced {
            let line: &mut Line = &mut spaced[at % base.len()];
            let gap: usize = gap % line.len();
            line[gap].1 = [" ", "", "  "][new];
        }
        let mut other: Vec<(Option<usize>, Line)> = base
            .iter()
            .cloned()
            .enumerate()
            .map(|(at, line)| (Some(at), line))
            .collect();
        for (at, word) in reworded {
            let (origin, line) = &mut other[at % base.len()];
            let word = word % line.len();
            "other".clone_into(&mut line[word].0);
            *origin = None;
        }
        for (at, line) in put_in {
            other.insert(at % (base.len() + 1), (None, line));
        }
        let kept: Vec<usize> = other.iter().filter_map(|(origin, _)| *origin).collect();
        let lines: Vec<Line> = other.into_iter().map(|(_, line)| line).collect();
        let [base_text, spaced_text, other_text] = [&base, &spaced, &lines].map(|it| text(it));
        let (ours, theirs) = if is_turned {
            (&other_text, &spaced_text)
        } else {
            (&spaced_text, &other_text)
        };
        let outcome = settled([&base_text, ours, theirs]);
        if outcome.contested > 0 {
            return Ok(());
        }
        landed.set(landed.get() + 1);
        for at in kept {
            let wanted = said(&spaced[at]);
            prop_assert!(
                outcome.result.of(wanted.as_bytes()) > 0 || wanted.trim().is_empty(),
                "{wanted:?} is not there"
            );
        }
        Ok(())
    };
    let case = (lines, respaced, reworded, put_in, any::<bool>());
    settling.run(&case, run).unwrap();
    // Or the property says little.
    assert!(landed.get() > 1000, "{landed:?}");
}

/// Lines as deep as a side has them: what it does to their depths, once for all lines or for each.
type Depths = Vec<usize>;

/// Depths and words of a base; for either side the depths, the lines it rewords, and where it puts lines in.
type Indented = (
    Vec<(usize, u8)>,
    [(Depths, Vec<usize>, Vec<(usize, usize)>); 2],
);

/// The base that a side has indented, reworded and put lines into.
fn side(
    base: &[(usize, u8)],
    name: &str,
    (depths, reworded, put_in): &(Depths, Vec<usize>, Vec<(usize, usize)>),
) -> Vec<String> {
    let mut lines: Vec<String> = (base.iter().enumerate())
        .map(|(at, (depth, word))| {
            let depth = depths[depth % depths.len()];
            let is_reworded = reworded.iter().any(|it| it % base.len() == at);
            let more = if is_reworded { name } else { "" };
            format!("{}the word {word}{more}", " ".repeat(depth))
        })
        .collect();
    for (at, depth) in put_in {
        let depth = " ".repeat(depths[depth % depths.len()]);
        lines.insert(at % (lines.len() + 1), format!("{depth}new of {name}"));
    }
    lines
}

fn depth(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

#[test]
fn a_line_that_both_sides_may_have_indented_is_as_deep_as_a_side_has_it() {
    let landed = Cell::new(0_u32);
    let mut settling = runner(6_000, 2);
    // Most often both do the same, or one of them does nothing.
    let depths = prop::sample::select(vec![
        vec![2, 4, 6],
        vec![2, 4, 6],
        vec![4, 8, 12],
        vec![4, 8, 12],
        vec![6, 8, 10],
        vec![4, 6, 8],
        vec![0, 2, 4],
        vec![2, 6, 6],
    ]);
    let reworded = prop::collection::vec(any::<usize>(), 0..3);
    let put_in = prop::collection::vec((any::<usize>(), any::<usize>()), 0..2);
    let one = (depths, reworded, put_in);
    let base = prop::collection::vec((0..3_usize, 0..5_u8), 1..6);
    let run = |(base, sides): Indented| {
        let plain = (vec![2, 4, 6], Vec::new(), Vec::new());
        let base_lines = side(&base, "", &plain);
        let [ours, theirs] =
            [("ours", &sides[0]), ("theirs", &sides[1])].map(|(name, it)| side(&base, name, it));
        let around = |lines: &[String]| format!("head\n{}\ntail\n", lines.join("\n")).into_bytes();
        let [base_text, our_text, their_text] = [&base_lines, &ours, &theirs].map(|it| around(it));
        let one_way = settled([&base_text, &our_text, &their_text]);
        let other_way = settled([&base_text, &their_text, &our_text]);
        prop_assert_eq!(one_way.contested == 0, other_way.contested == 0);
        if one_way.contested > 0 {
            return Ok(());
        }
        prop_assert_eq!(&one_way.result, &other_way.result);
        let has_indented = |it: &(Depths, Vec<usize>, Vec<(usize, usize)>)| {
            base.iter()
                .any(|(depth, _)| it.0[*depth] != plain.0[*depth])
        };
        if sides.iter().all(has_indented) {
            landed.set(landed.get() + 1);
        }
        for (line, _) in one_way.result.lines() {
            let line = String::from_utf8_lossy(line);
            let said = line.trim_start();
            let is_the_same = |other: &&String| {
                other.trim_start().starts_with(said) || said.starts_with(other.trim_start())
            };
            let all = ours.iter().chain(&theirs).filter(is_the_same);
            // What a side put beside lines that only the other one indented goes with them.
            let is_moved_along = ["ours", "theirs"].iter().enumerate().any(|(at, name)| {
                let [own, other] = [&sides[at], &sides[1 - at]].map(|side| &side.0);
                said.strip_prefix("new of ") == Some(*name)
                    && sides[at].2.iter().any(|(_, put_in)| {
                        let put_in = own[put_in % own.len()];
                        // Of lines in the same words, one may be taken for the other, and this for what became of it.
                        let stands_for_one = base.iter().any(|(level, word)| {
                            let twice = base.iter().filter(|(_, other)| other == word).count() > 1;
                            let is_there = plain.0[*level] == put_in;
                            twice && is_there && other[*level] == depth(&line)
                        });
                        stands_for_one
                            || (0..3).any(|level| {
                                let is_there = base.iter().any(|(depth, _)| *depth == level);
                                own[level] == put_in
                                    && plain.0[level] == put_in
                                    && (other[level] == depth(&line) || !is_there)
                            })
                    })
            });
            prop_assert!(
                said == "head"
                    || said == "tail"
                    || is_moved_along
                    || all.clone().any(|other| depth(other) == depth(&line)),
                "{line:?} is as deep as no side has it"
            );
        }
        Ok(())
    };
    settling.run(&(base, [one.clone(), one]), run).unwrap();
    // Or the property says little.
    assert!(landed.get() > 200, "{landed:?}");
}
