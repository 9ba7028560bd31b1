//! The files that `init` puts into a project, and putting them there as one step.
//!
//! `files` is pure; `Transaction` writes them and takes everything back unless it is told to keep
//! it, so that a failure half-way leaves the project as it was.

use std::path::{Path, PathBuf};

use super::manifest::{DEFINITIONS, Manifest};
use crate::config::{InitialConfig, render_initial};
use crate::platform::fs::{self, FsError};
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
pub struct ScaffoldFile {
    /// Path relative to the root.
    pub path: String,
    /// Full text.
    pub text: String,
}

/// Renders every managed file; `config` is `None` when an existing configuration is kept.
pub fn files(config: Option<&InitialConfig<'_>>) -> Result<Vec<ScaffoldFile>, serde_json::Error> {
    let file = |name: &str, text: String| ScaffoldFile {
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

/// Changes to a folder that are taken back when the value is dropped without `keep`.
#[derive(Debug)]
pub struct Transaction {
    root: PathBuf,
    undo: Vec<Undo>,
}

#[derive(Debug)]
enum Undo {
    RemoveFile(PathBuf),
    RemoveFolder(PathBuf),
    Restore(PathBuf, Vec<u8>),
}

impl Transaction {
    /// Starts without having changed anything.
    pub fn new(root: &Path) -> Self {
        Self {
            root: root.to_owned(),
            undo: Vec::new(),
        }
    }

    /// Creates a folder and those above it.
    pub fn folder(&mut self, relative: &str) -> Result<(), FsError> {
        let path = self.root.join(relative);
        let missing: Vec<PathBuf> = path
            .ancestors()
            .take_while(|path| !path.exists())
            .map(Path::to_owned)
            .collect();
        fs::create_dir_all(&path)?;
        self.undo
            .extend(missing.into_iter().rev().map(Undo::RemoveFolder));
        Ok(())
    }

    /// Writes a file; `false` when it has this text already.
    pub fn write(&mut self, file: &ScaffoldFile) -> Result<bool, FsError> {
        let path = self.root.join(&file.path);
        let before = std::fs::read(&path).ok();
        if before.as_deref() == Some(file.text.as_bytes()) {
            return Ok(false);
        }
        fs::write_atomic(&path, &file.text)?;
        self.undo.push(match before {
            Some(bytes) => Undo::Restore(path, bytes),
            None => Undo::RemoveFile(path),
        });
        Ok(true)
    }

    /// Announces a database that is about to be created by its store, so that it can be taken back.
    pub fn expect_database(&mut self, relative: &str) -> bool {
        let path = self.root.join(relative);
        if path.exists() {
            return false;
        }
        for suffix in ["", "-wal", "-shm"] {
            let file = self.root.join(format!("{relative}{suffix}"));
            self.undo.push(Undo::RemoveFile(file));
        }
        true
    }

    /// Makes the changes final.
    pub fn keep(mut self) {
        self.undo.clear();
    }
}

impl Drop for Transaction {
    fn drop(&mut self) {
        for step in self.undo.drain(..).rev() {
            // Taking back is best effort: the error that led here is the one that is reported.
            match step {
                Undo::RemoveFile(path) => drop(fs::remove_file(&path)),
                Undo::RemoveFolder(path) => drop(std::fs::remove_dir(&path)),
                Undo::Restore(path, bytes) => drop(fs::write_atomic(&path, bytes)),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn everything(root: &Path) -> Vec<String> {
        let mut found: Vec<String> = Vec::new();
        let mut folders = vec![root.to_owned()];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(&folder).unwrap() {
                let path = entry.unwrap().path();
                found.push(path.strip_prefix(root).unwrap().display().to_string());
                if path.is_dir() {
                    folders.push(path);
                }
            }
        }
        found.sort();
        found
    }

    fn write_all(transaction: &mut Transaction) -> Result<(), FsError> {
        for folder in FOLDERS {
            transaction.folder(folder)?;
        }
        for file in files(None).unwrap() {
            transaction.write(&file)?;
        }
        Ok(())
    }

    #[test]
    fn a_failure_half_way_leaves_nothing_behind() {
        let dir = tempfile::tempdir().unwrap();
        let mut transaction = Transaction::new(dir.path());
        transaction.folder(".overstory").unwrap();
        std::fs::write(dir.path().join(".overstory/logs"), "in the way").unwrap();
        assert!(write_all(&mut transaction).is_err());
        drop(transaction);
        assert_eq!(
            everything(dir.path()),
            [".overstory", ".overstory/logs"],
            "what others wrote stays"
        );
    }

    #[test]
    fn changed_files_get_their_old_text_back() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir(dir.path().join(".overstory")).unwrap();
        std::fs::write(dir.path().join(".overstory/README.md"), "mine").unwrap();
        let mut transaction = Transaction::new(dir.path());
        write_all(&mut transaction).unwrap();
        drop(transaction);
        assert_eq!(
            everything(dir.path()),
            [".overstory", ".overstory/README.md"]
        );
        assert_eq!(
            std::fs::read_to_string(dir.path().join(".overstory/README.md")).unwrap(),
            "mine"
        );
    }

    #[test]
    fn kept_changes_stay_and_repeat_without_effect() {
        let dir = tempfile::tempdir().unwrap();
        let mut transaction = Transaction::new(dir.path());
        write_all(&mut transaction).unwrap();
        transaction.keep();
        let mut again = Transaction::new(dir.path());
        for file in files(None).unwrap() {
            assert!(!again.write(&file).unwrap(), "{}", file.path);
        }
    }
}
