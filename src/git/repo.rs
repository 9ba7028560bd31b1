//! Facts about one repository, read without changing anything: head, branches, changed
//! files, origin. Questions only; no writes and no policy.

use std::path::{Path, PathBuf};
use std::time::Duration;

use git2::{Delta, DiffOptions, ErrorCode, Oid, Repository, RepositoryOpenFlags};

use super::broken;
use super::error::GitError;
use super::path_name::path_name;

/// How long merge drivers may take, where nobody says otherwise.
pub const DRIVERS_MAY_TAKE: Duration = Duration::from_mins(10);

/// How many names of a branch git follows.
const MOST_NAMES: usize = 5;

/// What HEAD of a checkout stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Head {
    Branch(String),
    Detached(Oid),
    /// The branch has no commit yet.
    Unborn(String),
}

/// A path that differs between two trees.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangedPath {
    pub path: Vec<u8>,
    pub old: Option<super::Entry>,
    pub new: Option<super::Entry>,
}

/// An opened repository.
pub struct Repo {
    inner: Repository,
    path: PathBuf,
    driver_limit: Duration,
    /// A folder to be made for merge drivers, and the checkout that it is to look like.
    driver_place: Option<(PathBuf, PathBuf)>,
}

impl std::fmt::Debug for Repo {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Repo")
            .field("path", &self.path)
            .finish_non_exhaustive()
    }
}

impl Repo {
    /// Opens the repository that contains `path`, looking upwards.
    pub fn discover(path: &Path) -> Result<Self, GitError> {
        // Opening what a search found would forget where the search passed by: a git directory that
        // lies elsewhere does not know its working tree.
        let nowhere_to_stop: [&Path; 0] = [];
        let found = Repository::open_ext(path, RepositoryOpenFlags::CROSS_FS, nowhere_to_stop);
        match Self::opened(path, found) {
            Err(not @ GitError::NotARepository { .. }) => Err(broken::around(path).unwrap_or(not)),
            Err(odd @ GitError::Library { .. }) => Err(broken::pointer(path).unwrap_or(odd)),
            other => other,
        }
    }

    /// Opens the repository whose working tree or git directory is exactly `path`.
    pub fn open(path: &Path) -> Result<Self, GitError> {
        Self::opened(path, Repository::open(path))
    }

    fn opened(path: &Path, result: Result<Repository, git2::Error>) -> Result<Self, GitError> {
        match result {
            Ok(inner) => {
                let path = inner
                    .workdir()
                    .unwrap_or_else(|| inner.path())
                    .to_path_buf();
                Ok(Self {
                    inner,
                    path,
                    driver_limit: DRIVERS_MAY_TAKE,
                    driver_place: None,
                })
            }
            Err(error) if error.code() == ErrorCode::NotFound => Err(GitError::NotARepository {
                path: path.to_path_buf(),
            }),
            Err(error) if error.code() == ErrorCode::Owner => Err(GitError::ForeignOwner {
                path: path.to_path_buf(),
            }),
            Err(source) => Err(unsupported(path, &source).unwrap_or(GitError::Library {
                action: "open the repository",
                path: path.to_path_buf(),
                source,
            })),
        }
    }

    /// Sets how long all merge drivers of one merge may take together, and the hooks and filters of one landing; without
    /// this, 10 minutes.
    #[must_use]
    pub fn with_driver_limit(mut self, limit: Duration) -> Self {
        self.driver_limit = limit;
        self
    }

    /// Returns how long the merge drivers of one merge, or the hooks and filters of one landing, may take.
    pub fn driver_limit(&self) -> Duration {
        self.driver_limit
    }

    /// Sets the folder that is made for merge drivers to stand in while they run, and the checkout `top` at whose top they are
    /// to think they are; without this, one among the system's temporary ones, and this checkout.
    #[must_use]
    pub fn with_driver_place(mut self, folder: PathBuf, top: &Path) -> Self {
        self.driver_place = Some((folder, top.to_path_buf()));
        self
    }

    pub(super) fn driver_place(&self) -> Option<&(PathBuf, PathBuf)> {
        self.driver_place.as_ref()
    }

    /// Returns the git2 handle for sibling modules that read or write objects.
    pub(crate) fn raw(&self) -> &Repository {
        &self.inner
    }

    /// Names the repository in a git2 failure.
    pub(crate) fn failed(&self, action: &'static str) -> impl FnOnce(git2::Error) -> GitError {
        let path = self.path.clone();
        move |source| GitError::Library {
            action,
            path,
            source,
        }
    }

    /// Returns the working tree, or the git directory of a bare repository.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the directory that all worktrees of the repository share.
    pub fn common_dir(&self) -> &Path {
        self.inner.commondir()
    }

    /// Returns the directory with the HEAD and the index of this checkout.
    pub fn git_dir(&self) -> &Path {
        self.inner.path()
    }

    /// Returns the working tree of the main checkout, also when asked from a linked worktree. Where
    /// the repository itself is bare, every worktree is one of its own. `None` when there is none, or
    /// when nothing in the repository says where it is.
    pub fn main_root(&self) -> Option<PathBuf> {
        let own = self.inner.workdir().map(Path::to_path_buf);
        if !self.inner.is_worktree() {
            return own;
        }
        let main = Repository::open(self.inner.commondir()).ok()?;
        let Some(root) = main.workdir() else {
            return own;
        };
        // A git directory that lies elsewhere is taken to lie in its working tree; ask back.
        let back = Repository::open(root).ok()?;
        (back.path() == main.path()).then(|| root.to_path_buf())
    }

    /// Whether it was cloned without its whole history.
    pub fn is_shallow(&self) -> bool {
        self.inner.is_shallow()
    }

    pub fn is_bare(&self) -> bool {
        self.inner.is_bare()
    }

    /// Tells whether this is a linked worktree of a repository that has a main checkout.
    pub fn is_linked_worktree(&self) -> bool {
        self.inner.is_worktree() && self.main_root().as_deref() != self.inner.workdir()
    }

    /// Tells whether HEAD has no commit.
    pub fn is_empty(&self) -> bool {
        self.inner.head().is_err()
    }

    /// Fails unless there is a working tree and at least one commit.
    pub fn require_usable(&self) -> Result<(), GitError> {
        if self.is_bare() {
            return Err(GitError::Bare {
                path: self.path.clone(),
            });
        }
        if self.is_empty() {
            return Err(GitError::NoCommits {
                path: self.path.clone(),
            });
        }
        // git is started there, and finds out by itself where the repository is.
        let says_where = |config: git2::Config| config.get_entry("core.worktree").is_ok();
        if self.inner.config().is_ok_and(says_where) && Self::discover(&self.path).is_err() {
            return Err(GitError::FilesElsewhere {
                path: self.path.clone(),
                git_dir: self.git_dir().to_path_buf(),
            });
        }
        Ok(())
    }

    /// Returns what HEAD stands for.
    pub fn head(&self) -> Result<Head, GitError> {
        let head = self
            .inner
            .find_reference("HEAD")
            .map_err(self.failed("read HEAD"))?;
        let Some(target) = head.symbolic_target_bytes() else {
            let id = head
                .target()
                .ok_or_else(|| git2::Error::from_str("HEAD has no target"))
                .map_err(self.failed("read HEAD"))?;
            return Ok(Head::Detached(id));
        };
        let full = String::from_utf8_lossy(target).into_owned();
        let name = full.strip_prefix("refs/heads/").unwrap_or(&full).to_owned();
        if self.inner.find_reference(&full).is_ok() {
            Ok(Head::Branch(name))
        } else {
            Ok(Head::Unborn(name))
        }
    }

    /// Returns the checked-out branch; `None` when HEAD is detached.
    pub fn current_branch(&self) -> Result<Option<String>, GitError> {
        match self.head()? {
            Head::Branch(name) | Head::Unborn(name) => Ok(Some(name)),
            Head::Detached(_) => Ok(None),
        }
    }

    pub fn branch_exists(&self, branch: &str) -> bool {
        self.ref_target(&format!("refs/heads/{branch}")).is_some()
    }

    /// Returns the full name of the ref that moves when a branch does: another one when the branch is only a name of it
    /// (`git symbolic-ref`).
    pub fn moving_ref(&self, branch: &str) -> String {
        let mut name = format!("refs/heads/{branch}");
        for _ in 0..MOST_NAMES {
            let next = self.inner.find_reference(&name).ok().and_then(|found| {
                let target = found.symbolic_target_bytes()?;
                Some(String::from_utf8_lossy(target).into_owned())
            });
            let Some(next) = next else {
                break;
            };
            name = next;
        }
        name
    }

    /// Returns the commit a local branch points to.
    pub fn branch_tip(&self, branch: &str) -> Result<Oid, GitError> {
        self.ref_target(&format!("refs/heads/{branch}"))
            .ok_or_else(|| self.unknown(branch))
    }

    /// Returns what a full ref name points to, if it exists.
    pub fn ref_target(&self, name: &str) -> Option<Oid> {
        self.inner
            .find_reference(name)
            .and_then(|reference| reference.peel_to_commit())
            .map(|commit| commit.id())
            .ok()
    }

    /// Returns the commit that any revision expression names.
    pub fn commit_of(&self, rev: &str) -> Result<Oid, GitError> {
        self.inner
            .revparse_single(rev)
            .and_then(|object| object.peel_to_commit())
            .map(|commit| commit.id())
            .map_err(|_| self.unknown(rev))
    }

    fn unknown(&self, rev: &str) -> GitError {
        GitError::UnknownRevision {
            path: self.path.clone(),
            rev: rev.to_owned(),
        }
    }

    /// Returns the tree of a commit.
    pub fn tree_of(&self, commit: Oid) -> Result<Oid, GitError> {
        self.inner
            .find_commit(commit)
            .map(|commit| commit.tree_id())
            .map_err(self.failed("read a commit"))
    }

    /// Returns every path whose entry differs between two trees, sorted by path, without renames.
    pub fn changed_paths(&self, old: Oid, new: Oid) -> Result<Vec<ChangedPath>, GitError> {
        let failed = || self.failed("compare trees");
        let old_tree = self.inner.find_tree(old).map_err(failed())?;
        let new_tree = self.inner.find_tree(new).map_err(failed())?;
        let mut options = DiffOptions::new();
        options
            .include_typechange(true)
            .include_typechange_trees(true)
            .ignore_submodules(false)
            .skip_binary_check(true);
        let diff = self
            .inner
            .diff_tree_to_tree(Some(&old_tree), Some(&new_tree), Some(&mut options))
            .map_err(failed())?;
        let mut changed: Vec<ChangedPath> = diff
            .deltas()
            .filter(|delta| delta.status() != Delta::Unmodified)
            .filter_map(|delta| {
                let (old, new) = (delta.old_file(), delta.new_file());
                let path = new.path_bytes().or_else(|| old.path_bytes())?.to_vec();
                Some(ChangedPath {
                    path,
                    old: super::Entry::of_diff_file(&old),
                    new: super::Entry::of_diff_file(&new),
                })
            })
            .collect();
        changed.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(changed)
    }

    /// Returns the names of the files that differ between two commits.
    pub fn changed_files(&self, old: Oid, new: Oid) -> Result<Vec<String>, GitError> {
        let paths = self.changed_paths(self.tree_of(old)?, self.tree_of(new)?)?;
        let mut names: Vec<String> = paths
            .into_iter()
            .map(|changed| path_name(&changed.path))
            .collect();
        names.dedup();
        Ok(names)
    }

    /// Returns the URL of the remote called origin.
    pub fn origin_url(&self) -> Option<String> {
        let config = self.inner.config().ok()?.snapshot().ok()?;
        config
            .get_string("remote.origin.url")
            .ok()
            .filter(|url| !url.is_empty())
    }

    /// Returns the default branch of origin, as last fetched.
    pub fn origin_head(&self) -> Option<String> {
        let reference = self.inner.find_reference("refs/remotes/origin/HEAD").ok()?;
        let target = String::from_utf8_lossy(reference.symbolic_target_bytes()?).into_owned();
        target
            .strip_prefix("refs/remotes/origin/")
            .map(str::to_owned)
    }

    /// Returns the names of local branches that start with `prefix`, sorted.
    pub fn branches_with_prefix(&self, prefix: &str) -> Result<Vec<String>, GitError> {
        let pattern = format!("refs/heads/{prefix}*");
        let references = self
            .inner
            .references_glob(&pattern)
            .map_err(self.failed("list branches"))?;
        let mut names = Vec::new();
        for reference in references {
            let reference = reference.map_err(self.failed("list branches"))?;
            let full = String::from_utf8_lossy(reference.name_bytes()).into_owned();
            if let Some(name) = full.strip_prefix("refs/heads/") {
                names.push(name.to_owned());
            }
        }
        names.sort();
        Ok(names)
    }
}

/// Formats that the library does not read, by what it says about them.
fn unsupported(asked: &Path, error: &git2::Error) -> Option<GitError> {
    let said = error.message();
    let (feature, next) = if said.contains("unknown object format") {
        (
            "object format sha256",
            "use a repository with sha1 objects (`git init --object-format=sha1`; `git fast-export` \
             and `git fast-import` carry a history over)",
        )
    } else if said.contains("extensions.refstorage") {
        (
            "ref format reftable",
            "run `git refs migrate --ref-format=files`",
        )
    } else if said.contains("extensions.partialclone") {
        ("partial clone", "use a clone made without `--filter`")
    } else {
        return None;
    };
    let git_dir = Repository::discover_path(asked, [] as [&Path; 0]).ok();
    let path = match &git_dir {
        Some(dir) if dir.ends_with(".git") => dir.parent().unwrap_or(asked),
        Some(_) | None => asked,
    };
    Some(GitError::Unsupported {
        path: path.to_path_buf(),
        feature,
        next,
    })
}
