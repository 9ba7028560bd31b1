//! A child process with its standard streams on pipes. It leaves its starter's session by itself
//! ([`super::detach::leave_session`]), so it must not lead a group before that.

use super::{SpawnError, SpawnSpec};
use std::io;
use std::process::{Child, Command, Stdio};

/// Starts a child with all three streams piped.
pub fn spawn(spec: &SpawnSpec) -> Result<Child, SpawnError> {
    let (program, args) = spec.argv.split_first().ok_or(SpawnError::Empty)?;
    let mut command = Command::new(program);
    command.args(args).current_dir(&spec.cwd);
    for name in &spec.env_remove {
        command.env_remove(name);
    }
    command.envs(spec.env.iter().map(|(k, v)| (k, v)));
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command.spawn().map_err(|e| {
        let program = program.clone();
        if e.kind() == io::ErrorKind::NotFound {
            SpawnError::NotFound { program }
        } else {
            let message = e.to_string();
            SpawnError::Failed { program, message }
        }
    })
}
