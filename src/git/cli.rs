//! The one door to the `git` program: fixed locale, no prompts, no inherited repository variables,
//! stderr in every error. Nothing else in the crate starts git.
//! It must not decide anything; callers say which exit codes are answers.

use std::ffi::{OsStr, OsString};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

use super::error::{GitError, lock_in_the_way};

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

/// What git answered.
#[derive(Debug, Clone)]
pub struct GitOutput {
    pub code: i32,
    pub stdout: Vec<u8>,
    pub stderr: String,
}

impl GitOutput {
    /// Returns stdout as text without the final newline.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.stdout)
            .trim_end_matches(['\n', '\r'])
            .to_owned()
    }
}

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
    answers: Vec<i32>,
}

/// Starts a call that runs in `dir`.
pub fn git(dir: &Path) -> GitCall {
    GitCall {
        through: Vec::new(),
        dir: dir.to_path_buf(),
        globals: Vec::new(),
        args: Vec::new(),
        env: Vec::new(),
        stdin: None,
        answers: vec![0],
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

    /// Accepts this exit code as an answer besides 0.
    pub fn also(mut self, code: i32) -> Self {
        self.answers.push(code);
        self
    }

    /// Runs git to its end.
    pub fn run(self) -> Result<GitOutput, GitError> {
        let name = self.name();
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
            .stdin(if self.stdin.is_some() {
                Stdio::piped()
            } else {
                Stdio::null()
            })
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());

        #[cfg(test)]
        super::calls::count();
        let mut child = command.spawn().map_err(|source| {
            // A missing working directory is reported as "not found" too.
            if source.kind() == std::io::ErrorKind::NotFound && self.dir.is_dir() {
                GitError::Missing { source }
            } else {
                GitError::Spawn {
                    command: name.clone(),
                    source,
                }
            }
        })?;
        let spawn_error = |source| GitError::Spawn {
            command: name.clone(),
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
        let stdout = stdout.map_err(spawn_error)?;
        let stderr = String::from_utf8_lossy(&stderr.map_err(spawn_error)?).into_owned();
        match status.code() {
            Some(code) if self.answers.contains(&code) => Ok(GitOutput {
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

fn read_all(pipe: Option<impl Read>) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    if let Some(mut pipe) = pipe {
        pipe.read_to_end(&mut bytes)?;
    }
    Ok(bytes)
}

/// The version of the git program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct GitVersion {
    pub major: u32,
    pub minor: u32,
}

impl GitVersion {
    /// Worktrees can be removed and listed by script from 2.17 on.
    pub const OLDEST_USABLE: Self = Self {
        major: 2,
        minor: 17,
    };
    /// `merge-tree --write-tree` came with 2.38.
    pub const WRITES_MERGED_TREES: Self = Self {
        major: 2,
        minor: 38,
    };
    /// `--attr-source` and `merge-tree --merge-base` came by 2.41.
    pub const READS_ATTRIBUTES_FROM_TREES: Self = Self {
        major: 2,
        minor: 41,
    };
    /// An empty `url` or `pushurl` takes back those before it from 2.46 on.
    pub const EMPTIES_URLS: Self = Self {
        major: 2,
        minor: 46,
    };
}

impl std::fmt::Display for GitVersion {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}

/// What the program said about itself.
static KNOWN: OnceLock<GitVersion> = OnceLock::new();
/// A version that the program has shown to have by doing what older ones cannot.
static SHOWN: OnceLock<GitVersion> = OnceLock::new();

/// Remembers that git did what only `version` and later ones can: a program less to start.
pub(super) fn has_shown(version: GitVersion) {
    SHOWN.get_or_init(|| version);
}

/// Tells whether git is at least this version, without asking the program. `None`: not known yet.
pub(super) fn known_to_be(version: GitVersion) -> Option<bool> {
    let is_shown = SHOWN.get().is_some_and(|shown| *shown >= version);
    KNOWN
        .get()
        .map(|known| *known >= version)
        .or(is_shown.then_some(true))
}

/// Tells whether git is at least this version.
pub(crate) fn is_at_least(version: GitVersion) -> Result<bool, GitError> {
    match known_to_be(version) {
        Some(answer) => Ok(answer),
        None => Ok(self::version()? >= version),
    }
}

/// Returns the version of git, asking the program once per process.
pub fn version() -> Result<GitVersion, GitError> {
    if let Some(version) = KNOWN.get() {
        return Ok(*version);
    }
    let text = git(Path::new(".")).arg("--version").text()?;
    let version = parse_version(&text).ok_or_else(|| GitError::Unexpected {
        command: "--version".to_owned(),
        detail: text.clone(),
    })?;
    Ok(*KNOWN.get_or_init(|| version))
}

/// Fails unless there is a git program that can do what this crate needs.
pub fn require_git() -> Result<(), GitError> {
    if known_to_be(GitVersion::OLDEST_USABLE) == Some(true) {
        return Ok(());
    }
    let found = version()?;
    if found < GitVersion::OLDEST_USABLE {
        return Err(GitError::TooOld {
            found: found.to_string(),
            needed: GitVersion::OLDEST_USABLE.to_string(),
        });
    }
    Ok(())
}

fn parse_version(text: &str) -> Option<GitVersion> {
    let number = text.split_whitespace().nth(2)?;
    let mut parts = number.split('.');
    Some(GitVersion {
        major: parts.next()?.parse().ok()?,
        minor: parts.next()?.parse().ok()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_of_every_vendor_are_read() {
        let read = |text| parse_version(text).map(|v| (v.major, v.minor));
        assert_eq!(read("git version 2.47.3"), Some((2, 47)));
        assert_eq!(read("git version 2.39.5 (Apple Git-154)"), Some((2, 39)));
        assert_eq!(read("git version 2.45.1.windows.1"), Some((2, 45)));
        assert_eq!(read("git version unknown"), None);
        assert!(
            GitVersion {
                major: 2,
                minor: 37
            } < GitVersion::WRITES_MERGED_TREES
        );
        assert!(GitVersion { major: 3, minor: 0 } > GitVersion::WRITES_MERGED_TREES);
    }

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
