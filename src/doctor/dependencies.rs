//! Programs that grove starts (git, an agent CLI), and those that the program it follows needs and
//! grove does not: their names are kept, and their absence is no fault.

use super::{Check, Patient};
use crate::process::find_program;
use crate::tracker::Tracker;

/// Agent CLIs by runtime and program name.
const CLIS: [(&str, &str); 11] = [
    ("claude", "claude"),
    ("codex", "codex"),
    ("gemini", "gemini"),
    ("opencode", "opencode"),
    ("copilot", "copilot"),
    ("cursor", "agent"),
    ("sapling", "sp"),
    ("pi", "pi"),
    ("goose", "goose"),
    ("aider", "aider"),
    ("amp", "amp"),
];

/// A program that grove does without.
struct Unneeded {
    name: &'static str,
    alias: Option<&'static str>,
    instead: &'static str,
}

const UNNEEDED: [Unneeded; 5] = [
    Unneeded {
        name: "bun",
        alias: None,
        instead: "grove is one binary",
    },
    Unneeded {
        name: "tmux",
        alias: None,
        instead: "every agent has a host process of its own",
    },
    Unneeded {
        name: "mulch",
        alias: Some("ml"),
        instead: "expertise is kept in plain files",
    },
    Unneeded {
        name: "ov",
        alias: Some("overstory"),
        instead: "grove stands in for it",
    },
    Unneeded {
        name: "cn",
        alias: None,
        instead: "profiles are plain files",
    },
];

pub(super) fn check(patient: &Patient) -> Vec<Check> {
    let mut checks = vec![match find(patient, "git") {
        Some(found) => Check::pass("git availability", "git is available").details(vec![found]),
        None => Check::fail(
            "git availability",
            "git is not on PATH; install it, agents work in git worktrees",
        ),
    }];
    for program in &UNNEEDED {
        checks.extend(unneeded(patient, program));
        if program.name == "tmux" {
            checks.push(tracker(patient));
        }
    }
    checks.extend(agent_clis(patient));
    checks
}

fn find(patient: &Patient, program: &str) -> Option<String> {
    find_program(program, patient.search_path.as_deref()).map(|path| path.display().to_string())
}

fn unneeded(patient: &Patient, program: &Unneeded) -> Vec<Check> {
    let name = format!("{} availability", program.name);
    let Some(found) = find(patient, program.name) else {
        let message = format!("{} is not needed: {}", program.name, program.instead);
        return vec![Check::pass(name, message)];
    };
    let available = format!("{} is available", program.name);
    let mut checks = vec![Check::pass(name, available).details(vec![found])];
    if let Some((alias, path)) = program
        .alias
        .and_then(|alias| Some((alias, find(patient, alias)?)))
    {
        let message = format!("{alias} alias for {} is available", program.name);
        checks.push(Check::pass(format!("{alias} alias"), message).details(vec![path]));
    }
    checks
}

/// Issues in the seeds format are read directly; those of beads only through its own program.
fn tracker(patient: &Patient) -> Check {
    let program = match &patient.config {
        Ok(config) => Tracker::of(&patient.paths.root, &config.task_tracker).program(),
        Err(_) => "sd",
    };
    let name = format!("{program} availability");
    match (find(patient, program), program) {
        (Some(found), _) => {
            Check::pass(name, format!("{program} is available")).details(vec![found])
        }
        (None, "bd") => Check::warn(
            name,
            "bd is not on PATH, so the issues of this project's tracker (beads) cannot be read",
        ),
        (None, _) => Check::pass(
            name,
            format!("{program} is not needed: issues are kept in plain files"),
        ),
    }
}

fn agent_clis(patient: &Patient) -> Vec<Check> {
    let found: Vec<String> = CLIS
        .iter()
        .filter_map(|(runtime, program)| Some(format!("{runtime}: {}", find(patient, program)?)))
        .collect();
    if found.is_empty() {
        return vec![Check::warn(
            "agent CLI availability",
            "no agent CLI is on PATH; install one, e.g. claude (npm install -g @anthropic-ai/claude-code)",
        )];
    }
    let message = format!("{} agent CLI(s) available", found.len());
    let mut checks = vec![Check::pass("agent CLI availability", message).details(found)];
    if let Ok(config) = &patient.config
        && let Some((runtime, program)) = CLIS
            .iter()
            .find(|(runtime, _)| *runtime == config.runtime.default)
    {
        let name = format!("{program} availability");
        checks.push(if find(patient, program).is_some() {
            Check::pass(name, format!("the default runtime {runtime} is available"))
        } else {
            Check::warn(
                name,
                format!("the default runtime {runtime} needs {program} on PATH; install it or set runtime.default"),
            )
        });
    }
    checks
}
