//! The manifest, the role definitions and the identities of agents.

use super::{Check, Patient};
use crate::agents::identity::Identity;
use crate::agents::manifest::Manifest;
use crate::platform::fs;
use crate::types::Timestamp;

pub(super) fn check(patient: &Patient) -> Vec<Check> {
    let path = patient.paths.file("agent-manifest.json");
    let manifest = match fs::read(&path)
        .map_err(|error| error.to_string())
        .and_then(|text| Manifest::parse(&text, &path).map_err(|error| error.to_string()))
    {
        Ok(manifest) => manifest,
        Err(error) => {
            return vec![
                Check::fail("Manifest parsing", "The manifest cannot be used")
                    .details(vec![error])
                    .not_fixable(),
            ];
        }
    };
    let mut checks = vec![
        Check::pass("Manifest parsing", "JSON parses successfully").not_fixable(),
        definitions(patient, &manifest),
        index(&manifest),
    ];
    checks.extend(identities(patient, &manifest));
    checks
}

fn definitions(patient: &Patient, manifest: &Manifest) -> Check {
    let folder = patient.paths.file("agent-defs");
    let missing: Vec<String> = manifest
        .agents
        .iter()
        .filter(|agent| !folder.join(&agent.file).exists())
        .map(|agent| format!("{}: {}", agent.name, agent.file))
        .collect();
    if missing.is_empty() {
        return Check::pass("Agent definition files", "All .md files found").not_fixable();
    }
    Check::fail(
        "Agent definition files",
        format!("Missing {} .md file(s)", missing.len()),
    )
    .details(missing)
    .repaired_by(super::Repair::Structure)
}

fn index(manifest: &Manifest) -> Check {
    let sorted = |mut index: Vec<(String, Vec<String>)>| {
        for (_, names) in &mut index {
            names.sort();
        }
        index.sort();
        index
    };
    if sorted(manifest.recorded_index.clone()) == sorted(manifest.capability_index()) {
        return Check::pass("Capability index", "Index is consistent").not_fixable();
    }
    Check::warn(
        "Capability index",
        "The recorded index differs from the agents; it is rebuilt whenever it is read",
    )
    .not_fixable()
}

fn identities(patient: &Patient, manifest: &Manifest) -> Vec<Check> {
    let Ok(entries) = std::fs::read_dir(patient.paths.file("agents")) else {
        return vec![Check::pass("Agent identities", "No agent has an identity yet").not_fixable()];
    };
    let mut invalid = Vec::new();
    let mut stale = Vec::new();
    let mut any = false;
    let mut folders: Vec<_> = entries
        .filter_map(Result::ok)
        .map(|entry| entry.path())
        .collect();
    folders.sort();
    for folder in folders {
        let name = folder
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        match Identity::load(&folder.join("identity.yaml")) {
            Ok(None) => {}
            Ok(Some(identity)) => {
                any = true;
                if Timestamp::parse(&identity.created).is_none() {
                    invalid.push(format!(
                        "{name}: created is no timestamp: {}",
                        identity.created
                    ));
                }
                let known = manifest.agent(&identity.capability).is_some()
                    || identity.capability == "supervisor";
                if !known {
                    stale.push(format!(
                        "{name} (capability: {}) (role not present in manifest)",
                        identity.capability
                    ));
                }
            }
            Err(error) => {
                any = true;
                invalid.push(format!("{name}: {error}"));
            }
        }
    }
    if !any {
        return Vec::new();
    }
    let mut checks = vec![if invalid.is_empty() {
        Check::pass("Identity validation", "All identity files are valid").not_fixable()
    } else {
        Check::warn(
            "Identity validation",
            format!("Found {} invalid identity file(s)", invalid.len()),
        )
        .details(invalid)
        .not_fixable()
    }];
    if !stale.is_empty() {
        let message = format!("Found {} stale identity file(s)", stale.len());
        checks.push(
            Check::warn("Stale identities", message)
                .details(stale)
                .fixable(),
        );
    }
    checks
}
