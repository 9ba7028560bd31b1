//! Taking mail out of the store for delivery, and the pause between two automatic checks.
//!
//! While a process hands a message over, it holds it in `grove.db`: of several that look at the same
//! time, one prints it. It is marked as read only when its text is out, so a print that fails and a
//! process that is killed leave it unread, and the next one may hold it.

use std::collections::{BTreeMap, HashSet};

use super::error::MailError;
use crate::db::{DbError, GroveStore, MailStore};
use crate::platform::{ProjectPaths, fs, liveness};
use crate::text::to_tabbed_json;
use crate::types::Timestamp;
use crate::types::mail::MailMessage;

/// The longest a message is held where the system cannot tell whether its holder still runs;
/// milliseconds.
const LONGEST: i64 = 300_000;

/// Holds those of `unread` that nobody else hands over, and returns them. `again` reads the unread
/// mail once more: whoever had a message before may have delivered it since.
pub fn hold(
    paths: &ProjectPaths,
    mut unread: Vec<MailMessage>,
    again: impl FnOnce() -> Result<Vec<MailMessage>, DbError>,
) -> Result<Vec<MailMessage>, DbError> {
    if unread.is_empty() {
        return Ok(unread);
    }
    let grove = GroveStore::open(&paths.grove_db())?;
    let keys = unread.iter().map(|message| held_key(&message.id)).collect();
    let own = liveness::own_identity();
    let held: HashSet<String> = grove
        .hold_actions(keys, own, LONGEST)?
        .into_iter()
        .collect();
    let waits: HashSet<String> = again()?.into_iter().map(|message| message.id).collect();
    let in_time = |message: &MailMessage| waits.contains(&message.id);
    unread.retain(|message| held.contains(&held_key(&message.id)));
    let (mine, late): (Vec<_>, Vec<_>) = unread.into_iter().partition(in_time);
    let late: Vec<String> = late.iter().map(|message| held_key(&message.id)).collect();
    grove.release_actions(&late, own)?;
    Ok(mine)
}

/// Lets go of messages: they are marked as read, or could not be handed over.
pub fn let_go<S: AsRef<str>>(paths: &ProjectPaths, ids: &[S]) -> Result<(), DbError> {
    let keys: Vec<String> = ids.iter().map(|id| held_key(id.as_ref())).collect();
    GroveStore::open(&paths.grove_db())?.release_actions(&keys, liveness::own_identity())
}

fn held_key(id: &str) -> String {
    format!("mail:{id}")
}

/// Marks messages as read; to be called after their text was written and flushed.
pub fn mark_delivered<S: AsRef<str>>(store: &MailStore, ids: &[S]) -> Result<usize, MailError> {
    Ok(store.mark_read(ids)?)
}

/// Tells whether `agent` was checked less than `window_ms` ago; if not, notes the check at `now`. As
/// with ov a check counts from its beginning: one that fails delays its mail by the window at most.
pub fn debounced(
    paths: &ProjectPaths,
    agent: &str,
    window_ms: i64,
    now: Timestamp,
) -> Result<bool, MailError> {
    let path = paths.file("mail-check-state.json");
    let text = fs::read_optional(&path)?.unwrap_or_default();
    // A damaged state file costs one check too many, not the mail.
    let mut state: BTreeMap<String, i64> = serde_json::from_str(&text).unwrap_or_default();
    if let Some(last) = state.get(agent) {
        let age = now.0 - last;
        if (0..window_ms).contains(&age) {
            return Ok(true);
        }
    }
    state.insert(agent.to_owned(), now.0);
    fs::write_atomic(&path, to_tabbed_json(&state).unwrap_or_default())?;
    Ok(false)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_check_within_the_window_is_skipped() {
        let dir = tempfile::tempdir().unwrap();
        let paths = ProjectPaths::new(dir.path());
        std::fs::create_dir_all(paths.dir()).unwrap();
        let check = |agent: &str, at: i64| debounced(&paths, agent, 500, Timestamp(at)).unwrap();
        assert!(!check("a", 1000));
        assert!(check("a", 1499));
        assert!(!check("b", 1499));
        assert!(!check("a", 1500));
        assert!(
            !check("a", 900),
            "a clock that went back must not silence mail"
        );
    }
}
