//! Whether an agent kept to the files it was given.

use super::shared::Shared;
use super::{HostError, outcome};
use crate::config;
use crate::db::mail::MailFilter;
use crate::git::{GitError, Repo, git};
use crate::platform::fs;
use crate::types::event::{EventType, Level, NewEvent};
use crate::worktree::{self, WorktreeError, covers, is_own_file};
use serde_json::json;

/// What an agent writes into a commit, or begins the subject of a mail with, when it needs more files
/// than it was given.
const REASON: &str = "expansion_reason:";
const NOTICE: &str = "scope_expansion";

/// Records files outside of its scope that the agent has changed without a word about it; once.
pub(super) fn check(shared: &Shared) {
    let writes = matches!(shared.launch.capability.as_str(), "builder" | "merger");
    if !writes || shared.with_turn(|t| t.scope_told) {
        return;
    }
    match violation(shared) {
        Ok(None) => {}
        Ok(Some(found)) => {
            shared.with_turn(|t| t.scope_told = true);
            let data =
                json!({"type": "scope_violation", "files": found.files, "fileScope": found.scope});
            let mut event = NewEvent::new(shared.agent(), EventType::Custom)
                .level(Level::Warn)
                .data(&data);
            event.run_id.clone_from(&shared.launch.run_id);
            event.session_id = Some(shared.launch.session_id.clone());
            shared.store.event(event);
        }
        Err(why) => tracing::warn!("it cannot be told whether the agent kept to its files: {why}"),
    }
}

/// Files that an agent was not given.
struct Violation {
    scope: Vec<String>,
    files: Vec<String>,
}

/// The files outside of the scope; `None` when there are none, or a reason was given.
fn violation(shared: &Shared) -> Result<Option<Violation>, HostError> {
    // What lies in the worktree is the agent's to change.
    let given = fs::read_optional(&shared.paths.host_instructions(shared.agent()))?;
    let scope = worktree::parse_scope(&given.unwrap_or_default());
    if scope.is_empty() {
        return Ok(None);
    }
    let (files, log) = work(shared).map_err(WorktreeError::from)?;
    let files = outside(files, &scope);
    if files.is_empty() || log.contains(REASON) || has_told(shared) {
        return Ok(None);
    }
    Ok(Some(Violation { scope, files }))
}

/// The files that the agent's commits have changed, and their messages.
fn work(shared: &Shared) -> Result<(Vec<String>, String), GitError> {
    let canonical = config::load(&shared.paths.root)
        .map_or_else(|_| "main".to_owned(), |l| l.config.project.canonical_branch);
    let target = worktree::target_branch(&shared.paths, &canonical).unwrap_or(canonical);
    let repo = Repo::discover(&shared.paths.root)?;
    let (target, tip) = (
        repo.branch_tip(&target)?,
        repo.branch_tip(&shared.launch.branch)?,
    );
    let base = repo.merge_base(target, tip)?;
    let files = base.map(|base| repo.changed_files(base, tip)).transpose()?;
    let log = git(repo.path())
        .args(["log", "--no-show-signature", "--format=%B"])
        .args([tip.to_string(), format!("^{target}")])
        .text()?;
    Ok((files.unwrap_or_default(), log))
}

fn outside(files: Vec<String>, scope: &[String]) -> Vec<String> {
    let is_outside =
        |file: &String| !is_own_file(file) && !scope.iter().any(|entry| covers(entry, file));
    files.into_iter().filter(is_outside).collect()
}

fn has_told(shared: &Shared) -> bool {
    let since = outcome::since(shared);
    let sent = shared.mailbox.with(|store| {
        store.list(&MailFilter {
            from: Some(shared.agent().to_owned()),
            ..MailFilter::default()
        })
    });
    sent.unwrap_or_default()
        .iter()
        .any(|mail| mail.created_at >= since && mail.subject.starts_with(NOTICE))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_given_and_what_grove_writes_is_not_outside() {
        let files = [
            "src/a.rs",
            "src/api/x.rs",
            "src/apis.rs",
            ".claude/CLAUDE.md",
        ];
        let scope = ["src/a.rs".to_owned(), "src/api/".to_owned()];
        let found = outside(files.map(str::to_owned).to_vec(), &scope);
        assert_eq!(found, ["src/apis.rs"]);
    }
}
