//! Proving a sandbox by trying: a child process inside of it attempts what must fail.

use super::{Rules, Support, apply, support};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// What the child attempts.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Trial {
    pub rules: Rules,
    /// A file that must be writable.
    pub inside: PathBuf,
    /// A file that must not be writable.
    pub outside: PathBuf,
    /// A file that must not be readable.
    pub secret: PathBuf,
}

/// What came of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Finding {
    /// Everything was as it must be.
    Holds,
    /// It was not; the sentence says what happened.
    Leaks(String),
    /// There is nothing to try here.
    Absent(String),
}

/// Runs the attempts inside the sandbox. To be called in a process of its own: there is no way out.
pub fn attempt(trial: &Trial) -> Result<(), String> {
    apply(&trial.rules).map_err(|e| e.to_string())?;
    write(&trial.inside).map_err(|e| format!("a write inside the worktree failed: {e}"))?;
    if write(&trial.outside).is_ok() {
        return Err(format!(
            "a write to {} went through",
            trial.outside.display()
        ));
    }
    if std::fs::read(&trial.secret).is_ok() {
        return Err(format!("{} could be read", trial.secret.display()));
    }
    Ok(())
}

/// Tries the sandbox in a child process; `run` starts this program with the words it is given and returns
/// what it printed.
pub fn try_out(
    folder: &Path,
    run: impl FnOnce(&str) -> Result<(), String>,
) -> Result<Finding, crate::platform::FsError> {
    use crate::platform::fs;
    if let Support::None(why) = support() {
        return Ok(Finding::Absent(why));
    }
    let open = folder.join("open");
    let shut = folder.join("shut");
    fs::create_private_dir(&open)?;
    fs::create_private_dir(&shut)?;
    let secret = shut.join("secret");
    fs::write_atomic(&secret, "canary\n")?;
    let trial = Trial {
        rules: Rules {
            write: vec![open.clone()],
            hidden: vec![shut.clone()],
            ..Rules::default()
        },
        inside: open.join("canary"),
        outside: shut.join("canary"),
        secret,
    };
    Ok(match run(&serde_json::json!(trial).to_string()) {
        Ok(()) => Finding::Holds,
        Err(why) => Finding::Leaks(why),
    })
}

fn write(path: &Path) -> std::io::Result<()> {
    std::fs::write(path, "canary\n")
}
