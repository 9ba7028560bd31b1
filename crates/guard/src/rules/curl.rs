//! `curl`: what it writes, which files it takes, and what it changes elsewhere.

use super::flags::{Flags, parse};
use super::network::publishes;
use super::publish::addresses::{is_here, mutates, publishes_at};
use super::sending;
use super::stores::credentials;
use crate::commands::{Call, read_only};
use crate::policy::{Judged, Refusal, rule};
use crate::shell::state::State;
use crate::shell::text;
use crate::shell::walk::Walker;

/// Options of one letter that take a value.
const VALUED: &str = "oXdFTHubAeKcDwmxECYyPQrtzU";

/// Options that take a value.
const LONG: &[&str] = &[
    "output",
    "request",
    "data",
    "data-raw",
    "data-binary",
    "data-urlencode",
    "form",
    "form-string",
    "upload-file",
    "header",
    "user",
    "cookie",
    "cookie-jar",
    "user-agent",
    "referer",
    "config",
    "dump-header",
    "write-out",
    "max-time",
    "connect-timeout",
    "retry",
    "retry-delay",
    "proxy",
    "cert",
    "key",
    "cacert",
    "json",
    "variable",
    "data-ascii",
    "proxy-header",
    "url",
    "range",
    "trace",
    "trace-ascii",
    "stderr",
    "output-dir",
    "netrc-file",
    "resolve",
    "limit-rate",
    "etag-save",
    "etag-compare",
    "hsts",
    "alt-svc",
    "libcurl",
    "unix-socket",
    "interface",
    "max-redirs",
    "retry-max-time",
    "url-query",
];

/// Options that name a file or folder to write.
const WRITES: &[&str] = &[
    "o",
    "output",
    "c",
    "cookie-jar",
    "D",
    "dump-header",
    "trace",
    "trace-ascii",
    "stderr",
    "output-dir",
    "etag-save",
    "hsts",
    "alt-svc",
    "libcurl",
];

/// Options that send a body.
const SENDS: &[&str] = &[
    "d",
    "data",
    "data-raw",
    "data-binary",
    "data-urlencode",
    "F",
    "form",
    "form-string",
    "T",
    "upload-file",
    "json",
];

pub(super) fn judge(w: &mut Walker<'_>, call: &Call, st: &State) -> Judged<()> {
    let flags = parse(call.args(), VALUED, LONG);
    for path in flags.values(WRITES) {
        if path != "-" {
            w.download_to(path, st)?;
        }
    }
    names_itself(w, &flags, st)?;
    if flags.has(&["K", "config"]) {
        return Err(Refusal::new(
            rule::UNPROVEN,
            "curl options in a file cannot be judged; write them on the command line",
        ));
    }
    if flags.has(&["n", "netrc", "netrc-optional", "netrc-file"]) {
        return Err(credentials("curl"));
    }
    reads(w, &flags, st)?;
    requests(w, &flags, call)
}

/// Downloads whose files are named by the address or by the server.
fn names_itself(w: &mut Walker<'_>, flags: &Flags, st: &State) -> Judged<()> {
    let named = [
        "O",
        "remote-name",
        "J",
        "remote-header-name",
        "remote-name-all",
    ];
    if !flags.has(&named) {
        return Ok(());
    }
    w.need_writer("downloads files")?;
    w.need_inside(st, "downloading")?;
    let folder = flags.value(&["output-dir"]).unwrap_or(".");
    if flags.has(&["J", "remote-header-name"]) {
        w.landed_in(folder, false, st);
    }
    addresses(flags).try_for_each(|url| w.downloaded(url, folder, st))
}

/// The files of this machine that go along.
fn reads(w: &mut Walker<'_>, flags: &Flags, st: &State) -> Judged<()> {
    let named = ["H", "header", "proxy-header", "variable", "data-ascii"];
    for value in flags.values(SENDS).into_iter().chain(flags.values(&named)) {
        if let Some((_, file)) = value.split_once('@') {
            w.read_path(file, st)?;
        }
    }
    for value in flags.values(&["F", "form"]) {
        // `name=@file,file;type=…` and `name=<file`.
        let Some((_, files)) = value.split_once(['@', '<']) else {
            continue;
        };
        for file in files.split([',', ';']) {
            w.read_path(file.trim_matches('"'), st)?;
        }
    }
    for files in flags.values(&["T", "upload-file", "E", "cert", "key", "b", "cookie"]) {
        for file in files.split(['{', ',', '}']) {
            w.read_path(file, st)?;
        }
    }
    for url in addresses(flags).filter(|url| has_scheme(url, "file")) {
        w.read_path(&crate::tool_paths::home(url), st)?;
    }
    Ok(())
}

/// Whether a file goes along: by its name, or as what is piped in where nothing of it is taken off.
fn sends_files(flags: &Flags, call: &Call) -> bool {
    let whole = flags.values(&["F", "form"]).into_iter().filter_map(|part| {
        let (_, value) = part.split_once('=')?;
        value.trim_start_matches('"').strip_prefix(['@', '<'])
    });
    let binary = flags.values(&["data-binary"]).into_iter();
    let whole = whole.chain(binary.filter_map(|value| value.strip_prefix('@')));
    let text = ["d", "data", "data-ascii", "json"];
    let text = flags.values(&text).into_iter();
    let text = text.filter_map(|value| value.strip_prefix('@'));
    let encoded = flags.values(&["data-urlencode"]).into_iter();
    let encoded = encoded.filter_map(|value| value.split_once('@'));
    let encoded = encoded.filter_map(|(name, file)| (!name.contains('=')).then_some(file));
    let piped = |file: &str| matches!(file, "-" | "." | "/dev/stdin" | "/dev/fd/0");
    let unknown = call
        .stdin
        .as_deref()
        .is_some_and(|input| !text::is_known(input));
    whole.into_iter().any(|file| !piped(file) || unknown)
        || text.chain(encoded).any(|file| !piped(file))
}

/// Whether an address begins with a scheme, in letters of either size.
fn has_scheme(url: &str, scheme: &str) -> bool {
    url.split_once(':')
        .is_some_and(|(given, _)| given.eq_ignore_ascii_case(scheme))
}

/// What the requests change, and where.
fn requests(w: &Walker<'_>, flags: &Flags, call: &Call) -> Judged<()> {
    let method = flags.value(&["X", "request"]).unwrap_or("").to_uppercase();
    let changes = !matches!(method.as_str(), "" | "GET" | "HEAD" | "OPTIONS")
        || flags.has(SENDS) && !flags.has(&["G", "get"]);
    for url in addresses(flags) {
        let sending = ["smtp", "ftp", "sftp", "scp", "telnet", "dict", "gopher"]
            .iter()
            .any(|scheme| has_scheme(url, scheme));
        let bodies = || flags.values(SENDS);
        let forge = || publishes_at(url) || bodies().iter().any(|body| mutates(url, body));
        if changes && forge() || sending && flags.has(&["T", "upload-file", "Q", "quote"]) {
            return Err(publishes());
        }
        if !is_here(url) && !has_scheme(url, "file") && sends_files(flags, call) {
            return Err(sending::not_sent());
        }
        if !changes || is_here(url) {
            continue;
        }
        // What `scp` would do.
        if flags.has(&["T", "upload-file"]) && !has_scheme(url, "file") {
            return Err(Refusal::new(
                rule::NETWORK,
                "files are not copied to other machines; work inside your worktree",
            ));
        }
        if text::is_any(url) {
            return Err(Refusal::new(
                rule::UNPROVEN,
                "where this request goes is not known; write the address out",
            ));
        }
        if !w.role.writes() {
            return Err(read_only("sends a changing request"));
        }
    }
    if flags.has(&["unix-socket"]) && changes {
        return Err(Refusal::new(
            rule::PROCESS,
            "control sockets are not for agents; talk to your own server by its port",
        ));
    }
    Ok(())
}

fn addresses(flags: &Flags) -> impl Iterator<Item = &str> {
    flags
        .operands
        .iter()
        .map(String::as_str)
        .chain(flags.values(&["url"]))
}
