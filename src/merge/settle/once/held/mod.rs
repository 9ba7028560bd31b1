//! What both sides put in, each in its own way, of which there can be but one: somebody decides, the same both ways.

mod defined;
mod imported;
mod members;
mod told;
mod whole;

use crate::merge::settle::{Rules, settle_file};

/// How many places of a file somebody has to decide.
pub(super) fn contests(name: &str, [base, ours, theirs]: [&str; 3]) -> usize {
    let [base, ours, theirs] = [base, ours, theirs].map(str::as_bytes);
    let settled = settle_file(name, Some(base), [ours, theirs], Rules::default());
    settled.contests().count()
}

/// The sides put `one` and `two` where the base has a `~`.
fn held(name: &str, base: &str, one: &str, two: &str) {
    let [old, one, two] = ["", one, two].map(|new| base.replace('~', new));
    both_ways(name, &old, &one, &two);
}

fn both_ways(name: &str, base: &str, one: &str, two: &str) {
    assert!(
        contests(name, [base, one, two]) > 0,
        "{name}:\n{one}\n{two}"
    );
    assert!(
        contests(name, [base, two, one]) > 0,
        "{name}:\n{two}\n{one}"
    );
}
