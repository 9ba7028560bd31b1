//! Names and what they stand for: assignments, patterns, parameters, loops.

use super::super::effects::table;
use super::super::syntax::{Family, Node};
use super::known;
use super::{Inside, PROGRAM, Reader, Value};

impl Reader {
    pub(super) fn bind(&mut self, name: &str, value: Value) {
        if name.is_empty() {
            return;
        }
        // Python calls `__getitem__` and its kin by itself.
        if name.starts_with("__") {
            self.hand_on(&value);
        }
        let before = self.names.remove(name);
        let value = match &before {
            Some(before) => before.clone().or(value.shallow()),
            None => value.shallow(),
        };
        self.late |= self.out.words.contains(name) && before.as_ref() != Some(&value);
        self.names.insert(name.to_owned(), value);
    }

    /// What a name stands for; one that was never bound stands for itself.
    pub(super) fn lookup(&mut self, name: &str) -> Value {
        if !self.out.words.contains(name) {
            self.out.words.insert(name.to_owned());
        }
        match self.names.get(name) {
            Some(value) => value.clone(),
            None => known::constant(name, self.family).unwrap_or_else(|| Value::named(name)),
        }
    }

    pub(super) fn is_bound(&self, name: &str) -> bool {
        self.names.contains_key(name)
    }

    /// Binds what stands left of an assignment.
    pub(super) fn assign(&mut self, left: &[Node], value: &Value) {
        // `@list = ("one")` is a list of one.
        let listed;
        let value = if self.family == Family::Perl
            && left.contains(&Node::Sign("@"))
            && matches!(value, Value::Text(_))
        {
            listed = Value::list(vec![value.clone()]);
            &listed
        } else {
            value
        };
        let names: Vec<&Node> = left
            .iter()
            .filter(|node| match node {
                Node::Sign("*") => self.family == Family::Python,
                Node::Sign(sign) => !matches!(*sign, "$" | "@" | "%" | "&" | "..."),
                Node::Name(word) => !matches!(
                    word.as_str(),
                    "const" | "let" | "var" | "my" | "our" | "local" | "auto"
                ),
                Node::Line => false,
                Node::Number(_)
                | Node::Text(_)
                | Node::Words(_)
                | Node::Run(_)
                | Node::Pattern(_)
                | Node::Group(..) => true,
            })
            .collect();
        match names.as_slice() {
            [Node::Name(name)] => self.bind(name, value.clone()),
            [Node::Group(_, inner)] => self.unpack(inner, value),
            // `name: type = value`
            [Node::Name(name), Node::Sign(":"), ..] if self.family == Family::Python => {
                self.bind(name, value.clone());
            }
            [
                Node::Name(name),
                Node::Group('[' | '{', _) | Node::Sign("." | "->"),
                ..,
            ] => {
                self.hand_on(value);
                self.part_set(name, value);
            }
            _ if names.iter().any(|node| matches!(node, Node::Sign(","))) => {
                let inner: Vec<Node> = names.into_iter().cloned().collect();
                self.unpack(&inner, value);
            }
            _ => self.hand_on(value),
        }
    }

    /// Takes a value apart: `{a: b, c}`, `[a, b]`, `a, b`.
    fn unpack(&mut self, pattern: &[Node], value: &Value) {
        for (at, part) in pattern.split(|node| *node == Node::Sign(",")).enumerate() {
            let rest = matches!(part.first(), Some(Node::Sign("*" | "...")));
            if let ([_, Node::Name(name)], true, Value::List(items)) = (part, rest, value) {
                let more = Value::list(items.iter().skip(at).cloned().collect());
                self.bind(name, more.or(value.shuffled()));
                continue;
            }
            if let ([_, Node::Name(name)], true, Value::OneOf(choices)) = (part, rest, value) {
                let last = pattern.split(|node| *node == Node::Sign(",")).count() == at + 1;
                let lists = choices.iter().all(|one| matches!(one, Value::List(_)));
                let more = if last && lists {
                    Value::any_of(choices.iter().map(|one| Self::from_place(one, at)))
                } else {
                    value.blurred()
                };
                self.bind(name, more);
                continue;
            }
            let part: Vec<&Node> = part
                .iter()
                .filter(|node| {
                    !matches!(node, Node::Line | Node::Sign("$" | "@" | "%" | "..." | "*"))
                })
                .collect();
            match part.as_slice() {
                [Node::Name(key), Node::Sign(":"), Node::Name(name), ..] => {
                    let member = self.part(value, key, at);
                    self.bind(name, member);
                }
                [
                    Node::Text(_) | Node::Name(_),
                    Node::Sign(":"),
                    Node::Group(_, inner),
                ] => {
                    let key = match part.first() {
                        Some(Node::Name(key)) => key.clone(),
                        _ => String::new(),
                    };
                    let member = self.part(value, &key, at);
                    self.unpack(inner, &member);
                }
                [
                    Node::Text(_) | Node::Group('[', _),
                    Node::Sign(":"),
                    Node::Name(name),
                    ..,
                ] => {
                    let key = self.key_text(part.first().copied());
                    match key {
                        Some(key) => {
                            let member = self.part(value, &key, at);
                            self.bind(name, member);
                        }
                        None => {
                            self.hand_on(value);
                            self.bind(name, PROGRAM);
                        }
                    }
                }
                [Node::Name(name), ..] => {
                    let member = self.part(value, name, at);
                    self.bind(name, member);
                }
                [Node::Group(_, inner)] => {
                    let member = self.part(value, "", at);
                    self.unpack(inner, &member);
                }
                _ => {}
            }
        }
    }

    /// The part of a list from one place on.
    fn from_place(list: &Value, at: usize) -> Value {
        if let Value::List(items) = list {
            Value::list(items.iter().skip(at).cloned().collect())
        } else {
            list.blurred()
        }
    }

    fn key_text(&mut self, node: Option<&Node>) -> Option<String> {
        match node {
            Some(Node::Text(parts)) => self.string(parts).as_text().map(str::to_owned),
            Some(Node::Group(_, inner)) => {
                let items = self.group(inner, Inside::List);
                items
                    .first()
                    .and_then(|item| item.value.as_text())
                    .map(str::to_owned)
            }
            _ => None,
        }
    }

    fn part(&mut self, value: &Value, key: &str, at: usize) -> Value {
        match value {
            Value::List(items) => items.get(at).cloned().unwrap_or_else(|| value.blurred()),
            Value::OneOf(choices) if choices.iter().all(|one| matches!(one, Value::List(_))) => {
                let parts: Vec<Value> = choices.iter().map(|one| self.part(one, key, at)).collect();
                Value::any_of(parts)
            }
            Value::Named(_) | Value::Map(_) | Value::OneOf(_) => self.member(value, key),
            other @ (Value::Text(_)
            | Value::Unknown(_)
            | Value::Path(_)
            | Value::Method(_)
            | Value::Function) => other.blurred(),
        }
    }

    /// Parameters: the first one is what the caller is known to give, those of a helper what its calls give, the others
    /// may be anything.
    pub(super) fn parameters(&mut self, nodes: &[Node]) {
        let mut incoming = self.incoming.take();
        let function = self.helpers.naming.take();
        for part in nodes.split(|node| *node == Node::Sign(",")) {
            let default = self.default_of(part);
            for node in part {
                match node {
                    Node::Name(name)
                        if matches!(name.as_str(), "const" | "let" | "async" | "my") => {}
                    Node::Name(name) => {
                        let given = function.as_ref().and_then(|f| self.given(f, name));
                        let value = match given {
                            Some(given) => match default {
                                Some(default) => given.or(default),
                                None => given,
                            },
                            None => incoming.take().unwrap_or(PROGRAM),
                        };
                        self.bind(name, value);
                        break;
                    }
                    Node::Group(_, inner) => {
                        let value = incoming.take().unwrap_or(PROGRAM);
                        self.renamed(inner);
                        self.unpack(inner, &value);
                        break;
                    }
                    Node::Sign("=") => break,
                    Node::Number(_)
                    | Node::Text(_)
                    | Node::Words(_)
                    | Node::Run(_)
                    | Node::Pattern(_)
                    | Node::Sign(_)
                    | Node::Line => {}
                }
            }
        }
    }

    /// `{rmSync: r}` as a parameter: the new name stands for the old one, whatever is passed.
    pub(super) fn renamed(&mut self, pattern: &[Node]) {
        if self.family != Family::JavaScript {
            return;
        }
        for window in pattern.windows(3) {
            if let [Node::Name(key), Node::Sign(":"), Node::Name(name)] = window
                && table::is_distinct(key)
                && !self.is_bound(name)
            {
                self.bind(name, Value::named(key));
            }
        }
    }

    /// What one turn of a loop over a value gets.
    pub(super) fn element(value: &Value) -> Value {
        if value.choices().is_empty() {
            return value.clone();
        }
        Value::any_of(value.choices().iter().map(|choice| {
            if let Value::List(items) = choice {
                Value::any_of(items.iter().cloned())
            } else {
                choice.blurred()
            }
        }))
    }
}
