//! Noticing that all agents of a run have ended. Pure.

use crate::types::agent::is_persistent;
use crate::types::{AgentSession, AgentState};
use std::collections::BTreeSet;

/// The file that holds the id of the run whose end was told last.
pub const MARKER: &str = "run-complete-notified.txt";

/// What is told about a run once, when its last agent has ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunNotice {
    pub text: String,
    pub workers: usize,
    pub completed: Vec<String>,
    pub zombies: Vec<String>,
    pub capabilities: Vec<String>,
    /// The one capability all of them had, or `mixed`.
    pub phase: String,
}

/// The notice about a run whose sessions are given; `None` while somebody works or nobody has.
pub fn notice(run: &str, sessions: &[AgentSession]) -> Option<RunNotice> {
    let workers: Vec<_> = sessions
        .iter()
        .filter(|s| !is_persistent(&s.capability))
        .collect();
    if workers.is_empty() || workers.iter().any(|s| s.state.is_active()) {
        return None;
    }
    let named = |state: AgentState| -> Vec<String> {
        let ended = workers.iter().filter(|s| s.state == state);
        ended.map(|s| s.agent_name.clone()).collect()
    };
    let capabilities: BTreeSet<String> = workers.iter().map(|s| s.capability.clone()).collect();
    let phase = match capabilities.first() {
        Some(only) if capabilities.len() == 1 => only.clone(),
        Some(_) | None => "mixed".to_owned(),
    };
    let zombies = named(AgentState::Zombie);
    let (verb, qualifier) = if zombies.is_empty() {
        ("have completed", String::new())
    } else {
        ("have ended", format!(" ({} died)", zombies.len()))
    };
    let count = workers.len();
    let text = if phase == "mixed" {
        let breakdown = capabilities.iter().cloned().collect::<Vec<_>>().join(", ");
        format!(
            "[WATCHDOG] All {count} worker(s) in run {run} {verb}{qualifier} ({breakdown}). Ready for next steps."
        )
    } else {
        format!(
            "[WATCHDOG] All {count} {phase}(s) in run {run} {verb}{qualifier}. {}",
            next_step(&phase)
        )
    };
    Some(RunNotice {
        text,
        workers: count,
        completed: named(AgentState::Completed),
        zombies,
        capabilities: capabilities.into_iter().collect(),
        phase,
    })
}

fn next_step(phase: &str) -> &'static str {
    match phase {
        "scout" => "Ready for next phase.",
        "builder" | "lead" => "Ready for merge/cleanup.",
        "reviewer" => "Reviews done.",
        "merger" => "Merges done.",
        _ => "Ready for next steps.",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn session(name: &str, capability: &str, state: AgentState) -> AgentSession {
        AgentSession {
            capability: capability.into(),
            state,
            ..AgentSession::example(name)
        }
    }

    #[test]
    fn a_run_is_over_when_its_last_worker_has_ended_however() {
        let mut run = vec![
            session("c", "coordinator", AgentState::Working),
            session("a", "builder", AgentState::Completed),
            session("b", "builder", AgentState::Stalled),
        ];
        assert_eq!(notice("r", &run), None);
        run[2].state = AgentState::Zombie;
        let found = notice("r", &run).unwrap();
        assert_eq!((found.workers, found.phase.as_str()), (2, "builder"));
        assert_eq!(found.zombies, ["b"]);
        assert!(found.text.contains("1 died"), "{}", found.text);
        assert_eq!(notice("r", &run[..1]), None, "nobody has worked");
    }
}
