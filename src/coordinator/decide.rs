//! What should happen next. Pure.

use super::snapshot::{AgentFacts, Snapshot, quiet_for};
use crate::platform::liveness::Liveness;
use crate::types::agent::{is_persistent, is_read_only};
use crate::types::mail::{MailMessage, MailType};
use crate::types::merge::MergeStatus;
use crate::types::{AgentState, Timestamp};
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
        key: String,
        agent: String,
        session_id: String,
        cause: String,
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
    for agent in &snapshot.agents {
        if agent.own_host().is_none() {
            // Not started by grove: ov looks after its own.
            continue;
        }
        plan.actions.extend(death(snapshot, agent));
        silence(snapshot, agent, &mut plan);
        plan.actions.extend(retirement(snapshot, agent));
        plan.actions.extend(poke(snapshot, agent));
    }
    plan.actions.extend(next_merge(snapshot));
    plan
}

fn done(snapshot: &Snapshot, key: &str) -> bool {
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
        .and_then(|p| serde_json::from_str(p).ok())
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
    let queued_since = snapshot
        .queue
        .iter()
        .any(|q| q.entry.branch_name == branch && q.entry.enqueued_at >= mail.created_at);
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

fn death(snapshot: &Snapshot, agent: &AgentFacts) -> Option<Action> {
    let host = agent.own_host()?;
    let session = &agent.session;
    let key = format!("died:{}", session.id);
    if session.state == AgentState::Completed || done(snapshot, &key) {
        return None;
    }
    let cause = match (&host.exit, agent.host_alive) {
        (Some(exit), _) if session.state == AgentState::Zombie => exit.cause.clone(),
        // The exit is stored before the state: the state follows within moments, unless the
        // host was killed in between.
        (Some(exit), Liveness::Dead) => exit.cause.clone(),
        (Some(_), Liveness::Alive | Liveness::Unknown) => return None,
        (None, Liveness::Dead) => "its host process was killed".to_owned(),
        (None, Liveness::Alive | Liveness::Unknown) => return None,
    };
    Some(Action::DeclareDead {
        key,
        agent: session.agent_name.clone(),
        session_id: session.id.clone(),
        cause,
    })
}

fn silence(snapshot: &Snapshot, agent: &AgentFacts, plan: &mut Plan) {
    let session = &agent.session;
    let waits_for_person = agent.own_host().is_some_and(|h| h.waiting_for.is_some());
    if !session.state.is_active() || is_persistent(&session.capability) || waits_for_person {
        return;
    }
    if agent.host_alive != Liveness::Alive {
        return;
    }
    let quiet = quiet_for(session, snapshot.now);
    let wake = |plan: &mut Plan, in_ms: i64| {
        let at = Timestamp(snapshot.now.0 + in_ms.max(1));
        plan.wake_at = Some(plan.wake_at.map_or(at, |w| w.min(at)));
    };
    let (name, id) = (session.agent_name.clone(), session.id.clone());
    if quiet <= snapshot.thresholds.stale_ms || agent.in_turn == Some(false) {
        if session.state == AgentState::Stalled {
            plan.actions.push(Action::MarkActive {
                agent: name,
                session_id: id,
            });
        }
        if agent.in_turn != Some(false) {
            wake(plan, snapshot.thresholds.stale_ms - quiet + 1);
        }
        return;
    }
    let since = session
        .stalled_since
        .clone()
        .unwrap_or_else(|| snapshot.now.iso());
    let stalled_ms = Timestamp::parse(&since).map_or(0, |t| (snapshot.now.0 - t.0).max(0));
    let every = snapshot.thresholds.nudge_every_ms.max(1);
    let level = (stalled_ms / every).min(2).max(session.escalation_level);
    if session.state != AgentState::Stalled || level != session.escalation_level {
        plan.actions.push(Action::MarkStalled {
            agent: name.clone(),
            session_id: id.clone(),
            since: since.clone(),
            level,
        });
    }
    if level >= 1 {
        let key = format!("nudge:{id}:{since}:{level}");
        if !done(snapshot, &key) {
            let text = format!(
                "You have been silent for {} s. Go on with your task, or say by mail what blocks you.",
                quiet / 1000
            );
            plan.actions.push(Action::Nudge {
                key,
                agent: name,
                text,
                level,
            });
        }
    }
    if level < 2 {
        wake(plan, every - stalled_ms % every);
    }
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

/// One merge at a time: the oldest pending entry.
fn next_merge(snapshot: &Snapshot) -> Option<Action> {
    if snapshot.merging {
        return None;
    }
    let pending = snapshot
        .queue
        .iter()
        .find(|q| q.entry.status == MergeStatus::Pending)?;
    Some(Action::Merge {
        queue_id: pending.id,
    })
}

#[cfg(test)]
#[path = "decide_tests.rs"]
mod tests;
