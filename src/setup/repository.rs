//! Looks at the repository that is to become a project, and refuses what agents could not work on.

use std::path::{Path, PathBuf};

use super::error::SetupError;
use super::gates;
use super::tree::Tree;
use crate::config::{self, QualityGate};
use crate::git::{GitError, Head, Repo};
use crate::process::find_program;

/// Agent CLIs, with the runtime each one is, in order of preference.
pub const RUNTIMES: [(&str, &str); 7] = [
    ("claude", "claude"),
    ("copilot", "copilot"),
    ("gemini", "gemini"),
    ("opencode", "opencode"),
    ("sp", "sapling"),
    ("pi", "pi"),
    ("codex", "codex"),
];

/// Found like the others, but never chosen for a new project.
const NOT_BY_DEFAULT: &str = "codex";

/// What a repository says about itself.
#[derive(Debug, Clone)]
pub struct Facts {
    /// Root of the main checkout.
    pub root: PathBuf,
    /// Where the question was asked, when that is a folder inside the root.
    pub inside: Option<PathBuf>,
    /// Project name.
    pub name: String,
    /// Branch that work lands on.
    pub branch: String,
    /// Whether that branch is in this repository; a clone of another branch knows it only of its origin.
    pub is_local: bool,
    /// Runtimes whose CLI is installed, in order of preference.
    pub runtimes: Vec<&'static str>,
    /// Proposed gates.
    pub gates: Vec<QualityGate>,
    /// Build files that are there and could not be understood, with the reason.
    pub unread: Vec<String>,
}

impl Facts {
    /// The runtime a new project is given: the first one that is installed, as the contract ranks
    /// them, else claude.
    pub fn default_runtime(&self) -> &'static str {
        let mut ranked = self.runtimes.iter().copied();
        ranked
            .find(|name| *name != NOT_BY_DEFAULT)
            .unwrap_or("claude")
    }
}

/// Looks at the repository around `start`; `name` overrides what it is called.
pub fn inspect(
    start: &Path,
    name: Option<&str>,
    search_path: Option<&str>,
) -> Result<Facts, SetupError> {
    let repo = usable(start)?;
    let root = main_root(start, &repo)?;
    config::refuse_odd_path(&root)?;
    let current = match repo.head()? {
        Head::Branch(name) => {
            // A repository that has lost its objects still knows their names.
            if let Err(error) = repo
                .commit_of("HEAD")
                .and_then(|commit| repo.tree_of(commit))
            {
                return Err(SetupError::refused(
                    format!(
                        "the last commit of {name} cannot be read, so {} is broken ({error})",
                        repo.git_dir().display()
                    ),
                    "next: git fsck, then repair it or take a new clone",
                ));
            }
            name
        }
        Head::Detached(_) | Head::Unborn(_) => {
            return Err(SetupError::refused(
                format!(
                    "HEAD of {} is detached, so there is no branch that work could land on",
                    root.display()
                ),
                "next: git switch <branch>, then grove init",
            ));
        }
    };
    let branch = repo.origin_head().unwrap_or(current);
    let tree = Tree::read(&root, search_path);
    Ok(Facts {
        inside: inside(start, &root),
        name: chosen_name(name, &repo, &root)?,
        is_local: repo.branch_exists(&branch),
        branch,
        runtimes: RUNTIMES
            .iter()
            .filter(|(program, _)| find_program(program, search_path).is_some())
            .map(|(_, runtime)| *runtime)
            .collect(),
        gates: gates::detect(&tree),
        unread: tree.unread(),
        root,
    })
}

fn usable(start: &Path) -> Result<Repo, SetupError> {
    if !start.is_dir() {
        return Err(SetupError::refused(
            format!("{} is not a folder", start.display()),
            "name an existing folder inside a git repository",
        ));
    }
    let error = match Repo::discover(start) {
        Ok(repo) => return Ok(repo),
        Err(error) => error,
    };
    if let GitError::ForeignOwner { path } = &error {
        let path = path.display();
        return Err(SetupError::refused(
            format!("{path} belongs to another user, so git does not trust it"),
            format!("next: git config --global --add safe.directory {path}, then grove init"),
        ));
    }
    if let GitError::Unsupported {
        path,
        feature,
        next,
    } = &error
    {
        return Err(SetupError::refused(
            format!(
                "the repository at {} is stored in a way that grove cannot read ({feature})",
                path.display()
            ),
            format!("next: {next}, then grove init"),
        ));
    }
    if let GitError::NotARepository { .. } = &error {
        return Err(SetupError::refused(
            format!(
                "{} is not in a git repository; agents work on branches",
                start.display()
            ),
            "next: git init && git add -A && git commit --allow-empty -m 'first commit', then grove init",
        ));
    }
    if let GitError::Broken { git, why } = &error {
        return Err(SetupError::refused(
            format!(
                "{} is there, but it is not a usable repository ({why})",
                git.display()
            ),
            "next: repair it, or take a new clone; git init would not bring its history back",
        ));
    }
    Err(error.into())
}

fn main_root(start: &Path, repo: &Repo) -> Result<PathBuf, SetupError> {
    if repo.is_bare() {
        return Err(SetupError::refused(
            format!(
                "{} is a bare repository; agents need files to work on",
                start.display()
            ),
            "next: git clone it, or git worktree add <folder> <branch>, and run grove init there",
        ));
    }
    let Some(root) = repo.main_root() else {
        return Err(SetupError::refused(
            format!(
                "{} is a linked worktree, and its repository does not say where the main checkout is",
                start.display()
            ),
            "next: run grove init in the main checkout",
        ));
    };
    // Without the separator at the end that git adds.
    let root: PathBuf = root.components().collect();
    if repo.is_linked_worktree() {
        return Err(SetupError::refused(
            format!(
                "{} is a linked worktree of {}",
                start.display(),
                root.display()
            ),
            format!("next: cd {} && grove init", root.display()),
        ));
    }
    if repo.is_empty() {
        return Err(SetupError::refused(
            format!(
                "{} has no commits yet; an agent's branch has to start from one",
                root.display()
            ),
            "next: git add -A && git commit --allow-empty -m 'first commit', then grove init",
        ));
    }
    Ok(root)
}

fn inside(start: &Path, root: &Path) -> Option<PathBuf> {
    let start = start.canonicalize().ok()?;
    let root = root.canonicalize().ok()?;
    let inner = start.strip_prefix(root).ok()?;
    (!inner.as_os_str().is_empty()).then(|| inner.to_owned())
}

/// The given name, else the last part of origin's URL, else the folder's name.
fn chosen_name(given: Option<&str>, repo: &Repo, root: &Path) -> Result<String, SetupError> {
    if let Some(name) = given {
        let name = name.trim();
        if name.is_empty() || name.chars().any(char::is_control) {
            return Err(SetupError::refused(
                "--name must be one line of text",
                "leave it out to use the repository's name",
            ));
        }
        return Ok(name.to_owned());
    }
    let from_url = repo.origin_url().and_then(|url| {
        let last = url
            .trim_end_matches('/')
            .rsplit(['/', ':'])
            .next()?
            .trim_end_matches(".git")
            .to_owned();
        (!last.is_empty()).then_some(last)
    });
    Ok(from_url.unwrap_or_else(|| {
        root.file_name().map_or_else(
            || "project".into(),
            |name| name.to_string_lossy().into_owned(),
        )
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codex_is_found_but_not_chosen() {
        let default = |runtimes: &[&'static str]| {
            Facts {
                root: PathBuf::new(),
                inside: None,
                name: String::new(),
                branch: String::new(),
                is_local: true,
                runtimes: runtimes.to_vec(),
                gates: Vec::new(),
                unread: Vec::new(),
            }
            .default_runtime()
        };
        assert_eq!(default(&[]), "claude");
        assert_eq!(default(&["codex"]), "claude");
        assert_eq!(default(&["gemini", "codex"]), "gemini");
    }
}
