//! The demo's temporary repository, removed with everything in it when the demo ends.

use std::path::{Path, PathBuf};

use super::scripts;
use crate::agents::sling::{SlingRequest, sling};
use crate::agents::stop::{StopOptions, stop};
use crate::cli::{CliError, CliResult};
use crate::config;
use crate::db::{GroveStore, SessionStore};
use crate::git::git;
use crate::platform::{ProjectPaths, fs, random};
use crate::process::tree;

/// How long the agents' hosts may take to leave.
const LEAVE: std::time::Duration = std::time::Duration::from_secs(5);

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
}

impl DemoProject {
    pub(super) fn create(keep: bool) -> CliResult<Self> {
        let root = std::env::temp_dir().join(format!("grove-demo-{}", random::alphanumeric(8)));
        fs::create_private_dir(&root)?;
        let root = std::fs::canonicalize(&root).unwrap_or(root);
        let project = Self {
            paths: ProjectPaths::new(root),
            keep,
            finished: false,
        };
        project.fill()?;
        Ok(project)
    }

    fn fill(&self) -> CliResult<()> {
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
        fs::write_atomic(&self.paths.file(".gitignore"), "*\n")?;
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
        let hosts = GroveStore::open(&self.paths.grove_db())?.hosts()?;
        for session in SessionStore::open(&self.paths.sessions_db())?.all()? {
            let options = StopOptions {
                force: true,
                clean_worktree: false,
            };
            match stop(&self.paths, &session.agent_name, options) {
                Ok(_) | Err(crate::agents::AgentError::Completed { .. }) => {}
                Err(e) => return Err(e.into()),
            }
        }
        let hosts: Vec<_> = hosts.into_iter().map(|h| h.host).collect();
        let left = tree::wait_gone(&hosts, LEAVE);
        if !left.is_empty() {
            return Err(CliError::new(format!(
                "{} agent hosts are still ending",
                left.len()
            )));
        }
        if !self.keep {
            fs::remove_dir_all(self.root())?;
        }
        Ok(())
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
