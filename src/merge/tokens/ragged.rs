//! Rows of one line that would have another number of cells than the rows beside them: one side gave each row a cell more,
//! and the other side put in a row. Pure.

/// Tells whether a line has rows of different lengths side by side where no version of it has: `(a, 1), (b)`.
pub(super) fn makes_ragged(woven: &str, versions: [&str; 3]) -> bool {
    is_ragged(woven) && !versions.into_iter().any(is_ragged)
}

/// Tells whether brackets with only a comma between them hold different numbers of values.
fn is_ragged(line: &str) -> bool {
    // For each open bracket, how many commas are in it, and how many its neighbour before it had.
    let mut open: Vec<Level> = vec![Level::default()];
    let mut quote = None;
    for c in line.chars() {
        if quote.is_some() {
            quote = quote.filter(|quote| *quote != c);
            continue;
        }
        match c {
            '"' | '\'' | '`' => {
                quote = Some(c);
                part(&mut open);
            }
            '(' | '[' | '{' => open.push(Level::default()),
            ')' | ']' | '}' => {
                let closed = open.pop();
                let (Some(closed), Some(around)) = (closed, open.last_mut()) else {
                    return false;
                };
                let is_row = closed.is_said && around.is_row_next();
                if is_row && around.row.is_some_and(|row| row != closed.commas) {
                    return true;
                }
                around.row = closed.is_said.then_some(closed.commas);
                around.is_parted = false;
                around.is_said = true;
            }
            ',' => {
                if let Some(level) = open.last_mut() {
                    level.commas += 1;
                    level.is_parted = true;
                }
            }
            _ if c.is_whitespace() => {}
            _ => part(&mut open),
        }
    }
    false
}

/// What stands in a bracket, as far as it has been read.
#[derive(Debug, Default)]
struct Level {
    commas: usize,
    /// The commas of the bracket that has just been closed.
    row: Option<usize>,
    /// A comma stands behind that.
    is_parted: bool,
    is_said: bool,
}

impl Level {
    fn is_row_next(&self) -> bool {
        self.row.is_some() && self.is_parted
    }
}

/// Something else stands here: what has been closed before is no row beside what comes.
fn part(open: &mut [Level]) {
    if let Some(level) = open.last_mut() {
        level.row = None;
        level.is_said = true;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_of_different_lengths_are_told_from_calls_and_from_rows_alike() {
        for text in [
            "VALUES ('admin', 9), ('guest');",
            "X = [(1, 2, 3), (4, 5)]",
            "let x = [[1], [2, 3]];",
        ] {
            assert!(is_ragged(text), "{text}");
        }
        for text in [
            "VALUES ('admin', 9), ('guest', 1);",
            "f(a, b), g(c)",
            "call((a), b, (c, d))",
            "f(a)(b, c)",
            "VALUES ('it''s, (x)', 9), ('y', 1)",
            "f((), (a, b))",
            ")",
        ] {
            assert!(!is_ragged(text), "{text}");
        }
    }
}
