//! Runs the checks in order and the repairs they offer.

use std::path::PathBuf;

use super::check::{Check, CheckStatus, Repair, Repaired};
use super::{
    agents, config, consistency, databases, dependencies, ecosystem, half_made, links, logs, merge,
    objects, pointers, providers, refs, remains, sandbox, serve, structure, symbolic, version,
    watchdog,
};
use crate::config::{Config, ConfigError};
use crate::platform::ProjectPaths;

/// What the checks look at.
#[derive(Debug)]
pub struct Patient {
    /// Where the project's files are.
    pub paths: ProjectPaths,
    /// Its configuration, or why it cannot be used.
    pub config: Result<Config, ConfigError>,
    /// A sentence for each key in its files that nobody reads.
    pub unknown_keys: Vec<String>,
    /// `PATH`, for looking up programs.
    pub search_path: Option<String>,
    /// Home folder.
    pub home: Option<PathBuf>,
}

/// One group of checks: its name and how to run it.
type Category = (&'static str, fn(&Patient) -> Vec<Check>);

const CATEGORIES: [Category; 13] = [
    ("dependencies", dependencies::check),
    ("config", config::check),
    ("structure", structure::check),
    ("databases", databases::check),
    ("consistency", consistency::check),
    ("agents", agents::check),
    ("merge", merge::check),
    ("logs", logs::check),
    ("version", version::check),
    ("ecosystem", ecosystem::check),
    ("providers", providers::check),
    ("watchdog", watchdog::check),
    ("serve", serve::check),
];

/// Categories that run only when they are named.
const ON_REQUEST: [Category; 1] = [("sandbox", sandbox::check)];

/// Returns the names of the categories that always run, in their order.
pub fn categories() -> Vec<&'static str> {
    CATEGORIES.iter().map(|(name, _)| *name).collect()
}

/// Returns the names of all categories: those that always run, then those that run when named.
pub fn all_categories() -> Vec<&'static str> {
    let all = CATEGORIES.iter().chain(&ON_REQUEST);
    all.map(|(name, _)| *name).collect()
}

/// Runs all checks, or those of one category.
pub fn examine(patient: &Patient, only: Option<&str>) -> Vec<Check> {
    let always = CATEGORIES
        .iter()
        .filter(|(name, _)| only.is_none_or(|only| only == *name));
    let asked = ON_REQUEST.iter().filter(|(name, _)| only == Some(*name));
    always
        .chain(asked)
        .flat_map(|(name, check)| {
            check(patient).into_iter().map(|mut found| {
                found.category = name;
                found
            })
        })
        .collect()
}

/// Carries out the repairs that the checks offer; returns one line per repair.
pub fn repair(patient: &Patient, checks: &[Check]) -> Vec<Repaired> {
    // Where there is no project there is nothing to repair; half a one would only mislead.
    if !patient.paths.dir().is_dir() {
        return Vec::new();
    }
    let offered = checks
        .iter()
        .filter(|check| check.status != CheckStatus::Pass)
        .filter_map(|check| check.repair);
    let mut done: Vec<Repair> = Vec::new();
    let mut report = Vec::new();
    for repair in offered {
        if done.contains(&repair) {
            continue;
        }
        done.push(repair);
        report.extend(match repair {
            Repair::Structure => structure::repair(patient),
            Repair::Databases => databases::repair(patient),
            Repair::DeadSessions => consistency::repair(patient),
            Repair::WatchdogPid => watchdog::repair(patient),
            Repair::Sockets => remains::repair(),
            Repair::Checkouts => remains::repair_checkouts(patient),
            Repair::Pointers => pointers::repair(patient),
            Repair::Links => links::repair(patient),
            Repair::Objects => objects::repair(patient),
            Repair::Refs => refs::repair(patient),
            Repair::SymbolicRefs => symbolic::repair(patient),
            Repair::HalfMade => half_made::repair(patient),
        });
    }
    report
}
