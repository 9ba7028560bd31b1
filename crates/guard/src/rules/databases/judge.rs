//! Database clients: which file they open, and whether the statements only read.
//!
//! What counts as a query is in `queries`.

use super::commands::{dot_command, files_read, other_files};
use super::elsewhere::is_here;
use crate::commands::{Call, read_only};
use crate::policy::{Judged, Refusal, rule};
use crate::rules::flags::{Flags, parse};
use crate::rules::queries::only_selects;
use crate::rules::streams::program_file;
use crate::shell::state::State;
use crate::shell::walk::Walker;

/// Steps that go into a command of a client, besides those of what it does.
const COMMAND: usize = 6;

pub(in crate::rules) fn judge(
    w: &mut Walker<'_>,
    name: &str,
    call: &Call,
    st: &State,
) -> Option<Judged<()>> {
    match name {
        "sqlite3" | "sqlite" | "litecli" | "duckdb" | "sqlite-utils" | "sqlite3.exe" => {
            Some(sqlite(w, call, st))
        }
        "redis-cli" if saved_to(call).is_some() => {
            let mut saved = saved_to(call).into_iter();
            Some(saved.try_for_each(|file| w.write_path(file, st)))
        }
        "psql" | "mysql" | "mariadb" | "mongosh" | "mongo" | "redis-cli" | "valkey-cli"
        | "cqlsh" | "clickhouse-client" | "pgcli" | "mycli" | "sqlcmd" | "usql" => {
            Some(server(w, name, call, st))
        }
        "pg_dump" | "mysqldump" | "mariadb-dump" | "pg_dumpall" | "mongodump" => {
            // Where the letter of the output stands for something else elsewhere.
            let (short, output) = match name {
                "mysqldump" | "mariadb-dump" => ("FUhurT", "r"),
                "mongodump" => ("Uhupodc", "o"),
                _ => ("fFUhpo", "f"),
            };
            let long = ["file", "format", "result-file", "out", "tab", "archive"];
            let flags = parse(call.args(), short, &long);
            let mut result = Ok(());
            for path in flags.values(&[output, "T", "file", "result-file", "out", "tab"]) {
                result = result.and_then(|()| w.write_path(path, st));
            }
            Some(result)
        }
        "dropdb" | "createdb" | "dropuser" | "createuser" | "pg_restore" | "mongorestore"
        | "mongoimport" | "mysqlimport" | "mysqladmin" => {
            let writer = w.need_writer("changes a database");
            Some(writer.and_then(|()| is_here(name, call, st)))
        }
        _ => None,
    }
}

/// The file that a copy of the whole database goes to; `-` is the output.
fn saved_to(call: &Call) -> Option<&str> {
    let mut given = call.args().iter().zip(call.args().iter().skip(1));
    let saved = given.find(|(option, _)| matches!(option.as_str(), "--rdb" | "--functions-rdb"));
    saved
        .map(|(_, file)| file.as_str())
        .filter(|file| *file != "-")
}

fn sqlite(w: &mut Walker<'_>, call: &Call, st: &State) -> Judged<()> {
    let args = call.args();
    // Its long options start with one dash; some take a value.
    let mut operands = Vec::new();
    let mut code = Vec::new();
    let mut files = Vec::new();
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
                files.push(path);
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
            // A comment that a statement begins with is no option.
            _ if arg.starts_with('-') && arg.len() > 1 && !arg.starts_with("-- ") => {}
            _ => operands.push(arg.clone()),
        }
    }
    let mut operands = operands.into_iter();
    let database = operands.next().unwrap_or_else(|| ":memory:".to_owned());
    code.extend(operands);
    // A file this command wrote is read like what stands on the command line.
    for file in files {
        code.extend(program_file(w, &file, call, st)?);
    }
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
        files_read(w, text, st)?;
        for line in text.lines().map(str::trim) {
            if let Some(command) = line.strip_prefix('.') {
                w.charge(COMMAND)?;
                dot_command(w, command, call, st)?;
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

/// Whether what a client runs stands in its words or in a file, so that what it could read says nothing of it.
fn takes_no_input(name: &str, flags: &Flags) -> bool {
    match name {
        "redis-cli" | "valkey-cli" => !flags.operands.is_empty() && !flags.has(&["pipe"]),
        "mongosh" | "mongo" => flags.operands.iter().any(|word| word.ends_with("js")),
        "mysql" | "mariadb" => false,
        _ => {
            let files = flags.values(&["f", "file"]);
            files.iter().any(|file| *file != "-")
        }
    }
}

fn server(w: &mut Walker<'_>, name: &str, call: &Call, st: &State) -> Judged<()> {
    let args = call.args();
    let flags = parse(
        args,
        if name == "psql" {
            "chUdpfoFvePHuRTL"
        } else {
            "chUdpfoFvePHuRT"
        },
        &[
            "command", "host", "username", "dbname", "port", "file", "output", "execute", "eval",
            "set", "log-file", "tee",
        ],
    );
    let log = if name == "psql" { "L" } else { "log-file" };
    for path in flags.values(&["o", "output", "log-file", "tee", log]) {
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
    let elsewhere = takes_no_input(name, &flags);
    code.extend(
        call.stdin
            .as_ref()
            .filter(|_| !elsewhere && flags.values(&["c", "e"]).is_empty())
            .map(|input| input.to_string()),
    );
    for text in &code {
        let lower = text.to_lowercase();
        let starts = matches!(name, "mongosh" | "mongo")
            && ["require(", "import(", "child_process", "runprogram", "run("]
                .iter()
                .any(|word| lower.contains(word));
        if !matches!(name, "mongosh" | "mongo" | "redis-cli" | "valkey-cli") {
            other_files(w, text, st)?;
        }
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
    if matches!(name, "redis-cli" | "valkey-cli")
        && code.is_empty()
        && only_asks_redis(&flags.operands)
    {
        return Ok(());
    }
    let lists = flags.has(&["l", "list", "version"]);
    let only_asks = (lists || !code.is_empty()) && code.iter().all(|text| only_selects(text));
    if only_asks {
        return Ok(());
    }
    if !w.role.writes() {
        return Err(read_only("may change a database"));
    }
    is_here(name, call, st)
}
