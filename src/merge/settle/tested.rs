//! Settling in one line, for tests of single rules.

#![allow(clippy::unwrap_used, reason = "tests")]

use super::{Rules, settle};

/// The settled text, unless a place is contested. Lines are parted by `, `.
pub(super) fn settled(base: &str, ours: &str, theirs: &str) -> Option<String> {
    let text = |lines: &str| lines.replace(", ", "\n") + "\n";
    let [base, ours, theirs] = [base, ours, theirs].map(text);
    let [base, ours, theirs] = [&base, &ours, &theirs].map(|text| text.as_bytes());
    let settled = settle(base, ours, theirs, Rules::default());
    let text = String::from_utf8(settled.render(|_| Vec::new())).unwrap();
    let is_open = settled.contests().count() > 0;
    (!is_open).then(|| text.trim_end().replace('\n', ", "))
}
