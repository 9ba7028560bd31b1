//! The files of the journal: writing, listing and forgetting them.

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::git::Repo;
use crate::platform::holders::{Holder, of_git_lock};
use crate::platform::lease::{self, Lease};
use crate::platform::{clock, fs};
use crate::types::merge::MergeReceipt;

use crate::merge::checkout::checkouts_of;
use crate::merge::error::MergeError;

/// Who only looks whether an entry is held has it for a moment.
const JUST_WRITTEN: Duration = Duration::from_secs(5);

/// How far a merge got.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Step {
    /// The merged commit exists; gates may be running.
    Planned,
    /// All gates were green.
    Gated,
    /// The undo ref exists; the target may or may not have moved.
    Landing,
    /// The target has moved; the receipt is complete.
    Landed,
    /// A landed merge is being taken back: the target may or may not have moved.
    Undoing,
}

/// One merge under way.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct JournalEntry {
    pub id: String,
    pub step: Step,
    pub pid: u32,
    pub updated_at: String,
    /// The receipt as it will be if the landing succeeds, or the one of the merge that is taken back.
    pub receipt: MergeReceipt,
    /// What is moved, from the moment on that it may be.
    #[serde(default, skip_serializing_if = "Moving::is_nothing")]
    pub moving: Moving,
    /// What taking back moves; only then it is there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub undo: Option<TakingBack>,
}

impl JournalEntry {
    /// The full name of the ref that an unfinished merge was moving.
    pub(in crate::merge) fn moving_ref(&self) -> String {
        match self.moving.name.as_str() {
            // Written by an earlier grove, or for what has not begun to move.
            "" => format!("refs/heads/{}", self.receipt.target),
            name => name.to_owned(),
        }
    }

    /// The same as the name of a branch, by which its lock goes: the target's own name may lead elsewhere by now.
    pub(in crate::merge) fn moving_branch(&self) -> &str {
        match self.moving.name.as_str() {
            "" => &self.receipt.target,
            name => name.strip_prefix("refs/heads/").unwrap_or(name),
        }
    }
}

/// The ref that a step moves and the checkouts that move along with it, as they were before: meanwhile the user may
/// have switched them to another branch.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Moving {
    pub name: String,
    /// Those whose paths are text.
    pub checkouts: Vec<String>,
}

impl Moving {
    /// What moves with `target` now.
    pub(crate) fn with(repo: &Repo, target: &str) -> Result<Self, MergeError> {
        let checkouts = checkouts_of(repo, target)?.into_iter();
        let checkouts = checkouts.filter_map(|path| path.to_str().map(str::to_owned));
        Ok(Self {
            name: repo.moving_ref(target),
            checkouts: checkouts.collect(),
        })
    }

    fn is_nothing(&self) -> bool {
        *self == Self::default()
    }
}

/// The commits between which taking a merge back moves its target.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TakingBack {
    pub from: String,
    pub to: String,
}

/// Returns the directory of all journal files.
pub fn journal_dir(root: &Path) -> PathBuf {
    root.join(".overstory").join("merge-journal")
}

/// How files end that were moved aside.
const UNREADABLE: &str = "unreadable";

fn entry_path(root: &Path, id: &str) -> PathBuf {
    journal_dir(root).join(format!("{id}.json"))
}

/// Writes down that the merge has reached `step`.
pub(crate) fn write(root: &Path, step: Step, receipt: &MergeReceipt) -> Result<(), MergeError> {
    let id = receipt.id.clone();
    store(root, id, step, receipt, (Moving::default(), None))
}

/// Writes down that the target may move from here on. The git that moves it holds the entry.
pub(crate) fn write_landing(
    root: &Path,
    receipt: &MergeReceipt,
    moving: Moving,
) -> Result<Lease, MergeError> {
    let id = receipt.id.clone();
    store(root, id.clone(), Step::Landing, receipt, (moving, None))?;
    held(root, &id)
}

/// The name of the entry for taking a merge back: the one of its landing may still be there.
fn undo_id(receipt_id: &str) -> String {
    format!("{receipt_id}-undo")
}

/// Writes down what taking a merge back is about to move. The git that moves it holds the entry.
pub(crate) fn write_undo(
    root: &Path,
    receipt: &MergeReceipt,
    undo: TakingBack,
    moving: Moving,
) -> Result<Lease, MergeError> {
    let id = undo_id(&receipt.id);
    let what = (moving, Some(undo));
    store(root, id.clone(), Step::Undoing, receipt, what)?;
    held(root, &id)
}

/// Has an entry that was just written; nobody else can.
fn held(root: &Path, id: &str) -> Result<Lease, MergeError> {
    let path = entry_path(root, id);
    hold(root, id, JUST_WRITTEN)?.ok_or(MergeError::LockUnusable {
        path,
        detail: "another program holds it".to_owned(),
    })
}

/// Waits for the git that moves what an entry says: it holds the entry until it has ended, also when grove was killed.
/// `None` when it is at work still.
pub(in crate::merge) fn hold(
    root: &Path,
    id: &str,
    limit: Duration,
) -> Result<Option<Lease>, MergeError> {
    Ok(lease::wait_at_most(&entry_path(root, id), limit)?)
}

/// Which process moves what an entry says, if the system tells.
pub(in crate::merge) fn mover(root: &Path, id: &str) -> Option<i32> {
    match of_git_lock(&entry_path(root, id), &[]) {
        Holder::Process(pid) => Some(pid),
        Holder::Nobody | Holder::Unknown => None,
    }
}

/// Who is at taking this merge back still, its grove being gone; as a number of a process if the system tells.
pub(in crate::merge) fn taken_back_by(
    root: &Path,
    receipt_id: &str,
) -> Result<Option<Option<i32>>, MergeError> {
    let id = undo_id(receipt_id);
    Ok(lease::is_held(&entry_path(root, &id))?.then(|| mover(root, &id)))
}

/// Forgets that a merge was being taken back: its outcome is stored elsewhere, or it is not.
pub fn settle_undo(root: &Path, receipt_id: &str) -> Result<(), MergeError> {
    settle_journal(root, &undo_id(receipt_id))
}

fn store(
    root: &Path,
    id: String,
    step: Step,
    receipt: &MergeReceipt,
    (moving, undo): (Moving, Option<TakingBack>),
) -> Result<(), MergeError> {
    let path = entry_path(root, &id);
    let entry = JournalEntry {
        id,
        step,
        pid: std::process::id(),
        updated_at: clock::now().iso(),
        receipt: receipt.clone(),
        moving,
        undo,
    };
    let text = serde_json::to_string(&entry).map_err(|source| MergeError::BadRecord {
        what: "merge journal",
        path: path.clone(),
        source,
    })?;
    fs::create_dir_all(&journal_dir(root))?;
    fs::write_atomic(&path, text)?;
    Ok(())
}

/// Forgets a merge whose outcome is stored elsewhere (or that did not land).
pub fn settle_journal(root: &Path, id: &str) -> Result<(), MergeError> {
    Ok(fs::remove_file(&entry_path(root, id))?)
}

/// Lists unfinished and unsettled merges, oldest first. An unreadable file is moved aside, not lost.
pub fn unsettled(root: &Path) -> Result<Vec<JournalEntry>, MergeError> {
    let (entries, unreadable) = look(root)?;
    for path in unreadable {
        let aside = path.with_extension(UNREADABLE);
        if path != aside
            && let Err(error) = std::fs::rename(&path, &aside)
        {
            tracing::warn!(%error, "unreadable merge journal stays in place");
        }
    }
    Ok(entries)
}

/// The same with the files that cannot be read, those among them that were moved aside before. Changes nothing.
pub(super) fn look(root: &Path) -> Result<(Vec<JournalEntry>, Vec<PathBuf>), MergeError> {
    let (mut entries, mut unreadable) = (Vec::new(), Vec::new());
    let Ok(files) = std::fs::read_dir(journal_dir(root)) else {
        return Ok((entries, unreadable));
    };
    for file in files.flatten() {
        let path = file.path();
        if path.is_dir() {
            continue;
        }
        match path.extension().and_then(|extension| extension.to_str()) {
            Some("json") => {}
            Some(UNREADABLE) => {
                unreadable.push(path);
                continue;
            }
            Some(_) | None => continue,
        }
        // As bytes: what was written to it may be no text at all.
        let Some(bytes) = fs::read_bytes_optional(&path)? else {
            continue;
        };
        match serde_json::from_slice::<JournalEntry>(&bytes) {
            Ok(entry) => entries.push(entry),
            Err(error) => {
                tracing::warn!(path = %path.display(), %error, "merge journal is not readable");
                unreadable.push(path);
            }
        }
    }
    entries.sort_by(|a: &JournalEntry, b| a.id.cmp(&b.id));
    unreadable.sort();
    Ok((entries, unreadable))
}
