//! What follows a death: the agent's work is saved, its record says that it is gone, its parent has
//! mail, and the project remembers what it died of.
//!
//! The agent's own host does this when it has seen the end. Where the host was killed, or killed in
//! the middle of it, whoever watches next does the rest. Done once for each life.

use super::HostError;
use crate::db::events::EventFilter;
use crate::db::{EventStore, GroveStore, SessionStore};
use crate::git::{Pointers, Repo};
use crate::mail::{post_once, superior};
use crate::mulch;
use crate::platform::{ProjectPaths, clock};
use crate::types::event::{EventType, Level, NewEvent};
use crate::types::mail::{MailPriority, MailType, NewMail};
use crate::types::{AgentSession, AgentState};
use crate::worktree;
use serde_json::{Value, json};
use std::path::Path;

/// The word for a death, as mail and events have it.
const DIED: &str = "worker_died";

/// The end of one life.
#[derive(Debug, Clone, Copy)]
pub struct Death<'a> {
    pub agent: &'a str,
    pub session_id: &'a str,
    pub cause: &'a str,
    /// Whether its parent is told.
    pub tell: bool,
}

/// The name under which it is stored that everything was done about a death.
pub fn key(session_id: &str) -> String {
    format!("died:{session_id}")
}

/// Does what follows a death, if nobody has: saves what the agent has left in its worktree, lets
/// `end_rest` end what still runs of it, then says that it is gone. The line is for the log; `None`
/// when somebody else has done it or is doing it.
pub fn publish(
    paths: &ProjectPaths,
    death: &Death<'_>,
    end_rest: impl FnOnce() -> Result<(), HostError>,
) -> Result<Option<String>, HostError> {
    let grove = GroveStore::open(&paths.grove_db())?;
    // Given back when this fails: the next look tries again.
    let Some(hold) = grove.hold_action(&key(death.session_id))? else {
        return Ok(None);
    };
    let line = carry_out(paths, death, end_rest)?;
    hold.finish()?;
    Ok(Some(line))
}

fn carry_out(
    paths: &ProjectPaths,
    death: &Death<'_>,
    end_rest: impl FnOnce() -> Result<(), HostError>,
) -> Result<String, HostError> {
    let Death { agent, cause, .. } = *death;
    let sessions = SessionStore::open(&paths.sessions_db())?;
    let Some(session) = sessions.get(agent)?.filter(|s| s.id == death.session_id) else {
        return Ok(format!("{agent} lives again"));
    };
    let straightened = straighten(paths, &session);
    let (saved, unsaved) = match salvage(paths, &session) {
        Ok(saved) => (saved, None),
        Err(error) => {
            tracing::warn!("what {agent} left could not be saved: {error}");
            (Vec::new(), Some(error.to_string()))
        }
    };
    end_rest()?;
    sessions.transition_session(agent, &session.id, AgentState::Zombie)?;
    sessions.set_escalation(agent, 0, None)?;
    let told = death.tell && {
        let mail = report(
            paths,
            &session,
            cause,
            &Left {
                saved: &saved,
                unsaved: unsaved.as_deref(),
            },
        );
        let posted = post_once(paths, &mail, &session.started_at)?;
        if let Some(posted) = &posted {
            super::client::announce(paths, &posted.to);
        }
        posted.is_some()
    };
    // Where the mail was there already, the other program has remembered the death, too.
    if !is_recorded(paths, &session)? {
        if told || !death.tell {
            mulch::remember_death(paths, &session, cause);
        }
        let mut data =
            json!({"type": DIED, "reason": cause, "saved": saved, "at": clock::now().iso()});
        if let (Some(data), false) = (data.as_object_mut(), straightened.is_empty()) {
            data.insert("pointers".to_owned(), straightened.into());
        }
        let event = NewEvent::new(agent, EventType::Custom).level(Level::Error);
        EventStore::open(&paths.events_db())?.insert(&event.data(&data))?;
    }
    tracing::info!("{agent} declared dead: {cause}");
    Ok(format!("{agent} died: {cause}"))
}

/// Makes a worktree and its repository find each other again; returns the files that led astray. An agent
/// can bend them when its host, which puts them back, is gone.
fn straighten(paths: &ProjectPaths, session: &AgentSession) -> Vec<String> {
    let worktree = Path::new(&session.worktree_path);
    let pointers = Repo::discover(&paths.root)
        .ok()
        .and_then(|repo| Pointers::of(&repo, worktree));
    let restored = pointers.map_or_else(|| Ok(Vec::new()), |pointers| pointers.restore());
    let agent = &session.agent_name;
    let restored = restored.unwrap_or_else(|e| {
        tracing::warn!("the worktree of {agent} may not lead to its repository: {e}");
        Vec::new()
    });
    for file in &restored {
        tracing::warn!("{agent} has changed {}; it was put back", file.display());
    }
    let names = restored.iter().map(|file| file.display().to_string());
    names.collect()
}

/// Saves the uncommitted files and the stash of an agent's worktree; where they can be found. The user's own
/// checkout, where persistent agents live, is nobody's work to save.
pub fn salvage(paths: &ProjectPaths, session: &AgentSession) -> Result<Vec<String>, HostError> {
    let worktree = Path::new(&session.worktree_path);
    if worktree == paths.root || !worktree.exists() {
        return Ok(Vec::new());
    }
    let repo = Repo::discover(&paths.root).map_err(worktree::WorktreeError::from)?;
    let saved = worktree::salvage(&repo, worktree, &session.agent_name)?;
    Ok(saved.into_iter().map(|s| s.reference).collect())
}

/// Whether the event of this death is stored: whoever was killed after that has left the rest done.
fn is_recorded(paths: &ProjectPaths, session: &AgentSession) -> Result<bool, HostError> {
    let events = EventStore::look(&paths.events_db())?.query(&EventFilter {
        agent: Some(session.agent_name.clone()),
        event_type: Some(EventType::Custom.as_str().to_owned()),
        level: Some(Level::Error),
        since: Some(session.started_at.clone()),
        ..EventFilter::default()
    })?;
    let is_death = |data: &str| {
        serde_json::from_str::<Value>(data)
            .is_ok_and(|data| data.get("type").and_then(Value::as_str) == Some(DIED))
    };
    Ok(events
        .iter()
        .any(|event| event.data.as_deref().is_some_and(is_death)))
}

/// What became of the work that no commit has.
#[derive(Default)]
struct Left<'a> {
    saved: &'a [String],
    /// Why it could not be saved.
    unsaved: Option<&'a str>,
}

fn report(paths: &ProjectPaths, session: &AgentSession, cause: &str, left: &Left<'_>) -> NewMail {
    let agent = &session.agent_name;
    let kept = match left {
        Left {
            unsaved: Some(why), ..
        } => format!(" Its uncommitted work is in the worktree only: {why}."),
        Left { saved: [], .. } => String::new(),
        Left { saved, .. } => {
            let places = saved.join(", ");
            format!(" Its uncommitted work is saved at {places}.")
        }
    };
    let body = if Path::new(&session.worktree_path) == paths.root {
        format!("{agent} ({}) is gone: {cause}.", session.capability)
    } else {
        format!(
            "{agent} ({}, task {}) is gone: {cause}. Worktree and branch {} are kept.{kept}",
            session.capability, session.task_id, session.branch_name
        )
    };
    let mut mail = NewMail::new(
        agent,
        &superior(agent, session.parent_agent.as_deref()),
        MailType::WorkerDied,
        &format!("[WATCHDOG] {DIED}: {agent}"),
        &body,
    );
    mail.priority = MailPriority::High;
    let payload = json!({"agentName": agent, "capability": session.capability,
        "taskId": session.task_id, "reason": cause, "lastActivity": session.last_activity,
        "terminatedBy": "tier0"});
    mail.payload = Some(payload.to_string());
    mail
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::db::MailStore;
    use crate::db::actions::held_by;
    use crate::db::mail::MailFilter;
    use crate::types::host::ProcessId;

    /// A project in which ann has died, as far as her record goes.
    fn project() -> (tempfile::TempDir, ProjectPaths, AgentSession) {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir(dir.path().join(".overstory")).unwrap();
        let paths = ProjectPaths::new(dir.path());
        let session = AgentSession {
            worktree_path: dir.path().join("gone").to_string_lossy().into_owned(),
            parent_agent: Some("boss".to_owned()),
            ..AgentSession::example("ann")
        };
        let sessions = SessionStore::open(&paths.sessions_db()).unwrap();
        sessions.upsert(&session).unwrap();
        (dir, paths, session)
    }

    fn publish_now(paths: &ProjectPaths, session: &AgentSession, tell: bool) -> Option<String> {
        let death = Death {
            agent: &session.agent_name,
            session_id: &session.id,
            cause: "exit code 3",
            tell,
        };
        publish(paths, &death, || Ok(())).unwrap()
    }

    /// Subjects of the mail to the parent, and how many events say so.
    fn told(paths: &ProjectPaths) -> (Vec<String>, usize) {
        let mail = MailStore::open(&paths.mail_db()).unwrap();
        let subjects = mail.list(&MailFilter::default()).unwrap();
        let events = EventStore::open(&paths.events_db()).unwrap();
        let events = events.query(&EventFilter {
            event_type: Some("custom".to_owned()),
            ..EventFilter::default()
        });
        let subjects = subjects
            .into_iter()
            .map(|m| format!("{} {}", m.to, m.subject));
        (subjects.collect(), events.unwrap().len())
    }

    fn once() -> (Vec<String>, usize) {
        (vec!["boss [WATCHDOG] worker_died: ann".to_owned()], 1)
    }

    #[test]
    fn a_death_is_told_once_by_whomever() {
        let (_dir, paths, session) = project();
        assert!(publish_now(&paths, &session, true).is_some());
        assert_eq!(publish_now(&paths, &session, true), None);
        assert_eq!(told(&paths), once());
        let sessions = SessionStore::open(&paths.sessions_db()).unwrap();
        let state = sessions.get("ann").unwrap().unwrap().state;
        assert_eq!(state, AgentState::Zombie);
    }

    #[test]
    fn who_was_killed_between_any_two_steps_leaves_the_rest_to_the_next() {
        let gone = ProcessId {
            pid: i32::MAX,
            start: 1,
        };
        for step in ["hold", "mail", "event"] {
            let (_dir, paths, session) = project();
            let grove = GroveStore::open(&paths.grove_db()).unwrap();
            if step == "mail" {
                let mail = report(&paths, &session, "exit code 3", &Left::default());
                post_once(&paths, &mail, &session.started_at).unwrap();
            }
            if step == "event" {
                publish_now(&paths, &session, true);
                grove.release_action(&key(&session.id)).unwrap();
            }
            let held = held_by(gone);
            assert!(grove.claim_action(&key(&session.id), &held).unwrap());
            assert!(publish_now(&paths, &session, true).is_some(), "{step}");
            assert_eq!(told(&paths), once(), "{step}");
        }
    }

    #[test]
    fn where_nobody_is_to_be_told_there_is_no_mail() {
        let (_dir, paths, session) = project();
        assert!(publish_now(&paths, &session, false).is_some());
        assert_eq!(told(&paths), (Vec::new(), 1));
    }

    #[test]
    fn a_later_life_of_the_name_is_not_declared_dead() {
        let (_dir, paths, mut session) = project();
        session.id = "session-0-ann".to_owned();
        assert_eq!(
            publish_now(&paths, &session, true).as_deref(),
            Some("ann lives again")
        );
        assert_eq!(told(&paths), (Vec::new(), 0));
    }
}
