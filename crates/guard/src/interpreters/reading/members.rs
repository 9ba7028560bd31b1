//! Members and elements of values: of modules, of the environment, of lists and maps.

use super::super::effects::table;
use super::super::syntax::Family;
use super::known::module;
use super::lexical::{listing, parent};
use super::{Item, PROGRAM, Reader, Source, Value};

impl Reader {
    /// Remembers a module that is brought in.
    pub(super) fn imported(&mut self, name: &str) {
        let plain = name.trim_start_matches("node:").trim_start_matches('.');
        let first = plain.split(['/', '.']).next().unwrap_or(plain);
        self.out.imports.insert(first.to_owned());
    }

    /// A variable of the environment.
    pub(super) fn environment(name: &str) -> Value {
        match name {
            "HOME" | "USERPROFILE" => Value::home(),
            "PWD" | "INIT_CWD" => Value::text("."),
            _ => Value::Unknown(Source::Outside),
        }
    }

    /// The member of a value.
    pub(super) fn member(&mut self, value: &Value, name: &str) -> Value {
        if !self.out.words.contains(name) {
            self.out.words.insert(name.to_owned());
        }
        match value {
            Value::OneOf(values) => {
                let members = values.iter().map(|value| self.member(value, name));
                Value::any_of(members)
            }
            Value::Named(owner) => self.named_member(owner, name),
            Value::Map(pairs) => match pairs.iter().find(|(key, _)| key == name) {
                Some((_, value)) => value.clone(),
                None => Value::Method((value.clone(), name.to_owned()).into()),
            },
            Value::Path(inner) => match (name, inner.as_text()) {
                ("parent", Some(text)) => Value::path(Value::text(&parent(text))),
                ("parent", None) => Value::path(Value::Unknown(inner.source().max(Source::Above))),
                ("name" | "stem" | "suffix", _) => PROGRAM,
                _ => Value::Method((value.clone(), name.to_owned()).into()),
            },
            // It may be a path that is given to a function.
            Value::Unknown(source) if name == "parent" && self.family == Family::Python => {
                Value::Unknown((*source).max(Source::Above))
            }
            // Endless chains of members are cut.
            Value::Method(method) if matches!(method.0, Value::Method(_)) => {
                Value::Method((value.blurred(), name.to_owned()).into())
            }
            Value::Text(_)
            | Value::Unknown(_)
            | Value::List(_)
            | Value::Method(_)
            | Value::Function => Value::Method((value.clone(), name.to_owned()).into()),
        }
    }

    fn named_member(&mut self, owner: &str, name: &str) -> Value {
        match owner {
            "process.env" | "Bun.env" | "import.meta.env" if name != "get" => {
                return Self::environment(name);
            }
            "globalThis" | "global" | "window" | "builtins" | "__builtins__" | "CORE"
            | "GLOBAL" | "CORE.GLOBAL" | "Kernel" | "POSIX"
                if owner != "window" || self.family == Family::JavaScript =>
            {
                let kept = matches!(owner, "Kernel" | "POSIX");
                return if kept {
                    Value::Named(format!("{owner}.{name}").into())
                } else {
                    self.lookup(name)
                };
            }
            "sys" | "process" if name == "argv" => return PROGRAM,
            "sys" if name == "stdin" => return Value::Unknown(Source::Outside),
            _ => {}
        }
        if matches!(name, "promises" | "default") && table::is_module(owner, self.family)
            || name == "posix" && owner == "path"
        {
            return Value::named(owner);
        }
        if matches!(
            name,
            "__dict__" | "__getattribute__" | "__globals__" | "__subclasses__" | "__code__"
        ) && name != "__dict__"
        {
            self.computed(name);
        }
        if owner.len() > 120 {
            return PROGRAM;
        }
        Value::Named(format!("{owner}.{name}").into())
    }

    /// `value[from:to]`
    pub(super) fn sliced(value: &Value) -> Value {
        let choices = value.choices().iter();
        Value::any_of(choices.map(|choice| {
            if matches!(choice, Value::List(_)) {
                choice.shuffled()
            } else if matches!(choice, Value::Text(_)) {
                // A slice of text may be any text.
                Value::Unknown(Source::Outside)
            } else {
                choice.blurred()
            }
        }))
    }

    /// `value[items]`
    pub(super) fn index(&mut self, value: &Value, items: &[Item]) -> Value {
        let key = match items {
            [item] => item.value.clone(),
            _ => PROGRAM,
        };
        let bare = match &key {
            // `$h{word}`
            Value::Named(word) if self.family == Family::Perl => Value::Text(word.clone()),
            Value::Text(_)
            | Value::Unknown(_)
            | Value::Named(_)
            | Value::Path(_)
            | Value::List(_)
            | Value::Map(_)
            | Value::Method(_)
            | Value::OneOf(_)
            | Value::Function => key,
        };
        let pairs = value
            .choices()
            .iter()
            .flat_map(|choice| bare.choices().iter().map(move |key| (choice, key)));
        Value::any_of(pairs.map(|(choice, key)| self.one_index(choice, key, items.len())))
    }

    fn one_index(&mut self, value: &Value, key: &Value, count: usize) -> Value {
        match (value, key.as_text()) {
            (Value::Named(name), key) => {
                let name = name.trim_end_matches(".__dict__");
                match (name, key) {
                    ("os.environ" | "process.env" | "ENV" | "_SERVER" | "_ENV" | "env", key) => {
                        match key {
                            Some(key) => Self::environment(key),
                            None => Value::Unknown(Source::Outside),
                        }
                    }
                    ("sys.modules" | "require.cache", Some(key)) => module(key, self.family),
                    ("globals()", Some(key)) => self.lookup(key),
                    ("Dir", Some(pattern)) => listing(pattern),
                    (_, Some(key)) if key.chars().all(|c| c.is_ascii_digit()) => PROGRAM,
                    (_, Some(key)) => self.named_member(name, key),
                    (_, None) => {
                        let reaches = table::is_module(name, self.family)
                            || matches!(
                                name,
                                "globalThis"
                                    | "global"
                                    | "window"
                                    | "process"
                                    | "builtins"
                                    | "__builtins__"
                                    | "globals()"
                                    | "sys.modules"
                                    | "require"
                                    | "module"
                            );
                        if reaches && count > 0 {
                            self.computed(name);
                        }
                        PROGRAM
                    }
                }
            }
            (Value::List(items), Some(key)) if key.bytes().all(|c| c.is_ascii_digit()) => key
                .parse::<usize>()
                .ok()
                .and_then(|at| items.get(at).cloned())
                .unwrap_or_else(|| value.blurred()),
            (Value::List(_), _) => Self::element(value),
            (Value::Map(pairs), Some(key)) => pairs
                .iter()
                .find(|(name, _)| name == key)
                .map_or_else(|| value.blurred(), |(_, value)| value.clone()),
            // A slice of text may be any text, also a reversed one.
            (Value::Text(_), _) => Value::Unknown(Source::Outside),
            // `object['name'](…)` is `object.name(…)`.
            (_, Some(key)) if !key.is_empty() && !key.chars().all(|c| c.is_ascii_digit()) => {
                match value {
                    Value::Unknown(_) | Value::Path(_) | Value::Method(_) => {
                        self.member(value, key)
                    }
                    Value::Text(_)
                    | Value::Named(_)
                    | Value::List(_)
                    | Value::Map(_)
                    | Value::OneOf(_)
                    | Value::Function => value.blurred(),
                }
            }
            _ => value.blurred(),
        }
    }
}
