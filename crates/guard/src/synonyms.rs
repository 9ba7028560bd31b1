//! Other spellings of a command that a project's rule means as well: `yarn seed` is `npm run seed`,
//! `docker-compose` is `docker compose`, `bash x.sh` is `./x.sh`.
//!
//! Only for rules that block: the spellings are compared, never run.

/// A program that stands for "a script of the package", whichever manager starts it.
const SCRIPT: &str = "a package script";

/// A program that stands for "a program of a package", whoever starts it.
const PROGRAM: &str = "a package's program";

/// Subcommands of package managers that are not scripts.
const MANAGER_COMMANDS: &[&str] = &[
    "add",
    "approve-builds",
    "audit",
    "autoclean",
    "bin",
    "cache",
    "cat-file",
    "cat-index",
    "check",
    "ci",
    "completion",
    "config",
    "constraints",
    "create",
    "dedupe",
    "deploy",
    "dlx",
    "docs",
    "doctor",
    "env",
    "exec",
    "explain",
    "fetch",
    "fund",
    "generate-lock-entry",
    "get",
    "global",
    "help",
    "import",
    "info",
    "init",
    "install",
    "install-test",
    "licenses",
    "link",
    "list",
    "ln",
    "login",
    "logout",
    "ls",
    "node",
    "npm",
    "outdated",
    "owner",
    "pack",
    "patch",
    "patch-commit",
    "pkg",
    "plugin",
    "pm",
    "policies",
    "prune",
    "publish",
    "rebuild",
    "remove",
    "repl",
    "root",
    "search",
    "self-update",
    "server",
    "set",
    "setup",
    "stage",
    "store",
    "tag",
    "team",
    "unlink",
    "uninstall",
    "unplug",
    "update",
    "upgrade",
    "upgrade-interactive",
    "version",
    "versions",
    "view",
    "whoami",
    "why",
    "workspace",
    "workspaces",
    "x",
];

/// Programs whose every operand is something to do.
const TARGETS: &[&str] = &[
    "make", "just", "task", "rails", "gradle", "mvn", "invoke", "mage", "gulp", "grunt",
];

/// Options of package managers whose value is the next word.
const MANAGER_OPTIONS: &[&str] = &[
    "--prefix",
    "-w",
    "--workspace",
    "-C",
    "--dir",
    "--filter",
    "-F",
    "--cwd",
    "--userconfig",
    "--loglevel",
    "--registry",
];

/// Every spelling of a command that means the same, itself first. `locate` gives the spelling of a path
/// below the project's top folder.
pub(super) fn spellings(
    argv: &[String],
    locate: &dyn Fn(&str) -> Option<String>,
) -> Vec<Vec<String>> {
    let mut found = vec![argv.to_vec()];
    found.extend(of_package(argv));
    let Some(plain) = renamed(argv, locate) else {
        return found;
    };
    let Some((program, args)) = plain.split_first() else {
        return found;
    };
    match program.as_str() {
        "npm" | "pnpm" | "yarn" | "bun" => manager(program, args, &mut found),
        "node" | "deno" | "turbo" | "lerna" => {
            let script = match args {
                [flag, script, ..] if program == "node" && flag == "--run" => Some(script),
                [task, script, ..] if program == "deno" && task == "task" => Some(script),
                [run, script, ..] if program != "node" && program != "deno" && run == "run" => {
                    Some(script)
                }
                _ => None,
            };
            found.extend(script.map(|script| words(&[SCRIPT, script])));
        }
        "npm-run-all" | "npm-run-all2" | "run-s" | "run-p" | "nr" => {
            let scripts = args.iter().filter(|arg| !arg.starts_with('-'));
            found.extend(scripts.map(|script| words(&[SCRIPT, script])));
        }
        target if TARGETS.contains(&target) => {
            // Each target is run, wherever it stands.
            let targets = args.iter().filter(|arg| !arg.starts_with('-')).take(50);
            found.extend(targets.map(|target| words(&[program, target])));
        }
        _ => {}
    }
    if plain != argv {
        found.push(plain);
    }
    found
}

/// The one spelling a pattern is compared in besides its own; patterns never stand for more than one command.
pub(super) fn of_pattern(pattern: &str) -> Vec<Vec<String>> {
    let argv: Vec<String> = pattern.split_whitespace().map(str::to_owned).collect();
    let several = argv
        .iter()
        .skip(1)
        .filter(|arg| !arg.starts_with('-'))
        .count()
        > 1;
    let mut found = spellings(&argv, &|path| {
        Some(path.trim_start_matches("./").to_owned())
    });
    // `npm run *` means npm, and `make a b` both targets.
    found.retain(|words| {
        let script = words.first().is_some_and(|program| program == SCRIPT);
        let open = words.get(1).is_none_or(|word| word == "*");
        let any_program = words.first().is_some_and(|program| program == PROGRAM);
        let target = words
            .first()
            .is_some_and(|program| TARGETS.contains(&program.as_str()));
        let one_of_several = target && several && words.len() == 2;
        !((script || any_program) && open || one_of_several)
    });
    found
}

/// The program of a package that `npx` and its kin start, without its version.
fn of_package(argv: &[String]) -> Option<Vec<String>> {
    let (program, args) = argv.split_first()?;
    let rest = match program.as_str() {
        "npx" | "bunx" | "pnpx" => args,
        "npm" | "pnpm" | "yarn" | "bun" => {
            let at = subcommand(args, MANAGER_OPTIONS);
            let sub = args.get(at)?;
            if !matches!(sub.as_str(), "exec" | "x" | "dlx") {
                return None;
            }
            args.get(at + 1..)?
        }
        path => {
            let (_, name) = path.rsplit_once("node_modules/.bin/")?;
            let mut all = words(&[PROGRAM, name]);
            all.extend_from_slice(args);
            return Some(all);
        }
    };
    let at = subcommand(
        rest,
        &["-p", "--package", "-w", "--workspace", "-c", "--call"],
    );
    let tool = rest.get(at)?;
    let end = tool.get(1..)?.find('@').map_or(tool.len(), |end| end + 1);
    let mut all = words(&[PROGRAM, tool.get(..end)?]);
    all.extend_from_slice(rest.get(at + 1..).unwrap_or_default());
    Some(all)
}

fn ends_in(path: &str, extension: &str) -> bool {
    path.rsplit_once('.')
        .is_some_and(|(_, end)| end == extension)
}

fn words(all: &[&str]) -> Vec<String> {
    all.iter().map(|word| (*word).to_owned()).collect()
}

/// The command under the usual name of its program, with the usual name of its subcommand.
fn renamed(argv: &[String], locate: &dyn Fn(&str) -> Option<String>) -> Option<Vec<String>> {
    let (program, args) = argv.split_first()?;
    let located = |path: &str| locate(path).unwrap_or_else(|| path.to_owned());
    let is_script = |path: &String| path.contains('/') || ends_in(path, "sh");
    let own = |program: &str| {
        let mut all = words(&[program]);
        all.extend(
            args.iter()
                .map(|arg| arg.trim_start_matches("./").to_owned()),
        );
        all
    };
    let last = program.rsplit('/').next().unwrap_or(program);
    let digits = |rest: &str| rest.bytes().all(|c| c.is_ascii_digit() || c == b'.');
    let name = match last {
        _ if last.strip_prefix("python").is_some_and(digits) || last == "py" => "python",
        _ if last.strip_prefix("pip").is_some_and(digits) => "pip",
        "nodejs" => "node",
        "gmake" => "make",
        "podman" => "docker",
        "docker-compose" | "podman-compose" => "docker-compose",
        "gradlew" => "gradle",
        "mvnw" => "mvn",
        "rake" if args.iter().any(|arg| arg.contains(':')) => "rails",
        "rails" => "rails",
        _ if program.contains('/') => {
            let path = located(program);
            let mut all = if ends_in(&path, "py") {
                words(&["python"])
            } else {
                Vec::new()
            };
            all.extend(own(&path));
            return Some(all);
        }
        "sh" | "bash" | "dash" | "zsh" | "ksh" | "source" | "." => {
            let at = args.iter().position(|arg| !arg.starts_with(['-', '+']))?;
            let checks = args
                .iter()
                .take(at)
                .any(|arg| !arg.starts_with("--") && arg.contains(['n', 'c']));
            let script = args.get(at).filter(|path| !checks && is_script(path))?;
            let mut all = words(&[&located(script)]);
            all.extend(args.iter().skip(at + 1).cloned());
            return Some(all);
        }
        other => other,
    };
    let mut all = own(name);
    match name {
        "docker-compose" => {
            all.splice(..1, words(&["docker", "compose"]));
        }
        "docker" => {
            let verb = all.get(2).map(String::as_str);
            let known = match (all.get(1).map(String::as_str), verb) {
                (Some("container"), Some("ls" | "list")) => Some("ps"),
                (Some("image"), Some("rm")) => Some("rmi"),
                (Some("image"), Some("ls" | "list")) => Some("images"),
                (Some("container" | "image" | "buildx" | "builder"), Some(verb)) => Some(verb),
                _ => None,
            };
            if let Some(verb) = known.map(str::to_owned) {
                all.splice(1..3, [verb]);
            }
        }
        "cargo" => {
            if all.get(1).is_some_and(|word| word.starts_with('+')) {
                all.remove(1);
            }
            rename_first(&mut all, &[], |word| match word {
                "b" => "build",
                "c" => "check",
                "t" => "test",
                "r" => "run",
                "d" => "doc",
                "rm" => "remove",
                other => other,
            });
        }
        "python" => {
            if let Some(at) = all.iter().position(|arg| arg == "-m") {
                all.drain(..=at);
            }
        }
        "uv" if all.get(1).is_some_and(|word| word == "pip") => {
            all.remove(0);
        }
        "helm" => rename_first(&mut all, &[], |word| match word {
            "del" | "delete" | "un" => "uninstall",
            other => other,
        }),
        "git" => rename_first(&mut all, &["-C", "-c"], |word| match word {
            "stage" => "add",
            "annotate" => "blame",
            other => other,
        }),
        "npm" | "pnpm" | "yarn" | "bun" => rename_first(&mut all, MANAGER_OPTIONS, manager_word),
        _ => {}
    }
    Some(all)
}

/// Renames the subcommand: the first word that is neither an option nor the value of one.
fn rename_first(all: &mut [String], valued: &[&str], name: impl Fn(&str) -> &str) {
    let at = subcommand(all.get(1..).unwrap_or_default(), valued) + 1;
    if let Some(word) = all.get_mut(at) {
        let other = name(word);
        if other != word {
            *word = other.to_owned();
        }
    }
}

fn subcommand(args: &[String], valued: &[&str]) -> usize {
    let mut at = 0;
    while let Some(arg) = args.get(at).filter(|arg| arg.starts_with('-')) {
        at += if valued.contains(&arg.as_str()) { 2 } else { 1 };
    }
    at
}

fn manager_word(word: &str) -> &str {
    match word {
        "run-script" | "rum" | "urn" => "run",
        "i" | "in" | "ins" | "inst" | "insta" | "instal" | "isnt" | "isnta" | "isntal"
        | "isntall" | "add" => "install",
        "clean-install" | "ic" | "install-clean" | "isntall-clean" => "ci",
        "un" | "unlink" | "remove" | "rm" | "r" => "uninstall",
        "up" | "upgrade" | "udpate" => "update",
        "t" | "tst" => "test",
        "x" | "dlx" => "exec",
        other => other,
    }
}

/// What a package manager runs, when that is a script of the package.
fn manager(program: &str, args: &[String], found: &mut Vec<Vec<String>>) {
    let rest = args
        .get(subcommand(args, MANAGER_OPTIONS)..)
        .unwrap_or_default();
    let Some((sub, more)) = rest.split_first() else {
        return;
    };
    let script = match sub.as_str() {
        "run" | "exec" => {
            let at = subcommand(more, MANAGER_OPTIONS);
            let Some(script) = more.get(at) else { return };
            script
        }
        "workspace" if program == "yarn" => {
            return manager(program, more.get(1..).unwrap_or_default(), found);
        }
        "workspaces" => {
            let Some(at) = more.iter().position(|arg| arg == "run") else {
                return;
            };
            return manager(program, more.get(at..).unwrap_or_default(), found);
        }
        "test" | "start" | "stop" | "restart" if program != "bun" => sub,
        "build" | "test" if program == "bun" => return,
        other if program == "npm" || MANAGER_COMMANDS.contains(&other) || other.contains('.') => {
            return;
        }
        _ => sub,
    };
    let mut all = words(&[SCRIPT, script]);
    let at = args.iter().position(|arg| arg == script).unwrap_or(0);
    all.extend(args.iter().skip(at + 1).cloned());
    found.push(all);
}
