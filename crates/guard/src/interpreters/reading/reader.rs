//! The reader, its state, and what it finds.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use super::super::effects::table::{self, Effect};
use super::super::syntax::{Family, MOST_TOKENS, Node, tokens, tree};
use super::called_by_name::{Helpers, ROUNDS};
use super::value::{Source, Value};

/// Bytes of text one reading may put together.
pub(super) const MADE: usize = 1 << 20;
/// Code inside of strings inside of code is followed this deep.
pub(super) const DEEPEST: usize = 4;
/// Expressions nest in each other this deep.
pub(super) const EXPRESSIONS: usize = 400;

/// What stands before the name of a called function.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::interpreters) enum Owner {
    None,
    Module(String),
    Object(Value),
}

/// A call.
#[derive(Debug, Clone)]
pub(in crate::interpreters) struct Call {
    pub(in crate::interpreters) owner: Owner,
    pub(in crate::interpreters) name: String,
    pub(in crate::interpreters) args: Vec<Value>,
    pub(in crate::interpreters) keys: Vec<(String, Value)>,
}

/// Something a program does.
#[derive(Debug, Clone)]
pub(in crate::interpreters) enum Found {
    Call(Call),
    /// Text that the language runs as a command.
    Run(Value),
    /// A function or module that changes things, used as a value: where it is called is not followed.
    Escape(String, Effect),
    /// Something that runs only by a computed name.
    Computed(String),
}

/// Everything read off a program.
#[derive(Debug, Default)]
pub(in crate::interpreters) struct Reading {
    pub(in crate::interpreters) found: Vec<Found>,
    /// Every piece of text, written out or put together.
    pub(in crate::interpreters) texts: Vec<Rc<str>>,
    /// Every name used.
    pub(in crate::interpreters) words: HashSet<String>,
    /// Every module brought in.
    pub(in crate::interpreters) imports: HashSet<String>,
    /// A string did not end, so that parts may have been misread.
    pub(in crate::interpreters) unclear: bool,
    /// How many tokens were read, a second time where that was needed.
    pub(in crate::interpreters) tokens: usize,
}

/// Why a program was not read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(in crate::interpreters) enum Unread {
    #[error("the code nests too deep to follow; put it in a project script")]
    TooDeep,
    #[error(
        "the code has more than {MOST_TOKENS} words and signs; write it to a file in your worktree and run that"
    )]
    TooLong,
}

/// Item of a list, of arguments, of a map or of a block.
pub(super) struct Item {
    pub(super) key: Option<String>,
    pub(super) value: Value,
}

/// What may stand between two brackets, or at the top.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Inside {
    /// Statements; a line ends one.
    Block,
    /// Statements or the pairs of a map.
    Braces,
    /// A list: lines mean nothing.
    List,
}

pub(super) struct Reader {
    pub(super) family: Family,
    pub(super) names: HashMap<String, Value>,
    pub(super) defined: HashSet<String>,
    pub(super) out: Reading,
    pub(super) made: usize,
    pub(super) depth: usize,
    /// Tokens read inside of strings so far: each level reads again what the levels below it hold.
    pub(super) again: usize,
    pub(super) level: usize,
    /// What the next function literal is given.
    pub(super) incoming: Option<Value>,
    /// Lists and maps that were changed so far.
    pub(super) changes: usize,
    /// A name got a value after it had been used.
    pub(super) late: bool,
    pub(super) helpers: Helpers,
}

/// Reads a program.
pub(in crate::interpreters) fn read(source: &str, family: Family) -> Result<Reading, Unread> {
    let lexed = tokens(source, family);
    let count = lexed.tokens.len();
    if lexed.is_cut() {
        return Err(Unread::TooLong);
    }
    let nodes = tree(lexed.tokens).ok_or(Unread::TooDeep)?;
    let mut helpers = Helpers::of(&nodes, family);
    let mut all = 0;
    for round in 0..=ROUNDS {
        if round == ROUNDS {
            // Still not settled: each may be given anything.
            helpers = Helpers::default();
        }
        let follows = !helpers.params.is_empty();
        let (mut out, after) = read_through(&nodes, family, helpers, count);
        helpers = after;
        all += out.tokens;
        if !follows || helpers.settle() {
            out.unclear |= lexed.unclear;
            out.tokens = all;
            return Ok(out);
        }
    }
    Err(Unread::TooDeep)
}

/// One reading, or two where a name got a value after it was used.
fn read_through(
    nodes: &[Node],
    family: Family,
    helpers: Helpers,
    count: usize,
) -> (Reading, Helpers) {
    let mut first = Reader::new(family, 0);
    first.helpers = helpers;
    first.out.tokens = count;
    first.sequence(nodes, Inside::Block);
    if !first.late {
        return (first.out, first.helpers);
    }
    let mut second = Reader::new(family, 0);
    second.names = first.names;
    second.defined = first.defined;
    second.helpers = first.helpers;
    second.out.tokens = 2 * count;
    second.sequence(nodes, Inside::Block);
    (second.out, second.helpers)
}

impl Reader {
    pub(super) fn new(family: Family, depth: usize) -> Self {
        Self {
            family,
            names: HashMap::new(),
            defined: HashSet::new(),
            out: Reading::default(),
            made: 0,
            again: 0,
            depth,
            level: 0,
            incoming: None,
            changes: 0,
            late: false,
            helpers: Helpers::default(),
        }
    }

    pub(super) fn is(&self, families: &[Family]) -> bool {
        families.contains(&self.family)
    }

    /// Remembers text that may be a path, and gives it as a value.
    pub(super) fn noted(&mut self, value: Value) -> Value {
        for choice in value.choices() {
            if let Some(text) = choice.as_text() {
                self.made += text.len();
                if self.made > MADE {
                    return Value::Unknown(Source::Outside);
                }
                self.out.texts.push(text.into());
            }
        }
        value
    }

    pub(super) fn computed(&mut self, what: &str) {
        self.out.found.push(Found::Computed(what.to_owned()));
    }

    /// Reports a value that changes things and is handed on.
    pub(super) fn hand_on(&mut self, value: &Value) {
        for choice in value.choices() {
            let found = if let Value::Named(name) = choice {
                table::escape(name, self.family).map(|effect| (name.to_string(), effect))
            } else if let Value::Method(method) = choice {
                table::method_escape(&method.1)
                    .filter(|_| matches!(method.0, Value::Path(_)))
                    .map(|effect| (method.1.clone(), effect))
            } else {
                None
            };
            if let Some((name, effect)) = found {
                self.out.found.push(Found::Escape(name, effect));
            }
        }
    }

    /// Reads what stands between two brackets.
    pub(super) fn group(&mut self, nodes: &[Node], inside: Inside) -> Vec<Item> {
        self.sequence(nodes, inside)
    }
}
