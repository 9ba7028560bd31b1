//! Publishing other than by git: package registries, forges, images, deployments.
//!
//! Only the merge queue lets work out of a worktree. Dry runs and queries are not publishing.

use super::forges::forge;
use super::publish_words::by_subcommand;
use crate::commands::Call;
use crate::policy::{Judged, Refusal, rule};
use crate::shell::state::State;
use crate::shell::text::brief;
use crate::shell::walk::Walker;

pub(super) fn publishes(what: &str) -> Refusal {
    Refusal::new(
        rule::PUBLISH,
        format!(
            "{} would publish; commit and send worker_done mail, the merge queue is the only way out",
            brief(what)
        ),
    )
}

/// Programs whose whole purpose is to publish or deploy.
const ONLY_PUBLISH: &[&str] = &[
    "twine",
    "semantic-release",
    "release-it",
    "np",
    "bumpp",
    "standard-version",
    "gh-pages",
    "surge",
    "vsce",
    "ovsx",
    "web-ext",
    "arc",
    "git-review",
    "skopeo",
    "crane",
    "oras",
    "ko",
    "flyctl",
    "fly",
    "heroku",
    "eb",
    "cargo-release",
    "release-plz",
    "release-please",
    "bumpversion",
    "aws",
    "gcloud",
    "az",
    "doctl",
    "eksctl",
    "cap",
    "kamal",
    "capistrano",
    "fastlane",
    "expo-publish",
    "bb",
    "tea",
    "ghstack",
    "spr",
    "git-spr",
    "jreleaser",
    "cpan-upload",
    "dune-release",
    "dput",
    "gh-release",
    "hubflow",
];

/// Words that say of any program that it lets work out.
const VERBS: &[&str] = &[
    "publish",
    "unpublish",
    "upload",
    "push",
    "submit",
    "deploy",
    "land",
    "ship",
    "propose",
    "pull-request",
    "shipit",
];

/// Questions to a cloud: what runs there, never what it keeps secret.
fn asks_cloud(name: &str, args: &[String]) -> bool {
    let words: Vec<&str> = args
        .iter()
        .filter(|arg| !arg.starts_with('-'))
        .map(String::as_str)
        .collect();
    let secret = words.iter().any(|word| {
        [
            "secret",
            "auth",
            "token",
            "key",
            "login",
            "credential",
            "ssm",
            "iam",
            "kms",
            "env",
        ]
        .iter()
        .any(|part| word.contains(part))
    });
    let lists = |word: &str| {
        matches!(
            word,
            "ls" | "list" | "show" | "describe" | "status" | "logs" | "ps" | "info"
        ) || word.starts_with("list-")
            || word.starts_with("describe-")
    };
    let changes = |word: &str| {
        [
            "create", "delete", "update", "deploy", "remove", "set", "add", "start", "stop",
            "run-", "apply", "reset", "import", "upload", "submit", "restart", "scale",
        ]
        .iter()
        .any(|verb| word.starts_with(verb))
    };
    match (name, words.as_slice()) {
        ("aws", ["sts", "get-caller-identity"]) => true,
        ("aws", [_, verb, ..]) => !secret && (lists(verb) || *verb == "tail"),
        // What is asked for may stand behind the verb.
        ("gcloud" | "az" | "doctl" | "eksctl", [_, rest @ ..]) => {
            !secret
                && !words.iter().any(|word| changes(word))
                && rest.iter().rev().take(2).any(|word| lists(word))
        }
        ("heroku" | "fly" | "flyctl" | "eb", [verb]) => lists(verb) || *verb == "apps",
        _ => false,
    }
}

/// A program without a rule of its own whose first words say that it publishes.
pub(super) fn unknown_publisher(name: &str, args: &[String]) -> Judged<()> {
    let prints = matches!(
        name,
        // These push a schema to the project's own database.
        "prisma"
            | "drizzle-kit"
            | "act"
            | "figlet"
            | "toilet"
            | "cowsay"
            | "say"
            | "notify-send"
            | "tldr"
            | "cheat"
    );
    let asks = args.iter().any(|arg| {
        matches!(
            arg.as_str(),
            "--help" | "-h" | "help" | "--dry-run" | "--version"
        )
    });
    if prints || asks || name.contains('/') {
        return Ok(());
    }
    let verb = args
        .iter()
        .filter(|arg| !arg.starts_with('-'))
        .take(2)
        .find(|arg| VERBS.contains(&arg.as_str()));
    match verb {
        Some(verb) => Err(publishes(&format!("{name} {verb}"))),
        None => Ok(()),
    }
}

pub(super) fn judge(w: &mut Walker<'_>, name: &str, call: &Call, st: &State) -> Option<Judged<()>> {
    let args = call.args();
    if ONLY_PUBLISH.contains(&name) {
        let asks = !args.is_empty()
            && args.iter().all(|arg| {
                matches!(
                    arg.as_str(),
                    "--version" | "--help" | "-h" | "help" | "version" | "check"
                )
            })
            || args.iter().any(|arg| arg == "--dry-run")
            || name == "twine" && args.first().is_some_and(|arg| arg == "check")
            || asks_cloud(name, args);
        return Some(if asks { Ok(()) } else { Err(publishes(name)) });
    }
    let result = match name {
        "gh" | "glab" => forge(w, name, args, st),
        "docker" | "podman" | "buildah" | "nerdctl" => {
            let pushes = args.iter().take_while(|arg| *arg != "--").any(|arg| {
                arg == "push"
                    || arg == "--push"
                    || arg == "login"
                    || arg.starts_with("--output=type=registry")
            });
            if !pushes
                || args
                    .first()
                    .is_some_and(|arg| matches!(arg.as_str(), "run" | "exec"))
            {
                return None;
            }
            Err(publishes(name))
        }
        "hg" | "jj" | "fossil" | "bzr" | "sl" | "darcs" | "cvs" | "svn" => {
            let sub = args
                .iter()
                .find(|arg| !arg.starts_with('-'))
                .map_or("", String::as_str);
            match sub {
                "status" | "st" | "log" | "diff" | "show" | "info" | "cat" | "annotate"
                | "blame" | "heads" | "branches" | "" => Ok(()),
                _ if name == "svn"
                    || name == "cvs"
                    || args
                        .iter()
                        .any(|arg| arg == "push" || arg == "submit" || arg == "pr") =>
                {
                    Err(publishes(name))
                }
                _ => return None,
            }
        }
        "setup.py" | "./setup.py"
            if args
                .iter()
                .any(|arg| matches!(arg.as_str(), "upload" | "register")) =>
        {
            Err(publishes("setup.py upload"))
        }
        _ => by_subcommand(name, args)?,
    };
    Some(result)
}

/// `hub` is git with more commands, which act on the forge.
pub(super) fn hub(args: &[String]) -> Judged<()> {
    by_subcommand("hub", args).unwrap_or(Ok(()))
}
