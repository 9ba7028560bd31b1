//! Ending what runs for an agent: through its host, in ov's terminal, or the process that ov or a
//! dead host has left. A bare pid may have been reused, so it is only signalled when the process
//! is recognisably the agent's.

use super::{AgentError, tmux};
use crate::db::grove::HostRow;
use crate::db::{DbError, GroveStore};
use crate::host::client;
use crate::platform::liveness::{self, Liveness};
use crate::platform::{ProjectPaths, env, fs, sockets};
use crate::process::tree;
use crate::types::AgentSession;
use crate::types::host::ProcessId;
use std::path::Path;
use std::time::Duration;

/// How long a host has to store what became of its agent.
const LEAVES_WITHIN: Duration = Duration::from_secs(30);
/// How long one that does not leave has after TERM.
const GRACE: Duration = Duration::from_secs(1);

/// What was ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct EndedProcesses {
    /// A tmux session of ov.
    pub tmux: bool,
    /// A process, with all it had started.
    pub process: bool,
}

/// Whether a host runs for an agent.
pub fn has_host(paths: &ProjectPaths, agent: &str) -> bool {
    // Opening would create the file, and a project of the other orchestrator needs none.
    paths.grove_db().exists() && client::running(paths, agent).is_ok()
}

/// Every host that runs in this project.
pub fn live_hosts(paths: &ProjectPaths) -> Result<Vec<HostRow>, DbError> {
    Ok(unfinished_hosts(paths)?.0)
}

/// The hosts that have not said how their agent ended: those that run, and those that were killed.
pub fn unfinished_hosts(paths: &ProjectPaths) -> Result<(Vec<HostRow>, Vec<HostRow>), DbError> {
    // Opening would create the file, and a project of the other orchestrator needs none.
    if !paths.grove_db().exists() {
        return Ok((Vec::new(), Vec::new()));
    }
    let hosts = GroveStore::look(&paths.grove_db())?.hosts()?;
    Ok(hosts
        .into_iter()
        .filter(|row| row.ended_at.is_none())
        .partition(|row| liveness::check(row.host) != Liveness::Dead))
}

/// Ends whatever runs for a session.
pub fn end(
    paths: &ProjectPaths,
    session: &AgentSession,
    force: bool,
) -> Result<EndedProcesses, AgentError> {
    let agent = session.agent_name.as_str();
    if has_host(paths, agent) {
        end_host(&client::running(paths, agent)?, force)?;
        return Ok(EndedProcesses {
            tmux: false,
            process: true,
        });
    }
    let row = if paths.grove_db().exists() {
        GroveStore::look(&paths.grove_db())?.host(agent)?
    } else {
        None
    };
    if let Some(row) = &row {
        end_orphans(row);
    }
    let tmux = end_tmux(session);
    let known = row.and_then(|h| h.cli);
    let turn_pid = paths.file("agents").join(agent).join("turn.pid");
    let from_turn = fs::read_optional(&turn_pid)?.and_then(|t| t.trim().parse::<i32>().ok());
    let recorded = session.pid.and_then(|p| i32::try_from(p).ok());
    let target = known
        .or_else(|| recognised(paths, session, from_turn))
        .or_else(|| recognised(paths, session, recorded));
    let process = target.is_some_and(|target| end_tree(target, force));
    if from_turn.is_some() {
        fs::remove_file(&turn_pid)?;
    }
    Ok(EndedProcesses { tmux, process })
}

/// Ends an agent through its host, which ends everything the agent has started.
pub fn end_host(host: &HostRow, force: bool) -> Result<(), AgentError> {
    let outcome = client::stop(host, force)?;
    if !outcome.done {
        return Err(AgentError::NotStopped {
            name: host.agent.clone(),
            detail: outcome.detail,
        });
    }
    // The host stores the exit before it leaves; one that cannot is of no use to anybody.
    if tree::wait_gone(&[host.host], LEAVES_WITHIN).is_empty() {
        return Ok(());
    }
    tracing::warn!("the host of {} does not end, so it is killed", host.agent);
    if tree::end(&[host.host], GRACE).is_empty() {
        end_orphans(host);
        return Ok(());
    }
    Err(AgentError::NotStopped {
        name: host.agent.clone(),
        detail: format!("its host, process {}, does not end", host.host.pid),
    })
}

/// Ends what a killed host has left running, and removes its socket: nobody owns it any more.
pub fn end_orphans(host: &HostRow) -> Vec<ProcessId> {
    if let Err(e) = sockets::remove_left(&host.socket) {
        tracing::warn!("the socket of a dead host stays behind: {e}");
    }
    let mut targets = host
        .cli
        .map(|cli| tree::descendants(cli.pid))
        .unwrap_or_default();
    targets.extend(host.cli);
    targets.extend(tree::carrying(
        env::HOST_SOCKET,
        &host.socket.to_string_lossy(),
    ));
    targets.retain(|t| liveness::check(*t) == Liveness::Alive);
    if targets.is_empty() {
        return targets;
    }
    tree::end(&targets, Duration::from_secs(1))
}

/// Ends ov's terminal of an agent, and what ran in it and ignored that its terminal is gone.
fn end_tmux(session: &AgentSession) -> bool {
    let name = session.tmux_session.as_str();
    if name.is_empty() {
        return false;
    }
    let Some(seen) = tmux::sessions().into_iter().find(|s| s.name == name) else {
        return false;
    };
    let pane = i32::try_from(seen.pid).ok().filter(|pid| *pid > 1);
    let mut inside = pane.map(tree::descendants).unwrap_or_default();
    inside.extend(pane.map(liveness::identify));
    let killed = tmux::kill(name);
    if killed {
        tree::end(&inside, Duration::from_secs(2));
    }
    killed
}

/// The process with this pid, if it is the session's: it works in the agent's own worktree, or, for
/// one that works in the project itself, it carries the agent's name.
fn recognised(paths: &ProjectPaths, session: &AgentSession, pid: Option<i32>) -> Option<ProcessId> {
    let pid = pid.filter(|pid| *pid > 1 && !is_own_ancestor(*pid))?;
    let worktree = Path::new(&session.worktree_path);
    let is_agents = if worktree == paths.root {
        tree::works_in(pid, &paths.root) && tree::carries(pid, env::AGENT_NAME, &session.agent_name)
    } else {
        worktree.starts_with(&paths.root) && tree::works_in(pid, worktree)
    };
    is_agents.then(|| liveness::identify(pid))
}

/// Whether a process is this one or one that has started it.
fn is_own_ancestor(pid: i32) -> bool {
    let mut current = Some(std::process::id() as i32);
    while let Some(at) = current.filter(|at| *at > 1) {
        if at == pid {
            return true;
        }
        current = liveness::parent(at);
    }
    false
}

fn end_tree(target: ProcessId, force: bool) -> bool {
    if liveness::check(target) != Liveness::Alive {
        return false;
    }
    let mut targets = tree::descendants(target.pid);
    targets.push(target);
    let grace = if force {
        Duration::from_millis(200)
    } else {
        Duration::from_secs(3)
    };
    tree::end(&targets, grace).is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::AgentState;
    use std::process::{Child, Command};

    fn session(worktree: &Path, pid: u32) -> AgentSession {
        AgentSession {
            worktree_path: worktree.display().to_string(),
            pid: Some(i64::from(pid)),
            tmux_session: String::new(),
            ..crate::db::sessions::tests::sample("ann", AgentState::Working)
        }
    }

    fn sleeper(folder: &Path, name: &str) -> Child {
        let child = Command::new("sleep")
            .arg("60")
            .current_dir(folder)
            .env(env::AGENT_NAME, name)
            .spawn()
            .unwrap();
        // The parent goes on a moment before the system shows the new program's environment.
        while !tree::carries(child.id() as i32, env::AGENT_NAME, name) {
            std::thread::yield_now();
        }
        child
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_recorded_pid_is_only_signalled_when_the_process_is_the_agents() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        let paths = ProjectPaths::new(&root);
        let worktree = paths.worktree("ann");
        std::fs::create_dir_all(&worktree).unwrap();
        // Not in the worktree; in the project but not the agent; the agent.
        let cases = [
            (&worktree, &root, "ann", false),
            (&root, &root, "somebody", false),
            (&root, &root, "ann", true),
            (&worktree, &worktree, "ann", true),
        ];
        for (recorded, works_in, name, ended) in cases {
            let mut child = sleeper(works_in, name);
            let pid = child.id();
            let waiter = std::thread::spawn(move || child.wait());
            let result = end(&paths, &session(recorded, pid), true).unwrap();
            assert_eq!(result.process, ended, "{recorded:?} {works_in:?} {name}");
            if !ended {
                let id = liveness::identify(pid as i32);
                assert_eq!(liveness::check(id), Liveness::Alive);
                tree::end(&[id], Duration::ZERO);
            }
            waiter.join().unwrap().unwrap();
        }
    }

    #[test]
    fn this_very_process_is_never_a_target() {
        let cwd = std::env::current_dir().unwrap();
        let paths = ProjectPaths::new(cwd.parent().unwrap());
        let own = session(&cwd, std::process::id());
        assert_eq!(
            recognised(&paths, &own, Some(std::process::id() as i32)),
            None
        );
    }
}
