//! Running a program once for what it prints, with a deadline.

use super::{SpawnError, tree};
use crate::platform::liveness;
use std::io::Read;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

/// An answer is a few words; more than this is cut.
const MOST_BYTES: u64 = 64 * 1024;

/// Runs a program without input and returns what it printed; everything it has started ends with
/// the deadline.
pub fn answer(argv: &[String], cwd: &Path, limit: Duration) -> Result<String, SpawnError> {
    let (program, args) = argv.split_first().ok_or(SpawnError::Empty)?;
    let failed = |message: String| SpawnError::Failed {
        program: program.clone(),
        message,
    };
    let mut child = Command::new(program)
        .args(args)
        .current_dir(cwd)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .map_err(|e| failed(e.to_string()))?;
    let stdout = child.stdout.take().ok_or(SpawnError::Empty)?;
    let (sender, receiver) = mpsc::channel();
    std::thread::Builder::new()
        .name("answer".to_owned())
        .stack_size(256 * 1024)
        .spawn(move || {
            let mut bytes = Vec::new();
            let read = stdout.take(MOST_BYTES).read_to_end(&mut bytes);
            // Nobody waits any more when the time was up.
            sender.send(read.map(|_| bytes)).unwrap_or_default();
        })
        .map_err(|e| failed(e.to_string()))?;
    let found = receiver.recv_timeout(limit);
    if found.is_err() {
        let id = liveness::identify(child.id() as i32);
        let mut targets = tree::descendants(id.pid);
        targets.push(id);
        tree::end(&targets, Duration::from_millis(200));
    }
    let status = child.wait().map_err(|e| failed(e.to_string()))?;
    match found {
        Err(_) => Err(failed(format!("no answer within {} s", limit.as_secs()))),
        Ok(Err(e)) => Err(failed(e.to_string())),
        Ok(Ok(_)) if !status.success() => Err(failed(format!("ended with {status}"))),
        Ok(Ok(bytes)) => Ok(String::from_utf8_lossy(&bytes).into_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(script: &str, ms: u64) -> Result<String, SpawnError> {
        let argv = ["sh", "-c", script].map(str::to_owned);
        answer(&argv, Path::new("/"), Duration::from_millis(ms))
    }

    #[test]
    fn the_answer_is_what_is_printed_and_a_failure_is_none() {
        assert_eq!(run("echo hello", 20_000).unwrap(), "hello\n");
        assert!(run("echo half; exit 3", 20_000).is_err());
    }

    #[test]
    fn a_program_that_does_not_answer_is_ended() {
        let error = run("sleep 600", 50).unwrap_err().to_string();
        assert!(error.contains("no answer"), "{error}");
    }
}
