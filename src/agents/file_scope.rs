//! Which files an agent owns, read back from the instructions in its worktree.

use std::path::Path;

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

/// Reads the scope of the agent whose worktree this is; empty means unrestricted.
pub fn read_file_scope(worktree: &Path, runtime: &str) -> Vec<String> {
    let own = INSTRUCTION_FILES
        .iter()
        .filter(|(name, _)| *name == runtime);
    let others = INSTRUCTION_FILES
        .iter()
        .filter(|(name, _)| *name != runtime);
    own.chain(others)
        .find_map(|(_, file)| std::fs::read_to_string(worktree.join(file)).ok())
        .map_or_else(Vec::new, |text| parse(&text))
}

fn parse(text: &str) -> Vec<String> {
    text.lines()
        .skip_while(|line| line.trim() != "## File Scope (exclusive ownership)")
        .skip(1)
        .take_while(|line| line.trim() != "## Expertise")
        .filter_map(|line| line.trim().strip_prefix("- `")?.strip_suffix('`'))
        .map(str::to_owned)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::parse;
    use crate::agents::overlay::{OverlayInput, render};

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
}
