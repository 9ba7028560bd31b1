//! Files of compose that this very command has written: what their services would see of this machine.
//!
//! Read line by line; what stands under other names is not looked at.

use super::flow;
use super::judge::{mount, power};
use super::words::Words;
use crate::policy::Judged;
use crate::shell::state::State;
use crate::shell::walk::Walker;

/// The files that are read where none is named.
const USUAL: &[&str] = &[
    "compose.yaml",
    "compose.yml",
    "docker-compose.yaml",
    "docker-compose.yml",
    "compose.override.yaml",
    "compose.override.yml",
    "docker-compose.override.yaml",
    "docker-compose.override.yml",
];

/// What gives a service power over this machine.
const POWERS: &[(&str, &str)] = &[
    ("privileged", "true"),
    ("pid", "host"),
    ("ipc", "host"),
    ("userns_mode", "host"),
];

/// Judges the services of the files that compose would read.
pub(super) fn judge(w: &mut Walker<'_>, words: &Words, st: &State) -> Judged<()> {
    if w.written.is_empty() || matches!(words.second, "down" | "stop" | "pull" | "exec") {
        return Ok(());
    }
    let named = words.all.windows(2).filter_map(|pair| match pair {
        [option, file] if matches!(option.as_str(), "-f" | "--file") => Some(file.as_str()),
        _ => None,
    });
    let attached = words.all.iter().filter_map(|word| {
        word.strip_prefix("--file=")
            .or_else(|| word.strip_prefix("-f"))
    });
    let files: Vec<String> = USUAL
        .iter()
        .copied()
        .chain(named)
        .chain(attached)
        .map(str::to_owned)
        .collect();
    for file in files {
        if let Some(code) = w.known_text(&file, st) {
            w.charge(code.len() / 16)?;
            services(w, &flow::spread(&code), st)?;
        }
    }
    Ok(())
}

fn services(w: &mut Walker<'_>, code: &str, st: &State) -> Judged<()> {
    // How far in stands the key whose list names folders.
    let mut folders: Option<usize> = None;
    for line in code.lines() {
        let text = line.trim_start();
        let inset = line.len() - text.len();
        let text = text.split(" #").next().unwrap_or(text).trim_end();
        if text.is_empty() || text.starts_with('#') {
            continue;
        }
        let item = text.strip_prefix("- ").map(str::trim_start);
        if folders.is_some_and(|at| inset < at || inset == at && item.is_none()) {
            folders = None;
        }
        let (key, value) = item.unwrap_or(text).split_once(':').unwrap_or_default();
        let (key, value) = (unquoted(key), unquoted(value.trim()));
        if POWERS.contains(&(key, value)) || matches!(key, "cap_add" | "devices") && item.is_none()
        {
            return Err(power(key));
        }
        match key {
            "volumes" if item.is_none() => {
                folders = Some(inset);
                let listed = value.trim_start_matches('[').trim_end_matches(']');
                for entry in listed.split(',').filter(|entry| entry.contains(':')) {
                    entry_of(w, unquoted(entry.trim()), st)?;
                }
            }
            "source" | "device" => mount_of(w, value, false, st)?,
            _ => {
                if let Some(entry) = item.filter(|_| folders.is_some()) {
                    entry_of(w, unquoted(entry), st)?;
                }
            }
        }
    }
    Ok(())
}

/// `FOLDER:/where[:ro]`
fn entry_of(w: &mut Walker<'_>, entry: &str, st: &State) -> Judged<()> {
    // `${DATA:-./data}` has a colon of its own.
    let behind = if entry.starts_with("${") {
        entry.find('}').map_or(0, |at| at + 1)
    } else {
        0
    };
    let Some(at) = entry.get(behind..).and_then(|rest| rest.find(':')) else {
        return Ok(());
    };
    let (source, rest) = entry.split_at(behind + at);
    let read_only = rest
        .rsplit(':')
        .next()
        .is_some_and(|mode| mode.split(',').any(|word| word == "ro"));
    mount_of(w, source, read_only, st)
}

fn mount_of(w: &mut Walker<'_>, source: &str, read_only: bool, st: &State) -> Judged<()> {
    let home = ["${HOME}", "$HOME"]
        .iter()
        .find_map(|name| source.strip_prefix(name));
    if let Some(rest) = home {
        return mount(w, &format!("~{rest}"), read_only, st);
    }
    // What the project sets elsewhere is not known; what it is otherwise is.
    if let Some(inner) = source.strip_prefix("${") {
        return match inner.split_once(":-").or_else(|| inner.split_once('-')) {
            Some((_, value)) => mount(w, &value.replace('}', ""), read_only, st),
            None => Ok(()),
        };
    }
    if source.starts_with('$') {
        return Ok(());
    }
    mount(w, source, read_only, st)
}

fn unquoted(text: &str) -> &str {
    text.trim_matches(['"', '\''])
}
