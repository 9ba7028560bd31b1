//! Database clients: which file they open, and whether the statements only read.
//!
//! Statements are looked at word by word; what is not plainly a query counts as a change.

use super::flags::parse;
use crate::commands::{Call, read_only};
use crate::policy::{Judged, Refusal, rule};
use crate::shell::state::State;
use crate::shell::text;
use crate::shell::walk::Walker;

pub(super) fn judge(w: &mut Walker<'_>, name: &str, call: &Call, st: &State) -> Option<Judged<()>> {
    match name {
        "sqlite3" | "sqlite" | "litecli" | "duckdb" | "sqlite-utils" | "sqlite3.exe" => {
            Some(sqlite(w, call, st))
        }
        "psql" | "mysql" | "mariadb" | "mongosh" | "mongo" | "redis-cli" | "cqlsh"
        | "clickhouse-client" | "pgcli" | "mycli" | "sqlcmd" => Some(server(w, name, call, st)),
        "pg_dump" | "mysqldump" | "pg_dumpall" | "mongodump" => {
            let flags = parse(
                call.args(),
                "fFUhpo",
                &["file", "format", "result-file", "out"],
            );
            let mut result = Ok(());
            for path in flags.values(&["f", "file", "result-file", "out"]) {
                result = result.and_then(|()| w.write_path(path, st));
            }
            Some(result)
        }
        "dropdb" | "createdb" | "dropuser" | "createuser" | "pg_restore" | "mongorestore" => {
            Some(w.need_writer("changes a database"))
        }
        _ => None,
    }
}

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

fn sqlite(w: &mut Walker<'_>, call: &Call, st: &State) -> Judged<()> {
    let args = call.args();
    // Its long options start with one dash; some take a value.
    let mut operands = Vec::new();
    let mut code = Vec::new();
    let mut readonly = false;
    let mut at = 0;
    while let Some(arg) = args.get(at) {
        at += 1;
        match arg.trim_start_matches('-') {
            "cmd" | "c" if arg.starts_with('-') => {
                code.push(args.get(at).cloned().unwrap_or_default());
                at += 1;
            }
            "init" | "f" if arg.starts_with('-') => {
                let path = args.get(at).cloned().unwrap_or_default();
                w.read_path(&path, st)?;
                w.need_writer("runs a file of statements")?;
                at += 1;
            }
            "separator" | "newline" | "nullvalue" | "lookaside" | "mmap" | "vfs" | "maxsize"
            | "pagecache"
                if arg.starts_with('-') =>
            {
                at += 1;
            }
            "readonly" | "safe" if arg.starts_with('-') => readonly = true,
            "version" | "help" if arg.starts_with('-') => return Ok(()),
            _ if arg.starts_with('-') && arg.len() > 1 => {}
            _ => operands.push(arg.clone()),
        }
    }
    let mut operands = operands.into_iter();
    let database = operands.next().unwrap_or_else(|| ":memory:".to_owned());
    code.extend(operands);
    if code.is_empty() {
        match &call.stdin {
            Some(input) => code.push(input.to_string()),
            None => {
                return w
                    .need_writer("opens a database")
                    .and_then(|()| open(w, &database, st));
            }
        }
    }
    let mut queries = true;
    for text in &code {
        for line in text.lines().map(str::trim) {
            if let Some(command) = line.strip_prefix('.') {
                dot_command(w, command, st)?;
            }
        }
        queries &= only_selects(text);
        if !queries {
            other_files(w, text, st)?;
        }
    }
    w.read_path(&database, st)?;
    if queries || readonly {
        return Ok(());
    }
    if !w.role.writes() {
        return Err(read_only("changes a database"));
    }
    open(w, &database, st)
}

fn open(w: &mut Walker<'_>, database: &str, st: &State) -> Judged<()> {
    if matches!(database, ":memory:" | "") {
        return Ok(());
    }
    let plain = database.strip_prefix("file:").unwrap_or(database);
    w.write_path(plain.split('?').next().unwrap_or(plain), st)
}

fn dot_command(w: &mut Walker<'_>, command: &str, st: &State) -> Judged<()> {
    let (verb, rest) = command
        .split_once(char::is_whitespace)
        .unwrap_or((command, ""));
    let rest = rest.trim();
    // The file of an input or output may be a command: behind `|`, in quotes or not.
    let piped = rest
        .match_indices('|')
        .find(|(at, _)| {
            let before = rest.get(..*at).unwrap_or_default();
            let before = before.strip_suffix(['\'', '"']).unwrap_or(before);
            before.is_empty() || before.ends_with(char::is_whitespace)
        })
        .and_then(|(at, _)| rest.get(at + 1..));
    let file = rest
        .split_whitespace()
        .last()
        .unwrap_or("")
        .trim_matches(['\'', '"'])
        .to_owned();
    match verb {
        "shell" | "system" | "sh" => w.script(rest, &mut st.for_program()).map(|_| ()),
        "output" | "once" | "out" if piped.is_some() => w
            .script(
                piped.unwrap_or_default().trim_end_matches(['\'', '"']),
                &mut st.for_program(),
            )
            .map(|_| ()),
        "output" | "out" | "once" | "excel" | "log" | "backup" | "save" | "clone" | "open"
        | "trace" | "ar" | "archive" | "session"
            if !file.is_empty() && !matches!(file.as_str(), "stdout" | "off" | "stderr") =>
        {
            w.write_path(&file, st)
        }
        "import" if piped.is_some() => Err(Refusal::new(
            rule::UNPROVEN,
            "a command would run for the import; run it in the shell",
        )),
        "load" | "read" | "restore" => {
            w.need_writer("runs a file of statements")?;
            if piped.is_some() {
                Err(Refusal::new(
                    rule::UNPROVEN,
                    "a command would run here; run it in the shell",
                ))
            } else {
                Ok(())
            }
        }
        _ => Ok(()),
    }
}

/// `attach 'file'`, `vacuum into 'file'`, `writefile('file', …)`.
fn other_files(w: &mut Walker<'_>, sql: &str, st: &State) -> Judged<()> {
    if text::is_any(sql) && !w.role.writes() {
        return Err(read_only("may change a database"));
    }
    let lower = sql.to_lowercase();
    if lower.contains("load_extension") || lower.contains("edit(") {
        return Err(Refusal::new(
            rule::UNPROVEN,
            "code would be loaded into the database program; leave it out",
        ));
    }
    if !["attach", "vacuum", "writefile", "into outfile", "copy"]
        .iter()
        .any(|word| lower.contains(word))
    {
        return Ok(());
    }
    for (at, part) in sql.split(['\'', '"']).enumerate() {
        if at % 2 == 1 && !part.is_empty() && !part.contains(' ') && part != ":memory:" {
            w.write_path(part, st)?;
        }
    }
    Ok(())
}

/// Commands of a redis server that change nothing.
fn only_asks_redis(words: &[String]) -> bool {
    words.first().is_some_and(|command| {
        matches!(
            command.to_lowercase().as_str(),
            "get"
                | "mget"
                | "exists"
                | "type"
                | "ttl"
                | "pttl"
                | "keys"
                | "scan"
                | "strlen"
                | "hget"
                | "hgetall"
                | "hkeys"
                | "hlen"
                | "llen"
                | "lrange"
                | "smembers"
                | "scard"
                | "sismember"
                | "zrange"
                | "zcard"
                | "zscore"
                | "dbsize"
                | "info"
                | "ping"
                | "time"
                | "xlen"
                | "xrange"
        )
    })
}

/// `\g |command`: the result of a query goes to a command.
fn pipes(text: &str) -> bool {
    text.match_indices("\\g").any(|(at, _)| {
        let rest = text.get(at + 2..).unwrap_or_default();
        let rest = rest.trim_start_matches(|c: char| c.is_ascii_alphabetic() || c == ' ');
        rest.starts_with('|')
    })
}

fn server(w: &mut Walker<'_>, name: &str, call: &Call, st: &State) -> Judged<()> {
    let args = call.args();
    let flags = parse(
        args,
        "chUdpfoFvePHuRT",
        &[
            "command", "host", "username", "dbname", "port", "file", "output", "execute", "eval",
            "set", "log-file", "tee",
        ],
    );
    for path in flags.values(&["o", "output", "log-file", "tee"]) {
        // Behind `|` stands a command, which is judged as one.
        if !path.is_empty() && !path.starts_with('|') {
            w.write_path(path, st)?;
        }
    }
    let mut code: Vec<String> = flags
        .values(&["c", "command", "e", "execute", "eval"])
        .into_iter()
        .map(str::to_owned)
        .collect();
    code.extend(
        call.stdin
            .as_ref()
            .filter(|_| flags.values(&["c", "e"]).is_empty())
            .map(|input| input.to_string()),
    );
    for text in &code {
        let lower = text.to_lowercase();
        let starts = matches!(name, "mongosh" | "mongo")
            && ["require(", "import(", "child_process", "runprogram", "run("]
                .iter()
                .any(|word| lower.contains(word));
        if starts || lower.contains("copy") && lower.contains("program") {
            return Err(Refusal::new(
                rule::UNPROVEN,
                "the database would run a command; do that in the shell",
            ));
        }
        for marker in ["\\!", "\\copy", "\\o ", "\\w ", "system ", "\\i "] {
            if (text.contains(marker) || pipes(text))
                && (marker.starts_with('\\') || text.trim_start().starts_with(marker))
            {
                return Err(Refusal::new(
                    rule::UNPROVEN,
                    "the database client would run a command or write a file; do that in the shell",
                ));
            }
        }
    }
    if name == "redis-cli" && code.is_empty() && only_asks_redis(&flags.operands) {
        return Ok(());
    }
    if !w.role.writes()
        && (code.is_empty() && !flags.has(&["l", "list", "version"])
            || !code.iter().all(|text| only_selects(text)))
    {
        return Err(read_only("may change a database"));
    }
    Ok(())
}
