//! Sending: recipients, storage, the event, and the nudge that urgent mail leaves behind.

use serde_json::json;

use super::address::{GroupAddress, resolve_group};
use super::error::MailError;
use super::nudges::{PendingNudge, queue_nudge};
use crate::db::mail::MailFilter;
use crate::db::{EventStore, MailStore, SessionStore};
use crate::platform::ProjectPaths;
use crate::types::AgentSession;
use crate::types::agent::is_persistent;
use crate::types::event::{EventType, NewEvent};
use crate::types::mail::{MailMessage, MailPriority, MailType, NewMail};

/// So many messages of a recipient are looked at for one that was read.
const LOOKED_BACK: i64 = 20;

/// A message on its way to one recipient or a group.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outgoing {
    /// Who sends; the caller vouches for it.
    pub from: String,
    /// Agent name or group address.
    pub to: String,
    /// Subject line.
    pub subject: String,
    /// Text.
    pub body: String,
    /// What it is about.
    pub kind: MailType,
    /// How urgent it is.
    pub priority: MailPriority,
    /// JSON text for protocol types.
    pub payload: Option<String>,
    /// Whether somebody who comes back, like the coordinator, gets it although nobody is there now:
    /// an agent must be able to report.
    pub waits: bool,
}

/// What sending did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sent {
    /// The stored messages, one per recipient.
    pub messages: Vec<MailMessage>,
    /// Whether the address was a group.
    pub broadcast: bool,
    /// Recipients that got a pending nudge, with its reason.
    pub nudged: Vec<(String, String)>,
    /// The recipient, when nobody of this name has been here: no agent of now or before, nobody who has sent or read mail.
    pub unknown: Option<String>,
    /// Things the sender should think about.
    pub warnings: Vec<String>,
}

/// Stores a message for every recipient, records it and leaves nudges.
pub fn send(paths: &ProjectPaths, outgoing: &Outgoing) -> Result<Sent, MailError> {
    let broadcast = GroupAddress::looks_like_group(&outgoing.to);
    let sessions = SessionStore::look(&paths.sessions_db())?;
    let recipients = if broadcast {
        resolve_group(&outgoing.to, &outgoing.from, &sessions.active()?)?
    } else {
        refuse_terminal(sessions.get(&outgoing.to)?.as_ref(), outgoing.waits)?;
        vec![outgoing.to.clone()]
    };
    let began = sessions.get(&outgoing.from)?;
    let began = began.filter(|session| session.state.is_active());
    let began = began.map_or_else(String::new, |session| session.started_at);
    let mail = MailStore::open(&paths.mail_db())?;
    let mut sent = Sent {
        messages: Vec::new(),
        broadcast,
        nudged: Vec::new(),
        unknown: (!broadcast && !is_known(&outgoing.to, &sessions, &mail)?)
            .then(|| outgoing.to.clone()),
        warnings: Vec::new(),
    };
    for recipient in recipients {
        let message = NewMail {
            from: outgoing.from.clone(),
            to: recipient,
            subject: outgoing.subject.clone(),
            body: outgoing.body.clone(),
            kind: outgoing.kind,
            priority: outgoing.priority,
            thread_id: None,
            payload: outgoing.payload.clone(),
        };
        sent.messages.push(mail.insert_in_life(&message, &began)?);
    }
    // The mail is stored; what follows is only told about, never a reason to fail.
    if let Err(error) = record(paths, outgoing, &sent.messages, broadcast) {
        sent.warnings
            .push(format!("the event was not recorded: {error}"));
    }
    if let Some(reason) = nudge_reason(outgoing) {
        for message in &sent.messages {
            let nudge = PendingNudge {
                from: message.from.clone(),
                reason: reason.clone(),
                subject: message.subject.clone(),
                message_id: message.id.clone(),
                created_at: message.created_at.clone(),
            };
            match queue_nudge(paths, &message.to, &nudge) {
                Ok(true) => sent.nudged.push((message.to.clone(), reason.clone())),
                Ok(false) => {}
                Err(error) => sent
                    .warnings
                    .push(format!("the nudge was not queued: {error}")),
            }
        }
    }
    if outgoing.kind == MailType::MergeReady {
        sent.warnings
            .extend(review_warning(&outgoing.from, &sessions.all()?));
    }
    Ok(sent)
}

fn is_known(name: &str, sessions: &SessionStore, mail: &MailStore) -> Result<bool, MailError> {
    if is_persistent(name) || sessions.get(name)?.is_some() || mail.last_times(name)?.0.is_some() {
        return Ok(true);
    }
    let received = mail.list(&MailFilter {
        to: Some(name.to_owned()),
        limit: Some(LOOKED_BACK),
        ..MailFilter::default()
    })?;
    Ok(received.iter().any(|message| message.read))
}

fn refuse_terminal(recipient: Option<&AgentSession>, waits: bool) -> Result<(), MailError> {
    match recipient {
        Some(session) if waits && is_persistent(&session.capability) => Ok(()),
        Some(session) if session.state.is_terminal() => Err(MailError::TerminalRecipient {
            agent: session.agent_name.clone(),
            state: session.state.as_str(),
        }),
        Some(_) | None => Ok(()),
    }
}

fn record(
    paths: &ProjectPaths,
    outgoing: &Outgoing,
    messages: &[MailMessage],
    broadcast: bool,
) -> Result<(), MailError> {
    let events: Vec<NewEvent> = messages
        .iter()
        .map(|message| {
            let mut data = json!({
                "to": message.to,
                "subject": message.subject,
                "type": message.kind.as_str(),
                "priority": message.priority.as_str(),
                "messageId": message.id,
            });
            if let (true, Some(map)) = (broadcast, data.as_object_mut()) {
                map.insert("broadcast".into(), true.into());
            }
            NewEvent::new(&outgoing.from, EventType::MailSent).data(&data)
        })
        .collect();
    EventStore::open(&paths.events_db())?.insert_all(&events)?;
    Ok(())
}

/// The reason of a pending nudge, if this message deserves one.
fn nudge_reason(outgoing: &Outgoing) -> Option<String> {
    if outgoing.kind.nudges() {
        return Some(outgoing.kind.as_str().to_owned());
    }
    matches!(outgoing.priority, MailPriority::High | MailPriority::Urgent)
        .then(|| format!("{} priority", outgoing.priority.as_str()))
}

fn review_warning(sender: &str, sessions: &[AgentSession]) -> Option<String> {
    let children = |capability: &str| {
        sessions
            .iter()
            .filter(|session| {
                session.parent_agent.as_deref() == Some(sender) && session.capability == capability
            })
            .count()
    };
    let (builders, reviewers) = (children("builder"), children("reviewer"));
    match (builders, reviewers) {
        (0, _) => None,
        (_, 0) => Some(format!(
            "\"{sender}\" started {builders} builder(s) and no reviewer: nobody has read this work"
        )),
        _ if reviewers < builders => Some(format!(
            "\"{sender}\" started {builders} builder(s) but only {reviewers} reviewer(s)"
        )),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn project() -> (tempfile::TempDir, ProjectPaths) {
        let dir = tempfile::tempdir().unwrap();
        let paths = ProjectPaths::new(dir.path());
        std::fs::create_dir_all(paths.dir()).unwrap();
        (dir, paths)
    }

    fn outgoing(kind: MailType, priority: MailPriority) -> Outgoing {
        Outgoing {
            from: "alice".into(),
            to: "bob".into(),
            subject: "s".into(),
            body: "b".into(),
            kind,
            priority,
            payload: None,
            waits: false,
        }
    }

    /// A report must be told from one of an earlier life.
    #[test]
    fn a_report_is_of_this_life_although_the_clock_was_set_back() {
        let (_dir, paths) = project();
        let sessions = SessionStore::open(&paths.sessions_db()).unwrap();
        let mut alice = AgentSession::example("alice");
        let began = "2199-01-01T00:00:00.000Z";
        alice.started_at = began.to_owned();
        sessions.upsert(&alice).unwrap();
        let report = outgoing(MailType::WorkerDone, MailPriority::Normal);
        let sent = send(&paths, &report).unwrap();
        assert_eq!(sent.messages[0].created_at, began);
        alice.state = crate::types::AgentState::Completed;
        sessions.upsert(&alice).unwrap();
        let sent = send(&paths, &report).unwrap();
        assert!(sent.messages[0].created_at.as_str() < began);
    }

    /// "Recipient in state completed/zombie: MAIL_ERROR, nothing stored" (commands §4).
    #[test]
    fn mail_to_somebody_who_has_ended_is_refused_unless_it_can_wait() {
        let (_dir, paths) = project();
        let sessions = SessionStore::open(&paths.sessions_db()).unwrap();
        for (waits, capability, stored) in [
            (false, "builder", false),
            (true, "builder", false),
            (false, "coordinator", false),
            (true, "coordinator", true),
        ] {
            sessions
                .upsert(&AgentSession {
                    capability: capability.to_owned(),
                    state: crate::types::AgentState::Completed,
                    ..AgentSession::example("bob")
                })
                .unwrap();
            let mail = MailStore::open(&paths.mail_db()).unwrap();
            let before = mail.unread_count("bob").unwrap();
            let sent = send(
                &paths,
                &Outgoing {
                    waits,
                    ..outgoing(MailType::Status, MailPriority::Normal)
                },
            );
            assert_eq!(sent.is_ok(), stored, "{waits} {capability}");
            let after = mail.unread_count("bob").unwrap();
            assert_eq!(after - before, i64::from(stored));
        }
    }

    #[test]
    fn a_message_is_stored_recorded_and_nudged() {
        let (_dir, paths) = project();
        let sent = send(&paths, &outgoing(MailType::Status, MailPriority::Urgent)).unwrap();
        assert_eq!(
            sent.nudged,
            [("bob".to_owned(), "urgent priority".to_owned())]
        );
        assert!(sent.warnings.is_empty());
        assert_eq!(sent.unknown.as_deref(), Some("bob"));
        let unread = MailStore::open(&paths.mail_db())
            .unwrap()
            .unread("bob")
            .unwrap();
        assert_eq!(unread, sent.messages);
        let events = EventStore::open(&paths.events_db())
            .unwrap()
            .query(&crate::db::events::EventFilter::default())
            .unwrap();
        assert_eq!(events[0].event_type, "mail_sent");
    }

    #[test]
    fn ordinary_mail_leaves_no_nudge_and_protocol_types_do() {
        let (_dir, paths) = project();
        assert!(
            send(&paths, &outgoing(MailType::Status, MailPriority::Normal))
                .unwrap()
                .nudged
                .is_empty()
        );
        let sent = send(&paths, &outgoing(MailType::WorkerDone, MailPriority::Low)).unwrap();
        assert_eq!(sent.nudged[0].1, "worker_done");
    }

    #[test]
    fn mail_to_a_name_that_nobody_has_had_is_told_until_somebody_reads_it() {
        let (_dir, paths) = project();
        let to = |name: &str| {
            let outgoing = Outgoing {
                to: name.to_owned(),
                ..outgoing(MailType::Status, MailPriority::Normal)
            };
            send(&paths, &outgoing).unwrap()
        };
        let first = to("ada");
        assert_eq!(first.unknown.as_deref(), Some("ada"));
        assert_eq!(to("ada").unknown.as_deref(), Some("ada"));
        assert_eq!(to("orchestrator").unknown, None);
        let mail = MailStore::open(&paths.mail_db()).unwrap();
        mail.mark_read(&[&first.messages[0].id]).unwrap();
        assert_eq!(to("ada").unknown, None);
        let sender = &first.messages[0].from;
        assert_eq!(to(sender).unknown, None);
    }
}
