//! What a worktree names besides its branches: what is staged, where its HEAD has been, what is under way. Git's
//! housekeeping in the repository reads all of it, and stops where an object is missing.

use std::collections::BTreeSet;
use std::path::Path;
use std::time::UNIX_EPOCH;

use crate::git::git;
use crate::platform::fs;

use super::super::error::WorktreeError;
use super::OwnStore;
use super::brought::{is_object_name, object_in};

/// Files of a worktree that name commits of something under way.
const UNDER_WAY: &[&str] = &[
    "HEAD",
    "ORIG_HEAD",
    "MERGE_HEAD",
    "CHERRY_PICK_HEAD",
    "REVERT_HEAD",
    "REBASE_HEAD",
    "rebase-merge/orig-head",
    "rebase-merge/onto",
    "rebase-merge/stopped-sha",
    "rebase-apply/orig-head",
    "rebase-apply/onto",
];
/// Longer logs are an agent's trick.
const LONGEST_LOG: u64 = 8 * 1024 * 1024;
/// What was the state of the worktree when its rest was last brought over.
const FILE: &str = "rest";

impl OwnStore {
    /// Brings it over, if the worktree has changed since that was last done. What the agent has damaged stays
    /// away: its commits are over all the same.
    pub(super) fn bring_rest(&self) -> Result<(), WorktreeError> {
        let now = self.stamp();
        let file = self.dir.join(FILE);
        if fs::read_optional(&file)?.as_deref() == Some(now.as_str()) {
            return Ok(());
        }
        let place = self.admin.display();
        if let Err(e) = self.bring_named() {
            tracing::warn!("commits that {place} names are not whole: {e}");
        }
        if let Err(e) = self.bring_staged() {
            tracing::warn!("what is staged in {place} is not whole: {e}");
        }
        Ok(fs::write_atomic(&file, now)?)
    }

    fn stamp(&self) -> String {
        let of = |name: &str| {
            let found = self.admin.join(name).symlink_metadata().ok()?;
            let changed = found.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
            Some((changed.as_nanos(), found.len()))
        };
        format!("{:?}", ["index", "logs/HEAD", "HEAD", "ORIG_HEAD"].map(of))
    }

    fn bring_named(&self) -> Result<(), WorktreeError> {
        let mut named = BTreeSet::new();
        for file in UNDER_WAY {
            named.extend(object_in(&self.admin.join(file))?);
        }
        named.extend(logged(&self.admin.join("logs/HEAD"))?);
        let missing = self.missing(&named)?;
        if missing.is_empty() {
            return Ok(());
        }
        let own = self.confined(|words| {
            self.reader(words)
                .args(["cat-file", "--batch-check=%(objecttype) %(objectname)"])
                .stdin(lines(&missing))
                .text()
        })??;
        let commits = own.lines().filter_map(|line| line.strip_prefix("commit "));
        let commits: Vec<&str> = commits.collect();
        if commits.is_empty() {
            return Ok(());
        }
        self.source().bring(&commits, &self.shared_refs()?)
    }

    /// What is staged and not committed is in the index only.
    fn bring_staged(&self) -> Result<(), WorktreeError> {
        let index = self.admin.join("index");
        if !index.symlink_metadata().is_ok_and(|found| found.is_file()) {
            return Ok(());
        }
        let listed = self.confined(|words| {
            self.reader(words)
                .env("GIT_INDEX_FILE", &index)
                .args(["ls-files", "-s", "-z"])
                .run()
        })??;
        let text = String::from_utf8_lossy(&listed.stdout);
        let staged: BTreeSet<String> = text
            .split('\0')
            .filter_map(|entry| {
                let mut words = entry.split_whitespace();
                let (mode, id) = (words.next()?, words.next()?);
                // A commit of a submodule is not in this repository.
                (mode != "160000" && is_object_name(id)).then(|| id.to_owned())
            })
            .collect();
        self.source().bring_single(&self.missing(&staged)?)
    }

    /// Those that the repository does not have.
    fn missing(&self, ids: &BTreeSet<String>) -> Result<BTreeSet<String>, WorktreeError> {
        if ids.is_empty() {
            return Ok(BTreeSet::new());
        }
        let text = git(&self.common)
            .global("--git-dir=.")
            .args(["cat-file", "--batch-check=%(objectname)"])
            .stdin(lines(ids))
            .text()?;
        let missing = text
            .lines()
            .filter_map(|line| line.strip_suffix(" missing"));
        Ok(missing.map(str::to_owned).collect())
    }
}

/// The commits that a log of HEAD names.
fn logged(file: &Path) -> Result<BTreeSet<String>, WorktreeError> {
    let usable = |found: std::fs::Metadata| found.is_file() && found.len() <= LONGEST_LOG;
    if !file.symlink_metadata().is_ok_and(usable) {
        return Ok(BTreeSet::new());
    }
    let bytes = fs::read_bytes_optional(file)?.unwrap_or_default();
    let text = String::from_utf8_lossy(&bytes);
    let ids = text.lines().flat_map(|line| line.split(' ').take(2));
    let is_one = |id: &&str| is_object_name(id) && id.bytes().any(|b| b != b'0');
    Ok(ids.filter(is_one).map(str::to_owned).collect())
}

fn lines(ids: &BTreeSet<String>) -> String {
    ids.iter().map(|id| format!("{id}\n")).collect()
}
