//! What every start has in common, whoever is started and wherever it will work: its runtime, the
//! record that its host is started from, and the row of its session.

use std::path::{Path, PathBuf};

use super::model::Model;
use super::{AgentError, environment};
use crate::config::GuardConfig;
use crate::platform::{FsError, ProjectPaths, env, fs};
use crate::runtimes::{self, LaunchContext, Runtime};
use crate::types::host::{LaunchRecord, Mode};
use crate::types::{AgentSession, AgentState, Timestamp};

/// What is known about an agent before its CLI is prepared.
pub(super) struct Launch<'a> {
    pub(super) paths: &'a ProjectPaths,
    pub(super) session_id: &'a str,
    pub(super) agent: &'a str,
    pub(super) capability: &'a str,
    /// Empty for most who live at the root.
    pub(super) task: &'a str,
    pub(super) run: Option<String>,
    pub(super) parent: Option<&'a str>,
    pub(super) depth: i64,
    pub(super) runtime: &'static dyn Runtime,
    pub(super) mode: Mode,
    pub(super) model: Model,
    /// Where it works.
    pub(super) cwd: &'a Path,
    pub(super) branch: &'a str,
    /// Its first message.
    pub(super) prompt: &'a str,
    /// Its instructions.
    pub(super) overlay: &'a str,
    /// The file in its worktree that holds them, too.
    pub(super) instruction_file: Option<&'static str>,
    pub(super) spec: Option<&'a Path>,
    pub(super) quality_gates: Vec<String>,
    pub(super) guard: &'a GuardConfig,
}

/// The runtime of this name, if its program is installed; else an error that says how to choose
/// another one.
pub(super) fn installed(name: &str, otherwise: &str) -> Result<&'static dyn Runtime, AgentError> {
    let runtime = runtimes::find(name)?;
    if let Some((binary, install)) = runtime.binary()
        && crate::process::find_program(binary, None).is_none()
    {
        return Err(runtimes::RuntimeError::Missing {
            binary,
            install,
            otherwise: otherwise.to_owned(),
        }
        .into());
    }
    Ok(runtime)
}

impl Launch<'_> {
    /// Writes what the CLI needs, outside the agent's reach, and says how to start it.
    pub(super) fn prepare(self) -> Result<LaunchRecord, AgentError> {
        let private_dir = self.paths.host_dir(self.agent);
        fs::create_private_dir(&private_dir)?;
        let temp = crate::platform::paths::agent_temp(self.session_id)?;
        let grove = std::env::current_exe().map_err(|source| FsError {
            op: "find",
            path: PathBuf::from("grove"),
            source,
        })?;
        let home = env::home();
        let prepared = self.runtime.prepare(&LaunchContext {
            agent: self.agent,
            mode: self.mode,
            model: self.model.name.as_deref(),
            root: &self.paths.root,
            worktree: self.cwd,
            private_dir: &private_dir,
            prompt: self.prompt,
            overlay: self.overlay,
            spec: self.spec,
            resume: None,
            grove: &grove,
            home: home.as_deref(),
        })?;
        let mut record = LaunchRecord {
            session_id: self.session_id.to_owned(),
            agent: self.agent.to_owned(),
            capability: self.capability.to_owned(),
            task_id: self.task.to_owned(),
            run_id: self.run,
            parent: self.parent.map(str::to_owned),
            depth: self.depth,
            runtime: self.runtime.id().to_owned(),
            mode: self.mode,
            model: self.model.name,
            argv: prepared.argv,
            env: prepared.env,
            env_from: self.model.env_from,
            env_remove: prepared.env_remove,
            cwd: self.cwd.to_owned(),
            root: self.paths.root.clone(),
            branch: self.branch.to_owned(),
            temp,
            cols: 120,
            rows: 36,
            first_prompt: prepared.first_prompt,
            expects_hooks: self.runtime.capabilities().hooks,
            quality_gates: self.quality_gates,
            guard_allow: self.guard.allow.clone(),
            guard_block: self.guard.block.clone(),
            conversation: prepared.conversation,
        };
        let socket = self.paths.host_socket(self.agent)?;
        let excludes =
            environment::write_excludes(&private_dir, home.as_deref(), self.instruction_file)?;
        record.env.extend(self.model.env);
        record
            .env
            .extend(environment::build(&record, &socket, &grove, &excludes));
        let removed = environment::REMOVED.iter().map(|v| (*v).to_owned());
        record.env_remove.extend(removed);
        Ok(record)
    }
}

/// The session of an agent whose host is about to be started.
pub(super) fn session(record: &LaunchRecord, now: Timestamp) -> AgentSession {
    AgentSession {
        id: record.session_id.clone(),
        agent_name: record.agent.clone(),
        capability: record.capability.clone(),
        worktree_path: record.cwd.to_string_lossy().into_owned(),
        branch_name: record.branch.clone(),
        task_id: record.task_id.clone(),
        tmux_session: String::new(),
        state: AgentState::Booting,
        pid: None,
        parent_agent: record.parent.clone(),
        depth: record.depth,
        run_id: record.run_id.clone(),
        started_at: now.iso(),
        last_activity: now.iso(),
        escalation_level: 0,
        stalled_since: None,
        transcript_path: None,
        prompt_version: None,
        claude_session_id: record.conversation.clone(),
    }
}
