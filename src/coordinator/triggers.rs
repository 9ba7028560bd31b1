//! Whether the coordinator has reached its end. Pure, apart from what it is given.

use super::post::{OPERATOR, ORCHESTRATOR};
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
    /// An agent goes by the name of the user's own session.
    pub agent_is_orchestrator: bool,
    /// What the tracker says.
    pub ready: &'a Ready,
}

/// Tasks the tracker would give out now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ready {
    Tasks(usize),
    /// It cannot be asked, for this reason.
    Unknown(String),
}

/// Evaluates the configured triggers.
pub fn evaluate(config: &ExitTriggers, facts: &Facts<'_>) -> Triggers {
    Triggers {
        all_agents_done: Trigger::check(config.all_agents_done, || agents_done(facts)),
        task_tracker_empty: Trigger::check(config.task_tracker_empty, || match facts.ready {
            Ready::Unknown(why) => (false, why.clone()),
            Ready::Tasks(0) => (true, "No unblocked issues".to_owned()),
            Ready::Tasks(n) => (false, format!("{n} unblocked issue(s)")),
        }),
        on_shutdown_signal: Trigger::check(config.on_shutdown_signal, || shutdown(facts)),
    }
}

fn agents_done(facts: &Facts<'_>) -> (bool, String) {
    let Some(run) = facts.run else {
        return (false, "No current run found".to_owned());
    };
    let workers: Vec<_> = run
        .iter()
        .filter(|s| !is_persistent(&s.capability))
        .collect();
    if workers.is_empty() {
        return (false, String::new());
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
            format!(
                "{} branch(es) pending merge: {}",
                facts.pending_branches.len(),
                facts.pending_branches.join(", ")
            ),
        );
    }
    (true, format!("All {} agents completed", workers.len()))
}

fn shutdown(facts: &Facts<'_>) -> (bool, String) {
    let mut asked = facts.inbox.iter().filter(|mail| asks_for_shutdown(mail));
    let first = asked.clone().next();
    let of_person = asked.find(|mail| is_shutdown(mail, facts.agent_is_orchestrator));
    match (of_person, first) {
        (Some(mail), _) => (
            true,
            format!("Shutdown signal from {}: {}", mail.from, mail.subject),
        ),
        (None, Some(mail)) => (
            false,
            format!(
                "Shutdown signal from {}, which is not a person's, does not count",
                mail.from
            ),
        ),
        (None, None) => (false, "No shutdown signal received".to_owned()),
    }
}

/// Whether a mail ends the coordinator: nothing that an agent writes does. Names of agents are told from those of persons by
/// the host, but for the user's own session, in whose place an agent may be.
pub fn is_shutdown(mail: &MailMessage, agent_is_orchestrator: bool) -> bool {
    let is_person = mail.from == OPERATOR || (mail.from == ORCHESTRATOR && !agent_is_orchestrator);
    is_person && asks_for_shutdown(mail)
}

fn asks_for_shutdown(mail: &MailMessage) -> bool {
    mail.subject.to_lowercase().contains("shutdown")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::mail::{MailPriority, MailType};

    fn config(agents: bool, tracker: bool, shutdown: bool) -> ExitTriggers {
        ExitTriggers {
            all_agents_done: agents,
            task_tracker_empty: tracker,
            on_shutdown_signal: shutdown,
        }
    }

    fn facts<'a>(inbox: &'a [MailMessage], ready: &'a Ready) -> Facts<'a> {
        Facts {
            run: None,
            pending_branches: &[],
            inbox,
            agent_is_orchestrator: false,
            ready,
        }
    }

    fn mail(from: &str) -> MailMessage {
        MailMessage {
            id: "m".into(),
            from: from.into(),
            to: "coordinator".into(),
            subject: "please SHUTDOWN".into(),
            body: String::new(),
            kind: MailType::Status,
            unknown_kind: None,
            priority: MailPriority::Normal,
            unknown_priority: None,
            thread_id: None,
            payload: None,
            read: false,
            created_at: String::new(),
        }
    }

    #[test]
    fn no_agent_ends_the_coordinator_by_mail() {
        let none = Ready::Unknown("x".into());
        let wanted = config(false, false, true);
        let seen = |inbox: &[MailMessage], agent_is_orchestrator| {
            let facts = Facts {
                agent_is_orchestrator,
                ..facts(inbox, &none)
            };
            let found = evaluate(&wanted, &facts);
            (found.complete(), found.on_shutdown_signal.detail)
        };
        for agent in ["ann", "lead", "monitor", "coordinator", "watchdog"] {
            let (complete, detail) = seen(&[mail(agent)], false);
            assert!(!complete, "{agent}");
            assert!(detail.contains(agent), "{detail}");
        }
        assert!(seen(&[mail("orchestrator")], false).0);
        assert!(!seen(&[mail("orchestrator")], true).0);
        assert!(seen(&[mail("ann"), mail("operator")], true).0);
    }

    #[test]
    fn every_trigger_that_is_enabled_must_be_met_and_none_is_never_enough() {
        let inbox = [mail("operator")];
        let none = Ready::Unknown("x".into());
        let complete = |c: &ExitTriggers, f: &Facts<'_>| evaluate(c, f).complete();
        assert!(!complete(
            &config(false, false, false),
            &facts(&inbox, &none)
        ));
        assert!(complete(&config(false, false, true), &facts(&inbox, &none)));
        assert!(!complete(&config(true, false, true), &facts(&inbox, &none)));
    }

    #[test]
    fn an_empty_tracker_fires_and_a_silent_one_does_not() {
        let fires = |ready: &Ready| {
            let found = evaluate(&config(false, true, false), &facts(&[], ready));
            (found.complete(), found.task_tracker_empty.detail)
        };
        assert_eq!(
            fires(&Ready::Tasks(0)),
            (true, "No unblocked issues".into())
        );
        assert_eq!(
            fires(&Ready::Tasks(2)),
            (false, "2 unblocked issue(s)".into())
        );
        assert!(!fires(&Ready::Unknown("broken".into())).0);
    }
}
