//! A repository for three versions of one file.

use git2::{Repository, Signature};

use crate::git::{Oid, Repo};

pub(super) struct Repository3 {
    raw: Repository,
    pub(super) repo: Repo,
    who: Signature<'static>,
    _dir: tempfile::TempDir,
}

impl Repository3 {
    pub(super) fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let raw = Repository::init(dir.path()).unwrap();
        let repo = Repo::open(dir.path()).unwrap();
        let who = Signature::new("t", "t@example.org", &git2::Time::new(1, 0)).unwrap();
        Self {
            raw,
            repo,
            who,
            _dir: dir,
        }
    }

    pub(super) fn commit(&self, content: &[u8], parent: Option<Oid>) -> Oid {
        let blob = self.raw.blob(content).unwrap();
        let mut tree = self.raw.treebuilder(None).unwrap();
        tree.insert("f", blob, 0o100_644).unwrap();
        let tree = self.raw.find_tree(tree.write().unwrap()).unwrap();
        let parent = parent.map(|id| self.raw.find_commit(id).unwrap());
        let parents: Vec<_> = parent.iter().collect();
        self.raw
            .commit(None, &self.who, &self.who, "c", &tree, &parents)
            .unwrap()
    }

    pub(super) fn text(&self, tree: Oid) -> Vec<u8> {
        let entry = self.repo.entry_at(tree, b"f").unwrap().unwrap();
        self.repo.blob(entry.id).unwrap()
    }
}
