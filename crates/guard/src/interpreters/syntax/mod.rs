//! Program text of any scripting language, as a tree of tokens that brackets hold together.
//!
//! Knows strings, comments, patterns and brackets of each language family and nothing else.

mod here;
mod lexer;
mod quotes;
mod strings;
mod tree;

pub(super) use lexer::{MOST_TOKENS, tokens};
pub(super) use tree::{Node, tree};

/// The language family, which decides comments, quotes and what backquotes mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Family {
    Python,
    JavaScript,
    Perl,
    Ruby,
    Php,
    Other,
}

/// A piece of a string: text, or code whose value is put in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Part {
    Text(String),
    Code(String),
}

/// One token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Token {
    Name(String),
    Number(String),
    Text(Vec<Part>),
    /// A list of plain words (`qw(a b)`, `%w[a b]`).
    Words(Vec<String>),
    /// Text that the language runs as a command.
    Run(Vec<Part>),
    /// A regular expression, which is only matched.
    Pattern(String),
    Sign(&'static str),
    Line,
}

/// Program text taken apart.
#[derive(Debug, Default)]
pub(super) struct Lexed {
    pub(super) tokens: Vec<Token>,
    /// A string or pattern did not end, so that what follows may have been misread.
    pub(super) unclear: bool,
    /// How much there is to read: tokens, and more for those that hold code or lists of words.
    pub(super) weight: usize,
}

impl Lexed {
    /// Whether the text goes on behind the tokens: more than this is not read.
    pub(super) fn is_cut(&self) -> bool {
        self.weight > MOST_TOKENS
    }
}
