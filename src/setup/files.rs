//! The files that a project is made of and that grove keeps up to date. Pure.

use crate::agents::manifest::{DEFINITIONS, Manifest};
use crate::config::{InitialConfig, render_initial};
use crate::text::to_tabbed_json;

/// Name of the state folder.
const STATE: &str = ".overstory";

/// Folders that exist in every project, relative to the root.
pub const FOLDERS: [&str; 6] = [
    ".overstory",
    ".overstory/agents",
    ".overstory/agent-defs",
    ".overstory/worktrees",
    ".overstory/specs",
    ".overstory/logs",
];

/// Keeps everything out of git but what describes the project.
pub const GITIGNORE: &str = "*\n!.gitignore\n!config.yaml\n!agent-manifest.json\n!hooks.json\n!groups.json\n!agent-defs/\n!agent-defs/**\n!README.md\n";

const README: &str = "# .overstory\n\nState of the agents that work on this project. `config.yaml` and `agent-defs/` are yours to edit and worth\ncommitting; everything else is written by the program and ignored by git.\n\n- `grove status` shows who works on what.\n- `grove doctor` says what is wrong, and `grove doctor --fix` repairs what it can.\n";

/// A file to be written, relative to the project root.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ManagedFile {
    /// Path relative to the root.
    pub path: String,
    /// Full text.
    pub text: String,
}

/// Renders every managed file; `config` is `None` when an existing configuration is kept.
pub fn files(config: Option<&InitialConfig<'_>>) -> Result<Vec<ManagedFile>, serde_json::Error> {
    let file = |name: &str, text: String| ManagedFile {
        path: format!("{STATE}/{name}"),
        text,
    };
    let mut files = vec![file(".gitignore", GITIGNORE.into())];
    files.extend(config.map(|config| file("config.yaml", render_initial(config))));
    files.push(file("agent-manifest.json", Manifest::standard().render()?));
    files.push(file("hooks.json", hooks_json()?));
    files.push(file("README.md", README.into()));
    for (name, text) in DEFINITIONS {
        files.push(file(&format!("agent-defs/{name}"), text.to_owned()));
    }
    Ok(files)
}

/// Renders the hooks of a person's own session, deployed by `hooks install`.
pub fn hooks_json() -> Result<String, serde_json::Error> {
    let hook = |matcher: &str, command: &str| serde_json::json!({"matcher": matcher, "hooks": [{"type": "command", "command": command}]});
    let refuse_push = "case \"$(cat)\" in *'git push'*) echo '{\"decision\":\"block\",\"reason\":\"pushing is left to the person: ask for it\"}';; esac";
    to_tabbed_json(&serde_json::json!({"hooks": {
        "SessionStart": [hook("", "grove prime --agent orchestrator")],
        "UserPromptSubmit": [hook("", "grove mail check --inject --agent orchestrator")],
        "PreToolUse": [
            hook("Bash", refuse_push),
            hook("", "grove log tool-start --agent orchestrator --stdin"),
        ],
        "PostToolUse": [hook("", "grove log tool-end --agent orchestrator --stdin")],
        "Stop": [hook("", "grove log session-end --agent orchestrator --stdin")],
        "PreCompact": [hook("", "grove prime --agent orchestrator --compact")],
    }}))
}
