//! `gh` and `glab`: queries pass, everything else acts on the forge.

use super::flags::{Flags, parse};
use super::publish::publishes;
use crate::commands::read_only;
use crate::policy::{Judged, Refusal, rule};
use crate::shell::state::State;
use crate::shell::text;
use crate::shell::walk::Walker;

pub(super) fn forge(w: &mut Walker<'_>, name: &str, args: &[String], st: &State) -> Judged<()> {
    let flags = parse(
        args,
        "RXfFHqtpBDO",
        &[
            "repo",
            "method",
            "field",
            "raw-field",
            "header",
            "input",
            "jq",
            "template",
            "hostname",
            "json",
            "preview",
            "cache",
            "dir",
            "output",
            "pattern",
        ],
    );
    let words: Vec<&str> = flags.operands.iter().map(String::as_str).collect();
    if words.is_empty()
        || words == ["version"]
        || words.first() == Some(&"help")
        || flags.has(&["help"]) && !help_is_value(args)
    {
        return Ok(());
    }
    match words.as_slice() {
        ["auth", "status"] if !flags.has(&["t", "show-token"]) => Ok(()),
        ["auth", ..] => Err(Refusal::new(
            rule::CREDENTIALS,
            "the forge's credentials are not for agents",
        )),
        ["api", path, ..] => {
            let method = flags
                .value(&["X", "method"])
                .unwrap_or("GET")
                .to_uppercase();
            let fields = flags.has(&["f", "F", "field", "raw-field", "input"]);
            let explicit = flags.has(&["X", "method"]);
            if *path == "graphql" && method != "DELETE" && only_queries(&flags) {
                return Ok(());
            }
            if method != "GET" || fields && !explicit {
                return Err(publishes(&format!("{name} api {path}")));
            }
            Ok(())
        }
        [
            "pr" | "mr" | "issue" | "run" | "repo" | "release" | "workflow" | "label" | "gist"
            | "cache" | "project" | "ruleset" | "search" | "ci" | "pipeline" | "milestone",
            "view" | "list" | "ls" | "diff" | "checks" | "status" | "watch" | "show" | "get"
            | "trace" | "repos" | "issues" | "prs" | "code" | "commits",
            ..,
        ] => Ok(()),
        ["status" | "browse" | "completion" | "search", ..] => Ok(()),
        ["repo", "clone", _, target, ..] => w.write_path(target, st),
        ["repo", "clone", repo] => w.write_path(repo.rsplit('/').next().unwrap_or("clone"), st),
        ["release" | "run", "download", ..] if w.role.writes() => {
            let folder = flags.value(&["D", "dir"]).unwrap_or(".");
            w.write_path(folder, st)?;
            w.landed_in(folder, words.first() == Some(&"run"), st);
            match flags.value(&["O", "output"]) {
                Some("-") | None => Ok(()),
                Some(file) => w.download_to(file, st),
            }
        }
        ["release" | "run", "download", ..] => Err(read_only("downloads files")),
        _ => Err(publishes(&format!(
            "{name} {}",
            words.iter().take(2).copied().collect::<Vec<_>>().join(" ")
        ))),
    }
}

/// Whether the word that asks for help may be the value of the option before it: `gh release create v1 -n --help`.
fn help_is_value(args: &[String]) -> bool {
    let at = args.iter().position(|arg| arg == "--help");
    at.and_then(|at| at.checked_sub(1))
        .and_then(|before| args.get(before))
        .is_some_and(|before| before.starts_with('-'))
}

/// Whether a request of GraphQL changes nothing: its text is written out and holds no mutation.
fn only_queries(flags: &Flags) -> bool {
    let given = flags.values(&["f", "F", "field", "raw-field"]);
    let mut queries = given
        .iter()
        .filter_map(|field| field.strip_prefix("query="))
        .peekable();
    queries.peek().is_some()
        && !flags.has(&["input"])
        && queries.all(|query| {
            let start = query.trim_start();
            text::is_known(query)
                && (start.starts_with("query") || start.starts_with('{'))
                && !query.contains("mutation")
                && !query.contains("subscription")
        })
}
