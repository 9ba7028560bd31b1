//! A folder for cargo that agents and checks of their work may write, with what the user's own already holds.
//!
//! Packed crates and the index are offered by symbolic links, file by file: nothing is downloaded twice, new
//! files are the agents' own, and the user's are out of reach behind their links. Unpacked sources are not offered:
//! cargo unpacks its own, and checks each crate against `Cargo.lock` first.

use crate::platform::env;
use crate::platform::fs::{self, AtPath, FsError};
use std::path::{Path, PathBuf};

/// Settings cargo reads from its home.
const SETTINGS: &[&str] = &["config.toml", "config"];
/// What is offered file by file.
const OFFERED: &[&str] = &["registry/cache", "registry/index"];
/// An index is four folders deep.
const DEPTH: usize = 8;

/// Links what is new in the user's cargo folder into the agents' one.
pub fn offer_crates(home: Option<&Path>, into: &Path) -> Result<(), FsError> {
    let configured = env::var("CARGO_HOME").map(PathBuf::from);
    let Some(from) = configured.or_else(|| home.map(|home| home.join(".cargo"))) else {
        return Ok(());
    };
    if !from.is_dir() || from == into {
        return Ok(());
    }
    fs::create_dir_all(into)?;
    for name in SETTINGS {
        if from.join(name).is_file() {
            link(&from.join(name), &into.join(name))?;
        }
    }
    OFFERED
        .iter()
        .try_for_each(|name| mirror(&from.join(name), &into.join(name), DEPTH))
}

fn mirror(from: &Path, into: &Path, depth: usize) -> Result<(), FsError> {
    if !from.is_dir() || depth == 0 {
        return Ok(());
    }
    fs::create_dir_all(into)?;
    for entry in std::fs::read_dir(from).at("list", from)?.flatten() {
        let (path, name) = (entry.path(), entry.file_name());
        match entry.file_type() {
            Ok(kind) if kind.is_dir() => mirror(&path, &into.join(name), depth - 1)?,
            Ok(kind) if kind.is_file() => link(&path, &into.join(name))?,
            Ok(_) | Err(_) => {}
        }
    }
    Ok(())
}

/// What is there already stays: an agent's own file, or the link of an earlier start.
#[cfg(unix)]
fn link(target: &Path, name: &Path) -> Result<(), FsError> {
    match std::os::unix::fs::symlink(target, name) {
        Err(e) if e.kind() != std::io::ErrorKind::AlreadyExists => Err(e).at("link", name),
        Ok(()) | Err(_) => Ok(()),
    }
}

// There is no sandbox that would need it.
#[cfg(not(unix))]
fn link(_target: &Path, _name: &Path) -> Result<(), FsError> {
    Ok(())
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn crates_that_are_here_are_offered_and_new_ones_are_the_agents_own() {
        let dir = tempfile::tempdir().unwrap();
        let (from, into) = (dir.path().join("users"), dir.path().join("agents"));
        let packed = "registry/cache/host-1/a-1.0.0.crate";
        for name in [
            packed,
            "registry/src/host-1/a-1.0.0/lib.rs",
            "credentials.toml",
        ] {
            std::fs::create_dir_all(from.join(name).parent().unwrap()).unwrap();
            std::fs::write(from.join(name), name).unwrap();
        }
        let offer = || {
            mirror(
                &from.join("registry/cache"),
                &into.join("registry/cache"),
                DEPTH,
            )
        };
        offer().unwrap();
        assert_eq!(std::fs::read_to_string(into.join(packed)).unwrap(), packed);
        assert!(into.join(packed).is_symlink());
        let own = into.join("registry/cache/host-1/b-2.0.0.crate");
        std::fs::write(&own, "b").unwrap();
        offer().unwrap();
        assert!(!own.is_symlink());
        assert!(!from.join("registry/cache/host-1/b-2.0.0.crate").exists());
        assert!(!into.join("registry/src").exists());
    }
}
