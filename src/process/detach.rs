//! Starting a process that outlives its starter.

use super::SpawnError;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{ChildStdout, Command, Stdio};

/// A started background process and the pipe on which it reports once that it is ready.
#[derive(Debug)]
pub struct Detached {
    pub pid: i32,
    ready: BufReader<ChildStdout>,
}

impl Detached {
    /// Waits for the one line the process prints when it is ready or knows why not. An empty
    /// line means that it ended without a word.
    pub fn wait_ready(mut self) -> std::io::Result<String> {
        let mut line = String::new();
        self.ready.read_line(&mut line)?;
        Ok(line.trim_end().to_owned())
    }
}

/// Starts this same program in the background. The child leaves the session of its starter by
/// itself ([`leave_session`]), so it must not be made the leader of a group here.
pub fn spawn_self(
    args: &[&str],
    cwd: &Path,
    log: File,
    env_remove: &[&str],
) -> Result<Detached, SpawnError> {
    let failed = |e: std::io::Error| SpawnError::Failed {
        program: "grove".to_owned(),
        message: e.to_string(),
    };
    let program = std::env::current_exe().map_err(failed)?;
    let mut command = Command::new(program);
    command.args(args).current_dir(cwd);
    for name in env_remove {
        command.env_remove(name);
    }
    command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(log);
    let mut child = command.spawn().map_err(failed)?;
    let stdout = child.stdout.take().ok_or(SpawnError::Empty)?;
    let pid = child.id() as i32;
    // The child is adopted by init when this process ends; if this process lives on, somebody
    // has to collect it. The thread sleeps in wait() until then.
    std::thread::Builder::new()
        .name("reap".to_owned())
        .stack_size(64 * 1024)
        .spawn(move || child.wait())
        .map_err(failed)?;
    Ok(Detached {
        pid,
        ready: BufReader::new(stdout),
    })
}

/// Leaves the starter's session so that its terminal's hang-up does not reach this process. A
/// process that leads a group cannot; it then stays where it is, in its own group.
#[cfg(unix)]
pub fn leave_session() -> bool {
    rustix::process::setsid().is_ok()
}

#[cfg(not(unix))]
pub fn leave_session() -> bool {
    true
}

/// Makes orphans among this process's descendants its children, where the system can.
#[cfg(target_os = "linux")]
pub fn adopt_orphans() -> bool {
    rustix::process::set_child_subreaper(Some(rustix::process::getpid())).is_ok()
}

#[cfg(not(target_os = "linux"))]
pub fn adopt_orphans() -> bool {
    false
}
