//! Tools of tool servers (`mcp__server__verb`) and tools of unknown name: judged by what they do.
//!
//! The verb decides whether a call reads, writes or publishes; the path fields decide where. A verb that is
//! not known is refused.

use serde_json::Value;

use super::names::{joined_verbs, words};
use super::outputs::{changes_data, outputs};
use super::paths::{
    About, names_file, names_source, output_path, read_fields, secrets, targets, texts, whole,
};
use super::verbs::{
    ACTS, ELSEWHERE, FILES, FORGES, LOOKS, NOTES, PUBLISHES, READS, REMOTE, RUNS, WRITES,
};
use super::{credentials, git, pages, programs, runs};
use crate::judge::malformed;
use crate::policy::{Judged, Refusal, rule};
use crate::shell::state::State;
use crate::shell::text::brief;
use crate::shell::walk::Walker;
use crate::tool_paths::home;

/// Judges a call of a tool server.
pub(crate) fn judge(w: &mut Walker<'_>, tool: &str, input: &Value, st: &State) -> Judged<()> {
    let (server, verb) = match tool.strip_prefix("mcp__") {
        Some(rest) => rest.split_once("__").unwrap_or(("", rest)),
        None => ("", tool),
    };
    let words = words(verb);
    let servers = super::names::words(server);
    let has = |list: &[&str]| words.iter().any(|word| list.contains(&word.as_str()));
    let of_server = |list: &[&str]| servers.iter().any(|word| list.contains(&word.as_str()));
    // `start_search` searches, `open_file` shows one.
    let searches = has(&["search", "find"]);
    let opens = matches!(words.as_slice(), [open, what] if open == "open" && matches!(what.as_str(), "file" | "files" | "document" | "editor" | "node" | "nodes"));
    let first = words
        .iter()
        .map(String::as_str)
        .filter(|word| !(searches && matches!(*word, "start" | "stop")))
        .find(|word| {
            [READS, WRITES, PUBLISHES, RUNS, ACTS, LOOKS]
                .iter()
                .any(|list| list.contains(word))
                || *word == "download"
        })
        .or_else(|| opens.then_some("view"));
    secrets(w, input, st, 0)?;
    credentials::judge(tool, &servers, &words, input)?;
    if words.iter().any(|word| word == "git") || servers.iter().any(|word| word == "git") {
        return git::judge(w, tool, &words, input, st);
    }
    if pages::is_page(&servers, &words) {
        return pages::judge(w, tool, &words, input, st);
    }
    if let Some(program) = programs::program(&servers, &words)
        && !programs::asks(&words)
    {
        return programs::judge(w, program, tool, &words, input, st);
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
    let of_database = servers.iter().any(|word| {
        word.contains("sql")
            || matches!(
                word.as_str(),
                "postgres" | "database" | "db" | "duckdb" | "supabase" | "neon"
            )
    });
    let statement = statement(input);
    let selects = statement.is_some_and(crate::rules::only_selects);
    if RUNS.contains(&first) || has(RUNS) && !reads && !writes || executes {
        // `execute_sql`
        let asks = of_database || has(&["sql", "query", "statement"]);
        if asks && statement.is_some() && !runs::has_command(input) {
            if !selects {
                return Err(changed(w));
            }
            return outputs(w, input, false, st, 0);
        }
        return runs::judge(w, None, tool, input, st);
    }
    if statement.is_some() && !selects && (writes || of_database) {
        return Err(changed(w));
    }
    outputs(w, input, first == "download", st, 0)?;
    if changes_data(&words, input) {
        return Err(changed(w));
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
    texts(&words, input)?;
    if of_server(FILES) {
        whole(&brief(tool), &words, input)?;
    }
    // Entries of notes have names, which no field has to say; insights are kept by the server as long as it runs.
    let notes = of_server(NOTES) || has(&["insight", "insights"]);
    if targets(w, input, st, about, 0)? == 0 && !notes {
        return Err(malformed(format!(
            "{} names no path that could be checked",
            brief(tool)
        )));
    }
    Ok(())
}

/// The text that a database is asked.
fn statement(input: &Value) -> Option<&str> {
    ["sql", "query", "statement"]
        .iter()
        .find_map(|name| input.get(name))
        .and_then(Value::as_str)
}

/// The refusal of what changes a database.
fn changed(w: &Walker<'_>) -> Refusal {
    match w.need_writer("changes a database") {
        Err(refusal) => refusal,
        Ok(()) => Refusal::new(
            rule::UNPROVEN,
            "which database this changes cannot be seen; use the project's own database from the shell",
        ),
    }
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

pub(super) fn unknown(tool: &str) -> Refusal {
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

pub(super) fn publish(tool: &str) -> Refusal {
    Refusal::new(
        rule::PUBLISH,
        format!(
            "{} would publish; finish with worker_done mail and let the merge queue take it",
            brief(tool)
        ),
    )
}
