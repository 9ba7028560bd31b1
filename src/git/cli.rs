//! The one door to the `git` program: fixed locale, no prompts, no inherited repository variables,
//! stderr in every error. Nothing else in the crate starts git.
//! It must not decide anything; callers say which exit codes are answers.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::time::Duration;

use super::error::{GitError, lock_in_the_way};
use super::output::{GitOutput, read_all};
use crate::platform::lease::Lease;
use crate::process::leaving;
use crate::process::shell::{self, Bounded, Cancel};

/// Variables by which a calling git (a hook, say) would silently redirect ours.
const REDIRECTING: [&str; 9] = [
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_OBJECT_DIRECTORY",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_COMMON_DIR",
    "GIT_NAMESPACE",
    "GIT_PREFIX",
    "GIT_QUARANTINE_PATH",
];

/// Settings that keep output parseable and background work out of the way.
const HERMETIC: [&str; 8] = [
    "core.quotePath=false",
    "color.ui=false",
    "gc.auto=0",
    "maintenance.auto=false",
    "advice.detachedHead=false",
    "core.fsmonitor=false",
    "submodule.recurse=false",
    // Another git that moves the same ref is through in a moment.
    "core.filesRefLockTimeout=1000",
];

/// A call of git being put together.
#[derive(Debug, Clone)]
pub struct GitCall {
    /// Words in front of `git`, for a program that starts it.
    through: Vec<String>,
    dir: PathBuf,
    globals: Vec<OsString>,
    args: Vec<OsString>,
    env: Vec<(OsString, OsString)>,
    stdin: Option<Vec<u8>>,
    keeps_open: Option<Arc<File>>,
    answers: Vec<i32>,
    limit: Option<Duration>,
    manner: Manner,
}

/// What a call with a limit is to the user.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Manner {
    Looks,
    /// It changes something of the user's: when its time is up it is to take its locks away.
    Changes,
    /// The same, and it may ask something at the terminal.
    Asks,
}

/// How a call ended, and what it said to stdout and stderr.
type Ended = (ExitStatus, Vec<u8>, Vec<u8>);

/// Starts a call that runs in `dir`.
pub fn git(dir: &Path) -> GitCall {
    GitCall {
        through: Vec::new(),
        dir: dir.to_path_buf(),
        globals: Vec::new(),
        args: Vec::new(),
        env: Vec::new(),
        stdin: None,
        keeps_open: None,
        answers: vec![0],
        limit: None,
        manner: Manner::Looks,
    }
}

impl GitCall {
    /// Starts git by another program, whose words stand before it.
    pub fn through(mut self, words: &[String]) -> Self {
        self.through.extend_from_slice(words);
        self
    }

    /// Adds an option that stands before the subcommand.
    pub fn global(mut self, option: impl AsRef<OsStr>) -> Self {
        self.globals.push(option.as_ref().to_os_string());
        self
    }

    pub fn arg(mut self, arg: impl AsRef<OsStr>) -> Self {
        self.args.push(arg.as_ref().to_os_string());
        self
    }

    pub fn args<I, S>(mut self, args: I) -> Self
    where
        I: IntoIterator<Item = S>,
        S: AsRef<OsStr>,
    {
        self.args
            .extend(args.into_iter().map(|arg| arg.as_ref().to_os_string()));
        self
    }

    pub fn env(mut self, key: impl AsRef<OsStr>, value: impl AsRef<OsStr>) -> Self {
        self.env
            .push((key.as_ref().to_os_string(), value.as_ref().to_os_string()));
        self
    }

    pub fn stdin(mut self, bytes: impl Into<Vec<u8>>) -> Self {
        self.stdin = Some(bytes.into());
        self
    }

    /// Has git hold a lease as well, so that whoever finds it free knows that this git has ended, however grove has.
    /// Only for a call with a limit and without input.
    pub fn holding(mut self, lease: &Lease) -> Result<Self, GitError> {
        let lent = lease.lend().map_err(|source| GitError::Spawn {
            command: self.name(),
            source,
        })?;
        self.keeps_open = Some(Arc::new(lent));
        Ok(self)
    }

    /// Accepts this exit code as an answer besides 0.
    pub fn also(mut self, code: i32) -> Self {
        self.answers.push(code);
        self
    }

    /// Where it runs.
    pub(super) fn dir(&self) -> &Path {
        &self.dir
    }

    /// As `within`, for calls that change refs or a checkout of the user, whose hooks and filters run: git takes its
    /// locks away before it goes, and what a hook has left running on purpose stays when all went well.
    pub fn changing_within(mut self, limit: Duration) -> Self {
        self.manner = Manner::Changes;
        self.within(limit)
    }

    /// As `changing_within`, for calls that log in somewhere: who asks for a passphrase does that at the terminal.
    pub fn asking_within(mut self, limit: Duration) -> Self {
        self.manner = Manner::Asks;
        self.within(limit)
    }

    /// Ends git, and everything it has started, when it takes longer: for calls that run programs of the user.
    pub fn within(mut self, limit: Duration) -> Self {
        self.limit = Some(limit);
        self
    }

    /// Runs git to its end.
    pub fn run(self) -> Result<GitOutput, GitError> {
        self.run_unless(None)
    }

    /// The same, until somebody calls it off: then git is ended as if its time were up. A call without a limit goes on.
    pub fn run_unless(self, cancel: Option<&Cancel>) -> Result<GitOutput, GitError> {
        let name = self.name();
        let answers = self.answers.clone();
        let (status, stdout, stderr) = match self.limit {
            None => self.unlimited(&name)?,
            Some(limit) => self.limited(&name, limit, cancel)?,
        };
        let stderr = String::from_utf8_lossy(&stderr).into_owned();
        match status.code() {
            Some(code) if answers.contains(&code) => Ok(GitOutput {
                code,
                stdout,
                stderr,
            }),
            code => Err(match lock_in_the_way(&stderr) {
                Some(lock) => GitError::Locked { lock, stderr },
                None => GitError::Failed {
                    command: name,
                    code,
                    stderr,
                },
            }),
        }
    }

    fn command(&self) -> Command {
        let mut command = match self.through.split_first() {
            Some((program, words)) => {
                let mut command = Command::new(program);
                command.args(words).arg("git");
                command
            }
            None => Command::new("git"),
        };
        command.current_dir(&self.dir);
        for key in REDIRECTING {
            command.env_remove(key);
        }
        command
            .env("LC_ALL", "C")
            .env("GIT_TERMINAL_PROMPT", "0")
            .env("GIT_OPTIONAL_LOCKS", "0")
            // A file may be called `:(top)x` or `*`.
            .env("GIT_LITERAL_PATHSPECS", "1")
            .env("GIT_EDITOR", ":")
            .env("GIT_MERGE_AUTOEDIT", "no")
            .env("GIT_PAGER", "cat");
        for setting in HERMETIC {
            command.arg("-c").arg(setting);
        }
        command.args(&self.globals).args(&self.args);
        command.envs(self.env.iter().map(|(key, value)| (key, value)));
        command
    }

    /// How a call that could not be started failed.
    fn not_started(&self, name: &str, source: std::io::Error) -> GitError {
        // A missing working directory is reported as "not found" too.
        if source.kind() == std::io::ErrorKind::NotFound && self.dir.is_dir() {
            GitError::Missing { source }
        } else {
            GitError::Spawn {
                command: name.to_owned(),
                source,
            }
        }
    }

    fn limited(
        self,
        name: &str,
        time_limit: Duration,
        cancel: Option<&Cancel>,
    ) -> Result<Ended, GitError> {
        #[cfg(test)]
        super::calls::count();
        let run = match self.manner {
            Manner::Looks => shell::run_for_bytes,
            Manner::Changes => shell::run_asking,
            Manner::Asks => shell::run_at_terminal,
        };
        let lent = self.keeps_open.as_ref().map(|file| file.try_clone());
        let lent = lent.transpose().map_err(|e| self.not_started(name, e))?;
        let ended = run(Bounded {
            command: self.command(),
            stdin: self.stdin.clone(),
            keeps_open: lent,
            time_limit,
            keep: usize::MAX,
            errors_apart: true,
            cancel,
            may_clean_up: true,
        })
        .map_err(|source| {
            // Whoever is asked a second time to end starts nothing more.
            if leaving::refuses(&source) {
                let command = name.to_owned();
                return GitError::Interrupted { command };
            }
            self.not_started(name, source)
        })?;
        match ended.status {
            Some(status) => Ok((status, ended.out, ended.errors)),
            None if ended.called_off => Err(GitError::Interrupted {
                command: name.to_owned(),
            }),
            None => Err(GitError::TookTooLong {
                command: name.to_owned(),
                limit: time_limit,
                waited_for: ended.waited_for.map(|words| words.join(" ")),
            }),
        }
    }

    fn unlimited(self, name: &str) -> Result<Ended, GitError> {
        let mut command = self.command();
        command
            .stdin(if self.stdin.is_some() {
                Stdio::piped()
            } else {
                Stdio::null()
            })
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());

        #[cfg(test)]
        super::calls::count();
        let mut child = command
            .spawn()
            .map_err(|source| self.not_started(name, source))?;
        let spawn_error = |source| GitError::Spawn {
            command: name.to_owned(),
            source,
        };

        // All three pipes move at once, or a full one would stop git for ever.
        let stdin = child.stdin.take().zip(self.stdin);
        let stderr = child.stderr.take();
        let stdout = child.stdout.take();
        let (stdout, stderr) = std::thread::scope(|scope| {
            let writer = scope.spawn(move || match stdin {
                Some((mut pipe, bytes)) => pipe.write_all(&bytes),
                None => Ok(()),
            });
            let reader = scope.spawn(move || read_all(stderr));
            let stdout = read_all(stdout);
            let stderr = reader
                .join()
                .unwrap_or_else(|_| Err(std::io::Error::other("stderr reader stopped")));
            // git may answer without reading everything: a broken pipe is not our failure.
            match writer.join() {
                Ok(Ok(())) => {}
                Ok(Err(error)) if error.kind() == std::io::ErrorKind::BrokenPipe => {}
                Ok(Err(error)) => return (Err(error), stderr),
                Err(_) => {
                    return (Err(std::io::Error::other("stdin writer stopped")), stderr);
                }
            }
            (stdout, stderr)
        });
        let status = child.wait().map_err(spawn_error)?;
        Ok((
            status,
            stdout.map_err(spawn_error)?,
            stderr.map_err(spawn_error)?,
        ))
    }

    /// Runs git and returns stdout as trimmed text.
    pub fn text(self) -> Result<String, GitError> {
        self.run().map(|output| output.text())
    }

    fn name(&self) -> String {
        self.args
            .iter()
            .take(3)
            .map(|arg| arg.to_string_lossy())
            .collect::<Vec<_>>()
            .join(" ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failing_call_carries_what_git_said() {
        let dir = tempfile::tempdir().unwrap();
        let error = git(dir.path())
            .args(["rev-parse", "HEAD"])
            .run()
            .unwrap_err();
        let GitError::Failed {
            command,
            code,
            stderr,
        } = &error
        else {
            panic!("{error:?}");
        };
        assert_eq!(command, "rev-parse HEAD");
        assert_eq!(*code, Some(128));
        assert!(stderr.contains("not a git repository"), "{stderr}");
    }

    #[test]
    fn large_input_and_output_do_not_block_each_other() {
        let dir = tempfile::tempdir().unwrap();
        git(dir.path()).args(["init", "-q"]).run().unwrap();
        let bytes = vec![b'x'; 3_000_000];
        let oid = git(dir.path())
            .args(["hash-object", "-w", "--stdin"])
            .stdin(bytes.clone())
            .text()
            .unwrap();
        let output = git(dir.path())
            .args(["cat-file", "blob", &oid])
            .run()
            .unwrap();
        assert_eq!(output.stdout, bytes);
    }
}
