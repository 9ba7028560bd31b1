//! The configured quality gates, which read-only roles may run as they are.

use super::commands::Call;
use super::patterns::program;
use super::policy::{Judged, Refusal, rule};
use super::shell::state::State;
use super::shell::text;
use super::shell::walk::Walker;

/// How every refusal of a role that only reads ends.
pub(super) const REPORT: &str = "; report it by mail or in a spec instead";

/// Programs that run the checks of a project, and the words by which they do.
fn is_check(call: &Call) -> bool {
    let runs = |word: &String| {
        ["test", "check", "lint", "clippy", "fmt", "build", "nextest"]
            .iter()
            .any(|check| word.contains(check))
    };
    let program = call.argv.first().map_or("", String::as_str);
    match program {
        "cargo" | "npm" | "pnpm" | "yarn" | "bun" | "make" | "just" | "task" | "go" | "gradle"
        | "mvn" | "dotnet" | "mix" | "rake" | "deno" | "zig" | "bazel" => {
            call.args().iter().any(runs)
        }
        "pytest" | "tox" | "nox" | "jest" | "vitest" | "mocha" | "ctest" | "rspec" | "phpunit" => {
            true
        }
        _ => false,
    }
}

impl Walker<'_> {
    /// The refusal of a check where the project names none: with the setting by which it would run.
    pub(super) fn without_gates(&self, refusal: Refusal, call: &Call) -> Refusal {
        let ungated = refusal.rule == rule::READ_ONLY && self.policy.quality_gates.is_empty();
        match refusal.reason.strip_suffix(REPORT) {
            Some(reason) if ungated && is_check(call) => Refusal::new(
                refusal.rule,
                format!(
                    "{reason}; it could if project.qualityGates in .overstory/config.yaml named it, report by mail until then"
                ),
            ),
            Some(_) | None => refusal,
        }
    }

    /// Whether a command is one of the configured quality gates, run without a flag that changes files.
    /// `named`: its words as the project names them.
    pub(super) fn is_gate(&mut self, call: &Call, named: &[String], st: &State) -> Judged<bool> {
        let gate = self
            .policy
            .quality_gates
            .iter()
            .flat_map(|gate| gate.split("&&").flat_map(|part| part.split(';')))
            .any(|gate| {
                let words: Vec<&str> = gate.split_whitespace().collect();
                let program = words.first().map_or_else(String::new, |word| program(word));
                // The options of the program itself stand before its subcommand.
                let own = named
                    .iter()
                    .skip(1)
                    .take_while(|arg| is_quiet(&program, arg));
                let begins = |skipped: usize| {
                    let words = words.iter().skip(1);
                    let mut given = named.iter().skip(1 + skipped);
                    words
                        .into_iter()
                        .all(|word| given.next().is_some_and(|arg| arg == word))
                };
                !words.is_empty()
                    && named.first() == Some(&program)
                    && (begins(0) || words.len() > 1 && begins(own.count()))
            });
        if !gate {
            return Ok(false);
        }
        let changes = |arg: &String| {
            let flag = arg.split('=').next().unwrap_or(arg);
            matches!(
                flag,
                "--fix"
                    | "--write"
                    | "-w"
                    | "--bless"
                    | "--in-place"
                    | "--update"
                    | "-u"
                    | "--updateSnapshot"
                    | "--snapshot-update"
                    | "--accept"
                    | "--allow-dirty"
                    | "--emit"
                    | "--force"
                    | "--target-dir"
                    | "--config"
                    | "--out-dir"
                    | "--output"
                    | "-o"
                    | "--manifest-path"
                    | "--artifact-dir"
            ) || text::is_any(arg)
        };
        let (own, handed) = match call.argv.iter().position(|arg| arg == "--") {
            Some(at) => call.argv.split_at(at),
            None => (call.argv.as_slice(), [].as_slice()),
        };
        let compiler = own.iter().any(|arg| COMPILES.contains(&arg.as_str()));
        let changing = own.iter().any(changes)
            || handed
                .iter()
                .any(|arg| rewrites(arg) || compiler && compiles_to(arg));
        let exported = st.vars.iter().filter(|(_, var)| var.exported);
        let exported = exported.map(|(name, var)| (name.as_str(), var.value()));
        let given = call.env.iter();
        let given = given.map(|(name, value)| (name.as_str(), value.clone()));
        let env = given
            .chain(exported)
            .any(|(name, value)| is_rewriting(name, &value));
        if changing || env {
            return Err(Refusal::new(
                rule::READ_ONLY,
                "the quality gate would change files; run it without that option",
            ));
        }
        Ok(true)
    }
}

/// Whether an option of a program only says how much it prints and what it may fetch.
fn is_quiet(program: &str, arg: &str) -> bool {
    match program {
        "cargo" => {
            matches!(
                arg,
                "-q" | "--quiet"
                    | "-v"
                    | "-vv"
                    | "--verbose"
                    | "--locked"
                    | "--offline"
                    | "--frozen"
            ) || arg.starts_with("--color=")
        }
        "npm" | "pnpm" | "yarn" => matches!(arg, "-s" | "--silent"),
        "make" => matches!(arg, "-s" | "--silent" | "--quiet" | "--no-print-directory"),
        _ => false,
    }
}

/// Whether an option that a gate hands on to the tests makes them write what they compare with, or a report.
fn rewrites(arg: &str) -> bool {
    let flag = arg.split('=').next().unwrap_or(arg);
    let Some(name) = flag.strip_prefix("--") else {
        return flag == "-u";
    };
    let name = name.to_lowercase();
    name.starts_with("update")
        || name.ends_with("-update")
        || matches!(
            name.as_str(),
            "bless" | "accept" | "overwrite" | "fix" | "write" | "regenerate" | "logfile"
        )
}

/// Subcommands of cargo that hand options on to the compiler.
const COMPILES: &[&str] = &["clippy", "rustc", "rustdoc"];

/// Whether an option that is handed on to the compiler makes it write a file of that name, or start another program.
fn compiles_to(arg: &str) -> bool {
    const LONG: &[&str] = &["--emit", "--out-dir", "--output", "--codegen", "--sysroot"];
    let flag = arg.split('=').next().unwrap_or(arg);
    LONG.contains(&flag)
        || !arg.starts_with("--")
            && ["-o", "-C", "-Z", "@"]
                .iter()
                .any(|option| arg.starts_with(option))
}

/// Whether a variable makes tests write what they compare with, or builds go elsewhere.
fn is_rewriting(name: &str, value: &str) -> bool {
    if matches!(name, "CARGO_TARGET_DIR" | "RUSTC_WRAPPER" | "TRYBUILD") {
        return true;
    }
    let off = matches!(value, "" | "0" | "no" | "false" | "off" | "never");
    let parts = || name.split('_');
    let says = parts().any(|part| {
        matches!(
            part,
            "UPDATE" | "BLESS" | "REGENERATE" | "REGEN" | "OVERWRITE" | "REBASELINE"
        )
    });
    (says || value == "overwrite") && !off
}
