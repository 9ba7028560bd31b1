//! Whether statements for a database only read, looked at word by word: what is not plainly a query counts as a change.

use crate::shell::text;

/// Whether every statement is a query.
pub(crate) fn only_selects(sql: &str) -> bool {
    if text::is_any(sql) {
        return false;
    }
    let lower = strip_text(sql).to_lowercase();
    let changes = [
        "insert",
        "update",
        "delete",
        "drop",
        "create",
        "alter",
        "replace",
        "attach",
        "detach",
        "vacuum",
        "reindex",
        "truncate",
        "grant",
        "revoke",
        "copy",
        "load_extension",
        "writefile",
        "into outfile",
        "set",
        "merge",
        "call",
        "do",
        "lo_export",
        "pg_read_file",
        "install",
        "load",
        "export",
        "begin",
        "commit",
    ];
    let words: Vec<&str> = lower
        .split(|c: char| !(c.is_alphanumeric() || c == '_'))
        .filter(|word| !word.is_empty())
        .collect();
    lower
        .split(';')
        .map(str::trim)
        .filter(|statement| !statement.is_empty())
        .all(|statement| {
            [
                "select",
                "with",
                "explain",
                "show",
                "describe",
                "desc",
                "pragma",
                "values",
                "\\d",
                "\\l",
                "\\dt",
                ".schema",
                ".tables",
                ".headers",
                ".mode",
                ".databases",
                ".indexes",
                ".indices",
                ".width",
                ".timeout",
                ".bail",
                ".nullvalue",
                ".separator",
                ".timer",
                ".fullschema",
                ".dbinfo",
                ".show",
                ".help",
                ".quit",
                ".exit",
            ]
            .iter()
            .any(|start| statement.starts_with(start))
                && !(statement.starts_with("pragma") && statement.contains('='))
        })
        && !lower.contains("edit(")
        && !changes.iter().any(|change| words.contains(change))
}

/// The statement without the text between quotes.
fn strip_text(sql: &str) -> String {
    let mut out = String::new();
    let mut quote = None;
    for c in sql.chars() {
        match quote {
            Some(open) if c == open => quote = None,
            Some(_) => {}
            None if matches!(c, '\'' | '"') => quote = Some(c),
            None if c == '\n' => out.push(' '),
            None => out.push(c),
        }
    }
    out
}
