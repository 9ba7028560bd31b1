//! Rows of a table: one that a side puts in has the columns that the table had for it. Beside rows that the other side
//! gave another number of cells, it would be a row of another table. Pure.

use crate::merge::lines::is_blank;

use super::kind::Kind;

/// Tells whether rows were put in beside a row `was` that is now `is`, with another number of cells than they have.
pub(super) fn lack_a_column(rows: &[&[u8]], [was, is]: [&[u8]; 2], kind: Kind) -> bool {
    let (Some(was), Some(is)) = (cells(was, kind), cells(is, kind)) else {
        return false;
    };
    let mut said = rows.iter().filter(|line| !is_blank(line));
    was != is && said.any(|row| cells(row, kind).is_some_and(|row| row != is))
}

/// How many cells a row has. `None` for what is no row.
fn cells(line: &[u8], kind: Kind) -> Option<usize> {
    let text = line.trim_ascii();
    let separator = match kind {
        Kind::Table(separator) => separator,
        Kind::Markdown | Kind::Other => {
            let is_row = text.len() > 1 && text.starts_with(b"|") && text.ends_with(b"|");
            is_row.then_some(b'|')?
        }
    };
    let (mut count, mut is_quoted, mut is_escaped) = (1, false, false);
    for byte in text {
        match byte {
            b'"' if separator != b'|' => is_quoted = !is_quoted,
            byte if *byte == separator && !is_quoted && !is_escaped => count += 1,
            _other => {}
        }
        is_escaped = *byte == b'\\' && !is_escaped;
    }
    Some(count)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_counted_as_each_kind_of_table_has_them() {
        for (line, kind, expected) in [
            ("a,\"b,c\",d", Kind::Table(b','), Some(3)),
            ("a\tb,c", Kind::Table(b'\t'), Some(2)),
            ("| a | b \\| c |", Kind::Markdown, Some(4)),
            ("a, b", Kind::Other, None),
            ("|x| y", Kind::Other, None),
        ] {
            assert_eq!(cells(line.as_bytes(), kind), expected, "{line}");
        }
    }
}
