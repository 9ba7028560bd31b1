//! Tools of tool servers (`mcp__server__verb`) and tools of unknown name: judged by what they do.
//!
//! The verb decides whether a call reads, writes or publishes; the path fields decide where. A verb that is
//! not known is refused.

use serde_json::Value;

use super::judge::malformed;
use super::mcp_outputs::{changes_data, outputs};
use super::mcp_paths::{
    About, names_file, names_source, output_path, read_fields, secrets, targets, whole,
};
use super::policy::{Judged, Refusal, rule};
use super::shell::state::State;
use super::shell::text::brief;
use super::shell::walk::Walker;
use super::tool_paths::home;
use super::tools;
use super::verbs::{
    ACTS, ELSEWHERE, FILES, FORGES, LOOKS, NOTES, PUBLISHES, READS, REMOTE, RUNS, WRITES,
};

/// Judges a call of a tool server.
pub(crate) fn judge(w: &mut Walker<'_>, tool: &str, input: &Value, st: &State) -> Judged<()> {
    let (server, verb) = match tool.strip_prefix("mcp__") {
        Some(rest) => rest.split_once("__").unwrap_or(("", rest)),
        None => ("", tool),
    };
    let words = words(verb);
    let servers = self::words(server);
    let has = |list: &[&str]| words.iter().any(|word| list.contains(&word.as_str()));
    let of_server = |list: &[&str]| servers.iter().any(|word| list.contains(&word.as_str()));
    let first = words.iter().map(String::as_str).find(|word| {
        [READS, WRITES, PUBLISHES, RUNS, ACTS, LOOKS]
            .iter()
            .any(|list| list.contains(word))
            || *word == "download"
    });
    secrets(w, input, st, 0)?;
    if words.iter().any(|word| word == "git") || servers.iter().any(|word| word == "git") {
        return git(w, &words, input, st);
    }
    let Some(first) = first else {
        return Err(unknown(tool));
    };
    // What is fetched is printed, unless the call names a file for it.
    let fetches = first == "download" && !names_file(input);
    let reads = READS.contains(&first) || LOOKS.contains(&first) || fetches;
    let changes = [
        "write",
        "edit",
        "delete",
        "remove",
        "replace",
        "update",
        "overwrite",
        "create",
        "append",
        "rename",
        "truncate",
        "mkdir",
        "modify",
    ];
    // `get_or_create`, `fetch_and_run`: what is joined to a reading verb decides.
    let joined = |list: &[&str]| joined_verbs(&words).any(|word| list.contains(&word));
    let writes = has(WRITES) && (!reads || has(&changes) || joined(WRITES));
    // `get_merge_request` reads: a noun behind a reading verb publishes nothing.
    if has(PUBLISHES) && (!reads || writes) || joined(PUBLISHES) {
        return Err(publish(tool));
    }
    if servers.iter().any(|word| FORGES.contains(&word.as_str())) && (writes || has(RUNS)) {
        return Err(publish(tool));
    }
    let executes = joined(RUNS) || has(&["execute", "exec", "eval", "evaluate", "spawn"]);
    if RUNS.contains(&first) || has(RUNS) && !reads && !writes || executes {
        return run(w, tool, input, st);
    }
    if let Some(sql) = ["sql", "query", "statement"]
        .iter()
        .find_map(|name| input.get(name))
        .and_then(Value::as_str)
        && !super::rules::only_selects(sql)
        && (writes
            || servers.iter().any(|word| {
                word.contains("sql")
                    || matches!(word.as_str(), "postgres" | "database" | "db" | "duckdb")
            }))
    {
        w.need_writer("changes a database")?;
        return Err(Refusal::new(
            rule::UNPROVEN,
            "which database this changes cannot be seen; use the project's own database from the shell",
        ));
    }
    outputs(w, input, first == "download", st, 0)?;
    if changes_data(&words, input) {
        w.need_writer("changes a database")?;
        return Err(Refusal::new(
            rule::UNPROVEN,
            "which database this changes cannot be seen; use the project's own database from the shell",
        ));
    }
    if reads && !writes {
        read_fields(input, words.iter().any(|word| word == "file"))?;
        if reads_file(&words, of_server(FILES)) && !names_source(input) {
            return Err(malformed(format!("{} names no file", brief(tool))));
        }
        return match output_path(input) {
            Some(path) => w.write_path(&home(path), st),
            None => Ok(()),
        };
    }
    let about = About {
        copies: first == "copy" || first == "cp",
        files: has(FILES) || of_server(FILES) || of_server(NOTES),
        applies: first == "apply",
    };
    if !writes {
        w.need_writer("acts through a tool server")?;
        return targets(w, input, st, about, 0).map(|_| ());
    }
    w.need_writer("changes files through a tool server")?;
    if has(REMOTE) || of_server(REMOTE) || of_server(ELSEWHERE) {
        return Err(elsewhere(tool));
    }
    if of_server(FILES) {
        whole(&brief(tool), &words, input)?;
    }
    if targets(w, input, st, about, 0)? == 0 {
        return Err(malformed(format!(
            "{} names no path that could be checked",
            brief(tool)
        )));
    }
    Ok(())
}

fn words(name: &str) -> Vec<String> {
    let mut out: Vec<String> = vec![String::new()];
    let mut lower = false;
    for c in name.chars() {
        let starts = c.is_uppercase() && lower;
        if !c.is_alphanumeric() || starts {
            out.push(String::new());
        }
        if c.is_alphanumeric()
            && let Some(last) = out.last_mut()
        {
            last.extend(c.to_lowercase());
        }
        lower = c.is_lowercase() || c.is_numeric();
    }
    out.retain(|word| !word.is_empty());
    out
}

/// Whether a reading call is about files that it must name; what is open in an editor is known there.
fn reads_file(words: &[String], of_files: bool) -> bool {
    let has = |list: &[&str]| words.iter().any(|word| list.contains(&word.as_str()));
    let (read, file) = (has(&["read"]), has(&["file", "files"]));
    let known = has(&[
        "open", "active", "current", "selected", "search", "find", "list",
    ]);
    !known && (read && file || of_files && (read || has(&["file"])))
}

/// The verbs behind `and`, `or` and `then`.
fn joined_verbs(words: &[String]) -> impl Iterator<Item = &str> {
    words
        .iter()
        .zip(words.iter().skip(1))
        .filter(|(before, _)| matches!(before.as_str(), "and" | "or" | "then"))
        .map(|(_, verb)| verb.as_str())
}

fn unknown(tool: &str) -> Refusal {
    Refusal::new(
        rule::UNPROVEN,
        format!(
            "what {} does is not known to the guard; use the shell or the file tools",
            brief(tool)
        ),
    )
}

fn elsewhere(tool: &str) -> Refusal {
    Refusal::new(
        rule::OUTSIDE,
        format!(
            "{} would change what is not in your worktree; ask your lead by mail if it must change",
            brief(tool)
        ),
    )
}

fn publish(tool: &str) -> Refusal {
    Refusal::new(
        rule::PUBLISH,
        format!(
            "{} would publish; finish with worker_done mail and let the merge queue take it",
            brief(tool)
        ),
    )
}

/// A git server: the call stands for a git command.
fn git(w: &mut Walker<'_>, words: &[String], input: &Value, st: &State) -> Judged<()> {
    let mut argv = vec!["git".to_owned()];
    if let Some(repo) = ["repo_path", "path", "repo", "cwd", "directory"]
        .iter()
        .find_map(|name| input.get(name))
        .and_then(Value::as_str)
    {
        argv.extend(["-C".to_owned(), home(repo)]);
    }
    let sub: Vec<&str> = words
        .iter()
        .map(String::as_str)
        .filter(|word| *word != "git")
        .collect();
    let tail: &[&str] = match sub.as_slice() {
        ["diff", ..] => &["diff"],
        ["log", ..] | ["get", "log"] => &["log"],
        ["show", ..] => &["show"],
        ["create", "branch"] => &["branch", "new"],
        ["list", "branches"] | ["branch"] => &["branch"],
        ["stash", "list"] => &["stash", "list"],
        [one] => &[*one],
        _ => return Err(unknown(&words.join("_"))),
    };
    argv.extend(tail.iter().map(|word| (*word).to_owned()));
    if sub == ["checkout"] || sub == ["reset"] {
        let named = ["branch_name", "branch", "ref", "mode"]
            .iter()
            .filter_map(|name| input.get(name))
            .filter_map(Value::as_str);
        argv.extend(named.map(|value| {
            if value == "hard" {
                "--hard".to_owned()
            } else {
                value.to_owned()
            }
        }));
    }
    let call = super::commands::Call {
        argv,
        env: Vec::new(),
        stdin: None,
    };
    w.run(call, &mut st.clone()).map(|_| ())
}

/// A server that runs commands is another shell.
fn run(w: &mut Walker<'_>, tool: &str, input: &Value, st: &State) -> Judged<()> {
    let command = ["command", "cmd", "script", "commands", "input"]
        .iter()
        .any(|name| input.get(name).is_some_and(Value::is_string));
    if !command {
        return Err(unknown(tool));
    }
    let mut st = st.clone();
    if let Some(args) = input.get("args").and_then(Value::as_array) {
        let words = input
            .get("command")
            .and_then(Value::as_str)
            .into_iter()
            .chain(args.iter().filter_map(Value::as_str));
        let argv: Vec<String> = words.map(str::to_owned).collect();
        let call = super::commands::Call {
            argv,
            env: Vec::new(),
            stdin: None,
        };
        return w.run(call, &mut st).map(|_| ());
    }
    tools::shell(w, input, false, &mut st)
}
