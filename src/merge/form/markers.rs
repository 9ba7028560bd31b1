//! Conflict markers that an answer was left with. Knows no file's grammar; what a version has itself may stay. Pure.

/// Finds a conflict marker in a text that none of the versions it stands for has. What looks like one after blanks
/// is one, too: somebody has indented the place.
/// In some files, told by their names, a row of `=` makes a title of the line above it.
pub fn stray_marker<'t>(path: &str, text: &'t str, versions: &[&str]) -> Option<&'t str> {
    let underlines = has_underlined_titles(path);
    let above = std::iter::once("").chain(text.lines());
    let mut lines = text.lines().zip(above);
    let found = lines.find(|(line, above)| {
        let is_title = underlines && is_separator(line) && is_title(above, line);
        is_marker(line) && !is_title && !is_known(line, versions)
    });
    found.map(|(line, _)| line)
}

/// Begins of comments and quotes, and ends of comments, between which a marker is still one.
const SIGNS: [&str; 13] = [
    "<!--", "//", "/*", "--", "{-", "(*", "#", ";", "%", "*", ">", "'", "!",
];
const SIGN_ENDS: [&str; 4] = ["-->", "*/", "-}", "*)"];

/// Finds a conflict marker that was made a comment or a quote, which none of the versions has. A row that underlines a
/// title in the same comment is none.
pub(in crate::merge) fn marker_behind_a_sign<'t>(
    text: &'t str,
    versions: &[&str],
) -> Option<&'t str> {
    let above = std::iter::once("").chain(text.lines());
    let mut lines = text.lines().zip(above);
    let found = lines.find(|(line, above)| {
        let Some((sign, marker)) = signed_marker(line) else {
            return false;
        };
        let title = above.strip_prefix(sign);
        let underlines = is_separator(marker) && title.is_some_and(|title| is_title(title, marker));
        !underlines && !is_known(line, versions)
    });
    found.map(|(line, _)| line)
}

/// The signs that a line begins with, and the marker behind them.
fn signed_marker(line: &str) -> Option<(&str, &str)> {
    let ends = SIGN_ENDS.iter();
    let open = ends.fold(line.trim_end(), |open, end| open.trim_end_matches(end));
    let mut rest = open.trim_start();
    let blanks = open.len() - rest.len();
    while !is_marker(rest) {
        let sign = SIGNS.iter().find_map(|sign| rest.strip_prefix(sign))?;
        rest = sign.trim_start();
    }
    let signs = open.len() - rest.len();
    (signs > blanks).then(|| open.split_at(signs))
}

fn is_known(line: &str, versions: &[&str]) -> bool {
    let mut lines = versions.iter().flat_map(|version| version.lines());
    lines.any(|known| known.trim() == line.trim())
}

fn is_marker(line: &str) -> bool {
    let line = line.trim_start();
    ["<<<<<<<", "|||||||", ">>>>>>>"]
        .iter()
        .any(|marker| line.starts_with(marker))
        || is_separator(line)
}

fn is_separator(line: &str) -> bool {
    line.trim() == "======="
}

/// Tells whether a line may be the title above a row: it says something, begins where the row does, and is no longer.
fn is_title(above: &str, row: &str) -> bool {
    let indent = |line: &str| line.len() - line.trim_start().len();
    let length = above.trim().chars().count();
    above.chars().any(char::is_alphanumeric)
        && indent(above) == indent(row)
        && length <= row.trim().len()
        && !is_marker(above)
}

/// Whether a row of `=` under a line makes that a title in such a file.
fn has_underlined_titles(path: &str) -> bool {
    let extension = path.rsplit_once('.').map(|(_, extension)| extension);
    let extension = extension.unwrap_or_default().to_ascii_lowercase();
    ["md", "markdown", "mdown", "rst", "rest", "txt", "adoc"].contains(&extension.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_under_a_title_is_no_marker() {
        for path in ["README.md", "docs/use.rst"] {
            let answer = "one\n\nA title\n=======\n\ntwo\n";
            assert_eq!(stray_marker(path, answer, &["one\n", "two\n"]), None);
            let stray = stray_marker(path, "one\n\n=======\ntwo\n", &["one\n", "two\n"]);
            assert_eq!(stray, Some("======="));
            assert!(stray_marker(path, "<<<<<<< ours\n=======\n", &["one\n"]).is_some());
        }
        assert!(stray_marker("a.rs", "title\n=======\n", &["title\n"]).is_some());
    }
}
