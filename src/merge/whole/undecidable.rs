//! Files that the account refuses as they are, also where nothing is contested: they are contested as a whole, since
//! otherwise nobody could decide the merge. Writes objects; moves nothing.

use std::borrow::Cow;
use std::collections::BTreeMap;

use crate::git::{ConflictedPath, Entry, GitError, MergedTree, Repo, path_bytes};
use crate::types::merge::{DisplacedHunk, DisplacedKind};

use crate::merge::account::{Source, account_in_time};
use crate::merge::attribution::Origins;
use crate::merge::conflicts::settle_conflicts;
use crate::merge::error::MergeError;
use crate::merge::outcome::{MergeOutcome, MergePlan};
use crate::merge::plan::Asked;
use crate::merge::whole::Driven;

/// So many times files are added; what is refused then is refused in the end.
const ROUNDS: usize = 4;

/// Names of files that are contested as a whole, each with a line that the account refuses otherwise.
pub(in crate::merge) type Refused = BTreeMap<String, String>;

/// Settles what git left open; what the account would refuse of that is contested.
pub(in crate::merge) fn settle_decidable(
    repo: &Repo,
    plan: &MergePlan,
    (merged, driven): (&MergedTree, &[Driven]),
    asked: Asked<'_>,
) -> Result<MergeOutcome, MergeError> {
    let mut plan = Cow::Borrowed(plan);
    let mut merged = Cow::Borrowed(merged);
    let settled = |(plan, merged): (&MergePlan, &MergedTree), asked, whole: &Refused| {
        settle_conflicts(repo, plan.clone(), (merged, driven), asked, whole)
    };
    // Answers and marks are for the places that there are without them.
    let is_open = asked.choices.is_none() && asked.marks.is_none();
    let open = if is_open {
        asked
    } else {
        Asked {
            origins: Origins::Unasked,
            cancel: asked.cancel,
            ..Asked::default()
        }
    };
    let mut whole = Refused::new();
    for _ in 0..ROUNDS {
        let outcome = settled((&plan, &merged), open, &whole)?;
        let more = match outcome.plan() {
            Some(plan) => refused(repo, plan, asked)?,
            None => Refused::new(),
        };
        if more.is_empty() {
            return if is_open {
                Ok(outcome)
            } else {
                settled((&plan, &merged), asked, &whole)
            };
        }
        for file in more.keys() {
            if let Some(conflict) = merged_by_git(repo, &plan, file)? {
                plan.to_mut().conflict_files.push(file.clone());
                merged.to_mut().conflicts.push(conflict);
            }
        }
        whole.extend(more);
    }
    settled((&plan, &merged), asked, &whole)
}

/// A file that git merged by itself, as one that it left open. `None` where not both sides have it.
fn merged_by_git(
    repo: &Repo,
    plan: &MergePlan,
    file: &str,
) -> Result<Option<ConflictedPath>, GitError> {
    if [&plan.conflict_files, &plan.driven]
        .iter()
        .any(|files| files.iter().any(|it| it == file))
    {
        return Ok(None);
    }
    let path = path_bytes(file);
    let version = |tree| -> Result<Option<Entry>, GitError> {
        let entry = repo.entry_at(tree, &path)?;
        Ok(entry.filter(|entry| entry.kind.is_regular()))
    };
    let (ours, theirs) = (
        version(repo.tree_of(plan.target)?)?,
        version(repo.tree_of(plan.branch)?)?,
    );
    if ours.is_none() || theirs.is_none() || ours == theirs {
        return Ok(None);
    }
    let base = version(plan.base_tree)?;
    Ok(Some(ConflictedPath {
        path: path.into_owned(),
        base,
        ours,
        theirs,
    }))
}

/// The files of a plan that the account refuses as they are.
fn refused(repo: &Repo, plan: &MergePlan, asked: Asked<'_>) -> Result<Refused, GitError> {
    let by_lines = plan.versions.iter().filter(|file| file.by_lines);
    let by_lines: Vec<&str> = by_lines.map(|file| file.path.as_str()).collect();
    let places = plan.displaced.iter().filter(|hunk| has_place(hunk));
    let is_open = |file: &&str| places.clone().any(|hunk| hunk.file == **file);
    let are_all_open = by_lines.iter().all(is_open);
    let sources: &[Source] = if by_lines.is_empty() && !asked.is_doubted() {
        &[]
    } else if plan.displaced.is_empty() || are_all_open {
        &[Source::Engine]
    } else {
        // What is decided is accounted for file by file.
        &[Source::Engine, Source::Chosen]
    };
    let mut refused = Refused::new();
    for source in sources {
        for line in account_in_time(repo, plan, *source, asked.cancel)?.unaccounted {
            refused.entry(line.file).or_insert(line.text);
        }
    }
    // Also of a file with contested places: there, the branch's side of all of them may be what does not add up, as of
    // blocks that stand in another order on each side.
    let found = by_lines.iter().filter_map(|file| {
        let line = refused.get(*file)?;
        Some(((*file).to_owned(), line.clone()))
    });
    let mut found: Refused = found.collect();
    if asked.is_doubted() {
        for (file, line) in &refused {
            if merged_by_git(repo, plan, file)?.is_some() {
                found.insert(file.clone(), line.clone());
            }
        }
    }
    // Of lines that were looked for in several files, the first one is named.
    if found.is_empty()
        && !by_lines.is_empty()
        && places.clone().next().is_none()
        && let Some(line) = refused.values().next()
    {
        let all = by_lines.into_iter();
        return Ok(all.map(|file| (file.to_owned(), line.clone())).collect());
    }
    Ok(found)
}

/// Whether a hunk asks what is to be in a file.
fn has_place(hunk: &DisplacedHunk) -> bool {
    match hunk.kind {
        DisplacedKind::Renamed | DisplacedKind::Mode => false,
        DisplacedKind::Text
        | DisplacedKind::Binary
        | DisplacedKind::Driven
        | DisplacedKind::Symlink
        | DisplacedKind::DeletedByBranch
        | DisplacedKind::DeletedByTarget => true,
    }
}

/// Says why a file is contested that is settled line by line otherwise.
pub(in crate::merge) fn said(file: &str, line: &str) -> String {
    let line = line.trim();
    format!(
        "{file}: what both sides did does not add up, line by line ({line}); decide the whole file in Review"
    )
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use std::path::Path;
    use std::sync::Arc;
    use std::time::Duration;

    use super::*;
    use crate::git::trial::{git, repository};
    use crate::merge::account::account_of;
    use crate::merge::answers::{Choices, Decision, Review};
    use crate::merge::bench::Bench;
    use crate::merge::bench::Settled;
    use crate::merge::context::{MergeContext, MergeItem, OnDisplaced};
    use crate::merge::plan::{plan, plan_answered, plan_doubted};
    use crate::merge::report::Conclusion;
    use crate::types::merge::MergeTier;

    const BASE: &str = "1\n2\n3\n4\n5\n6\n7\n8\n9\n";

    /// Two branches that change `f` and `g` at different ends, and the branch adds `new`: git has no question.
    fn two_branches(root: &Path) {
        let commit = |files: &[(&str, &str)]| {
            for (name, text) in files {
                std::fs::write(root.join(name), text).unwrap();
            }
            git(root, &["add", "-A"]);
            git(root, &["commit", "-q", "-m", "c"]);
        };
        commit(&[("f", BASE), ("g", BASE)]);
        git(root, &["checkout", "-q", "-b", "b"]);
        let theirs = BASE.replace("8\n", "theirs\n");
        commit(&[("f", &theirs), ("g", &theirs), ("new", "new\n")]);
        git(root, &["checkout", "-q", "main"]);
        let ours = BASE.replace("2\n", "ours\n");
        commit(&[("f", &ours), ("g", &ours)]);
    }

    /// The plan as if git had put this into a file, and found that clean. No git does that.
    fn had_git(repo: &Repo, name: &str, text: Option<&str>) -> MergePlan {
        let outcome = plan(repo, "main", "b").unwrap();
        let MergeOutcome::Clean(plan) = outcome else {
            panic!("{outcome:?}");
        };
        let entry = repo.entry_at(plan.tree, name.as_bytes()).unwrap().unwrap();
        let entry = text.map(|text| Entry {
            id: repo.write_blob(text.as_bytes()).unwrap(),
            ..entry
        });
        let changes = [(name.as_bytes().to_vec(), entry)];
        let tree = repo.tree_with(plan.tree, &changes).unwrap();
        let merged = plan.merged.as_deref().unwrap().clone();
        MergePlan {
            tree,
            merged: Some(Arc::new(MergedTree { tree, ..merged })),
            ..plan
        }
    }

    #[test]
    fn what_git_merged_and_the_account_refuses_is_decided_by_a_person_as_a_whole() {
        let dir = repository();
        two_branches(dir.path());
        let repo = Repo::open(dir.path()).unwrap();
        let sound = plan(&repo, "main", "b").unwrap();
        let doubted = plan_doubted(&repo, sound.plan().unwrap(), None).unwrap();
        assert_eq!(doubted, sound, "what adds up is asked of nobody");

        let one_less = BASE.replace("2\n", "").replace("8\n", "theirs\n");
        for text in [Some(one_less.as_str()), Some(""), None] {
            let refused_plan = had_git(&repo, "f", text);
            let account = account_of(&repo, &refused_plan, Source::Engine).unwrap();
            assert!(!account.balances(), "{text:?}");
            let outcome = plan_doubted(&repo, &refused_plan, None).unwrap();
            let MergeOutcome::ContentDisplaced(open) = outcome else {
                panic!("{outcome:?}");
            };
            let files: Vec<&str> = open.displaced.iter().map(|it| it.file.as_str()).collect();
            assert_eq!(files, ["f"]);
            assert_eq!(open.conflict_files, ["f"]);
            let is_said = |said: &String| said.starts_with("f: ") && said.contains("Review");
            assert!(open.warnings.iter().any(is_said), "{:?}", open.warnings);
            for (decision, expected) in [
                (Decision::Ours, BASE.replace("2\n", "ours\n")),
                (Decision::Theirs, BASE.replace("8\n", "theirs\n")),
                (Decision::Text("mine\n".to_owned()), "mine\n".to_owned()),
            ] {
                let review = Review {
                    target: open.target,
                    branch: open.branch,
                    choices: Choices::Hunks(vec![decision]),
                    tier: MergeTier::AutoResolve,
                    made: Vec::new(),
                };
                let asked = Asked {
                    earlier: Some(&refused_plan),
                    ..Asked::default()
                };
                let outcome = plan_answered(&repo, &review, asked).unwrap();
                let MergeOutcome::Resolved(decided) = outcome else {
                    panic!("{outcome:?}");
                };
                let entry = repo.entry_at(decided.tree, b"f").unwrap().unwrap();
                let text = String::from_utf8(repo.blob(entry.id).unwrap()).unwrap();
                assert_eq!(text, expected);
                let account = account_of(&repo, &decided, review.choices.source()).unwrap();
                assert!(account.balances(), "{account:?}");
            }
        }
    }

    #[test]
    fn a_merge_that_the_account_refuses_is_held_or_says_what_to_do() {
        let dir = repository();
        two_branches(dir.path());
        let repo = Repo::open(dir.path()).unwrap();
        let context = MergeContext {
            root: dir.path().to_path_buf(),
            target_branch: "main".to_owned(),
            gates: Vec::new(),
            sandbox: crate::config::SandboxConfig::default(),
            gate_time_limit: Duration::from_secs(1),
            driver_time_limit: Duration::from_mins(10),
            gate_retries: 0,
            parallel: 1,
            on_displaced: OnDisplaced::Hold,
            call_off: crate::merge::CallOff::default(),
            own_settings: crate::merge::OwnSettings::Hold,
        };
        let item = MergeItem {
            branch: "b".to_owned(),
            agent: "ann".to_owned(),
            task: "t".to_owned(),
            ..MergeItem::default()
        };
        let bench = Bench {
            context: &context,
            item: &item,
            repo: &repo,
        };
        let refused = |name, text| {
            let plan = had_git(&repo, name, text);
            let prepared = bench.prepare(plan, Settled::by_rules(MergeTier::CleanMerge));
            prepared.unwrap().err().unwrap()
        };
        let held = refused("g", Some("nothing of either\n"));
        assert_eq!(held.conclusion, Conclusion::Held, "{held:?}");
        assert_eq!(held.conflict_files, ["g"]);
        assert_eq!(held.displaced.len(), 1);

        // Only one side has it: there are no two versions to choose from.
        let failed = refused("new", None);
        assert_eq!(failed.conclusion, Conclusion::Failed, "{failed:?}");
        let said = failed.error_message.unwrap();
        assert!(said.contains("1 line, first in new: new"), "{said}");
        assert!(said.contains("merge the branch by hand"), "{said}");
    }
}
