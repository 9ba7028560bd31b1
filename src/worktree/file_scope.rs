//! Which files an agent owns, read back from the instructions in its worktree, and which are nobody's.

use std::path::Path;

use crate::git::path_bytes;
use crate::platform::{ProjectPaths, plain};
use crate::types::AgentSession;

/// Larger ones are none of grove's instructions, in bytes.
const LARGEST: u64 = 1024 * 1024;

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
        .find_map(|(_, file)| plain::text_within(worktree, file, LARGEST))
        .filter(|text| text.lines().any(|line| line.trim() == HEADING));
    let copy = || std::fs::read_to_string(paths.host_instructions(&session.agent_name)).ok();
    text.or_else(copy)
        .map_or_else(Vec::new, |text| parse_scope(&text))
}

/// Whether a path lies in one entry of a scope: a file, or a folder with all that is below. Both are names of paths.
pub fn covers(scope: &str, path: &str) -> bool {
    let (mut scope, path) = (&*path_bytes(scope), path_bytes(path));
    while let Some(shorter) = scope.strip_suffix(b"/") {
        scope = shorter;
    }
    path.strip_prefix(scope)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with(b"/"))
}

/// Whether a file in a worktree is what grove itself puts there; it is nobody's work.
pub fn is_own_file(path: &str) -> bool {
    path_bytes(path).starts_with(b".overstory/")
        || INSTRUCTION_FILES.iter().any(|(_, file)| *file == path)
        || path == ".claude/settings.local.json"
}

/// The scope that instructions name; empty means unrestricted.
pub fn parse_scope(text: &str) -> Vec<String> {
    text.lines()
        .skip_while(|line| line.trim() != HEADING)
        .skip(1)
        .take_while(|line| line.trim() != "## Expertise")
        .filter_map(|line| line.trim().strip_prefix("- `")?.strip_suffix('`'))
        .map(str::to_owned)
        .collect()
}
