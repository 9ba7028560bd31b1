//! Telling a person that a login is not renewed, and what to do.

use super::decide::Outcome;
use crate::db::EventStore;
use crate::host::HostError;
use crate::mail::{post, superior};
use crate::platform::ProjectPaths;
use crate::runtimes::RunningLogin;
use crate::types::Timestamp;
use crate::types::event::{EventType, Level, NewEvent};
use crate::types::mail::{MailPriority, MailType, NewMail};
use serde_json::json;

/// Mail to the user's own session, and an event.
pub(super) fn tell(
    paths: &ProjectPaths,
    agent: &str,
    login: &RunningLogin,
    outcome: Outcome,
    runs_out: Timestamp,
    cause: &str,
) -> Result<(), HostError> {
    let program = login.argv.first().copied().unwrap_or_default();
    let why = match outcome {
        Outcome::Renewed => return Ok(()),
        Outcome::Refused => "the service renews it no more".to_owned(),
        Outcome::Failed => cause.to_owned(),
    };
    let body = format!(
        "The login of `{program}` in {} cannot be renewed: {why}. Agents that work with it stop at {}, or have stopped. {}",
        login.file.display(),
        runs_out.iso(),
        login.next_step
    );
    let subject = format!("The login of {program} cannot be renewed");
    let mut mail = NewMail::new(
        agent,
        &superior(agent, None),
        MailType::Error,
        &subject,
        &body,
    );
    mail.priority = MailPriority::High;
    let posted = post(paths, &mail)?;
    crate::host::client::announce(paths, &posted.to);
    let event = NewEvent::new(agent, EventType::Error).level(Level::Error);
    let data = json!({"type": "login", "message": format!("{subject}: {why}")});
    EventStore::open(&paths.events_db())?.insert(&event.data(&data))?;
    Ok(())
}
