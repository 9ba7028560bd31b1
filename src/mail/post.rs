//! Mail that grove itself writes: about work that has landed or failed, and about agents that died.

use serde_json::json;

use super::{MailError, PendingNudge, queue_nudge};
use crate::db::{EventStore, MailStore};
use crate::platform::ProjectPaths;
use crate::types::event::{EventType, NewEvent};
use crate::types::mail::{MailMessage, NewMail};

/// The coordinator's name as a sender.
pub const COORDINATOR: &str = "coordinator";

/// The person at a command line.
pub const OPERATOR: &str = "operator";

/// The user's own session, or the agent in its place.
pub const ORCHESTRATOR: &str = "orchestrator";

/// Who hears about an agent: its parent, or the user's own session.
pub fn superior(agent: &str, parent: Option<&str>) -> String {
    match parent {
        None if agent == ORCHESTRATOR => OPERATOR.to_owned(),
        Some(parent) if parent != COORDINATOR => parent.to_owned(),
        Some(_) | None => ORCHESTRATOR.to_owned(),
    }
}

/// Stores a message whatever the recipient's state: news about work must not be lost because
/// somebody has just ended.
pub fn post(paths: &ProjectPaths, mail: &NewMail) -> Result<MailMessage, MailError> {
    let stored = MailStore::open(&paths.mail_db())?.insert(mail)?;
    note(paths, &stored)?;
    Ok(stored)
}

/// As `post`, unless a message of this sender and type was written since that time, by whomever.
pub fn post_once(
    paths: &ProjectPaths,
    mail: &NewMail,
    since: &str,
) -> Result<Option<MailMessage>, MailError> {
    let stored = MailStore::open(&paths.mail_db())?.insert_once(mail, since)?;
    if let Some(stored) = &stored {
        note(paths, stored)?;
    }
    Ok(stored)
}

/// As `post`, unless a message of this sender and type about the same was written since that time.
pub(super) fn post_once_about(
    paths: &ProjectPaths,
    mail: &NewMail,
    since: &str,
) -> Result<Option<MailMessage>, MailError> {
    let stored = MailStore::open(&paths.mail_db())?.insert_once_about(mail, since)?;
    if let Some(stored) = &stored {
        note(paths, stored)?;
    }
    Ok(stored)
}

fn note(paths: &ProjectPaths, stored: &MailMessage) -> Result<(), MailError> {
    let data = json!({"to": stored.to, "subject": stored.subject, "type": stored.kind.as_str(),
        "priority": stored.priority.as_str(), "messageId": stored.id});
    EventStore::open(&paths.events_db())?
        .insert(&NewEvent::new(&stored.from, EventType::MailSent).data(&data))?;
    if stored.kind.nudges() {
        let nudge = PendingNudge {
            from: stored.from.clone(),
            reason: stored.kind.as_str().to_owned(),
            subject: stored.subject.clone(),
            message_id: stored.id.clone(),
            created_at: stored.created_at.clone(),
        };
        if let Err(e) = queue_nudge(paths, &stored.to, &nudge) {
            tracing::warn!("the nudge for {} was not queued: {e}", stored.to);
        }
    }
    Ok(())
}
