//! What can be seen of an agent beyond its record: its host's word, its processes, its last event,
//! its screen. The more an observation costs, the fewer agents it is made for.

use super::CoordinatorError;
use super::snapshot::AgentFacts;
use crate::agents::current_run::current_run;
use crate::agents::health::{Observation, Thresholds};
use crate::agents::{roster, tmux};
use crate::db::Stores;
use crate::db::events::EventFilter;
use crate::db::mail::MailFilter;
use crate::host::{client, screen};
use crate::platform::liveness::Liveness;
use crate::platform::{ProjectPaths, clock, fs};
use crate::process::tree;
use crate::types::mail::MailType;
use crate::types::{AgentSession, Timestamp};
use crate::watchdog::foreign::{self, Finding};
use crate::watchdog::{self, Excuse, Limits, Quiet, RunNotice, provider};
use serde_json::Value;

/// How many of an agent's latest mails are searched for a question.
const RECENT_MAILS: i64 = 20;
/// How much of a screen is read.
const SCREEN_LINES: usize = 30;

/// Fills in what is seen of one agent.
pub(super) fn look_at(
    facts: &mut AgentFacts,
    stores: &Stores,
    limits: &Limits,
    now: Timestamp,
    quiet: &mut Quiet,
) {
    let steady = clock::steady_ms();
    facts.quiet_ms = quiet.of(&facts.session, now, steady, limits.stale_ms + 1);
    facts.at_stage_ms = quiet.at_stage(&facts.session, steady);
    let silent = facts.quiet_ms > limits.stale_ms;
    if facts.host_alive != Liveness::Alive || !(facts.session.state.is_terminal() || silent) {
        return;
    }
    let Some(host) = facts.host.as_ref().filter(|h| h.ended_at.is_none()) else {
        return;
    };
    let Ok(report) = client::status(host) else {
        return;
    };
    facts.in_turn = Some(report.in_turn);
    if !silent || !report.in_turn || facts.session.state.is_terminal() {
        return;
    }
    // What reached the host but not yet the record is a sign of life, too.
    let beat = report.last_output_ms.max(report.last_hook_ms);
    if now.0 - beat <= limits.stale_ms {
        facts.quiet_ms = (now.0 - beat).max(0);
        return;
    }
    facts.excuse = if host.waiting_for.is_some() {
        Some(Excuse::Person)
    } else if asks_by_mail(stores, &facts.session.agent_name) {
        Some(Excuse::Gate)
    } else {
        last_event(stores, &facts.session.agent_name)
    };
    if facts.excuse.is_none() && report.in_tool {
        facts.excuse = Some(Excuse::Tool);
        let used = tree::cpu_ticks(report.cli_pid);
        if used.is_some_and(|used| quiet.worked(&facts.session, used, steady)) {
            facts.quiet_ms = 0;
        }
    }
    if facts.excuse.is_none()
        && screen::tail(host, SCREEN_LINES).is_ok_and(|s| provider::is_limited(&s.join("\n")))
    {
        facts.excuse = Some(Excuse::RateLimited);
    }
}

fn asks_by_mail(stores: &Stores, agent: &str) -> bool {
    let filter = MailFilter {
        from: Some(agent.to_owned()),
        limit: Some(RECENT_MAILS),
        ..MailFilter::default()
    };
    let sent = stores.mail.list(&filter).unwrap_or_default();
    sent.iter().any(|m| m.kind == MailType::DecisionGate)
}

/// What the newest event of an agent excuses.
fn last_event(stores: &Stores, agent: &str) -> Option<Excuse> {
    let filter = EventFilter {
        agent: Some(agent.to_owned()),
        limit: Some(3),
        newest_first: true,
        ..EventFilter::default()
    };
    let events = stores.events.query(&filter).ok()?;
    let kinds = events.iter().map(|event| {
        let data: Option<Value> = event
            .data
            .as_deref()
            .and_then(|d| crate::text::read_json(d).ok());
        data.and_then(|d| d.get("type")?.as_str().map(str::to_owned))
            .unwrap_or_default()
    });
    // What the watchdog itself notes about the agent says nothing about it.
    let newest = kinds
        .into_iter()
        .find(|kind| !matches!(kind.as_str(), "escalation" | "nudge" | "triage"))?;
    match newest.as_str() {
        "rate_limit" => Some(Excuse::RateLimited),
        "compact" => Some(Excuse::Compacting),
        _ => None,
    }
}

/// Agents that grove has not started, and what their record misses.
pub(super) fn foreign(
    agents: &[AgentFacts],
    now: Timestamp,
    limits: &Limits,
) -> Vec<(AgentSession, Finding)> {
    let theirs: Vec<_> = agents
        .iter()
        .filter(|a| a.own_host().is_none() && a.session.state.is_active())
        .map(|a| &a.session)
        .collect();
    let any_tmux = theirs.iter().any(|s| !s.tmux_session.is_empty());
    let terminals = if any_tmux {
        tmux::sessions()
    } else {
        Vec::new()
    };
    let limits = Thresholds {
        stale_ms: limits.stale_ms,
        zombie_ms: limits.zombie_ms,
    };
    let judged = theirs.into_iter().map(|session| {
        let seen = Observation {
            tmux_alive: terminals.iter().any(|t| t.name == session.tmux_session),
            pid_alive: session.pid.and_then(roster::is_alive),
        };
        (session.clone(), foreign::judge(session, seen, now, limits))
    });
    judged
        .filter(|(_, finding)| *finding != Finding::Nothing)
        .collect()
}

/// The present run, when its last agent has ended and that has not been told.
pub(super) fn finished_run(
    paths: &ProjectPaths,
    agents: &[AgentFacts],
) -> Result<Option<(String, RunNotice)>, CoordinatorError> {
    let Some(run) = current_run(paths)? else {
        return Ok(None);
    };
    let told = fs::read_optional(&paths.file(watchdog::completion::MARKER))?;
    if told.is_some_and(|told| told.trim() == run) {
        return Ok(None);
    }
    let of_run: Vec<AgentSession> = agents
        .iter()
        .filter(|a| a.session.run_id.as_deref() == Some(run.as_str()))
        .map(|a| a.session.clone())
        .collect();
    Ok(watchdog::notice(&run, &of_run).map(|notice| (run, notice)))
}
