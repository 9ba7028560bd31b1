//! Taking back a start that failed: nothing remains of an agent that never ran.

use super::{AgentError, current_run};
use crate::db::{GroveStore, MailStore, SessionStore};
use crate::git::{Oid, Repo, update_ref};
use crate::platform::{ProjectPaths, fs};
use crate::types::AgentSession;
use crate::types::run::RunStatus;
use crate::worktree::{self, WorktreeError};
use std::path::PathBuf;

/// Takes back what a start has made so far, unless it is marked as done.
pub(super) struct Undo<'a> {
    paths: &'a ProjectPaths,
    repo: &'a Repo,
    agent: &'a str,
    session: &'a str,
    pub(super) worktree: Option<PathBuf>,
    /// Where the branch starts.
    pub(super) base: Option<Oid>,
    /// The instructions, if they were written into the worktree.
    pub(super) overlay: Option<PathBuf>,
    pub(super) session_row: bool,
    /// The run that began with this start.
    pub(super) new_run: Option<String>,
    /// The agent's earlier life, which the new row replaced.
    pub(super) previous: Option<AgentSession>,
    pub(super) done: bool,
}

impl<'a> Undo<'a> {
    pub(super) fn new(
        paths: &'a ProjectPaths,
        repo: &'a Repo,
        agent: &'a str,
        session: &'a str,
    ) -> Self {
        Self {
            paths,
            repo,
            agent,
            session,
            worktree: None,
            base: None,
            overlay: None,
            session_row: false,
            new_run: None,
            previous: None,
            done: false,
        }
    }

    /// The session whose start this takes back.
    pub(super) fn session(&self) -> &'a str {
        self.session
    }

    fn roll_back(&mut self) -> Result<(), AgentError> {
        if self.session_row {
            let sessions = SessionStore::open(&self.paths.sessions_db())?;
            sessions.delete(self.agent, self.session)?;
            if let Some(previous) = &self.previous {
                sessions.upsert(previous)?;
            }
            GroveStore::open(&self.paths.grove_db())?.delete_launch(self.session)?;
            MailStore::open(&self.paths.mail_db())?.purge_unread_dispatch(self.agent)?;
        }
        if let Some(run) = self.new_run.take() {
            let sessions = SessionStore::open(&self.paths.sessions_db())?;
            sessions.complete_run(&run, RunStatus::Failed)?;
            if current_run::current_run(self.paths)?.as_ref() == Some(&run) {
                current_run::clear_current_run(self.paths)?;
            }
        }
        fs::remove_dir_all(&self.paths.host_dir(self.agent))?;
        if let Some(overlay) = self.overlay.take() {
            fs::remove_file(&overlay)?;
        }
        if let Some(path) = self.worktree.take() {
            let removal = worktree::Removal {
                path: &path,
                agent: self.agent,
                with_branch: true,
            };
            match (worktree::remove(self.repo, &removal), self.base) {
                (Ok(removed), _) => self.forget_unused(removed.kept.as_deref())?,
                // Saving needs a sandbox, which may be the very thing that did not work.
                (Err(WorktreeError::Sandbox { .. } | WorktreeError::Git(_)), Some(base)) => {
                    worktree::remove_unused(self.repo, &path, base)?;
                }
                (Err(error), _) => return Err(error.into()),
            }
        }
        Ok(())
    }
}

impl Undo<'_> {
    /// A branch that never got a commit of its own needs no ref that keeps its commits.
    fn forget_unused(&self, kept: Option<&str>) -> Result<(), AgentError> {
        let Some(kept) = kept else { return Ok(()) };
        if self.repo.ref_target(kept) == self.base {
            update_ref(self.repo, kept, self.base, None, "grove: undo a start")?;
        }
        Ok(())
    }
}

impl Drop for Undo<'_> {
    fn drop(&mut self) {
        if !self.done
            && let Err(e) = self.roll_back()
        {
            tracing::error!(
                agent = self.agent,
                "a failed start could not be taken back whole: {e}"
            );
        }
    }
}
