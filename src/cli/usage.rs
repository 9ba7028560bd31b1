//! Turns the argument parser's complaints into the contract's words.

use std::fmt::Write as _;

use clap::Command;
use clap::error::{ContextKind, ContextValue, ErrorKind as ClapKind};

use super::error::CliError;
use super::words::{Words, is_named};
use crate::text::{closest, similar};

/// Rewords a parse error. Help requests are not errors and must be handled before.
pub fn reword(error: &clap::Error, root: &Command, words: &Words<'_>) -> CliError {
    let argument = context(error, ContextKind::InvalidArg);
    let kind = error.kind();
    let is_out_of_place = matches!(
        kind,
        ClapKind::UnknownArgument | ClapKind::InvalidSubcommand
    );
    let is_about_words = is_out_of_place
        || matches!(
            kind,
            ClapKind::TooManyValues | ClapKind::MissingRequiredArgument
        );
    // The contract's parser looks for what has to be there before it looks at what must not be.
    if let Some(option) = words.missing_option().filter(|_| is_about_words) {
        return missing(&option.to_string());
    }
    if let Some(message) = behind_dashes(words).filter(|_| is_out_of_place) {
        return CliError::usage(message);
    }
    if kind == ClapKind::TooManyValues {
        let value = context(error, ContextKind::InvalidValue);
        let mut message = format!("error: unknown option '{argument}={value}'");
        suggest(&mut message, "", &[argument.as_str()]);
        return CliError::usage(message);
    }
    if kind == ClapKind::UnknownArgument {
        return unknown_argument(&argument, words);
    }
    if kind == ClapKind::MissingRequiredArgument {
        return missing(&argument);
    }
    if kind == ClapKind::InvalidSubcommand {
        let name = context(error, ContextKind::InvalidSubcommand);
        return if words.command().is_none() {
            unknown_command(&name, root)
        } else {
            unknown_subcommand(&name, words)
        };
    }
    let expects_value = matches!(
        kind,
        ClapKind::InvalidValue | ClapKind::NoEquals | ClapKind::WrongNumberOfValues
    );
    if expects_value && context(error, ContextKind::InvalidValue).is_empty() {
        return CliError::usage(format!("error: option '{argument}' argument missing"));
    }
    CliError::usage(first_line(&error.to_string()))
}

/// The message for a command that does not exist.
pub(crate) fn unknown_command(name: &str, root: &Command) -> CliError {
    // What nobody can see is quoted, and nothing is near to it.
    let is_word = name.contains(char::is_alphanumeric);
    let mut message = if name.trim().is_empty() {
        format!("Unknown command: '{name}'")
    } else {
        format!("Unknown command: {name}")
    };
    if let Some(near) = closest(name, visible(root)).filter(|_| is_word) {
        write!(message, "\nDid you mean '{near}'?").unwrap_or_default();
    }
    message.push_str("\nRun 'grove --help' for usage.");
    CliError::usage(message)
}

/// The message for an option that does not exist, or not here.
pub fn unknown_option(option: &str, words: &Words<'_>) -> CliError {
    let mut message = format!("error: unknown option '{option}'");
    if words.is_of_program(option) {
        // Of its own the program has its version, and its help, which every command knows.
        message.push_str(": 'grove --version' prints the version");
    } else if let Some(name) = option.strip_prefix("--") {
        let known = words.known_options().filter_map(clap::Arg::get_long);
        suggest(&mut message, "--", &similar(name, known));
    }
    CliError::usage(message)
}

/// What would mean something before `--` means nothing behind it.
fn behind_dashes(words: &Words<'_>) -> Option<String> {
    let word = words.behind_dashes().first()?;
    let is_first = words.free().len() == words.behind_dashes().len();
    let leaf = words.leaf().filter(|_| is_first);
    let what = if leaf.and_then(|leaf| leaf.find_subcommand(word)).is_some() {
        "command"
    } else if words.known_options().any(|option| is_named(option, word)) {
        "option"
    } else {
        return None;
    };
    Some(format!(
        "error: '{word}' is no {what} behind '--': use '{} {word}'",
        words.path()
    ))
}

/// A command without an action of its own misses a subcommand; one with an action has a word too many,
/// which may still be meant as one.
fn unknown_subcommand(name: &str, words: &Words<'_>) -> CliError {
    let Some(command) = words.leaf() else {
        return CliError::usage(too_many(words));
    };
    let mut message = if command.get_name() == "run" {
        too_many(words)
    } else {
        format!("error: unknown command '{name}'")
    };
    suggest(&mut message, "", &similar(name, visible(command)));
    CliError::usage(message)
}

fn unknown_argument(argument: &str, words: &Words<'_>) -> CliError {
    let is_free = words.behind_dashes().iter().any(|word| word == argument);
    if argument.starts_with('-') && !is_free {
        let whole = words.short_with_value().filter(|_| argument == "-=");
        return unknown_option(whole.unwrap_or(argument), words);
    }
    CliError::usage(too_many(words))
}

fn too_many(words: &Words<'_>) -> String {
    let leaf = words.leaf();
    let expected = leaf.map_or(0, |leaf| leaf.get_positionals().count());
    let place = match leaf {
        Some(leaf) if words.is_nested() => format!(" for '{}'", leaf.get_name()),
        Some(_) | None => String::new(),
    };
    let plural = if expected == 1 { "" } else { "s" };
    let count = words.free().len();
    let empty = if words.free().last().is_some_and(String::is_empty) {
        ", the last one empty"
    } else {
        ""
    };
    format!(
        "error: too many arguments{place}. Expected {expected} argument{plural} but got {count}{empty}."
    )
}

fn suggest(message: &mut String, prefix: &str, near: &[&str]) {
    let near: Vec<String> = near.iter().map(|name| format!("{prefix}{name}")).collect();
    let one_of = if near.len() > 1 { "one of " } else { "" };
    if !near.is_empty() {
        write!(message, "\n(Did you mean {one_of}{}?)", near.join(", ")).unwrap_or_default();
    }
}

fn visible(command: &Command) -> impl Iterator<Item = &str> {
    command
        .get_subcommands()
        .filter(|below| !below.is_hide_set())
        .map(Command::get_name)
}

fn missing(argument: &str) -> CliError {
    if argument.starts_with('-') {
        return CliError::usage(format!("error: required option '{argument}' not specified"));
    }
    let name = argument
        .trim_matches(['<', '>', '.', '[', ']'])
        .to_lowercase()
        .replace('_', "-");
    CliError::usage(format!("error: missing required argument '{name}'"))
}

/// The first value the parser attached under `kind`.
fn context(error: &clap::Error, kind: ContextKind) -> String {
    match error.get(kind) {
        Some(ContextValue::String(text)) => text.clone(),
        Some(ContextValue::Strings(texts)) => texts.first().cloned().unwrap_or_default(),
        Some(_) | None => String::new(),
    }
}

fn first_line(text: &str) -> String {
    text.lines().next().unwrap_or_default().to_owned()
}
