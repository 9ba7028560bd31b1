//! Expressions: operands and the operators between them.

use super::super::syntax::{Family, Node};
use super::{EXPRESSIONS, Inside, PROGRAM, Reader, Source, Value, results};

/// Words between two operands.
pub(super) const BETWEEN: &[&str] = &[
    "or",
    "and",
    "in",
    "of",
    "is",
    "if",
    "unless",
    "else",
    "instanceof",
    "x",
    "eq",
    "ne",
    "lt",
    "gt",
    "le",
    "ge",
    "cmp",
    "not",
    "while",
    "until",
    "from",
];

impl Reader {
    /// Reads one expression; the second part is the name it was assigned to.
    pub(super) fn expression(
        &mut self,
        nodes: &[Node],
        at: &mut usize,
        inside: Inside,
    ) -> (Value, Option<String>) {
        if self.level >= EXPRESSIONS {
            self.computed("deeply nested code");
            *at = nodes.len();
            return (PROGRAM, None);
        }
        self.level += 1;
        let result = self.operators(nodes, at, inside);
        self.level -= 1;
        result
    }

    fn operators(
        &mut self,
        nodes: &[Node],
        at: &mut usize,
        inside: Inside,
    ) -> (Value, Option<String>) {
        let from = *at;
        let mut left = self.operand(nodes, at, inside);
        let mut simple = true;
        loop {
            let here = Self::operator_at(nodes, *at, inside);
            let Some(node) = nodes.get(here) else { break };
            match node {
                Node::Sign("=" | ":=") => {
                    *at = here + 1;
                    let target = nodes.get(from..here).unwrap_or_default();
                    let outer = self.helpers.name_next(target);
                    let (mut right, _) = self.expression(nodes, at, inside);
                    self.helpers.naming = outer;
                    if inside == Inside::Block && *node == Node::Sign("=") {
                        right = self.bare_list(right, nodes, at);
                    }
                    let name = match target {
                        [Node::Name(name)] if simple => Some(name.clone()),
                        _ => None,
                    };
                    let keyword =
                        inside == Inside::List && self.family == Family::Python && name.is_some();
                    if !keyword || *node == Node::Sign(":=") {
                        self.assign(target, &right);
                    }
                    return (right, name);
                }
                Node::Sign("+=" | ".=" | "-=" | "*=" | "/=" | "||=" | "&&=" | "??=") => {
                    *at = here + 1;
                    let target = nodes.get(from..here).unwrap_or_default().to_vec();
                    let (right, _) = self.expression(nodes, at, inside);
                    self.hand_on(&right);
                    self.lengthened(&left);
                    let value = left.or(right).blurred();
                    self.assign(&target, &value);
                    return (value, None);
                }
                Node::Sign("=>") if self.family == Family::JavaScript => {
                    *at = here + 1;
                    let list = nodes.get(from..here).unwrap_or_default();
                    match list.iter().find(|node| **node != Node::Line) {
                        Some(Node::Group('(', inner)) if self.helpers.naming.is_some() => {
                            self.parameters(inner);
                        }
                        _ => self.parameters(list),
                    }
                    let value = self.body(nodes, at, inside);
                    self.hand_on(&value);
                    self.gives_back(&value);
                    left = Value::Function;
                }
                Node::Sign("," | ";" | "=>") => break,
                Node::Sign(":") if self.family == Family::Python || inside == Inside::Braces => {
                    break;
                }
                Node::Sign("?") if matches!(nodes.get(here + 1), Some(Node::Sign(":" | ")"))) => {
                    *at = here + 1;
                }
                Node::Sign(op) => {
                    *at = here + 1;
                    let right = self.operand(nodes, at, inside);
                    if *op == "<<" {
                        self.changed(&left, "push", std::slice::from_ref(&right));
                    }
                    left = if *op == "=~" && self.family == Family::Perl {
                        let behind = nodes.get(here + 1..).unwrap_or_default();
                        self.substituted(left, &right, behind)
                    } else {
                        self.operate(left, op, right)
                    };
                    simple = false;
                }
                Node::Name(word) if word == "as" => {
                    *at = here + 2;
                    if let Some(Node::Name(name)) = nodes.get(here + 1) {
                        let value = left.blurred();
                        self.bind(name, value);
                    }
                }
                Node::Name(word) if matches!(word.as_str(), "for" | "foreach") => {
                    match self.loop_head(nodes, here + 1, Inside::List) {
                        Some(end) => *at = end,
                        None => *at = here + 1,
                    }
                }
                Node::Name(word) if BETWEEN.contains(&word.as_str()) => {
                    *at = here + 1;
                    let right = self.operand(nodes, at, inside);
                    left = left.or(right);
                    simple = false;
                }
                Node::Text(parts) if self.family == Family::Python && *at == here => {
                    *at = here + 1;
                    let right = self.string(parts);
                    left = left.concat(&right);
                    left = self.noted(left);
                }
                Node::Name(_)
                | Node::Number(_)
                | Node::Text(_)
                | Node::Words(_)
                | Node::Run(_)
                | Node::Pattern(_)
                | Node::Line
                | Node::Group(..) => break,
            }
        }
        (left, None)
    }

    /// Where the next operator is: lines do not end an expression inside of brackets, nor before a sign
    /// that only goes on.
    fn operator_at(nodes: &[Node], at: usize, inside: Inside) -> usize {
        let mut here = at;
        while matches!(nodes.get(here), Some(Node::Line)) {
            here += 1;
        }
        if here == at || inside == Inside::List {
            return here;
        }
        match nodes.get(here) {
            Some(Node::Sign("||" | "&&" | "??" | "?" | "+" | "=")) => here,
            _ => at,
        }
    }

    /// The body of an arrow function.
    fn body(&mut self, nodes: &[Node], at: &mut usize, inside: Inside) -> Value {
        while matches!(nodes.get(*at), Some(Node::Line)) {
            *at += 1;
        }
        if let Some(Node::Group('{', inner)) = nodes.get(*at) {
            self.group(inner, Inside::Block);
            *at += 1;
            return Value::Function;
        }
        self.expression(nodes, at, inside).0
    }

    fn operate(&mut self, left: Value, op: &str, right: Value) -> Value {
        match op {
            "+" => {
                let whole = left.concat(&right);
                self.noted(whole)
            }
            "." if self.is(&[Family::Perl, Family::Php]) => {
                let whole = left.concat(&right);
                self.noted(whole)
            }
            "/" if matches!(left, Value::Path(_)) => {
                let whole = left.join(&right);
                self.noted(whole)
            }
            "||" | "&&" | "??" | "?" | ":" | "|" => left.or(right),
            "%" | "*" if results::puts_together(&left, &right) => Value::Unknown(Source::Turned),
            _ => Value::Unknown(left.source().max(right.source())),
        }
    }
}
