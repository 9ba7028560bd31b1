//! The command line as its words stand, before and beside the parser: which command is meant, what is
//! an option, what an option's value, what stands free.

use std::ffi::OsString;

use clap::{Arg, Command};

/// Commands whose words were read by a parser of their own, which knows no global options and
/// reports its complaints in its own way.
const OWN_PARSER: [&str; 4] = ["mail", "nudge", "trace", "logs"];
/// What such a parser refuses after its command.
const NOT_THERE: [&str; 4] = ["-q", "--quiet", "--timing", "--project"];

/// Whether a command, named by its word after the program's, refuses a global option after its name.
pub fn refuses(command: &str, long: &str) -> bool {
    let is_it = |name: &&str| name.strip_prefix("--") == Some(long);
    OWN_PARSER.contains(&command) && NOT_THERE.iter().any(is_it)
}

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
    /// Those of them that stand behind `--`, whatever they look like.
    behind_dashes: Vec<String>,
    /// Every word after the program's name.
    given: Vec<String>,
}

impl<'a> Words<'a> {
    /// Takes a command line apart, by the options that each command has.
    pub fn new(arguments: &[OsString], root: &'a Command) -> Self {
        let mut words = Self {
            path: vec![root],
            options: Vec::new(),
            free: Vec::new(),
            behind_dashes: Vec::new(),
            given: Vec::new(),
        };
        let given = arguments.iter().skip(1);
        words.given = given
            .map(|word| word.to_string_lossy().into_owned())
            .collect();
        let given = words.given.clone();
        let mut rest = given.iter();
        while let Some(word) = rest.next() {
            if word == "--" {
                words.behind_dashes = rest.cloned().collect();
                words.free.extend_from_slice(&words.behind_dashes);
                break;
            }
            if !word.starts_with('-') || word == "-" {
                words.stand_alone(word);
            } else {
                let (name, value) = word.split_once('=').unwrap_or((word, ""));
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
        self.path
            .iter()
            .flat_map(|command| command.get_arguments())
            .find(|argument| is_named(argument, name))
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

    /// The program and the commands that are named.
    pub fn path(&self) -> String {
        let path: Vec<&str> = self.path.iter().map(|command| command.get_name()).collect();
        path.join(" ")
    }

    /// Where the command that was meant explains itself.
    pub fn next_step(&self) -> String {
        format!("'{} --help' shows examples", self.path())
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

    /// Options that may stand after the innermost command: its own, and the global ones of those above.
    pub fn known_options(&self) -> impl Iterator<Item = &'a Arg> {
        let commands = self.path.iter().rev().enumerate();
        let options = commands.flat_map(|(above, command)| {
            let options = command.get_arguments();
            options.filter(move |option| above == 0 || option.is_global_set())
        });
        options.filter(|option| {
            !option.is_hide_set() && !option.is_positional() && !self.is_refused(option)
        })
    }

    /// The first option that the innermost command cannot do without and that is not given.
    pub fn missing_option(&self) -> Option<&'a Arg> {
        let mut own = self.leaf()?.get_arguments();
        own.find(|option| {
            let is_given = |name: &String| is_named(option, name) || has_alias(option, name);
            !option.is_positional()
                && option.is_required_set()
                && !self.options.iter().any(is_given)
        })
    }

    fn is_refused(&self, option: &Arg) -> bool {
        let command = self.command().unwrap_or_default();
        option.get_long().is_some_and(|long| refuses(command, long))
    }

    /// An option of the program alone, given after a command.
    pub fn is_of_program(&self, option: &str) -> bool {
        let program = self.path.first().filter(|_| self.path.len() > 1);
        program.is_some_and(|program| {
            let mut own = program.get_arguments().filter(|arg| !arg.is_global_set());
            own.any(|arg| is_named(arg, option))
        })
    }

    /// Words behind `--`.
    pub fn behind_dashes(&self) -> &[String] {
        &self.behind_dashes
    }

    /// The word that is a cluster of short options with a value.
    pub fn short_with_value(&self) -> Option<&str> {
        let is_it =
            |word: &&String| word.starts_with('-') && !word.starts_with("--") && word.contains('=');
        self.given.iter().find(is_it).map(String::as_str)
    }

    /// Free words after the innermost command.
    pub fn free(&self) -> &[String] {
        &self.free
    }

    /// Whether the innermost command stands below another one of the same parser.
    pub fn is_nested(&self) -> bool {
        let parsers = if self.has_own_parser() { 2 } else { 1 };
        self.path.len() > parsers
    }
}

fn has_alias(option: &Arg, word: &str) -> bool {
    let aliases = option.get_all_aliases().unwrap_or_default();
    let name = word.strip_prefix("--");
    name.is_some_and(|name| aliases.contains(&name))
}

/// Whether an option is given by this word, `--long` or `-s`.
pub(super) fn is_named(option: &Arg, word: &str) -> bool {
    option
        .get_long()
        .is_some_and(|long| word.strip_prefix("--") == Some(long))
        || option
            .get_short()
            .is_some_and(|short| word.strip_prefix('-') == Some(&short.to_string()))
}
