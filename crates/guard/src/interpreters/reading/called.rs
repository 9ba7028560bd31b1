//! Calls: what is called, what it is given, and what is known of its result.

use super::super::effects::table;
use super::super::syntax::{Family, Node};
use super::known;
use super::{Call, Found, Inside, Item, Owner, PROGRAM, Reader, Source, Value};

impl Reader {
    pub(super) fn call(&mut self, callee: &Value, inner: &[Node]) -> Value {
        if let Value::Method(method) = callee
            && known::walks(&method.1)
        {
            self.incoming = Some(Self::element(&method.0));
        }
        let items = self.group(inner, Inside::List);
        self.incoming = None;
        self.called(callee, items)
    }

    pub(super) fn called(&mut self, callee: &Value, items: Vec<Item>) -> Value {
        let mut args = Vec::new();
        let mut keys = Vec::new();
        for item in items {
            match item.key {
                Some(key) => keys.push((key, item.value)),
                None => args.push(item.value),
            }
        }
        let choices = callee.choices().iter();
        Value::any_of(choices.map(|choice| self.one_call(choice, &args, &keys)))
    }

    fn one_call(&mut self, callee: &Value, args: &[Value], keys: &[(String, Value)]) -> Value {
        match (callee, args) {
            (Value::Method(method), _) => self.changed(&method.0, &method.1, args),
            (Value::Named(name), [list, more @ ..]) => self.changed(list, name, more),
            _ => {}
        }
        let (owner, name) = match callee {
            Value::Named(full) => match full.rsplit_once('.') {
                Some((owner, name)) if table::is_module(owner, self.family) => {
                    (Owner::Module(owner.to_owned()), name.to_owned())
                }
                Some((owner, name)) => {
                    // `unlink.call(null, path)`
                    if matches!(name, "call" | "apply" | "bind")
                        && let Some(effect) = table::escape(owner, self.family)
                    {
                        self.out.found.push(Found::Escape(owner.to_owned(), effect));
                    }
                    (Owner::Object(Value::named(owner)), name.to_owned())
                }
                None if self.defined.contains(full.as_ref()) => return self.own_call(args, keys),
                None => (Owner::None, full.to_string()),
            },
            Value::Method(method) => (Owner::Object(method.0.clone()), method.1.clone()),
            Value::Function => return self.own_call(args, keys),
            Value::Text(_) | Value::Unknown(_) if self.is(&[Family::Php, Family::Perl]) => {
                if self.family == Family::Php || !matches!(callee, Value::Unknown(Source::Program))
                {
                    self.computed("a call by a computed name");
                }
                return PROGRAM;
            }
            Value::Unknown(Source::Outside) if self.is(&[Family::Python, Family::JavaScript]) => {
                self.computed("a call by a computed name");
                return PROGRAM;
            }
            other @ (Value::Text(_)
            | Value::Unknown(_)
            | Value::Path(_)
            | Value::List(_)
            | Value::Map(_)
            | Value::OneOf(_)) => {
                self.own_call(args, keys);
                return other.blurred();
            }
        };
        // What only shows its first argument may still call the others: `sorted(names, key=f)`.
        let shown = if !known::only_shows(&name) {
            0
        } else if matches!(name.as_str(), "sorted" | "type" | "getattr") {
            1
        } else {
            args.len()
        };
        let handed = args.iter().skip(shown);
        for value in handed.chain(keys.iter().map(|(_, value)| value)) {
            self.hand_on(value);
        }
        // A method may be a function that was bound under this name in a class.
        if let Owner::Object(_) = &owner
            && let Some(bound) = self.names.get(&name).cloned()
        {
            self.hand_on(&bound);
        }
        let value = if let Value::Named(full) = callee {
            self.known_call(full, args, keys)
        } else if let Value::Method(method) = callee {
            self.known_method(&method.0, &method.1, args)
        } else {
            None
        };
        let value = value.unwrap_or_else(|| self.result_of(&owner, &name, args));
        self.out.found.push(Found::Call(Call {
            owner,
            name,
            args: args.to_vec(),
            keys: keys.to_vec(),
        }));
        self.noted(value)
    }

    /// A call of a function of the program: what it is given is not followed into it.
    fn own_call(&mut self, args: &[Value], keys: &[(String, Value)]) -> Value {
        for value in args.iter().chain(keys.iter().map(|(_, value)| value)) {
            self.hand_on(value);
        }
        let source = args
            .iter()
            .map(Value::source)
            .max()
            .unwrap_or(Source::Program);
        Value::Unknown(source)
    }
}
