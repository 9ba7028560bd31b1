//! What a request takes along to another machine: files of this one, and what the environment holds.

use super::readers::takes_pattern;
use crate::commands::Call;
use crate::policy::{Judged, Refusal, rule};
use crate::shell::state::State;
use crate::shell::text::{self, FETCHED, brief};
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
    "-A",
    "--user-agent",
    "-e",
    "--referer",
];

const WGET: &[&str] = &[
    "--post-file",
    "--body-file",
    "--post-data",
    "--body-data",
    "-U",
    "--user-agent",
    "--referer",
];

const HEADERS: &[&str] = &["-H", "--header", "--proxy-header"];

pub(super) fn curl(w: &Walker<'_>, call: &Call, st: &State) -> Judged<()> {
    if is_local(call.args()) {
        return Ok(());
    }
    for (option, value) in sent(call.args(), CURL) {
        let file = match option {
            "-T" | "--upload-file" => Some(value),
            "--data-raw" | "--form-string" => None,
            _ => value.split_once(['@', '<']).map(|(_, file)| file),
        };
        leaves(w, value, file, call, st)?;
    }
    in_the_open(call.args())
}

pub(super) fn wget(w: &Walker<'_>, call: &Call, st: &State) -> Judged<()> {
    if is_local(call.args()) {
        return Ok(());
    }
    for (option, value) in sent(call.args(), WGET) {
        let file = option.ends_with("-file").then_some(value);
        leaves(w, value, file, call, st)?;
        if file.is_some() {
            return Err(not_sent());
        }
    }
    in_the_open(call.args())
}

/// `http` sends what it is fed, and fields among its words; `Name:value` is a header.
pub(super) fn httpie(w: &Walker<'_>, call: &Call, st: &State) -> Judged<()> {
    let args = call.args();
    let local = args
        .iter()
        .any(|arg| arg.starts_with(':') || is_here(arg) || arg.starts_with("localhost"));
    if local {
        return Ok(());
    }
    leaves(w, "", Some("-"), call, st)?;
    for arg in args {
        let header = arg
            .split_once([':', '='])
            .is_some_and(|(name, _)| arg.contains(&format!("{name}:")) && logs_in(name));
        if !header {
            let file = arg.split_once('@').map(|(_, file)| file);
            leaves(w, arg, file, call, st)?;
            let field = arg.split_once('@').map(|(name, _)| name);
            if field.is_some_and(|name| !name.contains(['=', ':', '/', '.'])) {
                return Err(not_sent());
            }
        }
    }
    Ok(())
}

/// What is piped into a connection to another machine: text that is written out may be a question to a server.
pub(super) fn streamed(call: &Call) -> Judged<()> {
    let args = call.args();
    let asks = args
        .iter()
        .any(|arg| arg.starts_with('-') && !arg.starts_with("--") && arg.contains('z'));
    let unknown = call
        .stdin
        .as_deref()
        .is_some_and(|input| !text::is_known(input));
    if asks || !unknown || args.iter().any(|arg| is_here(arg)) {
        return Ok(());
    }
    Err(not_sent())
}

pub(super) fn not_sent() -> Refusal {
    Refusal::new(
        rule::NETWORK,
        "files are not sent to other machines; write the text of a request into the command, or send files to a server on localhost",
    )
}

/// Programs that carry their words or their input to another machine as they are.
pub(super) fn plain(call: &Call) -> Judged<()> {
    let here = call
        .args()
        .iter()
        .any(|arg| matches!(arg.as_str(), "localhost" | "127.0.0.1" | "::1"));
    let carried = call.args().iter().map(String::as_str);
    if !here && carried.chain(call.stdin.as_deref()).any(text::is_secret) {
        return Err(holds_credentials());
    }
    Ok(())
}

/// Addresses and headers: a credential may log in, and be nowhere else.
fn in_the_open(args: &[String]) -> Judged<()> {
    let headers = sent(args, HEADERS);
    let told = headers.iter().any(|(_, value)| {
        let name = value.split(':').next().unwrap_or(value);
        text::is_secret(value) && !logs_in(name)
    });
    let addressed = args
        .iter()
        .any(|arg| text::is_secret(arg) && (arg.contains("://") || looks_like_host(arg)));
    if told || addressed {
        return Err(holds_credentials());
    }
    Ok(())
}

fn looks_like_host(arg: &str) -> bool {
    let host = arg.split(['/', '?']).next().unwrap_or(arg);
    !host.starts_with('-') && !host.contains([' ', ':', '@']) && host.contains('.')
}

/// Whether a header of this name carries a login.
fn logs_in(name: &str) -> bool {
    let lower = name.to_lowercase();
    ["auth", "token", "key", "cookie", "secret"]
        .iter()
        .any(|part| lower.contains(part))
}

/// The options that send something, each with its value, attached or apart.
fn sent<'a>(args: &'a [String], names: &'static [&'static str]) -> Vec<(&'static str, &'a str)> {
    let mut found = Vec::new();
    let options = args
        .iter()
        .enumerate()
        .filter(|(_, arg)| arg.starts_with('-'));
    for (at, arg) in options {
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
        .filter(|arg| !arg.starts_with('-') && (arg.contains("://") || is_here(arg)))
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
        return Err(holds_credentials());
    }
    let Some(file) = file.filter(|_| !piped) else {
        return Ok(());
    };
    for file in file.split([',', ';']) {
        let foreign = file.starts_with(['/', '~', '.']) && w.is_foreign(file, st);
        if foreign || holds_settings(file) || text::is_secret(&w.content(file, st)) {
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

/// Whether a file is one in which projects keep their passwords: `.env`, `.env.production`.
fn holds_settings(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let example = || {
        let words = ["example", "sample", "template", "dist"];
        words.iter().any(|word| name.contains(word))
    };
    (name == ".env" || name.starts_with(".env.") || name == ".envrc") && !example()
}

fn holds_credentials() -> Refusal {
    Refusal::new(
        rule::CREDENTIALS,
        "this would send credentials of the environment or files from outside the project; send data of your worktree only",
    )
}

/// What a program printed, marked with where it came from: files of others, the network.
pub(crate) fn origin(w: &Walker<'_>, name: &str, call: &Call, out: String, st: &State) -> String {
    if !text::is_any(&out) {
        return out;
    }
    let pattern = usize::from(takes_pattern(name));
    let foreign = call
        .args()
        .iter()
        .filter(|arg| !arg.starts_with('-'))
        .skip(pattern)
        .any(|arg| {
            holds_settings(arg) || arg.starts_with(['/', '~', '.']) && w.is_foreign(arg, st)
        });
    if foreign && !fetches(name) {
        return text::secret(out);
    }
    let mut out = text::still_secret(call.stdin.as_deref(), out);
    // With the body in a file only what `-w` asked for is printed.
    let elsewhere = call.args().iter().any(|arg| {
        matches!(arg.as_str(), "--output" | "--remote-name" | "--head")
            || arg.starts_with('-') && !arg.starts_with("--") && arg.contains(['o', 'O', 'I'])
    });
    let passed = passes_on(name) && call.stdin.as_deref().is_some_and(text::is_fetched);
    if fetches(name) && !(elsewhere && name == "curl") || passed && !text::is_fetched(&out) {
        out.push(FETCHED);
    }
    out
}

/// Filters whose output is their input with little changed.
fn passes_on(name: &str) -> bool {
    matches!(
        name,
        "cat"
            | "sed"
            | "gsed"
            | "head"
            | "tail"
            | "tee"
            | "tr"
            | "gunzip"
            | "zcat"
            | "gzip"
            | "xz"
            | "unxz"
            | "xzcat"
            | "bzip2"
            | "bunzip2"
            | "bzcat"
            | "zstd"
            | "unzstd"
            | "zstdcat"
            | "pv"
            | "base64"
            | "envsubst"
    )
}

fn fetches(name: &str) -> bool {
    matches!(
        name,
        "curl" | "wget" | "wget2" | "http" | "https" | "xh" | "xhs" | "httpie" | "nc" | "netcat"
    ) || name.eq_ignore_ascii_case("invoke-webrequest")
        || name.eq_ignore_ascii_case("invoke-restmethod")
}
