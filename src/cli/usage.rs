//! Turns the argument parser's complaints into the contract's words.

use std::ffi::OsString;
use std::fmt::Write as _;

use clap::Command;
use clap::error::{ContextKind, ContextValue, ErrorKind as ClapKind};

use super::error::CliError;
use crate::text::closest;

/// Rewords a parse error of a command line, given with its program. Help requests are not errors
/// and must be handled before.
pub fn reword(error: &clap::Error, root: &Command, arguments: &[OsString]) -> CliError {
    let (group, path) = reached(root, arguments);
    if error.kind() == ClapKind::InvalidSubcommand {
        let name = context(error, ContextKind::InvalidSubcommand);
        return unknown_command(&name, group, &path);
    }
    bare(error).tip(format!("'{path} --help' shows examples"))
}

/// The command that the line reaches, and its words.
fn reached<'a>(root: &'a Command, arguments: &[OsString]) -> (&'a Command, String) {
    let mut command = root;
    let mut path = "grove".to_owned();
    let mut words = arguments.iter().skip(1).filter_map(|a| a.to_str());
    while let Some(word) = words.next() {
        if word == "--project" {
            words.next();
        } else if let Some(below) = command.find_subcommand(word) {
            command = below;
            write!(path, " {word}").unwrap_or_default();
        } else if !word.starts_with('-') {
            break;
        }
    }
    (command, path)
}

/// The complaint alone.
fn bare(error: &clap::Error) -> CliError {
    let argument = context(error, ContextKind::InvalidArg);
    let kind = error.kind();
    if kind == ClapKind::UnknownArgument {
        return unknown_argument(error, &argument);
    }
    if kind == ClapKind::MissingRequiredArgument {
        return missing(&argument);
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
fn unknown_command(name: &str, group: &Command, path: &str) -> CliError {
    let mut message = format!("Unknown command: {name}");
    let names = group
        .get_subcommands()
        .filter(|command| !command.is_hide_set())
        .map(Command::get_name);
    if let Some(near) = closest(name, names) {
        write!(message, "\nDid you mean '{near}'?").unwrap_or_default();
    }
    write!(message, "\nRun '{path} --help' for usage.").unwrap_or_default();
    CliError::usage(message)
}

fn unknown_argument(error: &clap::Error, argument: &str) -> CliError {
    if !argument.starts_with('-') {
        return CliError::usage(format!(
            "error: too many arguments: unexpected '{argument}'"
        ));
    }
    let mut message = format!("error: unknown option '{argument}'");
    let near = context(error, ContextKind::SuggestedArg);
    if !near.is_empty() {
        write!(message, "\n(Did you mean {near}?)").unwrap_or_default();
    }
    CliError::usage(message)
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
