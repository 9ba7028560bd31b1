//! Tools that build as well as publish: the words on their command line decide.

use super::publish::publishes;
use crate::policy::{Judged, Refusal, rule};
use crate::shell::text;

/// The words that make a tool publish; `None` for tools that never do.
fn words_of(name: &str) -> Option<&'static [&'static str]> {
    Some(match name {
        "npm" | "pnpm" | "yarn" | "bun" => &[
            "publish",
            "unpublish",
            "deprecate",
            "dist-tag",
            "owner",
            "access",
            "adduser",
            "login",
            "token",
            "logout",
            "stage",
            "team",
            "org",
            "hook",
            "profile",
            "star",
            "unstar",
            "publish-commit",
        ],
        "cargo" => &[
            "publish",
            "yank",
            "owner",
            "login",
            "logout",
            "release",
            "smart-release",
            "workspaces",
        ],
        "poetry" | "uv" | "hatch" | "flit" | "pdm" | "maturin" | "rye" => &["publish", "upload"],
        "gem" => &["push", "yank", "owner", "signin"],
        "hub" => &[
            "merge",
            "pull-request",
            "push",
            "release",
            "fork",
            "create",
            "delete",
            "sync",
            "gist",
            "api",
            "pr",
        ],
        "gt" | "av" | "git-machete" | "git-town" => &[
            "submit", "ss", "s", "merge", "push", "ship", "land", "propose", "sync", "publish",
            "pr",
        ],
        "helm" => &[
            "push",
            "install",
            "upgrade",
            "uninstall",
            "rollback",
            "delete",
        ],
        "goreleaser" => &["release", "publish"],
        "lerna" | "changeset" | "nx" | "rush" | "lage" | "auto" | "changesets" => {
            &["publish", "version-and-publish", "release", "shipit"]
        }
        "mvn" | "mvnw" | "./mvnw" => &[
            "deploy",
            "release:perform",
            "release:prepare",
            "site-deploy",
            "deploy:deploy-file",
        ],
        "gradle" | "gradlew" | "./gradlew" | "sbt" | "mill" => &[
            "publish",
            "uploadArchives",
            "publishToMavenCentral",
            "publishSigned",
            "publishPlugins",
            "bintrayUpload",
        ],
        "nuget" => &["push", "delete"],
        "dotnet" => &["push"],
        "rake" | "./rake" | "invoke" | "inv" | "fab" => &["release", "publish", "deploy"],
        "vercel" | "now" => &["deploy", "--prod", "promote", "alias", "rm", "env", "link"],
        "netlify" | "wrangler" | "firebase" | "serverless" | "sls" | "cdk" | "sam" | "amplify"
        | "eas" | "expo" | "copilot-cli" | "pulumi" | "ng" | "mkdocs" => &[
            "deploy",
            "publish",
            "gh-deploy",
            "destroy",
            "up",
            "submit",
            "remove",
            "secret",
            "upload",
        ],
        "terraform" | "tofu" | "terragrunt" => &["apply", "destroy", "import", "taint", "state"],
        "kubectl" | "oc" => &[
            "apply",
            "create",
            "delete",
            "edit",
            "exec",
            "patch",
            "replace",
            "rollout",
            "run",
            "scale",
            "set",
            "drain",
            "cordon",
            "label",
            "annotate",
            "cp",
            "attach",
            "expose",
            "taint",
            "autoscale",
            "port-forward",
        ],
        "pod" => &["trunk"],
        "electron-builder" => &["publish"],
        "railway" => &[
            "up",
            "deploy",
            "redeploy",
            "down",
            "delete",
            "add",
            "variables",
            "run",
            "shell",
            "ssh",
            "link",
            "init",
            "login",
        ],
        "mix" => &["hex.publish", "hex.retire", "hex.owner", "hex.user"],
        "dart" | "flutter" | "deno" | "jsr" | "opam" | "raco" | "spago" | "elm" | "rebar3"
        | "swift" | "shards" => &["publish", "unpublish", "retract"],
        "lein" | "clj" | "boot" => &["deploy"],
        "cabal" | "stack" | "luarocks" | "cpan-upload" => &["upload"],
        "composer" => &[],
        "conda" | "anaconda" => &["upload", "login"],
        "make" | "gmake" | "just" | "task" | "./make" | "ninja" | "mage" => {
            &["publish", "deploy", "push"]
        }
        _ => return None,
    })
}

pub(super) fn by_subcommand(name: &str, args: &[String]) -> Option<Judged<()>> {
    if matches!(name, "ansible-playbook" | "ansible" | "salt" | "chef") {
        let only_checks = args.iter().any(|arg| {
            matches!(arg.as_str(), "--check" | "--syntax-check" | "--version")
                || arg.starts_with("--list-")
        });
        if name == "ansible-playbook" && only_checks {
            return None;
        }
        return Some(Err(publishes(name)));
    }
    let words = words_of(name)?;
    let own: Vec<&str> = args
        .iter()
        .take_while(|arg| *arg != "--")
        .map(String::as_str)
        .collect();
    // Cargo prints its help whatever else is asked for.
    if name == "cargo" && own.iter().any(|arg| matches!(*arg, "--help" | "-h")) {
        return None;
    }
    if is_javascript(name)
        && let Some(script) = script(&own)
    {
        return publishes_by_name(script).then(|| Err(publishes(script)));
    }
    if name == "npm"
        && let Some(first) = first_command(&own)
        && let Some(full) = shortened(first, words)
    {
        return Some(Err(publishes(&format!("npm {full}"))));
    }
    if name == "electron-builder" {
        return electron(&own);
    }
    if name == "lerna"
        && own.contains(&"version")
        && !own.iter().any(|arg| {
            matches!(
                *arg,
                "--no-push" | "--push=false" | "--no-git-tag-version" | "--help"
            )
        })
    {
        return Some(Err(publishes("lerna version")));
    }
    // The subcommand may stand behind any options, so every bare word counts until one decides otherwise.
    if is_harmless(name, &own, words) {
        return None;
    }
    match own.iter().find(|arg| publishing(name, arg, words)) {
        Some(word)
            if is_dry(name, &own)
                && (matches!(name, "kubectl" | "oc" | "helm")
                    || matches!(*word, "publish" | "release" | "deploy" | "upload" | "apply")) =>
        {
            None
        }
        Some(word) => Some(Err(publishes(&format!("{name} {word}")))),
        None => without_words(name, &own),
    }
}

/// The command of npm that a shortened word stands for: it takes any beginning.
fn shortened<'w>(word: &str, words: &[&'w str]) -> Option<&'w str> {
    let known = LOCAL_PACKAGES.contains(&word) || QUERIES.contains(&word) || words.contains(&word);
    if known || word.len() < 3 || "start".starts_with(word) {
        return None;
    }
    words.iter().find(|full| full.starts_with(word)).copied()
}

/// The first word of npm's command line that is neither an option nor its value.
fn first_command<'a>(own: &[&'a str]) -> Option<&'a str> {
    let mut value = false;
    own.iter().copied().find(|arg| {
        let is_value = std::mem::take(&mut value);
        value = matches!(
            *arg,
            "-w" | "--workspace"
                | "--prefix"
                | "-C"
                | "--registry"
                | "--loglevel"
                | "--cache"
                | "--userconfig"
                | "--tag"
                | "--access"
                | "--otp"
        );
        !is_value && !arg.starts_with('-')
    })
}

/// Publishes when it is told to, and by itself on a build server.
fn electron(own: &[&str]) -> Option<Judged<()>> {
    let mut given = own
        .iter()
        .zip(own.iter().skip(1).chain(std::iter::once(&"")));
    let publishes_now = given.any(|(arg, next)| {
        let value = match *arg {
            "-p" | "--publish" => Some(*next),
            "publish" => Some("always"),
            other => other
                .strip_prefix("--publish=")
                .or_else(|| other.strip_prefix("-p"))
                .map(|value| value.trim_start_matches('=')),
        };
        value.is_some_and(|value| value != "never")
    });
    publishes_now.then(|| Err(publishes("electron-builder")))
}

/// Whether a word of the command line lets work out.
fn publishing(name: &str, arg: &str, words: &[&str]) -> bool {
    if words.contains(&arg) {
        return true;
    }
    if !matches!(name, "gradle" | "gradlew" | "./gradlew") {
        return false;
    }
    // `:core:publishToSonatype`
    let task = arg.rsplit(':').next().unwrap_or(arg);
    words.contains(&task)
        || task.starts_with("publish") && !task.ends_with("ToMavenLocal")
        || task.starts_with("closeAndRelease")
}

fn is_dry(name: &str, own: &[&str]) -> bool {
    // There `-n` is a namespace.
    let cluster = matches!(name, "kubectl" | "oc" | "helm");
    own.iter().any(|arg| match *arg {
        "--dry-run" | "--dry-run=client" | "--dry-run=server" | "--help" | "-h" => true,
        "-n" | "--no-push" | "--snapshot" => !cluster,
        _ => false,
    })
}

/// Tools that publish by what is not said.
fn without_words(name: &str, own: &[&str]) -> Option<Judged<()>> {
    if matches!(name, "npm" | "cargo") && own.first().is_some_and(|arg| text::is_any(arg)) {
        return Some(Err(Refusal::new(
            rule::UNPROVEN,
            format!("which {name} command would run is not known; write it out"),
        )));
    }
    let asks = own.iter().any(|arg| {
        matches!(
            *arg,
            "dev" | "build" | "--version" | "--help" | "ls" | "inspect" | "logs" | "whoami"
        )
    });
    (matches!(name, "vercel" | "now") && !asks).then(|| Err(publishes(name)))
}

fn is_javascript(name: &str) -> bool {
    matches!(name, "npm" | "pnpm" | "yarn" | "bun")
}

/// The script of a package that is run by name.
fn script<'a>(own: &[&'a str]) -> Option<&'a str> {
    let at = own
        .iter()
        .position(|arg| matches!(*arg, "run" | "run-script" | "rum"))?;
    let script = own.iter().skip(at + 1).find(|arg| !arg.starts_with('-'));
    Some(script.copied().unwrap_or(""))
}

fn publishes_by_name(script: &str) -> bool {
    let head = script.split(':').next().unwrap_or("");
    matches!(head, "publish" | "deploy" | "release")
        && !script.contains("dry")
        && !script.contains("build")
}

/// Whether the subcommand is one that never publishes, whatever stands behind it.
fn is_harmless(name: &str, own: &[&str], words: &[&str]) -> bool {
    let first = own.iter().find(|arg| !arg.starts_with('-')).copied();
    match name {
        "npm" | "pnpm" | "yarn" | "bun" => {
            first == Some("help")
                || own.iter().any(|arg| LOCAL_PACKAGES.contains(arg))
                    && !own
                        .iter()
                        .any(|arg| matches!(*arg, "publish" | "unpublish"))
                    && !first.is_some_and(|first| words.contains(&first))
        }
        "cargo" => own
            .iter()
            .find(|arg| !arg.starts_with(['-', '+']))
            .is_some_and(|sub| !words.contains(sub)),
        "kubectl" | "oc" | "terraform" | "tofu" | "helm" => {
            first.is_some_and(|sub| !words.contains(&sub) && QUERIES.contains(&sub))
                || matches!(name, "terraform" | "tofu")
                    && matches!(own, ["state", "list" | "show", ..])
        }
        _ => false,
    }
}

/// What package managers do with the packages of this project.
const LOCAL_PACKAGES: &[&str] = &[
    "install",
    "i",
    "add",
    "ci",
    "test",
    "t",
    "view",
    "info",
    "search",
    "help",
    "why",
    "ls",
    "remove",
    "uninstall",
    "exec",
    "x",
    "dlx",
    "outdated",
    "audit",
    "pack",
];

/// What asks a cluster, or plans a change of it.
const QUERIES: &[&str] = &[
    "get",
    "describe",
    "logs",
    "version",
    "config",
    "plan",
    "validate",
    "fmt",
    "show",
    "init",
    "output",
    "template",
    "lint",
    "explain",
    "list",
    "status",
    "top",
    "search",
    "pull",
    "dependency",
    "diff",
    "workspace",
    "providers",
    "graph",
];
