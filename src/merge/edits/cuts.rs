//! Where two long texts can be compared part by part: inside long runs of equal lines around lines that
//! each text has once. Comparing a text with many small changes as a whole takes a look at all of it for
//! each of them.

use std::ops::Range;

/// Texts shorter than this are compared as a whole.
const LONG: usize = 2_000;

/// Where a run of equal lines is cut.
#[derive(Debug, Clone, Copy)]
struct Grain {
    /// The least length of a run to cut in.
    run: usize,
    /// How much of a run stays with the parts on both sides of it.
    margin: usize,
}

const COARSE: Grain = Grain {
    run: 64,
    margin: 24,
};
/// For what would take too long otherwise: of shorter runs it is less sure that they belong together.
const FINER: [Grain; 4] = [
    Grain { run: 16, margin: 6 },
    Grain { run: 4, margin: 1 },
    Grain { run: 2, margin: 0 },
    Grain { run: 1, margin: 0 },
];
/// How many looks at a line one comparison may take: well below a second.
const MOST_LOOKS: usize = 50_000_000;

type Part = (Range<usize>, Range<usize>);

/// Parts of two texts of numbered lines; what lies between two parts is equal.
pub(super) fn parts(one: &[u32], two: &[u32]) -> Vec<Part> {
    parts_within(one, two, MOST_LOOKS)
}

fn parts_within(one: &[u32], two: &[u32], most: usize) -> Vec<Part> {
    let whole = (0..one.len(), 0..two.len());
    if one.len().min(two.len()) < LONG {
        return vec![whole];
    }
    let mut anchors = anchors(one, two);
    let is_slow = |part: &Part, anchors: &[(usize, usize)]| {
        runs(one, two, part, anchors).saturating_mul(part.0.len() + part.1.len()) > most
    };
    if !anchors.is_sorted_by_key(|(_, other)| *other) {
        // What was moved is seen only in the whole.
        if !is_slow(&whole, &anchors) {
            return vec![whole];
        }
        anchors = in_order(&anchors);
    }
    let mut parts = cut((one, two), whole, &anchors, COARSE);
    for grain in FINER {
        let finer = parts.into_iter().flat_map(|part| {
            let inside = inside(&anchors, &part);
            if is_slow(&part, inside) {
                cut((one, two), part, inside, grain)
            } else {
                vec![part]
            }
        });
        parts = finer.collect();
    }
    parts
}

/// The anchors that lie in a part.
fn inside<'a>(anchors: &'a [(usize, usize)], (in_one, in_two): &Part) -> &'a [(usize, usize)] {
    let from = anchors.partition_point(|(at, other)| *at < in_one.start || *other < in_two.start);
    let to = anchors.partition_point(|(at, other)| *at < in_one.end && *other < in_two.end);
    anchors.get(from..to).unwrap_or_default()
}

fn cut(
    (one, two): (&[u32], &[u32]),
    (in_one, in_two): Part,
    anchors: &[(usize, usize)],
    Grain { run, margin }: Grain,
) -> Vec<Part> {
    let mut parts = Vec::new();
    let mut from = (in_one.start, in_two.start);
    let mut done = 0;
    for &(at, other) in anchors {
        if at < done {
            continue;
        }
        let before = equal_before(one, two, (at, other), from);
        let after = equal_after(one, two, (at, other), (in_one.end, in_two.end));
        done = at + after;
        if before + after >= run {
            let cut = (at - before + margin, other - before + margin);
            parts.push((from.0..cut.0, from.1..cut.1));
            from = (at + after - margin, other + after - margin);
        }
    }
    parts.push((from.0..in_one.end, from.1..in_two.end));
    parts
}

/// How many runs of equal lines there are around the anchors of a part. Comparing takes a look at all of it for each
/// of them, at worst: where they are equally long.
fn runs(one: &[u32], two: &[u32], part: &Part, anchors: &[(usize, usize)]) -> usize {
    let mut runs = 0;
    let mut done = 0;
    for &(at, other) in anchors {
        if at >= done {
            runs += 1;
            done = at + equal_after(one, two, (at, other), (part.0.end, part.1.end));
        }
    }
    runs
}

/// As many anchors as are in the same order in both texts.
fn in_order(anchors: &[(usize, usize)]) -> Vec<(usize, usize)> {
    // For each length, the anchor on which the row of that length ends earliest; and what each stands on.
    let mut ends: Vec<usize> = Vec::new();
    let mut before: Vec<Option<usize>> = Vec::with_capacity(anchors.len());
    let other = |at: usize| anchors.get(at).map(|(_, other)| *other);
    for (at, (_, here)) in anchors.iter().enumerate() {
        let length = ends.partition_point(|end| other(*end) < Some(*here));
        before.push(
            length
                .checked_sub(1)
                .and_then(|last| ends.get(last).copied()),
        );
        match ends.get_mut(length) {
            Some(end) => *end = at,
            None => ends.push(at),
        }
    }
    let mut row = Vec::with_capacity(ends.len());
    let mut next = ends.last().copied();
    while let Some(at) = next {
        row.extend(anchors.get(at).copied());
        next = before.get(at).copied().flatten();
    }
    row.reverse();
    row
}

/// Lines that each text has once, by their places, in the order of the first.
fn anchors(one: &[u32], two: &[u32]) -> Vec<(usize, usize)> {
    let lines = one
        .iter()
        .chain(two)
        .max()
        .map_or(0, |most| *most as usize + 1);
    let places = |text: &[u32]| {
        // The place of each line; twice is nowhere.
        let mut places: Vec<Place> = vec![Place::Nowhere; lines];
        for (at, line) in text.iter().enumerate() {
            if let Some(place) = places.get_mut(*line as usize) {
                *place = match place {
                    Place::Nowhere => Place::Once(at),
                    Place::Once(_) | Place::Often => Place::Often,
                };
            }
        }
        places
    };
    let (in_one, in_two) = (places(one), places(two));
    let mut anchors: Vec<(usize, usize)> = in_one
        .iter()
        .zip(&in_two)
        .filter_map(|places| match places {
            (Place::Once(at), Place::Once(other)) => Some((*at, *other)),
            _elsewhere => None,
        })
        .collect();
    anchors.sort_unstable();
    anchors
}

#[derive(Clone, Copy)]
enum Place {
    Nowhere,
    Once(usize),
    Often,
}

/// How many lines before two places are equal, no further back than `from`.
fn equal_before(one: &[u32], two: &[u32], at: (usize, usize), from: (usize, usize)) -> usize {
    let one = one.get(from.0..at.0).unwrap_or_default().iter().rev();
    let two = two.get(from.1..at.1).unwrap_or_default().iter().rev();
    one.zip(two).take_while(|(a, b)| a == b).count()
}

/// How many lines from two places on are equal, no further than `to`.
fn equal_after(one: &[u32], two: &[u32], at: (usize, usize), to: (usize, usize)) -> usize {
    let one = one.get(at.0..to.0).unwrap_or_default().iter();
    let two = two.get(at.1..to.1).unwrap_or_default().iter();
    one.zip(two).take_while(|(a, b)| a == b).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is between the parts has to be equal, line by line.
    fn is_sound(one: &[u32], two: &[u32], parts: &[(Range<usize>, Range<usize>)]) -> bool {
        parts.windows(2).all(|pair| {
            let between = |a: &Range<usize>, b: &Range<usize>| a.end..b.start;
            one[between(&pair[0].0, &pair[1].0)] == two[between(&pair[0].1, &pair[1].1)]
        })
    }

    #[test]
    fn a_long_text_falls_into_one_part_for_each_change() {
        let one: Vec<u32> = (0..10_000).collect();
        let mut two = one.clone();
        for at in (500..10_000).step_by(1_000) {
            two[at] += 50_000;
        }
        two.insert(7_000, 60_000);
        let parts = parts(&one, &two);
        assert_eq!(parts.len(), 13);
        assert!(is_sound(&one, &two, &parts));
        let compared: usize = parts.iter().map(|(a, b)| a.len() + b.len()).sum();
        assert!(compared < 2_000, "{compared}");
    }

    /// Every tenth line changed, as of a list of records with a date each: all runs are short and of one length.
    fn records(lines: u32) -> [Vec<u32>; 2] {
        records_of(10, lines)
    }

    fn records_of(length: u32, lines: u32) -> [Vec<u32>; 2] {
        let one: Vec<u32> = (0..lines).collect();
        let two = one.iter().map(|n| n + u32::from(n % length == 0) * lines);
        let two = two.collect();
        [one, two]
    }

    #[test]
    fn many_short_runs_are_cut_where_it_would_take_too_long_otherwise() {
        let [one, two] = records(20_000);
        assert_eq!(parts_within(&one, &two, usize::MAX).len(), 1);
        let parts = parts_within(&one, &two, 1_000_000);
        assert_eq!(parts.len(), 2_001);
        assert!(is_sound(&one, &two, &parts));
        assert!(parts.iter().all(|(a, b)| a.len() < 20 && b.len() < 20));
    }

    #[test]
    fn so_are_runs_of_few_lines() {
        for length in [2, 3, 4] {
            let [one, two] = records_of(length, 20_000);
            assert_eq!(parts_within(&one, &two, usize::MAX).len(), 1);
            let parts = parts_within(&one, &two, 1_000_000);
            assert!(is_sound(&one, &two, &parts), "{length}");
            let longest = parts.iter().map(|(a, b)| a.len().max(b.len())).max();
            // The last run may be too short to be looked for.
            assert!(longest <= Some(2), "{length}: {longest:?}");
            let compared = parts.iter().filter(|(a, _)| !a.is_empty()).count();
            assert_eq!(compared, 20_000_usize.div_ceil(length as usize), "{length}");
        }
    }

    #[test]
    fn a_moved_line_among_many_changes_does_not_keep_them_together() {
        let [one, mut two] = records(20_000);
        let line = two.remove(15_005);
        two.insert(5_005, line);
        assert_eq!(parts_within(&one, &two, usize::MAX).len(), 1);
        let parts = parts_within(&one, &two, 1_000_000);
        assert!(is_sound(&one, &two, &parts));
        assert!(parts.len() > 1_900, "{}", parts.len());
    }

    #[test]
    fn the_longest_row_in_order_is_kept() {
        let row = in_order(&[(0, 3), (1, 4), (2, 0), (3, 5), (4, 1), (5, 6)]);
        assert_eq!(row, [(0, 3), (1, 4), (3, 5), (5, 6)]);
        assert!(in_order(&[]).is_empty());
    }

    #[test]
    fn short_texts_and_moved_lines_are_compared_as_a_whole() {
        let one: Vec<u32> = (0..1_000).collect();
        assert_eq!(parts(&one, &one), [(0..1_000, 0..1_000)]);
        let one: Vec<u32> = (0..3_000).collect();
        let mut two = one.clone();
        two.swap(10, 2_900);
        assert_eq!(parts(&one, &two), [(0..3_000, 0..3_000)]);
    }
}
