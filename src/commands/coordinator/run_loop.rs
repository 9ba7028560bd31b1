//! The coordinator's loop in a process of its own, and how that process is started.

use std::fs::OpenOptions;
use std::io::{Write, stdout};

use super::role::COORDINATOR;
use crate::agents::persistent;
use crate::cli::{CliError, CliResult, Context, Outcome, Project};
use crate::coordinator::headless::{self, Ended, Manner, Message};
use crate::coordinator::journal::Journal;
use crate::coordinator::{CoordinatorError, completion};
use crate::db::SessionStore;
use crate::logging::RedactingWriter;
use crate::merge::CallOff;
use crate::platform::{ProjectPaths, clock, env, fs, landed, lease};
use crate::process::{SpawnError, detach};
use crate::types::{AgentSession, AgentState};

const NAME: &str = COORDINATOR.name;

impl From<CoordinatorError> for CliError {
    fn from(error: CoordinatorError) -> Self {
        match error {
            CoordinatorError::Agent(inner) => inner.into(),
            CoordinatorError::Mail(inner) => inner.into(),
            CoordinatorError::Git(inner) => inner.into(),
            CoordinatorError::Db(inner) => inner.into(),
            CoordinatorError::File(inner) => inner.into(),
            CoordinatorError::Merge(inner) => Self::coded("MERGE_ERROR", inner.to_string()),
            CoordinatorError::AlreadyRunning { .. } | CoordinatorError::Watch(_) => {
                Self::agent(error.to_string())
            }
        }
    }
}

/// Starts the loop and waits until it holds the lease. Also what the full screen does when it
/// hands over.
pub(crate) fn start_in_background(paths: &ProjectPaths, only_prepare: bool) -> CliResult<i32> {
    if !crate::config::config_path(&paths.root).is_file() {
        return Err(
            CliError::agent(format!("{} is not a grove project", paths.root.display()))
                .hint("go to your project, or run 'grove init' in it first"),
        );
    }
    if let Some(holder) = lease::holder(&paths.coordinator_lease())? {
        return Err(CoordinatorError::AlreadyRunning { pid: holder.pid }.into());
    }
    let dir = paths.file("logs").join(NAME);
    fs::create_dir_all(&dir)?;
    let log_path = dir.join("coordinator.log");
    let log = OpenOptions::new()
        .create(true)
        .append(true)
        .open(&log_path)
        .map_err(|e| CliError::agent(format!("cannot open {}: {e}", log_path.display())))?;
    let root = paths.root.to_string_lossy().into_owned();
    let mut args = vec!["--project", &root, "coordinator", "run"];
    if only_prepare {
        args.push("--only-prepare");
    }
    let started = detach::spawn_self(&args, &paths.root, log, &[env::ACTING_FOR])
        .map_err(|e: SpawnError| CliError::agent(e.to_string()))?;
    let pid = started.pid;
    let line = started
        .wait_ready()
        .map_err(|e| CliError::agent(format!("the coordinator did not report: {e}")))?;
    if line == "ready" {
        return Ok(pid);
    }
    let why = if line.is_empty() {
        format!("see {}", log_path.display())
    } else {
        line
    };
    Err(CliError::agent(format!(
        "the coordinator did not start: {why}"
    )))
}

/// The loop itself, in a process of its own.
pub(super) fn run(ctx: &Context, only_prepare: bool) -> CliResult {
    detach::leave_session();
    landed::works_unattended();
    tracing_subscriber::fmt()
        .with_writer(|| RedactingWriter(std::io::stderr()))
        .with_ansi(false)
        .with_max_level(tracing::Level::INFO)
        .init();
    let Project { paths, config, .. } = ctx.project()?;
    let report = |line: &str| {
        let mut out = stdout().lock();
        // The starter may have gone; the loop runs all the same.
        writeln!(out, "{line}")
            .and_then(|()| out.flush())
            .unwrap_or_default();
    };
    let session_id = format!("session-{}-{NAME}", clock::now().0);
    let manner = Manner {
        lands: !only_prepare,
        ends_itself: true,
    };
    let call_off = CallOff::default();
    let listener = Journal::open(&paths)?.listener();
    let result = headless::run(
        &paths,
        &config,
        manner,
        call_off.clone(),
        listener,
        |sender| {
            register(&paths, &config.project.canonical_branch, &session_id)?;
            end_on_signal(sender, call_off);
            report("ready");
            Ok(())
        },
    );
    let ended = SessionStore::open(&paths.sessions_db())
        .and_then(|s| s.transition_session(NAME, &session_id, AgentState::Completed));
    if let Err(e) = ended {
        tracing::warn!("the end was not recorded: {e}");
    }
    let ended = result.map_err(|e| {
        report(&e.to_string());
        CliError::from(e)
    })?;
    if ended == Ended::Complete {
        tracing::info!("the exit triggers are met");
        completion::acknowledge_shutdown(&paths)?;
        completion::complete_run(&paths)?;
    }
    Ok(Outcome::Done)
}

/// Makes the loop visible to `status` and to ov as a session.
fn register(paths: &ProjectPaths, branch: &str, session_id: &str) -> Result<(), CoordinatorError> {
    let sessions = SessionStore::open(&paths.sessions_db())?;
    let run = persistent::lead_run(paths, &sessions, session_id, NAME)?;
    let now = clock::now().iso();
    sessions.upsert(&AgentSession {
        id: session_id.to_owned(),
        agent_name: NAME.to_owned(),
        capability: NAME.to_owned(),
        worktree_path: paths.root.to_string_lossy().into_owned(),
        branch_name: branch.to_owned(),
        task_id: String::new(),
        tmux_session: String::new(),
        state: AgentState::Working,
        pid: Some(i64::from(std::process::id())),
        parent_agent: None,
        depth: 0,
        run_id: Some(run),
        started_at: now.clone(),
        last_activity: now,
        escalation_level: 0,
        stalled_since: None,
        transcript_path: None,
        prompt_version: None,
        claude_session_id: None,
    })?;
    Ok(())
}

/// Ends the loop on SIGTERM and SIGINT. A merge that lands already is finished first; one whose gates run is cancelled,
/// and its branch waits for the next loop.
pub(crate) fn end_on_signal(sender: std::sync::mpsc::Sender<Message>, merges: CallOff) {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    let Ok(runtime) = runtime else {
        tracing::warn!("signals cannot be received; SIGKILL ends the loop safely, too");
        return;
    };
    let waiting = std::thread::Builder::new()
        .name("signals".to_owned())
        .spawn(move || {
            runtime.block_on(crate::platform::signals::end());
            merges.all();
            // The loop has ended already when nobody receives this.
            sender.send(Message::End).unwrap_or_default();
        });
    if let Err(e) = waiting {
        tracing::warn!("signals cannot be received: {e}");
    }
}
