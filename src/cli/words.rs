//! The command line as its words stand, before and beside the parser: which command is meant, what is
//! an option, what an option's value, what stands free.

use std::ffi::OsString;

use clap::{Arg, Command};

/// Commands whose words were read by a parser of their own, which knows no global options and
/// reports its complaints in its own way.
const OWN_PARSER: [&str; 4] = ["mail", "nudge", "trace", "logs"];
/// What such a parser refuses after its command.
const NOT_THERE: [&str; 4] = ["-q", "--quiet", "--timing", "--project"];

/// Commands that only grove has, so that no other program's answers are compared with theirs.
const NEW: [&str; 7] = [
    "attach",
    "conflicts",
    "demo",
    "expertise",
    "guard",
    "pr",
    "task",
];
/// The same, below `merge`.
const NEW_BELOW_MERGE: [&str; 3] = ["list", "show", "undo"];

/// One command line, taken apart.
#[derive(Debug)]
pub struct Words<'a> {
    /// The program, the command, its subcommand.
    path: Vec<&'a Command>,
    /// Options after the command's name, without values.
    options: Vec<String>,
    /// Free words after the last command name.
    free: Vec<String>,
}

impl<'a> Words<'a> {
    /// Takes a command line apart, by the options that each command has.
    pub fn new(arguments: &[OsString], root: &'a Command) -> Self {
        let mut words = Self {
            path: vec![root],
            options: Vec::new(),
            free: Vec::new(),
        };
        let mut rest = arguments.iter().skip(1).map(|word| word.to_string_lossy());
        let mut only_free = false;
        while let Some(word) = rest.next() {
            if only_free || !word.starts_with('-') || word == "-" {
                words.stand_alone(&word);
            } else if word == "--" {
                only_free = true;
            } else {
                let (name, value) = word.split_once('=').unwrap_or((&word, ""));
                if value.is_empty() && words.takes_value(name) {
                    rest.next();
                }
                if words.path.len() > 1 {
                    words.options.push(name.to_owned());
                }
            }
        }
        words
    }

    fn stand_alone(&mut self, word: &str) {
        let below = self
            .leaf()
            .filter(|_| self.free.is_empty())
            .and_then(|leaf| leaf.find_subcommand(word));
        match below {
            Some(command) => self.path.push(command),
            None => self.free.push(word.to_owned()),
        }
    }

    fn takes_value(&self, name: &str) -> bool {
        let is_it = |argument: &&Arg| {
            argument
                .get_long()
                .is_some_and(|long| name.strip_prefix("--") == Some(long))
                || argument
                    .get_short()
                    .is_some_and(|short| name.strip_prefix('-') == Some(&short.to_string()))
        };
        self.path
            .iter()
            .flat_map(|command| command.get_arguments())
            .find(is_it)
            .is_some_and(|argument| argument.get_action().takes_values())
    }

    /// The innermost command that is named.
    pub fn leaf(&self) -> Option<&'a Command> {
        self.path.last().copied()
    }

    /// Name of the command after the program's, if there is one.
    pub fn command(&self) -> Option<&'a str> {
        self.path.get(1).map(|command| command.get_name())
    }

    /// Where the command that was meant explains itself.
    pub fn next_step(&self) -> String {
        let path: Vec<&str> = self.path.iter().map(|command| command.get_name()).collect();
        format!("'{} --help' shows examples", path.join(" "))
    }

    /// Whether the command is one that only grove has.
    pub fn is_new(&self) -> bool {
        let below = self.path.get(2).map(|command| command.get_name());
        match (self.command(), below) {
            (Some("merge"), Some(below)) => NEW_BELOW_MERGE.contains(&below),
            (Some(command), _) => NEW.contains(&command),
            (None, _) => false,
        }
    }

    /// Whether a parser of its own reads this command.
    pub fn has_own_parser(&self) -> bool {
        self.command()
            .is_some_and(|name| OWN_PARSER.contains(&name))
    }

    /// Whether an option stands after the command's name; before it, it is accepted and ignored.
    pub fn says(&self, option: &str) -> bool {
        self.options.iter().any(|name| name == option)
    }

    /// A global option where none may stand.
    pub fn misplaced(&self) -> Option<&str> {
        self.options
            .iter()
            .map(String::as_str)
            .find(|name| self.has_own_parser() && NOT_THERE.contains(name))
    }

    /// Whether a long option may stand after the command's name.
    pub fn may_follow(&self, long: &str) -> bool {
        let refused = |name: &&str| name.strip_prefix("--") == Some(long);
        !(self.has_own_parser() && NOT_THERE.iter().any(refused))
    }

    /// Free words after the innermost command.
    pub fn free(&self) -> &[String] {
        &self.free
    }

    /// The commands whose options may stand here: the innermost one and those above it.
    pub fn reachable(&self) -> impl Iterator<Item = &'a Command> {
        let from = usize::from(self.has_own_parser());
        self.path.iter().skip(from).rev().copied()
    }

    /// Whether the innermost command stands below another one of the same parser.
    pub fn is_nested(&self) -> bool {
        self.reachable().count() > 1
    }
}
