//! What a request takes along to another machine: files of this one, and what the environment holds.

use crate::commands::Call;
use crate::paths::Zone;
use crate::policy::{Judged, Refusal, rule};
use crate::shell::state::State;
use crate::shell::text::{self, brief};
use crate::shell::walk::Walker;

/// Options of curl whose value is sent, or names a file that is.
const CURL: &[&str] = &[
    "-d",
    "--data",
    "--data-ascii",
    "--data-binary",
    "--data-raw",
    "--data-urlencode",
    "--json",
    "-F",
    "--form",
    "--form-string",
    "-T",
    "--upload-file",
    "--url-query",
];

const WGET: &[&str] = &["--post-file", "--body-file", "--post-data", "--body-data"];

pub(super) fn curl(w: &Walker<'_>, call: &Call, st: &State) -> Judged<()> {
    if is_local(call.args()) {
        return Ok(());
    }
    for (option, value) in sent(call.args(), CURL) {
        let file = if matches!(option, "-T" | "--upload-file") {
            Some(value)
        } else if matches!(option, "--data-raw" | "--form-string") {
            None
        } else {
            value.split_once(['@', '<']).map(|(_, file)| file)
        };
        leaves(w, value, file, call, st)?;
    }
    Ok(())
}

pub(super) fn wget(w: &Walker<'_>, call: &Call, st: &State) -> Judged<()> {
    if is_local(call.args()) {
        return Ok(());
    }
    for (option, value) in sent(call.args(), WGET) {
        let file = option.ends_with("-file").then_some(value);
        leaves(w, value, file, call, st)?;
    }
    Ok(())
}

/// The options that send something, each with its value, attached or apart.
fn sent<'a>(args: &'a [String], names: &'static [&'static str]) -> Vec<(&'static str, &'a str)> {
    let mut found = Vec::new();
    for (at, arg) in args.iter().enumerate() {
        for name in names {
            if arg == name {
                found.push((*name, args.get(at + 1).map_or("", String::as_str)));
            } else if let Some(rest) = arg.strip_prefix(name) {
                if let Some(value) = rest.strip_prefix('=') {
                    found.push((*name, value));
                } else if !name.starts_with("--") {
                    found.push((*name, rest));
                }
            }
        }
    }
    found
}

/// Whether every address is one of this machine.
fn is_local(args: &[String]) -> bool {
    let mut addresses = args
        .iter()
        .map(|arg| arg.strip_prefix("--url=").unwrap_or(arg))
        .filter(|arg| !arg.starts_with('-') && arg.contains("://"))
        .peekable();
    addresses.peek().is_some() && addresses.all(is_here)
}

fn is_here(address: &str) -> bool {
    let host = address.split_once("://").map_or(address, |(_, rest)| rest);
    ["localhost", "127.0.0.1", "[::1]"].iter().any(|name| {
        host.strip_prefix(name)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with([':', '/', '?']))
    })
}

fn leaves(w: &Walker<'_>, value: &str, file: Option<&str>, call: &Call, st: &State) -> Judged<()> {
    let piped = matches!(file, Some("-" | "." | "/dev/stdin" | "/dev/fd/0"));
    let input = call.stdin.as_deref().filter(|_| piped);
    if text::is_secret(value) || input.is_some_and(text::is_secret) {
        return Err(Refusal::new(
            rule::CREDENTIALS,
            "variables of the environment hold credentials, which do not leave this machine",
        ));
    }
    let Some(file) = file.filter(|_| !piped) else {
        return Ok(());
    };
    for file in file
        .split([',', ';'])
        .filter(|file| file.starts_with(['/', '~', '.']))
    {
        let outside = st.cwd.iter().any(|place| {
            matches!(w.paths.zone(file, place), Zone::Outside | Zone::Above)
                && !w.paths.is_below_root(file, place)
        });
        if outside {
            return Err(Refusal::new(
                rule::CREDENTIALS,
                format!(
                    "{} is not of this project and does not leave this machine; send files of your worktree only",
                    brief(file)
                ),
            ));
        }
    }
    Ok(())
}
