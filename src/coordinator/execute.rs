//! Carrying out what was decided. Merges and second opinions are not done here: they are long, see
//! `work`.

use super::decide::Action;
use super::post::SENDER;
use super::{CoordinatorError, announce_run, intervene, landing, queue};
use crate::config;
use crate::db::merge_queue::QueueRow;
use crate::db::{GroveStore, MailStore, MergeQueueStore};
use crate::git::Repo;
use crate::host::client;
use crate::host::obituary::Death;
use crate::mail;
use crate::platform::ProjectPaths;

/// Does one action; the line says what happened, for the log.
pub fn execute(paths: &ProjectPaths, action: &Action) -> Result<Option<String>, CoordinatorError> {
    match action {
        Action::Enqueue {
            key,
            branch,
            task,
            agent,
            since,
        } => once(paths, key, || {
            let line = enqueue(paths, branch, task, agent, since)?;
            mark_handled(paths, key)?;
            Ok(line)
        }),
        Action::Acknowledge { key } => {
            once(paths, key, || {
                mark_handled(paths, key).map(|()| String::new())
            })?;
            Ok(None)
        }
        Action::DeclareDead {
            agent,
            session_id,
            cause,
            tell,
        } => {
            let death = Death {
                agent,
                session_id,
                cause,
                tell: *tell,
            };
            intervene::declare_dead(paths, &death)
        }
        Action::MarkStalled {
            agent,
            session_id,
            since,
            level,
        } => intervene::mark_stalled(paths, agent, session_id, since, *level).map(Some),
        Action::MarkActive { agent, session_id } => {
            intervene::mark_active(paths, agent, session_id).map(Some)
        }
        Action::Nudge {
            key,
            agent,
            text,
            level,
        } => once(paths, key, || intervene::remind(paths, agent, text, *level)),
        Action::GiveUp {
            key,
            agent,
            session_id,
            cause,
        } => once(paths, key, || {
            intervene::give_up(paths, agent, session_id, cause)
        }),
        Action::Correct {
            agent,
            session_id,
            state,
        } => intervene::correct(paths, agent, session_id, *state).map(Some),
        Action::TellRunEnd { run, notice } => {
            announce_run::announce_run(paths, run, notice).map(Some)
        }
        Action::Answer { key, mail, body } => once(paths, key, || answer(paths, mail, body)),
        Action::Poke { agent, .. } => {
            let host = client::running(paths, agent).map_err(crate::agents::AgentError::from)?;
            client::poke(&host).map_err(crate::agents::AgentError::from)?;
            Ok(None)
        }
        Action::Retire { key, agent } => once(paths, key, || {
            let host = client::running(paths, agent).map_err(crate::agents::AgentError::from)?;
            client::stop(&host, false).map_err(crate::agents::AgentError::from)?;
            Ok(format!("{agent} retired"))
        }),
        Action::Merge { .. } | Action::Triage { .. } => Ok(None),
    }
}

/// Runs an action that must happen once; a failed one is given back and tried again. It counts as
/// done when it is done: where a kill comes before that, the next loop does it again.
fn once(
    paths: &ProjectPaths,
    key: &str,
    f: impl FnOnce() -> Result<String, CoordinatorError>,
) -> Result<Option<String>, CoordinatorError> {
    let grove = GroveStore::open(&paths.grove_db())?;
    let Some(hold) = grove.hold_action(key)? else {
        return Ok(None);
    };
    let line = f()?;
    hold.finish()?;
    Ok(Some(line))
}

/// A report to the coordinator that was dealt with needs nobody's attention any more.
fn mark_handled(paths: &ProjectPaths, key: &str) -> Result<(), CoordinatorError> {
    let Some(id) = key.strip_prefix("report:") else {
        return Ok(());
    };
    let store = MailStore::open(&paths.mail_db())?;
    if store.get(id)?.is_some_and(|m| m.to == SENDER) {
        store.mark_read(&[id])?;
    }
    Ok(())
}

/// Answers a question in its thread.
fn answer(paths: &ProjectPaths, mail: &str, body: &str) -> Result<String, CoordinatorError> {
    let store = MailStore::open(&paths.mail_db())?;
    let answered = mail::reply(&store, mail, SENDER, body)?;
    store.mark_read(&[mail])?;
    Ok(format!("answered {}", answered.to))
}

/// Queues a reported branch. Done twice, it finds the entry of the first time.
fn enqueue(
    paths: &ProjectPaths,
    branch: &str,
    task: &str,
    agent: &str,
    since: &str,
) -> Result<String, CoordinatorError> {
    let queue = MergeQueueStore::open(&paths.merge_queue_db())?;
    let looked = queue::looked_at(paths)?;
    let is_this = |row: &QueueRow| {
        let is_asked_for = !looked.is_only_looked_at(row);
        row.entry.branch_name == branch && *row.entry.enqueued_at >= *since && is_asked_for
    };
    if queue.all()?.iter().any(is_this) {
        return Ok(format!("{branch} is queued already"));
    }
    let repo = Repo::discover(&paths.root)?;
    let target = config::load(&paths.root)
        .ok()
        .and_then(|loaded| landing::target(paths, &loaded.config, None).ok());
    let files = target.and_then(|target| changed_files(&repo, branch, &target));
    let files = files.unwrap_or_default();
    queue::give_way(paths, branch)?;
    queue.enqueue(branch, task, agent, &files)?;
    Ok(format!("{branch} queued ({} files)", files.len()))
}

/// Files the branch has changed since it left the branch it will be merged into; for display only.
pub fn changed_files(repo: &Repo, branch: &str, target: &str) -> Option<Vec<String>> {
    let tip = repo.branch_tip(branch).ok()?;
    let base = repo.merge_base(repo.branch_tip(target).ok()?, tip).ok()??;
    repo.changed_files(base, tip).ok()
}
