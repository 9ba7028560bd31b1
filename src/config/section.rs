//! One map of the raw tree, read key by key: a value of the wrong type is an error naming its line.

use super::error::ConfigError;
use super::node::{Node, NodeValue};
use super::unknown::Asked;

/// What reading a value gives.
pub(super) type Outcome<T = ()> = Result<T, ConfigError>;

/// A map of the tree with its dotted path; absent maps behave as empty ones.
pub(super) struct Section<'a> {
    node: Option<&'a Node>,
    path: String,
    asked: &'a Asked,
}

impl<'a> Section<'a> {
    /// The whole tree; every key that is asked for is noted in `asked`.
    pub(super) fn whole(tree: &'a Node, asked: &'a Asked) -> Self {
        Self {
            node: Some(tree),
            path: String::new(),
            asked,
        }
    }

    fn key(&self, name: &str) -> String {
        if self.path.is_empty() {
            name.to_owned()
        } else {
            format!("{}.{name}", self.path)
        }
    }

    /// One item of the list `name`.
    pub(super) fn item(&self, name: &str, index: usize, item: &'a Node) -> Self {
        Self {
            node: Some(item),
            path: self.key(&format!("{name}[{index}]")),
            asked: self.asked,
        }
    }

    /// Counts a key as known without reading it.
    pub(super) fn knows(&self, name: &str) {
        self.asked.note(&self.key(name));
    }

    pub(super) fn value(&self, name: &str) -> Option<&'a Node> {
        self.knows(name);
        self.node?.child(name).filter(|node| !node.is_null())
    }

    pub(super) fn entries(&self) -> &'a [(String, Node)] {
        self.node.and_then(Node::entries).unwrap_or_default()
    }

    /// Error about a key, with the place of its value or else of the section.
    pub(super) fn invalid(&self, name: &str, rule: &str) -> ConfigError {
        let key = self.key(name);
        let value = self.value(name);
        let place = value.or(self.node).map(|node| &node.place);
        let found = match value.map(|node| &node.value) {
            Some(NodeValue::Scalar { text, .. }) => format!(", not \"{text}\""),
            Some(NodeValue::List(_)) => ", not a list".to_owned(),
            Some(NodeValue::Map(_)) => ", not a map".to_owned(),
            None => ", and is missing".to_owned(),
        };
        ConfigError::Invalid {
            reason: format!("{key} {rule}{found}"),
            key,
            at: place.map(|place| (place.file.to_path_buf(), place.line)),
        }
    }

    /// Error about one item of a list.
    pub(super) fn invalid_item(
        &self,
        name: &str,
        item: &Node,
        text: &str,
        rule: &str,
    ) -> ConfigError {
        let key = self.key(name);
        ConfigError::Invalid {
            reason: format!("{key}: \"{text}\" {rule}"),
            key,
            at: Some((item.place.file.to_path_buf(), item.place.line)),
        }
    }

    /// Tells of one item of a list that it does not do what it says.
    pub(super) fn odd_item(&self, name: &str, item: &Node, text: &str, why: &str) {
        let place = &item.place;
        let file = place.file.file_name().unwrap_or_default().to_string_lossy();
        self.asked.odd(format!(
            "[overstory] WARNING: {file}:{}: {}: \"{text}\" {why}",
            place.line,
            self.key(name)
        ));
    }

    pub(super) fn section(&self, name: &str) -> Outcome<Self> {
        let node = self.value(name);
        if node.is_some_and(|node| node.entries().is_none()) {
            return Err(self.invalid(name, "must be a map of indented \"key: value\" lines"));
        }
        Ok(Self {
            node,
            path: self.key(name),
            asked: self.asked,
        })
    }

    pub(super) fn list(&self, name: &str) -> Outcome<Option<&'a [Node]>> {
        let Some(node) = self.value(name) else {
            return Ok(None);
        };
        if node.entries().is_some_and(<[_]>::is_empty) {
            return Ok(Some(&[]));
        }
        let rule = "must be a list, one \"- item\" per line";
        node.items()
            .map(Some)
            .ok_or_else(|| self.invalid(name, rule))
    }

    pub(super) fn text(&self, name: &str, target: &mut String) -> Outcome {
        let Some(node) = self.value(name) else {
            return Ok(());
        };
        if node.entries().is_some_and(<[_]>::is_empty) {
            return Ok(());
        }
        let text = node
            .text()
            .ok_or_else(|| self.invalid(name, "must be a string"))?;
        text.clone_into(target);
        Ok(())
    }

    pub(super) fn required_text(&self, name: &str) -> Outcome<String> {
        let mut text = String::new();
        self.text(name, &mut text)?;
        if text.is_empty() {
            return Err(self.invalid(name, "must be a non-empty string"));
        }
        Ok(text)
    }

    pub(super) fn text_map(&self) -> Outcome<Vec<(String, String)>> {
        let mut pairs = Vec::new();
        for (name, _) in self.entries() {
            let mut text = String::new();
            self.text(name, &mut text)?;
            pairs.push((name.clone(), text));
        }
        Ok(pairs)
    }

    pub(super) fn flag(&self, name: &str, target: &mut bool) -> Outcome {
        if let Some(node) = self.value(name) {
            *target = node
                .as_bool()
                .ok_or_else(|| self.invalid(name, "must be true or false"))?;
        }
        Ok(())
    }

    /// A switch that ov does not check: words that say plainly what is meant are taken for it, and
    /// told; what says nothing is refused.
    pub(super) fn switch(&self, name: &str, target: &mut bool) -> Outcome {
        let Some(node) = self.value(name) else {
            return Ok(());
        };
        let text = node.text().unwrap_or_default();
        *target = match (node.as_bool(), text.to_ascii_lowercase().as_str()) {
            (Some(value), _) => {
                *target = value;
                return Ok(());
            }
            (None, "true" | "yes" | "on" | "1") => true,
            (None, "false" | "no" | "off" | "0") => false,
            (None, _) => return Err(self.invalid(name, "must be true or false")),
        };
        let place = &node.place;
        let file = place.file.file_name().unwrap_or_default().to_string_lossy();
        self.asked.odd(format!(
            "[overstory] WARNING: {file}:{}: {} should be true or false, not \"{text}\"; taken as {target}",
            place.line,
            self.key(name)
        ));
        Ok(())
    }

    pub(super) fn count(&self, name: &str, least: u32, rule: &str, target: &mut u32) -> Outcome {
        let Some(node) = self.value(name) else {
            return Ok(());
        };
        let number = node.as_number().filter(|number| {
            number.fract() == 0.0 && (f64::from(least)..=f64::from(u32::MAX)).contains(number)
        });
        *target = number.ok_or_else(|| self.invalid(name, rule))? as u32;
        Ok(())
    }

    pub(super) fn millis(
        &self,
        name: &str,
        fits: impl Fn(f64) -> bool,
        rule: &str,
        target: &mut u64,
    ) -> Outcome {
        let Some(node) = self.value(name) else {
            return Ok(());
        };
        let number = node.as_number().filter(|number| fits(*number));
        *target = number.ok_or_else(|| self.invalid(name, rule))? as u64;
        Ok(())
    }

    pub(super) fn choice<T: Copy>(
        &self,
        name: &str,
        all: &[T],
        label: fn(T) -> &'static str,
        target: &mut T,
    ) -> Outcome {
        let Some(node) = self.value(name) else {
            return Ok(());
        };
        let found = node
            .text()
            .and_then(|text| all.iter().find(|item| label(**item) == text));
        let Some(found) = found else {
            let names: Vec<&str> = all.iter().map(|item| label(*item)).collect();
            return Err(self.invalid(name, &format!("must be one of: {}", names.join(", "))));
        };
        *target = *found;
        Ok(())
    }
}
