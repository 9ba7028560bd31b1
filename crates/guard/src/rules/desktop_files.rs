//! `gio`: the file tools of the desktop, and its way to start programs.

use super::process::opened;
use crate::commands::read_only;
use crate::policy::Judged;
use crate::shell::state::State;
use crate::shell::walk::Walker;

/// Judges one call by its first word.
pub(super) fn judge(w: &mut Walker<'_>, args: &[String], st: &State) -> Judged<()> {
    let operands: Vec<&str> = args
        .iter()
        .skip(1)
        .filter(|arg| !arg.starts_with('-'))
        .map(String::as_str)
        .collect();
    let sub = args.first().map_or("", String::as_str);
    match sub {
        "" | "help" | "version" | "--help" | "--version" | "info" | "list" | "cat" | "tree"
        | "monitor" => operands.iter().try_for_each(|path| w.read_path(path, st)),
        "mime" if operands.len() < 2 => Ok(()),
        // Emptying takes what others threw away.
        "trash"
            if args
                .iter()
                .any(|arg| arg == "--empty" || arg == "--restore") =>
        {
            Err(opened("gio", args)
                .err()
                .unwrap_or_else(|| read_only("empties the trash")))
        }
        "trash" if args.iter().any(|arg| arg == "--list") => Ok(()),
        "trash" | "remove" => operands
            .iter()
            .try_for_each(|path| w.delete_path(path, true, st)),
        "move" | "rename" => {
            for path in &operands {
                w.delete_path(path, true, st)?;
            }
            Ok(())
        }
        "copy" => {
            if let Some((target, sources)) = operands.split_last() {
                for path in sources {
                    w.read_path(path, st)?;
                }
                w.write_path(target, st)?;
            }
            Ok(())
        }
        "save" | "mkdir" | "set" => operands
            .iter()
            .take(if sub == "set" { 1 } else { operands.len() })
            .try_for_each(|path| w.write_path(path, st)),
        _ => opened("gio", args),
    }
}
