//! Files inside a worktree that arm the guard or hold orchestrator state, under any spelling a file system takes.

use std::path::Path;

use super::zones::Zone;

/// Files and folders inside a worktree that arm the guard or hold orchestrator state.
const GUARD_FILES: &[&str] = &[
    ".claude/settings.json",
    ".claude/settings.local.json",
    ".claude/hooks",
    ".mcp.json",
    ".pi/extensions",
    ".pi/settings.json",
    ".github/hooks",
    ".sapling/guards.json",
    ".codex",
    ".gemini/settings.json",
    ".gemini/hooks",
    ".gemini/extensions",
    ".opencode/plugin",
    ".opencode/plugins",
    ".opencode/tool",
    ".opencode/tools",
    ".opencode/package.json",
    ".opencode/opencode.json",
    ".opencode/opencode.jsonc",
    "opencode.json",
    "opencode.jsonc",
    ".cursor/mcp.json",
    ".cursor/hooks.json",
    ".cursor/cli.json",
    ".cursor/hooks",
    ".overstory",
    ".grove",
    ".amp/settings.json",
    ".goose/hooks",
    ".agents/plugins",
    ".copilot/hooks",
    ".vscode/mcp.json",
];

pub(super) fn inner_zone(inner: &Path) -> Zone {
    // Only names that begin like one of these can be one of them, under whatever spelling.
    let bytes = inner.as_os_str().as_encoded_bytes();
    let plain = bytes.is_ascii() && !matches!(bytes.first(), None | Some(b'.' | b'o' | b'O'));
    if plain {
        return Zone::Inside;
    }
    let lower = folded(&inner.to_string_lossy());
    if lower.is_empty() {
        return Zone::Top;
    }
    if lower == ".git" || lower.starts_with(".git/") {
        return Zone::Git;
    }
    let guarded = GUARD_FILES.iter().any(|file| {
        lower
            .strip_prefix(file)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    });
    if guarded { Zone::Guard } else { Zone::Inside }
}

/// Letters at the beginning of a path that are compared with guarded names; none of those has as many.
const COMPARED: usize = 64;

/// The beginning of a name as the least exact file system compares it: without case, without the characters some
/// of them ignore, without the dots and spaces others drop at the end.
fn folded(path: &str) -> String {
    let plain: String = path
        .chars()
        .filter(|c| {
            !matches!(c, '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2060}'..='\u{206F}' | '\u{FEFF}')
        })
        .flat_map(char::to_lowercase)
        .take(COMPARED)
        .collect();
    match plain.split_once('/') {
        Some((first, rest)) => format!("{}/{rest}", first.trim_end_matches([' ', '.'])),
        None if plain.trim_matches('.').is_empty() => plain,
        None => plain.trim_end_matches([' ', '.']).to_owned(),
    }
}

/// Whether deleting or replacing this folder would take guard files with it.
pub(crate) fn holds_guard_files(inner: &str) -> bool {
    if inner.len() > COMPARED {
        return false;
    }
    let folder = inner.trim_end_matches('/').to_lowercase() + "/";
    GUARD_FILES.iter().any(|file| file.starts_with(&folder))
}

#[cfg(test)]
mod tests {
    use super::GUARD_FILES;

    #[test]
    fn every_guarded_name_begins_with_a_sign_that_is_looked_for() {
        for file in GUARD_FILES {
            assert!(file.starts_with(['.', 'o']), "{file}");
            assert!(file.len() < super::COMPARED, "{file}");
        }
    }
}
