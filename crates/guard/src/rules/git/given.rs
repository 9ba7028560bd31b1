//! Files that git is told to read by an option: what is in them is shown, taken for a message or kept.
//!
//! Only of commands whose other words are messages, patterns and revisions; of all others every word is looked at.

use super::super::flags::parse;
use crate::policy::Judged;
use crate::shell::state::State;
use crate::shell::text;
use crate::shell::walk::Walker;

/// Long options that name a file to read, in whatever command they stand.
const FILES: &[&str] = &["contents", "ignore-revs-file", "pathspec-from-file"];

/// The short options of a command that take a value, and those of them whose value is a file to read.
fn short_options(sub: &str) -> (&'static str, &'static [&'static str]) {
    match sub {
        "blame" | "annotate" => ("LSM?C?", &["S"]),
        "grep" => ("efmABCO?", &["f"]),
        "log" | "diff" | "show" | "whatchanged" | "reflog" | "diff-tree" | "diff-index"
        | "diff-files" | "format-patch" | "range-diff" | "rev-list" | "stash" => {
            ("SGoOLnUM?C?B?l", &["O"])
        }
        _ => ("", &[]),
    }
}

/// Judges the files that options name, and those whose names `hash-object` finds in its input.
pub(super) fn judge(
    w: &mut Walker<'_>,
    sub: &str,
    args: &[String],
    input: Option<&str>,
    st: &State,
) -> Judged<()> {
    let own = args.iter().take_while(|arg| *arg != "--");
    let own: Vec<String> = own.cloned().collect();
    let (short, files) = short_options(sub);
    let flags = parse(&own, short, FILES);
    for path in flags.values(files).into_iter().chain(flags.values(FILES)) {
        w.read_path(path, st)?;
    }
    if sub == "hash-object" && flags.has(&["stdin-paths"]) {
        let names = input.unwrap_or("").lines();
        for name in names.filter(|name| !name.is_empty() && !text::is_any(name)) {
            w.read_path(name, st)?;
        }
    }
    Ok(())
}
