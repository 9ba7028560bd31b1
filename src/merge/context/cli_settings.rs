//! By which files of a checkout agent CLIs start programs, as the user who runs them there: hooks, servers of tools,
//! plugins. The guard keeps agents' own tools from them, so that nothing but these files waits.

/// The files, and folders with all that is in them, of each CLI.
const FILES: [(&str, &[&str]); 11] = [
    (
        "claude",
        &[
            ".claude/settings.json",
            ".claude/settings.local.json",
            ".claude/hooks",
            ".mcp.json",
        ],
    ),
    (
        "codex",
        &[
            ".codex/config.toml",
            ".codex/hooks.json",
            ".codex/hooks",
            ".codex/rules",
            ".agents/plugins",
        ],
    ),
    (
        "gemini",
        &[
            ".gemini/settings.json",
            ".gemini/hooks",
            ".gemini/extensions",
        ],
    ),
    (
        "opencode",
        &[
            "opencode.json",
            "opencode.jsonc",
            ".opencode/opencode.json",
            ".opencode/opencode.jsonc",
            ".opencode/package.json",
            ".opencode/plugin",
            ".opencode/plugins",
            ".opencode/tool",
            ".opencode/tools",
        ],
    ),
    (
        "cursor",
        &[
            ".cursor/mcp.json",
            ".cursor/hooks.json",
            ".cursor/hooks",
            ".cursor/cli.json",
        ],
    ),
    ("copilot", &[".github/hooks", ".copilot/hooks"]),
    ("pi", &[".pi/settings.json", ".pi/extensions"]),
    ("amp", &[".amp/settings.json"]),
    ("goose", &[".goose/hooks"]),
    ("sapling", &[".sapling/guards.json"]),
    ("vscode", &[".vscode/mcp.json"]),
];

/// Whether a file of the repository is one of them, in whatever folder somebody may start a CLI. Names are compared as
/// a file system would that does not tell cases apart.
pub(super) fn starts_programs(path: &str) -> bool {
    let names: Vec<&str> = path.split('/').collect();
    let mut all = FILES.iter().flat_map(|(_, files)| *files);
    all.any(|file| {
        let file: Vec<&str> = file.split('/').collect();
        let mut places = names.windows(file.len());
        places.any(|place| {
            let mut pairs = place.iter().zip(&file);
            pairs.all(|(name, wanted)| name.eq_ignore_ascii_case(wanted))
        })
    })
}

/// Whether such files may lie below a path, which is the folder of some or of one above them: a link or a submodule
/// there brings them along, with none of their names in the tree.
pub(super) fn starts_below(path: &str) -> bool {
    let mut all = FILES.iter().flat_map(|(_, files)| *files);
    all.any(|file| {
        let folders = file.match_indices('/').map(|(end, _)| &file[..end]);
        let mut names = folders.filter(|folder| folder.len() <= path.len());
        names.any(|folder| {
            let (above, last) = path.as_bytes().split_at(path.len() - folder.len());
            last.eq_ignore_ascii_case(folder.as_bytes()) && above.last().is_none_or(|b| *b == b'/')
        })
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    #[test]
    fn folders_of_the_files_are_told_wherever_they_lie() {
        for path in [".claude", "sub/.cursor", ".GitHub", "a/b/.vscode"] {
            assert!(starts_below(path), "{path}");
        }
        for path in ["x.claude", "claude", ".claude/agents", "hooks", ".claude2"] {
            assert!(!starts_below(path), "{path}");
        }
    }

    #[test]
    fn each_file_of_each_cli_is_told_wherever_it_lies() {
        for (cli, files) in FILES {
            for file in files {
                assert!(starts_programs(file), "{cli}: {file}");
                assert!(starts_programs(&file.to_uppercase()), "{cli}: {file}");
                let nested = format!("packages/web/{file}");
                assert!(starts_programs(&nested), "{cli}: {nested}");
                let beside = format!("{file}x");
                assert!(!starts_programs(&beside), "{cli}: {beside}");
            }
        }
        for script in [".claude/hooks/a.sh", ".opencode/plugin/deep/a.ts"] {
            assert!(starts_programs(script), "{script}");
        }
    }

    #[test]
    fn the_guard_keeps_agents_from_each_of_the_files() {
        let folder = tempfile::TempDir::new().unwrap();
        let worktree = folder.path().join(".grove/worktrees/ada");
        std::fs::create_dir_all(&worktree).unwrap();
        let mut written = Vec::new();
        for (cli, files) in FILES {
            for file in files {
                let line = serde_json::json!({
                    "id": 1, "capability": "builder", "tool": "Write",
                    "input": {"file_path": worktree.join(file), "content": "{}"},
                    "worktree": worktree, "root": folder.path(),
                });
                let answer = crate::guard::check::check_line(&line.to_string());
                if !answer.contains(r#""decision":"block""#) {
                    written.push(format!("{cli}: {file}"));
                }
            }
        }
        assert!(written.is_empty(), "{written:?}");
    }

    #[test]
    fn words_for_agents_and_settings_of_other_programs_are_none_of_them() {
        let others = [
            "CLAUDE.md",
            "AGENTS.md",
            ".claude/agents/reviewer.md",
            ".claude/commands/test.md",
            ".claude/skills/a/SKILL.md",
            ".claude/settings.json.md",
            ".cursor/rules/style.mdc",
            ".github/workflows/ci.yml",
            ".gemini/GEMINI.md",
            ".opencode/agent/a.md",
            ".vscode/settings.json",
            "settings.json",
            "src/hooks/use.ts",
            "mcp.json",
        ];
        for path in others {
            assert!(!starts_programs(path), "{path}");
        }
    }
}
