//! Runners of tasks that a project names itself: `npm run deploy`, `make publish`, `poetry run release`.
//!
//! What a task does is the project's own and is not read, so that its name decides: for all runners by one rule, and
//! their table says only where the names stand.

use super::dry::Dry;
use super::programs::publishes;
use crate::policy::Judged;

/// Where the names of tasks stand on a command line.
enum At {
    /// Each word that is no option.
    Everywhere,
    /// The first word behind one of these.
    Behind(&'static [&'static str]),
    /// The same, or the first word.
    FirstOrBehind(&'static [&'static str]),
    /// The value of one of these options, perhaps several with commas.
    Option(&'static [&'static str]),
}

struct Runner {
    names: &'static [&'static str],
    at: At,
    /// Options whose value is the next word.
    values: &'static [&'static str],
}

const RUNNERS: &[Runner] = &[
    Runner {
        names: &["npm"],
        at: At::Behind(&["run", "run-script", "rum", "urn"]),
        values: &["-w", "--workspace", "--prefix", "-C", "--loglevel"],
    },
    Runner {
        names: &["pnpm", "yarn", "bun", "composer", "pdm", "bb", "melos"],
        at: At::FirstOrBehind(&["run", "run-script", "workspace"]),
        values: &[
            "--filter",
            "-F",
            "--dir",
            "-C",
            "--cwd",
            "-d",
            "--working-dir",
            "-p",
        ],
    },
    Runner {
        names: &["poetry", "uv", "hatch", "pipenv", "rye", "pixi"],
        at: At::Behind(&["run"]),
        values: &[
            "--with",
            "--python",
            "-p",
            "--extra",
            "--group",
            "--package",
            "-e",
            "--env-file",
        ],
    },
    Runner {
        names: &["mise", "rtx"],
        at: At::Behind(&["run", "r"]),
        values: &["-C", "--cd", "-t", "--tool", "-j", "--jobs"],
    },
    Runner {
        names: &["deno"],
        at: At::Behind(&["task"]),
        values: &["--cwd", "-c", "--config", "--filter"],
    },
    Runner {
        names: &["cargo"],
        at: At::Behind(&["make", "xtask"]),
        values: &["--makefile", "--profile", "-p", "--cwd"],
    },
    Runner {
        names: &["node"],
        at: At::Option(&["--run"]),
        values: &[],
    },
    Runner {
        names: &["tox", "nox"],
        at: At::Option(&["-e", "-s", "--session", "--sessions"]),
        values: &[],
    },
    Runner {
        names: &[
            "make", "./make", "gmake", "bmake", "just", "task", "go-task", "ninja", "mage", "rake",
            "./rake", "invoke", "inv", "fab", "doit", "ant", "gulp", "grunt", "jake", "cake",
            "poe", "mask", "xtask", "earthly",
        ],
        at: At::Everywhere,
        values: &[
            "-C",
            "-f",
            "-I",
            "-o",
            "-W",
            "-j",
            "-l",
            "--directory",
            "--file",
            "--makefile",
            "--justfile",
            "--working-directory",
            "-d",
            "--dir",
            "-t",
            "--taskfile",
            "--rakefile",
            "--gulpfile",
            "--gruntfile",
            "--set",
            "--build-arg",
            "-c",
            "--shell",
        ],
    },
    Runner {
        names: &[
            "nr",
            "run-s",
            "run-p",
            "npm-run-all",
            "npm-run-all2",
            "concurrently",
        ],
        at: At::Everywhere,
        values: &["-n", "--names", "-c", "--prefix-colors", "-l", "-C"],
    },
    Runner {
        names: &["nx", "turbo", "lerna", "lage", "moon"],
        at: At::Everywhere,
        values: &[
            "--filter",
            "--scope",
            "--ignore",
            "--projects",
            "-p",
            "--exclude",
            "--base",
        ],
    },
    Runner {
        names: &["gradle", "gradlew", "./gradlew", "sbt"],
        at: At::Everywhere,
        values: &[
            "-p",
            "-x",
            "-b",
            "-I",
            "-c",
            "--tests",
            "--exclude-task",
            "--project-dir",
        ],
    },
    Runner {
        names: &["zig", "dagger"],
        at: At::Behind(&["build", "call"]),
        values: &[
            "--build-file",
            "--prefix",
            "-p",
            "--cache-dir",
            "--search-prefix",
            "-m",
        ],
    },
    Runner {
        names: &["cmake"],
        at: At::Option(&["--target", "-t"]),
        values: &[],
    },
    Runner {
        names: &["meson"],
        at: At::Behind(&["compile"]),
        values: &["-C", "-j", "--jobs"],
    },
    Runner {
        names: &["bazel", "bazelisk", "buck", "buck2", "please"],
        at: At::Behind(&["run"]),
        values: &["--config", "-c"],
    },
];

/// Refuses a task whose name says that it lets work out.
pub(crate) fn judge(name: &str, args: &[String]) -> Judged<()> {
    for runner in RUNNERS.iter().filter(|runner| runner.names.contains(&name)) {
        let mut dry = None;
        for (at, task) in tasks(runner, args) {
            if names_publishing(task)
                && !is_profile(name, task)
                && !is_built_in(name, task, args)
                && !dry.get_or_insert_with(|| Dry::of(name, args)).holds_for(at)
            {
                return Err(publishes(&format!("{name} {task}")));
            }
        }
    }
    Ok(())
}

/// Refuses one task by its name, where its runner is judged elsewhere.
pub(crate) fn judge_task(asked: &str, task: &str) -> Judged<()> {
    if names_publishing(task) {
        return Err(publishes(asked));
    }
    Ok(())
}

/// The tasks a command line names, with their places.
fn tasks<'a>(runner: &Runner, args: &'a [String]) -> Vec<(usize, &'a str)> {
    let mut words = Vec::new();
    let mut value = false;
    for (at, arg) in args.iter().enumerate().take_while(|(_, arg)| *arg != "--") {
        let is_value = std::mem::replace(&mut value, runner.values.contains(&arg.as_str()));
        if !is_value && !arg.starts_with('-') && !arg.contains(['=', ' ']) {
            words.push((at, arg.as_str()));
        }
    }
    let behind = |subs: &[&str]| {
        let at = words.iter().position(|(_, word)| subs.contains(word))?;
        // The workspace comes first.
        let skip = if words.get(at).is_some_and(|(_, word)| *word == "workspace") {
            2
        } else {
            1
        };
        words.get(at + skip).copied()
    };
    match runner.at {
        At::Everywhere => {
            let given = args.iter().enumerate().filter_map(|(at, arg)| {
                let (option, target) = arg.split_once('=')?;
                matches!(option, "--target" | "--targets" | "-t").then_some((at, target))
            });
            words.iter().copied().chain(given).collect()
        }
        At::Behind(subs) => behind(subs).into_iter().collect(),
        At::FirstOrBehind(subs) => behind(subs)
            .or(words.first().copied())
            .into_iter()
            .collect(),
        At::Option(options) => args
            .iter()
            .enumerate()
            .filter_map(|(at, arg)| match arg.split_once('=') {
                Some((option, tasks)) => options.contains(&option).then_some((at, tasks)),
                None => options
                    .contains(&arg.as_str())
                    .then(|| args.get(at + 1).map(|tasks| (at, tasks.as_str())))?,
            })
            .flat_map(|(at, tasks)| tasks.split(',').map(move |task| (at, task)))
            .collect(),
    }
}

/// Build tools in whose files `release` is how a thing is built, beside `debug`; for others it is what they do with it.
fn is_profile(name: &str, task: &str) -> bool {
    let builds = matches!(
        name,
        "make"
            | "./make"
            | "gmake"
            | "bmake"
            | "just"
            | "task"
            | "go-task"
            | "ninja"
            | "cmake"
            | "meson"
    );
    // `zig build release-small`
    builds && task == "release" || name == "zig" && task.starts_with("release")
}

/// Subcommands that are no tasks: pnpm copies a package into a folder, and who publishes by them is judged by the words
/// of the tool.
fn is_built_in(name: &str, task: &str, args: &[String]) -> bool {
    let built_in = match name {
        "pnpm" => matches!(task, "deploy" | "publish"),
        "yarn" | "bun" | "pdm" => task == "publish",
        _ => false,
    };
    built_in && !args.iter().any(|arg| arg.starts_with("run"))
}

/// Words that say of a task that it lets work out.
const VERBS: &[&str] = &[
    "publish",
    "unpublish",
    "deploy",
    "release",
    "push",
    "upload",
];

/// Behind one of these: the task makes, shows or tries something here.
const HERE: &[&str] = &[
    "dry",
    "dryrun",
    "run",
    "build",
    "notes",
    "note",
    "preview",
    "check",
    "checks",
    "test",
    "tests",
    "lint",
    "plan",
    "local",
    "localhost",
    "locally",
    "changelog",
    "verify",
    "validate",
    "status",
    "list",
    "diff",
    "help",
    "size",
    "pack",
    "package",
    "clean",
    "config",
    "types",
    "prepare",
    "binary",
    "binaries",
    "tarball",
    "archive",
    "artifacts",
    "bundle",
    "debug",
    "mock",
    "simulate",
    "emulator",
];

/// Before one of these: the task is about it, and does not do it.
const ABOUT: &[&str] = &[
    "test", "tests", "check", "lint", "verify", "validate", "plan", "dry", "preview", "generate",
    "gen", "local", "mock", "fake", "no", "skip", "print", "show", "list", "db", "schema",
    "prisma", "drizzle",
];

/// Whether the name of a task says that it lets work out: `deploy`, `publish:npm`, `docker-push`, `//image:push`.
pub(super) fn names_publishing(task: &str) -> bool {
    const FILES: &[&str] = &[".py", ".sh", ".js", ".ts", ".mjs", ".rb", ".php", ".mk"];
    let label = task.starts_with("//");
    if task.contains('/') && !label || FILES.iter().any(|end| task.ends_with(end)) {
        return false;
    }
    let name = match task.rsplit_once(['/', ':']) {
        Some((_, last)) if label => last,
        Some(_) | None => task.trim_start_matches('+'),
    };
    let parts: Vec<String> = name
        .split([':', '-', '_', '.'])
        .map(str::to_lowercase)
        .collect();
    let is_verb = |part: &String| VERBS.contains(&part.as_str());
    let named = parts.iter().position(is_verb);
    let Some(at) = named else {
        return begins_with_verb(name);
    };
    let before = parts.get(..at).unwrap_or_default();
    let after = parts.get(at + 1..).unwrap_or_default();
    let says =
        |parts: &[String], words: &[&str]| parts.iter().any(|part| words.contains(&part.as_str()));
    let first_or_last = before.is_empty() || after.is_empty() || label;
    // `build:release` names how it is built; `build-and-release` what is done next.
    let next = says(before, &["and", "then"]);
    let profile = !before.is_empty() && parts.get(at).is_some_and(|verb| verb == "release");
    first_or_last && !says(after, HERE) && (next || !profile && !says(before, ABOUT))
}

/// `publishPlugins`, `deployProd`; `publishToMavenLocal` stays here.
fn begins_with_verb(name: &str) -> bool {
    let Some(end) = name.find(char::is_uppercase) else {
        return false;
    };
    let (verb, rest) = name.split_at(end);
    let rest = rest.to_lowercase();
    matches!(verb, "publish" | "deploy" | "push" | "upload")
        && !HERE.iter().any(|word| rest.ends_with(word))
}
