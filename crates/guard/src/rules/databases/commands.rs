//! What the `sqlite3` program does besides statements: its own commands, and the files that statements name.

use crate::commands::{Call, read_only};
use crate::policy::{Judged, Refusal, rule};
use crate::rules::streams::program_file;
use crate::shell::state::State;
use crate::shell::text;
use crate::shell::walk::Walker;
use crate::tool_paths::home;

/// Commands that run something, or read or write files.
const DOING: &[&str] = &[
    "ar", "archive", "backup", "cd", "clone", "excel", "import", "load", "log", "once", "open",
    "output", "out", "read", "restore", "save", "session", "shell", "sh", "system", "trace", "www",
];

pub(super) fn dot_command(
    w: &mut Walker<'_>,
    command: &str,
    call: &Call,
    st: &State,
) -> Judged<()> {
    let (verb, rest) = command
        .split_once(char::is_whitespace)
        .unwrap_or((command, ""));
    let rest = rest.trim();
    // A command may be shortened.
    let verb = DOING
        .iter()
        .find(|full| **full == verb)
        .or_else(|| {
            DOING
                .iter()
                .find(|full| verb.len() > 1 && full.starts_with(verb))
        })
        .copied()
        .unwrap_or(verb);
    if matches!(verb, "excel" | "www") || verb == "once" && rest.starts_with(['-']) {
        return Err(Refusal::new(
            rule::PROCESS,
            "a program of the desktop would be started; write the result to a file",
        ));
    }
    if matches!(verb, "ar" | "archive") {
        return rest
            .split_whitespace()
            .map(|word| word.trim_matches(['\'', '"']))
            .filter(|word| crate::rules::outputs::leaves(word))
            .try_for_each(|word| w.write_path(&home(word), st));
    }
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
        "import" => match rest.split_whitespace().find(|word| !word.starts_with('-')) {
            Some(from) => w.read_path(&home(from.trim_matches(['\'', '"'])), st),
            None => Ok(()),
        },
        "cd" => Err(Refusal::new(
            rule::UNPROVEN,
            "the database program would move elsewhere; name files in full",
        )),
        "load" | "read" | "restore" => {
            w.need_writer("runs a file of statements")?;
            w.read_path(&home(&file), st)?;
            if verb == "read" && piped.is_none() {
                // A file this command wrote could hold any of these commands.
                return match program_file(w, &file, call, st)? {
                    Some(code) if code.lines().any(|line| line.trim_start().starts_with('.')) => {
                        Err(Refusal::new(
                            rule::UNPROVEN,
                            "the file holds commands that would run unread; give them on the command line",
                        ))
                    }
                    Some(code) => {
                        files_read(w, &code, st)?;
                        other_files(w, &code, st)
                    }
                    None => Ok(()),
                };
            }
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

/// `readfile('file')` and its kin: text in quotes behind them is a path.
pub(super) fn files_read(w: &mut Walker<'_>, sql: &str, st: &State) -> Judged<()> {
    let lower = sql.to_lowercase();
    if ![
        "readfile",
        "fsdir",
        "lsdir",
        "read_text",
        "read_csv",
        "read_json",
        "read_blob",
        "load_file",
    ]
    .iter()
    .any(|word| lower.contains(word))
    {
        return Ok(());
    }
    for (at, part) in sql.split(['\'', '"']).enumerate() {
        if at % 2 == 1 && part.contains('/') {
            w.read_path(&home(part), st)?;
        }
    }
    // A path that is put together could be any.
    if lower.contains("||") || lower.contains("char(") || lower.contains("x'") {
        return Err(Refusal::new(
            rule::UNPROVEN,
            "the file that is read is put together by the statement; write its path out",
        ));
    }
    Ok(())
}

/// `attach 'file'`, `vacuum into 'file'`, `writefile('file', …)`.
pub(crate) fn other_files(w: &mut Walker<'_>, sql: &str, st: &State) -> Judged<()> {
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
