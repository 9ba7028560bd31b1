//! What a build system sees of the tree, and what it answers.

use super::super::tree::Tree;

/// One folder of the tree.
pub(super) struct View<'a> {
    pub(super) tree: &'a Tree,
    pub(super) folder: &'a str,
}

impl<'a> View<'a> {
    pub(super) fn text(&self, name: &str) -> Option<&'a str> {
        self.tree.text(self.folder, name)
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.tree.has(self.folder, name)
    }

    pub(super) fn has_any(&self, names: &[&str]) -> bool {
        names.iter().any(|name| self.has(name))
    }
}

/// A gate before it is named and placed.
pub(super) struct Gate {
    pub(super) name: &'static str,
    /// Program, to tell gates of the same name in the same folder apart.
    pub(super) tool: &'static str,
    pub(super) command: String,
    pub(super) description: &'static str,
}

pub(super) fn gate(
    name: &'static str,
    tool: &'static str,
    command: impl Into<String>,
    description: &'static str,
) -> Gate {
    Gate {
        name,
        tool,
        command: command.into(),
        description,
    }
}

pub(super) const TESTS_PASS: &str = "all tests must pass";
pub(super) const NO_ERRORS: &str = "zero errors";
pub(super) const NO_WARNINGS: &str = "no warnings";
pub(super) const NO_TYPE_ERRORS: &str = "no type errors";
