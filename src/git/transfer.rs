//! Taking objects from a store that somebody else writes into the repository's own.
//!
//! Objects travel as a pack, which has no names: the receiving git computes every name from the content, so what
//! is stored under a wrong name cannot arrive under it, and damage ends the transfer.

use std::io::{Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdout, Stdio};

use super::cli::{GitCall, git};
use super::error::GitError;

/// From this number of objects on they stay together in one pack, as `git fetch` does it.
const KEEP_PACK: u32 = 100;
const HEADER: usize = 12;
const LONGEST_COMPLAINT: u64 = 64 * 1024;

/// A git that gives objects, not yet asked for any of them.
#[derive(Debug)]
pub struct Giver {
    child: Child,
    stdout: ChildStdout,
}

/// Starts `git pack-objects` where `from` leads. `wanted` are names of objects, one a line, and with
/// `reachable` revisions as `rev-list` takes them. To be called inside of a sandbox: who writes the
/// store chooses what git reads there.
pub fn give(from: GitCall, wanted: &str, reachable: bool) -> Result<Giver, GitError> {
    let call = from.args(["pack-objects", "--stdout", "-q", "--delta-base-offset"]);
    let call = if reachable { call.arg("--revs") } else { call };
    let failed = failed("pack-objects");
    let mut command = call.command();
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(&failed)?;
    // All of it is read before the first byte of the pack is written.
    if let Some(mut stdin) = child.stdin.take() {
        match stdin.write_all(wanted.as_bytes()) {
            Err(e) if e.kind() != std::io::ErrorKind::BrokenPipe => return Err(failed(e)),
            Ok(()) | Err(_) => {}
        }
    }
    match child.stdout.take() {
        Some(stdout) => Ok(Giver { child, stdout }),
        None => Err(failed(std::io::Error::other("no output"))),
    }
}

impl Giver {
    /// Stores what is given in the repository whose shared folder is `common`. With `linked` everything the
    /// objects refer to must be there, too. Returns the number of objects.
    pub fn store_in(mut self, common: &Path, linked: bool) -> Result<u32, GitError> {
        let stored = self.store(common, linked);
        // The receiver has read all it will; whatever is still in the pipe is not needed.
        drop(self.stdout);
        let mut stderr = String::new();
        if let Some(pipe) = self.child.stderr.take() {
            // A damaged store could make git complain without end.
            pipe.take(LONGEST_COMPLAINT)
                .read_to_string(&mut stderr)
                .map_err(failed("pack-objects"))?;
        }
        let ended = self.child.wait().map_err(failed("pack-objects"))?;
        // A receiver that gave up has the better reason.
        if !ended.success() && (stored.is_ok() || ended.code().is_some()) {
            return Err(GitError::Failed {
                command: "pack-objects".to_owned(),
                code: ended.code(),
                stderr,
            });
        }
        stored
    }

    fn store(&mut self, common: &Path, linked: bool) -> Result<u32, GitError> {
        let mut header = [0; HEADER];
        self.stdout
            .read_exact(&mut header)
            .map_err(failed("pack-objects"))?;
        let [.., a, b, c, d] = header;
        let count = u32::from_be_bytes([a, b, c, d]);
        if count == 0 {
            return Ok(0);
        }
        let call = git(common).global("--git-dir=.");
        let call = if count < KEEP_PACK {
            call.args(["unpack-objects", "-q"])
        } else {
            call.args(["index-pack", "--stdin"])
        };
        let call = if linked { call.arg("--strict") } else { call };
        call.fed_by((&header[..]).chain(&mut self.stdout))
            .map(|()| count)
    }
}

fn failed(command: &'static str) -> impl Fn(std::io::Error) -> GitError {
    move |source| GitError::Spawn {
        command: command.to_owned(),
        source,
    }
}

impl GitCall {
    /// Runs git to its end with what a reader gives as its input.
    fn fed_by(self, mut input: impl Read) -> Result<(), GitError> {
        let name = self.name();
        let failed = |source| GitError::Spawn {
            command: name.clone(),
            source,
        };
        let mut child = self
            .command()
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(failed)?;
        // What git says is short, and it says it at its end: the pipes do not wait for each other.
        let copied = match child.stdin.take() {
            Some(mut stdin) => std::io::copy(&mut input, &mut stdin),
            None => Ok(0),
        };
        let mut stderr = String::new();
        if let Some(mut pipe) = child.stderr.take() {
            pipe.read_to_string(&mut stderr).map_err(failed)?;
        }
        let code = child.wait().map_err(failed)?.code();
        if code != Some(0) {
            return Err(GitError::Failed {
                command: name,
                code,
                stderr,
            });
        }
        copied.map(|_| ()).map_err(failed)
    }
}
