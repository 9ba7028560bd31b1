//! What processes have in hand just now, so that of several one does it.
//!
//! A claim is a file that lists names and that its process keeps locked. The system ends the lock with
//! the process, however it ends, so that a claim never outlives it; the file that may remain is removed
//! by the next one to look. Nothing is flushed to the disk: a claim has no meaning after a restart.
//!
//! Whoever can read these files can lock them, too. So the gate is waited for only so long, and a claim
//! whose process is gone counts for nothing, whoever has a lock on it.

use super::fs::{self, FsError};
use super::lease::{self, Lease};
use super::liveness::{self, Liveness};
use super::random;
use crate::types::host::ProcessId;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Held while claims are compared and written; never longer.
const GATE: &str = "gate";

/// How long the gate is waited for; hundreds of processes are through it in that time.
const PATIENCE: Duration = Duration::from_secs(2);

/// What a claim's file says.
#[derive(Serialize, Deserialize)]
struct Written<'a> {
    holder: ProcessId,
    names: Vec<Cow<'a, str>>,
}

/// Why nothing can be claimed.
#[derive(Debug, thiserror::Error)]
pub enum ClaimError {
    #[error(transparent)]
    Fs(#[from] FsError),
    #[error("{} has been locked by another program for seconds; `fuser` tells which", .0.display())]
    Locked(PathBuf),
}

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
) -> Result<(Vec<&'a str>, Option<Claim>), ClaimError> {
    fs::create_dir_all(dir)?;
    let gate = dir.join(GATE);
    let Some(_gate) = lease::wait_at_most(&gate, PATIENCE)? else {
        return Err(ClaimError::Locked(gate));
    };
    let taken = taken(dir)?;
    let free: Vec<&str> = names
        .into_iter()
        .filter(|name| !taken.contains(*name))
        .collect();
    if free.is_empty() {
        return Ok((free, None));
    }
    let path = dir.join(random::hex(16));
    let lease = lease::create(&path, &written(liveness::own_identity(), &free))?;
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
        let names = if lease::is_held(&path)? {
            names_of_living(&path)?
        } else {
            None
        };
        match names {
            Some(names) => taken.extend(names),
            None => {
                fs::remove_existing(&path)?;
            }
        }
    }
    Ok(taken)
}

fn written(holder: ProcessId, names: &[&str]) -> String {
    let written = Written {
        holder,
        names: names.iter().map(|name| Cow::Borrowed(*name)).collect(),
    };
    serde_json::json!(written).to_string()
}

/// The names in a claim; `None` when its process is gone, or it has been given back in this moment.
fn names_of_living(path: &Path) -> Result<Option<Vec<String>>, FsError> {
    let text = fs::read_optional(path)?.unwrap_or_default();
    let Ok(written) = serde_json::from_str::<Written<'_>>(&text) else {
        return Ok(None);
    };
    let names = written.names.into_iter().map(Cow::into_owned).collect();
    Ok((liveness::check(written.holder) != Liveness::Dead).then_some(names))
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
        // No process has this number; somebody else has locked what it left.
        let gone = ProcessId {
            pid: i32::MAX,
            start: 1,
        };
        std::fs::write(&left, written(gone, &["a"])).unwrap();
        let other = std::fs::File::open(&left).unwrap();
        other.lock().unwrap();
        assert_eq!(claim(dir.path(), ["a"]).unwrap().0, ["a"]);
        assert!(!left.exists());
        let rest: Vec<_> = fs::list_dir(dir.path()).unwrap();
        assert_eq!(rest, [dir.path().join(GATE)]);
    }

    #[test]
    fn a_gate_that_somebody_keeps_shut_is_an_error_that_names_it() {
        let dir = tempfile::tempdir().unwrap();
        drop(claim(dir.path(), ["a"]).unwrap());
        let gate = std::fs::File::open(dir.path().join(GATE)).unwrap();
        gate.lock().unwrap();
        let error = claim(dir.path(), ["a"]).unwrap_err().to_string();
        assert!(
            error.contains("gate has been locked by another program"),
            "{error}"
        );
    }

    #[test]
    fn a_claim_that_cannot_be_written_is_an_error_and_leaves_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let blocked = dir.path().join("file");
        std::fs::write(&blocked, "").unwrap();
        assert!(claim(&blocked, ["a"]).is_err());
    }
}
