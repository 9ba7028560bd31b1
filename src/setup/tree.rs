//! What a repository's build files say: the few files that name build systems, with their text.
//!
//! Reading is bounded in depth and number, and leaves out folders whose build files are not the
//! project's own (dependencies, build results, examples, other repositories). Everything that
//! decides something looks at the value, so it can be tested with tables.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crate::platform::fs;
use crate::process::find_program;

/// Files that are looked at; others are not even opened.
const MARKERS: &[&str] = &[
    "Cargo.toml",
    "package.json",
    "package-lock.json",
    "pnpm-lock.yaml",
    "pnpm-workspace.yaml",
    "yarn.lock",
    "bun.lock",
    "bun.lockb",
    "pyproject.toml",
    "setup.py",
    "setup.cfg",
    "pytest.ini",
    "tox.ini",
    "conftest.py",
    "mypy.ini",
    ".mypy.ini",
    "ruff.toml",
    ".ruff.toml",
    "requirements.txt",
    "requirements-dev.txt",
    "uv.lock",
    "poetry.lock",
    "pdm.lock",
    "Pipfile",
    "go.mod",
    "Makefile",
    "makefile",
    "GNUmakefile",
    "CMakeLists.txt",
];

/// Lock files can be large and only their presence matters.
const PRESENCE_ONLY: &[&str] = &[
    "package-lock.json",
    "pnpm-lock.yaml",
    "yarn.lock",
    "bun.lock",
    "bun.lockb",
    "uv.lock",
    "poetry.lock",
    "pdm.lock",
];

/// Folders whose build files do not describe how this project is checked.
const FOREIGN: &[&str] = &[
    "node_modules",
    "target",
    "vendor",
    "third_party",
    "dist",
    "build",
    "out",
    "venv",
    "env",
    "__pycache__",
    "site-packages",
    "examples",
    "example",
    "fixtures",
    "testdata",
    "templates",
];

/// Programs that decide whether a gate can run at all.
const PROGRAMS: &[&str] = &["cargo", "cargo-clippy", "cargo-fmt"];

/// Levels below the root: `services/api/web` is the deepest.
const DEPTH: usize = 3;
/// Folders entered; a repository with more is judged by those that come first.
const FOLDERS: usize = 2_000;
/// A build file is never larger.
const FILE_BYTES: u64 = 512 * 1024;

/// The build files of a repository, by path relative to its root with forward slashes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tree {
    files: BTreeMap<String, String>,
    /// Files that are there and could not be read, with the reason.
    unread: BTreeMap<String, String>,
    programs: BTreeSet<String>,
}

impl Tree {
    /// Reads the build files below `root` and looks the deciding programs up on `search_path`.
    pub fn read(root: &Path, search_path: Option<&str>) -> Self {
        let mut tree = Self::default();
        let mut open = vec![(String::new(), 0)];
        let mut entered = 0;
        while let Some((folder, depth)) = open.pop() {
            entered += 1;
            if entered > FOLDERS {
                break;
            }
            let (files, folders) = entries(&root.join(&folder));
            // Another repository has its own rules; a submodule has a file of that name.
            if depth > 0 && files.iter().chain(&folders).any(|name| name == ".git") {
                continue;
            }
            for name in files
                .into_iter()
                .filter(|name| MARKERS.contains(&name.as_str()))
            {
                let path = join(&folder, &name);
                let text = marker_text(&root.join(&path), &name);
                tree.take(path, text);
            }
            if depth < DEPTH {
                let inside = folders
                    .into_iter()
                    .rev()
                    .filter(|name| !name.starts_with('.') && !FOREIGN.contains(&name.as_str()));
                open.extend(inside.map(|name| (join(&folder, &name), depth + 1)));
            }
        }
        tree.programs = PROGRAMS
            .iter()
            .filter(|name| find_program(name, search_path).is_some())
            .map(|name| (*name).to_owned())
            .collect();
        tree
    }

    /// A tree of the given files and available programs.
    pub fn of(files: &[(&str, &str)], programs: &[&str]) -> Self {
        Self {
            files: files
                .iter()
                .map(|(path, text)| ((*path).to_owned(), (*text).to_owned()))
                .collect(),
            unread: BTreeMap::new(),
            programs: programs.iter().map(|name| (*name).to_owned()).collect(),
        }
    }

    fn take(&mut self, path: String, text: Result<String, String>) {
        let wrong = match &text {
            Ok(text) => mistake(&path, text),
            Err(reason) => Some(reason.clone()),
        };
        if let Some(reason) = wrong {
            self.unread.insert(path.clone(), reason);
        }
        // A file with a mistake is still there.
        if let Ok(text) = text {
            self.files.insert(path, text);
        }
    }

    /// Files that are there and could not be understood, each with the reason.
    pub fn unread(&self) -> Vec<String> {
        let unread = self.unread.iter();
        unread
            .map(|(path, reason)| format!("{path}: {reason}"))
            .collect()
    }

    /// Folders that hold build files, the root (an empty name) and shallow ones first.
    pub(super) fn folders(&self) -> Vec<&str> {
        let mut found: Vec<&str> = self
            .files
            .keys()
            .map(|path| path.rsplit_once('/').map_or("", |(folder, _)| folder))
            .collect();
        found.sort_by_key(|folder| (folder.split('/').count(), !folder.is_empty(), *folder));
        found.dedup();
        found
    }

    /// The text of a file in a folder.
    pub(super) fn text(&self, folder: &str, name: &str) -> Option<&str> {
        self.files.get(&join(folder, name)).map(String::as_str)
    }

    /// Whether a folder holds a file of that name.
    pub(super) fn has(&self, folder: &str, name: &str) -> bool {
        self.text(folder, name).is_some()
    }

    /// Files of that name below a folder, the folder itself left out.
    pub(super) fn below<'a>(
        &'a self,
        folder: &'a str,
        name: &'a str,
    ) -> impl Iterator<Item = &'a str> {
        self.files.iter().filter_map(move |(path, text)| {
            let (holder, file) = path.rsplit_once('/')?;
            let inside = folder.is_empty() || holder.starts_with(&format!("{folder}/"));
            (file == name && inside).then_some(text.as_str())
        })
    }

    /// Whether a program is available.
    pub(super) fn can_run(&self, program: &str) -> bool {
        self.programs.contains(program)
    }
}

fn join(folder: &str, name: &str) -> String {
    if folder.is_empty() {
        name.to_owned()
    } else {
        format!("{folder}/{name}")
    }
}

/// Names of the files and of the real folders in a folder, sorted; links are not followed.
fn entries(path: &Path) -> (Vec<String>, Vec<String>) {
    let (mut files, mut folders) = (Vec::new(), Vec::new());
    for entry in std::fs::read_dir(path)
        .into_iter()
        .flatten()
        .filter_map(Result::ok)
    {
        let Ok(name) = entry.file_name().into_string() else {
            continue;
        };
        match entry.file_type() {
            Ok(kind) if kind.is_dir() => folders.push(name),
            Ok(kind) if kind.is_file() => files.push(name),
            Ok(_) | Err(_) => {}
        }
    }
    files.sort();
    folders.sort();
    (files, folders)
}

/// The text of a file without a byte order mark, or why there is none.
fn marker_text(path: &Path, name: &str) -> Result<String, String> {
    if PRESENCE_ONLY.contains(&name) {
        return Ok(String::new());
    }
    if std::fs::metadata(path).is_ok_and(|meta| meta.len() > FILE_BYTES) {
        return Err(format!("larger than {} KiB", FILE_BYTES / 1024));
    }
    let text = fs::read(path).map_err(|error| error.source.to_string())?;
    Ok(text.strip_prefix('\u{feff}').unwrap_or(&text).to_owned())
}

/// Why the text of a build file means nothing to those who use it; only of formats that are known.
fn mistake(path: &str, text: &str) -> Option<String> {
    let name = path.rsplit('/').next().unwrap_or(path);
    let reason = match name {
        "package.json" => crate::text::read_json::<serde_json::Value>(text)
            .err()?
            .to_string(),
        "Cargo.toml" | "pyproject.toml" | "ruff.toml" | ".ruff.toml" | "Pipfile" => {
            let error = toml::from_str::<toml::Table>(text).err()?;
            let at = error.span().and_then(|span| text.get(..span.start));
            let line = at.map_or(1, |before| before.matches('\n').count() + 1);
            format!("line {line}: {}", error.message())
        }
        _ => return None,
    };
    Some(reason)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_byte_order_mark_is_no_part_of_a_file_and_what_cannot_be_read_is_named() {
        let dir = tempfile::tempdir().unwrap();
        let write = |path: &str, text: &[u8]| std::fs::write(dir.path().join(path), text).unwrap();
        write(
            "package.json",
            b"\xef\xbb\xbf{\"scripts\":{\"test\":\"x\"}}",
        );
        write("Cargo.toml", b"[workspace]\n[package");
        write("go.mod", b"module \xff\xfe");
        write("pyproject.toml", b"\xef\xbb\xbf[tool.ruff]\n");
        write("Makefile", &vec![b'#'; 600 * 1024]);
        let tree = Tree::read(dir.path(), Some(""));
        assert!(tree.text("", "package.json").unwrap().starts_with('{'));
        assert!(tree.text("", "pyproject.toml").unwrap().starts_with('['));
        let unread = tree.unread();
        assert_eq!(unread.len(), 3, "{unread:?}");
        assert!(unread[0].starts_with("Cargo.toml: line 2: "), "{unread:?}");
        assert_eq!(unread[1], "Makefile: larger than 512 KiB");
        assert!(
            unread[2].starts_with("go.mod: line 1 is not UTF-8"),
            "{unread:?}"
        );
        write("package.json", b"{ not json");
        let unread = Tree::read(dir.path(), Some("")).unread();
        assert!(unread[3].starts_with("package.json: "), "{unread:?}");
    }

    #[test]
    fn only_the_projects_own_build_files_are_read() {
        let dir = tempfile::tempdir().unwrap();
        let write = |path: &str| {
            let path = dir.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, "x").unwrap();
        };
        for path in [
            "Makefile",
            "src/notes.txt",
            "web/package.json",
            "web/node_modules/left-pad/package.json",
            "services/api/v1/go.mod",
            "services/api/v1/deep/go.mod",
            "sub/.git",
            "sub/Cargo.toml",
            ".hidden/Cargo.toml",
            "examples/one/Cargo.toml",
        ] {
            write(path);
        }
        let tree = Tree::read(dir.path(), Some(""));
        assert_eq!(tree.folders(), ["", "web", "services/api/v1"]);
        assert!(!tree.can_run("cargo"));
    }
}
