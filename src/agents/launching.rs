//! What every start has in common, whoever is started and wherever it will work: its runtime, the
//! record that its host is started from, and the row of its session.

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::json;

use super::identity::Identity;
use super::undo::Undo;
use super::{AgentError, environment};
use crate::config::GuardConfig;
use crate::db::{EventStore, GroveStore, SessionStore};
use crate::host::launch;
use crate::platform::lease::{self, Lease};
use crate::platform::{FsError, ProjectPaths, clock, env, fs};
use crate::runtimes::reach::Model;
use crate::runtimes::{self, LaunchContext, Runtime};
use crate::types::event::{EventType, NewEvent};
use crate::types::host::{LaunchRecord, Mode};
use crate::types::{AgentSession, AgentState, Timestamp};

/// The longest that a start waits for those before it: dozens of starts, each of some seconds.
const LONGEST_TURN: Duration = Duration::from_secs(5 * 60);

/// The turn of one start; what is free is decided by one at a time. Who else can read the lock's file can
/// hold it, too, so that it is not waited for without end.
pub(super) fn turn(paths: &ProjectPaths) -> Result<Lease, AgentError> {
    let path = paths.start_lock();
    let turn = lease::wait_at_most(&path, LONGEST_TURN)?;
    turn.ok_or(AgentError::StartsBusy {
        path,
        minutes: LONGEST_TURN.as_secs() / 60,
    })
}

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
fn session(record: &LaunchRecord, now: Timestamp) -> AgentSession {
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

/// The mode an agent is started in: the one that is asked for, else the usual one, else what its
/// runtime has.
pub(super) fn mode(
    runtime: &dyn Runtime,
    wanted: Option<Mode>,
    usual: Mode,
) -> Result<Mode, AgentError> {
    let modes = runtime.capabilities().modes;
    let mode = wanted.unwrap_or(usual);
    if modes.contains(&mode) {
        return Ok(mode);
    }
    match (wanted, modes.first()) {
        (None, Some(only)) => Ok(*only),
        (Some(_), _) | (None, None) => Err(runtimes::RuntimeError::Mode {
            runtime: runtime.id(),
            mode,
        }
        .into()),
    }
}

/// Writes the agent down as about to start, in the place of its earlier life.
pub(super) fn enrol(
    paths: &ProjectPaths,
    sessions: &SessionStore,
    undo: &mut Undo<'_>,
    record: &LaunchRecord,
    previous: Option<AgentSession>,
    now: Timestamp,
) -> Result<(), AgentError> {
    undo.previous = previous;
    undo.session_row = true;
    sessions.upsert(&session(record, now))?;
    GroveStore::open(&paths.grove_db())?.save_launch(record)?;
    Ok(())
}

/// Starts the agent's host and waits until its CLI runs; its process. Until then `undo` takes
/// everything back.
pub(super) fn start(
    paths: &ProjectPaths,
    mut undo: Undo<'_>,
    record: &LaunchRecord,
) -> Result<i32, AgentError> {
    let pid = launch::start(paths, record).map_err(|failure| AgentError::NotStarted {
        reason: failure.message,
        screen: failure.screen,
    })?;
    undo.done = true;
    Ok(pid)
}

/// Records that an agent has started, and gives a new one its identity; lines for the user when
/// that failed, and when nothing but the guard keeps the agent in its place, or not even that.
pub(super) fn record_start(paths: &ProjectPaths, record: &LaunchRecord, pid: i32) -> Vec<String> {
    identity(paths, record);
    let noted = spawn_event(paths, record, pid);
    let failed = noted.err().map(|e| e.to_string());
    failed.into_iter().chain(unwalled(paths, record)).collect()
}

/// What a person should know of guard and sandbox, as the agent's host has written it down.
fn unwalled(paths: &ProjectPaths, record: &LaunchRecord) -> Option<String> {
    let store = GroveStore::open(&paths.grove_db()).ok()?;
    let host = store.host(&record.agent).ok().flatten()?;
    let protection = host
        .protection
        .filter(|_| host.session_id == record.session_id)?;
    protection.line()
}

fn spawn_event(paths: &ProjectPaths, record: &LaunchRecord, pid: i32) -> Result<(), AgentError> {
    let mut event = NewEvent::new(&record.agent, EventType::Spawn);
    event.run_id.clone_from(&record.run_id);
    event.session_id = Some(record.session_id.clone());
    let data = json!({"capability": record.capability, "taskId": record.task_id,
        "parent": record.parent, "runtime": record.runtime, "mode": record.mode.as_str(), "pid": pid});
    let events = EventStore::open(&paths.events_db())?;
    events.insert(&event.data(&data))?;
    events.index_totals()?;
    Ok(())
}

fn identity(paths: &ProjectPaths, record: &LaunchRecord) {
    let file = paths.identity(&record.agent);
    if !file.exists() {
        let new = Identity::new(&record.agent, &record.capability, &clock::now().iso());
        if let Err(e) = new.save(&file) {
            tracing::warn!("the agent's identity was not written: {e}");
        }
    }
}
