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
