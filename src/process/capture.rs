//! Asking another program something and not waiting for ever: output of a command within a limit.

use std::io::Read;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

/// More output than any answer has.
const MOST_BYTES: u64 = 1024 * 1024;

/// What a command said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Captured {
    /// Whether it ended well.
    pub success: bool,
    /// Its standard output.
    pub stdout: String,
    /// Its standard error.
    pub stderr: String,
}

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub enum CaptureError {
    /// The program is not there or cannot be started.
    #[error("{program} cannot be started: {source}")]
    Start {
        /// The program.
        program: String,
        /// The system's reason.
        #[source]
        source: std::io::Error,
    },
    /// It took too long and was ended.
    #[error("{program} did not answer within {} s", limit.as_secs())]
    TimedOut {
        /// The program.
        program: String,
        /// The time it was given.
        limit: Duration,
    },
}

/// Runs a program without input; it and what it started in its group are ended at the limit.
pub fn capture(
    program: &str,
    args: &[&str],
    dir: &Path,
    limit: Duration,
) -> Result<Captured, CaptureError> {
    let deadline = Instant::now() + limit;
    let mut command = Command::new(program);
    command
        .args(args)
        .current_dir(dir)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    let mut child = command.spawn().map_err(|source| CaptureError::Start {
        program: program.to_owned(),
        source,
    })?;
    let out = child.stdout.take().map(reader);
    let err = child.stderr.take().map(reader);
    let answer = text(out, deadline).and_then(|stdout| Some((stdout, text(err, deadline)?)));
    let ended = answer.and_then(|answer| Some((answer, wait(&mut child, deadline)?)));
    let Some(((stdout, stderr), success)) = ended else {
        end(&mut child);
        return Err(CaptureError::TimedOut {
            program: program.to_owned(),
            limit,
        });
    };
    Ok(Captured {
        success,
        stdout,
        stderr,
    })
}

fn reader(pipe: impl Read + Send + 'static) -> Receiver<String> {
    let (done, result) = channel();
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        // What was read before an error is still an answer.
        drop(pipe.take(MOST_BYTES).read_to_end(&mut bytes));
        // Nobody listens any more after the limit.
        drop(done.send(String::from_utf8_lossy(&bytes).into_owned()));
    });
    result
}

fn text(pipe: Option<Receiver<String>>, deadline: Instant) -> Option<String> {
    let left = deadline.saturating_duration_since(Instant::now());
    pipe.map_or(Some(String::new()), |pipe| pipe.recv_timeout(left).ok())
}

/// The pipes are closed, so the end is near; a program that goes on all the same meets the limit.
fn wait(child: &mut Child, deadline: Instant) -> Option<bool> {
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return Some(status.success()),
            Ok(None) if Instant::now() < deadline => {
                std::thread::sleep(Duration::from_millis(2));
            }
            Ok(None) | Err(_) => return None,
        }
    }
}

fn end(child: &mut Child) {
    #[cfg(unix)]
    {
        use rustix::process::{Pid, Signal, kill_process_group};
        // A group that is gone already is what is wanted.
        kill_process_group(Pid::from_child(child), Signal::KILL).unwrap_or_default();
    }
    #[cfg(not(unix))]
    drop(child.kill());
    drop(child.wait());
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn sh(script: &str, limit: Duration) -> Result<Captured, CaptureError> {
        capture("sh", &["-c", script], Path::new("/"), limit)
    }

    #[test]
    fn output_and_outcome_are_told() {
        let done = sh("echo out; echo err >&2; exit 3", Duration::from_secs(30)).unwrap();
        assert_eq!(
            done,
            Captured {
                success: false,
                stdout: "out\n".into(),
                stderr: "err\n".into()
            }
        );
        assert!(matches!(
            capture(
                "/no/such/program",
                &[],
                Path::new("/"),
                Duration::from_secs(1)
            ),
            Err(CaptureError::Start { .. })
        ));
    }

    #[test]
    fn what_does_not_answer_is_ended_with_what_it_started() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("pid");
        let script = format!("sleep 600 & echo $! > {}; wait", file.display());
        let error = sh(&script, Duration::from_millis(500)).unwrap_err();
        assert!(matches!(error, CaptureError::TimedOut { .. }), "{error}");
        let pid: i32 = std::fs::read_to_string(file)
            .unwrap()
            .trim()
            .parse()
            .unwrap();
        let gone = crate::process::tree::wait_gone(
            &[crate::platform::liveness::identify(pid)],
            Duration::from_secs(30),
        );
        assert!(gone.is_empty(), "{gone:?}");
    }
}
