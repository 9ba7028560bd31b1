//! Whether an agent has finished its work, judged by what it left behind.

use super::shared::Shared;
use crate::db::mail::MailFilter;
use crate::git::{Pinned, Repo, has_own_stash, path_name};
use crate::types::agent::{is_persistent, is_read_only};
use crate::types::mail::MailType;
use crate::worktree::{self, WorktreeError};

/// Whether the agent has reported the end of its work since this life began.
pub fn has_reported(shared: &Shared) -> bool {
    let started = since(shared);
    let reports = [
        MailType::WorkerDone,
        MailType::Result,
        MailType::MergeReady,
        MailType::Merged,
        MailType::MergeFailed,
    ];
    let newest = shared.mailbox.with(|store| {
        store.list(&MailFilter {
            from: Some(shared.agent().to_owned()),
            ..MailFilter::default()
        })
    });
    match newest {
        Ok(mails) => mails
            .iter()
            .any(|m| reports.contains(&m.kind) && m.created_at >= started),
        Err(e) => {
            tracing::warn!("cannot tell whether the work was reported: {e}");
            false
        }
    }
}

/// When this life began. Session ids are `session-<ms>-<agent>`.
pub(super) fn since(shared: &Shared) -> String {
    let ms = shared
        .launch
        .session_id
        .split('-')
        .nth(1)
        .and_then(|t| t.parse().ok())
        .unwrap_or(0);
    crate::types::Timestamp(ms).iso()
}

fn has_exit_conditions(capability: &str) -> bool {
    !is_persistent(capability) && !matches!(capability, "lead" | "supervisor")
}

/// Whether a role changes files.
pub fn writes(capability: &str) -> bool {
    !is_read_only(capability)
}

/// Whether a role leaves nothing uncommitted.
pub fn must_commit(capability: &str) -> bool {
    has_exit_conditions(capability) && writes(capability)
}

/// A stash goes with its worktree, unseen by anybody.
const STASHED: &str = "Your stash holds changes (`git stash list`). Pop and commit what belongs to the task, and drop the rest.";

fn has_stash(shared: &Shared) -> bool {
    let pinned =
        Repo::discover(&shared.paths.root).and_then(|repo| Pinned::of(&repo, &shared.launch.cwd));
    pinned.is_ok_and(|pinned| has_own_stash(pinned.git_dir()))
}

/// What the agent still has to do before it may end, in words for the agent.
pub fn unfinished(shared: &Shared) -> Option<String> {
    let capability = shared.launch.capability.as_str();
    if !has_exit_conditions(capability) {
        return None;
    }
    let reported = has_reported(shared);
    let mut open = Vec::new();
    if must_commit(capability) {
        // Asking git takes longer than a hook may, and without a report the agent goes on whatever git says.
        let dirty = if reported {
            shared.unsaved.files(|| changed_files(shared))
        } else {
            shared.unsaved.known()
        };
        open.extend(uncommitted(dirty.as_deref()));
        open.extend(has_stash(shared).then(|| STASHED.to_owned()));
    }
    if !reported {
        let parent = shared.launch.parent.as_deref().unwrap_or("coordinator");
        let task = &shared.launch.task_id;
        let (done, blocked) = match capability {
            "merger" => ("merged", "merge_failed"),
            _ => ("worker_done", "escalation"),
        };
        open.push(format!(
            "You have not reported the end of your work. When it is done run: grove mail send --to {parent} --type {done} --subject \"Done: {task}\" --body \"<what changed and how you checked it>\". If you are blocked, send --type {blocked} instead and say what you need."
        ));
    }
    (!open.is_empty()).then(|| open.join("\n"))
}

/// What is still to be done about the files of the worktree; `None` as files means that nobody knows.
fn uncommitted(files: Option<&[String]>) -> Option<String> {
    let what = match files {
        Some([]) => return None,
        Some(files) => {
            let shown = files.iter().take(8).cloned().collect::<Vec<_>>().join(", ");
            format!("Your worktree has uncommitted changes ({shown}).")
        }
        None => "Look at `git status`.".to_owned(),
    };
    Some(format!(
        "{what} Commit what belongs to the task and remove what does not."
    ))
}

/// Files git reports as changed or new in the agent's worktree, where git tells.
pub fn changed_files(shared: &Shared) -> Option<Vec<String>> {
    let found = Repo::discover(&shared.paths.root).map(|repo| {
        worktree::contained(&repo, &shared.launch.cwd, |git| {
            git.asking()
                .args(["status", "--porcelain", "-z", "--untracked-files=normal"])
                .arg("--ignore-submodules=dirty")
                .run()
        })
    });
    let output = match found.map_err(WorktreeError::from).flatten() {
        Ok(Ok(output)) => output,
        Ok(Err(e)) => {
            tracing::warn!("git does not tell what has changed: {e}");
            return None;
        }
        Err(e) => {
            tracing::warn!("it cannot be told what has changed: {e}");
            return None;
        }
    };
    let mut files = Vec::new();
    let mut fields = output.stdout.split(|byte| *byte == 0);
    while let Some(field) = fields.next() {
        let [index, _, b' ', path @ ..] = field else {
            continue;
        };
        if matches!(index, b'R' | b'C') {
            // The old name follows as a field of its own.
            fields.next();
        }
        // The assignment itself is grove's, not the agent's.
        if !path.starts_with(b".claude/") {
            files.push(path_name(path));
        }
    }
    Some(files)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_worktree_that_is_known_to_be_clean_asks_for_nothing() {
        assert_eq!(uncommitted(Some(&[])), None);
        let dirty = uncommitted(Some(&["a.txt".to_owned()])).unwrap();
        assert!(dirty.contains("uncommitted changes (a.txt). Commit"));
        assert!(uncommitted(None).unwrap().contains("git status"));
    }
}
