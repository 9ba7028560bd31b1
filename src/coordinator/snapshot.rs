//! Everything the coordinator decides by, gathered at one moment.

use super::CoordinatorError;
use crate::config::Config;
use crate::db::Stores;
use crate::db::grove::HostRow;
use crate::db::mail::MailFilter;
use crate::db::merge_queue::QueueRow;
use crate::host::client;
use crate::platform::clock;
use crate::platform::liveness::{self, Liveness};
use crate::types::mail::{MailMessage, MailType};
use crate::types::{AgentSession, Timestamp};
use std::collections::HashSet;

/// Times after which silence means something; milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Thresholds {
    pub stale_ms: i64,
    pub nudge_every_ms: i64,
}

/// What is known about one agent that grove has started.
#[derive(Debug, Clone, PartialEq)]
pub struct AgentFacts {
    pub session: AgentSession,
    pub host: Option<HostRow>,
    pub host_alive: Liveness,
    /// Whether a turn is going on; only asked for when it matters, else `None`.
    pub in_turn: Option<bool>,
}

impl AgentFacts {
    /// The host row, if it belongs to the present life.
    pub fn own_host(&self) -> Option<&HostRow> {
        self.host
            .as_ref()
            .filter(|h| h.session_id == self.session.id)
    }
}

/// One moment of the project.
#[derive(Debug, Clone, PartialEq)]
pub struct Snapshot {
    pub agents: Vec<AgentFacts>,
    /// Reports of finished work: `worker_done` and `merge_ready`, oldest first.
    pub reports: Vec<MailMessage>,
    /// Unread mail to active agents: recipient and message.
    pub unread: Vec<(String, String)>,
    pub queue: Vec<QueueRow>,
    /// Keys of actions that were done.
    pub done: HashSet<String>,
    pub thresholds: Thresholds,
    /// A merge of this process is going on.
    pub merging: bool,
    pub now: Timestamp,
}

/// Looks at all stores.
pub fn gather(
    stores: &Stores,
    config: &Config,
    merging: bool,
) -> Result<Snapshot, CoordinatorError> {
    let now = clock::now();
    let thresholds = Thresholds {
        stale_ms: config.watchdog.stale_threshold_ms as i64,
        nudge_every_ms: config.watchdog.nudge_interval_ms as i64,
    };
    let hosts = stores.grove.hosts()?;
    let mut agents = Vec::new();
    for session in stores.sessions.all()? {
        let host = hosts
            .iter()
            .find(|h| h.agent == session.agent_name)
            .cloned();
        let host_alive = host
            .as_ref()
            .map_or(Liveness::Unknown, |h| liveness::check(h.host));
        let quiet = quiet_for(&session, now) > thresholds.stale_ms;
        let asks = session.state.is_terminal() || quiet;
        let in_turn = match &host {
            Some(host) if asks && host.ended_at.is_none() && host_alive == Liveness::Alive => {
                client::status(host).ok().map(|r| r.in_turn)
            }
            Some(_) | None => None,
        };
        agents.push(AgentFacts {
            session,
            host,
            host_alive,
            in_turn,
        });
    }
    let mail = &stores.mail;
    let oldest = agents
        .iter()
        .map(|a| a.session.started_at.clone())
        .min()
        .unwrap_or_default();
    let mut reports = Vec::new();
    for kind in [MailType::WorkerDone, MailType::MergeReady] {
        let found = mail.list(&MailFilter {
            kind: Some(kind),
            ..MailFilter::default()
        })?;
        reports.extend(found.into_iter().filter(|m| m.created_at >= oldest));
    }
    reports.sort_by(|a, b| a.created_at.cmp(&b.created_at));
    let mut unread = Vec::new();
    for agent in agents
        .iter()
        .filter(|a| a.session.state.is_active() && a.host.is_some())
    {
        let name = &agent.session.agent_name;
        unread.extend(mail.unread(name)?.into_iter().map(|m| (name.clone(), m.id)));
    }
    Ok(Snapshot {
        agents,
        reports,
        unread,
        queue: stores.queue.all()?,
        done: stores.grove.action_keys("")?.into_iter().collect(),
        thresholds,
        merging,
        now,
    })
}

/// Milliseconds since the agent last did something; 0 when the record cannot be read.
pub fn quiet_for(session: &AgentSession, now: Timestamp) -> i64 {
    Timestamp::parse(&session.last_activity).map_or(0, |last| (now.0 - last.0).max(0))
}
