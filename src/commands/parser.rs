//! The parser of command lines: the program's own options, its commands, and how lenient both are.

use clap::{Arg, ArgAction, ArgMatches, Args, FromArgMatches, Subcommand};

use super::list::{self, Command};
use crate::cli::{Globals, refuses};

const ABOUT: &str = "A terminal workspace for a team of coding agents";

/// What stands in one command line.
#[derive(Debug)]
pub(super) struct CommandLine {
    pub(super) own: Own,
    pub(super) command: Option<Command>,
}

/// Options of the program itself.
#[derive(Debug, Args)]
pub(super) struct Own {
    /// Print the version
    #[arg(short = 'v', long = "version")]
    pub(super) version: bool,
    #[command(flatten)]
    pub(super) globals: Globals,
}

impl CommandLine {
    /// Takes the values out of what a parser of this module has found.
    pub(super) fn from_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        Ok(Self {
            own: Own::from_arg_matches(matches)?,
            command: match matches.subcommand_name() {
                Some(_) => Some(Command::from_arg_matches(matches)?),
                None => None,
            },
        })
    }
}

/// The whole parser: for help, completions and words about what was mistyped.
pub fn whole() -> clap::Command {
    // Each part's own description replaces that of the program.
    let whole = lenient(Command::augment_subcommands(program())).about(ABOUT);
    let globals: Vec<Arg> = whole.get_arguments().cloned().collect();
    whole.mut_subcommands(|command| without_refused(command, &globals))
}

/// Keeps the global options that a command refuses after its name out of its help and completion: one
/// of its own that is hidden takes the place of each.
fn without_refused(command: clap::Command, globals: &[Arg]) -> clap::Command {
    let name = command.get_name().to_owned();
    let is_refused = |option: &&Arg| {
        let long = option.get_long();
        option.is_global_set() && long.is_some_and(|long| refuses(&name, long))
    };
    let hidden = globals.iter().filter(is_refused);
    let hidden: Vec<Arg> = hidden.map(|option| option.clone().hide(true)).collect();
    command.args(hidden)
}

/// The same commands, of which only the one that is named gets its options. It takes what the whole
/// parser takes, but its complaints and its help are not fit to be shown.
pub(super) fn quick() -> clap::Command {
    list::add_deferred(lenient(program()))
}

fn program() -> clap::Command {
    let program = clap::Command::new("grove")
        .disable_version_flag(true)
        .disable_help_subcommand(true)
        .after_help(
            "Examples:\n  grove init\n  grove sling auth-1 --capability builder --spec auth.md\n  \
             grove                    # the full screen\n\n\
             'grove <command> --help' shows more examples.",
        );
    Own::augment_args(program)
}

/// Options as the contract's parser takes them: whatever follows one is its value, and of several the
/// last one counts.
pub(super) fn lenient(command: clap::Command) -> clap::Command {
    let command = command.mut_args(|argument| {
        let id = argument.get_id().clone();
        let last_counts = matches!(
            argument.get_action(),
            ArgAction::Set | ArgAction::SetTrue | ArgAction::SetFalse
        );
        let takes_value = !argument.is_positional() && argument.get_action().takes_values();
        // One that takes several ends at the next option, there as here.
        let takes_several = argument
            .get_num_args()
            .is_some_and(|number| number.max_values() > 1);
        let argument = if takes_value && !takes_several {
            argument.allow_hyphen_values(true)
        } else {
            argument
        };
        if last_counts && !argument.is_positional() {
            argument.overrides_with(id)
        } else {
            argument
        }
    });
    command.mut_subcommands(lenient)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_argument_tree_is_consistent() {
        whole().debug_assert();
        quick().debug_assert();
    }

    #[test]
    fn the_quick_parser_knows_every_command_of_the_whole_one() {
        let names = |parser: clap::Command| -> Vec<String> {
            let names = parser.get_subcommands().map(clap::Command::get_name);
            names.map(str::to_owned).collect()
        };
        assert_eq!(names(quick()), names(whole()));
    }
}
