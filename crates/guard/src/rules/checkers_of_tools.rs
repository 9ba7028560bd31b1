//! Package managers, compilers and test runners: the calls of theirs that only read, ask or check.

use super::checkers::Mode;

/// What decides whether this call only reads; `None` when no such call is known.
pub(super) fn mode(name: &str, args: &[String]) -> Option<Mode> {
    let first = args
        .iter()
        .find(|arg| !arg.starts_with('-'))
        .map_or("", String::as_str);
    Some(match name {
        "deno" => match first {
            "lint" | "check" | "info" | "doc" => Mode::Unless(&["--fix*"]),
            "fmt" => Mode::OnlyWith(&["--check"]),
            _ => return None,
        },
        "npm" | "pnpm" | "yarn" | "bun" => match first {
            "ls" | "list" | "ll" | "view" | "info" | "show" | "outdated" | "why" | "explain"
            | "search" | "root" | "prefix" | "bin" | "ping" | "whoami" | "fund" | "query"
            | "pm" | "licenses" | "help" | "--version" | "doctor" => Mode::Unless(&[]),
            "audit" => Mode::Unless(&["fix", "--fix"]),
            "pkg" if args.get(1).is_some_and(|arg| arg == "get") => Mode::Unless(&[]),
            // Without a name it lists the scripts.
            "run" | "run-script" if args.len() == 1 && matches!(name, "npm" | "pnpm" | "bun") => {
                Mode::Unless(&[])
            }
            "config" | "c" => Mode::OnlyWith(&["get", "list", "ls"]),
            _ => return None,
        },
        "pip" | "pip3" | "uv" | "poetry" | "pipenv" | "pdm" | "conda" => match (name, first) {
            (
                _,
                "list" | "show" | "freeze" | "check" | "search" | "index" | "help" | "debug"
                | "inspect" | "tree" | "graph" | "info" | "version",
            ) => Mode::Unless(&["--fix", "-o", "--output*"]),
            ("uv", "pip") => Mode::OnlyWith(&["list", "show", "freeze", "check", "tree"]),
            _ => return None,
        },
        // `--python` names the interpreter it starts.
        "pipdeptree" => Mode::Unless(&["--py*", "--graph*"]),
        "go" => match first {
            "vet" | "list" | "doc" | "env" | "version" | "help" => {
                Mode::Unless(&["-w", "-u", "-fix", "-vettool*", "-toolexec*", "-mod=mod"])
            }
            "mod" => Mode::OnlyWith(&["graph", "why", "verify"]),
            _ => return None,
        },
        "cargo" => match first_cargo(args) {
            "sort" => Mode::OnlyWith(&["--check", "-c"]),
            "fmt" => Mode::OnlyWith(&["--check"]),
            "check" | "clippy" | "c" | "tree" | "metadata" | "search" | "info" | "pkgid"
            | "locate-project" | "version" | "help" | "audit" | "deny" | "outdated" | "machete"
            | "udeps" | "geiger" | "bloat" | "read-manifest" | "verify-project" | "config"
            | "semver-checks" | "expand" | "" => Mode::Unless(&[
                "--fix",
                "fix",
                "--allow-dirty",
                "--config*",
                "--target-dir*",
                "init",
                "fetch",
                "--out*",
                "--emit*",
                "--codegen*",
                "--sysroot*",
                "-o*",
                "-C*",
                "-Z*",
                "@*",
            ]),
            _ => return None,
        },
        "rustup" if matches!(first, "show" | "which" | "doc" | "--version" | "check") => {
            Mode::Unless(&["--set"])
        }
        // `rustup target list` and its kin.
        "rustup" if second(args) == Some("list") => Mode::Unless(&[]),
        "rustc" | "javac" | "gcc" | "g++" | "clang" | "clang++" | "cc" | "c++" => {
            Mode::OnlyWith(&[
                "--version",
                "-V",
                "-vV",
                "--print*",
                "-fsyntax-only",
                "--explain",
                "-version",
                "-v",
            ])
        }
        "luac" | "luac5.1" | "luac5.2" | "luac5.3" | "luac5.4" => Mode::OnlyWith(&["-p", "-v"]),
        "java" => Mode::OnlyWith(&["-version", "--version"]),
        "zig" => Mode::OnlyWith(&["--check", "version", "ast-check"]),
        "mix" => match first {
            "format" => Mode::OnlyWith(&["--check-formatted"]),
            "credo" | "dialyzer" | "help" | "hex.outdated" | "hex.info" | "hex.search"
            | "hex.audit" => Mode::Unless(&[]),
            _ => return None,
        },
        "dart" | "flutter" => match first {
            "analyze" => Mode::Unless(&["--fix"]),
            "format" => Mode::OnlyWith(&["--output=none", "--set-exit-if-changed"]),
            _ => return None,
        },
        // Before the command stand options of programs that it runs.
        "dotnet" if args.first().is_some_and(|arg| asks_dotnet(arg, args)) => Mode::Unless(&[]),
        "dotnet" if first == "format" => Mode::OnlyWith(&["--verify-no-changes"]),
        "make" | "gmake" if super::build::only_shows(name, args) => return None,
        "make" | "gmake" => Mode::OnlyWith(&["--version"]),
        "php" => Mode::OnlyWith(&["-l", "--version", "-v", "-m", "-i"]),
        "jest" | "vitest" | "pytest" => Mode::OnlyWith(&[
            "--collect-only",
            "--listTests",
            "--version",
            "--help",
            "--co",
            "--fixtures",
            "--markers",
        ]),
        "bundle" if matches!(first, "list" | "show" | "info" | "outdated" | "check") => {
            Mode::Unless(&[])
        }
        "gem"
            if matches!(
                first,
                "list" | "info" | "search" | "which" | "env" | "outdated"
            ) =>
        {
            Mode::Unless(&[])
        }
        "composer"
            if matches!(
                first,
                "show"
                    | "validate"
                    | "outdated"
                    | "info"
                    | "licenses"
                    | "audit"
                    | "why"
                    | "depends"
            ) =>
        {
            Mode::Unless(&[])
        }
        _ => return None,
    })
}

/// Whether the .NET tool is asked what a project, a solution or the machine has.
fn asks_dotnet(sub: &str, args: &[String]) -> bool {
    let said = |word: &str| args.iter().skip(1).any(|arg| arg == word);
    match sub {
        "--info" | "--version" | "--list-sdks" | "--list-runtimes" | "--help" | "-h" | "help" => {
            args.len() == 1
        }
        "list" => said("package") || said("reference"),
        "package" => matches!(second(args), Some("list" | "search")),
        "reference" | "tool" | "workload" => second(args) == Some("list"),
        "sln" | "solution" => said("list") && !said("add") && !said("remove") && !said("migrate"),
        "nuget" => second(args) == Some("list"),
        _ => false,
    }
}

/// The cargo subcommand, behind `+toolchain` and options.
fn first_cargo(args: &[String]) -> &str {
    let mut skip = false;
    for arg in args {
        if std::mem::take(&mut skip) {
            continue;
        }
        if arg.starts_with(['-', '+']) {
            skip = matches!(
                arg.as_str(),
                "--color" | "--config" | "-Z" | "-C" | "--manifest-path" | "--target-dir"
            );
            continue;
        }
        return arg;
    }
    ""
}

/// The second word that is no option.
fn second(args: &[String]) -> Option<&str> {
    args.iter()
        .filter(|arg| !arg.starts_with(['-', '+']))
        .nth(1)
        .map(String::as_str)
}
