//! A real repository with a worktree in it, and the guard asked about calls made there.
//!
//! Asks through the same lines as `grove guard check`.

use std::path::{Path, PathBuf};
use std::process::Command;

use grove::guard::check::check_line;
use serde_json::{Value, json};
use tempfile::TempDir;

pub(crate) struct Place {
    _folder: TempDir,
    pub(crate) root: PathBuf,
    pub(crate) worktree: PathBuf,
}

impl Place {
    pub(crate) fn new() -> Self {
        let folder = TempDir::new().unwrap();
        let root = folder.path().join("repo");
        let worktree = root.join(".overstory/worktrees/ada");
        std::fs::create_dir_all(root.join("src")).unwrap();
        std::fs::write(root.join("src/lib.rs"), "fn main() {}\n").unwrap();
        let git = |args: &[&str], cwd: &Path| {
            let done = Command::new("git")
                .args(["-c", "user.name=t", "-c", "user.email=t@example.com"])
                .args(args)
                .current_dir(cwd)
                .output()
                .unwrap();
            assert!(done.status.success(), "git {args:?}: {done:?}");
        };
        git(&["init", "-q", "-b", "main"], &root);
        git(&["add", "."], &root);
        git(&["commit", "-qm", "start"], &root);
        let path = worktree.to_string_lossy().into_owned();
        git(
            &["worktree", "add", "-q", "-b", "overstory/ada/task-1", &path],
            &root,
        );
        Self {
            _folder: folder,
            root,
            worktree,
        }
    }

    /// Replaces the tokens of a case anywhere in a value.
    pub(crate) fn filled(&self, value: &Value) -> Value {
        let text = value
            .to_string()
            .replace("{{WORKTREE}}", &self.worktree.to_string_lossy())
            .replace("{{ROOT}}", &self.root.to_string_lossy());
        serde_json::from_str(&text).unwrap()
    }

    /// The decision and the reason.
    pub(crate) fn ask(&self, capability: &str, tool: &str, input: &Value) -> (String, String) {
        let line = json!({
            "id": 1, "capability": capability, "tool": tool, "input": self.filled(input),
            "worktree": self.worktree, "root": self.root,
        });
        let answer: Value = serde_json::from_str(&check_line(&line.to_string())).unwrap();
        let text = |name: &str| answer[name].as_str().unwrap().to_owned();
        (text("decision"), text("reason"))
    }

    pub(crate) fn bash(&self, capability: &str, command: &str) -> (String, String) {
        self.ask(capability, "Bash", &json!({"command": command}))
    }
}
