//! What lets work out by programs that nobody knows: what they do to a forge, plugins called by their own name, and
//! requests of any client.

use super::addresses::publishes_at;
use super::table::words_of;
use super::words::by_subcommand;
use crate::policy::Judged;

/// What a forge keeps.
const KEPT: &[&str] = &[
    "pr",
    "mr",
    "pull-request",
    "merge-request",
    "pullrequest",
    "mergerequest",
    "release",
    "releases",
    "gist",
    "snippet",
];

/// What is done to it.
const DONE: &[&str] = &[
    "create", "new", "open", "submit", "merge", "accept", "approve", "close", "reopen", "edit",
    "update", "delete", "comment", "publish",
];

/// Whether the first words name what a forge keeps and what is done to it: `mr create`.
pub(super) fn acts_on_forge(args: &[String]) -> bool {
    let mut words = args.iter().filter(|arg| !arg.starts_with('-'));
    let (kept, done) = (words.next(), words.next());
    kept.is_some_and(|word| KEPT.contains(&word.as_str()))
        && done.is_some_and(|word| DONE.contains(&word.as_str()))
}

/// Whether a client nobody knows is told to change something on a forge or registry.
pub(super) fn changes_forge(name: &str, args: &[String]) -> bool {
    let method = |word: &str| {
        ["post", "put", "patch", "delete"]
            .iter()
            .any(|method| word.eq_ignore_ascii_case(method))
    };
    let data = |arg: &str| {
        let option = arg.split('=').next().unwrap_or(arg);
        matches!(option, "-d" | "-F" | "--json" | "--form" | "--body")
            || option.starts_with("--data")
    };
    let told = |arg: &String| {
        let word = arg.strip_prefix("-X").unwrap_or(arg);
        method(word.rsplit('=').next().unwrap_or(word)) || data(arg)
    };
    (method(name) || args.iter().any(told)) && args.iter().any(|arg| publishes_at(arg))
}

/// What a tool's plugin would publish that is called by its own name: `npm-publish` is `npm publish`.
pub(super) fn plugin(name: &str, args: &[String]) -> Judged<()> {
    let Some((tool, sub)) = name.split_once('-') else {
        return Ok(());
    };
    if !words_of(tool).is_some_and(|words| words.contains(&sub)) {
        return Ok(());
    }
    let words: Vec<String> = std::iter::once(sub.to_owned())
        .chain(args.iter().cloned())
        .collect();
    by_subcommand(tool, &words).unwrap_or(Ok(()))
}

/// Whether a tool for images, or a plugin of one, sends them away; `None` for other tools.
pub(super) fn sends_images(name: &str, args: &[String]) -> Option<bool> {
    let plugin = ["docker-", "podman-", "nerdctl-"]
        .iter()
        .find_map(|tool| name.strip_prefix(tool));
    let known = matches!(
        name,
        "docker" | "podman" | "buildah" | "nerdctl" | "buildctl" | "img"
    );
    if !known && plugin.is_none() {
        return None;
    }
    let before = |at: usize| at.checked_sub(1).and_then(|at| args.get(at));
    let sent = |to: &str| to.contains("type=registry") || to.contains("push=true");
    let mut own = args.iter().take_while(|arg| *arg != "--").enumerate();
    let pushes = own.any(|(at, arg)| {
        let told = before(at).is_some_and(|arg| matches!(arg.as_str(), "-o" | "--output"));
        let given = arg.strip_prefix("--output=").or(arg.strip_prefix("-o"));
        matches!(arg.as_str(), "push" | "--push" | "--push=true" | "login")
            || told && sent(arg)
            || given.is_some_and(sent)
    });
    let starts = args.iter().find(|arg| *arg != "compose");
    let starts = starts.is_some_and(|arg| matches!(arg.as_str(), "run" | "exec"));
    Some(plugin == Some("push") || pushes && !starts)
}
