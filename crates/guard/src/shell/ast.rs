//! The syntax tree of a shell program, reduced to what decides which programs run and what they touch.
//!
//! Words keep their pieces apart (quoted or not, substitutions already parsed); nothing is expanded here.

use std::cell::OnceCell;
use std::rc::Rc;

/// A sequence of and-or lists.
#[derive(Debug, Default)]
pub(crate) struct List {
    pub(crate) items: Vec<Item>,
}

/// One and-or list with its separator.
#[derive(Debug)]
pub(crate) struct Item {
    pub(crate) first: Pipeline,
    pub(crate) rest: Vec<(Connector, Pipeline)>,
    pub(crate) background: bool,
}

/// What joins two pipelines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Connector {
    And,
    Or,
}

/// Commands joined by pipes.
#[derive(Debug)]
pub(crate) struct Pipeline {
    pub(crate) negated: bool,
    pub(crate) stages: Vec<Command>,
}

/// One stage of a pipeline.
#[derive(Debug)]
pub(crate) enum Command {
    Simple(Simple),
    Compound(Compound, Vec<Redirect>),
    Function { name: String, body: Rc<Self> },
}

/// A command with a body of other commands, or an expression that can hold substitutions.
#[derive(Debug)]
pub(crate) enum Compound {
    Subshell(List),
    Group(List),
    If {
        arms: Vec<(List, List)>,
        otherwise: Option<List>,
    },
    /// `while` and `until`: which of the two does not matter for what may run.
    While {
        condition: List,
        body: List,
    },
    For {
        name: String,
        words: Option<Vec<Word>>,
        body: List,
    },
    Case {
        subject: Word,
        arms: Vec<Arm>,
    },
    Test(Vec<Word>),
    Arithmetic(Word),
    ArithmeticFor(Word, List),
    /// `coproc NAME { …; }`; without a name it is `COPROC`.
    Coprocess(Option<String>, Box<Command>),
}

/// One arm of a `case`.
#[derive(Debug)]
pub(crate) struct Arm {
    pub(crate) patterns: Vec<Word>,
    pub(crate) body: List,
    /// `;&` or `;;&`: the arms behind may run as well.
    pub(crate) falls_through: bool,
}

/// Assignments, words and redirections of one simple command.
#[derive(Debug, Default)]
pub(crate) struct Simple {
    pub(crate) assigns: Vec<Assign>,
    pub(crate) words: Vec<Word>,
    pub(crate) redirects: Vec<Redirect>,
}

/// `NAME=value`, `NAME+=value`, `NAME[i]=value` or `NAME=(…)`.
#[derive(Debug)]
pub(crate) struct Assign {
    pub(crate) name: String,
    pub(crate) index: Option<Word>,
    pub(crate) append: bool,
    pub(crate) value: AssignValue,
}

/// The right side of an assignment.
#[derive(Debug)]
pub(crate) enum AssignValue {
    Scalar(Word),
    Array(Vec<Word>),
}

/// One redirection.
#[derive(Debug)]
pub(crate) struct Redirect {
    pub(crate) op: RedirectOp,
    /// What stands before the operator: a number, `{name}`, `&` for both streams, nothing.
    pub(crate) descriptor: String,
    /// `true` when the descriptor is standard input or left out on a reading operator.
    pub(crate) to_stdin: bool,
    /// `true` when what the command prints goes to the target.
    pub(crate) to_stdout: bool,
    /// `>>`: what is there stays.
    pub(crate) append: bool,
    pub(crate) target: Word,
    /// The body of a here-document, set once the parser has reached it.
    pub(crate) body: Option<Rc<OnceCell<Word>>>,
}

/// What a redirection does with its target.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RedirectOp {
    Read,
    Write,
    /// `>&word`: a descriptor when the word is a number or `-`, else a file.
    DupOut,
    DupIn,
    HereDoc,
    HereString,
}

/// A word before expansion.
#[derive(Debug, Clone, Default)]
pub(crate) struct Word {
    pub(crate) pieces: Vec<Piece>,
}

/// A part of a word.
#[derive(Debug, Clone)]
pub(crate) enum Piece {
    Text {
        text: String,
        quoted: bool,
    },
    /// `~` or `~name` at a place where the shell expands it.
    Tilde(String),
    Param {
        param: Box<Param>,
        quoted: bool,
    },
    Command {
        list: Rc<List>,
        quoted: bool,
    },
    Process {
        list: Rc<List>,
    },
    Arithmetic(Word),
}

/// `${name[index] op word}` in all its forms.
#[derive(Debug, Clone)]
pub(crate) struct Param {
    pub(crate) name: String,
    pub(crate) index: Option<Word>,
    pub(crate) indirect: bool,
    pub(crate) length: bool,
    pub(crate) op: Option<(ParamOp, Word)>,
}

/// The operator of a parameter expansion.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ParamOp {
    Default,
    Assign,
    Error,
    Alternative,
    CutSuffix { longest: bool },
    CutPrefix { longest: bool },
    Substring,
    Replace { all: bool },
    Upper { all: bool },
    Lower { all: bool },
    Transform,
}

impl Word {
    /// The text of a word that has no expansions and no quotes, as reserved words and names need it.
    pub(crate) fn plain(&self) -> Option<&str> {
        match self.pieces.as_slice() {
            [
                Piece::Text {
                    text,
                    quoted: false,
                },
            ] => Some(text),
            _ => None,
        }
    }

    /// A word of one literal, quoted piece.
    pub(crate) fn literal(text: String) -> Self {
        Self {
            pieces: vec![Piece::Text { text, quoted: true }],
        }
    }
}
