//! Names of containers, images, volumes and networks that a command makes and ends again.
//!
//! What it has made itself is the agent's to stop and to remove; everything else may be in use by others.

use crate::rules::flags::{Flags, parse};
use crate::shell::text::{self, JOB};
use crate::shell::walk::Walker;

/// Letters and names of options with a value, as far as they stand before the first operand.
const SHORT: &str = "evplwuhmcatfs";
const LONG: &[&str] = &[
    "name",
    "publish",
    "volume",
    "env",
    "env-file",
    "workdir",
    "user",
    "network",
    "net",
    "label",
    "label-file",
    "hostname",
    "entrypoint",
    "memory",
    "cpus",
    "shm-size",
    "restart",
    "platform",
    "pull",
    "add-host",
    "expose",
    "mount",
    "tmpfs",
    "ulimit",
    "health-cmd",
    "health-interval",
    "health-retries",
    "health-timeout",
    "log-driver",
    "log-opt",
    "dns",
    "ip",
    "gpus",
    "stop-signal",
    "stop-timeout",
    "cidfile",
    "tag",
    "file",
    "build-arg",
    "target",
    "cache-from",
    "cache-to",
    "output",
    "progress",
    "secret",
    "ssh",
    "driver",
    "opt",
    "subnet",
    "gateway",
    "time",
    "signal",
    "network-alias",
    "init-timeout",
];

/// The kind of thing a command is about, and what it does with it.
fn asked(flags: &Flags) -> (&'static str, &str, usize) {
    let words: Vec<&str> = flags.operands.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["container", verb, ..] => ("container", verb, 2),
        ["image", verb, ..] => ("image", verb, 2),
        ["volume", verb, ..] => ("volume", verb, 2),
        ["network", verb, ..] => ("network", verb, 2),
        ["buildx" | "builder", verb @ "build", ..] => ("image", verb, 2),
        [verb @ ("build" | "tag" | "bud"), ..] => ("image", verb, 1),
        ["rmi", ..] => ("image", "rm", 1),
        [verb, ..] => ("container", verb, 1),
        [] => ("container", "", 0),
    }
}

/// Keeps the names of what is made.
pub(super) fn remember(w: &mut Walker<'_>, args: &[String]) {
    let flags = parse(args, SHORT, LONG);
    let (kind, verb, skip) = asked(&flags);
    let before = parse(before_image(args), SHORT, LONG);
    let names: Vec<&str> = match (kind, verb) {
        ("container", "run" | "create") => before.values(&["name"]),
        ("image", "build" | "bud") => flags.values(&["t", "tag"]),
        ("image", "tag") => flags
            .operands
            .get(skip + 1)
            .map(String::as_str)
            .into_iter()
            .collect(),
        ("volume" | "network", "create") => flags
            .operands
            .last()
            .map(String::as_str)
            .into_iter()
            .collect(),
        _ => Vec::new(),
    };
    for name in names {
        if text::is_known(name) && !name.is_empty() {
            w.begun.insert(format!("{kind} {name}"));
        }
    }
}

/// Whether a command stops or removes only what this one has made.
pub(super) fn ends_own(w: &Walker<'_>, args: &[String]) -> bool {
    let flags = parse(args, "ts", &["time", "signal"]);
    let (kind, verb, skip) = asked(&flags);
    let ends = matches!(
        (kind, verb),
        (
            "container",
            "stop" | "kill" | "rm" | "remove" | "restart" | "pause" | "unpause"
        ) | ("image" | "volume" | "network", "rm" | "remove")
            | ("network", "disconnect")
    );
    let names = flags.operands.get(skip..).unwrap_or_default();
    let own = |name: &String| {
        kind == "container" && !name.is_empty() && name.chars().all(|c| c == JOB)
            || w.begun.contains(&format!("{kind} {name}"))
    };
    ends && !names.is_empty() && names.iter().all(own)
}

/// Whether this prints the number of the container it starts.
pub(crate) fn prints_number(args: &[String]) -> bool {
    let flags = parse(before_image(args), SHORT, LONG);
    let (kind, verb, _) = asked(&flags);
    let detached = flags.has(&["d", "detach"]) && flags.value(&["detach"]) != Some("false");
    kind == "container" && (verb == "create" || verb == "run" && detached)
}

/// The words before the image: those behind it are for the program in the container.
fn before_image(args: &[String]) -> &[String] {
    let mut operands = 0;
    let mut at = 0;
    let mut grouped = false;
    while let Some(arg) = args.get(at) {
        let takes = match arg.strip_prefix("--") {
            Some(name) => LONG.contains(&name),
            None => arg.strip_prefix('-').is_some_and(|letters| {
                let valued = letters.find(|c| SHORT.contains(c));
                valued.is_some_and(|valued| valued + 1 == letters.len())
            }),
        };
        if !arg.starts_with('-') {
            operands += 1;
            grouped |= operands == 1 && arg == "container";
            if operands > 1 + usize::from(grouped) {
                return args.get(..at).unwrap_or_default();
            }
        }
        at += 1 + usize::from(takes);
    }
    args
}
