//! Asks every build system about every folder, decides who covers whom, and names what is found.

use std::collections::BTreeMap;

use super::super::tree::Tree;
use super::view::{Gate, View};
use super::{build, cargo, go, node, python};
use crate::config::QualityGate;

/// Folders of a repository of many projects that get gates of their own.
pub(super) const MOST_FOLDERS: usize = 8;

/// A build system: its name, and the gates it sees in one folder.
type System = (&'static str, fn(&View<'_>) -> Vec<Gate>);

/// In the order in which their gates are run.
const SYSTEMS: [System; 4] = [
    ("cargo", cargo::gates),
    ("node", node::gates),
    ("python", python::gates),
    ("go", go::gates),
];

/// Systems that mostly call others: asked only where no other has an answer.
const WRAPPERS: [System; 2] = [("make", build::make), ("cmake", build::cmake)];

/// Proposes gates for a repository; empty when nothing is recognised.
pub fn detect(tree: &Tree) -> Vec<QualityGate> {
    let mut covered: Vec<(&str, &str)> = Vec::new();
    let mut found: Vec<(&str, Gate)> = Vec::new();
    let mut folders = 0;
    for folder in tree.folders() {
        let here = gates_of(tree, folder, &mut covered);
        if here.is_empty() {
            continue;
        }
        folders += 1;
        if folders > MOST_FOLDERS {
            break;
        }
        found.extend(here.into_iter().map(|gate| (folder, gate)));
    }
    named(found)
}

/// The gates of one folder. A system that has gates in a folder covers the folders below it, and
/// a wrapper covers every system there: a root command runs its members.
fn gates_of<'a>(
    tree: &'a Tree,
    folder: &'a str,
    covered: &mut Vec<(&'static str, &'a str)>,
) -> Vec<Gate> {
    let view = View { tree, folder };
    let mut ask = |systems: &[System]| {
        let mut gates = Vec::new();
        for (name, look) in systems {
            let above = covered.iter().any(|(system, top)| {
                let same = system == name || WRAPPERS.iter().any(|(wrapper, _)| wrapper == system);
                same && is_below(folder, top)
            });
            let own = if above { Vec::new() } else { look(&view) };
            if !own.is_empty() {
                covered.push((name, folder));
                gates.extend(own);
            }
        }
        gates
    };
    let gates = ask(&SYSTEMS);
    if !gates.is_empty() {
        return gates;
    }
    // A Makefile inside a project that another system covers is part of that project.
    let inside = covered.iter().any(|(_, top)| is_below(folder, top));
    if inside {
        return Vec::new();
    }
    WRAPPERS
        .iter()
        .map(|(name, look)| (*name, look(&view)))
        .find(|(_, gates)| !gates.is_empty())
        .map(|(name, gates)| {
            covered.push((name, folder));
            gates
        })
        .unwrap_or_default()
}

fn is_below(folder: &str, top: &str) -> bool {
    top.is_empty() || folder == top || folder.starts_with(&format!("{top}/"))
}

/// Gives every gate its own name and runs it in its folder.
fn named(found: Vec<(&str, Gate)>) -> Vec<QualityGate> {
    let mut same: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    let mut names: BTreeMap<&str, usize> = BTreeMap::new();
    for (folder, gate) in &found {
        *same.entry((*folder, gate.name)).or_default() += 1;
        *names.entry(gate.name).or_default() += 1;
    }
    found
        .iter()
        .map(|(folder, gate)| {
            let twice = same.get(&(*folder, gate.name)).is_some_and(|n| *n > 1);
            let elsewhere = names.get(gate.name).is_some_and(|n| *n > 1);
            let place = match (folder.is_empty(), twice, elsewhere) {
                (false, true, _) => Some(format!("{folder}, {}", gate.tool)),
                (false, false, true) => Some((*folder).to_owned()),
                (true, true, _) => Some(gate.tool.to_owned()),
                (true, false, _) | (false, false, false) => None,
            };
            QualityGate {
                name: place.map_or_else(
                    || gate.name.to_owned(),
                    |place| format!("{} ({place})", gate.name),
                ),
                command: if folder.is_empty() {
                    gate.command.clone()
                } else {
                    format!("cd {} && {}", quoted(folder), gate.command)
                },
                description: gate.description.to_owned(),
            }
        })
        .collect()
}

/// A folder name as one word of the shell; plain names stay as they are.
fn quoted(folder: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "/_.-+@".contains(c);
    if folder.chars().all(plain) && !folder.starts_with('-') {
        return folder.to_owned();
    }
    format!("'./{}'", folder.replace('\'', "'\\''"))
}
