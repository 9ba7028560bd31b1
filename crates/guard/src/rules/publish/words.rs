//! Tools that build as well as publish: the words on their command line decide.

use super::infrastructure::{SETS_UP, changes, sets_up_nothing};
use super::programs::publishes;
use super::runners::names_publishing;
use super::table::{own_networks, words_of};
use crate::policy::{Judged, Refusal, rule};
use crate::shell::text;

pub(crate) fn by_subcommand(name: &str, args: &[String]) -> Option<Judged<()>> {
    if SETS_UP.contains(&name) {
        return (!sets_up_nothing(name, args)).then(|| Err(publishes(name)));
    }
    let own: Vec<&str> = args
        .iter()
        .take_while(|arg| *arg != "--")
        .map(String::as_str)
        .collect();
    if let Some(local) = own_networks(name)
        && let Some(network) = network(&own)
        && !local.contains(&network)
    {
        return Some(Err(publishes(&format!("{name} --network {network}"))));
    }
    let words = words_of(name)?;
    // Cargo prints its help whatever else is asked for.
    if name == "cargo" && own.iter().any(|arg| matches!(*arg, "--help" | "-h")) {
        return None;
    }
    // The name of the task was judged before.
    if is_javascript(name) && runs_script(&own) {
        return None;
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
    if name == "wrangler"
        && own.contains(&"--remote")
        && own.iter().any(|arg| matches!(*arg, "d1" | "kv" | "r2"))
    {
        return Some(Err(publishes("wrangler --remote")));
    }
    if changes(name, &own) {
        return Some(Err(publishes(name)));
    }
    // The subcommand may stand behind any options, so every bare word counts until one decides otherwise.
    if is_harmless(name, &own, words) {
        return None;
    }
    let gradle = matches!(name, "gradle" | "gradlew" | "./gradlew");
    let left_out = |at: usize| {
        let before = at.checked_sub(1).and_then(|before| own.get(before));
        gradle && matches!(before, Some(&"-x" | &"--exclude-task"))
    };
    let mut used = own.iter().enumerate().filter(|(at, _)| !left_out(*at));
    match used
        .find(|(_, arg)| publishing(name, arg, words))
        .map(|(_, word)| word)
    {
        Some(word)
            if is_dry(name, &own)
                && (matches!(name, "kubectl" | "oc" | "helm")
                    || matches!(
                        *word,
                        "publish" | "release" | "deploy" | "upload" | "apply" | "release:prepare"
                    )) =>
        {
            None
        }
        Some(word) => Some(Err(publishes(&format!("{name} {word}")))),
        None => without_words(name, &own),
    }
}

/// The network a tool for contracts is told to work on.
fn network<'a>(own: &[&'a str]) -> Option<&'a str> {
    own.iter().enumerate().find_map(|(at, arg)| match *arg {
        "--network" => own.get(at + 1).copied(),
        other => other.strip_prefix("--network="),
    })
}

/// The command of npm that a shortened word stands for: it takes any beginning.
fn shortened<'w>(word: &str, words: &[&'w str]) -> Option<&'w str> {
    let known = LOCAL_PACKAGES.contains(&word) || QUERIES.contains(&word) || words.contains(&word);
    let told = word.len() > 2 || TOLD_BY_TWO.contains(&word);
    if known || !told || "start".starts_with(word) {
        return None;
    }
    words.iter().find(|full| full.starts_with(word)).copied()
}

/// Two letters with which no other command of npm begins.
const TOLD_BY_TWO: &[&str] = &["pu", "ow", "to", "ho"];

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
                | "--filter"
                | "-F"
                | "--cwd"
                | "--dir"
        );
        !is_value && !arg.starts_with('-')
    })
}

/// The command of a package manager, where it is beyond doubt: before it stand only options of which it is known
/// whether the next word is their value.
fn told_command<'a>(name: &str, own: &[&'a str]) -> Option<&'a str> {
    let takes_value: &[&str] = match name {
        "npm" => &["--prefix", "-C", "--workspace", "-w", "--registry"],
        "pnpm" => &["--dir", "-C", "--filter", "-F"],
        "yarn" => &["--cwd"],
        "bun" => &["--cwd", "--filter", "-F"],
        _ => &[],
    };
    let alone = |word: &str| {
        matches!(
            word,
            "-g" | "--global" | "-s" | "--silent" | "-r" | "--recursive" | "-D" | "--save-dev"
        ) || word.contains('=')
    };
    let mut words = own.iter().copied();
    while let Some(word) = words.next() {
        if takes_value.contains(&word) {
            words.next();
        } else if !word.starts_with('-') {
            return Some(word);
        } else if !alone(word) {
            return None;
        }
    }
    None
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
    match name {
        "gradle" | "gradlew" | "./gradlew" => {
            // `:core:publishToSonatype`
            let task = arg.rsplit(':').next().unwrap_or(arg);
            words.contains(&task)
                || task.starts_with("publish") && !task.ends_with("ToMavenLocal")
                || task.starts_with("closeAndRelease")
        }
        // `deploy:deploy`, `org.apache.maven.plugins:maven-deploy-plugin:3.1.0:deploy-file`
        // `jib:build` sends the image away; `jib:dockerBuild` keeps it here.
        "mvn" | "mvnw" | "./mvnw" => arg.rsplit_once(':').is_some_and(|(plugin, goal)| {
            matches!(goal, "deploy" | "deploy-file" | "perform" | "stage-deploy")
                || goal == "build" && plugin.contains("jib")
        }),
        // `clean; core/publish`
        "sbt" => arg
            .split([';', ' ', '/'])
            .any(|task| words.contains(&task.trim())),
        // `hosting:channel:deploy`, `appdistribution:distribute`
        "firebase" => arg
            .rsplit_once(':')
            .is_some_and(|(_, done)| words.contains(&done) || done == "distribute"),
        // `build:cancel`, `channel:create`
        "eas" | "eas-cli" => arg.rsplit_once(':').is_some_and(|(_, done)| {
            matches!(
                done,
                "create"
                    | "delete"
                    | "edit"
                    | "cancel"
                    | "push"
                    | "submit"
                    | "resign"
                    | "republish"
                    | "rollback"
                    | "revert"
                    | "roll-back-to-embedded"
                    | "pause"
                    | "resume"
            )
        }),
        // `-X:deploy`, `-M:release`
        "clj" | "clojure" => arg
            .strip_prefix("-X:")
            .or_else(|| arg.strip_prefix("-M:"))
            .or_else(|| arg.strip_prefix("-T:"))
            .is_some_and(|alias| alias.split(':').any(names_publishing)),
        // `core.publish`, `mill.scalalib.PublishModule/publishAll`
        "mill" => arg.rsplit(['.', '/']).next().is_some_and(|task| {
            task.starts_with("publish") && !task.contains("Local") && !task.contains("M2")
        }),
        _ => false,
    }
}

/// Whether an option says that nothing is to happen, in the words of this tool: to others the same may mean
/// something else, or nothing.
pub(super) fn is_dry(name: &str, own: &[&str]) -> bool {
    let says = |arg: &str| match arg {
        "--help" | "-help" | "-h" => true,
        "--dry-run" | "--dry-run=client" | "--dry-run=server" | "--dry-run=true" => !matches!(
            name,
            "cdk" | "amplify" | "serverless" | "sls" | "vercel" | "now"
        ),
        "-n" => matches!(
            name,
            "cargo"
                | "make"
                | "gmake"
                | "bmake"
                | "just"
                | "task"
                | "./make"
                | "ninja"
                | "rake"
                | "./rake"
        ),
        "-m" => matches!(name, "gradle" | "gradlew" | "./gradlew"),
        "-DdryRun" | "-DdryRun=true" => {
            matches!(name, "mvn" | "mvnw" | "./mvnw") && own.contains(&"release:prepare")
        }
        "--snapshot" | "--skip=publish" => name == "goreleaser",
        _ => false,
    };
    own.iter().any(|arg| says(arg)) && !is_taken_back(own)
}

/// Whether a word takes back that nothing is to happen: many tools take `--dry-run false` and shortened words for it.
pub(super) fn is_taken_back(own: &[&str]) -> bool {
    const MEANT: &[&str] = &["--dry-run", "--dryRun", "--dry", "--help"];
    const YES: &[&str] = &["true", "1", "yes", "on", "client", "server"];
    let shortened = |arg: &str| {
        let full = ["--no-dry-run", "--no-dryRun", "--no-help"];
        arg.len() > "--no-".len() && full.iter().any(|full| full.starts_with(arg))
    };
    let denied = |arg: &str| {
        arg.split_once('=').is_some_and(|(option, value)| {
            option.len() > "--".len()
                && MEANT.iter().any(|meant| meant.starts_with(option))
                && !YES.contains(&value)
        })
    };
    let behind = |pair: &[&str]| matches!(pair, [option, "false" | "0" | "no"] if MEANT.contains(option) || *option == "-h");
    own.iter().any(|arg| shortened(arg) || denied(arg)) || own.windows(2).any(behind)
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

/// Whether a script of the package is run by its name.
fn runs_script(own: &[&str]) -> bool {
    own.iter()
        .any(|arg| matches!(*arg, "run" | "run-script" | "rum"))
}

/// Whether the subcommand is one that never publishes, whatever stands behind it.
fn is_harmless(name: &str, own: &[&str], words: &[&str]) -> bool {
    let first = own.iter().find(|arg| !arg.starts_with('-')).copied();
    match name {
        "npm" | "pnpm" | "yarn" | "bun" => {
            first == Some("help")
                || told_command(name, own).is_some_and(|sub| NAMES_PACKAGES.contains(&sub))
                || own.iter().any(|arg| LOCAL_PACKAGES.contains(arg))
                    && !own
                        .iter()
                        .any(|arg| matches!(*arg, "publish" | "unpublish"))
                    && !first.is_some_and(|first| words.contains(&first))
        }
        "cargo" if own.first() == Some(&"owner") => lists_owners(own),
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

/// `cargo owner --list serde`
fn lists_owners(own: &[&str]) -> bool {
    let lists = |arg: &&&str| matches!(**arg, "--list" | "-l");
    let plain = |arg: &&str| !arg.starts_with('-') || matches!(*arg, "--list" | "-l" | "-q" | "-v");
    own.iter().any(|arg| lists(&arg)) && own.iter().all(plain)
}

/// Commands of package managers behind which every word names a package, also one of the name `publish`.
const NAMES_PACKAGES: &[&str] = &[
    "install",
    "i",
    "add",
    "remove",
    "rm",
    "uninstall",
    "un",
    "update",
    "why",
    "explain",
    "view",
    "info",
    "show",
    "search",
    "ls",
    "list",
    "outdated",
    "docs",
    "repo",
    "bugs",
];

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
