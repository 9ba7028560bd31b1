//! Whether sessions, worktrees and processes agree with each other.

use std::collections::BTreeMap;
use std::path::Path;

use super::{
    Check, Patient, Repair, Repaired, half_made, links, objects, pointers, refs, symbolic,
};
use crate::agents::roster::{self, Scope, is_alive};
use crate::agents::tmux::{self, TmuxSession};
use crate::db::SessionStore;
use crate::git::worktrees;
use crate::types::AgentSession;

pub(super) fn check(patient: &Patient) -> Vec<Check> {
    let mut checks = Vec::new();
    let store = match SessionStore::look(&patient.paths.sessions_db()) {
        Ok(store) => store,
        Err(error) => {
            return vec![Check::fail(
                "sessionstore-open",
                format!("Cannot open the sessions: {error}"),
            )];
        }
    };
    let sessions = match store.all() {
        Ok(sessions) => sessions,
        Err(error) => {
            return vec![Check::fail(
                "sessionstore-open",
                format!("Cannot read the sessions: {error}"),
            )];
        }
    };
    checks.push(orphaned_worktrees(patient, &sessions));
    checks.extend(pointers::check(patient));
    checks.extend(links::check(patient));
    checks.extend(objects::check(patient));
    checks.extend(refs::check(patient));
    checks.extend(symbolic::check(patient));
    checks.extend(half_made::check(patient));
    let terminals = tmux::sessions();
    checks.push(orphaned_tmux(patient, &sessions, &terminals));
    let tmux: Vec<String> = terminals.into_iter().map(|session| session.name).collect();
    let active: Vec<&AgentSession> = sessions
        .iter()
        .filter(|session| session.state.is_active())
        .collect();
    checks.push(found(
        "dead-pids",
        "All SessionStore PIDs are alive or null",
        "session(s) with dead PIDs",
        active.iter().filter_map(|session| {
            let pid = session.pid.filter(|pid| is_alive(*pid) == Some(false))?;
            Some(format!(
                "{} (pid: {pid}, state: {})",
                session.agent_name,
                session.state.as_str()
            ))
        }),
        Some(Repair::DeadSessions),
    ));
    checks.push(found(
        "missing-worktrees",
        "All SessionStore worktrees exist",
        "session(s) with missing worktrees",
        active
            .iter()
            .filter(|session| !Path::new(&session.worktree_path).exists())
            .map(|session| format!("{}: {}", session.agent_name, session.worktree_path)),
        Some(Repair::DeadSessions),
    ));
    checks.push(found(
        "missing-tmux",
        "All SessionStore tmux sessions exist",
        "session(s) with missing tmux sessions",
        active
            .iter()
            .filter(|session| {
                !session.tmux_session.is_empty() && !tmux.contains(&session.tmux_session)
            })
            .map(|session| format!("{}: {}", session.agent_name, session.tmux_session)),
        Some(Repair::DeadSessions),
    ));
    checks.push(orphan_spawns(&sessions));
    checks.push(reviewer_coverage(&sessions));
    checks
}

fn found(
    name: &str,
    fine: &str,
    what: &str,
    details: impl Iterator<Item = String>,
    repair: Option<Repair>,
) -> Check {
    let details: Vec<String> = details.collect();
    if details.is_empty() {
        return Check::pass(name, fine);
    }
    let check = Check::warn(name, format!("Found {} {what}", details.len())).details(details);
    match repair {
        Some(repair) => check.repaired_by(repair),
        None => check.fixable(),
    }
}

fn orphaned_worktrees(patient: &Patient, sessions: &[AgentSession]) -> Check {
    let base = patient.paths.file("worktrees");
    let listed = match worktrees(&patient.paths.root) {
        Ok(listed) => listed,
        Err(error) => {
            return Check::fail(
                "worktree-listing",
                format!("Cannot list worktrees: {error}"),
            );
        }
    };
    let orphans = listed
        .iter()
        .filter(|worktree| worktree.path.starts_with(&base))
        .filter(|worktree| {
            !sessions
                .iter()
                .any(|session| Path::new(&session.worktree_path) == worktree.path)
        })
        .map(|worktree| format!("{} (branch: {})", worktree.path.display(), worktree.branch));
    found(
        "orphaned-worktrees",
        "No orphaned worktrees found",
        "orphaned worktree(s) with no SessionStore entry",
        orphans,
        None,
    )
}

fn orphaned_tmux(patient: &Patient, sessions: &[AgentSession], tmux: &[TmuxSession]) -> Check {
    let name = patient
        .config
        .as_ref()
        .map(|config| config.project.name.clone())
        .unwrap_or_default();
    let prefix = format!("overstory-{}-", name.replace(['.', ':'], "_"));
    let orphans = tmux
        .iter()
        .filter(|terminal| terminal.name.starts_with(&prefix))
        .filter(|terminal| {
            !sessions
                .iter()
                .any(|known| known.tmux_session == terminal.name)
        })
        .map(|terminal| format!("{} (pid: {})", terminal.name, terminal.pid));
    found(
        "orphaned-tmux",
        "No orphaned tmux sessions found",
        "orphaned tmux session(s) with no SessionStore entry",
        orphans,
        None,
    )
}

fn orphan_spawns(sessions: &[AgentSession]) -> Check {
    let orphans: Vec<String> = sessions
        .iter()
        .filter(|session| session.state.is_terminal())
        .filter_map(|session| {
            let pid = session.pid.filter(|pid| is_alive(*pid) == Some(true))?;
            Some(format!(
                "{}: state={} but pid {pid} still alive",
                session.agent_name,
                session.state.as_str()
            ))
        })
        .collect();
    if orphans.is_empty() {
        return Check::pass("orphan-spawns", "No orphaned spawn processes detected");
    }
    let message = format!(
        "Found {} orphaned spawn process(es) — run \"grove clean --all\" to reap",
        orphans.len()
    );
    Check::warn("orphan-spawns", message)
        .details(orphans)
        .fixable()
}

fn reviewer_coverage(sessions: &[AgentSession]) -> Check {
    let name = "reviewer-coverage";
    let mut leads: BTreeMap<usize, (&str, usize, usize)> = BTreeMap::new();
    for (index, session) in sessions.iter().enumerate() {
        let Some(parent) = session.parent_agent.as_deref() else {
            continue;
        };
        let (builders, reviewers) = match session.capability.as_str() {
            "builder" => (1, 0),
            "reviewer" => (0, 1),
            _ => continue,
        };
        let place = leads
            .iter()
            .find(|(_, (lead, _, _))| *lead == parent)
            .map_or(index, |(place, _)| *place);
        let entry = leads.entry(place).or_insert((parent, 0, 0));
        entry.1 += builders;
        entry.2 += reviewers;
    }
    let with_builders: Vec<_> = leads
        .into_values()
        .filter(|(_, builders, _)| *builders > 0)
        .collect();
    if with_builders.is_empty() {
        return Check::pass(name, "No builder sessions found (nothing to check)");
    }
    let none: Vec<String> = with_builders
        .iter()
        .filter(|(_, _, reviewers)| *reviewers == 0)
        .map(|(lead, builders, _)| format!("{lead}: {builders} builder(s), 0 reviewers"))
        .collect();
    let few: Vec<String> = with_builders
        .iter()
        .filter(|(_, builders, reviewers)| *reviewers > 0 && reviewers < builders)
        .map(|(lead, builders, reviewers)| {
            format!("{lead}: {builders} builder(s), {reviewers} reviewer(s)")
        })
        .collect();
    let message = match (none.len(), few.len()) {
        (0, 0) => {
            return Check::pass(name, "All leads have reviewer coverage for builders");
        }
        (0, some) => format!("{some} lead(s) have partial reviewer coverage"),
        (unreviewed, _) => format!("{unreviewed} lead(s) spawned builders without any reviewers"),
    };
    Check::warn(name, message).details([none, few].concat())
}

/// Writes back what can be observed: sessions whose process is gone get their true state.
pub(super) fn repair(patient: &Patient) -> Vec<Repaired> {
    let refreshed = SessionStore::open(&patient.paths.sessions_db())
        .and_then(|store| roster::refresh(&patient.paths, &store, &Scope::All));
    match refreshed {
        Ok(roster) => vec![Repaired::Done(format!(
            "re-evaluated {} session(s)",
            roster.sessions.len()
        ))],
        Err(error) => vec![Repaired::failed(error)],
    }
}
