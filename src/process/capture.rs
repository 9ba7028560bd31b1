//! Asking another program something and not waiting for ever: output of a command within a limit.

use super::shell::{Bounded, run};
use std::path::Path;
use std::process::Command;
use std::time::Duration;

/// More output than any answer has.
const MOST_BYTES: usize = 1024 * 1024;

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

/// Runs a program without input; it and what it started are ended at the limit.
pub fn capture(
    program: &str,
    args: &[&str],
    dir: &Path,
    limit: Duration,
) -> Result<Captured, CaptureError> {
    let mut command = Command::new(program);
    command.args(args).current_dir(dir);
    let ended = run(Bounded {
        command,
        stdin: None,
        keeps_open: None,
        time_limit: limit,
        keep: MOST_BYTES,
        errors_apart: true,
        cancel: None,
        may_clean_up: false,
    })
    .map_err(|source| CaptureError::Start {
        program: program.to_owned(),
        source,
    })?;
    let status = ended.status.ok_or_else(|| CaptureError::TimedOut {
        program: program.to_owned(),
        limit,
    })?;
    Ok(Captured {
        success: status.success(),
        stdout: ended.tail,
        stderr: ended.errors,
    })
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
