//! Which files an agent owns, read back from the instructions in its worktree.

use std::path::Path;

use crate::platform::ProjectPaths;
use crate::types::AgentSession;

/// Where the scope begins.
const HEADING: &str = "## File Scope (exclusive ownership)";

/// Instruction files by runtime, in the order in which they are looked for.
pub const INSTRUCTION_FILES: [(&str, &str); 11] = [
    ("claude", ".claude/CLAUDE.md"),
    ("codex", "AGENTS.md"),
    ("opencode", "AGENTS.md"),
    ("pi", "AGENTS.md"),
    ("copilot", ".github/copilot-instructions.md"),
    ("cursor", ".cursor/rules/overstory.md"),
    ("gemini", "GEMINI.md"),
    ("goose", ".goosehints"),
    ("aider", "CONVENTIONS.md"),
    ("amp", ".amp/AGENT.md"),
    ("sapling", "SAPLING.md"),
];

/// Reads the scope of an agent; empty means unrestricted. Where the project has a file of its own in
/// the place of the instructions, grove's copy of them is read.
pub fn read_file_scope(paths: &ProjectPaths, session: &AgentSession, runtime: &str) -> Vec<String> {
    let worktree = Path::new(&session.worktree_path);
    let own = INSTRUCTION_FILES
        .iter()
        .filter(|(name, _)| *name == runtime);
    let others = INSTRUCTION_FILES
        .iter()
        .filter(|(name, _)| *name != runtime);
    let text = own
        .chain(others)
        .find_map(|(_, file)| std::fs::read_to_string(worktree.join(file)).ok())
        .filter(|text| text.lines().any(|line| line.trim() == HEADING));
    let copy = || std::fs::read_to_string(paths.host_instructions(&session.agent_name)).ok();
    text.or_else(copy)
        .map_or_else(Vec::new, |text| parse(&text))
}

fn parse(text: &str) -> Vec<String> {
    text.lines()
        .skip_while(|line| line.trim() != HEADING)
        .skip(1)
        .take_while(|line| line.trim() != "## Expertise")
        .filter_map(|line| line.trim().strip_prefix("- `")?.strip_suffix('`'))
        .map(str::to_owned)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agents::overlay::{OverlayInput, render};
    use crate::db::sessions::tests::sample;
    use crate::types::AgentState;

    #[test]
    fn what_the_overlay_says_is_read_back() {
        let scope = ["src/a.rs".to_owned(), "tests/a b.rs".to_owned()];
        let text = render(&OverlayInput {
            file_scope: &scope,
            ..OverlayInput::default()
        });
        assert_eq!(parse(&text), scope);
        assert!(parse(&render(&OverlayInput::default())).is_empty());
    }

    #[test]
    fn a_file_of_the_project_in_the_place_of_the_instructions_hides_no_scope() {
        let dir = tempfile::tempdir().unwrap();
        let paths = ProjectPaths::new(dir.path());
        let worktree = dir.path().join("w");
        let mut session = sample("ann", AgentState::Working);
        session.worktree_path = worktree.display().to_string();
        let scope = ["src/a.rs".to_owned()];
        let text = render(&OverlayInput {
            file_scope: &scope,
            ..OverlayInput::default()
        });
        let write = |path: &Path, text: &str| {
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        let read = || read_file_scope(&paths, &session, "claude");
        assert!(read().is_empty());
        write(&worktree.join(".claude/CLAUDE.md"), "# The project's own");
        assert!(read().is_empty());
        write(&paths.host_instructions("ann"), &text);
        assert_eq!(read(), scope);
        write(
            &worktree.join(".claude/CLAUDE.md"),
            &text.replace("src/a.rs", "src/b.rs"),
        );
        assert_eq!(read(), ["src/b.rs"]);
    }
}
