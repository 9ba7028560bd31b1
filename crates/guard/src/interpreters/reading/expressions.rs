//! Expressions: operands with what follows them, and the operators between.

use super::super::effects::table;
use super::super::syntax::{Family, Node};
use super::known;
use super::{Call, EXPRESSIONS, Found, Inside, Item, Owner, PROGRAM, Reader, Source, Value};

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

/// Words between two operands.
const BETWEEN: &[&str] = &[
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
                    let (right, _) = self.expression(nodes, at, inside);
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
                    let value = left.or(right).blurred();
                    self.assign(&target, &value);
                    return (value, None);
                }
                Node::Sign("=>") if self.family == Family::JavaScript => {
                    *at = here + 1;
                    self.parameters(nodes.get(from..here).unwrap_or_default());
                    let value = self.body(nodes, at, inside);
                    self.hand_on(&value);
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
                    left = self.operate(left, op, right);
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
                    match self.loop_head(nodes, here + 1) {
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
            _ => Value::Unknown(left.source().max(right.source())),
        }
    }

    /// One operand with everything that follows it: members, calls, indexes.
    fn operand(&mut self, nodes: &[Node], at: &mut usize, inside: Inside) -> Value {
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
        if returned {
            self.hand_on(&value);
        }
        value
    }

    fn bracketed(&mut self, bracket: char, inner: &[Node], pattern: bool) -> Value {
        if bracket == '{' {
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
        if bracket == '(' && items.len() == 1 {
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
        let name = match value {
            Value::Named(name) => name.rsplit('.').next().unwrap_or(name),
            Value::Method(method) => method.1.as_str(),
            Value::Text(_)
            | Value::Unknown(_)
            | Value::Path(_)
            | Value::List(_)
            | Value::Map(_)
            | Value::OneOf(_)
            | Value::Function => return false,
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
            let element = match receiver {
                Value::Method(method) => Self::element(&method.0),
                Value::Text(_)
                | Value::Unknown(_)
                | Value::Named(_)
                | Value::Path(_)
                | Value::List(_)
                | Value::Map(_)
                | Value::OneOf(_)
                | Value::Function => PROGRAM,
            };
            self.incoming = Some(element);
            self.parameters(inner.get(1..=end).unwrap_or_default());
            from = end + 2;
        }
        self.group(inner.get(from..).unwrap_or_default(), Inside::Block);
    }

    fn call(&mut self, callee: &Value, inner: &[Node]) -> Value {
        if let Value::Method(method) = callee
            && known::walks(&method.1)
        {
            self.incoming = Some(Self::element(&method.0));
        }
        let items = self.group(inner, Inside::List);
        self.incoming = None;
        self.called(callee, items)
    }

    fn called(&mut self, callee: &Value, items: Vec<Item>) -> Value {
        let mut args = Vec::new();
        let mut keys = Vec::new();
        for item in items {
            match item.key {
                Some(key) => keys.push((key, item.value)),
                None => args.push(item.value),
            }
        }
        let mut result: Option<Value> = None;
        for choice in callee.choices() {
            let value = self.one_call(choice, &args, &keys);
            result = Some(match result {
                None => value,
                Some(before) => before.or(value),
            });
        }
        result.unwrap_or(PROGRAM)
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
        if !known::only_shows(&name) {
            for value in args.iter().chain(keys.iter().map(|(_, value)| value)) {
                self.hand_on(value);
            }
        }
        let value = match callee {
            Value::Named(full) => self.known_call(full, args, keys),
            Value::Method(method) => self.known_method(&method.0, &method.1, args),
            Value::Text(_)
            | Value::Unknown(_)
            | Value::Path(_)
            | Value::List(_)
            | Value::Map(_)
            | Value::OneOf(_)
            | Value::Function => None,
        };
        let value = value.unwrap_or_else(|| {
            let mut source = if known::reads_content(&name) {
                Source::Content
            } else {
                Source::Program
            };
            if known::conjures(&name) {
                source = Source::Outside;
            }
            if let Owner::Object(object) = &owner {
                source = source.max(object.source());
            }
            Value::Unknown(args.iter().map(Value::source).fold(source, Source::max))
        });
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
