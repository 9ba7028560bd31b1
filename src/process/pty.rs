//! A child process in a pseudo-terminal of its own.
//!
//! The child is the leader of a new session, so a hang-up reaches all of its foreground group.

use super::{SpawnError, SpawnSpec};
use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};
use std::io::{Read, Write};

/// The parent's side of a pseudo-terminal with a running child.
pub struct PtyProcess {
    pub pid: i32,
    pub reader: Box<dyn Read + Send>,
    pub writer: Box<dyn Write + Send>,
    pub control: PtyControl,
    pub child: Box<dyn Child + Send + Sync>,
}

/// What can be changed while the child runs.
pub struct PtyControl {
    master: Box<dyn MasterPty + Send>,
}

impl PtyControl {
    /// Tells the terminal its size; the child gets one SIGWINCH if it changed.
    pub fn resize(&self, cols: u16, rows: u16) -> Result<(), String> {
        self.master
            .resize(size(cols, rows))
            .map_err(|e| e.to_string())
    }
}

fn size(cols: u16, rows: u16) -> PtySize {
    PtySize {
        rows,
        cols,
        pixel_width: 0,
        pixel_height: 0,
    }
}

/// Starts a child in a new pseudo-terminal.
pub fn spawn(spec: &SpawnSpec, cols: u16, rows: u16) -> Result<PtyProcess, SpawnError> {
    let program = spec.argv.first().ok_or(SpawnError::Empty)?.clone();
    let terminal = |message: String| SpawnError::Terminal {
        program: program.clone(),
        message,
    };
    let pair = native_pty_system()
        .openpty(size(cols, rows))
        .map_err(|e| terminal(e.to_string()))?;
    // An absolute program: the crate would resolve a relative one against the child's folder.
    let path = super::find_program(&program, None).ok_or_else(|| SpawnError::NotFound {
        program: program.clone(),
    })?;
    let mut command = CommandBuilder::new(path);
    command.args(spec.argv.iter().skip(1));
    command.cwd(&spec.cwd);
    for name in &spec.env_remove {
        command.env_remove(name);
    }
    for (name, value) in &spec.env {
        command.env(name, value);
    }
    let child = pair
        .slave
        .spawn_command(command)
        .map_err(|e| SpawnError::Failed {
            program: program.clone(),
            message: e.to_string(),
        })?;
    drop(pair.slave);
    let reader = pair
        .master
        .try_clone_reader()
        .map_err(|e| terminal(e.to_string()))?;
    let writer = pair
        .master
        .take_writer()
        .map_err(|e| terminal(e.to_string()))?;
    Ok(PtyProcess {
        pid: child.process_id().map_or(0, |p| p as i32),
        reader,
        writer,
        control: PtyControl {
            master: pair.master,
        },
        child,
    })
}
