//! Lists and maps that a program changes after it made them.
//!
//! Where the program does so is not followed: from the first change on, a name may hold either.

use std::rc::Rc;

use super::{PROGRAM, Reader, Value};

/// With more lists than this behind one name, what they hold is no longer followed.
const VARIANTS: usize = 12;

/// Changes that are followed; a program with more must not do anything that matters.
const FOLLOWED: usize = 400;

/// Methods that put elements into a list.
fn adds(name: &str) -> bool {
    matches!(
        name,
        "append" | "push" | "extend" | "insert" | "unshift" | "prepend" | "array_push"
    )
}

/// Methods that change a list or a map in some other way.
fn changes(name: &str) -> bool {
    matches!(
        name,
        "update"
            | "setdefault"
            | "set"
            | "assign"
            | "store"
            | "merge!"
            | "splice"
            | "shift"
            | "pop"
            | "popleft"
            | "remove"
            | "reverse"
            | "clear"
            | "array_shift"
            | "array_pop"
            | "fill"
            | "copyWithin"
            | "concat!"
            | "array_unshift"
            | "array_splice"
            | "__setitem__"
            | "__iadd__"
            | "appendleft"
            | "extendleft"
    )
}

impl Reader {
    /// `list.append(x)`, `push @list, x`: every name that holds this list may now hold a longer one.
    pub(super) fn changed(&mut self, object: &Value, method: &str, args: &[Value]) {
        if !adds(method) && !changes(method) {
            return;
        }
        self.inner_changed(object);
        if !matches!(object, Value::List(_) | Value::Map(_)) {
            return;
        }
        self.changes += 1;
        if self.changes > FOLLOWED {
            // From here on any list may hold anything.
            self.out.unclear = true;
            return;
        }
        let holders: Vec<String> = self
            .names
            .iter()
            .filter(|(_, value)| value.choices().iter().any(|one| same(one, object)))
            .map(|(name, _)| name.clone())
            .collect();
        for holder in holders {
            let crowded = self
                .names
                .get(&holder)
                .is_some_and(|value| value.choices().len() >= VARIANTS);
            let longer = if let Value::List(items) = object
                && adds(method)
                && !crowded
            {
                with(items, method, args)
            } else {
                let sources = args.iter().map(Value::source);
                Value::Unknown(sources.fold(object.source(), Ord::max))
            };
            self.bind(&holder, longer);
        }
    }

    /// `name[key] = value`: what the name holds is no longer known.
    pub(super) fn part_set(&mut self, name: &str, value: &Value) {
        let Some(held) = self.names.get(name).cloned() else {
            return;
        };
        self.inner_changed(&held);
        let holds = held
            .choices()
            .iter()
            .any(|one| matches!(one, Value::List(_) | Value::Map(_)));
        if holds {
            let source = held.source().max(value.source());
            self.bind(name, Value::Unknown(source));
        }
    }

    /// `list += more`: every name that holds this list may now hold another one.
    pub(super) fn lengthened(&mut self, object: &Value) {
        self.inner_changed(object);
        let mut holders = Vec::new();
        for list in object.choices() {
            let holds = |value: &Value| value.choices().iter().any(|one| same(one, list));
            let names = self.names.iter().filter(|(_, value)| holds(value));
            holders.extend(names.map(|(name, value)| (name.clone(), value.blurred())));
        }
        for (name, value) in holders {
            self.bind(&name, value);
        }
    }

    /// A list changes, or something that may be one: what lists of lists hold it, or may hold it, is no longer known.
    pub(super) fn inner_changed(&mut self, object: &Value) {
        let holds = |value: &Value| {
            value.holds_lists()
                && object.choices().iter().any(|one| match one {
                    Value::List(list) => value.contains(list),
                    Value::Unknown(_) => true,
                    Value::Text(_)
                    | Value::Named(_)
                    | Value::Path(_)
                    | Value::Map(_)
                    | Value::Method(_)
                    | Value::OneOf(_)
                    | Value::Function => false,
                })
        };
        let holders = self.names.iter().filter(|(_, value)| holds(value));
        let holders: Vec<String> = holders.map(|(name, _)| name.clone()).collect();
        for holder in holders {
            self.bind(&holder, PROGRAM);
        }
    }
}

/// Whether two values are one list or one map, not only equal.
fn same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::List(one), Value::List(other)) => Rc::ptr_eq(one, other),
        (Value::Map(one), Value::Map(other)) => Rc::ptr_eq(one, other),
        _ => false,
    }
}

fn with(items: &[Value], method: &str, args: &[Value]) -> Value {
    let mut all = items.to_vec();
    match (method, args) {
        ("insert", [at, item]) if at.as_text() == Some("0") => all.insert(0, item.clone()),
        ("insert", _) => {
            return Value::Unknown(args.iter().map(Value::source).max().unwrap_or_default());
        }
        ("extend", [Value::List(more)]) => all.extend(more.iter().cloned()),
        ("extend", _) => {
            return Value::Unknown(args.iter().map(Value::source).max().unwrap_or_default());
        }
        ("unshift" | "prepend", more) => {
            all.splice(0..0, more.iter().cloned());
        }
        (_, more) => all.extend(more.iter().cloned()),
    }
    Value::list(all)
}
