//! When a lead may close its own task: the work of its agents has been reported and is in the target.

use crate::db::mail::MailFilter;
use crate::db::{DbError, MailStore, SessionStore};
use crate::git::{GitError, Repo};
use crate::merge;
use crate::platform::{FsError, ProjectPaths};
use crate::types::mail::MailType;
use crate::worktree::target_branch;

/// Why the gate could not be asked.
#[derive(Debug, thiserror::Error)]
pub enum CloseGateError {
    /// A store failed.
    #[error(transparent)]
    Db(#[from] DbError),
    /// Git failed.
    #[error(transparent)]
    Git(#[from] GitError),
    /// A file failed.
    #[error(transparent)]
    Fs(#[from] FsError),
}

/// Why an agent may not close these tasks yet; `None` when it may. Only leads have this gate, and only
/// for their own task.
pub fn reason_to_wait(
    paths: &ProjectPaths,
    canonical: &str,
    agent: &str,
    tasks: &[String],
) -> Result<Option<String>, CloseGateError> {
    let Some(session) = SessionStore::look(&paths.sessions_db())?.get(agent)? else {
        return Ok(None);
    };
    if session.capability != "lead" || !tasks.contains(&session.task_id) {
        return Ok(None);
    }
    let mail = MailStore::look(&paths.mail_db())?;
    let ready = mail.list(&MailFilter {
        from: Some(agent.to_owned()),
        kind: Some(MailType::MergeReady),
        ..MailFilter::default()
    })?;
    let done = mail.list(&MailFilter {
        to: Some(agent.to_owned()),
        kind: Some(MailType::WorkerDone),
        ..MailFilter::default()
    })?;
    if ready.is_empty() {
        return Ok(Some(
            "you have not reported any work as merge_ready yet".to_owned(),
        ));
    }
    if ready.len() < done.len() {
        return Ok(Some(format!(
            "{} agents reported worker_done, but you sent merge_ready for {}",
            done.len(),
            ready.len()
        )));
    }
    let target = target_branch(paths, canonical)?;
    let repo = Repo::discover(&paths.root)?;
    let tip = repo.branch_tip(&session.branch_name)?;
    if !merge::is_merged(&repo, repo.branch_tip(&target)?, tip)? {
        return Ok(Some(format!(
            "{} is not merged into {target} yet",
            session.branch_name
        )));
    }
    Ok(None)
}
