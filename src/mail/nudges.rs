//! Pending nudges: one small file per recipient that makes its next mail check say "look first".

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::error::MailError;
use crate::platform::{ProjectPaths, fs};
use crate::text::to_tabbed_json;

/// Why a recipient should look at its mail.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PendingNudge {
    /// Who wants its attention.
    pub from: String,
    /// A mail type, or `<priority> priority`.
    pub reason: String,
    /// Subject of the message.
    pub subject: String,
    /// Id of the message.
    pub message_id: String,
    /// When, as ISO text.
    pub created_at: String,
}

/// Leaves a nudge for `agent`, replacing an earlier one. `false` when the name cannot be a file name.
pub fn queue_nudge(
    paths: &ProjectPaths,
    agent: &str,
    nudge: &PendingNudge,
) -> Result<bool, MailError> {
    let Some(path) = file(paths, agent) else {
        return Ok(false);
    };
    if let Some(dir) = path.parent() {
        fs::create_dir_all(dir)?;
    }
    // Five plain strings always serialise; an empty file would only mean "no nudge".
    let text = to_tabbed_json(nudge).unwrap_or_default();
    fs::write_atomic(&path, text)?;
    Ok(true)
}

/// Takes the nudge left for `agent`; one that cannot be understood is dropped.
pub fn take_pending_nudge(
    paths: &ProjectPaths,
    agent: &str,
) -> Result<Option<PendingNudge>, MailError> {
    let Some(path) = file(paths, agent) else {
        return Ok(None);
    };
    let Some(text) = fs::read_optional(&path)? else {
        return Ok(None);
    };
    fs::remove_file(&path)?;
    Ok(serde_json::from_str(&text).ok())
}

/// Leaves a taken nudge again, whose line could not be printed, unless there is a newer one. One
/// that is taken by a process that is killed is gone: it only announces mail, which stays unread.
pub fn put_back_nudge(
    paths: &ProjectPaths,
    agent: &str,
    nudge: &PendingNudge,
) -> Result<(), MailError> {
    if file(paths, agent).is_some_and(|path| !path.exists()) {
        queue_nudge(paths, agent, nudge)?;
    }
    Ok(())
}

/// Recipients are free text; a path separator must not lead out of the folder.
fn file(paths: &ProjectPaths, agent: &str) -> Option<PathBuf> {
    let safe =
        !agent.is_empty() && !agent.starts_with('.') && !agent.contains(['/', '\\', ':', '\0']);
    safe.then(|| paths.file("pending-nudges").join(format!("{agent}.json")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_nudge_is_taken_once_and_stays_inside_its_folder() {
        let dir = tempfile::tempdir().unwrap();
        let paths = ProjectPaths::new(dir.path());
        let nudge = PendingNudge {
            from: "a".into(),
            reason: "error".into(),
            subject: "s".into(),
            message_id: "msg-1".into(),
            created_at: "now".into(),
        };
        assert!(queue_nudge(&paths, "bob", &nudge).unwrap());
        assert!(!queue_nudge(&paths, "../bob", &nudge).unwrap());
        let taken = || take_pending_nudge(&paths, "bob").unwrap();
        assert_eq!(taken(), Some(nudge.clone()));
        assert_eq!(taken(), None);
        put_back_nudge(&paths, "bob", &nudge).unwrap();
        let older = PendingNudge {
            subject: "older".into(),
            ..nudge.clone()
        };
        put_back_nudge(&paths, "bob", &older).unwrap();
        assert_eq!(taken(), Some(nudge));
    }
}
