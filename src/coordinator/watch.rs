//! What the watchdog asks for, agent by agent. Pure: the part of [`super::decide`] that `grove
//! watch` does alone.

use super::decide::{Action, Plan, done};
use super::snapshot::{AgentFacts, Snapshot};
use crate::host::obituary;
use crate::types::{AgentState, Timestamp};
use crate::watchdog::assess::is_marked;
use crate::watchdog::foreign::{self, Finding};
use crate::watchdog::{Observation, Stage, Verdict, assess};

/// Deaths, silences, and the end of a run.
pub fn watch(snapshot: &Snapshot) -> Plan {
    let mut plan = Plan::default();
    for agent in &snapshot.agents {
        // Agents of the other program are judged by less.
        if agent.own_host().is_some() {
            judge(snapshot, agent, &mut plan);
        }
    }
    for (session, finding) in &snapshot.foreign {
        let correct = |state| Action::Correct {
            agent: session.agent_name.clone(),
            session_id: session.id.clone(),
            state,
        };
        match finding {
            Finding::Nothing => {}
            Finding::Moved(state) => plan.actions.push(correct(*state)),
            Finding::Completed => plan.actions.push(correct(AgentState::Completed)),
            Finding::Died => {
                let key = obituary::key(&session.id);
                if !done(snapshot, &key) {
                    plan.actions.push(Action::DeclareDead {
                        agent: session.agent_name.clone(),
                        session_id: session.id.clone(),
                        cause: "its process is gone".to_owned(),
                        tell: snapshot.tells_deaths && foreign::is_missed(session),
                    });
                }
            }
        }
    }
    if let Some((run, notice)) = &snapshot.finished_run {
        plan.actions.push(Action::TellRunEnd {
            run: run.clone(),
            notice: notice.clone(),
        });
    }
    plan
}

fn judge(snapshot: &Snapshot, agent: &AgentFacts, plan: &mut Plan) {
    let session = &agent.session;
    let observation = Observation {
        session,
        host: agent.host_alive,
        exit: agent.own_host().and_then(|h| h.exit.as_ref()),
        in_turn: agent.in_turn,
        quiet_ms: agent.quiet_ms,
        at_stage_ms: agent.at_stage_ms,
        excuse: agent.excuse,
    };
    match assess(&observation, snapshot.now, &snapshot.limits) {
        Verdict::Dead { cause } => {
            let key = obituary::key(&session.id);
            if !done(snapshot, &key) {
                plan.actions.push(Action::DeclareDead {
                    agent: session.agent_name.clone(),
                    session_id: session.id.clone(),
                    cause,
                    tell: snapshot.tells_deaths,
                });
            }
        }
        // A silence is one process's business; deaths are everybody's, and are told once.
        Verdict::Fine { .. } | Verdict::Excused(_) | Verdict::Silent { .. }
            if !snapshot.look.watches => {}
        Verdict::Fine {
            after_silence,
            look_in_ms,
        } => {
            if after_silence {
                plan.actions.push(active(agent));
            }
            wake(plan, snapshot.now, look_in_ms);
        }
        Verdict::Excused(_) => {
            if is_marked(session) {
                plan.actions.push(active(agent));
            }
        }
        Verdict::Silent {
            since,
            stage,
            next_in_ms,
        } => {
            wake(plan, snapshot.now, next_in_ms);
            silence(snapshot, agent, &since, stage, plan);
        }
    }
}

fn active(agent: &AgentFacts) -> Action {
    Action::MarkActive {
        agent: agent.session.agent_name.clone(),
        session_id: agent.session.id.clone(),
    }
}

fn wake(plan: &mut Plan, now: Timestamp, in_ms: Option<i64>) {
    let Some(in_ms) = in_ms else { return };
    let at = Timestamp(now.0 + in_ms.max(1));
    plan.wake_at = Some(plan.wake_at.map_or(at, |w| w.min(at)));
}

fn silence(snapshot: &Snapshot, agent: &AgentFacts, since: &str, stage: Stage, plan: &mut Plan) {
    let session = &agent.session;
    let (name, id) = (session.agent_name.clone(), session.id.clone());
    let level = stage.level();
    if session.state != AgentState::Stalled || level != session.escalation_level {
        plan.actions.push(Action::MarkStalled {
            agent: name.clone(),
            session_id: id.clone(),
            since: since.to_owned(),
            level,
        });
    }
    let key = format!("{}:{id}:{since}", verb(stage, snapshot.triages));
    if done(snapshot, &key) {
        return;
    }
    let seconds = agent.quiet_ms / 1000;
    plan.actions.extend(match stage {
        Stage::Warn => None,
        Stage::Triage if snapshot.triages => Some(Action::Triage {
            key,
            agent: name,
            session_id: id,
        }),
        Stage::Nudge | Stage::Triage => Some(Action::Nudge {
            key,
            agent: name,
            text: format!(
                "You have been silent for {seconds} s. Go on with your task, or say by mail what blocks you."
            ),
            level,
        }),
        Stage::Terminate => Some(Action::GiveUp {
            key,
            agent: name,
            session_id: id,
            cause: format!("given up after {seconds} s of silence in the middle of its work"),
        }),
    });
}

fn verb(stage: Stage, triages: bool) -> &'static str {
    match stage {
        Stage::Warn => "warn",
        Stage::Nudge => "nudge",
        Stage::Triage if triages => "triage",
        Stage::Triage => "nudge-again",
        Stage::Terminate => "give-up",
    }
}
