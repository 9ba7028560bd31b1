//! Rows that both sides put into a table of a database: two with one key are one fact said twice, with different values.
//! What the rows that are there already have several times is no key. Pure.

use std::collections::HashSet;

use crate::merge::lines::is_blank;

use super::same_words::parts;

/// How many lines above the beginning of a statement is looked for.
const ABOVE: usize = 2_000;

/// Tells whether the sides put in rows with one key, below the lines `above`.
pub(in crate::merge::settle) fn have_one_key(
    ours: &[&[u8]],
    theirs: &[&[u8]],
    above: &[&[u8]],
) -> bool {
    let own = |lines: &[&[u8]], others: &[&[u8]]| -> Vec<Row> {
        let own = lines.iter().filter(|line| !others.contains(line));
        own.flat_map(|line| rows(line)).collect()
    };
    // Most insertions have no rows.
    let may_be_row = |line: &&&[u8]| {
        let text = line.trim_ascii_start();
        text.starts_with(b"(") || begins_insert(text)
    };
    if !ours.iter().any(|line| may_be_row(&line)) || !theirs.iter().any(|line| may_be_row(&line)) {
        return false;
    }
    let (ours, theirs) = (own(ours, theirs), own(theirs, ours));
    let statement = Statement::around(above);
    let keys = |rows: &[Row]| -> Option<HashSet<(String, Vec<String>)>> {
        let keyed = rows.iter().filter_map(|row| statement.key(row));
        let (all, mut once) = (keyed.clone().count(), HashSet::new());
        once.extend(keyed);
        (all == once.len()).then_some(once)
    };
    let (Some(our_keys), Some(their_keys)) = (keys(&ours), keys(&theirs)) else {
        return false;
    };
    let are_all_numbers = || {
        let mut rows = ours.iter().chain(&theirs);
        rows.all(|row| row.cells.iter().all(|cell| cell.parse::<f64>().is_ok()))
    };
    let shared = our_keys.intersection(&their_keys).next();
    shared.is_some_and(|(head, _)| {
        // Of a table of pairs, nobody can say which part is the key.
        (columns(head).is_some() || !are_all_numbers()) && !statement.has_twice(head)
    })
}

/// One row, and what stands before it in its line, of which there is none where the statement began further above.
struct Row {
    head: Option<String>,
    cells: Vec<String>,
}

/// A statement that puts rows into a table.
struct Statement {
    head: Option<String>,
    rows: Vec<Row>,
}

impl Statement {
    /// The one that is not at its end after some lines, with its rows so far; or the last ones of a line each.
    fn around(above: &[&[u8]]) -> Self {
        let (mut all, mut head) = (Vec::new(), Vec::new());
        let said = above.iter().rev().filter(|line| !is_blank(line));
        for line in said.take(ABOVE) {
            let text = String::from_utf8_lossy(line).trim().to_owned();
            let found = rows(line);
            let is_ended = text.ends_with(';');
            let is_head = begins_insert(line);
            if is_ended && (!is_head || found.is_empty()) {
                break;
            }
            match found.first() {
                Some(row) if !is_ended => head.insert(0, row.head.clone().unwrap_or_default()),
                Some(_) => {}
                None => head.insert(0, text),
            }
            all.extend(found);
            if is_head && !is_ended {
                break;
            }
        }
        let head = head.join(" ");
        let is_insert = head.to_lowercase().contains("values");
        Self {
            head: is_insert.then_some(head),
            rows: all,
        }
    }

    /// The statement of a row, and the cells by which the row is known in its table.
    fn key(&self, row: &Row) -> Option<(String, Vec<String>)> {
        let head = row.head.clone().or_else(|| self.head.clone())?;
        let names = columns(&head).unwrap_or_default();
        let is_id = |at: &usize| names.get(*at).is_some_and(|name| name.ends_with("_id"));
        let ids: Vec<usize> = (0..row.cells.len()).filter(is_id).collect();
        let of = match names.iter().position(|name| name == "id") {
            Some(own) => vec![own],
            None if ids.len() > 1 => ids,
            None => vec![0],
        };
        let cells: Option<Vec<String>> = of.iter().map(|at| row.cells.get(*at).cloned()).collect();
        let cells = cells?;
        let is_made = |cell: &String| {
            cell.contains('(') || ["default", "null"].contains(&cell.to_lowercase().as_str())
        };
        (!cells.iter().any(is_made)).then_some((head, cells))
    }

    /// Tells whether its rows have one key several times.
    fn has_twice(&self, head: &str) -> bool {
        let mut seen = HashSet::new();
        let mut keys = self.rows.iter().filter_map(|row| self.key(row));
        keys.any(|key| key.0 == head && !seen.insert(key))
    }
}

fn begins_insert(line: &[u8]) -> bool {
    let text = line.trim_ascii_start();
    text.get(..6)
        .is_some_and(|word| word.eq_ignore_ascii_case(b"insert"))
}

/// The rows of a line: `(1, 'a'),`, or a whole statement with some.
fn rows(line: &[u8]) -> Vec<Row> {
    let text = std::str::from_utf8(line).unwrap_or_default().trim();
    let (head, cells) = if text.starts_with('(') {
        (None, text)
    } else {
        let values = text.to_ascii_lowercase().find("values");
        let split = values.and_then(|at| text.split_at_checked(at + "values".len()));
        match split.filter(|_| begins_insert(line)) {
            Some((head, cells)) => (Some(head.to_owned()), cells),
            None => return Vec::new(),
        }
    };
    let (mut found, mut cells_of_one, mut depth) = (Vec::new(), vec![String::new()], 0_i32);
    for part in parts(cells) {
        let is_mark = |mark| part.text == mark && !part.is_quoted;
        depth += i32::from(is_mark("(")) - i32::from(is_mark(")"));
        match cells_of_one.last_mut() {
            _ if depth == 0 && is_mark(")") => found.push(Row {
                head: head.clone(),
                cells: std::mem::replace(&mut cells_of_one, vec![String::new()]),
            }),
            // What follows is no row: `ON CONFLICT`.
            _ if depth == 0 && part.text.contains(char::is_alphanumeric) => break,
            _ if depth == 0 || depth == 1 && is_mark("(") => {}
            Some(_) if depth == 1 && is_mark(",") => cells_of_one.push(String::new()),
            Some(last) => last.push_str(part.text.trim()),
            None => {}
        }
    }
    found
}

/// The names of the columns that a statement gives.
fn columns(head: &str) -> Option<Vec<String>> {
    let (_, rest) = head.split_once('(')?;
    let (names, _) = rest.split_once(')')?;
    let bare = |name: &str| name.trim().trim_matches(['"', '`']).to_lowercase();
    Some(names.split(',').map(bare).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one_key(above: &str, one: &str, two: &str) -> bool {
        let [above, one, two] =
            [above, one, two].map(|text| text.lines().map(str::as_bytes).collect::<Vec<_>>());
        let found = have_one_key(&one, &two, &above);
        assert_eq!(found, have_one_key(&two, &one, &above));
        found
    }

    const NAMED: &str = "INSERT INTO t (id, name) VALUES\n  (1, 'a'),";
    const PAIRS: &str = "INSERT INTO t (user_id, role_id) VALUES\n  (1, 1),";

    #[test]
    fn two_rows_with_one_key_are_two_versions_of_one() {
        for (above, one, two) in [
            (NAMED, "  (2, 'b'),", "  (2, 'c'),"),
            (
                NAMED,
                "  (2, 'b'),\n  (3, 'x'),",
                "  (3, 'c'),\n  (4, 'y'),",
            ),
            ("insert into t values\n('x', 1),", "('a', 1),", "('a', 2),"),
            ("INSERT INTO t VALUES ('x', 1),", "('a', 1),", "('a', 2),"),
            (NAMED, "  (2, 'b'), (3, 'x'),", "  (4, 'c'), (3, 'y'),"),
            (
                "SELECT 1;",
                "INSERT INTO t VALUES (2, 'b');",
                "INSERT INTO t VALUES (2, 'c');",
            ),
            ("INSERT INTO t (name, id) VALUES", "('b', 2),", "('c', 2),"),
            (
                "SELECT 1;",
                "INSERT INTO t VALUES (2, 'b') ON CONFLICT DO NOTHING;",
                "INSERT INTO t VALUES (2, 'c') ON CONFLICT DO NOTHING;",
            ),
            (
                "INSERT INTO t (a_id, b_id, n) VALUES",
                "(1, 2, 'x'),",
                "(1, 2, 'y'),",
            ),
        ] {
            assert!(one_key(above, one, two), "{above}\n{one}\n{two}");
        }
    }

    #[test]
    fn rows_that_share_no_key_are_two() {
        for (above, one, two) in [
            (NAMED, "  (2, 'b'),", "  (3, 'b'),"),
            (NAMED, "  (DEFAULT, 'b'),", "  (DEFAULT, 'c'),"),
            (
                NAMED,
                "  (gen_id('x', 1), 'b'),",
                "  (gen_id('x', 1), 'c'),",
            ),
            (PAIRS, "  (2, 1),", "  (2, 2),"),
            ("INSERT INTO t VALUES\n(1, 1),", "(2, 1),", "(2, 2),"),
            (
                "INSERT INTO t (kind, n) VALUES\n('a', 1),\n('a', 2),",
                "('b', 1),",
                "('b', 2),",
            ),
            ("xs = [", "    (2, 'b'),", "    (2, 'c'),"),
            (
                "SELECT 1;",
                "INSERT INTO t VALUES (2, 'b');",
                "INSERT INTO u VALUES (2, 'c');",
            ),
        ] {
            assert!(!one_key(above, one, two), "{above}\n{one}\n{two}");
        }
    }
}
