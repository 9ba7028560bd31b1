//! Files inside a worktree that arm the guard or hold orchestrator state, under any spelling a file system takes.

use std::path::Path;

use super::zones::Zone;
use crate::shell::{glob, text};

/// Files and folders inside a worktree that arm the guard or hold orchestrator state.
pub(crate) const GUARD_FILES: &[&str] = &[
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
    if guarded || !text::is_known(&lower) && reaches(&lower, Reach::Into) {
        Zone::Guard
    } else {
        Zone::Inside
    }
}

/// Folders in which most files are the project's: what is found somewhere in them is not taken for the guard's.
const SHARED: &[&str] = &[".github/", ".vscode/"];

/// How a pattern may be about a guarded file.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reach {
    /// It may name the file, or something in it.
    Into,
    /// It may name a folder that the file is in.
    Above,
}

/// Whether a pattern may name one of the guarded files that are hidden. The others are not there in most projects, and
/// `*.json` is about what is.
fn reaches(pattern: &str, reach: Reach) -> bool {
    let parts: Vec<&str> = pattern.split('/').filter(|part| !part.is_empty()).collect();
    // A hidden name has to begin as one: what is handed on as a path somewhere is about what is there.
    if !parts.first().is_some_and(|first| first.starts_with('.')) {
        return false;
    }
    let is_path = pattern.contains(text::PATH);
    let hidden = GUARD_FILES.iter().filter(|file| {
        let shared = SHARED.iter().any(|folder| file.starts_with(folder));
        file.starts_with('.') && !(shared && is_path)
    });
    hidden
        .map(|file| file.split('/').collect())
        .any(|file: Vec<&str>| {
            let long_enough = match reach {
                Reach::Into => parts.len() >= file.len(),
                Reach::Above => parts.len() < file.len(),
            };
            let mut pairs = parts.iter().zip(&file);
            long_enough && pairs.all(|(part, name)| glob::matches(part, name, false))
        })
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
        || text::has_glob(inner) && reaches(&folder, Reach::Above)
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
