//! The demo's temporary repository, removed with everything in it when the demo ends. One that was
//! killed leaves a lease that nobody holds: the next demo ends its agents and removes it.

use std::path::{Path, PathBuf};

use super::scripts;
use crate::agents::processes::{end_host, live_hosts};
use crate::agents::sling::{SlingRequest, sling};
use crate::agents::stop::{StopOptions, stop};
use crate::cli::{CliError, CliResult};
use crate::config;
use crate::db::{GroveStore, SessionStore};
use crate::git::git;
use crate::platform::demos::{self, PREFIX, lease_file};
use crate::platform::lease::{self, Lease, Taken};
use crate::platform::{FsError, ProjectPaths, clock, fs, random};
use crate::process::tree;

/// How long the agents' hosts may take to leave; on a busy machine that is long.
const LEAVE: std::time::Duration = std::time::Duration::from_secs(20);

/// Rounds of ending: a lead may be starting a builder while its agents are counted.
const ROUNDS: usize = 4;

/// Patience is short here: a stall should be seen within seconds.
const CONFIG: &str = "project:
  name: demo
  canonicalBranch: main
  qualityGates:
    - name: Check
      command: sh check.sh
      description: every recipe has a title
agents:
  staggerDelayMs: 0
watchdog:
  staleThresholdMs: 6000
  zombieThresholdMs: 600000
  nudgeIntervalMs: 3000
";

/// A repository with grove set up in it.
pub(super) struct DemoProject {
    paths: ProjectPaths,
    keep: bool,
    finished: bool,
    /// Held as long as the demo runs.
    _lease: Lease,
}

impl DemoProject {
    pub(super) fn create(keep: bool) -> CliResult<Self> {
        let root = std::env::temp_dir().join(format!("{PREFIX}{}", random::alphanumeric(8)));
        fs::create_private_dir(&root)?;
        let root = std::fs::canonicalize(&root).unwrap_or(root);
        let paths = ProjectPaths::new(root);
        fs::create_dir_all(&paths.dir())?;
        let Taken::Mine(lease) = lease::try_take(&lease_file(&paths))? else {
            return Err(CliError::new(format!(
                "another demo has taken {}; start it again",
                paths.root.display()
            )));
        };
        let project = Self {
            paths,
            keep,
            finished: false,
            _lease: lease,
        };
        project.fill()?;
        Ok(project)
    }

    fn fill(&self) -> CliResult<()> {
        if self.keep {
            fs::write_atomic(&keep_file(&self.paths), "")?;
        }
        fs::write_atomic(&self.paths.file(".gitignore"), "*\n")?;
        let root = self.root();
        git(root).args(["init", "-q", "-b", "main"]).run()?;
        for (key, value) in [
            ("user.name", "demo"),
            ("user.email", "demo@localhost"),
            ("commit.gpgsign", "false"),
        ] {
            git(root).args(["config", key, value]).run()?;
        }
        for (path, content) in scripts::files() {
            let path = root.join(path);
            if let Some(dir) = path.parent() {
                fs::create_dir_all(dir)?;
            }
            fs::write_atomic(&path, content)?;
        }
        git(root).args(["add", "-A"]).run()?;
        git(root).args(["commit", "-q", "-m", "A cookbook"]).run()?;
        fs::create_dir_all(&self.paths.file("specs"))?;
        fs::write_atomic(&self.paths.config(), CONFIG)?;
        for (name, script) in scripts::scripts() {
            fs::write_atomic(&self.paths.file("specs").join(name), script)?;
        }
        Ok(())
    }

    pub(super) fn root(&self) -> &Path {
        &self.paths.root
    }

    pub(super) fn start_lead(&self) -> CliResult<()> {
        let config = config::load(self.root())?.config;
        let request = SlingRequest {
            task: "cookbook".to_owned(),
            capability: "lead".to_owned(),
            name: Some("lead-cookbook".to_owned()),
            runtime: Some("script".to_owned()),
            skip_task_check: true,
            ..SlingRequest::default()
        };
        sling(&self.paths, &config, &request)?;
        Ok(())
    }

    /// Ends all agents and removes the repository; its place when it is kept.
    pub(super) fn finish(mut self) -> CliResult<Option<PathBuf>> {
        self.finished = true;
        self.clean_up()?;
        Ok(self.keep.then(|| self.paths.root.clone()))
    }

    fn clean_up(&self) -> CliResult<()> {
        for _ in 0..ROUNDS {
            if self.end_agents()? {
                break;
            }
        }
        let hosts = GroveStore::open(&self.paths.grove_db())?.hosts()?;
        let hosts: Vec<_> = hosts.into_iter().map(|h| h.host).collect();
        let left = tree::wait_gone(&hosts, LEAVE);
        if !left.is_empty() {
            return Err(CliError::new(format!(
                "{} agent hosts are still ending; the next demo removes {}",
                left.len(),
                self.root().display()
            )));
        }
        if self.keep {
            fs::remove_file(&keep_file(&self.paths))?;
            fs::remove_file(&lease_file(&self.paths))?;
            return Ok(());
        }
        remove(self.root())?;
        Ok(())
    }

    /// Ends what runs now; `true` when nothing did. What one agent does not survive, others must not
    /// survive either, so an error waits until all have been asked.
    fn end_agents(&self) -> CliResult<bool> {
        let mut problem = None;
        let mut any = false;
        for session in SessionStore::open(&self.paths.sessions_db())?.all()? {
            let options = StopOptions {
                force: true,
                clean_worktree: false,
            };
            match stop(&self.paths, &session.agent_name, options) {
                Ok(_) => any = true,
                Err(crate::agents::AgentError::Completed { .. }) => {}
                Err(e) => problem = Some(e),
            }
        }
        for host in live_hosts(&self.paths)? {
            any = true;
            if let Err(e) = end_host(&host, true) {
                problem = Some(e);
            }
        }
        // A host that has just left by itself is no problem: another look says so.
        match problem {
            Some(e) if live_hosts(&self.paths)?.is_empty() => {
                tracing::debug!("ended meanwhile: {e}");
                Ok(false)
            }
            Some(e) => Err(e.into()),
            None => Ok(!any),
        }
    }
}

/// Ends the agents of demos that were killed, and removes their repositories; what could not be done.
pub(super) fn sweep() -> Vec<String> {
    let mut problems = Vec::new();
    for demo in demos::killed() {
        let root = demo.root.clone();
        if let Err(e) = sweep_one(demo) {
            problems.push(format!(
                "the killed demo at {}: {}",
                root.display(),
                e.message
            ));
        }
    }
    problems
}

fn sweep_one(paths: ProjectPaths) -> CliResult<()> {
    let Taken::Mine(lease) = lease::try_take(&lease_file(&paths))? else {
        return Ok(());
    };
    let dead = DemoProject {
        keep: keep_file(&paths).exists(),
        paths,
        finished: true,
        _lease: lease,
    };
    dead.clean_up()
}

/// Says that the repository stays, even if the demo is killed.
fn keep_file(paths: &ProjectPaths) -> PathBuf {
    paths.file("demo.keep")
}

/// Somebody who is just ending may still write a last line.
fn remove(dir: &Path) -> Result<(), FsError> {
    let end = clock::now().0 + LEAVE.as_millis() as i64;
    loop {
        match fs::remove_dir_all(dir) {
            Err(_) if clock::now().0 < end => std::thread::yield_now(),
            other => return other,
        }
    }
}

impl Drop for DemoProject {
    fn drop(&mut self) {
        // Reached when a step of the demo failed: its error is the one to report.
        if !self.finished {
            drop(self.clean_up());
        }
    }
}
