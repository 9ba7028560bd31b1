//! Checkers: linters, formatters in check mode, type checkers. They only read unless told to fix.
//!
//! With a fixing option they are writers like any other, judged by their arguments.

use super::checkers_of_tools;
use super::generic::outside_arguments;
use crate::commands::{Call, read_only};
use crate::policy::Judged;
use crate::shell::state::State;
use crate::shell::text;
use crate::shell::walk::Walker;

/// What decides whether a checker only reads.
pub(super) enum Mode {
    /// Reads unless one of these is given (a trailing `*` matches any ending).
    Unless(&'static [&'static str]),
    /// Reads only when one of these is given.
    OnlyWith(&'static [&'static str]),
}

fn mode(name: &str, args: &[String]) -> Option<Mode> {
    let first = args
        .iter()
        .find(|arg| !arg.starts_with('-'))
        .map_or("", String::as_str);
    Some(match name {
        "eslint"
        | "oxlint"
        | "xo"
        | "standard"
        | "stylelint"
        | "markdownlint"
        | "markdownlint-cli2"
        | "textlint"
        | "semistandard"
        | "ember-template-lint"
        | "tslint"
        | "eslint_d"
        | "sqlfluff-lint" => Mode::Unless(&[
            "--fix*",
            "-o",
            "--output-file*",
            "--init",
            "-f=",
            "--cache*",
            "--stop-building",
        ]),
        "flake8" | "pyflakes" | "pylint" | "pyright" | "basedpyright" | "pydocstyle"
        | "pycodestyle" | "bandit" | "vulture" | "radon" | "shellcheck" | "hadolint"
        | "yamllint" | "actionlint" | "cspell" | "staticcheck" | "errcheck" | "govulncheck"
        | "ansible-lint" | "luacheck" | "cppcheck" | "cpplint" | "vale" | "lychee" | "phpstan"
        | "psalm" | "phpcs" | "detekt" | "checkstyle" | "ajv" | "jsonlint" | "tflint"
        | "semgrep" | "gitleaks" | "trivy" | "knip" | "depcheck" | "madge" | "jscpd"
        | "svelte-check" | "revive" | "commitlint" | "alex" | "write-good" | "proselint"
        | "licensee" | "publint" | "attw" | "size-limit" | "html-validate" | "htmlhint"
        | "pip-audit" | "safety" | "deptry" | "import-linter" | "lint-imports" | "doc8"
        | "rstcheck" | "mdl" | "checkbashisms" | "interrogate" | "ineffassign" | "gocyclo"
        | "mypy" | "dmypy" | "pytype" | "pyre" => Mode::Unless(&[
            "-o",
            "--output*",
            "--fix*",
            "--report*",
            "--out*",
            "--json-output*",
            "--sarif-output*",
            "--log-file*",
            "--autofix*",
            "--baseline-path*",
            "-w",
            "--write*",
            "--install-types",
            "--junit-xml*",
            "--html-report*",
            "--outputdir*",
            "--createstub*",
            "--writebaseline",
            "--alter",
            "--generate*",
            "-a",
            "--apply",
            "--color-output-file",
        ]),
        "ruff" => match first {
            "check" | "" | "linter" | "rule" | "config" | "version" | "analyze" => Mode::Unless(&[
                "--fix*",
                "--unsafe-fixes",
                "--add-noqa",
                "-o",
                "--output-file*",
                "--watch",
            ]),
            "format" => Mode::OnlyWith(&["--check", "--diff"]),
            _ => return None,
        },
        "black" | "isort" | "docformatter" | "pyupgrade" | "autoflake" | "add-trailing-comma"
        | "usort" | "ufmt" | "blue" | "djlint" => {
            Mode::OnlyWith(&["--check", "--diff", "-c", "--check-only", "--lint"])
        }
        "autopep8" | "yapf" => Mode::Unless(&["-i", "--in-place", "--inplace"]),
        "prettier" | "pretty-quick" | "prettierd" => {
            Mode::Unless(&["--write", "-w", "-c=", "--cache*"])
        }
        "rustfmt" => Mode::OnlyWith(&["--check"]),
        "gofmt" | "goimports" | "gofumpt" | "gci" | "golines" => {
            Mode::Unless(&["-w", "-w=*", "--write*", "-cpuprofile*"])
        }
        "shfmt" | "typos" | "codespell" | "misspell" => {
            Mode::Unless(&["-w", "--write*", "--write-changes", "-i=", "--init"])
        }
        "golangci-lint" if matches!(first, "run" | "linters" | "version" | "config" | "help") => {
            Mode::Unless(&["--fix*", "--out*", "--output*"])
        }
        "biome" | "rome"
            if matches!(
                first,
                "check" | "lint" | "ci" | "format" | "version" | "explain"
            ) =>
        {
            Mode::Unless(&["--write*", "--apply*", "--fix*", "--unsafe"])
        }
        "tsc" | "vue-tsc" | "tsgo" => Mode::OnlyWith(&[
            "--noEmit",
            "--version",
            "-v",
            "--showConfig",
            "--listFilesOnly",
            "--help",
        ]),
        "clang-format" => Mode::Unless(&["-i", "--i", "-i=*", "--inplace"]),
        "clang-tidy" => Mode::Unless(&["--fix*", "-fix*", "--export-fixes*", "-export-fixes*"]),
        "rubocop" | "standardrb" | "erb_lint" | "erblint" | "haml-lint" | "slim-lint" | "reek"
        | "brakeman" => Mode::Unless(&[
            "-a",
            "-A",
            "--auto-correct*",
            "--autocorrect*",
            "--fix*",
            "--auto-gen-config",
            "-o",
            "--out*",
            "-x",
            "--regenerate-todo",
            "--init",
        ]),
        "swiftlint" | "ktlint" | "swiftformat" | "swift-format" | "scalafmt"
        | "google-java-format" | "fourmolu" | "ormolu" | "stylua" | "nixfmt" | "alejandra"
        | "taplo" | "dprint" | "buf" | "sqlfluff" | "php-cs-fixer" | "elm-format" | "mdformat"
        | "cmake-format" | "yamlfmt" | "toml-sort" | "terraform-fmt" | "leptosfmt" | "treefmt"
        | "hclfmt" | "deadnix" | "statix" | "pint" | "zprint" | "cljfmt" | "jsonnetfmt" | "nph"
        | "ocamlformat" | "erlfmt" | "csharpier" => {
            let lints = matches!(
                first,
                "lint" | "check" | "analyze" | "rules" | "version" | "breaking"
            ) || matches!(name, "swiftlint" | "ktlint" | "deadnix")
                && !matches!(first, "autocorrect" | "fix" | "generate-docs");
            if lints {
                Mode::Unless(&[
                    "--fix*",
                    "--autocorrect",
                    "-F",
                    "--format",
                    "-e",
                    "-w",
                    "--write*",
                    "--edit",
                    "-i",
                    "--in-place",
                    "--output*",
                    "-o",
                ])
            } else {
                Mode::OnlyWith(&[
                    "--check",
                    "--dry-run",
                    "--lint",
                    "--diff",
                    "-n",
                    "-d",
                    "--test",
                    "--check-only",
                    "check",
                ])
            }
        }
        "terraform" | "tofu" => match first {
            "fmt" => Mode::OnlyWith(&["-check", "--check", "-check=true", "-diff"]),
            "validate" | "version" | "show" | "output" | "providers" | "graph" => {
                Mode::Unless(&["-out*"])
            }
            _ => return None,
        },
        "pre-commit" if matches!(first, "--version" | "help") => Mode::Unless(&[]),
        "helm"
            if matches!(
                first,
                "lint" | "template" | "show" | "list" | "search" | "version" | "get" | "status"
            ) =>
        {
            Mode::Unless(&["--output-dir*"])
        }
        "kubectl"
            if matches!(
                first,
                "get"
                    | "describe"
                    | "logs"
                    | "version"
                    | "explain"
                    | "top"
                    | "api-resources"
                    | "cluster-info"
            ) =>
        {
            Mode::Unless(&[])
        }
        _ => return checkers_of_tools::mode(name, args),
    })
}

pub(super) fn judge(w: &mut Walker<'_>, name: &str, call: &Call, st: &State) -> Option<Judged<()>> {
    let args = call.args();
    let mode = mode(name, args)?;
    let given = |list: &[&str]| {
        args.iter().any(|arg| {
            list.iter().any(|flag| match flag.strip_suffix('*') {
                Some(start) => arg.starts_with(start),
                None => arg == flag,
            })
        })
    };
    let reads = match mode {
        Mode::Unless(list) => {
            !given(list)
                && !args
                    .iter()
                    .any(|arg| text::is_any(arg) && !arg.contains('/'))
        }
        Mode::OnlyWith(list) => given(list),
    };
    if reads {
        if let Err(refusal) = super::outputs::judge(w, name, args, st) {
            return Some(Err(refusal));
        }
        for arg in args {
            if let Err(refusal) = w.read_path(arg, st) {
                return Some(Err(refusal));
            }
        }
        return Some(Ok(()));
    }
    if !w.role.writes() {
        return Some(Err(read_only(&format!(
            "runs {name} in a mode that changes files"
        ))));
    }
    // Builders and package managers have more rules of their own.
    if super::build::is_builder(name) {
        return None;
    }
    Some(
        w.need_inside(st, name)
            .and_then(|()| outside_arguments(w, name, args, st)),
    )
}
