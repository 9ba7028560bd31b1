//! The journal of a merge under way: one small file per merge, replaced in one step before each step
//! that matters, so that a process killed at any point leaves behind how far it got.
//! Stores and lists; what to do about an unfinished one is `recover`.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::git::Repo;
use crate::platform::{clock, fs};
use crate::types::merge::MergeReceipt;

use super::checkout::checkouts_of;
use super::error::MergeError;

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

fn entry_path(root: &Path, id: &str) -> PathBuf {
    journal_dir(root).join(format!("{id}.json"))
}

/// Writes down that the merge has reached `step`.
pub(crate) fn write(root: &Path, step: Step, receipt: &MergeReceipt) -> Result<(), MergeError> {
    let id = receipt.id.clone();
    store(root, id, step, receipt, (Moving::default(), None))
}

/// Writes down that the target may move from here on.
pub(crate) fn write_landing(
    root: &Path,
    receipt: &MergeReceipt,
    moving: Moving,
) -> Result<(), MergeError> {
    let id = receipt.id.clone();
    store(root, id, Step::Landing, receipt, (moving, None))
}

/// The name of the entry for taking a merge back: the one of its landing may still be there.
fn undo_id(receipt_id: &str) -> String {
    format!("{receipt_id}-undo")
}

/// Writes down what taking a merge back is about to move.
pub(crate) fn write_undo(
    root: &Path,
    receipt: &MergeReceipt,
    undo: TakingBack,
    moving: Moving,
) -> Result<(), MergeError> {
    let id = undo_id(&receipt.id);
    store(root, id, Step::Undoing, receipt, (moving, Some(undo)))
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
    let Ok(files) = std::fs::read_dir(journal_dir(root)) else {
        return Ok(Vec::new());
    };
    let mut entries = Vec::new();
    for file in files.flatten() {
        let path = file.path();
        if path.extension().is_none_or(|extension| extension != "json") {
            continue;
        }
        if path.is_dir() {
            continue;
        }
        // As bytes: what was written to it may be no text at all.
        let Some(bytes) = fs::read_bytes_optional(&path)? else {
            continue;
        };
        match serde_json::from_slice::<JournalEntry>(&bytes) {
            Ok(entry) => entries.push(entry),
            Err(error) => {
                tracing::warn!(path = %path.display(), %error, "merge journal is not readable");
                let aside = path.with_extension("unreadable");
                if let Err(error) = std::fs::rename(&path, &aside) {
                    tracing::warn!(%error, "unreadable merge journal stays in place");
                }
            }
        }
    }
    entries.sort_by(|a: &JournalEntry, b| a.id.cmp(&b.id));
    Ok(entries)
}
