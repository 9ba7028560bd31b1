//! `wget` and `httpie`: what they write, read and change elsewhere.

use super::flags::parse;
use super::network::publishes;
use super::publish::addresses::{mutates, publishes_at};
use crate::policy::{Judged, Refusal, rule};
use crate::shell::state::State;
use crate::shell::walk::Walker;

pub(super) fn wget(w: &mut Walker<'_>, args: &[String], st: &State) -> Judged<()> {
    let flags = parse(
        args,
        "oaOPitTwUeBQDAXIRl",
        &[
            "output-document",
            "output-file",
            "append-output",
            "directory-prefix",
            "input-file",
            "tries",
            "timeout",
            "wait",
            "user-agent",
            "execute",
            "post-data",
            "post-file",
            "method",
            "body-data",
            "body-file",
            "header",
            "user",
            "password",
            "save-cookies",
            "load-cookies",
            "use-askpass",
            "certificate",
            "private-key",
            "level",
            "warc-file",
            "warc-tempdir",
            "hsts-file",
            "rejected-log",
        ],
    );
    if flags.has(&["e", "execute", "use-askpass", "config"]) {
        return Err(Refusal::new(
            rule::UNPROVEN,
            "wget settings could run or write anything; use plain options",
        ));
    }
    for path in flags.values(&["o", "output-file", "a", "append-output", "save-cookies"]) {
        w.write_path(path, st)?;
    }
    // Every other option that names a place outside may write there.
    for (option, value) in &flags.options {
        let reads = [
            "post-file",
            "body-file",
            "input-file",
            "load-cookies",
            "certificate",
            "private-key",
            "ca-certificate",
            "ca-directory",
            "crl-file",
            "random-file",
            "egd-file",
            "i",
            "P",
            "directory-prefix",
            "O",
            "output-document",
        ];
        let place = value.as_deref().filter(|_| {
            !reads
                .iter()
                .any(|read| read == option || option.len() > 2 && read.starts_with(option.as_str()))
        });
        if let Some(place) = place.filter(|place| super::outputs::leaves(place)) {
            w.write_path(place, st)?;
        }
    }
    for path in flags.values(&["warc-file", "warc-tempdir", "hsts-file", "rejected-log"]) {
        w.write_path(path, st)?;
    }
    for file in flags.values(&[
        "post-file",
        "body-file",
        "i",
        "input-file",
        "load-cookies",
        "certificate",
        "private-key",
    ]) {
        w.read_path(file, st)?;
    }
    let changes = flags.has(&["post-data", "post-file", "body-data", "body-file"])
        || flags
            .value(&["method"])
            .is_some_and(|method| !matches!(method, "GET" | "HEAD"));
    let bodies = flags.values(&["post-data", "body-data"]);
    let forge = |url: &String| publishes_at(url) || bodies.iter().any(|body| mutates(url, body));
    if changes && (!w.role.writes() || flags.operands.iter().any(forge)) {
        return Err(publishes());
    }
    if flags.has(&["spider"]) {
        return Ok(());
    }
    match flags.value(&["O", "output-document"]) {
        Some("-" | "/dev/stdout") => Ok(()),
        Some(path) => w.download_to(path, st),
        None => {
            w.need_writer("downloads files")?;
            let folder = flags.value(&["P", "directory-prefix"]);
            match folder {
                Some(path) => w.write_path(path, st)?,
                None => w.need_inside(st, "downloading")?,
            }
            let folder = folder.unwrap_or(".");
            // Whole sites come in folders; the server may name what it sends.
            let many = [
                "r",
                "m",
                "p",
                "x",
                "recursive",
                "mirror",
                "page-requisites",
                "force-directories",
            ];
            if flags.has(&many) {
                w.landed_in(folder, true, st);
            }
            if flags.has(&[
                "i",
                "input-file",
                "content-disposition",
                "trust-server-names",
            ]) {
                w.landed_in(folder, false, st);
            }
            flags
                .operands
                .iter()
                .try_for_each(|url| w.downloaded(url, folder, st))
        }
    }
}

pub(super) fn httpie(w: &mut Walker<'_>, args: &[String], st: &State) -> Judged<()> {
    let flags = parse(args, "oA", &["output", "session", "auth"]);
    for path in flags.values(&["o", "output"]) {
        w.download_to(path, st)?;
    }
    if flags.has(&["d", "download"]) && !flags.has(&["o", "output"]) {
        w.need_writer("downloads files")?;
        w.need_inside(st, "downloading")?;
    }
    let method = flags.first().to_uppercase();
    let changes = matches!(method.as_str(), "POST" | "PUT" | "PATCH" | "DELETE")
        || flags
            .operands
            .iter()
            .skip(1)
            .any(|word| word.contains('=') && !word.contains("==") || is_file_field(word));
    let forge =
        |word: &String| publishes_at(word) || flags.operands.iter().any(|body| mutates(word, body));
    let local = flags.operands.iter().any(|word| {
        word.starts_with(':') || word.contains("localhost") || word.contains("127.0.0.1")
    });
    if changes && (flags.operands.iter().any(forge) || !w.role.writes() && !local) {
        return Err(publishes());
    }
    for word in &flags.operands {
        if let Some((_, file)) = word.split_once('@') {
            w.read_path(file, st)?;
        }
    }
    Ok(())
}

/// `name@file` sends a file; an address may name a user.
fn is_file_field(word: &str) -> bool {
    word.split_once('@')
        .is_some_and(|(name, _)| !name.is_empty() && !name.contains(['/', ':']))
}
