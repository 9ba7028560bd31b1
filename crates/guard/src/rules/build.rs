//! Build tools and package managers: ordinary work inside the worktree.
//!
//! Refused when they act on another folder, install for the whole machine, or take settings that run programs.

use super::questions::asks;
use std::sync::LazyLock;

use super::flags::parse;
use super::generic::outside_arguments;
use crate::commands::{Call, read_only};
use crate::policy::{Judged, Refusal, rule};
use crate::quick::Names;
use crate::shell::state::State;
use crate::shell::text::brief;
use crate::shell::walk::Walker;

static BUILDERS: LazyLock<Names> =
    LazyLock::new(|| super::builder_names::BUILDERS.iter().copied().collect());

pub(super) fn is_builder(name: &str) -> bool {
    BUILDERS.contains(name)
}

pub(super) fn judge(w: &mut Walker<'_>, name: &str, call: &Call, st: &State) -> Option<Judged<()>> {
    is_builder(name).then(|| build(w, name, call, st))
}

fn build(w: &mut Walker<'_>, name: &str, call: &Call, st: &State) -> Judged<()> {
    let args = call.args();
    if only_shows(name, args) || asks(name, args) || super::reports::only_prints(name, args) {
        return Ok(());
    }
    if !w.role.writes() {
        return Err(read_only(&format!(
            "runs {}, which may change files",
            brief(name)
        )));
    }
    for place in super::outputs::installed_to(call) {
        w.write_path(&place, st)?;
    }
    if name == "cmake"
        && let Some(judged) = super::cmake::judge(w, call, st)
    {
        return judged;
    }
    let first = args
        .iter()
        .find(|arg| !arg.starts_with(['-', '+']))
        .map_or("", String::as_str);
    let has = |names: &[&str]| {
        args.iter()
            .take_while(|arg| *arg != "--")
            .any(|arg| names.contains(&arg.as_str()))
    };
    let machine = |instead: &str| {
        Refusal::new(
            rule::OUTSIDE,
            format!(
                "{} changes what all projects on this machine share; {instead}",
                brief(&format!("{name} {first}"))
            ),
        )
    };
    match name {
        "npm" | "pnpm" | "yarn" | "bun" => {
            let global = has(&["-g", "--global", "--location=global"])
                || name == "yarn" && first == "global";
            if global && !matches!(first, "ls" | "list" | "root" | "bin") {
                return Err(machine("add it to the project instead"));
            }
            if matches!(first, "config" | "set" | "c") && has(&["set", "delete", "edit", "unset"])
                || first == "set"
            {
                let Some(file) = super::user_settings::file_of_project(name, args) else {
                    return Err(machine("use a project .npmrc by file"));
                };
                w.write_path(file, st)?;
            }
            for arg in args.iter().filter(|_| first == "pkg") {
                if let Some((key, script)) = arg.split_once('=')
                    && key.starts_with("scripts.")
                {
                    w.script(script, &mut st.for_program())?;
                }
            }
            if first == "set-script"
                && let Some(script) = args.last()
            {
                w.script(script, &mut st.for_program())?;
            }
            if let (true, Some(at)) = (first == "explore", args.iter().position(|arg| arg == "--"))
            {
                w.separate(call, args.get(at + 1..).unwrap_or_default().to_vec(), st)?;
            }
            if first == "link" {
                return Err(machine("use a path dependency"));
            }
            if let Some(at) = args.iter().position(|arg| {
                arg == "--prefix" || arg == "--cwd" || arg == "--dir" || arg == "-C"
            }) && let Some(target) = args.get(at + 1)
            {
                w.write_path(target, st)?;
            }
        }
        "cargo" => {
            if matches!(first, "install" | "binstall")
                && !has(&["--root"])
                && !args.iter().any(|arg| arg.starts_with("--root="))
                && !has(&["--list"])
                || first == "uninstall"
            {
                return Err(machine("install with --root inside the worktree"));
            }
            if first == "install" {
                for root in parse(args, "", &["root"]).values(&["root"]) {
                    w.write_path(root, st)?;
                }
            }
            for (at, arg) in args.iter().enumerate() {
                let value = if arg == "--config" {
                    args.get(at + 1).cloned()
                } else {
                    arg.strip_prefix("--config=").map(str::to_owned)
                };
                if value.is_some_and(|value| {
                    [
                        "wrapper",
                        "runner",
                        "linker",
                        "alias",
                        "rustc",
                        "rustdoc",
                        "credential",
                        "registry",
                        "registries",
                        "source",
                        "include",
                        "env",
                    ]
                    .iter()
                    .any(|word| value.contains(word))
                        || !w.role.writes()
                }) {
                    return Err(Refusal::new(
                        rule::UNPROVEN,
                        "this cargo setting could run a program; use plain options",
                    ));
                }
            }
        }
        "rustup"
            if !matches!(first, "run" | "show" | "which" | "doc")
                && args
                    .iter()
                    .filter(|arg| !arg.starts_with('-'))
                    .nth(1)
                    .is_none_or(|sub| sub != "list") =>
        {
            return Err(machine("work with the installed toolchain"));
        }
        "pip" | "pip3" if has(&["--user", "--break-system-packages"]) => {
            return Err(machine("use a virtual environment inside"));
        }
        "uv" if has(&["--system", "--break-system-packages"]) => {
            return Err(machine("use the project's environment"));
        }
        "pip" | "pip3" | "uv" if first == "config" && !has(&["list", "get", "debug"]) => {
            return Err(machine("leave the settings"));
        }
        "pipx" if matches!(first, "install" | "uninstall" | "upgrade" | "inject") => {
            return Err(machine("use a virtual environment inside"));
        }
        "uv" if first == "tool" && has(&["install", "uninstall", "upgrade"]) => {
            return Err(machine("use uv run or a virtual environment inside"));
        }
        "gem"
            if matches!(first, "install" | "uninstall" | "update")
                && !has(&["-i", "--install-dir"])
                && !is_set("GEM_HOME", call, st) =>
        {
            return Err(machine(
                "use bundle install, or set GEM_HOME to a folder inside",
            ));
        }
        "go" if first == "install"
            && !has(&["-n"])
            && !is_set("GOBIN", call, st)
            && !is_set("GOPATH", call, st) =>
        {
            return Err(machine(
                "use GOBIN=$PWD/bin go install, go build -o bin/, go run, or a tool directive in go.mod",
            ));
        }
        "corepack" if first == "enable" && !has(&["--install-directory"]) => {
            return Err(machine("call corepack pnpm or corepack yarn"));
        }
        "meson"
            if first == "install"
                && !args.iter().any(|arg| arg.starts_with("--destdir"))
                && call.variable("DESTDIR").is_none() =>
        {
            return Err(machine("give --destdir inside"));
        }
        "go" if matches!(first, "test" | "build" | "run" | "vet" | "install" | "list") => {
            for (at, arg) in args.iter().enumerate() {
                let flag = arg.trim_start_matches('-');
                let (flag, value) = flag
                    .split_once('=')
                    .map_or((flag, args.get(at + 1).cloned()), |(flag, value)| {
                        (flag, Some(value.to_owned()))
                    });
                if arg.starts_with('-')
                    && matches!(flag, "exec" | "toolexec" | "vettool")
                    && let Some(code) = value
                {
                    w.script(&code, &mut st.for_program())?;
                }
            }
        }
        "go" if first == "env" && has(&["-w", "-u"]) => {
            return Err(machine("set the variable for one command"));
        }
        "go" if first == "clean" && has(&["-modcache", "-cache", "-fuzzcache"]) => {
            return Err(machine("leave the shared cache"));
        }
        "dotnet" if first == "tool" && has(&["-g", "--global"]) => {
            return Err(machine("use a local tool manifest"));
        }
        "mix" if matches!(first, "archive.install" | "escript.install") => {
            return Err(machine("add it to the project's dependencies"));
        }
        "composer" if first == "global" => return Err(machine("require it in the project")),
        "conda" | "mamba"
            if matches!(
                first,
                "install" | "remove" | "update" | "uninstall" | "config"
            ) && !has(&[
                "-p",
                "--prefix",
                "--show",
                "--show-sources",
                "--get",
                "--validate",
            ]) =>
        {
            return Err(machine("use an environment inside the worktree"));
        }
        "pre-commit" if matches!(first, "install" | "uninstall" | "init-templatedir") => {
            return Err(Refusal::new(
                rule::PROTECTED,
                "git hooks are shared by all worktrees; run pre-commit run instead",
            ));
        }
        "make" | "gmake" | "just" | "ninja" | "cmake"
            if first == "install" || has(&["install", "uninstall", "--install"]) =>
        {
            let placed = args.iter().any(|arg| {
                ["DESTDIR=", "PREFIX=", "prefix=", "--prefix="]
                    .iter()
                    .any(|key| arg.starts_with(key))
            }) || has(&["--prefix"]);
            let project = name == "make" || name == "just" || name == "gmake";
            if !placed && !project {
                return Err(machine("give a prefix inside"));
            }
        }
        _ => {}
    }
    if name == "just"
        && args
            .iter()
            .any(|arg| arg.starts_with("--shell") || arg.starts_with("--set"))
    {
        return Err(Refusal::new(
            rule::UNPROVEN,
            "just would run text that is not in the project's justfile; write the commands out",
        ));
    }
    super::runners::recipes::judge(w, name, args, st)?;
    super::runners::others::judge(w, name, call, st)?;
    super::runners::make::judge(w, name, call, st)?;
    super::compiling::compilers::judge(w, name, call, st)?;
    super::compiling::compiled::judge(w, name, args, call.stdin.as_deref())?;
    enter_and_check(w, name, args, st)
}

/// Whether a variable says where to install; that the place is inside is judged where it is set.
fn is_set(name: &str, call: &Call, st: &State) -> bool {
    let own = || st.vars.get(name).map(crate::shell::state::Var::value);
    let value = call.variable(name).map(str::to_owned).or_else(own);
    value.is_some_and(|value| !value.is_empty())
}

/// Whether a task runner is only asked to print what it would do.
pub(super) fn only_shows(name: &str, args: &[String]) -> bool {
    let own = || args.iter().take_while(|arg| *arg != "--");
    let has = |names: &[&str]| own().any(|arg| names.contains(&arg.as_str()));
    match name {
        "make" | "gmake" => {
            let shows = has(&[
                "-n",
                "-q",
                "-qp",
                "-np",
                "-pn",
                "--dry-run",
                "--just-print",
                "--recon",
                "--question",
            ]);
            // A setting on the command line could be a program that is run all the same.
            shows
                && !own().any(|arg| {
                    arg.contains('=') || arg == "-f" || arg == "-E" || arg == "-C" || arg == "-I"
                })
        }
        "just" => {
            let shows = has(&[
                "-l",
                "--list",
                "--summary",
                "-n",
                "--dry-run",
                "--show",
                "-s",
                "--groups",
            ]);
            shows
                && !own().any(|arg| {
                    arg.starts_with("--set")
                        || arg.starts_with("--shell")
                        || arg == "-f"
                        || arg == "-d"
                })
        }
        "task" | "go-task" => has(&[
            "-l",
            "--list",
            "-a",
            "--list-all",
            "--summary",
            "--dry",
            "-n",
        ]),
        "ninja" => has(&["-n"]),
        _ => false,
    }
}

/// `-C dir` and its kin move the tool; everything it does happens there.
fn enter_and_check(w: &mut Walker<'_>, name: &str, args: &[String], st: &State) -> Judged<()> {
    let mut inner = st.clone();
    for (at, arg) in args.iter().enumerate() {
        if arg == "--" {
            break;
        }
        let moves = match name {
            "make" | "gmake" | "ninja" | "cargo" | "go" | "pnpm" | "meson" => {
                arg == "-C" || arg == "--directory"
            }
            _ => arg == "--directory" || arg == "--cwd",
        };
        let target = if moves {
            args.get(at + 1).map(String::as_str)
        } else {
            arg.strip_prefix("--directory=")
                .or_else(|| arg.strip_prefix("--cwd="))
                .or_else(|| {
                    arg.strip_prefix("-C").filter(|rest| {
                        rest.starts_with(['/', '.']) && matches!(name, "make" | "ninja" | "gmake")
                    })
                })
        };
        if let Some(target) = target {
            w.enter(target, &mut inner);
        }
    }
    w.need_inside(&inner, name)?;
    // These name targets of the project with two slashes, which are no paths.
    let labels = matches!(name, "bazel" | "bazelisk" | "buck2" | "please");
    let named: Vec<String> = args
        .iter()
        .map(|arg| (arg, arg.strip_prefix("--run_under=").unwrap_or(arg)))
        .filter(|(_, named)| !(labels && named.trim_start_matches('-').starts_with("//")))
        .map(|(arg, _)| arg)
        .cloned()
        .collect();
    outside_arguments(w, name, &named, st)
}
