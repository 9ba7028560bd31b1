//! Decides which folder is the project root; every look at the system is injected.

use std::path::{Path, PathBuf};

use super::error::ConfigError;
use super::load::STATE_DIR;

/// What the decision needs to know about the surroundings.
pub struct RootProbes<'a> {
    /// The folder given with `--project`.
    pub explicit: Option<&'a Path>,
    /// The value of `OVERSTORY_PROJECT_ROOT`; trusted without a check.
    pub environment: Option<&'a Path>,
    /// The current directory, absolute.
    pub cwd: &'a Path,
    /// Tells whether a folder holds `.overstory/config.yaml`.
    pub has_config: &'a dyn Fn(&Path) -> bool,
    /// Returns the main checkout of the repository around the current directory, absolute.
    pub main_checkout: &'a dyn Fn() -> Option<PathBuf>,
}

/// Returns the project root: `--project`, environment, worktree path, git, current directory.
pub fn resolve_root(probes: &RootProbes<'_>) -> Result<PathBuf, ConfigError> {
    let root = find_root(probes)?;
    refuse_odd_path(&root)?;
    Ok(root)
}

/// Refuses a project at a path that is no UTF-8, before anything is written there.
pub fn refuse_odd_path(root: &Path) -> Result<(), ConfigError> {
    if root.to_str().is_some() {
        return Ok(());
    }
    Err(ConfigError::NotText {
        path: root.to_owned(),
    })
}

fn find_root(probes: &RootProbes<'_>) -> Result<PathBuf, ConfigError> {
    if let Some(given) = probes.explicit {
        let path = probes.cwd.join(given);
        if (probes.has_config)(&path) {
            return Ok(path);
        }
        return Err(ConfigError::NotAProject { path });
    }
    if let Some(root) = probes
        .environment
        .filter(|path| !path.as_os_str().is_empty())
    {
        return Ok(probes.cwd.join(root));
    }
    if let Some(root) = outside_of_worktrees(probes.cwd).filter(|root| (probes.has_config)(root)) {
        return Ok(root);
    }
    let main = (probes.main_checkout)();
    Ok(main
        .filter(|root| (probes.has_config)(root))
        .unwrap_or_else(|| probes.cwd.to_owned()))
}

/// The part of a path before `/.overstory/worktrees/`.
fn outside_of_worktrees(cwd: &Path) -> Option<PathBuf> {
    let mut root = PathBuf::new();
    let mut parts = cwd.components().peekable();
    while let Some(part) = parts.next() {
        if part.as_os_str() == STATE_DIR
            && parts
                .peek()
                .is_some_and(|next| next.as_os_str() == "worktrees")
        {
            parts.next();
            return parts.peek().map(|_| root);
        }
        root.push(part);
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn resolve(
        explicit: Option<&str>,
        env: Option<&str>,
        cwd: &str,
        configs: &[&str],
        git: Option<&str>,
    ) -> Result<PathBuf, String> {
        resolve_root(&RootProbes {
            explicit: explicit.map(Path::new),
            environment: env.map(Path::new),
            cwd: Path::new(cwd),
            has_config: &|path| configs.iter().any(|known| Path::new(known) == path),
            main_checkout: &|| git.map(PathBuf::from),
        })
        .map_err(|error| error.to_string())
    }

    #[test]
    fn the_first_rule_that_fits_wins() {
        let at = |path: &str| Ok(PathBuf::from(path));
        assert_eq!(
            resolve(Some("sub"), Some("/e"), "/w", &["/w/sub"], None),
            at("/w/sub")
        );
        assert_eq!(resolve(None, Some("/e"), "/w", &[], None), at("/e"));
        assert_eq!(
            resolve(None, None, "/p/.overstory/worktrees/a/src", &["/p"], None),
            at("/p")
        );
        assert_eq!(
            resolve(None, None, "/p/.overstory/worktrees/a", &[], Some("/q")),
            at("/p/.overstory/worktrees/a")
        );
        assert_eq!(resolve(None, None, "/p/src", &["/p"], Some("/p")), at("/p"));
        assert_eq!(resolve(None, None, "/p/src", &[], Some("/p")), at("/p/src"));
    }

    #[test]
    fn a_wrong_project_option_is_an_error() {
        let message = resolve(Some("/nope"), None, "/w", &["/w"], None).unwrap_err();
        assert!(
            message.starts_with("'/nope' is not an overstory project"),
            "{message}"
        );
    }
}
