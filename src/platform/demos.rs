//! Where the repositories of demos are, and which of them belong to a demo that was killed.

use super::{ProjectPaths, fs, lease, paths};
use std::path::PathBuf;

/// What the names of the repositories begin with.
pub const PREFIX: &str = "grove-demo-";

/// Says that a demo runs, and dies with it.
pub fn lease_file(paths: &ProjectPaths) -> PathBuf {
    paths.file("demo.lease")
}

/// Repositories of demos that this user has started and nobody runs any more.
pub fn killed() -> Vec<ProjectPaths> {
    let found = fs::list_dir(&std::env::temp_dir()).unwrap_or_default();
    let demos = found.into_iter().filter(|dir| {
        let name = dir.file_name().map(|name| name.to_string_lossy());
        name.is_some_and(|name| name.starts_with(PREFIX)) && paths::is_own(dir)
    });
    let demos = demos.map(|dir| ProjectPaths::new(std::fs::canonicalize(&dir).unwrap_or(dir)));
    demos
        .filter(|demo| {
            let lease = lease_file(demo);
            lease.is_file() && matches!(lease::holder(&lease), Ok(None))
        })
        .collect()
}
