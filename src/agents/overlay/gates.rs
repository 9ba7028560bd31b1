//! How an agent of a role finishes: the project's gates, and the mail that says so.

use super::input::OverlayInput;
use crate::config::QualityGate;

/// Roles that change nothing finish with a report instead of gates.
pub(super) fn gates_section(input: &OverlayInput<'_>, parent: &str) -> String {
    if matches!(input.capability, "scout" | "reviewer") {
        return format!(
            "## Completion\n\nYou are done when the answer is sent. Mail it to `{parent}`, then send `worker_done`, then stop."
        );
    }
    format!(
        "## Quality Gates\n\n{}",
        gate_steps(input.quality_gates, input.capability)
    )
}

/// The mail by which an agent of a role says that it is finished.
pub(super) fn completion_mail(capability: &str) -> String {
    match capability {
        "merger" => "`merged` exactly once, when you are finished, or `merge_failed` when a person has to decide",
        "lead" => "`merge_ready` for each branch, then `worker_done` exactly once, when you are finished",
        _ => "`worker_done` exactly once, when you are finished",
    }
    .to_owned()
}

pub(super) fn gate_steps(gates: &[QualityGate], capability: &str) -> String {
    if gates.is_empty() {
        return "This project names no gates. Run what its own documentation says, and write in the hand-over what you ran.".into();
    }
    let mut steps =
        String::from("Before you hand over, each of these must succeed in your worktree:\n\n");
    for (index, gate) in gates.iter().enumerate() {
        let line = format!(
            "{}. **{}:** `{}` ({})\n",
            index + 1,
            gate.name,
            gate.command,
            gate.description
        );
        steps.push_str(&line);
    }
    let mail = if capability == "merger" {
        "merged"
    } else {
        "worker_done"
    };
    steps.push_str(&format!(
        "\nThen commit, check that `git status --short` is empty, and send `{mail}`."
    ));
    steps
}

pub(super) fn gate_inline(gates: &[QualityGate]) -> String {
    if gates.is_empty() {
        return "the project names none".into();
    }
    gates
        .iter()
        .map(|gate| format!("`{}`", gate.command))
        .collect::<Vec<_>>()
        .join(", ")
}

pub(super) fn gate_bash(gates: &[QualityGate]) -> String {
    let lines: String = gates
        .iter()
        .map(|gate| format!("{}  # {}\n", gate.command, gate.description))
        .collect();
    if lines.is_empty() {
        String::new()
    } else {
        format!("```bash\n{lines}```")
    }
}

pub(super) fn gate_capabilities(gates: &[QualityGate]) -> String {
    gates
        .iter()
        .map(|gate| format!("- `{}`: {}", gate.command, gate.name.to_lowercase()))
        .collect::<Vec<_>>()
        .join("\n")
}
