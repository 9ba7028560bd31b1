//! A git repository, an empty home and a scrubbed environment, in a folder of their own.
//! Nothing of the machine's user is visible in it, and no process of it survives the test.

use super::processes::{self, MARK};
use super::wait::{SHORT, wait_until};
use rusqlite::types::ValueRef;
use rusqlite::{Connection, OpenFlags};
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// The program under test.
pub(crate) const GROVE: &str = env!("CARGO_BIN_EXE_grove");

/// No command of the tests takes longer; a hanging one fails with its output.
const COMMAND_LIMIT: Duration = Duration::from_secs(60);

/// What a command printed and how it ended.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Finished {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Finished {
    /// The JSON of the last line.
    pub(crate) fn json(&self) -> serde_json::Value {
        let line = self.stdout.lines().last().unwrap_or_default();
        serde_json::from_str(line).unwrap_or_else(|e| panic!("no JSON ({e}): {self:?}"))
    }
}

pub(crate) struct TestProject {
    dir: tempfile::TempDir,
    env: BTreeMap<String, String>,
}

impl TestProject {
    /// A repository with one commit on `main`.
    pub(crate) fn new() -> Self {
        let project = Self::empty();
        project.write("README.md", "# A project\n");
        project.git(&["add", "-A"]);
        project.git(&["commit", "-q", "-m", "Begin"]);
        project
    }

    /// A repository without any commit.
    pub(crate) fn empty() -> Self {
        let project = Self::bare_folder();
        project.git(&["init", "-q", "-b", "main"]);
        project
    }

    /// A folder that is no repository.
    pub(crate) fn bare_folder() -> Self {
        let dir = tempfile::Builder::new().prefix("gt").tempdir().unwrap();
        // The system may call its temp folder by a link; processes see the real path.
        let base = dir.path().canonicalize().unwrap();
        for name in ["repo", "home", "run", "tmp", "bin"] {
            fs::create_dir(base.join(name)).unwrap();
        }
        private(&base.join("run"));
        link(Path::new(GROVE), &base.join("bin/grove"));
        fs::write(
            base.join("home/.gitconfig"),
            "[user]\n\tname = Tester\n\temail = tester@example.org\n[init]\n\tdefaultBranch = main\n",
        )
        .unwrap();
        let path = format!("{}:{}", base.join("bin").display(), system_path());
        let text = |path: PathBuf| path.to_str().unwrap().to_owned();
        let env = [
            ("PATH", path),
            ("HOME", text(base.join("home"))),
            ("XDG_RUNTIME_DIR", text(base.join("run"))),
            ("TMPDIR", text(base.join("tmp"))),
            ("LANG", "C.UTF-8".to_owned()),
            ("TERM", "xterm-256color".to_owned()),
            ("GIT_CONFIG_NOSYSTEM", "1".to_owned()),
            (MARK, text(base)),
        ];
        let env = env.map(|(name, value)| (name.to_owned(), value));
        Self {
            dir,
            env: env.into_iter().collect(),
        }
    }

    /// A repository that `grove init` has set up.
    pub(crate) fn initialised() -> Self {
        let project = Self::new();
        project.grove_ok(&["init", "--yes"]);
        // Tests start many agents at once; the pause has a test of its own.
        let config = project.read(".overstory/config.yaml");
        let quick = config.replace("staggerDelayMs: 2000", "staggerDelayMs: 0");
        assert_ne!(config, quick);
        project.write(".overstory/config.yaml", &quick);
        project
    }

    /// Stores the script of a scripted agent; gives its path.
    pub(crate) fn script(&self, name: &str, text: &str) -> String {
        let path = self.beside().join(format!("{name}.yaml"));
        fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    }

    fn base(&self) -> PathBuf {
        self.dir.path().canonicalize().unwrap()
    }

    pub(crate) fn root(&self) -> PathBuf {
        self.base().join("repo")
    }

    /// A folder of this test beside the repository, where signal files may be put.
    pub(crate) fn beside(&self) -> PathBuf {
        self.base().join("tmp")
    }

    pub(crate) fn home(&self) -> PathBuf {
        self.base().join("home")
    }

    pub(crate) fn overstory(&self, name: &str) -> PathBuf {
        self.root().join(".overstory").join(name)
    }

    pub(crate) fn env(&self) -> &BTreeMap<String, String> {
        &self.env
    }

    pub(crate) fn set_env(&mut self, name: &str, value: &str) {
        self.env.insert(name.to_owned(), value.to_owned());
    }

    /// Puts a program on the project's PATH under a name.
    pub(crate) fn install(&self, program: &Path, name: &str) {
        link(program, &self.base().join("bin").join(name));
    }

    /// Puts a shell script on the project's PATH.
    pub(crate) fn install_script(&self, name: &str, text: &str) {
        let path = self.base().join("bin").join(name);
        fs::write(&path, format!("#!/bin/sh\n{text}\n")).unwrap();
        executable(&path);
    }

    pub(crate) fn write(&self, path: &str, text: &str) {
        let path = self.root().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    pub(crate) fn read(&self, path: &str) -> String {
        fs::read_to_string(self.root().join(path)).unwrap_or_default()
    }

    pub(crate) fn command(&self, program: impl AsRef<OsStr>) -> Command {
        let mut command = Command::new(program);
        command
            .env_clear()
            .envs(&self.env)
            .current_dir(self.root())
            .stdin(Stdio::null());
        command
    }

    /// Runs grove in the repository.
    pub(crate) fn grove(&self, args: &[&str]) -> Finished {
        let mut command = self.command(GROVE);
        command.args(args);
        finish(command, &format!("grove {}", args.join(" ")))
    }

    /// Runs grove and expects success; gives its output.
    pub(crate) fn grove_ok(&self, args: &[&str]) -> String {
        let done = self.grove(args);
        assert_eq!(
            done.code,
            Some(0),
            "grove {args:?}: {done:#?}\n{}",
            self.report()
        );
        done.stdout
    }

    pub(crate) fn git(&self, args: &[&str]) -> String {
        self.git_in(&self.root(), args)
    }

    pub(crate) fn git_in(&self, dir: &Path, args: &[&str]) -> String {
        let mut command = self.command("git");
        command.args(args).current_dir(dir);
        let done = finish(command, &format!("git {}", args.join(" ")));
        assert_eq!(done.code, Some(0), "git {args:?}: {done:#?}");
        done.stdout.trim_end().to_owned()
    }

    /// Whether a revision exists.
    pub(crate) fn has_revision(&self, name: &str) -> bool {
        let mut command = self.command("git");
        command.args(["rev-parse", "-q", "--verify", name]);
        finish(command, "git rev-parse").code == Some(0)
    }

    /// Rows of a query on one of the project's databases, every value as text. A database
    /// or table that does not exist yet has no rows.
    pub(crate) fn sql(&self, database: &str, query: &str) -> Vec<Vec<String>> {
        let path = self.overstory(database);
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let Ok(connection) = Connection::open_with_flags(path, flags) else {
            return Vec::new();
        };
        connection.busy_timeout(Duration::from_secs(5)).unwrap();
        let Ok(mut statement) = connection.prepare(query) else {
            return Vec::new();
        };
        let columns = statement.column_count();
        let rows = statement.query_map([], |row| {
            (0..columns).map(|i| row.get_ref(i).map(text_of)).collect()
        });
        rows.unwrap().map(Result::unwrap).collect()
    }

    /// The state of an agent's newest session.
    pub(crate) fn state(&self, agent: &str) -> Option<String> {
        let query =
            format!("SELECT state FROM sessions WHERE agent_name = '{agent}' ORDER BY started_at");
        self.sql("sessions.db", &query).pop()?.pop()
    }

    pub(crate) fn wait_for_state(&self, agent: &str, wanted: &str, limit: Duration) {
        wait_until(
            &format!("{agent} becomes {wanted}"),
            limit,
            || (self.state(agent).as_deref() == Some(wanted)).then_some(()),
            || self.report(),
        );
    }

    /// Pid of an agent's host and of its CLI, as recorded.
    pub(crate) fn pids(&self, agent: &str) -> Option<(i64, i64)> {
        let query = format!("SELECT host_pid, cli_pid FROM hosts WHERE agent = '{agent}'");
        let row = self.sql("grove.db", &query).pop()?;
        Some((row.first()?.parse().ok()?, row.get(1)?.parse().ok()?))
    }

    /// Subjects of the mail from one agent of one type.
    pub(crate) fn mail(&self, from: &str, kind: &str) -> Vec<String> {
        let query = format!(
            "SELECT subject FROM messages WHERE from_agent = '{from}' AND type = '{kind}' ORDER BY created_at"
        );
        self.sql("mail.db", &query).into_iter().flatten().collect()
    }

    /// Everything that helps to understand a failure.
    pub(crate) fn report(&self) -> String {
        let mut text = String::new();
        let tables = [
            (
                "sessions.db",
                "SELECT agent_name, state, pid, branch_name FROM sessions",
            ),
            (
                "grove.db",
                "SELECT agent, host_pid, cli_pid, first_hook_at, waiting_for, exit FROM hosts",
            ),
            (
                "mail.db",
                "SELECT from_agent, to_agent, type, subject, read FROM messages",
            ),
            (
                "merge-queue.db",
                "SELECT branch_name, status, resolved_tier FROM merge_queue",
            ),
            (
                "events.db",
                "SELECT agent_name, event_type, tool_name, level, data FROM events ORDER BY id DESC LIMIT 40",
            ),
        ];
        for (database, query) in tables {
            text.push_str(&format!("--- {database}\n"));
            for row in self.sql(database, query) {
                text.push_str(&row.join(" | ").chars().take(600).collect::<String>());
                text.push('\n');
            }
        }
        let mut git = self.command("git");
        git.args(["log", "--oneline", "--all", "--graph", "-20"]);
        text.push_str(&format!("--- git\n{}", finish(git, "git log").stdout));
        let hosts = fs::read_dir(self.overstory("hosts"));
        for folder in hosts.into_iter().flatten().flatten() {
            let log = fs::read_to_string(folder.path().join("host.log")).unwrap_or_default();
            text.push_str(&format!("--- {}/host.log\n{log}", folder.path().display()));
        }
        text
    }

    /// Processes of this project that are alive.
    pub(crate) fn processes(&self) -> Vec<i64> {
        processes::marked(&self.base())
    }
}

impl Drop for TestProject {
    fn drop(&mut self) {
        // Hosts outlive their starters by design, so the test ends them itself. A process may be
        // forking while it is looked at, hence more than one round.
        let end = Instant::now() + SHORT;
        loop {
            let left = self.processes();
            if left.is_empty() || Instant::now() > end {
                return;
            }
            for pid in left {
                processes::kill_9(pid);
            }
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

/// Runs a command to its end, or fails with what it printed so far.
fn finish(mut command: Command, what: &str) -> Finished {
    let mut child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap_or_else(|e| panic!("{what}: {e}"));
    let stdout = reader(child.stdout.take().unwrap());
    let stderr = reader(child.stderr.take().unwrap());
    let end = Instant::now() + COMMAND_LIMIT;
    let status = loop {
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        if Instant::now() > end {
            child.kill().ok();
            child.wait().ok();
            panic!("{what} did not end within {} s", COMMAND_LIMIT.as_secs());
        }
        std::thread::sleep(Duration::from_millis(5));
    };
    Finished {
        code: status.code(),
        stdout: stdout.join().unwrap(),
        stderr: stderr.join().unwrap(),
    }
}

fn reader(mut pipe: impl Read + Send + 'static) -> std::thread::JoinHandle<String> {
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        pipe.read_to_end(&mut bytes).ok();
        String::from_utf8_lossy(&bytes).into_owned()
    })
}

fn text_of(value: ValueRef<'_>) -> String {
    match value {
        ValueRef::Null => String::new(),
        ValueRef::Integer(n) => n.to_string(),
        ValueRef::Real(n) => n.to_string(),
        ValueRef::Text(text) | ValueRef::Blob(text) => String::from_utf8_lossy(text).into_owned(),
    }
}

/// The folders of the system's programs, without anything of the user.
fn system_path() -> String {
    let mut folders: Vec<PathBuf> = Vec::new();
    let path = std::env::var_os("PATH").unwrap_or_default();
    for program in ["git", "sh", "sleep", "kill"] {
        let found = std::env::split_paths(&path).find(|dir| dir.join(program).is_file());
        folders.extend(found.filter(|dir| !folders.contains(dir)));
    }
    folders.extend(["/usr/bin".into(), "/bin".into()]);
    std::env::join_paths(folders)
        .unwrap()
        .into_string()
        .unwrap()
}

fn link(program: &Path, name: &Path) {
    fs::remove_file(name).ok();
    std::os::unix::fs::symlink(program, name).unwrap();
}

fn executable(path: &Path) {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

fn private(path: &Path) {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(path, fs::Permissions::from_mode(0o700)).unwrap();
}
