//! Finding out what is contested, with everything needed to decide it.

use super::exact::Exact;
use super::shown::shown;
use super::view::{Decision, Place, ReviewView};
use crate::config;
use crate::coordinator::landing;
use crate::db::merge_queue::QueueRow;
use crate::db::{GroveStore, MergeQueueStore};
use crate::git::Repo;
use crate::merge::{self, Ahead, Contested};
use crate::platform::ProjectPaths;
use crate::types::merge::DisplacedHunk;
use sha2::{Digest, Sha256};
use std::collections::HashMap;
use std::thread;

/// An entry with what is contested in it.
pub(super) struct Loaded {
    pub(super) row: QueueRow,
    pub(super) target: String,
    pub(super) contested: Contested,
    pub(super) keys: Vec<String>,
}

/// Loads the review of an entry; the error is a sentence.
pub(in crate::engine) fn load(paths: &ProjectPaths, id: i64) -> Result<ReviewView, String> {
    let loaded = plan(paths, id)?;
    let decided = decisions(paths, id)?;
    let Loaded {
        row,
        target,
        contested,
        keys,
    } = loaded;
    let places = pictures(paths, &contested, &keys, &decided)?;
    Ok(ReviewView {
        id,
        branch: row.entry.branch_name,
        agent: row.entry.agent_name,
        target,
        target_tip: contested.target.to_string(),
        branch_tip: contested.branch.to_string(),
        places,
        warnings: contested.warnings,
        moved: None,
    })
}

/// Shows all places. Colouring code takes most of the time of a review, so all cores do it.
fn pictures(
    paths: &ProjectPaths,
    contested: &Contested,
    keys: &[String],
    decided: &HashMap<String, Decision>,
) -> Result<Vec<Place>, String> {
    let all: Vec<_> = contested.places.iter().zip(keys).collect();
    let workers = thread::available_parallelism().map_or(1, usize::from);
    let share = all.len().div_ceil(workers).max(1);
    let show = |share: &[(&merge::Place, &String)]| -> Result<Vec<Place>, String> {
        let repo = Repo::discover(&paths.root).map_err(words)?;
        let exact = Exact::new(&repo, contested.target, contested.branch);
        let places = share.iter();
        Ok(places
            .map(|(place, key)| shown(&exact, place, key, decided.get(*key).cloned()))
            .collect())
    };
    let shares: Vec<_> = thread::scope(|scope| {
        let show = &show;
        let shares = all.chunks(share);
        let threads: Vec<_> = shares
            .map(|share| scope.spawn(move || show(share)))
            .collect();
        threads.into_iter().map(|thread| thread.join()).collect()
    });
    let mut places = Vec::with_capacity(all.len());
    for share in shares {
        places.extend(share.map_err(|_| "the review could not be shown".to_owned())??);
    }
    Ok(places)
}

/// Plans the merge of an entry and names its contested places.
pub(super) fn plan(paths: &ProjectPaths, id: i64) -> Result<Loaded, String> {
    let row = entry(paths, id)?;
    let config = config::load(&paths.root).map_err(words)?.config;
    let target = landing::target(paths, &config, None).map_err(words)?;
    let repo = Repo::discover(&paths.root).map_err(words)?;
    let ahead = Ahead::of(&repo, &paths.root);
    let contested = merge::contested(ahead.repo(), &target, &row.entry.branch_name)
        .map_err(words)?
        .map_err(|failure| format!("this cannot be decided place by place: {failure}"))?;
    let mut seen: HashMap<String, usize> = HashMap::new();
    let keys = contested
        .places
        .iter()
        .map(|place| key(&place.hunk, &mut seen))
        .collect();
    Ok(Loaded {
        row,
        target,
        contested,
        keys,
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

fn decisions(paths: &ProjectPaths, id: i64) -> Result<HashMap<String, Decision>, String> {
    let store = GroveStore::look(&paths.grove_db()).map_err(words)?;
    let rows = store.review_decisions(id).map_err(words)?;
    Ok(rows
        .into_iter()
        .filter_map(|(place, value)| Some((place, serde_json::from_value(value).ok()?)))
        .collect())
}

/// Names a place by all that a decision depends on, and by how often that has occurred before.
fn key(hunk: &DisplacedHunk, seen: &mut HashMap<String, usize>) -> String {
    let mut hash = Sha256::new();
    let kind = format!("{:?}", hunk.kind);
    for part in [&hunk.file, &kind, &hunk.base, &hunk.text, &hunk.incoming] {
        hash.update((part.len() as u64).to_be_bytes());
        hash.update(part.as_bytes());
    }
    let name: String = hash
        .finalize()
        .iter()
        .take(12)
        .map(|byte| format!("{byte:02x}"))
        .collect();
    let count = seen.entry(name.clone()).or_default();
    *count += 1;
    match *count {
        1 => name,
        n => format!("{name}-{n}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;
    use std::process::Command;

    fn git(dir: &Path, args: &[&str]) {
        let output = Command::new("git")
            .current_dir(dir)
            .args(args)
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .output()
            .unwrap();
        assert!(output.status.success(), "git {args:?}: {output:?}");
    }

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

    /// `GROVE_FILES` sets how many files are contested, for whoever wants to know how long that takes.
    #[test]
    fn places_come_in_the_plans_order_whoever_coloured_them() {
        let files = std::env::var("GROVE_FILES").map_or(9, |n| n.parse().unwrap());
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path();
        git(root, &["init", "-q", "-b", "main"]);
        for (key, value) in [("user.name", "t"), ("user.email", "t@example.org")] {
            git(root, &["config", key, value]);
        }
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
        let view = load(&paths, row.unwrap().id).unwrap();
        let names: Vec<&str> = view
            .places
            .iter()
            .map(|place| place.file.as_str())
            .collect();
        assert_eq!(names.len(), files);
        assert!(names.is_sorted(), "{names:?}");
        for place in &view.places {
            let runs =
                |lines: &[super::super::view::CodeLine]| lines.iter().any(|l| !l.runs.is_empty());
            assert_eq!(place.agent.as_deref(), Some("t"));
            assert!(!cfg!(feature = "highlight") || runs(&place.ours.lines));
            assert_eq!(place.result.first, place.ours.first);
            assert_eq!(place.result.before, place.ours.before);
            assert!(place.result.lines.is_empty());
        }
    }
}
