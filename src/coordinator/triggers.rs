//! Whether the coordinator has reached its end. Pure, apart from what it is given.

use crate::config::ExitTriggers;
use crate::types::agent::is_persistent;
use crate::types::mail::MailMessage;
use crate::types::{AgentSession, AgentState};

/// One trigger: whether it is enabled, whether it is met, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trigger {
    pub enabled: bool,
    pub met: bool,
    pub detail: String,
}

impl Trigger {
    fn check(enabled: bool, f: impl FnOnce() -> (bool, String)) -> Self {
        let (met, detail) = if enabled { f() } else { (false, String::new()) };
        Self {
            enabled,
            met,
            detail,
        }
    }
}

/// All triggers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Triggers {
    pub all_agents_done: Trigger,
    pub task_tracker_empty: Trigger,
    pub on_shutdown_signal: Trigger,
}

impl Triggers {
    /// At least one is enabled and all that are enabled are met.
    pub fn complete(&self) -> bool {
        let all = [
            &self.all_agents_done,
            &self.task_tracker_empty,
            &self.on_shutdown_signal,
        ];
        let enabled: Vec<_> = all.into_iter().filter(|t| t.enabled).collect();
        !enabled.is_empty() && enabled.iter().all(|t| t.met)
    }
}

/// What the triggers look at.
#[derive(Debug)]
pub struct Facts<'a> {
    /// Sessions of the current run; `None` without a run.
    pub run: Option<&'a [AgentSession]>,
    pub pending_branches: &'a [String],
    /// Unread mail to the coordinator.
    pub inbox: &'a [MailMessage],
    /// Ready tasks of the tracker, if it can be asked.
    pub ready_tasks: Option<usize>,
}

/// Evaluates the configured triggers.
pub fn evaluate(config: &ExitTriggers, facts: &Facts<'_>) -> Triggers {
    Triggers {
        all_agents_done: Trigger::check(config.all_agents_done, || agents_done(facts)),
        task_tracker_empty: Trigger::check(config.task_tracker_empty, || match facts.ready_tasks {
            None => (false, "no task tracker answers".to_owned()),
            Some(0) => (true, "No unblocked issues".to_owned()),
            Some(n) => (false, format!("{n} unblocked issue(s)")),
        }),
        on_shutdown_signal: Trigger::check(config.on_shutdown_signal, || shutdown(facts)),
    }
}

fn agents_done(facts: &Facts<'_>) -> (bool, String) {
    let Some(run) = facts.run else {
        return (false, "No active run".to_owned());
    };
    let workers: Vec<_> = run
        .iter()
        .filter(|s| !is_persistent(&s.capability))
        .collect();
    if workers.is_empty() {
        return (false, "No agents in current run".to_owned());
    }
    if workers.iter().any(|s| s.state != AgentState::Completed) {
        let list: Vec<_> = workers
            .iter()
            .map(|s| format!("{}:{}", s.agent_name, s.state.as_str()))
            .collect();
        return (false, list.join(", "));
    }
    if !facts.pending_branches.is_empty() {
        return (
            false,
            format!("pending merges: {}", facts.pending_branches.join(", ")),
        );
    }
    (true, format!("All {} agents completed", workers.len()))
}

fn shutdown(facts: &Facts<'_>) -> (bool, String) {
    let found = facts
        .inbox
        .iter()
        .find(|m| m.subject.to_lowercase().contains("shutdown"));
    match found {
        Some(mail) => (
            true,
            format!("Shutdown signal from {}: {}", mail.from, mail.subject),
        ),
        None => (false, "No shutdown signal".to_owned()),
    }
}
