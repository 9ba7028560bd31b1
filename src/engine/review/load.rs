//! Finding out what is contested, with everything needed to decide it.

use super::exact::Exact;
use super::landed;
use super::shown::{Depth, shown};
use super::view::{Place, ReviewView};
use crate::config;
use crate::coordinator::decisions::AllDecided;
use crate::coordinator::landing;
use crate::db::MergeQueueStore;
use crate::db::merge_queue::QueueRow;
use crate::git::Repo;
use crate::merge::{self, Ahead, Contested, Origin, own_settings};
use crate::platform::ProjectPaths;
use crate::types::merge::{MergeReceipt, MergeStatus};

/// An entry with what is contested in it.
pub(super) struct Loaded {
    pub(super) row: QueueRow,
    pub(super) target: String,
    pub(super) contested: Contested,
    pub(super) keys: Vec<String>,
    /// The receipt, where what is decided about has landed already.
    pub(super) landed: Option<MergeReceipt>,
}

/// A review on the desk: its places can be looked up one by one.
pub(super) struct Opened {
    id: i64,
    target: String,
    branch: String,
    contested: Contested,
    keys: Vec<String>,
    has_landed: bool,
}

/// Loads the review of an entry: the text of all places, which takes git a moment and nothing else. The error
/// is a sentence.
pub(in crate::engine) fn load(paths: &ProjectPaths, id: i64) -> Result<ReviewView, String> {
    open(paths, id).map(|(view, _)| view)
}

/// The same, for looking at its places.
pub(super) fn open(paths: &ProjectPaths, id: i64) -> Result<(ReviewView, Opened), String> {
    let loaded = plan(paths, id)?;
    let branch = &loaded.row.entry.branch_name;
    let all = AllDecided::open(paths).map_err(words)?;
    let mut decided = all.of(branch).map_err(words)?;
    let mut answers = all.answers(branch).map_err(words)?;
    let Loaded {
        row,
        target,
        contested,
        keys,
        landed,
    } = loaded;
    let repo = Repo::discover(&paths.root).map_err(words)?;
    let has_landed = landed.is_some();
    let exact = Exact::new(&repo, contested.target, contested.branch);
    let all = contested.places.iter().zip(&keys);
    let places = all
        .map(|(place, key)| {
            let stands = has_landed.then(landed::as_landed);
            let decision = decided.places.remove(key).or(stands);
            Place {
                answer: answers.remove(key),
                ..shown(&exact, place, key, Depth::Plain, decision)
            }
        })
        .collect();
    let opened_as = (target.clone(), row.entry.branch_name.clone());
    let (from, to) = (contested.target, contested.branch);
    let settings = own_settings::settings_of_branch(&repo, &paths.root, from, to).map_err(words)?;
    let mut warnings = contested.warnings.clone();
    if !settings.is_empty() {
        warnings.push(own_settings::changes_settings(&settings));
    }
    let view = ReviewView {
        id,
        branch: row.entry.branch_name,
        agent: row.entry.agent_name,
        target,
        target_tip: contested.target.to_string(),
        branch_tip: contested.branch.to_string(),
        places,
        warnings,
        moved: None,
        landed: landed.map(|receipt| receipt.merged_commit),
    };
    let (target, branch) = opened_as;
    let opened = Opened {
        id,
        target,
        branch,
        contested,
        keys,
        has_landed,
    };
    Ok((view, opened))
}

impl Opened {
    /// Whether it is the review of this entry as it is now.
    pub(super) fn is_of(&self, paths: &ProjectPaths, id: i64) -> bool {
        let Ok(repo) = Repo::discover(&paths.root) else {
            return false;
        };
        let is_at = |name: &str, tip| repo.ref_target(&format!("refs/heads/{name}")) == Some(tip);
        // What has landed stays what it was.
        self.id == id && self.has_landed
            || self.id == id
                && is_at(&self.target, self.contested.target)
                && is_at(&self.branch, self.contested.branch)
    }

    /// Finds out all there is about one place, without what is decided about it. `None` when there is no such
    /// place.
    pub(super) fn look_up(&self, paths: &ProjectPaths, key: &str) -> Option<Place> {
        let index = self.keys.iter().position(|known| known == key)?;
        let place = self.contested.places.get(index)?;
        let repo = Repo::discover(&paths.root).ok()?;
        let origin = self.contested.origin(&repo, index).unwrap_or_else(|error| {
            tracing::warn!(%error, key, "origin of contested lines not found");
            Origin::default()
        });
        let exact = Exact::new(&repo, self.contested.target, self.contested.branch);
        Some(shown(&exact, place, key, Depth::Looked(origin), None))
    }
}

/// Plans the merge of an entry and names its contested places.
pub(super) fn plan(paths: &ProjectPaths, id: i64) -> Result<Loaded, String> {
    let row = entry(paths, id)?;
    let config = config::load(&paths.root).map_err(words)?.config;
    let repo = landing::repository(paths, &config).map_err(words)?;
    let ahead = Ahead::of(&repo, &paths.root);
    let landed = match row.entry.status {
        MergeStatus::Merged => Some(landed::receipt_of(paths, id)?),
        MergeStatus::Pending
        | MergeStatus::Merging
        | MergeStatus::Conflict
        | MergeStatus::Failed => None,
    };
    let target = match &landed {
        Some(receipt) => receipt.target.clone(),
        None => landing::target(paths, &config, None).map_err(words)?,
    };
    let contested = match &landed {
        Some(receipt) => merge::contested_between(ahead.repo(), landed::sides(&repo, receipt)?),
        None => merge::contested(ahead.repo(), &target, &row.entry.branch_name),
    };
    let contested = contested.map_err(words)?.map_err(|failure| {
        format!(
            "this cannot be decided place by place: {}",
            failure.with_way_on()
        )
    })?;
    if let Some(receipt) = &landed {
        landed::is_as_landed(ahead.repo(), receipt, &contested)?;
    }
    let mut naming = merge::Naming::default();
    let places = contested.places.iter();
    let keys = places.map(|place| naming.next(&place.hunk)).collect();
    Ok(Loaded {
        row,
        target,
        contested,
        keys,
        landed,
    })
}

pub(super) fn entry(paths: &ProjectPaths, id: i64) -> Result<QueueRow, String> {
    let queue = MergeQueueStore::look(&paths.merge_queue_db()).map_err(words)?;
    let rows = queue.all().map_err(words)?;
    rows.into_iter()
        .find(|row| row.id == id)
        .ok_or_else(|| "the entry is no longer in the queue".to_owned())
}

pub(super) fn words(error: impl std::fmt::Display) -> String {
    error.to_string()
}

#[cfg(test)]
mod tests {
    use super::super::view::PlaceKind;
    use super::*;
    use crate::git::calls;
    use crate::git::trial::{git, repository};
    use std::path::Path;

    fn commit(dir: &Path, files: usize, word: &str) {
        for file in 0..files {
            let line = |at: usize| match at {
                90 => format!("    let value{file} = {word:?};\n"),
                _ => format!("    call_{at}(\"some text\", {at}); // of {file}\n"),
            };
            let text: String = (0..180).map(line).collect();
            std::fs::write(dir.join(format!("f{file:03}.rs")), text).unwrap();
        }
        git(dir, &["add", "--", "*.rs"]);
        git(dir, &["commit", "-q", "-m", word]);
    }

    /// A branch and a target that both changed a line of each of some files.
    fn contested(files: usize) -> (tempfile::TempDir, ProjectPaths, i64) {
        let dir = repository();
        let root = dir.path();
        commit(root, files, "base");
        git(root, &["checkout", "-q", "-b", "overstory/ann/t-1"]);
        commit(root, files, "theirs");
        git(root, &["checkout", "-q", "main"]);
        commit(root, files, "ours");
        std::fs::create_dir(root.join(".overstory")).unwrap();
        let paths = ProjectPaths::new(root);
        let config = format!(
            "project:\n  name: p\n  root: {}\n  canonicalBranch: main\n",
            root.display()
        );
        std::fs::write(paths.file("config.yaml"), config).unwrap();
        let queue = MergeQueueStore::open(&paths.merge_queue_db()).unwrap();
        let row = queue.enqueue("overstory/ann/t-1", "t-1", "ann", &[]);
        (dir, paths, row.unwrap().id)
    }

    /// `GROVE_FILES` sets how many files are contested, for whoever wants to know how long that takes.
    #[test]
    fn a_review_opens_without_asking_git_about_each_file() {
        let many = std::env::var("GROVE_FILES").map_or(9, |n| n.parse().unwrap());
        let started = |files: usize| {
            let (_dir, paths, id) = contested(files);
            let before = calls::made();
            let (view, opened) = open(&paths, id).unwrap();
            let names: Vec<&str> = view.places.iter().map(|p| p.file.as_str()).collect();
            assert_eq!(names.len(), files);
            assert!(names.is_sorted(), "{names:?}");
            for place in &view.places {
                assert!(!place.is_looked_up && place.agent.is_none());
                assert!(!place.ours.lines.is_empty() && !place.ours.before.is_empty());
                assert_eq!(place.result.first, place.ours.first);
                assert_eq!(place.result.before, place.ours.before);
                assert!(place.result.lines.is_empty());
            }
            let opening = calls::made() - before;
            let key = view.places.last().unwrap().key.as_str();
            let place = opened.look_up(&paths, key).unwrap();
            (opening, calls::made() - before - opening, place)
        };
        let (few, _, _) = started(1);
        let (opening, looking, place) = started(many);
        assert!(
            opening <= few,
            "{opening} gits for {many} files, {few} for one"
        );
        assert_eq!(looking, 1, "one look at the history for a place");
        let runs =
            |lines: &[super::super::view::CodeLine]| lines.iter().any(|l| !l.runs.is_empty());
        assert!(place.is_looked_up);
        assert_eq!(place.agent.as_deref(), Some("t"));
        assert!(!cfg!(feature = "highlight") || runs(&place.ours.lines));
        assert!(place.ours.lines.iter().any(|line| !line.changed.is_empty()));
        assert_eq!(place.result.before, place.ours.before);
    }

    #[test]
    fn a_text_that_is_decided_as_one_is_shown_line_by_line_and_what_is_no_text_is_not() {
        let (dir, paths, id) = contested(1);
        std::fs::write(dir.path().join(".git/info/attributes"), "*.rs -merge\n").unwrap();
        let (view, _) = open(&paths, id).unwrap();
        let [place] = view.places.as_slice() else {
            panic!("{:?}", view.places);
        };
        assert!(place.kind == PlaceKind::Whole && place.is_editable);
        assert_eq!((place.ours.first, place.ours.lines.len()), (Some(1), 180));
        assert_eq!((place.ours_go, place.theirs_go), (1, 1));
        // One of the two is no text any more.
        std::fs::write(dir.path().join("f000.rs"), "a\0b").unwrap();
        git(dir.path(), &["commit", "-qam", "no text"]);
        let (view, _) = open(&paths, id).unwrap();
        let [place] = view.places.as_slice() else {
            panic!("{:?}", view.places);
        };
        assert!(place.kind == PlaceKind::Binary && !place.is_editable);
    }

    #[test]
    fn an_opened_review_is_of_no_other_entry_and_of_no_other_commits() {
        let (dir, paths, id) = contested(1);
        let (_, opened) = open(&paths, id).unwrap();
        assert!(opened.is_of(&paths, id));
        assert!(!opened.is_of(&paths, id + 1));
        assert!(opened.look_up(&paths, "another").is_none());
        commit(dir.path(), 1, "later");
        assert!(!opened.is_of(&paths, id));
    }
}
