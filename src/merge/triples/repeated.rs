//! Random triples of few different lines, so that most of them repeat: what goes here is what comes there.

use proptest::prelude::*;

#[derive(Debug, Clone)]
enum Edit {
    Insert(u8, Vec<u8>),
    Delete(u8, u8),
    Move(u8, u8, u8),
}

fn edit() -> impl Strategy<Value = Edit> {
    let word = prop_oneof![3 => 0..5_u8, 1 => 40..46_u8];
    prop_oneof![
        4 => (any::<u8>(), proptest::collection::vec(word, 1..4)).prop_map(|(at, w)| Edit::Insert(at, w)),
        2 => (any::<u8>(), 1..4_u8).prop_map(|(at, n)| Edit::Delete(at, n)),
        1 => (any::<u8>(), 1..5_u8, any::<u8>()).prop_map(|(from, n, to)| Edit::Move(from, n, to)),
    ]
}

fn edited(base: &[u8], edits: &[Edit]) -> Vec<u8> {
    let mut lines = base.to_vec();
    for edit in edits {
        let room = lines.len() + 1;
        let at = |place: u8| usize::from(place) % room;
        match edit {
            Edit::Insert(place, words) => {
                lines.splice(at(*place)..at(*place), words.clone());
            }
            Edit::Delete(place, count) => {
                let end = (at(*place) + usize::from(*count)).min(lines.len());
                lines.drain(at(*place)..end);
            }
            Edit::Move(from, count, to) => {
                let end = (at(*from) + usize::from(*count)).min(lines.len());
                let block: Vec<u8> = lines.drain(at(*from)..end).collect();
                let to = usize::from(*to) % (lines.len() + 1);
                lines.splice(to..to, block);
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
pub(crate) fn repeated() -> impl Strategy<Value = [Vec<u8>; 3]> {
    let lines = proptest::collection::vec(prop_oneof![3 => 0..5_u8, 2 => 5..40_u8], 1..24);
    let edits = || proptest::collection::vec(edit(), 1..4);
    (lines, edits(), edits()).prop_map(|(base, ours, theirs)| {
        let [ours, theirs] = [ours, theirs].map(|edits| edited(&base, &edits));
        [base, ours, theirs].map(text)
    })
}
