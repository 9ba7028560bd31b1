//! Publishing other than by git: package registries, forges, images, deployments.
//!
//! Only the merge queue lets work out of a worktree. Dry runs and queries are not publishing.

use super::global_options::with_values;
use super::infrastructure::{PROVIDERS, asks_provider, stays_here};
use super::runners::names_publishing as is_task;
use super::storage;
use super::unknown::{acts_on_forge, changes_forge, plugin, sends_images};
use super::words::{by_subcommand, is_taken_back};
use crate::commands::Call;
use crate::policy::{Judged, Refusal, rule};
use crate::rules::forges::forge;
use crate::rules::questions::asks_for_help;
use crate::shell::state::State;
use crate::shell::text::brief;
use crate::shell::walk::Walker;

pub(in crate::rules) fn publishes(what: &str) -> Refusal {
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
    "multi-semantic-release",
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
    "nix-copy-closure",
    "cachix",
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
    "commit-and-tag-version",
    "ghp-import",
    "dupload",
    "debrelease",
    "aurpublish",
    "appimageupload",
    "ctanupload",
    "ctan-o-mat",
    "dokku",
    "altool",
    "opam-publish",
    "codecov",
    "coveralls",
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

/// Whether a publisher only makes or checks something here.
fn builds(name: &str, args: &[String]) -> bool {
    let first = args.iter().find(|arg| !arg.starts_with('-'));
    let Some(first) = first.map(String::as_str) else {
        return false;
    };
    match name {
        "vsce" => matches!(first, "package" | "ls" | "show" | "search"),
        "ovsx" => first == "get",
        "web-ext" => matches!(first, "lint" | "run" | "build" | "docs" | "dump-config"),
        "release-plz" => matches!(first, "update" | "init" | "generate-completions"),
        // A project names its lanes itself.
        "fastlane" => matches!(
            first,
            "test" | "tests" | "lint" | "lanes" | "scan" | "format" | "unit_tests"
        ),
        _ => false,
    }
}

/// Whether a publisher was told to show what it would do. Others do not know the option, and some of them pass over it.
fn only_shows(name: &str, args: &[String]) -> bool {
    let says = |arg: &str| match arg {
        "--dry-run" => !matches!(name, "surge" | "np" | "twine" | "bumpp" | "gh-pages"),
        "-d" => matches!(
            name,
            "release-it" | "semantic-release" | "multi-semantic-release"
        ),
        "--preview" => name == "np",
        _ => false,
    };
    let own: Vec<&str> = args.iter().map(String::as_str).collect();
    own.iter().any(|arg| says(arg)) && !is_taken_back(&own)
}

/// A program without a rule of its own whose first words say that it publishes.
pub(in crate::rules) fn unknown_publisher(name: &str, args: &[String]) -> Judged<()> {
    let prints = matches!(
        name,
        // These bring a schema to the project's own database; others are judged by where they are.
        "prisma"
            | "drizzle-kit"
            | "sqitch"
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
    let own = || args.iter().map(String::as_str).collect::<Vec<_>>();
    let asks = asks && !is_taken_back(&own());
    if prints || asks || name.contains('/') || shows(name, args) {
        return Ok(());
    }
    let behind_values = || {
        with_values(name, args)
            .iter()
            .find_map(|args| verb_of(args))
    };
    match verb_of(args).or_else(behind_values) {
        Some(verb) => Err(publishes(&format!("{name} {verb}"))),
        None if acts_on_forge(args) || changes_forge(name, args) => Err(publishes(name)),
        None => plugin(name, args),
    }
}

/// The word among the first ones that says it.
fn verb_of(args: &[String]) -> Option<String> {
    let mut words = args.iter().filter(|arg| !arg.starts_with('-')).take(2);
    words.find(|word| says_verb(word)).cloned()
}

/// `push`, `service:push`, `upload-file`
fn says_verb(word: &str) -> bool {
    let last = word.rsplit(':').next().unwrap_or(word);
    let first = word.split('-').next().unwrap_or(word);
    VERBS.contains(&last)
        || matches!(first, "upload" | "publish") && first.len() < word.len() && is_task(word)
}

pub(in crate::rules) fn judge(
    w: &mut Walker<'_>,
    name: &str,
    call: &Call,
    st: &State,
) -> Option<Judged<()>> {
    match publishing(w, name, call, st) {
        Some(Err(_)) if asks_for_help(name, call.args()) => Some(Ok(())),
        judged => judged,
    }
}

fn publishing(w: &mut Walker<'_>, name: &str, call: &Call, st: &State) -> Option<Judged<()>> {
    let args = call.args();
    if let Some(judged) = storage::judge(w, name, args, st) {
        return Some(judged);
    }
    if stays_here(name, call) {
        return Some(w.need_writer("changes a service of this machine"));
    }
    if ONLY_PUBLISH.contains(&name) || PROVIDERS.contains(&name) {
        if builds(name, args) {
            return None;
        }
        let asks = !args.is_empty()
            && args.iter().all(|arg| {
                matches!(
                    arg.as_str(),
                    "--version" | "--help" | "-h" | "help" | "version" | "check"
                )
            })
            || only_shows(name, args)
            || name == "twine" && args.first().is_some_and(|arg| arg == "check")
            || asks_cloud(name, args)
            || PROVIDERS.contains(&name) && asks_provider(name, args);
        return Some(if asks { Ok(()) } else { Err(publishes(name)) });
    }
    let result = match name {
        "gh" | "glab" => forge(w, name, args, st),
        _ if let Some(sent) = sends_images(name, args) => {
            if !sent {
                return None;
            }
            Err(publishes(name))
        }
        "docker-compose" | "podman-compose" => {
            let first = args.iter().find(|arg| !arg.starts_with('-'));
            if first.is_none_or(|sub| sub != "push") {
                return None;
            }
            Err(publishes(&format!("{name} push")))
        }
        "hg" | "jj" | "fossil" | "bzr" | "sl" | "darcs" | "cvs" | "svn" => {
            let sub = args
                .iter()
                .find(|arg| !arg.starts_with('-'))
                .map_or("", String::as_str);
            match sub {
                "status" | "st" | "log" | "diff" | "show" | "info" | "cat" | "annotate"
                | "blame" | "heads" | "branches" | "" => Ok(()),
                // What comes from the server is a download.
                "checkout" | "co" | "export" | "update" | "up" | "list" | "ls" | "add"
                | "resolve" | "proplist" | "propget"
                    if name == "svn" =>
                {
                    return None;
                }
                _ if name == "svn"
                    || name == "cvs"
                    || sub == "send"
                    || name == "fossil" && sub == "sync"
                    || args
                        .iter()
                        .any(|arg| arg == "push" || arg == "submit" || arg == "pr") =>
                {
                    Err(publishes(name))
                }
                _ => return None,
            }
        }
        "xcrun" => {
            let tool = args.iter().find(|arg| !arg.starts_with('-'));
            let sends = |arg: &String| matches!(arg.as_str(), "--upload-app" | "--upload-package");
            match tool.map(String::as_str) {
                Some("altool") if args.iter().any(sends) => Err(publishes("xcrun altool")),
                Some("notarytool") if args.iter().any(|arg| arg == "submit") => {
                    Err(publishes("xcrun notarytool"))
                }
                Some(_) | None => return None,
            }
        }
        "steamcmd" if args.iter().any(|arg| arg.contains("run_app_build")) => {
            Err(publishes("steamcmd"))
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

/// The publisher that a Python module of this name is.
pub(crate) fn published_by_module(module: &str) -> Option<&'static str> {
    Some(match module {
        "semantic_release" => "semantic-release",
        "awscli" => "aws",
        "zest.releaser" => "release-it",
        "bumpversion" | "bump_my_version" => "bumpversion",
        _ => return None,
    })
}

/// The installed program whose file this is: `node_modules/.bin/np`, `node_modules/np/source/cli.js`, `.venv/bin/twine`.
fn installed(path: &str) -> Option<&str> {
    let (folder, file) = path.rsplit_once('/')?;
    if folder.ends_with("/.bin") || folder.contains("venv") && folder.ends_with("/bin") {
        return Some(file);
    }
    let (_, inner) = path.rsplit_once("node_modules/")?;
    let mut parts = inner.split('/');
    let first = parts.next()?;
    match first.strip_prefix('@') {
        Some(scope) => match parts.next()? {
            "cli" => Some(scope),
            name => Some(name),
        },
        None => Some(first),
    }
}

/// Judges an installed publisher whose file an interpreter is handed.
pub(crate) fn publishing_script(
    w: &mut Walker<'_>,
    call: &Call,
    path: &str,
    args: &[String],
    st: &State,
) -> Judged<()> {
    let Some(name) = installed(path) else {
        return Ok(());
    };
    let argv = std::iter::once(name.to_owned()).chain(args.iter().cloned());
    match judge(w, name, &call.with(argv.collect()), st) {
        Some(judged) => judged,
        None => unknown_publisher(name, args),
    }
}

/// `hub` is git with more commands, which act on the forge.
pub(in crate::rules) fn hub(args: &[String]) -> Judged<()> {
    by_subcommand("hub", args).unwrap_or(Ok(()))
}

/// Whether a tool for building is only asked what it would do.
fn shows(name: &str, args: &[String]) -> bool {
    matches!(name, "scons" | "bmake")
        && args.iter().any(|arg| {
            matches!(
                arg.as_str(),
                "-n" | "--no-exec" | "--just-print" | "--recon" | "-q" | "--question"
            )
        })
}
