//! Programs that grove starts: git, and at least one agent CLI.

use super::{Check, Patient};
use crate::process::find_program;

/// Agent CLIs by runtime and program name.
const CLIS: [(&str, &str); 8] = [
    ("claude", "claude"),
    ("codex", "codex"),
    ("gemini", "gemini"),
    ("opencode", "opencode"),
    ("copilot", "copilot"),
    ("cursor", "agent"),
    ("sapling", "sp"),
    ("pi", "pi"),
];

pub(super) fn check(patient: &Patient) -> Vec<Check> {
    let path = patient.search_path.as_deref();
    let mut checks = vec![match find_program("git", path) {
        Some(found) => Check::pass("git availability", "git is available")
            .details(vec![found.display().to_string()]),
        None => Check::fail(
            "git availability",
            "git is not on PATH; install it, agents work in git worktrees",
        ),
    }];
    let found: Vec<String> = CLIS
        .iter()
        .filter_map(|(runtime, program)| {
            find_program(program, path).map(|found| format!("{runtime}: {}", found.display()))
        })
        .collect();
    checks.push(if found.is_empty() {
        Check::warn(
            "agent CLI availability",
            "no agent CLI is on PATH; install one, e.g. claude, codex or gemini",
        )
    } else {
        Check::pass(
            "agent CLI availability",
            format!("{} agent CLI(s) available", found.len()),
        )
        .details(found)
    });
    if let Ok(config) = &patient.config
        && let Some((runtime, program)) = CLIS
            .iter()
            .find(|(runtime, _)| *runtime == config.runtime.default)
    {
        checks.push(if find_program(program, path).is_some() {
            Check::pass(format!("{program} availability"), format!("the default runtime {runtime} is available"))
        } else {
            Check::warn(
                format!("{program} availability"),
                format!("the default runtime {runtime} needs {program} on PATH; install it or set runtime.default"),
            )
        });
    }
    checks
}
