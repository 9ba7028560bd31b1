//! All conflicted paths of one merge: each goes to the rule that is for it, and what comes of them becomes
//! the plan's tree and lists. The rules themselves are elsewhere. Writes objects; moves nothing.

use std::collections::HashMap;

use crate::git::{
    ConflictedPath, Entry, GitError, MergeMessage, MergedTree, Repo, merge_drivers, path_bytes,
    path_name,
};
use crate::process::shell::Cancel;

use super::answers::{Answers, Choices};
use super::attribution::{Attribution, Names};
use super::conflict::{SettledPath, settle_path};
use super::error::MergeError;
use super::moved_out::{Places, followed_out};
use super::outcome::{FileVersions, MergeFailure, MergeOutcome, MergePlan};
use super::plan::Asked;
use super::renames::{RenamedTwice, renamed_twice, settle_rename};
use super::settle::too_large;
use super::settle::{How, Rules};
use super::structure::{DIRECTORY_RENAME, RENAME_DELETE, is_conflict, submodule};

use super::whole::{self, Driven, LeftOut, Manner, Refused, left_out, manners, settle_driven};

/// Settles what git left open, as far as the rules and answers go. Some files are contested as a whole.
pub(super) fn settle_conflicts(
    repo: &Repo,
    mut plan: MergePlan,
    (merged, driven): (&MergedTree, &[Driven]),
    asked: Asked<'_>,
    whole: &Refused,
) -> Result<MergeOutcome, MergeError> {
    let drivers = merge_drivers(repo)?;
    let paths = merged.conflicts.iter().map(|c| c.path.as_slice());
    let manners = manners(repo, plan.target, paths, &drivers)?;
    let moved: Vec<&MergeMessage> = merged
        .messages
        .iter()
        .filter(|said| said.kind == DIRECTORY_RENAME)
        .collect();
    plan.warnings
        .extend(moved.iter().map(|said| moved_along(said)));
    let renamed = renamed_twice(repo, &plan, merged)?;
    let attribution = Attribution::new(repo, &plan, (asked.origins, asked.whose));
    let mut settling = Settling {
        repo,
        merged,
        manners,
        whole,
        moved,
        attribution,
        names: Names::default(),
        answers: Answers::new(asked.choices, asked.marks),
        cancel: asked.cancel,
        places: Places::default(),
        changes: Vec::new(),
        structure: Vec::new(),
        submodules: Vec::new(),
        said: Vec::new(),
        twice: Vec::new(),
        plan,
    };
    for rename in &renamed {
        settling.rename(rename)?;
    }
    for conflict in &merged.conflicts {
        let name = conflict.name();
        if !renamed.iter().any(|rename| rename.concerns(&name)) {
            settling.path(conflict, name)?;
        }
    }
    for driven in driven {
        settling.driven(driven)?;
    }
    settling.finished(asked.choices)
}

/// One merge on its way from conflicts to a tree.
struct Settling<'r> {
    repo: &'r Repo,
    merged: &'r MergedTree,
    manners: HashMap<Vec<u8>, Manner>,
    /// Files that the rules decide nothing in.
    whole: &'r Refused,
    moved: Vec<&'r MergeMessage>,
    attribution: Attribution<'r>,
    names: Names,
    answers: Answers<'r>,
    cancel: Option<&'r Cancel>,
    places: Places,
    changes: Vec<(Vec<u8>, Option<Entry>)>,
    /// Paths without a rule.
    structure: Vec<String>,
    submodules: Vec<String>,
    /// What there is to say about those.
    said: Vec<String>,
    /// Why places or files are contested that are settled by themselves.
    twice: Vec<String>,
    plan: MergePlan,
}

impl Settling<'_> {
    fn rename(&mut self, rename: &RenamedTwice) -> Result<(), MergeError> {
        let trees = (
            self.repo.tree_of(self.plan.target)?,
            self.repo.tree_of(self.plan.branch)?,
        );
        let is_whole = rename.names_of_all().any(|name| self.is_whole(name));
        let settled = settle_rename(
            self.repo,
            rename,
            trees,
            How {
                driver: is_whole.then(String::new),
                cancel: self.cancel,
                ..How::default()
            },
            &mut self.attribution,
            &mut self.answers,
        )?;
        match settled {
            Some(settled) => {
                self.plan.warnings.push(settled.warning);
                self.plan.versions.push(settled.versions);
                self.changes.extend(settled.changes);
                self.plan.woven.extend(settled.woven);
                self.plan.displaced.extend(settled.displaced);
            }
            None => self.structure.push(rename.old.clone()),
        }
        Ok(())
    }

    /// Whether nothing in a file is to be settled line by line; that is said.
    fn is_whole(&mut self, name: &str) -> bool {
        let line = self.whole.get(name);
        let said = line.map(|line| whole::said(name, line));
        self.twice.extend(said);
        line.is_some()
    }

    /// What both sides have made of one file under one new name: git pairs the names of one side only, and regards the
    /// other side's as a deleted file and a new one.
    fn paired(&self, conflict: &ConflictedPath, name: &str) -> Result<ConflictedPath, GitError> {
        let mut paired = conflict.clone();
        if let (None, Some(_), Some(_)) = (conflict.base, conflict.ours, conflict.theirs) {
            let is_it = |said: &&MergeMessage| {
                said.kind == RENAME_DELETE && said.paths.iter().any(|path| path == name)
            };
            let said = self.merged.messages.iter().find(is_it);
            let others = said.into_iter().flat_map(|said| &said.paths);
            for old in others.filter(|path| *path != name) {
                let entry = self.repo.entry_at(self.plan.base_tree, &path_bytes(old))?;
                paired.base = paired.base.or(entry);
            }
        }
        Ok(paired)
    }

    fn path(&mut self, conflict: &ConflictedPath, name: String) -> Result<(), MergeError> {
        let conflict = &self.paired(conflict, &name)?;
        if let Some(entry) = self.as_git_has_it(conflict, &name)? {
            self.changes.push((conflict.path.clone(), Some(entry)));
            return Ok(());
        }
        let manner = if self.is_whole(&name) {
            Some(Manner::Whole)
        } else {
            self.manners.get(&conflict.path).cloned()
        };
        let (union, driver) = match manner.unwrap_or(Manner::Lines) {
            Manner::Lines => (false, None),
            Manner::Union => (true, None),
            Manner::Whole => (false, Some(String::new())),
            Manner::Driver(name) => (false, Some(name)),
        };
        let by_lines = driver.is_none();
        let on_target = self.names.on_target(self.repo, &self.plan, conflict)?;
        let followed = if by_lines {
            let (plan, all) = (&self.plan, &self.merged.conflicts);
            followed_out(self.repo, plan, conflict, all, &mut self.places)?
        } else {
            None
        };
        let conflict = match &followed {
            Some(followed) => {
                self.plan.warnings.push(followed.warning.clone());
                self.changes.extend(followed.changes.iter().cloned());
                self.plan.woven.extend(followed.woven.iter().cloned());
                let along = followed.went_along.iter().cloned();
                self.plan.went_along.extend(along);
                if followed.leaves_nothing() {
                    self.changes.push((conflict.path.clone(), None));
                    return Ok(());
                }
                &followed.conflict
            }
            None => conflict,
        };
        self.plan.versions.push(FileVersions {
            path: name.clone(),
            base: conflict.base,
            ours: conflict.ours,
            theirs: conflict.theirs,
            by_lines,
        });
        let settled = settle_path(
            self.repo,
            (conflict, on_target),
            How {
                rules: Rules {
                    union,
                    ..Rules::default()
                },
                driver,
                cancel: self.cancel,
            },
            &mut self.attribution,
            &mut self.answers,
        )?;
        self.take(conflict, name, settled);
        Ok(())
    }

    /// A file that a driver merged: what it left out is displaced, unless somebody decides otherwise.
    fn driven(&mut self, file: &Driven) -> Result<(), MergeError> {
        if left_out(self.repo, file, file.result)? == LeftOut::Nothing {
            return Ok(());
        }
        let name = path_name(&file.path);
        self.plan.conflict_files.push(name.clone());
        self.plan.versions.push(FileVersions {
            path: name,
            base: file.base,
            ours: Some(file.ours),
            theirs: Some(file.theirs),
            by_lines: false,
        });
        let (entry, displaced) =
            settle_driven(self.repo, file, &mut self.attribution, &mut self.answers)?;
        self.changes.push((file.path.clone(), Some(entry)));
        self.plan.displaced.extend(displaced);
        Ok(())
    }

    fn take(&mut self, conflict: &ConflictedPath, name: String, settled: SettledPath) {
        match settled {
            SettledPath::Entry {
                entry,
                woven,
                displaced,
                twice,
            } => {
                let twice = twice.iter().map(|what| there_twice(&name, what));
                self.twice.extend(twice);
                self.changes.push((conflict.path.clone(), entry));
                self.plan.woven.extend(woven);
                self.plan.displaced.extend(displaced);
            }
            SettledPath::Submodule => {
                self.said
                    .push(submodule(&name, conflict.ours, conflict.theirs));
                self.submodules.push(name);
            }
            SettledPath::Structure => self.structure.push(name),
        }
    }

    /// A file whose only question is whether it goes along with its directory: its content is what git
    /// made of it, without a conflict.
    fn as_git_has_it(
        &self,
        conflict: &ConflictedPath,
        name: &str,
    ) -> Result<Option<Entry>, GitError> {
        let concerns = |said: &MergeMessage| said.paths.iter().any(|path| path == name);
        let has_more = self
            .merged
            .messages
            .iter()
            .any(|said| is_conflict(said) && said.kind != DIRECTORY_RENAME && concerns(said));
        if has_more || !self.moved.iter().any(|said| concerns(said)) {
            return Ok(None);
        }
        self.repo.entry_at(self.merged.tree, &conflict.path)
    }

    fn finished(mut self, choices: Option<&Choices>) -> Result<MergeOutcome, MergeError> {
        if !self.structure.is_empty() {
            return Ok(MergeOutcome::Failed(MergeFailure::Structure {
                said: Vec::new(),
                paths: self.structure,
            }));
        }
        if !self.submodules.is_empty() {
            return Ok(MergeOutcome::Failed(MergeFailure::Submodule {
                said: self.said,
                paths: self.submodules,
            }));
        }
        if !self.answers.are_complete() {
            return Err(MergeError::ReviewIncomplete {
                files: self.plan.conflict_files,
            });
        }
        self.plan.tree = self.repo.tree_with(self.plan.tree, &self.changes)?;
        let is_decided = matches!(choices, Some(Choices::Hunks(_)));
        if !is_decided {
            let large = self.plan.displaced.iter().filter_map(too_large);
            self.plan.warnings.extend(large);
            self.plan.warnings.extend(self.twice);
        }
        Ok(if self.plan.displaced.is_empty() || is_decided {
            MergeOutcome::Resolved(self.plan)
        } else {
            MergeOutcome::ContentDisplaced(self.plan)
        })
    }
}

fn there_twice(file: &str, what: &str) -> String {
    format!(
        "{file}: each side gives `{what}` in its own way, and there can be but one; decide it in Review"
    )
}

fn moved_along(said: &MergeMessage) -> String {
    match said.paths.as_slice() {
        [new, old, ..] => {
            format!("{old} is now {new}: its directory was renamed by the other side")
        }
        _ => said.text.clone(),
    }
}
