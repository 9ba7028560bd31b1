//! Everything the coordinator decides by, gathered at one moment.

use super::post::{self, OPERATOR};
use super::{CoordinatorError, evidence, landing, progress, queue};
use crate::config::Config;
use crate::db::Stores;
use crate::db::grove::HostRow;
use crate::db::mail::MailFilter;
use crate::db::merge_queue::QueueRow;
use crate::db::merging::LookedAt;
use crate::merge;
use crate::platform::liveness::{self, Liveness};
use crate::platform::{ProjectPaths, clock};
use crate::types::mail::{MailMessage, MailType};
use crate::types::{AgentSession, Timestamp};
use crate::watchdog::foreign::Finding;
use crate::watchdog::{Excuse, Limits, Quiet, RunNotice};
use std::collections::{HashMap, HashSet};

/// A look that has failed is made again after this; milliseconds.
const RETRY_MS: i64 = 5000;

/// How this look is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Look {
    /// A merge of this process is going on.
    pub merging: bool,
    /// Whether this process lands work by itself.
    pub lands: bool,
    /// Whether this process is the one that watches the agents.
    pub watches: bool,
    /// Nothing is merged before: the last round could not be stored.
    pub rests_until: Timestamp,
}

/// What is known about one agent that grove has started.
#[derive(Debug, Clone, PartialEq)]
pub struct AgentFacts {
    pub session: AgentSession,
    pub host: Option<HostRow>,
    pub host_alive: Liveness,
    /// Whether a turn is going on; only asked for when it matters, else `None`.
    pub in_turn: Option<bool>,
    /// How long it has been silent, as far as this process has watched; milliseconds.
    pub quiet_ms: i64,
    /// How long it has been in its state and at its level, as far as this process has watched.
    pub at_stage_ms: i64,
    pub excuse: Option<Excuse>,
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
    /// In landing order.
    pub queue: Vec<QueueRow>,
    /// Entries of it that only a dry run has put there.
    pub looked_at: LookedAt,
    /// When entries that failed are tried again by themselves.
    pub retries: HashMap<i64, Timestamp>,
    /// A person has paused the queue.
    pub paused: bool,
    /// Somebody else merges into the same branch right now.
    pub merging_elsewhere: bool,
    /// Keys of actions that were done, or that a living process is doing.
    pub done: HashSet<String>,
    /// What operators have asked the coordinator and nobody has answered.
    pub questions: Vec<MailMessage>,
    pub limits: Limits,
    pub look: Look,
    /// A death is told to the parent.
    pub tells_deaths: bool,
    /// A model may be asked about silent agents.
    pub triages: bool,
    /// Agents of the other program whose record is behind.
    pub foreign: Vec<(AgentSession, Finding)>,
    /// The present run, if all its agents have ended and nobody has been told.
    pub finished_run: Option<(String, RunNotice)>,
    pub now: Timestamp,
}

/// What a loop goes by after it has looked and done what was due.
#[derive(Debug, Default, PartialEq)]
pub struct Seen {
    /// When time alone makes more of it due.
    pub wake_at: Option<Timestamp>,
    /// Hosts that the last look has found alive. One that ends later gives no notice, so each is waited
    /// for: whoever asked a second time which of them live would miss those that have ended in between.
    pub alive: Vec<HostRow>,
}

impl Seen {
    /// What is left when the stores could not be read: it is tried again soon.
    pub fn nothing(now: Timestamp) -> Self {
        Self {
            wake_at: Some(Timestamp(now.0 + RETRY_MS)),
            alive: Vec::new(),
        }
    }
}

impl Snapshot {
    /// Hosts that were alive at this moment.
    pub fn alive(&self) -> Vec<HostRow> {
        let alive = self
            .agents
            .iter()
            .filter(|a| a.host_alive == Liveness::Alive);
        alive.filter_map(|a| a.host.clone()).collect()
    }
}

/// Looks at all stores.
pub fn gather(
    paths: &ProjectPaths,
    stores: &Stores,
    config: &Config,
    look: Look,
    quiet: &mut Quiet,
) -> Result<Snapshot, CoordinatorError> {
    let now = clock::now();
    let limits = Limits {
        stale_ms: config.watchdog.stale_threshold_ms as i64,
        zombie_ms: config.watchdog.zombie_threshold_ms as i64,
        stage_ms: config.watchdog.nudge_interval_ms as i64,
    };
    let hosts = stores.grove.hosts()?;
    let sessions = stores.sessions.all()?;
    quiet.keep(&sessions);
    let mut agents = Vec::new();
    for session in sessions {
        let host = hosts
            .iter()
            .find(|h| h.agent == session.agent_name)
            .cloned();
        let mut facts = AgentFacts {
            host_alive: host
                .as_ref()
                .map_or(Liveness::Unknown, |h| liveness::check(h.host)),
            quiet_ms: 0,
            at_stage_ms: 0,
            in_turn: None,
            excuse: None,
            session,
            host,
        };
        evidence::look_at(&mut facts, stores, &limits, now, quiet);
        agents.push(facts);
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
    let questions = mail.unread(post::SENDER)?;
    let (foreign, finished_run) = if look.watches {
        (
            evidence::foreign(&agents, now, &limits),
            evidence::finished_run(paths, &agents)?,
        )
    } else {
        (Vec::new(), None)
    };
    Ok(Snapshot {
        agents,
        reports,
        unread,
        queue: queue::in_order(stores.queue.all()?, &stores.grove.merge_places()?),
        looked_at: stores.grove.looked_at(progress::is_gone)?,
        retries: retries(stores)?,
        paused: stores.grove.merge_pause()?.is_some(),
        merging_elsewhere: !look.merging
            && (merging_elsewhere(paths, config)? || progress::somebody_waits(&stores.grove)?),
        done: stores.grove.settled_actions()?.into_iter().collect(),
        questions: questions.into_iter().filter(is_question).collect(),
        limits,
        look,
        tells_deaths: config.watchdog.notify_parent_on_death,
        triages: config.watchdog.tier1_enabled,
        foreign,
        finished_run,
        now,
    })
}

fn retries(stores: &Stores) -> Result<HashMap<i64, Timestamp>, CoordinatorError> {
    let retries = stores.grove.merge_retries()?.into_iter();
    Ok(retries
        .map(|(id, retry)| (id, Timestamp(retry.due_ms)))
        .collect())
}

/// Whether the target's merge lock is held: by a command line, another screen, or ov.
fn merging_elsewhere(paths: &ProjectPaths, config: &Config) -> Result<bool, CoordinatorError> {
    let target = landing::target(paths, config, None)?;
    Ok(merge::held_since(&paths.root, &target).is_some())
}

/// Whether somebody at a command line waits for the answer.
fn is_question(mail: &MailMessage) -> bool {
    mail.from == OPERATOR
        && mail
            .payload
            .as_deref()
            .is_some_and(|p| p.contains("correlationId"))
}
