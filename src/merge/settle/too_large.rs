//! Contested places of which nobody looked whether the rules have an answer, since that would compare too many lines:
//! what is said of them, wherever a merge is told of. Pure.

use crate::types::merge::DisplacedHunk;

use super::reading::wording::are_too_many;
use crate::merge::account::MOST_LINES;

/// Why such a place is held, and what to do.
const SAID: &str = "is too large to be settled; decide it in Review";

/// Says of a contested place that it is one of these.
pub(in crate::merge) fn too_large(hunk: &DisplacedHunk) -> Option<String> {
    let [base, ours, theirs] =
        [&hunk.base, &hunk.text, &hunk.incoming].map(|text| text.lines().count());
    let sides = ours + theirs;
    (are_too_many(base, sides) || sides > MOST_LINES).then(|| {
        format!(
            "{}: what both sides rewrote from line {} on {SAID}",
            hunk.file, hunk.start_line
        )
    })
}

/// What is said of an attempt that was held for such places, in short.
pub fn held_as_too_large<'w>(warnings: impl IntoIterator<Item = &'w str>) -> Option<&'static str> {
    let mut warnings = warnings.into_iter();
    warnings
        .any(|warning| warning.ends_with(SAID))
        .then_some(SAID)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;
    use crate::types::merge::DisplacedKind;

    fn hunk(base: &str, text: String, incoming: String) -> DisplacedHunk {
        DisplacedHunk {
            file: "f".to_owned(),
            file_bytes: String::new(),
            kind: DisplacedKind::Text,
            start_line: 3,
            agent: String::new(),
            commit: String::new(),
            committed_at: String::new(),
            line_count: 1,
            base: base.to_owned(),
            text,
            incoming,
            text_bytes: String::new(),
            incoming_bytes: String::new(),
            driver: String::new(),
            parts: Vec::new(),
        }
    }

    #[test]
    fn so_many_lines_of_one_side_that_they_are_not_compared_are_told_as_such() {
        let many = "\n".repeat(MOST_LINES);
        let said = too_large(&hunk("", many, "x\n".to_owned())).unwrap();
        assert_eq!(
            said,
            format!("f: what both sides rewrote from line 3 on {SAID}")
        );
        assert_eq!(held_as_too_large([said.as_str()]), Some(SAID));
        let few = too_large(&hunk("a\n", "b\n".repeat(100), "c\n".to_owned()));
        assert_eq!(few, None);
        assert_eq!(held_as_too_large(["something else"]), None);
    }
}
