//! How each agent is seen: recorded state, evidence, and what it deserves now. Pure.

use super::view::{
    AgentState as ViewState, AgentView, Attention, Evidence, ExitView, NeedsReason, PaneMode,
    TokenCounts,
};
use crate::db::grove::HostRow;
use crate::db::metrics::TokenSnapshot;
use crate::platform::liveness::Liveness;
use crate::types::host::LaunchRecord;
use crate::types::{AgentSession, AgentState, Timestamp};
use crate::watchdog::refusals::Repeated;

/// Everything one view is made of.
#[derive(Debug)]
pub(super) struct Facts<'a> {
    pub(super) session: &'a AgentSession,
    pub(super) host: Option<&'a HostRow>,
    pub(super) host_alive: Liveness,
    pub(super) launch: Option<&'a LaunchRecord>,
    pub(super) tokens: Option<&'a TokenSnapshot>,
    pub(super) unread: usize,
    /// Its merge is held because lines would be displaced.
    pub(super) merge_held: bool,
    /// A person has stopped this session.
    pub(super) stopped: bool,
    /// The guard refuses it the same thing again and again.
    pub(super) refused: Option<&'a Repeated>,
    pub(super) now_ms: i64,
}

/// Makes the view of one agent.
pub(super) fn view(f: &Facts<'_>) -> AgentView {
    let session = f.session;
    let host = f.host.filter(|h| h.session_id == session.id);
    let started_ms = ms(&session.started_at);
    let active_ms = ms(&session.last_activity);
    let (attention, evidence) = attention(f, host, active_ms);
    let optional = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    AgentView {
        name: session.agent_name.clone(),
        capability: session.capability.clone(),
        state: state(session.state),
        attention,
        evidence,
        observations: observations(f, host, active_ms),
        parent: session.parent_agent.clone(),
        depth: session.depth.max(0) as u32,
        task: optional(&session.task_id),
        branch: optional(&session.branch_name),
        worktree: optional(&session.worktree_path),
        runtime: host.map_or_else(|| "ov".to_owned(), |h| h.runtime.clone()),
        mode: match host.map(|h| h.mode.as_str()) {
            Some("stream") => PaneMode::Stream,
            Some(_) | None => PaneMode::Pty,
        },
        model: f
            .tokens
            .and_then(|t| t.model_used.clone())
            .or_else(|| f.launch.and_then(|l| l.model.clone()))
            .filter(|_| host.is_none_or(|h| h.runtime != "script")),
        cost_micro_usd: f
            .tokens
            .and_then(|t| t.estimated_cost_usd)
            .map(|c| (c * 1e6).round() as i64),
        tokens: f.tokens.map_or_else(TokenCounts::default, |t| TokenCounts {
            input: t.input_tokens.max(0) as u64,
            output: t.output_tokens.max(0) as u64,
            cache: t
                .cache_read_tokens
                .saturating_add(t.cache_creation_tokens)
                .max(0) as u64,
        }),
        context_percent: None,
        pid: session.pid.and_then(|p| u32::try_from(p).ok()),
        started_ms,
        last_output_ms: Some(active_ms).filter(|m| *m > 0),
        unread_mail: f.unread as u32,
        escalation_level: session.escalation_level.max(0) as u32,
        next_step: None,
        exit: host.and_then(exit),
        protection: host.and_then(|h| h.protection.clone()),
    }
}

fn ms(text: &str) -> i64 {
    Timestamp::parse(text).map_or(0, |t| t.0)
}

fn state(state: AgentState) -> ViewState {
    match state {
        AgentState::Booting => ViewState::Booting,
        AgentState::Working => ViewState::Working,
        AgentState::InTurn => ViewState::InTurn,
        AgentState::BetweenTurns => ViewState::BetweenTurns,
        AgentState::Completed => ViewState::Completed,
        AgentState::Stalled => ViewState::Stalled,
        AgentState::Zombie => ViewState::Zombie,
    }
}

fn attention(f: &Facts<'_>, host: Option<&HostRow>, active_ms: i64) -> (Attention, Evidence) {
    let say = |text: String, since_ms: i64| Evidence { text, since_ms };
    let waiting = host.and_then(|h| h.waiting_for.clone());
    let session = f.session;
    if f.merge_held {
        let attention = Attention::NeedsYou {
            reason: NeedsReason::Displaced,
        };
        return (
            attention,
            say(
                "its merge is held: lines would be displaced".to_owned(),
                active_ms,
            ),
        );
    }
    match session.state {
        AgentState::Completed if f.stopped => (
            Attention::Stopped,
            say(
                "stopped before it was done; worktree and branch stay".to_owned(),
                active_ms,
            ),
        ),
        AgentState::Completed => (
            Attention::Done,
            say("reported its work".to_owned(), active_ms),
        ),
        AgentState::Zombie => {
            let cause = host.and_then(|h| h.exit.as_ref()).map(|e| e.cause.clone());
            let text = cause.unwrap_or_else(|| "recorded as gone".to_owned());
            (Attention::Dead, say(text, active_ms))
        }
        AgentState::Booting
        | AgentState::Working
        | AgentState::InTurn
        | AgentState::BetweenTurns
        | AgentState::Stalled => {
            if host.is_some_and(|h| h.ended_at.is_some())
                || f.host_alive == Liveness::Dead && host.is_some()
            {
                return (
                    Attention::Dead,
                    say("its host process is gone".to_owned(), active_ms),
                );
            }
            if let Some(why) = waiting {
                let permission = why.to_lowercase().contains("permission");
                let reason = if permission {
                    NeedsReason::Permission
                } else {
                    NeedsReason::Question
                };
                return (Attention::NeedsYou { reason }, say(why, active_ms));
            }
            if let Some(refused) = f.refused {
                let text = refused.told_of(&session.agent_name);
                let reason = NeedsReason::Refused;
                return (Attention::NeedsYou { reason }, say(text, refused.since_ms));
            }
            live(session, active_ms, f.now_ms)
        }
    }
}

fn live(session: &AgentSession, active_ms: i64, now_ms: i64) -> (Attention, Evidence) {
    let say = |text: &str, since_ms: i64| Evidence {
        text: text.to_owned(),
        since_ms,
    };
    match session.state {
        AgentState::Stalled => {
            let since = session.stalled_since.as_deref().map_or(active_ms, ms);
            (
                Attention::Stalled,
                say("silent in the middle of a turn", since.min(now_ms)),
            )
        }
        AgentState::Booting => (Attention::Booting, say("starting", ms(&session.started_at))),
        AgentState::BetweenTurns => (Attention::BetweenTurns, say("between turns", active_ms)),
        AgentState::Working | AgentState::InTurn | AgentState::Completed | AgentState::Zombie => {
            (Attention::Working, say("active", active_ms))
        }
    }
}

fn observations(f: &Facts<'_>, host: Option<&HostRow>, active_ms: i64) -> Vec<Evidence> {
    let session = f.session;
    let started = ms(&session.started_at);
    let mut list = Vec::new();
    let mut add = |text: String, since_ms: i64| list.push(Evidence { text, since_ms });
    add(
        format!("recorded state: {}", session.state.as_str()),
        active_ms,
    );
    match (host, f.host_alive) {
        (None, _) => add(
            "not started by grove: only the record is known".to_owned(),
            started,
        ),
        (Some(h), _) if h.ended_at.is_some() => {
            add(
                "host: ended in order".to_owned(),
                h.ended_at.as_deref().map_or(started, ms),
            );
        }
        (Some(h), Liveness::Alive) => add(format!("host: alive, pid {}", h.host.pid), started),
        (Some(h), Liveness::Dead) => add(format!("host: dead, was pid {}", h.host.pid), active_ms),
        (Some(_), Liveness::Unknown) => add("host: unknown".to_owned(), started),
    }
    add("last activity".to_owned(), active_ms);
    if let Some(hook) = host.and_then(|h| h.first_hook_at.as_deref()) {
        add("guard: hooks report".to_owned(), ms(hook));
    }
    if session.escalation_level > 0 {
        let since = session.stalled_since.as_deref().map_or(active_ms, ms);
        add(
            format!("watchdog: level {}", session.escalation_level),
            since,
        );
    }
    list
}

fn exit(host: &HostRow) -> Option<ExitView> {
    let exit = host.exit.as_ref()?;
    Some(ExitView {
        code: exit.code,
        signal: exit.signal.as_deref().and_then(|s| s.parse().ok()),
        cause: Some(exit.cause.clone()),
        at_ms: ms(&exit.ended_at),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn session(state: AgentState) -> AgentSession {
        AgentSession {
            id: "s".into(),
            agent_name: "ada".into(),
            capability: "builder".into(),
            worktree_path: "/w".into(),
            branch_name: "b".into(),
            task_id: "t".into(),
            tmux_session: String::new(),
            state,
            pid: None,
            parent_agent: None,
            depth: 0,
            run_id: None,
            started_at: String::new(),
            last_activity: String::new(),
            escalation_level: 0,
            stalled_since: None,
            transcript_path: None,
            prompt_version: None,
            claude_session_id: None,
        }
    }

    fn seen(state: AgentState, refused: Option<&Repeated>) -> AgentView {
        view(&Facts {
            session: &session(state),
            host: None,
            host_alive: Liveness::Unknown,
            launch: None,
            tokens: None,
            unread: 0,
            merge_held: false,
            stopped: false,
            refused,
            now_ms: 100,
        })
    }

    #[test]
    fn an_agent_that_is_refused_again_and_again_needs_a_person_and_says_why() {
        let refused = Repeated {
            rule: "publish".into(),
            count: 3,
            since_ms: 40,
        };
        let agent = seen(AgentState::Working, Some(&refused));
        let reason = NeedsReason::Refused;
        assert_eq!(agent.attention, Attention::NeedsYou { reason });
        assert_eq!(agent.evidence.since_ms, 40);
        assert!(agent.evidence.text.contains("3 times (publish)"));
        assert_eq!(
            seen(AgentState::Working, None).attention,
            Attention::Working
        );
    }

    #[test]
    fn who_has_ended_is_not_reported_for_old_refusals() {
        let refused = Repeated {
            rule: "publish".into(),
            count: 9,
            since_ms: 40,
        };
        let agent = seen(AgentState::Completed, Some(&refused));
        assert_eq!(agent.attention, Attention::Done);
    }
}
