//! Running this same program to its end, for what must not happen inside the running process.

use super::SpawnError;
use std::path::Path;
use std::process::{Command, Stdio};

/// What a command of this program printed, and whether it succeeded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OwnOutput {
    pub success: bool,
    pub stdout: String,
    pub stderr: String,
}

/// Runs a command of this program and waits for it.
pub fn run(args: &[&str], cwd: &Path, env_remove: &[&str]) -> Result<OwnOutput, SpawnError> {
    let failed = |e: std::io::Error| SpawnError::Failed {
        program: "grove".to_owned(),
        message: e.to_string(),
    };
    let mut command = Command::new(std::env::current_exe().map_err(failed)?);
    command.args(args).current_dir(cwd).stdin(Stdio::null());
    for name in env_remove {
        command.env_remove(name);
    }
    let output = command.output().map_err(failed)?;
    Ok(OwnOutput {
        success: output.status.success(),
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    })
}
