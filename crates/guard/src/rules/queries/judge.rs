//! Whether statements for a database only read: what is not plainly a query counts as a change.
//!
//! Which database reads the statements is not known here; where databases read a text otherwise, the reading that
//! changes more counts.

use super::text::{Word, statements};
use crate::shell::text;

/// Whether every statement is a query.
pub(crate) fn only_selects(sql: &str) -> bool {
    !text::is_any(sql)
        && statements(sql).is_some_and(|found| found.iter().all(|statement| reads(statement)))
}

/// How a statement that reads begins.
const QUERIES: &[&str] = &[
    "select", "with", "explain", "show", "describe", "desc", "pragma", "values", "table", "from",
];

/// Commands of the clients that only tell.
const COMMANDS: &[&str] = &[
    ".schema",
    ".tables",
    ".headers",
    ".header",
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
];

/// Words that change something wherever they stand: statements within others begin with them too.
const CHANGES: &[&str] = &[
    "insert", "update", "delete", "merge", "drop", "create", "alter", "truncate", "replace",
    "into", "copy", "call", "do", "set", "grant", "revoke", "attach", "detach", "vacuum",
    "reindex", "install", "load", "export", "begin", "commit", "refresh", "execute",
];

/// Of these, words that are names of functions too, which only answer.
const FUNCTIONS: &[&str] = &["replace", "insert", "truncate"];

/// Functions that change data or the server, read its files, or run a text as a statement.
const ACTS: &[&str] = &[
    "load_extension",
    "writefile",
    "edit",
    "setval",
    "nextval",
    "set_config",
    "pg_read_file",
    "pg_read_binary_file",
    "pg_promote",
    "pg_notify",
    "pg_import_system_collations",
    "query_to_xml",
    "query_to_xml_and_xmlschema",
    "cursor_to_xml",
    "sys_exec",
    "sys_eval",
    "xp_cmdshell",
    "load_file",
];

/// How the names of more such functions begin.
const ACTING: &[&str] = &[
    "lo_",
    "dblink",
    "pg_terminate_",
    "pg_cancel_",
    "pg_write_",
    "pg_file_",
    "pg_create_",
    "pg_drop_",
    "pg_reload_",
    "pg_rotate_",
    "pg_switch_",
    "pg_stat_reset",
    "pg_replication_slot_",
    "pg_replication_origin_",
    "pg_logical_",
    "pg_wal_replay_",
    "pg_backup_",
    "pg_start_backup",
    "pg_stop_backup",
];

/// Settings of SQLite that only answer, also with something in parentheses.
const PRAGMAS: &[&str] = &[
    "table_info",
    "table_xinfo",
    "table_list",
    "index_list",
    "index_info",
    "index_xinfo",
    "foreign_key_list",
    "foreign_key_check",
    "integrity_check",
    "quick_check",
];

/// Settings of SQLite that work on the file when they are named.
const WORKING: &[&str] = &[
    "optimize",
    "incremental_vacuum",
    "wal_checkpoint",
    "shrink_memory",
];

fn reads(statement: &[Word]) -> bool {
    let begins = statement
        .iter()
        .position(|word| word.text != "(")
        .unwrap_or_default();
    let statement = statement.get(begins..).unwrap_or_default();
    let Some(first) = statement.first() else {
        return true;
    };
    let first = first.text.as_str();
    let rest = statement.get(1..).unwrap_or_default();
    if let Some(command) = first.strip_prefix('\\') {
        return matches!(command.chars().next(), Some('d' | 'l')) && only_asks(rest);
    }
    match first {
        "pragma" => asks(statement),
        // `show create table a` shows how it was made.
        "show" => !rest.iter().any(|word| word.text.starts_with('\\')),
        _ if first.starts_with('.') => COMMANDS.contains(&first) && only_asks(rest),
        _ => QUERIES.contains(&first) && only_asks(rest),
    }
}

fn only_asks(words: &[Word]) -> bool {
    let following = words.iter().skip(1).map(Some).chain([None]);
    words
        .iter()
        .zip(following)
        .all(|(word, next)| !acts(word, next))
}

/// Whether a word of a query makes it a change.
fn acts(word: &Word, next: Option<&Word>) -> bool {
    let called = next.is_some_and(|next| next.text == "(");
    let name = word.text.as_str();
    if word.quoted {
        return called && is_acting(name);
    }
    // `\gexec` runs what the query answers; `\g` and `\G` only end it.
    name.starts_with('\\') && !(matches!(name, "\\g" | "\\gx") && next.is_none())
        || CHANGES.contains(&name) && !(called && FUNCTIONS.contains(&name))
        || is_acting(name)
}

fn is_acting(name: &str) -> bool {
    ACTS.contains(&name) || ACTING.iter().any(|start| name.starts_with(start))
}

/// Whether a pragma asks for a setting and sets none.
fn asks(statement: &[Word]) -> bool {
    let has = |text: &str| statement.iter().any(|word| word.text == text);
    let names = |list: &[&str]| {
        statement
            .iter()
            .any(|word| list.contains(&word.text.as_str()))
    };
    !has("=") && !names(WORKING) && (!has("(") || names(PRAGMAS))
}
