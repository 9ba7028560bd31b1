//! Running what agents have written on the user's behalf: quality gates, and agent CLIs that answer a
//! question. In a sandbox that lets them write to one checkout, a temporary folder of their own and the
//! project's caches; it goes with everything they have started.
//!
//! Who gets a sandbox is the configuration's part, what is in the rules that of `sandbox`.

use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::time::Duration;

use crate::config::{GATES, SandboxConfig, SandboxMode};
use crate::git::{apart, by_environment, no_push, without_logins};
use crate::platform::liveness::{Liveness, check};
use crate::platform::paths::agent_temp;
use crate::platform::{ProjectPaths, env, fs, random};
use crate::process::bound;
use crate::process::shell::{Bounded, Ended, run};
use crate::process::tree::{self, Signal};
use crate::runtimes::cloud_logins;
use crate::sandbox::{self, CheckPlace, Rules, Support};
use crate::text::secret_values;
use crate::types::host::ProcessId;

use super::error::WorktreeError;
use super::refusals::explanation;

/// Begins the names of temporary folders; the owner's pid comes next.
const TEMP: &str = "check-";
/// How often what is left of a check is looked for, and how long it may take to go.
const LOOKS: u32 = 20;
const GONE_WITHIN: Duration = Duration::from_secs(1);
/// What is to be confined, and where.
#[derive(Debug)]
pub struct Confinement<'a> {
    pub paths: &'a ProjectPaths,
    pub config: &'a SandboxConfig,
    /// The name of its mode in the configuration.
    pub role: &'a str,
    /// The checkout it may write to.
    pub folder: &'a Path,
    /// What it keeps in the home folder.
    pub state: &'a [PathBuf],
}

/// A place to run programs in.
#[derive(Debug)]
pub struct Confined {
    inside: Option<Inside>,
    note: Option<String>,
    git: Git,
}

/// Settings for git: nothing of the user's leaves through what agents have written, with a sandbox or without.
#[derive(Debug)]
struct Git {
    folder: PathBuf,
    /// As if it had a repository of its own.
    apart: bool,
    /// Read by the first program, when the checkout has the repository it will have.
    settings: OnceLock<Vec<(String, String)>>,
}

#[derive(Debug)]
struct Inside {
    rules: Rules,
    temp: PathBuf,
    variables: Vec<(String, String)>,
    /// Variables of the user that are not passed on.
    withheld: Vec<String>,
}

impl Confined {
    /// Makes the folders it needs. Without a sandbox where the configuration or the system has none.
    pub fn prepare(wish: &Confinement<'_>) -> Result<Self, WorktreeError> {
        let note = unconfined(wish.config.mode(wish.role), &sandbox::support());
        if note.is_some() || wish.config.mode(wish.role) != SandboxMode::Strict {
            return Ok(Self {
                note,
                ..Self::open(wish.folder)
            });
        }
        let home = env::home();
        let is_gate = wish.role == GATES;
        // What agents can write to must not get into the checks of their work.
        let caches = wish.paths.file(if is_gate {
            sandbox::GATE_CACHES
        } else {
            sandbox::ASK_CACHES
        });
        fs::create_dir_all(&caches)?;
        let temp = temp_folder()?;
        let logins = match &home {
            // Gates log in nowhere.
            Some(home) if !is_gate => cloud_logins(home, &env::var),
            Some(_) | None => Vec::new(),
        };
        let rules = sandbox::check_rules(&CheckPlace {
            folder: wish.folder,
            temp: &temp,
            overstory: &wish.paths.dir(),
            hosts: &wish.paths.file("hosts"),
            caches: &caches,
            state: wish.state,
            logins: &logins,
            extra: &wish
                .config
                .writable_paths(home.as_deref(), &wish.paths.root),
            network: &wish.config.network,
            home: home.as_deref(),
        });
        let mut variables = sandbox::cache_variables(&caches, &env::var);
        for name in ["TMPDIR", "TMP", "TEMP", "TMUX_TMPDIR"] {
            variables.push((name.to_owned(), temp.to_string_lossy().into_owned()));
        }
        let passed = &wish.config.environment;
        let mut withheld: Vec<_> = sandbox::closed_doors(passed).map(str::to_owned).collect();
        if is_gate {
            withheld.extend(secret_names(env::all(), passed));
            let count = env::var("GIT_CONFIG_COUNT");
            variables.extend(without_logins(count.as_deref(), &env::var));
        }
        let inside = Inside {
            rules,
            temp,
            variables,
            withheld,
        };
        let crates = caches.join("cargo");
        let is_rust = wish.folder.join("Cargo.toml").is_file();
        inside.fill_cargo_home(home.as_deref().filter(|_| is_rust), &crates);
        Ok(Self {
            inside: Some(inside),
            note,
            git: Git::of(wish.folder, is_gate),
        })
    }

    /// No sandbox at all, for programs that work in `folder`.
    pub fn open(folder: &Path) -> Self {
        Self {
            inside: None,
            note: None,
            git: Git::of(folder, false),
        }
    }

    /// Whether there is a sandbox.
    pub const fn is_inside(&self) -> bool {
        self.inside.is_some()
    }

    /// Why there is no sandbox although the configuration wants one.
    pub fn note(&self) -> Option<&str> {
        self.note.as_deref()
    }

    /// Runs one command within its bounds.
    pub fn run(&self, mut bounded: Bounded<'_>) -> io::Result<Ended> {
        let count = env::var("GIT_CONFIG_COUNT");
        bounded
            .command
            .envs(by_environment(count.as_deref(), self.git.settings()))
            .env("GIT_TERMINAL_PROMPT", "0");
        bounded.command = behind(&bound::words(), bounded.command);
        let Some(inside) = &self.inside else {
            return run(bounded);
        };
        // Nobody is led to an agent's host either.
        bounded.command.env_remove(env::HOST_SOCKET);
        for name in &inside.withheld {
            bounded.command.env_remove(name);
        }
        bounded
            .command
            .envs(inside.variables.iter().map(|(name, value)| (name, value)));
        sandbox::within(&inside.rules, |words| {
            bounded.command = behind(words, bounded.command);
            let ended = run(bounded);
            // Only there a signal shows who is inside of this sandbox.
            if sandbox::support() == Support::Full {
                end_what_is_left();
            }
            ended
        })
        .map_err(io::Error::other)?
    }

    /// What the sandbox has kept a failed program from, and what to do about it.
    pub fn hint(&self, ended: &Ended) -> Option<String> {
        let inside = self.inside.as_ref()?;
        let failed = !ended.status.is_some_and(|status| status.success());
        let folder = &self.git.folder;
        let explain = || explanation(&inside.rules, folder, &inside.withheld, &ended.tail);
        failed.then(explain).flatten()
    }
}

/// Says that what should be confined is not, and why.
fn unconfined(mode: SandboxMode, support: &Support) -> Option<String> {
    match (mode, support) {
        (SandboxMode::Strict, Support::None(why)) => Some(format!(
            "what agents wrote ran without a sandbox: {why}; see docs/sandbox.md"
        )),
        (SandboxMode::Strict, Support::Full | Support::Partial(_))
        | (SandboxMode::Off | SandboxMode::Guard, _) => None,
    }
}

/// The variables that hold secrets, but those that are named. An agent's CLI needs some of them to log in;
/// a check of what agents wrote needs none.
fn secret_names(variables: Vec<(String, String)>, passed: &[String]) -> Vec<String> {
    let secret = |(name, value): &(String, String)| {
        !passed.contains(name) && !secret_values([(name, value)]).is_empty()
    };
    let found = variables.into_iter().filter(secret);
    found.map(|(name, _)| name).collect()
}

/// Says why quality gates run without a sandbox although the configuration wants one.
pub fn gates_note(config: &SandboxConfig) -> Option<String> {
    unconfined(config.mode(GATES), &sandbox::support())
}

impl Git {
    fn of(folder: &Path, apart: bool) -> Self {
        Self {
            folder: folder.to_path_buf(),
            apart,
            settings: OnceLock::new(),
        }
    }

    fn settings(&self) -> &[(String, String)] {
        let read = if self.apart { apart } else { no_push };
        self.settings.get_or_init(|| read(&self.folder))
    }
}

impl Inside {
    /// Inside of the rules: agents write there, and a link of theirs must not lead this write elsewhere.
    fn fill_cargo_home(&self, home: Option<&Path>, cargo: &Path) {
        let fill = || {
            // Programs that are told of it expect it to be there.
            fs::create_dir_all(cargo)?;
            home.map_or(Ok(()), |home| sandbox::offer_crates(Some(home), cargo))
        };
        match sandbox::within(&self.rules, |_| fill()) {
            Ok(Ok(())) => {}
            Ok(Err(error)) => tracing::warn!(%error, "crates that are here are not offered"),
            Err(error) => tracing::warn!(%error, "crates that are here are not offered"),
        }
    }
}

impl Drop for Inside {
    fn drop(&mut self) {
        if let Err(error) = fs::remove_dir_all(&self.temp) {
            tracing::warn!(%error, "a temporary folder stays behind");
        }
    }
}

/// Ends what has left its group and taken off its mark; what forks meanwhile is found by the next look.
fn end_what_is_left() {
    for _ in 0..LOOKS {
        let left = tree::within_reach();
        if left.is_empty() {
            return;
        }
        for process in &left {
            tree::signal(*process, Signal::Kill);
        }
        tree::wait_gone(&left, GONE_WITHIN);
    }
    tracing::warn!("processes of a check could not be ended");
}

/// A new folder; those of processes that were killed go on this occasion.
fn temp_folder() -> Result<PathBuf, WorktreeError> {
    let own = std::process::id();
    let temp = agent_temp(&format!("{TEMP}{own}-{}", random::alphanumeric(8)))?;
    let all = temp.parent().map(fs::list_dir).transpose()?;
    for folder in all.unwrap_or_default() {
        let owner = folder
            .file_name()
            .and_then(|name| name.to_str()?.strip_prefix(TEMP)?.split('-').next())
            .and_then(|pid| pid.parse().ok());
        let is_left = owner.is_some_and(|pid| check(ProcessId { pid, start: 0 }) == Liveness::Dead);
        if is_left && let Err(error) = fs::remove_dir_all(&folder) {
            tracing::debug!(%error, "a temporary folder stays behind");
        }
    }
    Ok(temp)
}

/// Puts the words of a wrapper program in front of a command.
fn behind(words: &[String], command: Command) -> Command {
    let Some((program, words)) = words.split_first() else {
        return command;
    };
    let mut wrapped = Command::new(program);
    wrapped
        .args(words)
        .arg(command.get_program())
        .args(command.get_args());
    if let Some(folder) = command.get_current_dir() {
        wrapped.current_dir(folder);
    }
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => wrapped.env(name, value),
            None => wrapped.env_remove(name),
        };
    }
    wrapped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_sandbox_that_is_wanted_and_missing_is_worth_a_note() {
        let missing = Support::None("no Landlock".to_owned());
        assert!(
            unconfined(SandboxMode::Strict, &missing).is_some_and(|n| n.contains("no Landlock"))
        );
        for mode in [SandboxMode::Off, SandboxMode::Guard] {
            assert_eq!(unconfined(mode, &missing), None);
        }
        assert_eq!(unconfined(SandboxMode::Strict, &Support::Full), None);
    }

    #[test]
    fn secrets_of_the_user_are_withheld_unless_they_are_named() {
        let variables = [
            ("DEPLOY_TOKEN", "q7Zr0xWv9kTp2abc"),
            ("NPM_TOKEN", "npm_0123456789abcdef"),
            ("DATABASE_URL", "postgres://u:hunter2hunter2@db/x"),
            ("RUSTFLAGS", "-C target-cpu=native"),
            ("PATH", "/usr/bin:/bin"),
        ];
        let variables = variables.map(|(name, value)| (name.to_owned(), value.to_owned()));
        let found = secret_names(variables.to_vec(), &["NPM_TOKEN".to_owned()]);
        assert_eq!(found, ["DEPLOY_TOKEN", "DATABASE_URL"]);
    }

    #[test]
    fn a_wrapped_command_keeps_its_folder_and_variables() {
        let mut command = Command::new("sh");
        command
            .arg("-c")
            .current_dir("/p")
            .env("A", "1")
            .env_remove("B");
        let wrapped = behind(&["wrap".to_owned(), "-p".to_owned()], command);
        assert_eq!(wrapped.get_program(), "wrap");
        assert_eq!(wrapped.get_args().collect::<Vec<_>>(), ["-p", "sh", "-c"]);
        assert_eq!(wrapped.get_current_dir(), Some(Path::new("/p")));
        assert_eq!(wrapped.get_envs().count(), 2);
    }
}
