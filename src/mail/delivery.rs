//! Taking mail out of the store for delivery, and the pause between two automatic checks.
//!
//! While a process hands messages over, it claims them: of several that look at the same time, one
//! prints a message. It is marked as read only when its text is out, so a print that fails and a process
//! that is killed leave it unread, and the next one may claim it.

use std::collections::{BTreeMap, HashSet};

use super::error::MailError;
use crate::db::{DbError, MailStore};
use crate::platform::claims::{self, Claim};
use crate::platform::{ProjectPaths, fs};
use crate::text::to_tabbed_json;
use crate::types::Timestamp;
use crate::types::mail::MailMessage;

/// Messages for one agent, which nobody else hands over while the claim lives.
#[derive(Debug, Default)]
pub struct Claimed {
    pub messages: Vec<MailMessage>,
    pub claim: Option<Claim>,
}

/// Claims those of `unread` that nobody else hands over. `again` asks once more which wait: whoever had
/// a message before may have delivered it since.
pub fn claim(
    paths: &ProjectPaths,
    mut unread: Vec<MailMessage>,
    again: impl FnOnce() -> Result<HashSet<String>, DbError>,
) -> Result<Claimed, MailError> {
    if unread.is_empty() {
        return Ok(Claimed::default());
    }
    let ids = unread.iter().map(|message| message.id.as_str());
    let (free, claim) = claims::claim(&paths.mail_claims(), ids)?;
    let free: HashSet<String> = free.into_iter().map(str::to_owned).collect();
    let waits = again()?;
    unread.retain(|message| free.contains(&message.id) && waits.contains(&message.id));
    Ok(Claimed {
        messages: unread,
        claim,
    })
}

/// Marks messages as read; to be called after their text was written and flushed. A mark that a power
/// cut undoes brings the message once more, which is promised anyway.
pub fn mark_delivered<S: AsRef<str>>(store: &MailStore, ids: &[S]) -> Result<usize, MailError> {
    let marked = store.mark_read(ids)?;
    store.db().leave_short_log()?;
    Ok(marked)
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
    use crate::types::mail::{MailType, NewMail};

    #[test]
    fn marks_of_a_few_messages_wait_in_the_log_and_those_of_many_do_not() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("mail.db");
        let log = dir.path().join("mail.db-wal");
        for (messages, left) in [(5, true), (2_000, false)] {
            let store = MailStore::open(&path).unwrap();
            let body = "a body of some length ".repeat(20);
            let ids: Vec<String> = (0..messages)
                .map(|_| NewMail::new("a", "b", MailType::Status, "s", &body))
                .map(|mail| store.insert(&mail).unwrap().id)
                .collect();
            drop(store);
            let store = MailStore::open(&path).unwrap();
            assert_eq!(mark_delivered(&store, &ids).unwrap(), messages);
            drop(store);
            assert_eq!(log.exists(), left, "{messages}");
            assert_eq!(
                MailStore::look(&path).unwrap().unread_count("b").unwrap(),
                0
            );
        }
    }

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
