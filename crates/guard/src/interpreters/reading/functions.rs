//! The functions of a program that nothing but calls by their names can reach, and their parameters.

use std::collections::{HashMap, HashSet};

use super::super::effects::table;
use super::super::syntax::{Family, Node, Part};

/// Functions that are followed in one program.
const MOST: usize = 24;

/// Names by which a program may reach its own functions unseen.
const REACHING: &[&str] = &[
    "globals",
    "locals",
    "vars",
    "eval",
    "exec",
    "getattr",
    "__main__",
    "__dict__",
    "__import__",
    "importlib",
    "modules",
    "inspect",
    "operator",
    "fire",
    "doctest",
    "gc",
    "settrace",
    "setprofile",
];
/// The same in JavaScript.
const REACHING_IN_SCRIPTS: &[&str] = &[
    "eval",
    "globalThis",
    "global",
    "window",
    "arguments",
    "Function",
    "with",
    "vm",
];

/// How a parameter takes what it is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Takes {
    One,
    /// `*rest`, `...rest`
    Rest,
    /// `**options`
    Options,
}

/// A parameter of a helper.
#[derive(Debug, Clone)]
pub(super) struct Param {
    pub(super) name: String,
    pub(super) takes: Takes,
    /// Python gives it by its name alone.
    pub(super) by_name: bool,
}

/// The functions of a program that starts others which are defined once and used in no other way than by calls.
pub(super) fn only_called(nodes: &[Node], family: Family) -> HashMap<String, Vec<Param>> {
    let mut found = HashMap::new();
    if !matches!(family, Family::Python | Family::JavaScript) {
        return found;
    }
    let mut definitions = HashMap::new();
    define(nodes, family, &mut definitions);
    definitions.retain(|_, params| params.is_some());
    if definitions.is_empty() || definitions.len() > MOST {
        return found;
    }
    let mut uses = Uses::default();
    uses.count(nodes, family, &definitions);
    if !uses.starts || uses.reaches {
        return found;
    }
    for (name, params) in definitions {
        let used = uses.otherwise.contains(&name) || uses.classes && uses.members.contains(&name);
        if let Some(params) = params
            && !used
        {
            found.insert(name, params);
        }
    }
    found
}

/// How names are used.
#[derive(Debug, Default)]
struct Uses {
    /// In another way than by a call.
    otherwise: HashSet<String>,
    /// As the member of something, which is the function itself only where there are classes.
    members: HashSet<String>,
    classes: bool,
    starts: bool,
    reaches: bool,
}

impl Uses {
    fn count(&mut self, nodes: &[Node], family: Family, definitions: &Definitions) {
        let reaching = match family {
            Family::JavaScript => REACHING_IN_SCRIPTS,
            Family::Python | Family::Perl | Family::Ruby | Family::Php | Family::Other => REACHING,
        };
        for (at, node) in nodes.iter().enumerate() {
            match node {
                Node::Name(name) => {
                    self.classes |= name == "class";
                    self.starts |= table::starts_programs(name);
                    self.reaches |= reaching.contains(&name.as_str());
                    if definitions.contains_key(name) && !is_definition(nodes, at, family) {
                        self.used(name, nodes, at);
                    }
                }
                // A decorator calls what stands below it.
                Node::Sign("@") => self.reaches |= family == Family::Python,
                Node::Group(_, inner) => self.count(inner, family, definitions),
                Node::Text(parts) | Node::Run(parts) => self.text(parts, definitions),
                Node::Words(_)
                | Node::Number(_)
                | Node::Pattern(_)
                | Node::Sign(_)
                | Node::Line => {}
            }
        }
    }

    fn used(&mut self, name: &str, nodes: &[Node], at: usize) {
        let before = |back: usize| at.checked_sub(back).and_then(|at| nodes.get(at));
        if matches!(before(1), Some(Node::Sign("." | "?." | "->" | "::"))) {
            let own = matches!(before(2), Some(Node::Name(owner)) if matches!(owner.as_str(), "this" | "self" | "cls" | "exports"));
            if own {
                self.otherwise.insert(name.to_owned());
            }
            self.members.insert(name.to_owned());
        } else if !matches!(nodes.get(at + 1), Some(Node::Group('(', _))) {
            self.otherwise.insert(name.to_owned());
        }
    }

    /// Text may be code that is run among the functions of the program.
    fn text(&mut self, parts: &[Part], definitions: &Definitions) {
        for part in parts {
            self.reaches |=
                matches!(part, Part::Text(text) if text != "__main__" && text.contains("__main__"));
            for name in definitions.keys() {
                let used = match part {
                    Part::Text(text) => calls_in_text(text, name),
                    Part::Code(code) => code
                        .split(|c: char| !(c.is_alphanumeric() || c == '_' || c == '$'))
                        .any(|word| word == name),
                };
                if used {
                    self.otherwise.insert(name.clone());
                }
            }
        }
    }
}

/// Whether a text calls the function of this name, as code would.
fn calls_in_text(text: &str, name: &str) -> bool {
    text.match_indices(name).any(|(at, _)| {
        text.get(at + name.len()..)
            .is_some_and(|rest| rest.trim_start().starts_with('('))
    })
}

/// Functions by name; without parameters where they are not followed.
type Definitions = HashMap<String, Option<Vec<Param>>>;

fn define(nodes: &[Node], family: Family, found: &mut Definitions) {
    for (at, node) in nodes.iter().enumerate() {
        if let Node::Group(_, inner) = node {
            define(inner, family, found);
        }
        let Node::Name(name) = node else { continue };
        if !is_definition(nodes, at, family) {
            continue;
        }
        let params = if found.contains_key(name) {
            None
        } else {
            parameters_behind(nodes, at, family).and_then(|list| params(&list))
        };
        found.insert(name.clone(), params);
    }
}

/// Whether the name at this place is that of a function which is defined here.
fn is_definition(nodes: &[Node], at: usize, family: Family) -> bool {
    let before = at
        .checked_sub(1)
        .and_then(|at| nodes.get(at))
        .and_then(Node::name)
        .map(String::as_str);
    match family {
        Family::Python if before == Some("def") => true,
        Family::JavaScript if before == Some("function") => {
            // `const f = function g() {}` has a name of its own inside.
            !matches!(
                at.checked_sub(2).and_then(|at| nodes.get(at)),
                Some(Node::Sign("="))
            )
        }
        Family::Python => {
            starts_statement(nodes, at)
                && nodes.get(at + 1) == Some(&Node::Sign("="))
                && matches!(nodes.get(at + 2), Some(Node::Name(word)) if word == "lambda")
        }
        Family::JavaScript => {
            matches!(before, Some("const" | "let" | "var"))
                && nodes.get(at + 1) == Some(&Node::Sign("="))
                && parameters_behind(nodes, at, family).is_some()
        }
        Family::Perl | Family::Ruby | Family::Php | Family::Other => false,
    }
}

fn starts_statement(nodes: &[Node], at: usize) -> bool {
    at.checked_sub(1)
        .and_then(|at| nodes.get(at))
        .is_none_or(|node| matches!(node, Node::Line | Node::Sign(";" | ":")))
}

/// The parameters of the function that is bound to the name at this place.
fn parameters_behind(nodes: &[Node], at: usize, family: Family) -> Option<Vec<Node>> {
    if let Some(Node::Group('(', inner)) = nodes.get(at + 1) {
        return Some(inner.clone());
    }
    let mut from = at + 2;
    let word = |at: usize| nodes.get(at).and_then(Node::name).map(String::as_str);
    if family == Family::Python {
        let rest = nodes.get(from + 1..)?;
        let end = rest.iter().position(|node| *node == Node::Sign(":"))?;
        return rest.get(..end).map(<[Node]>::to_vec);
    }
    if word(from) == Some("async") {
        from += 1;
    }
    if word(from) == Some("function") {
        return match nodes.get(from + 1) {
            Some(Node::Group('(', inner)) => Some(inner.clone()),
            _ => None,
        };
    }
    if nodes.get(from + 1) != Some(&Node::Sign("=>")) {
        return None;
    }
    match nodes.get(from)? {
        Node::Group('(', inner) => Some(inner.clone()),
        name @ Node::Name(_) => Some(vec![name.clone()]),
        Node::Group(..)
        | Node::Number(_)
        | Node::Text(_)
        | Node::Words(_)
        | Node::Run(_)
        | Node::Pattern(_)
        | Node::Sign(_)
        | Node::Line => None,
    }
}

/// The parameters of a list; `None` where one is taken apart.
fn params(list: &[Node]) -> Option<Vec<Param>> {
    let mut all: Vec<Param> = Vec::new();
    let mut by_name = false;
    for part in list.split(|node| *node == Node::Sign(",")) {
        let part: Vec<&Node> = part.iter().filter(|node| **node != Node::Line).collect();
        let (takes, name) = match part.as_slice() {
            [] | [Node::Sign("/")] => continue,
            [Node::Sign("*")] => {
                by_name = true;
                continue;
            }
            [Node::Sign("*" | "..."), Node::Name(name), ..] => (Takes::Rest, name),
            [Node::Sign("**"), Node::Name(name), ..] => (Takes::Options, name),
            [Node::Name(name), ..] => (Takes::One, name),
            _ => return None,
        };
        if all.iter().any(|param| param.name == *name) {
            return None;
        }
        all.push(Param {
            name: name.clone(),
            takes,
            by_name,
        });
        by_name |= takes == Takes::Rest;
    }
    Some(all)
}
