//! Operands: values, groups and definitions, with the members, calls and indexes behind them.

use super::super::effects::table;
use super::super::syntax::{Family, Node};
use super::expressions::BETWEEN;
use super::{Found, Inside, Item, PROGRAM, Reader, Source, Value};

/// Words that stand before an operand and mean nothing here.
const BEFORE: &[&str] = &[
    "await",
    "new",
    "return",
    "typeof",
    "void",
    "yield",
    "not",
    "throw",
    "raise",
    "delete",
    "del",
    "let",
    "const",
    "var",
    "my",
    "our",
    "local",
    "async",
    "export",
    "default",
    "if",
    "elif",
    "elsif",
    "while",
    "until",
    "unless",
    "switch",
    "catch",
    "except",
    "with",
    "assert",
    "case",
    "when",
    "else",
    "try",
    "finally",
    "do",
    "then",
    "begin",
    "ensure",
    "rescue",
    "echo",
    "static",
    "public",
    "private",
    "protected",
    "abstract",
    "final",
    "readonly",
    "global",
    "nonlocal",
];

impl Reader {
    /// One operand with everything that follows it: members, calls, indexes.
    pub(super) fn operand(&mut self, nodes: &[Node], at: &mut usize, inside: Inside) -> Value {
        let mut sigil = "";
        let mut returned = false;
        loop {
            match nodes.get(*at) {
                Some(Node::Line) if inside == Inside::List => {}
                Some(Node::Sign(
                    sign @ ("!" | "-" | "+" | "~" | "*" | "**" | "&" | "\\" | "..." | "@" | "$"
                    | "%" | "<" | "?" | "|" | "/" | "#" | "^" | "." | "::"),
                )) => {
                    sigil = sign;
                }
                Some(Node::Name(word)) if word == "lambda" && self.family == Family::Python => {
                    return self.lambda(nodes, at, inside);
                }
                // `do "file"` runs a file.
                Some(Node::Name(word))
                    if word == "do"
                        && self.family == Family::Perl
                        && matches!(nodes.get(*at + 1), Some(Node::Text(_) | Node::Sign("$"))) =>
                {
                    break;
                }
                Some(Node::Name(word)) if BEFORE.contains(&word.as_str()) && sigil.is_empty() => {
                    // A function that deletes files, where it is no word of the language.
                    if word == "del" && self.family != Family::Python {
                        break;
                    }
                    if matches!(nodes.get(*at + 1), Some(Node::Sign("." | "=" | "=>" | ":"))) {
                        break;
                    }
                    returned |= matches!(word.as_str(), "return" | "yield");
                }
                _ => break,
            }
            *at += 1;
        }
        let Some(node) = nodes.get(*at) else {
            return PROGRAM;
        };
        let mut value = match node {
            Node::Name(word)
                if matches!(
                    word.as_str(),
                    "function" | "def" | "sub" | "class" | "func" | "fn"
                ) && sigil.is_empty() =>
            {
                return self.definition(nodes, at);
            }
            Node::Name(word) => match word.as_str() {
                "this" | "self" | "super" if self.family != Family::Perl => PROGRAM,
                _ if self.helpers.params.contains_key(word)
                    && matches!(nodes.get(*at + 1), Some(Node::Group('(', _))) =>
                {
                    if let Some(Node::Group('(', inner)) = nodes.get(*at + 1) {
                        *at += 1;
                        self.out.words.insert(word.clone());
                        self.helper_call(word, inner)
                    } else {
                        PROGRAM
                    }
                }
                _ => self.lookup(word),
            },
            Node::Number(number) => Value::text(number),
            Node::Text(parts) => self.string(parts),
            Node::Words(words) => Value::list(words.iter().map(|word| Value::text(word)).collect()),
            Node::Run(parts) => {
                let text = self.string(parts);
                self.out.found.push(Found::Run(text));
                Value::Unknown(Source::Content)
            }
            Node::Pattern(pattern) => {
                if self.family == Family::Perl
                    && (pattern.contains("(?{") || pattern.contains("(??{"))
                {
                    self.computed("code in a pattern");
                }
                PROGRAM
            }
            Node::Group(bracket, inner) => {
                let arrow = matches!(nodes.get(*at + 1), Some(Node::Sign("=>")));
                self.bracketed(*bracket, inner, arrow)
            }
            Node::Sign(_) => {
                // Not the start of an operand.
                if matches!(node, Node::Sign("," | ";" | ":" | "=" | "=>")) {
                    return PROGRAM;
                }
                *at += 1;
                return PROGRAM;
            }
            Node::Line => return PROGRAM,
        };
        *at += 1;
        value = self.followed(value, nodes, at, inside, sigil);
        // A decorator is called with what stands below it.
        if returned {
            self.gives_back(&value);
        }
        if returned || sigil == "@" && self.family == Family::Python {
            self.hand_on(&value);
        }
        value
    }

    fn bracketed(&mut self, bracket: char, inner: &[Node], pattern: bool) -> Value {
        if bracket == '{' {
            if inner.iter().all(|node| *node == Node::Line) {
                return Value::map(Vec::new());
            }
            self.renamed(inner);
            let items = self.group(inner, Inside::Braces);
            if items.iter().all(|item| item.key.is_none()) {
                return PROGRAM;
            }
            let mut pairs = Vec::new();
            for item in items {
                if !pattern {
                    self.hand_on(&item.value);
                }
                pairs.push((item.key.unwrap_or_default(), item.value));
            }
            return Value::map(pairs);
        }
        let items = self.group(inner, Inside::List);
        if bracket == '(' && items.len() == 1 && !self.lists_one(inner) {
            return items.into_iter().next().map_or(PROGRAM, |item| item.value);
        }
        let mut values = Vec::new();
        for item in items {
            if !pattern {
                self.hand_on(&item.value);
            }
            values.push(item.value);
        }
        Value::list(values)
    }

    /// Whether round brackets around one value make a list of it: `(x,)` in Python, `([…])` in Perl.
    fn lists_one(&self, inner: &[Node]) -> bool {
        match self.family {
            Family::Python => inner.contains(&Node::Sign(",")),
            Family::Perl => is_reference(inner),
            Family::JavaScript | Family::Ruby | Family::Php | Family::Other => false,
        }
    }

    fn lambda(&mut self, nodes: &[Node], at: &mut usize, inside: Inside) -> Value {
        *at += 1;
        let from = *at;
        while nodes.get(*at).is_some_and(|node| *node != Node::Sign(":")) {
            *at += 1;
        }
        self.parameters(nodes.get(from..*at).unwrap_or_default());
        *at += 1;
        let (value, _) = self.expression(nodes, at, inside);
        self.hand_on(&value);
        self.gives_back(&value);
        Value::Function
    }

    /// `function name(a, b) {…}`, `def name(a, b):`, `sub name {…}`.
    fn definition(&mut self, nodes: &[Node], at: &mut usize) -> Value {
        *at += 1;
        loop {
            match nodes.get(*at) {
                Some(Node::Name(name)) => {
                    self.late |= self.out.words.contains(name) && !self.defined.contains(name);
                    self.defined.insert(name.clone());
                    if self.helpers.params.contains_key(name) {
                        self.helpers.naming = Some(name.clone());
                    }
                    *at += 1;
                }
                Some(Node::Sign("*" | "." | "<")) => *at += 1,
                Some(Node::Group('(', inner)) => {
                    self.parameters(inner);
                    *at += 1;
                    break;
                }
                _ => break,
            }
        }
        if let Some(Node::Group('{', inner)) = nodes.get(*at) {
            self.group(inner, Inside::Block);
            *at += 1;
        }
        Value::Function
    }

    /// Members, calls and indexes behind an operand.
    fn followed(
        &mut self,
        mut value: Value,
        nodes: &[Node],
        at: &mut usize,
        inside: Inside,
        sigil: &str,
    ) -> Value {
        loop {
            let mut here = *at;
            while matches!(nodes.get(here), Some(Node::Line)) {
                here += 1;
            }
            if here > *at
                && inside != Inside::List
                && !matches!(nodes.get(here), Some(Node::Sign("." | "?." | "->")))
            {
                return value;
            }
            let adjacent = here == *at;
            match nodes.get(here) {
                Some(Node::Sign("." | "?." | "->" | "::"))
                    if !(self.is(&[Family::Perl, Family::Php])
                        && nodes.get(here) == Some(&Node::Sign("."))) =>
                {
                    match nodes.get(here + 1) {
                        Some(Node::Name(name)) => {
                            let name = name.clone();
                            value = self.member(&value, &name);
                            *at = here + 2;
                        }
                        Some(Node::Group(..)) => *at = here + 1,
                        _ => {
                            *at = here + 1;
                            return PROGRAM;
                        }
                    }
                }
                Some(Node::Group('(', inner)) if adjacent || inside == Inside::List => {
                    *at = here + 1;
                    value = self.call(&value, inner);
                }
                Some(Node::Group('[', inner))
                    if adjacent
                        && self.family == Family::Python
                        && inner.contains(&Node::Sign(":"))
                        && matches!(value, Value::List(_) | Value::OneOf(_)) =>
                {
                    *at = here + 1;
                    self.group(inner, Inside::List);
                    value = Self::sliced(&value);
                }
                Some(Node::Group('[', inner)) if adjacent => {
                    *at = here + 1;
                    let items = self.group(inner, Inside::List);
                    value = self.index(&value, &items);
                }
                Some(Node::Group('{', inner)) if adjacent && self.family == Family::Perl => {
                    let arrow = nodes.get(here.wrapping_sub(1)) == Some(&Node::Sign("->"));
                    if sigil.is_empty() && !arrow {
                        return value;
                    }
                    *at = here + 1;
                    let items = self.group(inner, Inside::List);
                    value = self.index(&value, &items);
                }
                Some(Node::Group('{', inner)) if adjacent && self.family == Family::Ruby => {
                    *at = here + 1;
                    self.block(inner, &value);
                    value = value.blurred();
                }
                Some(Node::Text(parts)) if adjacent && self.family == Family::JavaScript => {
                    // A template with a tag.
                    let text = self.string(parts);
                    *at = here + 1;
                    let items = vec![Item {
                        key: None,
                        value: text,
                    }];
                    value = self.called(&value, items);
                }
                Some(node) if adjacent && self.calls_words(&value, sigil, node) => {
                    let mut items = Vec::new();
                    loop {
                        let (item, key) = self.expression(nodes, at, Inside::Block);
                        items.push(Item { key, value: item });
                        match nodes.get(*at) {
                            Some(Node::Sign("," | "=>")) => *at += 1,
                            _ => break,
                        }
                    }
                    value = self.called(&value, items);
                }
                _ => return value,
            }
        }
    }

    /// Whether a name is called with the words behind it.
    fn calls_words(&self, value: &Value, sigil: &str, next: &Node) -> bool {
        let includes = self.family == Family::Php
            && matches!(value, Value::Named(name) if name.starts_with("include") || name.starts_with("require"));
        if !includes && !self.is(&[Family::Perl, Family::Ruby])
            || !matches!(sigil, "" | "!" | "-" | "&" | "::")
        {
            return false;
        }
        let name = if let Value::Named(name) = value {
            name.rsplit('.').next().unwrap_or(name)
        } else if let Value::Method(method) = value {
            method.1.as_str()
        } else {
            return false;
        };
        let starts = match next {
            Node::Text(_) | Node::Words(_) | Node::Run(_) | Node::Number(_) => true,
            Node::Name(word) => !BETWEEN.contains(&word.as_str()) && word != "do" && word != "for",
            Node::Sign("$" | "@" | "\\") => true,
            Node::Sign("*") => true,
            Node::Sign("<" | "%" | "-") => self.family == Family::Perl,
            Node::Group('[', _) => self.family == Family::Ruby,
            Node::Pattern(_) | Node::Sign(_) | Node::Line | Node::Group(..) => false,
        };
        starts && table::takes_words(name)
    }

    /// A block of Ruby: its first parameter is an element of what it was called on.
    fn block(&mut self, inner: &[Node], receiver: &Value) {
        let mut from = 0;
        if inner.first() == Some(&Node::Sign("|"))
            && let Some(end) = inner
                .iter()
                .skip(1)
                .position(|node| *node == Node::Sign("|"))
        {
            let element = if let Value::Method(method) = receiver {
                Self::element(&method.0)
            } else {
                PROGRAM
            };
            self.incoming = Some(element);
            self.parameters(inner.get(1..=end).unwrap_or_default());
            from = end + 2;
        }
        self.group(inner.get(from..).unwrap_or_default(), Inside::Block);
    }
}

/// Whether a list of Perl is written out in square brackets: one value, whose parts stay together.
pub(super) fn is_reference(nodes: &[Node]) -> bool {
    let mut told = nodes.iter().filter(|node| **node != Node::Line);
    matches!(
        (told.next(), told.next()),
        (Some(Node::Group('[', _)), None | Some(Node::Sign(",")))
    )
}
