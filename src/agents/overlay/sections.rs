//! The sections about one agent's work: files, team, task, limits. Each is empty where it does not apply.

use super::fill::{demoted, one_line};
use super::input::OverlayInput;

pub(super) fn file_scope(files: &[String]) -> String {
    if files.is_empty() {
        return "No file scope restrictions. Change what the task needs and nothing else.".into();
    }
    let list: String = files
        .iter()
        .map(|file| format!("- `{}`\n", one_line(file)))
        .collect();
    format!(
        "These files are yours and nobody else's while you work; the others belong to someone else:\n\n{list}\nTests beside them count as yours."
    )
}

pub(super) fn domains(domains: &[String]) -> String {
    if domains.is_empty() {
        return "No expertise is recorded for this work.".into();
    }
    format!("Domains: {}", one_line(&domains.join(", ")))
}

pub(super) fn expertise(text: Option<&str>) -> String {
    match text.map(str::trim).filter(|text| !text.is_empty()) {
        Some(text) => format!(
            "### Pre-loaded Expertise\n\n{}\n\n\
             Record what the next one should know with `grove expertise record <domain> --type <type> ...`, and say with\n\
             `grove expertise outcome <domain> <id> --status failure` when something above is wrong.",
            demoted(text).trim_end()
        ),
        None => String::new(),
    }
}

pub(super) fn tracker(input: &OverlayInput<'_>) -> String {
    if input.tracker_cli.is_empty() {
        return String::new();
    }
    format!(
        "- Task tracker: {} (`{}`). Close only {}, and only when it is done.",
        input.tracker_name,
        input.tracker_cli,
        one_line(input.task_id)
    )
}

pub(super) fn spawning(input: &OverlayInput<'_>) -> String {
    if !input.can_spawn {
        return "You may not start other agents. If the work is too large for one, say so by mail and stop.".into();
    }
    let task = if input.tracker_cli.is_empty() {
        ""
    } else {
        "\n\n`<task>` is what `grove task create \"<title>\"` prints, or any short name with `--skip-task-check`."
    };
    format!(
        "You may start agents, each with its own task, spec and files:\n\n```\ngrove sling <task> --capability builder --name <name> --parent {} --depth {} --spec <path> --files <a,b>\n```{task}",
        input.agent_name,
        input.depth + 1
    )
}

pub(super) fn constraints(input: &OverlayInput<'_>) -> String {
    let mut lines =
        vec!["- Stay on your branch. Never push, publish, or move another branch.".to_owned()];
    if input.constraints.iter().any(|limit| limit == "read-only")
        || matches!(input.capability, "scout" | "reviewer")
    {
        lines.push("- Read-only: no file, index, branch or dependency may change.".into());
    } else {
        lines.push("- Write only inside your worktree, and only in your file scope.".into());
    }
    lines.push("- Do not read credentials, and do not print secrets you come across.".into());
    lines.push("- Do not stop processes you did not start, and do not touch other agents' worktrees or `.overstory/`.".into());
    for limit in input
        .constraints
        .iter()
        .filter(|limit| *limit != "read-only")
    {
        lines.push(format!("- {}", one_line(limit)));
    }
    lines.join("\n")
}

pub(super) fn spec_instruction(spec: Option<&str>, parent: &str) -> String {
    match spec {
        Some(path) => {
            let path = one_line(path);
            format!("Read the spec at `{path}` before anything else. It is your assignment.")
        }
        None => format!(
            "There is no spec file. Your assignment comes with the dispatch mail; if it is not clear, ask `{parent}`."
        ),
    }
}

pub(super) fn skip_scout(skip: bool) -> String {
    if skip {
        "## Skip Scout Mode\n\nThe ground is known. Do not start scouts; go straight to the spec and the builders.".into()
    } else {
        String::new()
    }
}

pub(super) fn dispatch_overrides(input: &OverlayInput<'_>) -> String {
    let mut lines = Vec::new();
    if input.skip_review {
        lines.push(
            "- Reviews are waived for this task: check the diff yourself before `merge_ready`."
                .to_owned(),
        );
    }
    if let Some(most) = input.max_agents {
        lines.push(format!("- Start at most {most} agents."));
    }
    if lines.is_empty() {
        String::new()
    } else {
        format!("## Dispatch Overrides\n\n{}", lines.join("\n"))
    }
}

pub(super) fn siblings(names: &[String]) -> String {
    if names.is_empty() {
        return String::new();
    }
    let list: String = names
        .iter()
        .map(|name| format!("- `{}`\n", one_line(name)))
        .collect();
    format!(
        "## Parallel Siblings\n\nThese agents work beside you, each on its own branch and files:\n\n{list}\nDo not wait for them and do not touch their files. Mail them when your change alters something they use."
    )
}
