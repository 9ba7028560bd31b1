//! Turns the argument parser's complaints into the contract's words.

use std::fmt::Write as _;

use clap::Command;
use clap::error::{ContextKind, ContextValue, ErrorKind as ClapKind};

use super::error::CliError;
use super::words::Words;
use crate::text::{closest, similar};

/// Rewords a parse error. Help requests are not errors and must be handled before.
pub fn reword(error: &clap::Error, root: &Command, words: &Words<'_>) -> CliError {
    let argument = context(error, ContextKind::InvalidArg);
    let kind = error.kind();
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
    let mut message = format!("Unknown command: {name}");
    if let Some(near) = closest(name, visible(root)) {
        write!(message, "\nDid you mean '{near}'?").unwrap_or_default();
    }
    message.push_str("\nRun 'grove --help' for usage.");
    CliError::usage(message)
}

/// The message for an option that does not exist, or not here.
pub fn unknown_option(option: &str, words: &Words<'_>) -> CliError {
    let mut message = format!("error: unknown option '{option}'");
    if let Some(name) = option.strip_prefix("--") {
        let known = words
            .reachable()
            .flat_map(Command::get_arguments)
            .filter(|argument| !argument.is_hide_set())
            .filter_map(clap::Arg::get_long)
            .filter(|known| words.may_follow(known));
        suggest(&mut message, "--", &similar(name, known));
    }
    CliError::usage(message)
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
    if argument.starts_with('-') {
        return unknown_option(argument, words);
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
    format!(
        "error: too many arguments{place}. Expected {expected} argument{plural} but got {}.",
        words.free().len()
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
