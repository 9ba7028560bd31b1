//! What should happen next. Pure.

use super::snapshot::{AgentFacts, Snapshot};
use super::watch;
use crate::platform::liveness::Liveness;
use crate::types::agent::{is_persistent, is_read_only};
use crate::types::mail::{MailMessage, MailType};
use crate::types::merge::MergeStatus;
use crate::types::{AgentState, Timestamp};
use crate::watchdog::RunNotice;
use serde_json::Value;

/// One thing to do. Actions with a `key` are done once, ever.
#[derive(Debug, Clone, PartialEq)]
pub enum Action {
    /// A branch is ready to be merged.
    Enqueue {
        key: String,
        branch: String,
        task: String,
        agent: String,
    },
    /// A report that leads to nothing; noted so that it is not looked at again.
    Acknowledge {
        key: String,
    },
    /// Land the entry.
    Merge {
        queue_id: i64,
    },
    /// An agent is gone without having finished.
    DeclareDead {
        agent: String,
        session_id: String,
        cause: String,
        /// Whether its parent is told.
        tell: bool,
    },
    MarkStalled {
        agent: String,
        session_id: String,
        since: String,
        level: i64,
    },
    MarkActive {
        agent: String,
        session_id: String,
    },
    Nudge {
        key: String,
        agent: String,
        text: String,
        level: i64,
    },
    /// Ask a model whether a silent agent can go on.
    Triage {
        key: String,
        agent: String,
        session_id: String,
    },
    /// End an agent that does not come back; its work is saved first.
    GiveUp {
        key: String,
        agent: String,
        session_id: String,
        cause: String,
    },
    /// The record of an agent of the other program is behind.
    Correct {
        agent: String,
        session_id: String,
        state: AgentState,
    },
    /// All agents of a run have ended.
    TellRunEnd {
        run: String,
        notice: RunNotice,
    },
    /// Somebody at a command line asks how things are.
    Answer {
        key: String,
        mail: String,
        body: String,
    },
    /// There is mail that the agent's host may not know of.
    Poke {
        agent: String,
        messages: Vec<String>,
    },
    /// The work is landed and the agent idle: end its process.
    Retire {
        key: String,
        agent: String,
    },
}

/// What to do now, and when to look again at the latest.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Plan {
    pub actions: Vec<Action>,
    /// The next moment at which time alone changes something.
    pub wake_at: Option<Timestamp>,
}

/// Decides by what is so, not by what has happened: asked twice about the same moment, it
/// answers the same.
pub fn decide(snapshot: &Snapshot) -> Plan {
    let mut plan = Plan::default();
    for report in &snapshot.reports {
        plan.actions.extend(report_action(snapshot, report));
    }
    let watched = watch::watch(snapshot);
    plan.actions.extend(watched.actions);
    plan.wake_at = watched.wake_at;
    for agent in &snapshot.agents {
        // Those that ov has started are ov's.
        if agent.own_host().is_some() {
            plan.actions.extend(retirement(snapshot, agent));
            plan.actions.extend(poke(snapshot, agent));
        }
    }
    plan.actions.extend(answers(snapshot));
    plan.actions.extend(next_merge(snapshot));
    plan
}

/// Whether an action was done before.
pub(super) fn done(snapshot: &Snapshot, key: &str) -> bool {
    snapshot.done.contains(key)
}

fn agent_named<'a>(snapshot: &'a Snapshot, name: &str) -> Option<&'a AgentFacts> {
    snapshot
        .agents
        .iter()
        .find(|a| a.session.agent_name == name)
}

fn report_action(snapshot: &Snapshot, mail: &MailMessage) -> Option<Action> {
    let key = format!("report:{}", mail.id);
    if done(snapshot, &key) {
        return None;
    }
    let sender = agent_named(snapshot, &mail.from)?;
    // Reports of an earlier life, or of agents that are not ours, stay with who wrote them.
    sender.own_host()?;
    if mail.created_at < sender.session.started_at {
        return None;
    }
    let payload: Value = mail
        .payload
        .as_deref()
        .and_then(|p| crate::text::read_json(p).ok())
        .unwrap_or(Value::Null);
    let text = |name: &str| payload.get(name).and_then(Value::as_str).map(str::to_owned);
    let (branch, task, agent) = match mail.kind {
        MailType::WorkerDone => {
            if is_read_only(&sender.session.capability) {
                return Some(Action::Acknowledge { key });
            }
            if led(snapshot, sender) {
                // Its lead looks at the work first and says when it is ready.
                return None;
            }
            let session = &sender.session;
            (
                session.branch_name.clone(),
                session.task_id.clone(),
                mail.from.clone(),
            )
        }
        MailType::MergeReady => {
            let branch = text("branch").unwrap_or_else(|| sender.session.branch_name.clone());
            // A lead speaks for its own and its children's branches, for no other.
            let owner = snapshot.agents.iter().find(|a| {
                a.session.branch_name == branch
                    && (a.session.agent_name == mail.from
                        || a.session.parent_agent.as_deref() == Some(mail.from.as_str()))
            });
            let Some(owner) = owner else {
                return Some(Action::Acknowledge { key });
            };
            (
                branch,
                owner.session.task_id.clone(),
                owner.session.agent_name.clone(),
            )
        }
        MailType::Status
        | MailType::Question
        | MailType::Result
        | MailType::Error
        | MailType::WorkerDied
        | MailType::Merged
        | MailType::MergeFailed
        | MailType::Escalation
        | MailType::HealthCheck
        | MailType::Dispatch
        | MailType::Assign
        | MailType::DecisionGate => return None,
    };
    let queued_since = snapshot.queue.iter().any(|q| {
        q.entry.branch_name == branch
            && q.entry.enqueued_at >= mail.created_at
            && !snapshot.looked_at.has(q)
    });
    if queued_since {
        return Some(Action::Acknowledge { key });
    }
    Some(Action::Enqueue {
        key,
        branch,
        task,
        agent,
    })
}

/// Whether the agent reports to a lead that is still there.
fn led(snapshot: &Snapshot, agent: &AgentFacts) -> bool {
    let parent = agent
        .session
        .parent_agent
        .as_deref()
        .and_then(|p| agent_named(snapshot, p));
    parent.is_some_and(|p| {
        p.session.capability == "lead"
            && p.session.state.is_active()
            && p.host_alive == Liveness::Alive
    })
}

/// A completed agent whose work is landed, or needs no landing, and that sits at its prompt.
fn retirement(snapshot: &Snapshot, agent: &AgentFacts) -> Option<Action> {
    let session = &agent.session;
    let host = agent.own_host()?;
    let idle = host.ended_at.is_none()
        && agent.host_alive == Liveness::Alive
        && agent.in_turn == Some(false);
    if session.state != AgentState::Completed || is_persistent(&session.capability) || !idle {
        return None;
    }
    let landed = snapshot.queue.iter().any(|q| {
        q.entry.branch_name == session.branch_name && q.entry.status == MergeStatus::Merged
    });
    if !landed && !is_read_only(&session.capability) {
        return None;
    }
    let key = format!("retire:{}", session.id);
    (!done(snapshot, &key)).then(|| Action::Retire {
        key,
        agent: session.agent_name.clone(),
    })
}

fn poke(snapshot: &Snapshot, agent: &AgentFacts) -> Option<Action> {
    if agent.host_alive != Liveness::Alive || !agent.session.state.is_active() {
        return None;
    }
    let name = &agent.session.agent_name;
    let messages: Vec<String> = snapshot
        .unread
        .iter()
        .filter(|(to, _)| to == name)
        .map(|(_, id)| id.clone())
        .collect();
    (!messages.is_empty()).then(|| Action::Poke {
        agent: name.clone(),
        messages,
    })
}

/// Questions are answered with what is known, so that nobody waits for a model that is not there.
fn answers(snapshot: &Snapshot) -> Vec<Action> {
    let open = snapshot.questions.iter().map(|mail| {
        let key = format!("answer:{}", mail.id);
        (!done(snapshot, &key)).then(|| Action::Answer {
            key,
            mail: mail.id.clone(),
            body: state_in_words(snapshot),
        })
    });
    open.flatten().collect()
}

/// Agents and queue in a few lines.
fn state_in_words(snapshot: &Snapshot) -> String {
    let active: Vec<_> = snapshot
        .agents
        .iter()
        .map(|a| &a.session)
        .filter(|s| s.state.is_active() && !is_persistent(&s.capability))
        .collect();
    let mut lines = vec![format!(
        "I am the coordinator's loop: I land finished work and watch health, and I call no model. {} at work.",
        crate::text::counted(active.len() as u64, "agent")
    )];
    lines.extend(active.iter().map(|s| {
        format!(
            "- {} ({}), task {}: {}",
            s.agent_name,
            s.capability,
            s.task_id,
            s.state.as_str()
        )
    }));
    let in_state = |status: MergeStatus| {
        let found = snapshot.queue.iter().filter(|q| q.entry.status == status);
        found
            .map(|q| q.entry.branch_name.as_str())
            .collect::<Vec<_>>()
    };
    for (status, what) in [
        (MergeStatus::Merging, "Being merged"),
        (MergeStatus::Pending, "Waiting to be merged"),
        (MergeStatus::Conflict, "Held for a person"),
        (MergeStatus::Failed, "Failed to merge"),
    ] {
        let branches = in_state(status);
        if !branches.is_empty() {
            lines.push(format!("{what}: {}", branches.join(", ")));
        }
    }
    lines.push(
        "For a coordinator with a model: grove orchestrator start, then grove orchestrator ask"
            .to_owned(),
    );
    lines.join("\n")
}

/// One merge at a time: the first entry that waits.
fn next_merge(snapshot: &Snapshot) -> Option<Action> {
    let busy = snapshot.look.merging || snapshot.merging_elsewhere;
    if busy || snapshot.paused || !snapshot.look.lands {
        return None;
    }
    let pending = snapshot
        .queue
        .iter()
        .find(|q| q.entry.status == MergeStatus::Pending && !snapshot.looked_at.has(q))?;
    Some(Action::Merge {
        queue_id: pending.id,
    })
}

#[cfg(test)]
#[path = "decide_tests.rs"]
mod tests;
