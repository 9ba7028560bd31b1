//! Links among the project's own files. Agents can land them, so whatever is done for an agent, or by itself for the
//! project, follows none that leads out of the project or into what agents may not write.

use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use super::env;
use super::fs::FsError;

/// Whether this whole process works without a person: a host, a loop.
static UNATTENDED: AtomicBool = AtomicBool::new(false);

/// From now on everything in this process counts as done for agents.
pub fn works_unattended() {
    UNATTENDED.store(true, Ordering::Relaxed);
}

/// Refuses a path below the project's folder if a link on it leads out, unless a person acts, whose links may lead
/// anywhere.
pub fn may_follow(root: &Path, path: &Path) -> Result<(), FsError> {
    if UNATTENDED.load(Ordering::Relaxed) || env::var(env::ACTING_FOR).is_some() {
        return stays_inside(root, path);
    }
    Ok(())
}

/// The same of everything directly in a folder, for programs of others that open what they like there.
pub fn may_enter(root: &Path, folder: &Path) -> Result<(), FsError> {
    may_follow(root, folder)?;
    let Ok(listed) = std::fs::read_dir(folder) else {
        // Nothing that could lead anywhere.
        return Ok(());
    };
    listed
        .flatten()
        .try_for_each(|entry| may_follow(root, &entry.path()))
}

/// Refuses a path of the project that leads out of it, and names the link.
pub fn stays_inside(root: &Path, path: &Path) -> Result<(), FsError> {
    let Ok(inner) = path.strip_prefix(root) else {
        return Ok(());
    };
    let mut at = root.to_owned();
    for part in inner {
        at.push(part);
        if !at.is_symlink() {
            continue;
        }
        let real = root.canonicalize().unwrap_or_else(|_| root.to_owned());
        let Ok(target) = at.canonicalize() else {
            return Err(refused(
                &at,
                "it is a link that leads nowhere; remove it".into(),
            ));
        };
        let is_own = [".git", ".overstory"].map(|name| real.join(name));
        if !target.starts_with(&real) || is_own.iter().any(|own| target.starts_with(own)) {
            let why = format!(
                "it is a link to {}, and what is done for agents follows no link out of the project; \
                 replace it by a file or folder of its own",
                target.display()
            );
            return Err(refused(&at, why));
        }
    }
    Ok(())
}

fn refused(link: &Path, why: String) -> FsError {
    FsError {
        op: "follow",
        path: link.to_owned(),
        source: io::Error::new(io::ErrorKind::InvalidInput, why),
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn a_link_out_of_the_project_is_named_and_one_inside_is_followed() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        for folder in ["p/own", "p/.git/hooks", "elsewhere", "p/deep"] {
            std::fs::create_dir_all(at(folder)).unwrap();
        }
        symlink("../elsewhere", at("p/.seeds")).unwrap();
        symlink("../../elsewhere", at("p/deep/out")).unwrap();
        symlink("own", at("p/inside")).unwrap();
        symlink(".git/hooks", at("p/hooks")).unwrap();
        symlink("nowhere", at("p/lost")).unwrap();
        let root = at("p");
        for (path, link) in [
            ("p/.seeds/issues.jsonl", "p/.seeds"),
            ("p/deep/out", "p/deep/out"),
            ("p/hooks/pre-commit.jsonl", "p/hooks"),
            ("p/lost", "p/lost"),
        ] {
            let error = stays_inside(&root, &at(path)).unwrap_err().to_string();
            let expected = format!("cannot follow {}: ", at(link).display());
            assert!(error.starts_with(&expected), "{error}");
        }
        for path in ["p/inside/x", "p/own", "p/not/there", "elsewhere"] {
            assert!(stays_inside(&root, &at(path)).is_ok(), "{path}");
        }
    }
}
