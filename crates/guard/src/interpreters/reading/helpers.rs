//! Functions of a program that are only called by name: `def sh(c): subprocess.run(c, shell=True)`, `sh("pytest -q")`.
//!
//! What their parameters may be is what the calls give. A function that is also used in another way, or that is defined
//! twice, may be given anything.

use std::collections::HashMap;

use super::super::syntax::{Family, Node};
use super::functions::{self, Param, Takes};
use super::{Inside, Item, PROGRAM, Reader, Source, Value};

/// Readings until what parameters are given must be settled: one helper may call another one that deep.
pub(super) const ROUNDS: usize = 4;
/// Lists of arguments that one call with spread lists may stand for.
const SPREADS: usize = 16;

/// What is known about the helpers of a program.
#[derive(Debug, Clone, Default)]
pub(super) struct Helpers {
    pub(super) params: HashMap<String, Vec<Param>>,
    /// What the calls of the reading before gave them.
    pub(super) given: HashMap<String, Vec<Value>>,
    /// The same of this reading.
    pub(super) asked: HashMap<String, Vec<Value>>,
    /// Where what any function gives back may come from.
    pub(super) returned: Source,
    expected: Source,
    /// The name that the next function literal is bound to.
    pub(super) naming: Option<String>,
}

impl Helpers {
    /// The helpers of a program that starts other programs.
    pub(super) fn of(nodes: &[Node], family: Family) -> Self {
        Self {
            params: functions::only_called(nodes, family),
            ..Self::default()
        }
    }

    /// Whether the reading gave what was expected; makes ready for the next one.
    pub(super) fn settle(&mut self) -> bool {
        let asked = std::mem::take(&mut self.asked);
        let settled = asked == self.given && self.returned == self.expected;
        self.given = asked;
        self.expected = self.returned;
        settled
    }

    /// The next function literal is what this name is bound to; gives the name that waited so far.
    pub(super) fn name_next(&mut self, target: &[Node]) -> Option<String> {
        let next = match target.last() {
            Some(Node::Name(name)) if self.params.contains_key(name) => Some(name.clone()),
            _ => None,
        };
        std::mem::replace(&mut self.naming, next)
    }
}

impl Reader {
    /// A call of a helper by its name: what it gives is kept for the next reading.
    pub(super) fn helper_call(&mut self, name: &str, inner: &[Node]) -> Value {
        let parts: Vec<&[Node]> = inner
            .split(|node| *node == Node::Sign(","))
            .filter(|part| part.iter().any(|node| *node != Node::Line))
            .collect();
        let spread: Vec<bool> = parts
            .iter()
            .map(|part| {
                let first = part.iter().find(|node| **node != Node::Line);
                matches!(first, Some(Node::Sign("*" | "**" | "...")))
            })
            .collect();
        let items = self.group(inner, Inside::List);
        for item in &items {
            self.hand_on(&item.value);
        }
        let source = items
            .iter()
            .map(|item| item.value.source())
            .fold(self.helpers.returned, Source::max);
        let aligned = spread.len() == items.len() || !spread.contains(&true);
        let calls = if aligned {
            arguments(&items, &spread, self.family)
        } else {
            None
        };
        let params = self.helpers.params.get(name).cloned().unwrap_or_default();
        let nothing = || Value::OneOf(Vec::new().into());
        let mut asked = self
            .helpers
            .asked
            .remove(name)
            .unwrap_or_else(|| params.iter().map(|_| nothing()).collect());
        match calls {
            Some(calls) => {
                for (args, keys) in calls {
                    for (slot, value) in asked.iter_mut().zip(taken(&params, &args, &keys)) {
                        *slot = std::mem::replace(slot, PROGRAM).or(value);
                    }
                }
            }
            None => asked = params.iter().map(|_| Value::Unknown(source)).collect(),
        }
        self.helpers.asked.insert(name.to_owned(), asked);
        Value::Unknown(source)
    }

    /// What a function gives back: only where it comes from is kept, for all of them together.
    pub(super) fn gives_back(&mut self, value: &Value) {
        self.helpers.returned = self.helpers.returned.max(value.source());
    }

    /// What a parameter of the function that is read now may be, by what its calls give.
    pub(super) fn given(&self, function: &str, name: &str) -> Option<Value> {
        let at = self
            .helpers
            .params
            .get(function)?
            .iter()
            .position(|param| param.name == name)?;
        Some(match self.helpers.given.get(function) {
            Some(values) => values.get(at)?.clone(),
            None => Value::OneOf(Vec::new().into()),
        })
    }

    /// The value that a parameter has where a call does not give it.
    pub(super) fn default_of(&mut self, part: &[Node]) -> Option<Value> {
        let at = part.iter().position(|node| *node == Node::Sign("="))?;
        let rest = part.get(at + 1..)?;
        if let [Node::Name(word)] = rest
            && matches!(word.as_str(), "None" | "null" | "undefined")
        {
            return Some(Value::named("None"));
        }
        let mut from = 0;
        Some(self.expression(rest, &mut from, Inside::List).0)
    }
}

type Arguments = (Vec<Value>, Vec<(String, Value)>);

/// The lists of arguments that a call may give; `None` where that is not known.
fn arguments(items: &[Item], spread: &[bool], family: Family) -> Option<Vec<Arguments>> {
    let mut all: Vec<Arguments> = vec![Arguments::default()];
    for (at, item) in items.iter().enumerate() {
        if spread.get(at) != Some(&true) {
            if item.key.is_some() && family != Family::Python {
                return None;
            }
            for (args, keys) in &mut all {
                match &item.key {
                    Some(key) => keys.push((key.clone(), item.value.clone())),
                    None => args.push(item.value.clone()),
                }
            }
            continue;
        }
        let choices = item.value.choices();
        if all.len() * choices.len() > SPREADS {
            return None;
        }
        let mut longer = Vec::new();
        for choice in choices {
            for (args, keys) in &all {
                let (mut args, mut keys) = (args.clone(), keys.clone());
                if let Value::List(more) = choice {
                    args.extend(more.iter().cloned());
                } else if let (Value::Map(more), Family::Python) = (choice, family) {
                    keys.extend(more.iter().cloned());
                } else {
                    return None;
                }
                longer.push((args, keys));
            }
        }
        all = longer;
    }
    Some(all)
}

/// What each parameter takes of the arguments of one call.
fn taken(params: &[Param], args: &[Value], keys: &[(String, Value)]) -> Vec<Value> {
    let nothing = || Value::OneOf(Vec::new().into());
    let mut args = args.iter();
    let named = |name: &str| {
        keys.iter()
            .find(|(key, _)| key == name)
            .map(|(_, value)| value.clone())
    };
    params
        .iter()
        .map(|param| match param.takes {
            Takes::One if param.by_name => named(&param.name).unwrap_or_else(nothing),
            Takes::One => match args.next() {
                Some(value) => value.clone(),
                None => named(&param.name).unwrap_or_else(nothing),
            },
            Takes::Rest => Value::list(args.by_ref().cloned().collect()),
            Takes::Options => {
                let more = keys.iter().filter(|(key, _)| {
                    params
                        .iter()
                        .all(|other| other.takes != Takes::One || other.name != *key)
                });
                Value::map(more.cloned().collect())
            }
        })
        .collect()
}
