//! Mail that the coordinator itself writes.

use super::CoordinatorError;
use crate::db::{EventStore, MailStore, SessionStore};
use crate::host::client;
use crate::mail::{PendingNudge, queue_nudge};
use crate::platform::ProjectPaths;
use crate::types::event::{EventType, NewEvent};
use crate::types::mail::{MailMessage, NewMail};
use serde_json::json;

/// The coordinator's name as a sender.
pub const SENDER: &str = "coordinator";

/// The person at a command line.
pub const OPERATOR: &str = "operator";

/// Who hears about an agent: its parent, or the user's own session.
pub fn superior(agent: &str, parent: Option<&str>) -> String {
    match parent {
        None if agent == "orchestrator" => OPERATOR.to_owned(),
        Some(parent) if parent != SENDER => parent.to_owned(),
        Some(_) | None => "orchestrator".to_owned(),
    }
}

/// Stores a message whatever the recipient's state: news about work must not be lost because
/// somebody has just ended.
pub fn post(paths: &ProjectPaths, mail: &NewMail) -> Result<MailMessage, CoordinatorError> {
    let stored = MailStore::open(&paths.mail_db())?.insert(mail)?;
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
    Ok(stored)
}

/// Tells the host of a recipient that there is mail, if it has one.
pub fn announce(paths: &ProjectPaths, agent: &str) {
    let active = SessionStore::open(&paths.sessions_db())
        .and_then(|s| s.get(agent))
        .is_ok_and(|s| s.is_some_and(|s| s.state.is_active()));
    if !active {
        return;
    }
    let poked = client::running(paths, agent).and_then(|host| client::poke(&host));
    if let Err(e) = poked {
        tracing::debug!("{agent} was not told of its mail: {e}");
    }
}
