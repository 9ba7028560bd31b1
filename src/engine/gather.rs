//! Reading every store once and making all views of it.

use super::fleet::{self, Facts};
use super::merges::{self, Desk, Reports};
use super::view::{
    AgentView, FoundView, Lease, MailPriority as ViewPriority, MailView, MergeState, MergeView,
    ProjectStage, ProjectView, RunView,
};
use crate::agents::current_run::current_run;
use crate::agents::manifest::Manifest;
use crate::agents::stop;
use crate::config;
use crate::coordinator::{CoordinatorError, landing, left_over, progress};
use crate::db::Stores;
use crate::db::grove::HostRow;
use crate::db::mail::MailFilter;
use crate::git;
use crate::merge::MergeReport;
use crate::platform::liveness::{self, Liveness};
use crate::platform::{ProjectPaths, clock, lease};
use crate::process::find_program;
use crate::runtimes;
use crate::types::Timestamp;
use crate::types::mail::{MailMessage, MailPriority};
use crate::watchdog::refused_again;
use serde_json::json;
use std::path::Path;

/// How many messages a front end gets.
const MAIL_LIMIT: i64 = 500;

/// All views of one moment.
#[derive(Debug, Default)]
pub(super) struct Gathered {
    pub(super) project: ProjectView,
    pub(super) fleet: Vec<AgentView>,
    pub(super) mail: Vec<MailView>,
    pub(super) merges: Vec<MergeView>,
    pub(super) hosts: Vec<HostRow>,
}

/// Reads everything. `mine` tells whether this process runs the coordinator.
pub(super) fn gather(
    paths: &ProjectPaths,
    stores: &Stores,
    mine: bool,
) -> Result<Gathered, CoordinatorError> {
    let now = clock::now();
    let (sessions, grove) = (&stores.sessions, &stores.grove);
    let hosts = grove.hosts()?;
    // Before the reports: a report is written before the state that it explains.
    let mut rows = stores.queue.all()?;
    let landed = left_over::show_as_they_are(paths, &mut rows)?;
    let mut reports: Reports = grove
        .merge_reports()?
        .into_iter()
        .map(|(id, at, report)| (id, (at, report)))
        .collect();
    for (id, receipt) in landed {
        let report = json!(MergeReport::landed(&receipt));
        reports.insert(id, (receipt.landed_at, report));
    }
    let desk = Desk {
        reports,
        places: grove.merge_places()?,
        progress: merges::progress(grove.merge_progress()?, std::process::id(), |row| {
            liveness::check(row.process)
        }),
        looked_at: grove.looked_at(progress::is_gone)?,
        decided: grove.decided_places()?,
    };
    let merges = merges::views(&rows, &desk);
    let messages = stores.mail.list(&MailFilter {
        limit: Some(MAIL_LIMIT),
        ..MailFilter::default()
    })?;
    let tokens = stores.metrics.latest_snapshots(None)?;
    let run = current_run(paths)?;
    let stopped = grove.action_keys(&stop::stopped_key(""))?;
    let loaded = config::load(&paths.root);
    let problem = loaded.as_ref().err().map(ToString::to_string);
    let config = loaded.ok().map(|l| l.config);
    let limits = config.as_ref().map(|c| c.guard.clone()).unwrap_or_default();
    let all = sessions.all()?;
    let refusals = refused_again((&stores.events, grove), &all, &limits)?;
    let mut fleet = Vec::new();
    for session in all {
        if session.capability == "coordinator" && session.tmux_session.is_empty() {
            // The loop itself; it is shown as the lease.
            continue;
        }
        let host = hosts.iter().find(|h| h.agent == session.agent_name);
        let held = merges.iter().any(|m| {
            m.agent == session.agent_name
                && session.branch_name == m.branch
                && m.state == MergeState::Review
        });
        fleet.push(fleet::view(&Facts {
            session: &session,
            host,
            host_alive: host.map_or(Liveness::Unknown, |h| liveness::check(h.host)),
            launch: grove.launch(&session.id)?.as_ref(),
            tokens: tokens.iter().find(|t| t.agent_name == session.agent_name),
            unread: messages
                .iter()
                .filter(|m| m.to == session.agent_name && !m.read)
                .count(),
            merge_held: held,
            stopped: stopped.contains(&stop::stopped_key(&session.id)),
            refused: refusals.get(&session.agent_name),
            now_ms: now.0,
        }));
    }
    let branch = match &config {
        Some(config) => landing::target(paths, config, None)?,
        None => String::new(),
    };
    let manifest = config
        .as_ref()
        .and_then(|c| crate::agents::roles::manifest(paths, c).ok())
        .unwrap_or_else(Manifest::standard);
    let run_view = match &run {
        Some(id) => sessions.run(id)?.map(|r| RunView {
            started_ms: Timestamp::parse(&r.started_at).map_or(0, |t| t.0),
            id: r.id,
        }),
        None => None,
    };
    let of_run = |name: &str| fleet.iter().any(|a| a.name == name);
    let cost = tokens
        .iter()
        .filter(|t| of_run(&t.agent_name))
        .filter_map(|t| t.estimated_cost_usd)
        .reduce(|a, b| a + b);
    let project = ProjectView {
        name: config
            .as_ref()
            .map(|c| c.project.name.clone())
            .unwrap_or_default(),
        stage: ProjectStage::Ready,
        branch,
        run: run_view,
        cost_micro_usd: cost.map(|c| (c * 1e6).round() as i64),
        budget_micro_usd: None,
        coordinator: coordinator(paths, mine)?,
        store_problem: problem,
        gates: config
            .iter()
            .flat_map(|c| &c.project.quality_gates)
            .map(|gate| gate.name.clone())
            .collect(),
        merge_paused_ms: grove
            .merge_pause()?
            .map(|since| Timestamp::parse(&since).map_or(0, |t| t.0)),
        meetings: Vec::new(),
        found: Vec::new(),
        capabilities: manifest.agents.iter().map(|a| a.name.clone()).collect(),
        runtimes: runtimes::names().into_iter().map(str::to_owned).collect(),
    };
    let mail = messages.iter().map(mail_view).collect();
    Ok(Gathered {
        project,
        fleet,
        mail,
        merges,
        hosts,
    })
}

fn coordinator(paths: &ProjectPaths, mine: bool) -> Result<Lease, CoordinatorError> {
    if mine {
        return Ok(Lease::Mine);
    }
    Ok(match lease::holder(&paths.coordinator_lease())? {
        Some(who) => Lease::Held {
            pid: who.pid.max(0) as u32,
        },
        None => Lease::None,
    })
}

fn mail_view(m: &MailMessage) -> MailView {
    MailView {
        id: m.id.clone(),
        from: m.from.clone(),
        to: m.to.clone(),
        subject: m.subject.clone(),
        body: m.body.clone(),
        kind: m.kind_text().to_owned(),
        priority: match m.priority {
            MailPriority::Low => ViewPriority::Low,
            MailPriority::Normal => ViewPriority::Normal,
            MailPriority::High => ViewPriority::High,
            MailPriority::Urgent => ViewPriority::Urgent,
        },
        thread: m.thread_id.clone(),
        payload: m.payload.clone(),
        read: m.read,
        created_ms: Timestamp::parse(&m.created_at).map_or(0, |t| t.0),
    }
}

/// What the first page says about this machine.
pub(super) fn found(root: &Path) -> Vec<FoundView> {
    let mut list = Vec::new();
    list.push(match git::version() {
        Ok(version) => FoundView {
            ok: true,
            text: format!("git {version}"),
        },
        Err(e) => FoundView {
            ok: false,
            text: e.to_string(),
        },
    });
    for runtime in runtimes::ALL {
        if let Some((binary, _)) = runtime.binary() {
            let ok = find_program(binary, None).is_some();
            let text = if ok {
                binary.to_owned()
            } else {
                format!("{binary} not installed")
            };
            list.push(FoundView { ok, text });
        }
    }
    if let Ok(dirty) = git::dirty_files(root) {
        let ok = dirty.is_empty();
        let text = if ok {
            "checkout clean".to_owned()
        } else {
            format!("{} changed files", dirty.len())
        };
        list.push(FoundView { ok, text });
    }
    list
}
