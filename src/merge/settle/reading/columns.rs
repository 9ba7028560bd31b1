//! Rows of a table: one that a side puts in has the columns that the table had for it. Beside rows that the other side
//! gave another number of cells, or put in another order, it would be a row of another table. Pure.

use crate::merge::lines::is_blank;

use super::kind::Kind;

/// Tells whether rows were put in beside a row `was` that is now `is`, with another number of cells than they have, or with
/// its cells in another order.
pub(in crate::merge::settle) fn lack_a_column(
    rows: &[&[u8]],
    [was, is]: [&[u8]; 2],
    kind: Kind,
) -> bool {
    let (Some(was), Some(is)) = (cells(was, kind), cells(is, kind)) else {
        return false;
    };
    let mut rows = rows
        .iter()
        .filter(|line| !is_blank(line))
        .filter_map(|row| cells(row, kind));
    let is_moved = was != is && {
        let [mut was, mut is] = [was.clone(), is.clone()];
        was.sort_unstable();
        is.sort_unstable();
        was == is
    };
    rows.any(|row| is_moved || was.len() != is.len() && row.len() != is.len())
}

/// The cells of a row. `None` for what is no row.
fn cells(line: &[u8], kind: Kind) -> Option<Vec<&[u8]>> {
    let text = line.trim_ascii();
    let separator = match kind {
        Kind::Table(separator) => separator,
        Kind::Markdown | Kind::Other => {
            let is_row = text.len() > 1 && text.starts_with(b"|") && text.ends_with(b"|");
            is_row.then_some(b'|')?
        }
    };
    let (mut ends, mut is_quoted, mut is_escaped) = (Vec::new(), false, false);
    for (at, byte) in text.iter().enumerate() {
        match byte {
            b'"' if separator != b'|' => is_quoted = !is_quoted,
            byte if *byte == separator && !is_quoted && !is_escaped => ends.push(at),
            _other => {}
        }
        is_escaped = *byte == b'\\' && !is_escaped;
    }
    ends.push(text.len());
    let mut start = 0;
    let cell = |end: usize| {
        let cell = text.get(start..end).unwrap_or_default().trim_ascii();
        start = end + 1;
        cell
    };
    Some(ends.into_iter().map(cell).collect())
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
            let count = cells(line.as_bytes(), kind).map(|cells| cells.len());
            assert_eq!(count, expected, "{line}");
        }
    }
}
