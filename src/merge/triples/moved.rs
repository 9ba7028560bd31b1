//! Random triples of many equal lines, in which both sides move blocks and single lines: so it is in code that was put
//! in another order on both sides.

use proptest::prelude::*;

/// Fewer are equal to others: their numbers are those of the lines that stand for themselves.
const EQUAL: u8 = 3;

#[derive(Debug, Clone)]
enum Edit {
    /// Some lines, to the top, to the end, or anywhere.
    Move(u8, u8, To),
    /// One of the lines that the file has several times.
    MoveEqual(u8, To),
    InsertEqual(u8, u8),
    RemoveEqual(u8),
    Insert(u8, u8),
    Remove(u8),
    Rewrite(u8),
}

#[derive(Debug, Clone)]
enum To {
    Top,
    End,
    Place(u8),
}

fn to() -> impl Strategy<Value = To> {
    prop_oneof![
        2 => Just(To::Top),
        1 => Just(To::End),
        2 => any::<u8>().prop_map(To::Place),
    ]
}

fn moving() -> impl Strategy<Value = Edit> {
    prop_oneof![
        (any::<u8>(), 1..7_u8, to()).prop_map(|(from, n, to)| Edit::Move(from, n, to)),
        (any::<u8>(), to()).prop_map(|(which, to)| Edit::MoveEqual(which, to)),
    ]
}

fn edit() -> impl Strategy<Value = Edit> {
    prop_oneof![
        4 => moving(),
        1 => (any::<u8>(), 0..EQUAL).prop_map(|(at, word)| Edit::InsertEqual(at, word)),
        1 => any::<u8>().prop_map(Edit::RemoveEqual),
        1 => (any::<u8>(), 100..110_u8).prop_map(|(at, word)| Edit::Insert(at, word)),
        1 => any::<u8>().prop_map(Edit::Remove),
        1 => any::<u8>().prop_map(Edit::Rewrite),
    ]
}

fn put(lines: &mut Vec<u8>, to: &To, block: Vec<u8>) {
    let at = match to {
        To::Top => 0,
        To::End => lines.len(),
        To::Place(place) => usize::from(*place) % (lines.len() + 1),
    };
    lines.splice(at..at, block);
}

/// Where one of the equal lines stands.
fn equal(lines: &[u8], which: u8) -> Option<usize> {
    let all: Vec<usize> = (0..lines.len()).filter(|at| lines[*at] < EQUAL).collect();
    all.get(usize::from(which) % all.len().max(1)).copied()
}

/// `by` makes the new lines of the sides different ones.
fn edited(base: &[u8], edits: &[Edit], by: u8) -> Vec<u8> {
    let mut lines = base.to_vec();
    for edit in edits {
        let at = |place: u8| usize::from(place) % lines.len().max(1);
        match edit {
            Edit::Move(from, count, to) => {
                let from = at(*from);
                let end = (from + usize::from(*count)).min(lines.len());
                let block: Vec<u8> = lines.drain(from..end).collect();
                put(&mut lines, to, block);
            }
            Edit::MoveEqual(which, to) => {
                if let Some(at) = equal(&lines, *which) {
                    let line = lines.remove(at);
                    put(&mut lines, to, vec![line]);
                }
            }
            Edit::InsertEqual(place, word) => put(&mut lines, &To::Place(*place), vec![*word]),
            Edit::Insert(place, word) => put(&mut lines, &To::Place(*place), vec![word + by]),
            Edit::RemoveEqual(which) => {
                if let Some(at) = equal(&lines, *which) {
                    lines.remove(at);
                }
            }
            Edit::Remove(place) => {
                let at = at(*place);
                if at < lines.len() {
                    lines.remove(at);
                }
            }
            Edit::Rewrite(place) => {
                let at = at(*place);
                if let Some(line) = lines.get_mut(at) {
                    *line = 150 + by;
                }
            }
        }
    }
    lines
}

fn text(lines: Vec<u8>) -> Vec<u8> {
    let lines = lines.into_iter().map(|word| format!("word {word}\n"));
    lines.collect::<String>().into_bytes()
}

/// The texts of base, ours and theirs.
pub(super) fn moved() -> impl Strategy<Value = [Vec<u8>; 3]> {
    let equal = proptest::collection::vec(prop_oneof![2 => 0..EQUAL, 3 => Just(EQUAL)], 3..16);
    let edits = || (moving(), proptest::collection::vec(edit(), 0..3));
    (equal, edits(), edits()).prop_map(|(base, ours, theirs)| {
        let mut own = EQUAL..;
        let number = |word: u8| {
            if word < EQUAL {
                word
            } else {
                own.next().unwrap_or(word)
            }
        };
        let base: Vec<u8> = base.into_iter().map(number).collect();
        let side = |(first, mut more): (Edit, Vec<Edit>), by: u8| {
            more.insert(0, first);
            edited(&base, &more, by)
        };
        let (ours, theirs) = (side(ours, 0), side(theirs, 50));
        [base, ours, theirs].map(text)
    })
}
