//! Keys that nobody asks for: kept in the file, and named once with what was probably meant.
//!
//! There is no second list of keys. Whoever reads a value notes its key here, and what the files
//! hold beyond that is unknown.

use std::cell::RefCell;
use std::collections::BTreeSet;

use super::node::Node;
use crate::text::closest;

/// The dotted keys that have been asked for, and what was odd about their values.
#[derive(Debug, Default)]
pub(crate) struct Asked {
    keys: RefCell<BTreeSet<String>>,
    odd: RefCell<Vec<String>>,
}

impl Asked {
    /// Notes that a key is known.
    pub(crate) fn note(&self, key: &str) {
        self.keys.borrow_mut().insert(key.to_owned());
    }

    /// Notes that a value could be read, but not as it is written.
    pub(crate) fn odd(&self, notice: String) {
        self.odd.borrow_mut().push(notice);
    }

    /// One notice per odd value.
    pub(crate) fn odd_values(&self) -> Vec<String> {
        self.odd.take()
    }

    /// One sentence per key of the tree that was not asked for; what lies below it is not repeated.
    pub(crate) fn unknown(&self, tree: &Node) -> Vec<String> {
        let mut found = Vec::new();
        self.visit(tree, "", &mut found);
        found
    }

    fn visit(&self, node: &Node, path: &str, found: &mut Vec<String>) {
        for (index, item) in node.items().unwrap_or_default().iter().enumerate() {
            self.visit(item, &format!("{path}[{index}]"), found);
        }
        for (name, child) in node.entries().unwrap_or_default() {
            let key = if path.is_empty() {
                name.clone()
            } else {
                format!("{path}.{name}")
            };
            if self.keys.borrow().contains(&key) {
                self.visit(child, &key, found);
            } else {
                found.push(self.notice(&key, path, name, child));
            }
        }
    }

    fn notice(&self, key: &str, path: &str, name: &str, node: &Node) -> String {
        let known = self.keys.borrow();
        let beside = known.iter().filter_map(|key| {
            let (parent, last) = key.rsplit_once('.').unwrap_or(("", key));
            (parent == path).then_some(last)
        });
        let meant = closest(name, beside).map_or_else(String::new, |last| {
            let dot = if path.is_empty() { "" } else { "." };
            format!("; did you mean {path}{dot}{last}?")
        });
        let file = node
            .place
            .file
            .file_name()
            .map(|name| name.to_string_lossy().into_owned())
            .unwrap_or_default();
        format!("{file}:{}: unknown key {key}{meant}", node.place.line)
    }
}
