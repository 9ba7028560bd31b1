//! What processes have in hand just now, so that of several one does it.
//!
//! A claim is a file that lists names and that its process keeps locked. The system ends the lock with
//! the process, however it ends, so that a claim never outlives it; the file that may remain is removed
//! by the next one to look. Nothing is flushed to the disk: a claim has no meaning after a restart.

use super::fs::{self, FsError};
use super::lease::{self, Lease};
use super::random;
use std::collections::HashSet;
use std::path::{Path, PathBuf};

/// Held while claims are compared and written; never longer.
const GATE: &str = "gate";

/// Names that this process has in hand; dropped, they are anybody's again.
#[derive(Debug)]
pub struct Claim {
    path: PathBuf,
    /// Given back after the file is gone.
    _lease: Lease,
}

impl Drop for Claim {
    fn drop(&mut self) {
        if let Err(e) = fs::remove_file(&self.path) {
            tracing::warn!("a claim stays behind until the next one: {e}");
        }
    }
}

/// Claims those of `names` that no living process has, in one step; returns them in their order. Without
/// any there is no claim.
pub fn claim<'a>(
    dir: &Path,
    names: impl IntoIterator<Item = &'a str>,
) -> Result<(Vec<&'a str>, Option<Claim>), FsError> {
    fs::create_dir_all(dir)?;
    let _gate = lease::wait_for(&dir.join(GATE))?;
    let taken = taken(dir)?;
    let free: Vec<&str> = names
        .into_iter()
        .filter(|name| !taken.contains(*name))
        .collect();
    if free.is_empty() {
        return Ok((free, None));
    }
    let path = dir.join(random::hex(16));
    let lease = lease::create(&path, &serde_json::json!(free).to_string())?;
    Ok((
        free,
        Some(Claim {
            path,
            _lease: lease,
        }),
    ))
}

/// What living processes have. Claims of dead ones are removed; the gate has to be held.
fn taken(dir: &Path) -> Result<HashSet<String>, FsError> {
    let mut taken = HashSet::new();
    for path in fs::list_dir(dir)? {
        if path.ends_with(GATE) {
            continue;
        }
        if lease::is_held(&path)? {
            // It may have been given back in this moment.
            let text = fs::read_optional(&path)?.unwrap_or_default();
            taken.extend(serde_json::from_str::<Vec<String>>(&text).unwrap_or_default());
        } else {
            fs::remove_existing(&path)?;
        }
    }
    Ok(taken)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_several_claims_each_name_is_in_one() {
        let dir = tempfile::tempdir().unwrap();
        let dir = dir.path().join("claims");
        let (mine, first) = claim(&dir, ["a\nb", "c"]).unwrap();
        assert_eq!(mine, ["a\nb", "c"]);
        let (mine, second) = claim(&dir, ["a\nb", "d"]).unwrap();
        assert_eq!(mine, ["d"]);
        let (mine, none) = claim(&dir, ["c", "d"]).unwrap();
        assert!(mine.is_empty() && none.is_none());
        drop(first);
        assert_eq!(claim(&dir, ["c", "d"]).unwrap().0, ["c"]);
        drop(second);
        assert_eq!(claim(&dir, ["d", "c"]).unwrap().0, ["d", "c"]);
    }

    #[test]
    fn what_dead_processes_leave_holds_nothing_and_goes() {
        let dir = tempfile::tempdir().unwrap();
        let left = dir.path().join("0123456789abcdef");
        std::fs::write(&left, r#"["a"]"#).unwrap();
        assert_eq!(claim(dir.path(), ["a"]).unwrap().0, ["a"]);
        assert!(!left.exists());
        let rest: Vec<_> = fs::list_dir(dir.path()).unwrap();
        assert_eq!(rest, [dir.path().join(GATE)]);
    }

    #[test]
    fn a_claim_that_cannot_be_written_is_an_error_and_leaves_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let blocked = dir.path().join("file");
        std::fs::write(&blocked, "").unwrap();
        assert!(claim(&blocked, ["a"]).is_err());
    }
}
