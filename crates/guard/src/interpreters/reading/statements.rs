//! Statements: imports, definitions, loops; everything else is an expression.

use super::super::syntax::{Family, Node};
use super::known;
use super::operands::is_reference;
use super::{Inside, Item, PROGRAM, Reader, Value};

/// An import names its module within so many tokens.
const IMPORTED: usize = 400;

impl Reader {
    /// Reads everything between two brackets, or the whole program.
    pub(super) fn sequence(&mut self, nodes: &[Node], inside: Inside) -> Vec<Item> {
        let mut items = Vec::new();
        let mut at = 0;
        let mut start = true;
        while let Some(node) = nodes.get(at) {
            if let Node::Line | Node::Sign("," | ";" | ":") = node {
                start |= *node != Node::Sign(",");
                at += 1;
                continue;
            }
            if start && inside != Inside::List {
                if let Some(end) = self.statement(nodes, at) {
                    at = end.max(at + 1);
                    continue;
                }
                if let Some(end) = self.several(nodes, at) {
                    at = end.max(at + 1);
                    continue;
                }
            }
            start = false;
            let key = if inside == Inside::Block {
                None
            } else if inside == Inside::List && self.makes_parents(nodes, at) {
                Some("parents".to_owned())
            } else {
                self.key(nodes, at)
            };
            at += if key.is_some() { 2 } else { 0 };
            let from = at;
            let (value, assigned) = self.expression(nodes, &mut at, inside);
            at = at.max(from + 1);
            items.push(Item {
                key: key.or(assigned),
                value,
            });
        }
        items
    }

    /// `mkdir(parents=True)`: the word says how, and is not the member that leads upwards.
    fn makes_parents(&self, nodes: &[Node], at: usize) -> bool {
        let named = matches!(nodes.get(at), Some(Node::Name(name)) if name == "parents");
        named && self.family == Family::Python && nodes.get(at + 1) == Some(&Node::Sign("="))
    }

    /// `key:` and `key =>` before a value.
    fn key(&mut self, nodes: &[Node], at: usize) -> Option<String> {
        let arrow = self.family != Family::JavaScript;
        match nodes.get(at + 1)?.sign()? {
            ":" => {}
            "=>" if arrow => {}
            _ => return None,
        }
        match nodes.get(at)? {
            Node::Name(name) => {
                self.out.words.insert(name.clone());
                Some(name.clone())
            }
            Node::Number(number) => Some(number.clone()),
            Node::Text(parts) => {
                let value = self.string(parts);
                Some(value.as_text().unwrap_or_default().to_owned())
            }
            Node::Words(_)
            | Node::Run(_)
            | Node::Pattern(_)
            | Node::Sign(_)
            | Node::Line
            | Node::Group(..) => None,
        }
    }

    /// An import or the head of a loop; gives the place behind it.
    fn statement(&mut self, nodes: &[Node], at: usize) -> Option<usize> {
        let Some(Node::Name(word)) = nodes.get(at) else {
            return None;
        };
        match (word.as_str(), self.family) {
            ("import", Family::Python) => Some(self.python_import(nodes, at + 1)),
            ("from", Family::Python) => Some(self.python_from(nodes, at + 1)),
            ("import", Family::JavaScript)
                if !matches!(
                    nodes.get(at + 1),
                    Some(Node::Group('(', _) | Node::Sign("."))
                ) =>
            {
                Some(self.script_import(nodes, at + 1))
            }
            ("for" | "foreach", _) => self.loop_head(nodes, at + 1, Inside::Block),
            _ => None,
        }
    }

    /// `a, b = x, y`
    fn several(&mut self, nodes: &[Node], at: usize) -> Option<usize> {
        let mut end = at;
        let mut commas = 0;
        loop {
            let node = nodes.get(end)?;
            match node.sign() {
                Some("$" | "@" | "*") => {}
                Some(",") => commas += 1,
                Some("=") if commas > 0 => break,
                Some(_) => return None,
                None => {
                    node.name()?;
                }
            }
            end += 1;
        }
        let left = nodes.get(at..end)?.to_vec();
        let mut from = end + 1;
        let mut values = Vec::new();
        loop {
            let (value, _) = self.expression(nodes, &mut from, Inside::Block);
            values.push(value);
            match nodes.get(from) {
                Some(Node::Sign(",")) => from += 1,
                _ => break,
            }
        }
        let value = match values.as_slice() {
            [only] => only.clone(),
            _ => Value::list(values),
        };
        self.assign(&left, &value);
        Some(from)
    }

    fn python_import(&mut self, nodes: &[Node], from: usize) -> usize {
        let mut at = from;
        loop {
            let (module, end) = dotted(nodes, at);
            at = end;
            self.imported(&module);
            if let (Some(Node::Name(word)), Some(Node::Name(alias))) =
                (nodes.get(at), nodes.get(at + 1))
                && word == "as"
            {
                self.bind(alias, known::module(&module, self.family));
                at += 2;
            } else if let Some(first) = module.split('.').next().filter(|m| !m.is_empty()) {
                self.bind(first, known::module(first, self.family));
            }
            match nodes.get(at) {
                Some(Node::Sign(",")) => at += 1,
                _ => return at,
            }
        }
    }

    fn python_from(&mut self, nodes: &[Node], from: usize) -> usize {
        let (module, mut at) = dotted(nodes, from);
        let owner = known::module(&module, self.family);
        self.imported(&module);
        if !matches!(nodes.get(at), Some(Node::Name(word)) if word == "import") {
            return at;
        }
        at += 1;
        let inner;
        let (list, end) = if let Some(Node::Group(_, group)) = nodes.get(at) {
            inner = group.clone();
            (inner.as_slice(), at + 1)
        } else {
            let rest = nodes.get(at..).unwrap_or_default();
            let length = rest
                .iter()
                .position(|node| matches!(node, Node::Line | Node::Sign(";")))
                .unwrap_or(rest.len());
            (rest.get(..length).unwrap_or_default(), at + length)
        };
        for part in list.split(|node| *node == Node::Sign(",")) {
            let names: Vec<&String> = part.iter().filter_map(Node::name).collect();
            match names.as_slice() {
                [name] => {
                    let value = self.member(&owner, name);
                    self.bind(name, value);
                }
                [name, word, alias] if *word == "as" => {
                    let value = self.member(&owner, name);
                    self.bind(alias, value);
                }
                _ => {}
            }
            // A star brings names in that are judged as they are.
        }
        end
    }

    /// `import d, {a as b} from 'm'`, `import * as n from 'm'`, `import 'm'`.
    fn script_import(&mut self, nodes: &[Node], from: usize) -> usize {
        let rest = nodes.get(from..).unwrap_or_default();
        let rest = rest.get(..rest.len().min(IMPORTED)).unwrap_or_default();
        let length = rest
            .iter()
            .position(|node| matches!(node, Node::Text(_) | Node::Sign(";")))
            .map_or(rest.len(), |at| at + 1);
        let module = match rest.get(length.saturating_sub(1)) {
            Some(Node::Text(parts)) => self.string(parts),
            _ => PROGRAM,
        };
        self.imported(module.as_text().unwrap_or(""));
        let owner = known::module(module.as_text().unwrap_or(""), self.family);
        let mut star = false;
        for node in rest.get(..length).unwrap_or_default() {
            match node {
                Node::Sign("*") => star = true,
                Node::Name(word) if word == "as" && star => {}
                Node::Name(word) if word == "from" => break,
                Node::Name(word) => {
                    // The default of a module of node is the module itself.
                    self.bind(word, owner.clone());
                }
                Node::Group(_, inner) => {
                    for part in inner.split(|node| *node == Node::Sign(",")) {
                        let names: Vec<&String> = part.iter().filter_map(Node::name).collect();
                        if let (Some(first), Some(last)) = (names.first(), names.last()) {
                            let value = self.member(&owner, first);
                            self.bind(last, value);
                        }
                    }
                }
                Node::Number(_)
                | Node::Text(_)
                | Node::Words(_)
                | Node::Run(_)
                | Node::Pattern(_)
                | Node::Sign(_)
                | Node::Line => {}
            }
        }
        from + length
    }

    /// `for x in y`, `for (const x of y)`, `foreach my $x (y)`, `foreach (y as $x)`.
    pub(super) fn loop_head(
        &mut self,
        nodes: &[Node],
        from: usize,
        inside: Inside,
    ) -> Option<usize> {
        let rest = nodes.get(from..)?;
        if let Some(Node::Group('(', inner)) = rest.first() {
            let split = inner.iter().position(
                |node| matches!(node, Node::Name(word) if matches!(word.as_str(), "of" | "in" | "as")),
            )?;
            let (one, two) = (inner.get(..split)?, inner.get(split + 1..)?);
            let backwards = matches!(inner.get(split), Some(Node::Name(word)) if word == "as");
            let (target, source) = if backwards { (two, one) } else { (one, two) };
            let mut at = 0;
            let (value, _) = self.expression(source, &mut at, Inside::List);
            self.assign(target, &Self::element(&value));
            return Some(from + 1);
        }
        // `my $x (…)`
        let near = rest.get(..rest.len().min(12))?;
        if self.family == Family::Perl {
            let at = near
                .iter()
                .position(|node| matches!(node, Node::Group('(', _)))?;
            let target = near.get(..at)?.to_vec();
            // Behind a statement stands what it is done for, and no name: `print for @list; system(…)`.
            if !is_loop_variable(&target) {
                return None;
            }
            if let Some(Node::Group(_, inner)) = near.get(at) {
                let items = self.group(inner, Inside::List);
                let mut parts = inner.split(|node| *node == Node::Sign(","));
                let all = Value::any_of(items.into_iter().map(|item| {
                    let whole = parts.next().is_some_and(is_reference);
                    if !whole && matches!(item.value, Value::List(_)) {
                        Self::element(&item.value)
                    } else {
                        item.value
                    }
                }));
                self.assign(&target, &all);
            }
            return Some(from + at + 1);
        }
        let split = near
            .iter()
            .position(|node| matches!(node, Node::Name(word) if word == "in"))?;
        let target = near.get(..split)?.to_vec();
        // `for x[f()] in …`
        for node in &target {
            if let Node::Group(_, inner) = node {
                self.group(inner, Inside::List);
            }
        }
        let mut at = from + split + 1;
        let (value, _) = self.expression(nodes, &mut at, Inside::Block);
        let value = match inside {
            Inside::Block | Inside::Braces => self.bare_list(value, nodes, &mut at),
            Inside::List => value,
        };
        self.assign(&target, &Self::element(&value));
        Some(at)
    }

    /// `a, b` and `a,` without brackets, of which the first value has been read.
    pub(super) fn bare_list(&mut self, first: Value, nodes: &[Node], at: &mut usize) -> Value {
        let comma = |at: usize| nodes.get(at) == Some(&Node::Sign(","));
        if !comma(*at) || !self.is(&[Family::Python, Family::Ruby]) {
            return first;
        }
        let mut values = vec![first];
        while comma(*at) {
            *at += 1;
            if matches!(nodes.get(*at), None | Some(Node::Line | Node::Sign(_))) {
                break;
            }
            let (value, _) = self.expression(nodes, at, Inside::Block);
            values.push(value);
        }
        for value in &values {
            self.hand_on(value);
        }
        Value::list(values)
    }
}

/// A dotted name from `at`, and the place behind it.
fn dotted(nodes: &[Node], from: usize) -> (String, usize) {
    let mut name = String::new();
    let mut at = from;
    loop {
        match nodes.get(at) {
            Some(Node::Name(word)) if word != "import" && word != "as" => {
                if !name.is_empty() && !name.ends_with('.') {
                    break;
                }
                name.push_str(word);
            }
            Some(Node::Sign("." | ".." | "...")) => name.push('.'),
            _ => break,
        }
        at += 1;
    }
    (name, at)
}

/// Whether this is what a loop of Perl binds: nothing, or one name.
fn is_loop_variable(target: &[Node]) -> bool {
    let name = match target {
        [Node::Name(word), rest @ ..]
            if matches!(word.as_str(), "my" | "our" | "local" | "state") =>
        {
            rest
        }
        other => other,
    };
    matches!(name, [] | [Node::Sign("$"), Node::Name(_)])
}
