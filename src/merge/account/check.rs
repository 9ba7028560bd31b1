//! Which paths are checked, and together with which others. Sees four trees and the lists of what was
//! declared, and trusts none of them.

use std::collections::BTreeMap;
use std::path::Path;

use crate::git::{
    ChangedPath, Entry, EntryKind, GitError, Oid, Repo, os_path, path_name, submodule_holds,
};
use crate::types::merge::{
    AccountTotals, CrossedLines, DisplacedHunk, InventedLine, RevivedLine, WovenLine,
};

use super::answered::answered_files;
use super::crossed::crossed;
use super::fewest::check_fewest;
use super::most::check_most;
use super::moved_away::moved_away;
use super::places::check_places;
use super::returned::returned;
use super::tally::Tally;
use super::woven::believed;
use crate::merge::outcome::{FileVersions, MergePlan, UnaccountedLine};

/// The trees of a merge.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MergeTrees {
    pub base: Oid,
    pub ours: Oid,
    pub theirs: Oid,
    pub result: Oid,
}

/// What a merge says about content that is not where a reader would look for it.
#[derive(Debug, Clone, Copy, Default)]
pub struct Declared<'a> {
    pub displaced: &'a [DisplacedHunk],
    pub woven: &'a [WovenLine],
    /// Files whose conflicts were settled here: for them, too, repeated lines are counted exactly.
    pub settled: &'a [String],
    /// The versions that the settled files were made of.
    pub versions: &'a [FileVersions],
    /// Files that a merge driver of the project made: it may write lines that no side has.
    pub driven: &'a [String],
    pub source: Source,
}

impl Declared<'_> {
    /// Whether lines that no side has are allowed in these files.
    pub(super) fn may_invent(&self, files: &[&str]) -> bool {
        let is_driven = |file: &&str| self.driven.iter().any(|driven| driven == file);
        self.source.may_invent() || (!files.is_empty() && files.iter().all(is_driven))
    }
}

/// Where the content of the settled files comes from.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Source {
    /// Nobody was asked: the same commits always give this result.
    #[default]
    Engine,
    /// Somebody chose among what the sides have. Each settled file accounts for its own lines.
    Chosen,
    /// Somebody wrote what stands in contested places, and our rules what stands elsewhere: as with `Chosen`, but lines
    /// that no side has are allowed.
    Filled,
    /// An agent wrote whole files: as with `Filled`, but what nobody contested is to stand where it stood.
    Written,
}

impl Source {
    pub(super) fn may_invent(self) -> bool {
        match self {
            Self::Engine | Self::Chosen => false,
            Self::Filled | Self::Written => true,
        }
    }
}

/// The finished account.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Account {
    pub totals: AccountTotals,
    /// Empty when the result may be landed.
    pub unaccounted: Vec<UnaccountedLine>,
    /// Lines that a side had removed and that are back. No fault, but never unsaid.
    pub brought_back: Vec<RevivedLine>,
    /// Lines that no version has, written by somebody who was asked or by a merge driver.
    pub invented: Vec<InventedLine>,
    /// Lines that only one of several common ancestors would call lost. No fault, but never unsaid.
    pub crossed: Vec<CrossedLines>,
}

impl Account {
    /// Tells whether everything is accounted for.
    pub fn balances(&self) -> bool {
        self.unaccounted.is_empty()
    }

    fn take(&mut self, part: Self) {
        add_totals(&mut self.totals, part.totals);
        self.unaccounted.extend(part.unaccounted);
        self.invented.extend(part.invented);
    }

    /// Takes those of some lines that are back which nobody has named yet.
    fn take_unsaid(&mut self, lines: Vec<RevivedLine>) {
        let is_said = |line: &RevivedLine| {
            let mut said = self.brought_back.iter();
            said.any(|said| (&said.file, said.line) == (&line.file, line.line))
        };
        let unsaid = lines.into_iter().filter(|line| !is_said(line)).collect();
        self.take_back(unsaid);
    }

    fn take_back(&mut self, lines: Vec<RevivedLine>) {
        self.totals.brought_back += lines.len() as u64;
        self.brought_back.extend(lines);
    }
}

/// The entries of one path in the four trees.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Versions {
    pub(super) base: Option<Entry>,
    pub(super) ours: Option<Entry>,
    pub(super) theirs: Option<Entry>,
    pub(super) result: Option<Entry>,
}

impl Versions {
    /// Some version has no such path, so its content may be at another one.
    pub(super) fn comes_or_goes(&self) -> bool {
        [self.base, self.ours, self.theirs, self.result]
            .iter()
            .any(Option::is_none)
    }

    /// One file under all its names, if no version of it has two of them.
    fn joined(names: &[Self]) -> Option<Self> {
        let only = |field: fn(&Self) -> Option<Entry>| {
            let mut entries = names.iter().filter_map(field);
            match (entries.next(), entries.next()) {
                (found, None) => Some(found),
                (_, Some(_)) => None,
            }
        };
        Some(Self {
            base: only(|versions| versions.base)?,
            ours: only(|versions| versions.ours)?,
            theirs: only(|versions| versions.theirs)?,
            result: only(|versions| versions.result)?,
        })
    }

    /// One side left the path alone (or both agree) and the result has the other side's version.
    fn is_taken_whole(&self) -> bool {
        let expected = if self.ours == self.base {
            self.theirs
        } else if self.theirs == self.base || self.ours == self.theirs {
            self.ours
        } else {
            return false;
        };
        self.result == expected
    }
}

/// Checks a merged tree against the trees it came from.
pub fn account(
    repo: &Repo,
    trees: MergeTrees,
    declared: Declared<'_>,
) -> Result<Account, GitError> {
    // Whether a line became part of another one, the texts tell, and not who wove it.
    let woven = believed(repo, trees, declared)?;
    let declared = Declared {
        woven: &woven,
        ..declared
    };
    let mut account = Account::default();
    let mut open: Vec<(Vec<u8>, Versions)> = Vec::new();
    let mut came_or_went: Vec<(Vec<u8>, Versions)> = Vec::new();
    let mut paths = all_versions(repo, trees)?;
    let moved_away = moved_away(repo, &paths)?;
    // What somebody answered stands for itself: a line of it that turns up in another file is lost.
    for files in answered_files(repo, trees, &paths, declared)? {
        add_answered(repo, &mut account, &files, &mut paths, (trees, declared))?;
    }
    for (path, versions) in paths {
        if versions.is_taken_whole() || goes_on(repo, &path, &versions)? {
            account.totals.taken_whole += 1;
            if versions.comes_or_goes() {
                came_or_went.push((path, versions));
            }
        } else {
            open.push((path, versions));
        }
    }

    let asked = (trees, declared);
    add_open(repo, &mut account, &open, &came_or_went, asked)?;
    account.take_unsaid(moved_away);
    check_fewest(repo, &mut account, trees.result, declared)?;
    check_most(repo, &mut account, trees.result, declared)?;
    check_places(repo, &mut account, trees.result, declared)?;
    account.totals.count_listed(declared.displaced);
    Ok(account)
}

/// The account of a plan's tree.
pub(in crate::merge) fn account_of(
    repo: &Repo,
    plan: &MergePlan,
    source: Source,
) -> Result<Account, GitError> {
    let trees = MergeTrees {
        base: plan.base_tree,
        ours: repo.tree_of(plan.target)?,
        theirs: repo.tree_of(plan.branch)?,
        result: plan.tree,
    };
    let declared = Declared {
        displaced: &plan.displaced,
        woven: &plan.woven,
        settled: &plan.conflict_files,
        versions: &plan.versions,
        driven: &plan.driven,
        source,
    };
    let mut account = account(repo, trees, declared)?;
    account.crossed = crossed(repo, plan)?;
    Ok(account)
}

/// A submodule that both sides moved, and the result has the later commit of the two: that holds the other.
fn goes_on(repo: &Repo, path: &[u8], versions: &Versions) -> Result<bool, GitError> {
    let [Some(ours), Some(theirs), Some(result)] =
        [versions.ours, versions.theirs, versions.result]
    else {
        return Ok(false);
    };
    let all_are = |kind| {
        [ours, theirs, result]
            .iter()
            .all(|entry| entry.kind == kind)
    };
    if !all_are(EntryKind::Submodule) || (result != ours && result != theirs) {
        return Ok(false);
    }
    let earlier = if result == ours { theirs } else { ours };
    submodule_holds(repo, Path::new(&os_path(path)), result.id, earlier.id)
}

/// First each path by itself, which is the stricter check. What does not balance there may have moved to
/// another path: those are checked again, all together.
fn add_open(
    repo: &Repo,
    account: &mut Account,
    open: &[(Vec<u8>, Versions)],
    came_or_went: &[(Vec<u8>, Versions)],
    (trees, declared): (MergeTrees, Declared<'_>),
) -> Result<(), GitError> {
    let mut pool = Tally::default();
    let mut pooled: Vec<(&[u8], &Versions)> = Vec::new();
    let mut pool_is_exact = true;
    for (path, versions) in open {
        let file = path_name(path);
        account.totals.compared += 1;
        let mut alone = Tally::of_one_path();
        let exact = declared.settled.contains(&file);
        alone.add(repo, versions, exact)?;
        let in_place =
            versions.ours.is_some() && versions.theirs.is_some() && versions.result.is_some();
        if in_place {
            let checked = alone.check(&[&file], declared, exact);
            if checked.unaccounted.is_empty() {
                account.take(checked);
                let file = [(path.as_slice(), versions)];
                account.take_back(returned(repo, trees, &file, &alone, declared)?);
                continue;
            }
        }
        pool_is_exact &= exact;
        pool.add(repo, versions, exact)?;
        pooled.push((path, versions));
    }
    // The other end of a rename may look settled by itself.
    if !pooled.is_empty() {
        for (path, versions) in came_or_went {
            pool.add(repo, versions, pool_is_exact)?;
            pooled.push((path, versions));
        }
    }
    let files: Vec<String> = pooled.iter().map(|(path, _)| path_name(path)).collect();
    let files: Vec<&str> = files.iter().map(String::as_str).collect();
    let checked = pool.check(&files, declared, pool_is_exact);
    account.take(checked);
    account.take_back(returned(repo, trees, &pooled, &pool, declared)?);
    Ok(())
}

/// Checks one answered file under all its names, and takes these from the paths that are left.
fn add_answered(
    repo: &Repo,
    account: &mut Account,
    names: &[Vec<u8>],
    paths: &mut BTreeMap<Vec<u8>, Versions>,
    (trees, declared): (MergeTrees, Declared<'_>),
) -> Result<(), GitError> {
    let files: Vec<String> = names.iter().map(|name| path_name(name)).collect();
    let taken: Vec<(&[u8], Versions)> = names
        .iter()
        .filter_map(|name| Some((name.as_slice(), paths.remove(name)?)))
        .collect();
    let versions: Vec<Versions> = taken.iter().map(|(_, versions)| *versions).collect();
    let exact = files.iter().all(|file| declared.settled.contains(file));
    let mut tally = Tally::default();
    for versions in &versions {
        if versions.is_taken_whole() {
            account.totals.taken_whole += 1;
        } else {
            account.totals.compared += 1;
        }
    }
    match Versions::joined(&versions) {
        Some(whole) => tally.add(repo, &whole, exact)?,
        None => {
            for versions in &versions {
                tally.add(repo, versions, exact)?;
            }
        }
    }
    let files: Vec<&str> = files.iter().map(String::as_str).collect();
    let checked = tally.check(&files, declared, exact);
    account.take(checked);
    let taken: Vec<(&[u8], &Versions)> = taken.iter().map(|(name, all)| (*name, all)).collect();
    account.take_back(returned(repo, trees, &taken, &tally, declared)?);
    Ok(())
}

fn all_versions(repo: &Repo, trees: MergeTrees) -> Result<BTreeMap<Vec<u8>, Versions>, GitError> {
    let mut paths: BTreeMap<Vec<u8>, [Option<ChangedPath>; 3]> = BTreeMap::new();
    for (slot, tree) in [trees.ours, trees.theirs, trees.result]
        .into_iter()
        .enumerate()
    {
        for changed in repo.changed_paths(trees.base, tree)? {
            let known = paths.entry(changed.path.clone()).or_default();
            if let Some(place) = known.get_mut(slot) {
                // A change of type comes as a removal and an addition: they are one change.
                *place = Some(match place.take() {
                    Some(other) => ChangedPath {
                        path: changed.path,
                        old: other.old.or(changed.old),
                        new: other.new.or(changed.new),
                    },
                    None => changed,
                });
            }
        }
    }
    Ok(paths
        .into_iter()
        .map(|(path, changes)| {
            let base = changes.iter().flatten().find_map(|change| change.old);
            let [ours, theirs, result] =
                changes.map(|change| change.map_or(base, |change| change.new));
            let versions = Versions {
                base,
                ours,
                theirs,
                result,
            };
            (path, versions)
        })
        .collect())
}

fn add_totals(sum: &mut AccountTotals, more: AccountTotals) {
    sum.taken_whole += more.taken_whole;
    sum.compared += more.compared;
    sum.kept += more.kept;
    sum.removed += more.removed;
    sum.woven += more.woven;
    sum.displaced += more.displaced;
}
