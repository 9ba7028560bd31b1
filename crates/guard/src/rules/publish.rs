//! Publishing other than by git: package registries, forges, images, deployments.
//!
//! Only the merge queue lets work out of a worktree. Dry runs and queries are not publishing.

use super::flags::parse;
use crate::commands::{Call, read_only};
use crate::policy::{Judged, Refusal, rule};
use crate::shell::state::State;
use crate::shell::text::{self, brief};
use crate::shell::walk::Walker;

fn publishes(what: &str) -> Refusal {
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

/// A program without a rule of its own whose first words say that it publishes.
pub(super) fn unknown_publisher(name: &str, args: &[String]) -> Judged<()> {
    let prints = matches!(
        name,
        "act" | "figlet" | "toilet" | "cowsay" | "say" | "notify-send" | "tldr" | "cheat"
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
            || name == "twine" && args.first().is_some_and(|arg| arg == "check");
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

/// Tools that build as well as publish: the words on their command line decide.
fn by_subcommand(name: &str, args: &[String]) -> Option<Judged<()>> {
    let own: Vec<&str> = args
        .iter()
        .take_while(|arg| *arg != "--")
        .map(String::as_str)
        .collect();
    let dry = own.iter().any(|arg| {
        matches!(
            *arg,
            "--dry-run" | "-n" | "--no-push" | "--snapshot" | "--help" | "-h"
        )
    });
    // Cargo prints its help whatever else is asked for.
    if name == "cargo" && own.iter().any(|arg| matches!(*arg, "--help" | "-h")) {
        return None;
    }
    let words: &[&str] = match name {
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
        "ansible-playbook" | "ansible" | "salt" | "chef" => return Some(Err(publishes(name))),
        "pod" => &["trunk"],
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
    };
    // The subcommand may stand behind any options, so every bare word counts until one decides otherwise.
    let harmless_first = match name {
        "npm" | "pnpm" | "yarn" | "bun" => {
            let runs = own
                .iter()
                .position(|arg| matches!(*arg, "run" | "run-script" | "rum"));
            if let Some(at) = runs {
                let script = own
                    .iter()
                    .skip(at + 1)
                    .find(|arg| !arg.starts_with('-'))
                    .copied()
                    .unwrap_or("");
                let head = script.split(':').next().unwrap_or("");
                let publishing = matches!(head, "publish" | "deploy" | "release")
                    && !script.contains("dry")
                    && !script.contains("build");
                return publishing.then(|| Err(publishes(script)));
            }
            own.iter().any(|arg| {
                matches!(
                    *arg,
                    "install"
                        | "i"
                        | "add"
                        | "ci"
                        | "test"
                        | "t"
                        | "view"
                        | "info"
                        | "search"
                        | "help"
                        | "why"
                        | "ls"
                        | "remove"
                        | "uninstall"
                        | "exec"
                        | "x"
                        | "dlx"
                        | "outdated"
                        | "audit"
                        | "pack"
                )
            }) && !own
                .iter()
                .any(|arg| matches!(*arg, "publish" | "unpublish"))
                && !own
                    .iter()
                    .find(|arg| !arg.starts_with('-'))
                    .is_some_and(|first| words.contains(first))
        }
        "cargo" => own
            .iter()
            .find(|arg| !arg.starts_with(['-', '+']))
            .is_some_and(|sub| !words.contains(sub)),
        "kubectl" | "oc" | "terraform" | "tofu" | "helm" => own
            .iter()
            .find(|arg| !arg.starts_with('-'))
            .is_some_and(|sub| {
                !words.contains(sub)
                    && matches!(
                        *sub,
                        "get"
                            | "describe"
                            | "logs"
                            | "version"
                            | "config"
                            | "plan"
                            | "validate"
                            | "fmt"
                            | "show"
                            | "init"
                            | "output"
                            | "template"
                            | "lint"
                            | "explain"
                            | "list"
                            | "status"
                            | "top"
                            | "search"
                            | "pull"
                            | "dependency"
                            | "workspace"
                            | "providers"
                            | "graph"
                    )
            }),
        _ => false,
    };
    if harmless_first {
        return None;
    }
    let found = own.iter().find(|arg| {
        let task = arg.rsplit(':').next().unwrap_or(arg);
        words.contains(arg)
            || matches!(name, "gradle" | "gradlew" | "./gradlew")
                && words.contains(&task)
                && task != "publishToMavenLocal"
    });
    match found {
        Some(word)
            if dry && matches!(*word, "publish" | "release" | "deploy" | "upload" | "apply") =>
        {
            None
        }
        Some(word) => Some(Err(publishes(&format!("{name} {word}")))),
        None if own.iter().any(|arg| text::is_any(arg))
            && matches!(name, "npm" | "cargo")
            && own.first().is_some_and(|arg| text::is_any(arg)) =>
        {
            Some(Err(Refusal::new(
                rule::UNPROVEN,
                format!("which {name} command would run is not known; write it out"),
            )))
        }
        None if matches!(name, "vercel" | "now")
            && !own.iter().any(|arg| {
                matches!(
                    *arg,
                    "dev" | "build" | "--version" | "--help" | "ls" | "inspect" | "logs" | "whoami"
                )
            }) =>
        {
            Some(Err(publishes(name)))
        }
        None => None,
    }
}

/// `gh` and `glab`: queries pass, everything else acts on the forge.
fn forge(w: &mut Walker<'_>, name: &str, args: &[String], st: &State) -> Judged<()> {
    let flags = parse(
        args,
        "RXfFHqtpB",
        &[
            "repo",
            "method",
            "field",
            "raw-field",
            "header",
            "input",
            "jq",
            "template",
            "hostname",
            "json",
            "preview",
            "cache",
        ],
    );
    let words: Vec<&str> = flags.operands.iter().map(String::as_str).collect();
    if words.is_empty()
        || words == ["version"]
        || words.first() == Some(&"help")
        || flags.has(&["help"])
    {
        return Ok(());
    }
    match words.as_slice() {
        ["auth", "status"] if !flags.has(&["t", "show-token"]) => Ok(()),
        ["auth", ..] => Err(Refusal::new(
            rule::CREDENTIALS,
            "the forge's credentials are not for agents",
        )),
        ["api", path, ..] => {
            let method = flags
                .value(&["X", "method"])
                .unwrap_or("GET")
                .to_uppercase();
            let fields = flags.has(&["f", "F", "field", "raw-field", "input"]);
            let explicit = flags.has(&["X", "method"]);
            if method != "GET" || fields && !explicit {
                return Err(publishes(&format!("{name} api {path}")));
            }
            Ok(())
        }
        [
            "pr" | "mr" | "issue" | "run" | "repo" | "release" | "workflow" | "label" | "gist"
            | "cache" | "project" | "ruleset" | "search" | "ci" | "pipeline" | "milestone",
            "view" | "list" | "ls" | "diff" | "checks" | "status" | "watch" | "show" | "get"
            | "trace" | "repos" | "issues" | "prs" | "code" | "commits",
            ..,
        ] => Ok(()),
        ["status" | "browse" | "completion" | "search", ..] => Ok(()),
        ["repo", "clone", _, target, ..] => w.write_path(target, st),
        ["repo", "clone", repo] => w.write_path(repo.rsplit('/').next().unwrap_or("clone"), st),
        ["release" | "run", "download", ..] if w.role.writes() => {
            match flags
                .options
                .iter()
                .find(|(name, _)| name == "D" || name == "dir" || name == "O")
            {
                Some((_, Some(path))) => w.write_path(path, st),
                Some(_) => Err(publishes("gh release")),
                None => w.need_inside(st, "downloading"),
            }
        }
        ["release" | "run", "download", ..] => Err(read_only("downloads files")),
        _ => Err(publishes(&format!(
            "{name} {}",
            words.iter().take(2).copied().collect::<Vec<_>>().join(" ")
        ))),
    }
}
