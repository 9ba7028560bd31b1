//! The raw configuration tree: scalars as written, with the file and line they came from.
//!
//! Types are decided by whoever asks (`as_bool`, `as_number`, `text`), because the same scalar is
//! a number under one key and a name under another.

use std::path::PathBuf;
use std::rc::Rc;

/// Where a value was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) file: Rc<PathBuf>,
    pub(crate) line: u32,
}

/// One value of the tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Node {
    pub(crate) value: NodeValue,
    pub(crate) place: Place,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum NodeValue {
    Scalar { text: String, quoted: bool },
    List(Vec<Node>),
    Map(Vec<(String, Node)>),
}

impl Node {
    pub(crate) fn entries(&self) -> Option<&[(String, Self)]> {
        match &self.value {
            NodeValue::Map(entries) => Some(entries),
            NodeValue::Scalar { .. } | NodeValue::List(_) => None,
        }
    }

    pub(crate) fn items(&self) -> Option<&[Self]> {
        match &self.value {
            NodeValue::List(items) => Some(items),
            NodeValue::Scalar { .. } | NodeValue::Map(_) => None,
        }
    }

    /// The line of the key counts, not that of the first line below it.
    pub(crate) fn named_at(mut self, line: u32) -> Self {
        self.place.line = line;
        self
    }

    pub(crate) fn child(&self, key: &str) -> Option<&Self> {
        self.entries()?
            .iter()
            .find(|(name, _)| name == key)
            .map(|(_, node)| node)
    }

    /// Returns the scalar as written; `null` and structures are `None`.
    pub(crate) fn text(&self) -> Option<&str> {
        match &self.value {
            NodeValue::Scalar { text, .. } if !self.is_null() => Some(text),
            NodeValue::Scalar { .. } | NodeValue::List(_) | NodeValue::Map(_) => None,
        }
    }

    pub(crate) fn is_null(&self) -> bool {
        self.nothing().is_some()
    }

    /// The word for nothing, if this is one.
    pub(crate) fn nothing(&self) -> Option<&str> {
        self.plain()
            .filter(|word| matches!(*word, "null" | "Null" | "NULL" | "~"))
    }

    pub(crate) fn as_bool(&self) -> Option<bool> {
        match self.plain()? {
            "true" | "True" | "TRUE" => Some(true),
            "false" | "False" | "FALSE" => Some(false),
            _ => None,
        }
    }

    pub(crate) fn as_number(&self) -> Option<f64> {
        let text = self.plain()?;
        let unsigned = text.strip_prefix('-').unwrap_or(text);
        let (integer, fraction) = unsigned.split_once('.').unwrap_or((unsigned, "0"));
        let digits = |part: &str| {
            part.starts_with(|c: char| c.is_ascii_digit())
                && part.chars().all(|c| c.is_ascii_digit() || c == '_')
        };
        if !digits(integer) || !digits(fraction) {
            return None;
        }
        text.replace('_', "").parse().ok()
    }

    /// An unquoted scalar; quoting makes `"true"` a string.
    fn plain(&self) -> Option<&str> {
        match &self.value {
            NodeValue::Scalar {
                text,
                quoted: false,
            } => Some(text),
            NodeValue::Scalar { .. } | NodeValue::List(_) | NodeValue::Map(_) => None,
        }
    }

    /// Lays `over` on top of `self`: maps merge key by key, everything else is replaced.
    pub(crate) fn merge(&mut self, over: Self) {
        match (&mut self.value, over.value) {
            (NodeValue::Map(below), NodeValue::Map(above)) => {
                for (key, node) in above {
                    match below.iter_mut().find(|(name, _)| *name == key) {
                        Some((_, existing)) => existing.merge(node),
                        None => below.push((key, node)),
                    }
                }
            }
            (value, replacement) => {
                *value = replacement;
                self.place = over.place;
            }
        }
    }

    pub(crate) fn remove(&mut self, key: &str) -> Option<Self> {
        let NodeValue::Map(entries) = &mut self.value else {
            return None;
        };
        let index = entries.iter().position(|(name, _)| name == key)?;
        Some(entries.remove(index).1)
    }

    pub(crate) fn insert(&mut self, key: &str, node: Self) {
        if let NodeValue::Map(entries) = &mut self.value {
            entries.retain(|(name, _)| name != key);
            entries.push((key.to_owned(), node));
        }
    }

    pub(crate) fn child_mut(&mut self, key: &str) -> Option<&mut Self> {
        let NodeValue::Map(entries) = &mut self.value else {
            return None;
        };
        entries
            .iter_mut()
            .find(|(name, _)| name == key)
            .map(|(_, node)| node)
    }
}
