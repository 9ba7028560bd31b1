//! One definition that both sides put in, and one lets more of the program see it. Pure.

/// Who may see something, from the fewest.
const SEEN_BY: [&[u8]; 5] = [b"", b"pub(super) ", b"pub(crate) ", b"pub ", b"export "];

/// Tells whether a line is one of some that differ in nothing but who may see what they define, and the one that lets
/// the most see it.
pub(super) fn is_the_most_visible(result: &[u8], lines: &[&[u8]]) -> bool {
    let (indent, by, rest) = seen(result);
    let is_same = |line: &&[u8]| {
        let (depth, less, same) = seen(line);
        (depth, same) == (indent, rest) && less <= by
    };
    by > 0 && lines.contains(&result) && lines.iter().all(is_same)
}

/// How deep a line is, who may see what it defines, and the rest.
fn seen(line: &[u8]) -> (&[u8], usize, &[u8]) {
    let said = line.trim_ascii_start();
    let indent = line.get(..line.len() - said.len()).unwrap_or_default();
    let found = SEEN_BY.iter().enumerate().rev();
    let mut found = found.filter_map(|(by, word)| Some((by, said.strip_prefix(*word)?)));
    let (by, rest) = found.next().unwrap_or((0, said));
    (indent, by, rest)
}
