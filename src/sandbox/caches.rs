//! Where package managers and build tools of agents keep what they download.
//!
//! Pure: the variables that say so.

use std::path::{Path, PathBuf};

/// Variables that name a cache, and the cache's folder. An agent that could write the user's own caches could
/// put its code into the user's other projects, so the agents of a project have caches of their own.
const CACHES: &[(&str, &str)] = &[
    ("XDG_CACHE_HOME", ""),
    ("CARGO_HOME", "cargo"),
    ("npm_config_cache", "npm"),
    // `npm_config_store_dir` would do as well, but npm warns about names that are not its own.
    ("PNPM_HOME", "pnpm"),
    ("YARN_CACHE_FOLDER", "yarn"),
    ("BUN_INSTALL_CACHE_DIR", "bun"),
    ("DENO_DIR", "deno"),
    ("GOCACHE", "go-build"),
    ("GOMODCACHE", "go-mod"),
    ("GRADLE_USER_HOME", "gradle"),
    ("COMPOSER_CACHE_DIR", "composer"),
    ("NUGET_PACKAGES", "nuget"),
    ("BUNDLE_USER_CACHE", "bundle"),
];

/// The variables that lead programs to the caches in this folder.
pub fn cache_variables(caches: &Path) -> Vec<(String, String)> {
    let place = |(name, folder): &(&str, &str)| {
        // Joined with nothing, a path ends in a slash.
        let path = caches.components().chain(Path::new(folder).components());
        let path: PathBuf = path.collect();
        ((*name).to_owned(), path.to_string_lossy().into_owned())
    };
    CACHES.iter().map(place).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_cache_ends_in_a_slash() {
        let variables = cache_variables(Path::new("/c"));
        assert!(variables.contains(&("XDG_CACHE_HOME".to_owned(), "/c".to_owned())));
    }

    #[test]
    fn npm_is_told_nothing_that_it_warns_about() {
        let variables = cache_variables(Path::new("/c"));
        let of_npm: Vec<&str> = variables
            .iter()
            .filter_map(|(name, _)| name.strip_prefix("npm_config_"))
            .collect();
        assert_eq!(of_npm, ["cache"]);
        let pnpm = ("PNPM_HOME".to_owned(), "/c/pnpm".to_owned());
        assert!(variables.contains(&pnpm));
    }
}
