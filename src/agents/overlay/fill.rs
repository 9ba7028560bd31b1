//! Putting values into text without letting them become more than text.

/// Replaces `{{NAME}}` once, left to right; unknown names stay as they are.
pub(super) fn fill(template: &str, value: &dyn Fn(&str) -> Option<String>) -> String {
    let mut out = String::with_capacity(template.len());
    let mut rest = template;
    while let Some(start) = rest.find("{{") {
        let (before, opened) = rest.split_at(start);
        out.push_str(before);
        let name = opened
            .get(2..)
            .and_then(|tail| tail.split_once("}}"))
            .map(|(name, _)| name);
        if let Some((name, text)) = name.and_then(|name| value(name).map(|text| (name, text))) {
            out.push_str(&text);
            rest = opened.get(name.len() + 4..).unwrap_or("");
        } else {
            out.push_str("{{");
            rest = opened.get(2..).unwrap_or("");
        }
    }
    out + rest
}

/// Text that could open a section of its own, or end the line it is meant for, loses that power.
pub(super) fn one_line(text: &str) -> String {
    text.chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect()
}

/// Headings of inserted text go below ours, so that the sections keep their order; Markdown has six
/// levels.
pub(super) fn demoted(text: &str) -> String {
    text.lines()
        .map(|line| {
            let start = line.trim_start();
            let level = start.len() - start.trim_start_matches('#').len();
            let more = if level == 0 {
                0
            } else {
                LEVELS.saturating_sub(level).min(3)
            };
            format!("{}{line}\n", "#".repeat(more))
        })
        .collect()
}

/// Depth of the deepest heading.
const LEVELS: usize = 6;

/// Sections that are left out must not leave holes; code blocks hold no double blank lines.
pub(super) fn collapse_blank_lines(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut blank = true;
    for line in text.lines() {
        let empty = line.trim().is_empty();
        if !(empty && blank) {
            out.push_str(line);
            out.push('\n');
        }
        blank = empty;
    }
    out.truncate(out.trim_end().len());
    out.push('\n');
    out
}
