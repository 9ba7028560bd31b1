//! A tree entry (mode and object) as a value, and reading what it holds.
//! Knows kinds of entries, not what to do when two of them disagree.

use git2::{DiffFile, FileMode, Oid};

use super::error::GitError;
use super::repo::Repo;

/// What a tree entry is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum EntryKind {
    File,
    Executable,
    Symlink,
    Submodule,
}

impl EntryKind {
    /// Reads git's octal mode.
    pub fn from_mode(mode: u32) -> Option<Self> {
        match mode {
            0o100_755 => Some(Self::Executable),
            0o120_000 => Some(Self::Symlink),
            0o160_000 => Some(Self::Submodule),
            // 0100664 was written by early gits.
            0o100_644 | 0o100_664 => Some(Self::File),
            _ => None,
        }
    }

    /// Returns the mode for writing trees.
    pub fn file_mode(self) -> FileMode {
        match self {
            Self::File => FileMode::Blob,
            Self::Executable => FileMode::BlobExecutable,
            Self::Symlink => FileMode::Link,
            Self::Submodule => FileMode::Commit,
        }
    }

    /// Tells whether the entry's object is a file with content to merge.
    pub fn is_regular(self) -> bool {
        match self {
            Self::File | Self::Executable => true,
            Self::Symlink | Self::Submodule => false,
        }
    }
}

/// One entry of a tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Entry {
    pub kind: EntryKind,
    pub id: Oid,
}

impl Entry {
    /// Returns the entry of one side of a diff, or `None` when that side has no such path.
    pub(super) fn of_diff_file(file: &DiffFile<'_>) -> Option<Self> {
        if !file.exists() {
            return None;
        }
        EntryKind::from_mode(u32::from(file.mode())).map(|kind| Self {
            kind,
            id: file.id(),
        })
    }
}

/// Tells whether git would treat the bytes as binary: a NUL near the start.
pub fn is_binary(bytes: &[u8]) -> bool {
    bytes.iter().take(8000).any(|byte| *byte == 0)
}

impl Repo {
    /// Returns how many bytes a blob has, without reading it.
    pub fn blob_size(&self, id: Oid) -> Result<usize, GitError> {
        self.raw()
            .odb()
            .and_then(|odb| odb.read_header(id))
            .map(|(size, _)| size)
            .map_err(self.failed("read the size of a file"))
    }

    /// Returns the bytes of a blob.
    pub fn blob(&self, id: Oid) -> Result<Vec<u8>, GitError> {
        self.raw()
            .find_blob(id)
            .map(|blob| blob.content().to_vec())
            .map_err(self.failed("read a file version"))
    }

    /// Stores bytes as a blob.
    pub fn write_blob(&self, bytes: &[u8]) -> Result<Oid, GitError> {
        self.raw()
            .blob(bytes)
            .map_err(self.failed("store a file version"))
    }

    /// Returns the entry at a path of a tree.
    pub fn entry_at(&self, tree: Oid, path: &[u8]) -> Result<Option<Entry>, GitError> {
        let mut tree = self
            .raw()
            .find_tree(tree)
            .map_err(self.failed("read a tree"))?;
        let mut parts = path.split(|byte| *byte == b'/').peekable();
        while let Some(part) = parts.next() {
            let Some((mode, id)) = tree
                .get_name_bytes(part)
                .map(|entry| (entry.filemode() as u32, entry.id()))
            else {
                return Ok(None);
            };
            if parts.peek().is_none() {
                return Ok(EntryKind::from_mode(mode).map(|kind| Entry { kind, id }));
            }
            match self.raw().find_tree(id) {
                Ok(next) => tree = next,
                // A file where the path needs a directory: there is no such path.
                Err(_) => return Ok(None),
            }
        }
        Ok(None)
    }

    /// Lists the symbolic links of a tree, with all folders in it: their paths, and the blobs of their texts.
    pub fn links_in(&self, tree: Oid) -> Result<Vec<(Vec<u8>, Oid)>, GitError> {
        let mut links = Vec::new();
        let mut folders = vec![(Vec::new(), tree)];
        while let Some((above, tree)) = folders.pop() {
            let tree = self.raw().find_tree(tree);
            let tree = tree.map_err(self.failed("read a tree"))?;
            for entry in &tree {
                let path = || [above.as_slice(), entry.name_bytes()].concat();
                if entry.filemode() == i32::from(FileMode::Tree) {
                    folders.push(([path(), b"/".to_vec()].concat(), entry.id()));
                } else if entry.filemode() == i32::from(FileMode::Link) {
                    links.push((path(), entry.id()));
                }
            }
        }
        Ok(links)
    }

    /// Lists the files of a tree, with all folders in it, that have content to merge.
    pub fn files_in(&self, tree: Oid) -> Result<Vec<(Vec<u8>, Entry)>, GitError> {
        let mut files = Vec::new();
        let mut folders = vec![(Vec::new(), tree)];
        while let Some((above, tree)) = folders.pop() {
            let tree = self.raw().find_tree(tree);
            let tree = tree.map_err(self.failed("read a tree"))?;
            for entry in &tree {
                let path = [above.as_slice(), entry.name_bytes()].concat();
                if entry.filemode() == i32::from(FileMode::Tree) {
                    folders.push(([path, b"/".to_vec()].concat(), entry.id()));
                    continue;
                }
                let kind = EntryKind::from_mode(entry.filemode().cast_unsigned());
                if let Some(kind) = kind.filter(|kind| kind.is_regular()) {
                    let id = entry.id();
                    files.push((path, Entry { kind, id }));
                }
            }
        }
        Ok(files)
    }

    /// Writes a tree that is `tree` with some paths replaced (`Some`) or removed (`None`).
    pub fn tree_with(
        &self,
        tree: Oid,
        changes: &[(Vec<u8>, Option<Entry>)],
    ) -> Result<Oid, GitError> {
        if changes.is_empty() {
            return Ok(tree);
        }
        let baseline = self
            .raw()
            .find_tree(tree)
            .map_err(self.failed("read a tree"))?;
        let mut update = git2::build::TreeUpdateBuilder::new();
        for (path, entry) in changes {
            match entry {
                Some(entry) => {
                    update.upsert(path.as_slice(), entry.id, entry.kind.file_mode());
                }
                // Removing what is not there would be an error.
                None if self.entry_at(tree, path)?.is_none() => {}
                None => {
                    update.remove(path.as_slice());
                }
            }
        }
        update
            .create_updated(self.raw(), &baseline)
            .map_err(self.failed("write the merged tree"))
    }
}
