//! Where package managers and build tools of agents keep what they download.
//!
//! Pure: the variables that say so.

use crate::types::agent::can_spawn;
use std::path::{Path, PathBuf};

/// The folder of `.overstory/` with the caches of a role. What is in a cache runs: cargo starts the `rustc-wrapper` of its
/// home, Gradle its `init.d`, and all of them what they have unpacked. So whoever may write less than others writes nothing
/// that these run: there are caches of those that write, of those that start agents, and of all others.
pub fn cache_folder(capability: &str, writes: bool) -> &'static str {
    if writes {
        "caches"
    } else if can_spawn(capability) {
        "lead-caches"
    } else {
        "reader-caches"
    }
}

/// The caches of quality gates, which no agent writes.
pub const GATE_CACHES: &str = "gate-caches";

/// The caches of CLIs that are asked a question on the user's behalf. What they read was written by any agent.
pub const ASK_CACHES: &str = "ask-caches";

/// Folders of `.overstory/` with caches: no records, and nothing of the user's.
pub const CACHE_FOLDERS: [&str; 5] = [
    "caches",
    "lead-caches",
    "reader-caches",
    GATE_CACHES,
    ASK_CACHES,
];

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
    ("MIX_HOME", "mix"),
    ("HEX_HOME", "hex"),
    ("PUB_CACHE", "pub"),
    ("STACK_ROOT", "stack"),
    ("CONAN_HOME", "conan2"),
    ("WORKON_HOME", "virtualenvs"),
];

/// Options of all programs that a variable carries: what it has to say goes behind what the user says in it.
const BY_OPTION: &[(&str, &str, &str)] = &[("MAVEN_OPTS", "-Dmaven.repo.local=", "maven")];

/// The variables that lead programs to the caches in this folder; `now` says what a variable says without them.
pub fn cache_variables(
    caches: &Path,
    now: &dyn Fn(&str) -> Option<String>,
) -> Vec<(String, String)> {
    let place = |folder: &str| {
        // Joined with nothing, a path ends in a slash.
        let path = caches.components().chain(Path::new(folder).components());
        let path: PathBuf = path.collect();
        path.to_string_lossy().into_owned()
    };
    let named = CACHES
        .iter()
        .map(|(name, folder)| ((*name).to_owned(), place(folder)));
    let by_option = BY_OPTION.iter().map(|(name, option, folder)| {
        let said = now(name).map(|said| said + " ").unwrap_or_default();
        (
            (*name).to_owned(),
            format!("{said}{option}{}", place(folder)),
        )
    });
    // Julia looks at the ones behind it, too: an empty one stands for its own.
    let depots = (
        "JULIA_DEPOT_PATH".to_owned(),
        format!("{}:", place("julia")),
    );
    named.chain(by_option).chain([depots]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_runs_what_a_role_with_fewer_rights_has_put_into_a_cache() {
        let of = |role: &str, writes| cache_folder(role, writes);
        assert_eq!(of("builder", true), of("merger", true));
        for reader in ["scout", "reviewer", "monitor", "surveyor"] {
            assert_ne!(of(reader, false), of("builder", true), "{reader}");
            assert_ne!(of(reader, false), of("lead", false), "{reader}");
        }
        assert_ne!(of("lead", false), of("builder", true));
        // One that works in the main checkout itself.
        assert_ne!(of("builder", false), of("builder", true));
        let used = [of("builder", true), of("lead", false), of("scout", false)];
        assert!(
            used.iter().all(|folder| CACHE_FOLDERS.contains(folder)
                && ![GATE_CACHES, ASK_CACHES].contains(folder))
        );
    }

    #[test]
    fn no_cache_ends_in_a_slash() {
        let variables = cache_variables(Path::new("/c"), &|_| None);
        assert!(variables.contains(&("XDG_CACHE_HOME".to_owned(), "/c".to_owned())));
    }

    #[test]
    fn npm_is_told_nothing_that_it_warns_about() {
        let variables = cache_variables(Path::new("/c"), &|_| None);
        let of_npm: Vec<&str> = variables
            .iter()
            .filter_map(|(name, _)| name.strip_prefix("npm_config_"))
            .collect();
        assert_eq!(of_npm, ["cache"]);
        let pnpm = ("PNPM_HOME".to_owned(), "/c/pnpm".to_owned());
        assert!(variables.contains(&pnpm));
    }

    #[test]
    fn what_the_user_says_to_maven_stays() {
        let variables = cache_variables(Path::new("/c"), &|name| {
            (name == "MAVEN_OPTS").then(|| "-Xmx1g".to_owned())
        });
        let said = "-Xmx1g -Dmaven.repo.local=/c/maven".to_owned();
        assert!(variables.contains(&("MAVEN_OPTS".to_owned(), said)));
    }
}
