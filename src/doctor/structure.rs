//! Files and folders that every project has, and leftovers that none should have.

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::{Check, Patient, Repair, Repaired, remains};
use crate::agents::manifest::{DEFINITIONS, Manifest};
use crate::platform::{clock, fs, leftovers};
use crate::setup::files::{self, FOLDERS, GITIGNORE};

const FILES: [&str; 4] = [
    "config.yaml",
    "agent-manifest.json",
    "hooks.json",
    ".gitignore",
];
const STALE_LOCK: Duration = Duration::from_mins(5);

pub(super) fn check(patient: &Patient) -> Vec<Check> {
    let state = patient.paths.dir();
    if !state.is_dir() {
        return vec![
            Check::fail(".overstory/ directory", "Directory does not exist")
                .details(vec!["run 'grove init'".into()])
                .not_fixable(),
        ];
    }
    let mut checks = vec![
        Check::pass(".overstory/ directory", "Directory exists").not_fixable(),
        missing(
            "Required files",
            "All required files present",
            "required file(s)",
            missing_files(patient),
        ),
        missing(
            "Required subdirectories",
            "All required subdirectories present",
            "required subdirectory(ies)",
            missing_folders(patient),
        ),
        ignores(patient),
        definitions(patient),
        leftover_check(patient),
        locks(patient),
    ];
    checks.extend(remains::check(patient));
    checks
}

fn missing(name: &str, fine: &str, what: &str, missing: Vec<String>) -> Check {
    if missing.is_empty() {
        return Check::pass(name, fine).not_fixable();
    }
    Check::fail(name, format!("Missing {} {what}", missing.len()))
        .details(missing)
        .repaired_by(Repair::Structure)
}

/// Too much in git is a nuisance, not a fault.
fn ignores(patient: &Patient) -> Check {
    let absent = missing_ignores(patient);
    if absent.is_empty() {
        return Check::pass(".gitignore entries", "All expected entries present").not_fixable();
    }
    let message = format!("Missing {} gitignore entry(ies)", absent.len());
    Check::warn(".gitignore entries", message)
        .details(absent)
        .repaired_by(Repair::Structure)
}

fn missing_files(patient: &Patient) -> Vec<String> {
    FILES
        .iter()
        .filter(|name| !patient.paths.file(name).is_file())
        .map(|name| (*name).to_owned())
        .collect()
}

fn missing_folders(patient: &Patient) -> Vec<String> {
    FOLDERS
        .iter()
        .filter_map(|folder| folder.strip_prefix(".overstory/"))
        .filter(|folder| !patient.paths.file(folder).is_dir())
        .map(|folder| format!("{folder}/"))
        .collect()
}

fn missing_ignores(patient: &Patient) -> Vec<String> {
    let text = fs::read(&patient.paths.file(".gitignore")).unwrap_or_default();
    let present: Vec<&str> = text.lines().map(str::trim).collect();
    GITIGNORE
        .lines()
        .filter(|line| !present.contains(line))
        .map(str::to_owned)
        .collect()
}

fn definitions(patient: &Patient) -> Check {
    let name = "Agent definition files";
    let Ok(text) = fs::read(&patient.paths.file("agent-manifest.json")) else {
        return Check::fail(name, "Cannot validate: the manifest cannot be read").not_fixable();
    };
    let Ok(manifest) = Manifest::parse(&text, &patient.paths.file("agent-manifest.json")) else {
        return Check::fail(name, "Cannot validate: the manifest cannot be parsed").not_fixable();
    };
    let folder = patient.paths.file("agent-defs");
    let missing: Vec<String> = manifest
        .agents
        .into_iter()
        .map(|agent| agent.file)
        .filter(|file| !folder.join(file).exists())
        .collect();
    if missing.is_empty() {
        return Check::pass(name, "All referenced .md files present").not_fixable();
    }
    Check::fail(
        name,
        format!("Missing {} agent definition file(s)", missing.len()),
    )
    .details(missing)
    .repaired_by(Repair::Structure)
}

fn leftover_check(patient: &Patient) -> Check {
    let found: Vec<String> = leftover_files(patient)
        .iter()
        .filter_map(|path| Some(path.file_name()?.to_string_lossy().into_owned()))
        .collect();
    if found.is_empty() {
        return Check::pass("Leftover temp files", "No temp files found").not_fixable();
    }
    Check::warn(
        "Leftover temp files",
        format!("Found {} temp file(s)", found.len()),
    )
    .details(found)
    .repaired_by(Repair::Structure)
}

fn leftover_files(patient: &Patient) -> Vec<PathBuf> {
    let mut found = entries(patient, |name| {
        has_extension(name, "tmp") || has_extension(name, "bak") || name.ends_with('~')
    });
    found.extend(leftovers::old(&patient.paths.dir()));
    found
}

fn locks(patient: &Patient) -> Check {
    let stale: Vec<String> = entries(patient, |name| has_extension(name, "lock"))
        .iter()
        // Grove's own is held by the system and not by being there: it stays for ever, and its age says nothing.
        .filter(|path| **path != patient.paths.start_lock())
        .filter(|path| age(path).is_some_and(|age| age > STALE_LOCK))
        .filter_map(|path| Some(path.file_name()?.to_string_lossy().into_owned()))
        .collect();
    if stale.is_empty() {
        return Check::pass("Stale lock files", "No stale lock files found").not_fixable();
    }
    Check::warn(
        "Stale lock files",
        format!("Found {} stale lock file(s)", stale.len()),
    )
    .details(stale)
    .not_fixable()
}

fn has_extension(name: &str, wanted: &str) -> bool {
    std::path::Path::new(name)
        .extension()
        .is_some_and(|extension| extension == wanted)
}

fn age(path: &std::path::Path) -> Option<Duration> {
    std::fs::metadata(path)
        .ok()?
        .modified()
        .ok()?
        .elapsed()
        .ok()
}

fn entries(patient: &Patient, wanted: impl Fn(&str) -> bool) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(patient.paths.dir()) else {
        return Vec::new();
    };
    let mut found: Vec<PathBuf> = entries
        .filter_map(Result::ok)
        .filter(|entry| wanted(&entry.file_name().to_string_lossy()))
        .map(|entry| entry.path())
        .collect();
    found.sort();
    found
}

/// Creates what is missing and sets leftovers aside. The configuration is never made up.
pub(super) fn repair(patient: &Patient) -> Vec<Repaired> {
    let mut report = Vec::new();
    let mut note = |done: Result<(), fs::FsError>, what: String| match done {
        Ok(()) => report.push(Repaired::Done(what)),
        Err(error) => report.push(Repaired::failed(error)),
    };
    for folder in missing_folders(patient) {
        note(
            fs::create_dir_all(&patient.paths.file(&folder)),
            format!("created {folder}"),
        );
    }
    let wanted = missing_files(patient);
    for file in files::files(None).unwrap_or_default() {
        let Some(name) = file.path.strip_prefix(".overstory/") else {
            continue;
        };
        if wanted.iter().any(|missing| missing == name) {
            note(
                fs::write_atomic(&patient.paths.file(name), &file.text),
                format!("created {name}"),
            );
        }
    }
    if !missing_ignores(patient).is_empty() {
        note(
            fs::write_atomic(&patient.paths.file(".gitignore"), GITIGNORE),
            "rewrote .gitignore".into(),
        );
    }
    for (name, text) in DEFINITIONS {
        let path = patient.paths.file("agent-defs").join(name);
        if !path.exists() {
            note(
                fs::write_atomic(&path, text),
                format!("created agent-defs/{name}"),
            );
        }
    }
    for path in leftover_files(patient) {
        let shown = path.file_name().unwrap_or_default().to_string_lossy();
        note(
            set_aside(patient, &path),
            format!("set {shown} aside in replaced/"),
        );
    }
    report
}

/// A leftover may be all that is left of something, so it is moved and not removed.
fn set_aside(patient: &Patient, path: &Path) -> Result<(), fs::FsError> {
    let folder = patient.paths.file("replaced").join(clock::now().stamp());
    fs::create_dir_all(&folder)?;
    fs::rename(path, &folder.join(path.file_name().unwrap_or_default()))
}
