//! The contested places of a merge as somebody who is to decide them needs to see them: each with the
//! lines around it in both versions and in the result. Reads objects; moves nothing.

use std::collections::HashMap;
use std::ops::Range;

use crate::git::{Entry, Oid, Repo, path_bytes};
use crate::platform::random;
use crate::types::merge::{DisplacedHunk, DisplacedKind};

use super::account::{Source, account_of};
use super::answers::mark;
pub use super::attribution::Origin;
use super::attribution::{self, Attribution, Stretch, former_names};
use super::conflict::lines_without;
use super::error::MergeError;
use super::outcome::{FileVersions, MergeFailure, MergeOutcome, MergePlan};
use super::plan::{plan_commits, plan_marked, tips};
use super::whole::made_by_drivers;

/// How many lines before and after a place are given along.
const AROUND: usize = 80;

/// What has to be decided before a branch can land, for exactly these tips.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Contested {
    pub target: Oid,
    pub branch: Oid,
    /// In the plan's order, which is the order of the decisions. Whose lines they are is not known yet.
    pub places: Vec<Place>,
    pub warnings: Vec<String>,
    /// Files that a merge driver merged, and what it made of them.
    pub made: Vec<(String, Oid)>,
    /// All that both sides have in common.
    base: Oid,
}

/// One contested place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    pub hunk: DisplacedHunk,
    /// The file's name before one side gave it another one.
    pub was: Option<String>,
    pub ours: Around,
    pub theirs: Around,
    /// The settled lines around the place, the other contested places left out.
    pub result: Around,
    /// The whole text of the target and of the branch, where a driver made a third one of them.
    pub driven: Option<[String; 2]>,
}

/// The lines around a place in one version of its file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Around {
    /// Number of the place's first line, from 1; `None` when it was not found in the file.
    pub first: Option<usize>,
    pub before: Vec<String>,
    pub after: Vec<String>,
}

impl Around {
    /// Whether the lines around are the same as in another version.
    pub fn is_like(&self, other: &Self) -> bool {
        self.before == other.before && self.after == other.after
    }

    fn of(lines: &[String], start: usize, length: usize) -> Self {
        let from = start.saturating_sub(AROUND);
        let end = (start + length).min(lines.len());
        Self {
            first: Some(start + 1),
            before: lines.get(from..start).unwrap_or_default().to_vec(),
            after: lines
                .get(end..(end + AROUND).min(lines.len()))
                .unwrap_or_default()
                .to_vec(),
        }
    }
}

/// Finds what is contested between two branches. The inner error says why nobody can decide it here.
pub fn contested(
    repo: &Repo,
    target: &str,
    branch: &str,
) -> Result<Result<Contested, MergeFailure>, MergeError> {
    contested_between(repo, tips(repo, (target, branch))?)
}

/// The same between a commit and what is merged into it.
pub fn contested_between(
    repo: &Repo,
    (target, branch): (Oid, Oid),
) -> Result<Result<Contested, MergeFailure>, MergeError> {
    let secret = random::alphanumeric(16);
    let plan = match plan_marked(repo, (target, branch), &secret)? {
        MergeOutcome::Clean(plan)
        | MergeOutcome::Resolved(plan)
        | MergeOutcome::ContentDisplaced(plan) => plan,
        MergeOutcome::Failed(failure) => return Ok(Err(failure)),
    };
    if plan.displaced.is_empty() {
        let lines = account_of(repo, &plan, Source::Engine)?.unaccounted;
        if !lines.is_empty() {
            return Ok(Err(MergeFailure::Unaccounted { lines }));
        }
    }
    let around_result = around_in_result(repo, &plan, &secret)?;
    let (our_tree, their_tree) = (repo.tree_of(plan.target)?, repo.tree_of(plan.branch)?);
    let mut ours = Versions::new(repo, our_tree, &plan.versions, |file| file.ours);
    let mut theirs = Versions::new(repo, their_tree, &plan.versions, |file| file.theirs);
    let former = former_names(repo, &plan)?;
    let mut places = Vec::new();
    for (hunk, result) in plan.displaced.iter().zip(around_result) {
        let (mut in_ours, mut in_theirs) = (Around::default(), Around::default());
        if hunk.kind == DisplacedKind::Text {
            let start = usize::try_from(hunk.start_line).unwrap_or(0).max(1) - 1;
            in_ours = ours.around(&hunk.file, &hunk.text, Expected::Line(start))?;
            let follows = in_ours.before.last().map(String::as_str);
            in_theirs = theirs.around(&hunk.file, &hunk.incoming, Expected::After(follows))?;
        }
        let driven = if hunk.kind == DisplacedKind::Driven && hunk.start_line > 0 {
            Some([
                text_at(repo, our_tree, &hunk.file)?,
                text_at(repo, their_tree, &hunk.file)?,
            ])
        } else {
            None
        };
        places.push(Place {
            hunk: hunk.clone(),
            was: former.get(&hunk.file).cloned(),
            ours: in_ours,
            theirs: in_theirs,
            result,
            driven,
        });
    }
    Ok(Ok(Contested {
        target: plan.target,
        branch: plan.branch,
        places,
        made: made_by_drivers(repo, &plan)?,
        warnings: plan.warnings,
        base: plan.base,
    }))
}

impl Contested {
    /// Finds out whose lines of the target a place is about: it takes git a while.
    pub(crate) fn origin(&self, repo: &Repo, index: usize) -> Result<Origin, MergeError> {
        let Some(place) = self.places.get(index) else {
            return Ok(Origin::default());
        };
        let hunk = &place.hunk;
        // A file that the target has deleted is known by the name it had.
        let known_to = if hunk.kind == DisplacedKind::DeletedByTarget {
            self.base
        } else {
            self.target
        };
        let entry = repo.entry_at(repo.tree_of(known_to)?, &path_bytes(&hunk.file))?;
        // Of lines that are no place of their own, only planning finds out which of them are displaced.
        let is_whole = match hunk.kind {
            DisplacedKind::Binary | DisplacedKind::Driven | DisplacedKind::DeletedByBranch => {
                hunk.start_line > 0
            }
            DisplacedKind::Text
            | DisplacedKind::DeletedByTarget
            | DisplacedKind::Symlink
            | DisplacedKind::Mode
            | DisplacedKind::Renamed => false,
        };
        if is_whole || entry.is_none() {
            return self.origin_by_plan(repo, index);
        }
        let mut attribution = Attribution::of_commits(repo, (self.base, self.target, self.branch));
        if hunk.kind != DisplacedKind::Text {
            return Ok(attribution.of_file(&hunk.file));
        }
        let stretch = Stretch {
            start: hunk.start_line,
            count: hunk.text.lines().count() as u64,
            is_new: !lines_without(&hunk.text, &hunk.base).is_empty(),
        };
        let [base, ours, theirs] = [&hunk.base, &hunk.text, &hunk.incoming].map(|text| {
            let lines = text.lines().map(str::as_bytes);
            lines.collect::<Vec<&[u8]>>()
        });
        let place = attribution::Place {
            at: stretch,
            base: &base,
            ours: &ours,
            theirs: &theirs,
        };
        let (origin, parts) = attribution.of_place(&hunk.file, place);
        let whose = DisplacedHunk {
            agent: origin.agent.clone(),
            parts,
            ..hunk.clone()
        };
        Ok(Origin {
            agent: whose.whose(),
            ..origin
        })
    }

    /// The target has the file under another name, which only planning finds out.
    fn origin_by_plan(&self, repo: &Repo, index: usize) -> Result<Origin, MergeError> {
        let outcome = plan_commits(repo, self.target, self.branch)?;
        let hunk = outcome.plan().and_then(|plan| plan.displaced.get(index));
        Ok(hunk.map_or_else(Origin::default, |hunk| Origin {
            commit: hunk.commit.clone(),
            agent: hunk.whose(),
            committed_at: hunk.committed_at.clone(),
        }))
    }
}

/// Finds the marks of a plan: the lines around them are the result.
fn around_in_result(
    repo: &Repo,
    plan: &MergePlan,
    secret: &str,
) -> Result<Vec<Around>, MergeError> {
    let mut files: HashMap<&str, Marked> = HashMap::new();
    let mut found = Vec::new();
    for (index, hunk) in plan.displaced.iter().enumerate() {
        if hunk.kind != DisplacedKind::Text {
            found.push(Around::default());
            continue;
        }
        if !files.contains_key(hunk.file.as_str()) {
            let lines = lines_at(repo, plan.tree, &hunk.file)?;
            files.insert(&hunk.file, Marked::new(lines, secret));
        }
        let around = files
            .get(hunk.file.as_str())
            .and_then(|file| file.around(&mark(secret, index)));
        found.push(around.unwrap_or_default());
    }
    Ok(found)
}

/// A file with a mark in each contested place, read once for all of them.
struct Marked {
    lines: Vec<String>,
    /// Where the marks are, in order.
    at: Vec<usize>,
    /// Which of them a mark is.
    number: HashMap<String, usize>,
}

impl Marked {
    fn new(lines: Vec<String>, secret: &str) -> Self {
        let is_mark = |line: &str| line.starts_with('\u{1}') && line.contains(secret);
        let marks = lines.iter().enumerate();
        let marks: Vec<(usize, &String)> = marks.filter(|(_, line)| is_mark(line)).collect();
        let at = marks.iter().map(|(at, _)| *at).collect();
        let numbers = marks.iter().enumerate();
        let number = numbers
            .map(|(number, (_, mark))| ((*mark).clone(), number))
            .collect();
        Self { lines, at, number }
    }

    /// The lines around a mark up to its neighbours: what stands there is not known yet.
    fn around(&self, mark: &str) -> Option<Around> {
        let number = *self.number.get(mark)?;
        let at = *self.at.get(number)?;
        let earlier = number.checked_sub(1).and_then(|n| self.at.get(n));
        let near = earlier.map_or(0, |mark| mark + 1);
        let far = self.at.get(number + 1).copied();
        let far = far.unwrap_or(self.lines.len());
        let lines = |range: Range<usize>| self.lines.get(range).unwrap_or_default().to_vec();
        Some(Around {
            // Those before it that are no marks, and one.
            first: Some(at - number + 1),
            before: lines(near.max(at.saturating_sub(AROUND))..at),
            after: lines(at + 1..far.min(at + 1 + AROUND)),
        })
    }
}

/// Where a text is looked for.
enum Expected<'a> {
    /// At this index.
    Line(usize),
    /// After the place before; if there is nothing to look for, behind this line.
    After(Option<&'a str>),
}

/// The files of one side, and how far each has been looked through.
struct Versions<'r> {
    repo: &'r Repo,
    tree: Oid,
    /// By the name in the result: the side may have it under another one.
    own: HashMap<&'r str, Entry>,
    known: HashMap<String, Vec<String>>,
    reached: HashMap<String, usize>,
}

impl<'r> Versions<'r> {
    fn new(
        repo: &'r Repo,
        tree: Oid,
        files: &'r [FileVersions],
        own: fn(&FileVersions) -> Option<Entry>,
    ) -> Self {
        let own = files
            .iter()
            .filter_map(|file| Some((file.path.as_str(), own(file)?)));
        Self {
            repo,
            tree,
            own: own.collect(),
            known: HashMap::new(),
            reached: HashMap::new(),
        }
    }

    /// Finds a text in a file.
    fn around(
        &mut self,
        file: &str,
        text: &str,
        expected: Expected<'_>,
    ) -> Result<Around, MergeError> {
        if !self.known.contains_key(file) {
            let lines = match self.own.get(file) {
                Some(entry) => lines_of(&text_of(self.repo, *entry)?),
                None => lines_at(self.repo, self.tree, file)?,
            };
            self.known.insert(file.to_owned(), lines);
        }
        let lines = self.known.get(file).map_or(&[][..], Vec::as_slice);
        let wanted: Vec<&str> = text.lines().collect();
        let is_at = |start: usize| {
            lines
                .get(start..start + wanted.len())
                .is_some_and(|there| there.iter().map(String::as_str).eq(wanted.iter().copied()))
        };
        let reached = self.reached.get(file).copied().unwrap_or(0);
        let start = match expected {
            Expected::Line(start) if is_at(start) => Some(start),
            Expected::After(None) if wanted.is_empty() => None,
            Expected::After(Some(line)) if wanted.is_empty() => (reached..lines.len())
                .find(|at| lines.get(*at).is_some_and(|there| there == line))
                .map(|at| at + 1),
            Expected::Line(_) | Expected::After(_) => {
                let last = lines.len().saturating_sub(wanted.len());
                (reached..=last).chain(0..reached).find(|at| is_at(*at))
            }
        };
        let Some(start) = start else {
            return Ok(Around::default());
        };
        self.reached.insert(file.to_owned(), start + wanted.len());
        Ok(Around::of(lines, start, wanted.len()))
    }
}

fn lines_at(repo: &Repo, tree: Oid, path: &str) -> Result<Vec<String>, MergeError> {
    Ok(lines_of(&text_at(repo, tree, path)?))
}

fn lines_of(text: &str) -> Vec<String> {
    text.lines().map(str::to_owned).collect()
}

fn text_at(repo: &Repo, tree: Oid, path: &str) -> Result<String, MergeError> {
    let Some(entry) = repo.entry_at(tree, &path_bytes(path))? else {
        return Ok(String::new());
    };
    text_of(repo, entry)
}

fn text_of(repo: &Repo, entry: Entry) -> Result<String, MergeError> {
    let bytes = repo.blob(entry.id)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
