//! A merged file that its own format refuses, though it accepts both sides: the rules have read something wrong, so
//! they decide nothing in it. Pure.

use crate::merge::form::{is_data, syntax_problem};

use super::file::{Rules, settle, settle_by_asking};
use super::once::Language;
use super::pieces::Settlement;
use super::reading::kind::Kind;
use super::rules::added::{added_apart, settle_added};

/// Merges two versions of a file, which grew from `base` or were added under the same name.
pub(crate) fn settle_file<'a>(
    name: &str,
    base: Option<&'a [u8]>,
    [ours, theirs]: [&'a [u8]; 2],
    rules: Rules,
) -> Settlement<'a> {
    let rules = Rules {
        kind: Kind::of(name),
        language: Language::of(name),
        ..rules
    };
    let settled = match base {
        Some(base) => settle(base, ours, theirs, rules),
        None => settle_added(ours, theirs, rules),
    };
    // Who wants both sides of each place has decided that.
    if rules.union || !is_broken(name, base, [ours, theirs], &settled) {
        return settled;
    }
    match base {
        Some(base) => settle_by_asking([base, ours, theirs]),
        None => added_apart(ours, theirs),
    }
}

fn is_broken(name: &str, base: Option<&[u8]>, sides: [&[u8]; 2], settled: &Settlement<'_>) -> bool {
    let [Ok(ours), Ok(theirs)] = sides.map(|side| std::str::from_utf8(side).map(str::to_owned))
    else {
        return false;
    };
    let is_wrong = |merged: Vec<u8>| {
        String::from_utf8(merged)
            .is_ok_and(|merged| syntax_problem(name, &merged, [&ours, &theirs]).is_some())
    };
    // Brackets that never came in pairs say nothing.
    if !is_data(name) && base.is_some_and(|base| is_wrong(base.to_vec())) {
        return false;
    }
    // What is contested may be right either way.
    is_wrong(settled.render(|contest| contest.theirs.clone()))
        && (settled.contests().next().is_none()
            || is_wrong(settled.render(|contest| contest.ours.clone())))
}
