//! The configuration: can it be read, is it valid, does it fit the repository.

use super::{Check, Patient, allowed};
use crate::config::ConfigError;
use crate::git::{GitError, Repo};

pub(super) fn check(patient: &Patient) -> Vec<Check> {
    let config = match &patient.config {
        Ok(config) => config,
        Err(error) => return vec![broken(error)],
    };
    let root = &config.project.root;
    let mut checks = vec![
        Check::pass("config-parseable", "Config loads without errors"),
        Check::pass("config-valid", "Validation passes"),
        if root.is_dir() {
            Check::pass("project-root-exists", "Project root directory exists")
                .details(vec![root.display().to_string()])
        } else {
            Check::fail(
                "project-root-exists",
                "Project root directory does not exist",
            )
            .details(vec![root.display().to_string()])
        },
    ];
    checks.extend(unknown_keys(&patient.unknown_keys));
    checks.extend(allowed::without_effect(config));
    let branch = &config.project.canonical_branch;
    let repo = Repo::discover(root);
    if let Err(error @ GitError::Unsupported { .. }) = &repo {
        checks.push(Check::fail("canonical-branch-exists", error.to_string()));
        return checks;
    }
    let exists = repo.is_ok_and(|repo| repo.branch_exists(branch));
    checks.push(if exists {
        Check::pass(
            "canonical-branch-exists",
            format!("Canonical branch '{branch}' exists"),
        )
    } else {
        Check::warn(
            "canonical-branch-exists",
            format!("Canonical branch '{branch}' does not exist locally"),
        )
        .details(vec![
            "set project.canonicalBranch, or create the branch".into(),
        ])
    });
    checks
}

/// Says nothing where nothing is wrong: the list of all checks is read by other programs.
fn unknown_keys(keys: &[String]) -> Option<Check> {
    let count = keys.len();
    (count > 0).then(|| {
        Check::warn(
            "config-keys",
            format!("{count} key(s) of the configuration have no effect: nobody reads them"),
        )
        .details(keys.to_vec())
    })
}

fn broken(error: &ConfigError) -> Check {
    match error {
        ConfigError::Invalid { .. } => Check::fail("config-valid", error.to_string()),
        ConfigError::NotAProject { .. }
        | ConfigError::NotText { .. }
        | ConfigError::Io { .. }
        | ConfigError::Syntax { .. } => Check::fail("config-parseable", error.to_string()),
    }
}
