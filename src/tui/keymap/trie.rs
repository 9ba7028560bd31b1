//! A tree of key sequences whose leaves are bindings.
//!
//! Insertion order is kept, so that listings come out in the order the keys were written in.

use super::Key;
use crate::tui::action::Action;

/// What a key sequence does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Binding {
    pub action: Action,
    /// The short word hints show.
    pub desc: String,
    /// Place in the hint bar, if it belongs there.
    pub hint: Option<u8>,
}

/// What a sequence typed so far amounts to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Lookup<'a> {
    Run(&'a Binding),
    /// More keys are needed.
    Pending,
    Unbound,
}

/// A node of the tree.
#[derive(Debug, Clone, Default)]
pub(crate) struct Trie {
    binding: Option<Binding>,
    children: Vec<(Key, Self)>,
}

impl Trie {
    /// Binds a sequence, replacing what it and everything below it was bound to.
    pub(crate) fn bind(&mut self, keys: &[Key], binding: Binding) {
        let mut node = self;
        for key in keys {
            node.binding = None;
            let at = match node.children.iter().position(|(k, _)| k == key) {
                Some(at) => at,
                None => {
                    node.children.push((*key, Self::default()));
                    node.children.len() - 1
                }
            };
            let Some((_, child)) = node.children.get_mut(at) else {
                return;
            };
            node = child;
        }
        node.children.clear();
        node.binding = Some(binding);
    }

    /// Removes the binding of a sequence and everything below it.
    pub(crate) fn unbind(&mut self, keys: &[Key]) {
        let Some((last, path)) = keys.split_last() else {
            return;
        };
        let mut node = self;
        for key in path {
            match node.children.iter_mut().find(|(k, _)| k == key) {
                Some((_, child)) => node = child,
                None => return,
            }
        }
        node.children.retain(|(k, _)| k != last);
    }

    /// Follows a sequence.
    pub(crate) fn lookup(&self, keys: &[Key]) -> Lookup<'_> {
        let mut node = self;
        for key in keys {
            match node.children.iter().find(|(k, _)| k == key) {
                Some((_, child)) => node = child,
                None => return Lookup::Unbound,
            }
        }
        match &node.binding {
            Some(binding) => Lookup::Run(binding),
            None if node.children.is_empty() => Lookup::Unbound,
            None => Lookup::Pending,
        }
    }

    /// Lists every bound sequence.
    pub(crate) fn list(&self) -> Vec<(Vec<Key>, &Binding)> {
        let mut found = Vec::new();
        self.collect(&mut Vec::new(), &mut found);
        found
    }

    fn collect<'a>(&'a self, path: &mut Vec<Key>, found: &mut Vec<(Vec<Key>, &'a Binding)>) {
        if let Some(binding) = &self.binding {
            found.push((path.clone(), binding));
        }
        for (key, child) in &self.children {
            path.push(*key);
            child.collect(path, found);
            path.pop();
        }
    }
}
