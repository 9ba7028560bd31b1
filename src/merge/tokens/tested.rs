//! Weaving as tests read it.
#![allow(clippy::unwrap_used, reason = "tests")]

use super::weave;

/// What comes of a line, whichever side is first.
pub(in crate::merge) fn woven(base: &str, ours: &str, theirs: &str) -> Option<String> {
    let [one, two] = [(ours, theirs), (theirs, ours)].map(|(ours, theirs)| {
        weave(base.as_bytes(), ours.as_bytes(), theirs.as_bytes())
            .map(|line| String::from_utf8(line).unwrap())
    });
    assert_eq!(one, two, "{base}");
    one
}
