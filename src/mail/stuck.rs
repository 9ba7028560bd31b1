//! Word of agents that only answer each other, to somebody who can do something about it.

use super::MailError;
use super::pace::unbroken_since;
use super::post::{OPERATOR, ORCHESTRATOR, post_once_about, superior};
use crate::db::{DbError, MailStore, SessionStore};
use crate::platform::{ProjectPaths, clock};
use crate::types::mail::{MailMessage, MailPriority, MailType, NewMail};

/// Under whose name.
const SENDER: &str = "watchdog";

/// How many steps up it is looked for somebody who is not part of it.
const STEPS: usize = 16;

/// Tells the next one above `from` who is not in the loop for which its message was refused: once, until a person has written
/// to one of them or a day has passed. Other reasons of a refusal are the sender's own business.
pub fn tell_of_loop(
    paths: &ProjectPaths,
    from: &str,
    refused: &MailError,
) -> Result<Option<MailMessage>, MailError> {
    let (mut names, other): (Vec<&str>, &str) = match refused {
        MailError::Loop { other, .. } => (vec![from, other.as_str()], other),
        MailError::Circle { path, .. } => {
            let names: Vec<&str> = path.iter().skip(1).map(String::as_str).collect();
            let other = names.first().copied().unwrap_or(from);
            (names, other)
        }
        MailError::Flood { .. }
        | MailError::Db(_)
        | MailError::Fs(_)
        | MailError::Claim(_)
        | MailError::NotFound { .. }
        | MailError::TerminalRecipient { .. }
        | MailError::UnknownGroup { .. }
        | MailError::EmptyGroup { .. } => return Ok(None),
    };
    // Whoever of them is refused first: it is the same loop.
    names.sort_unstable();
    let sessions = SessionStore::look(&paths.sessions_db())?;
    let to = above(&sessions, from, &names)?;
    let subject = format!("{} only answer each other", names.join(" and "));
    let body = format!(
        "Messages between {} were stopped: they have only answered each other. \"{from}\" was refused: {refused}. They go on \
         with their tasks; a word of a person to one of them lets them write to each other again.",
        names.join(" and "),
    );
    let mut mail = NewMail::new(SENDER, &to, MailType::Escalation, &subject, &body);
    mail.priority = MailPriority::High;
    let store = MailStore::look(&paths.mail_db())?;
    let since = unbroken_since(&store, from, other, clock::now())?;
    drop(store);
    post_once_about(paths, &mail, &since)
}

/// The next one above an agent that is not one of these and can still read.
fn above(sessions: &SessionStore, agent: &str, names: &[&str]) -> Result<String, DbError> {
    let mut at = agent.to_owned();
    for _ in 0..STEPS {
        let parent = sessions.get(&at)?.and_then(|session| session.parent_agent);
        at = superior(&at, parent.as_deref());
        let known = sessions.get(&at)?;
        let has_ended = known.is_some_and(|session| session.state.is_terminal());
        // The user reads what is sent there, whether an agent is in that place or not.
        let reads = !has_ended || at == ORCHESTRATOR || at == OPERATOR;
        if reads && !names.contains(&at.as_str()) {
            return Ok(at);
        }
    }
    Ok(OPERATOR.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::{AgentSession, AgentState};

    fn refusal(other: &str) -> MailError {
        MailError::Loop {
            other: other.to_owned(),
            count: 24,
            time: "10 minutes",
        }
    }

    #[test]
    fn somebody_above_hears_once_of_two_that_only_answer_each_other() {
        let dir = tempfile::tempdir().unwrap();
        let paths = ProjectPaths::new(dir.path());
        std::fs::create_dir_all(paths.dir()).unwrap();
        let mail = MailStore::open(&paths.mail_db()).unwrap();
        let sessions = SessionStore::open(&paths.sessions_db()).unwrap();
        for (name, parent) in [("lead", "boss"), ("ann", "lead"), ("ben", "lead")] {
            let session = AgentSession {
                parent_agent: Some(parent.to_owned()),
                ..AgentSession::example(name)
            };
            sessions.upsert(&session).unwrap();
        }
        let boss = AgentSession {
            state: AgentState::Completed,
            ..AgentSession::example("boss")
        };
        sessions.upsert(&boss).unwrap();
        let told = tell_of_loop(&paths, "ann", &refusal("ben"))
            .unwrap()
            .unwrap();
        assert_eq!(
            (told.to.as_str(), told.kind),
            ("lead", MailType::Escalation)
        );
        assert_eq!(told.subject, "ann and ben only answer each other");
        for (from, other) in [("ann", "ben"), ("ben", "ann")] {
            assert_eq!(tell_of_loop(&paths, from, &refusal(other)).unwrap(), None);
        }
        // Its own parent is part of it, and the one above that has ended.
        let told = tell_of_loop(&paths, "ann", &refusal("lead"))
            .unwrap()
            .unwrap();
        assert_eq!(told.to, "orchestrator");
        let told = tell_of_loop(&paths, "lead", &refusal("orchestrator")).unwrap();
        assert_eq!(told.unwrap().to, "operator");
        // It may happen again after a person has said what to do.
        mail.insert(&NewMail::new("operator", "ben", MailType::Status, "s", "b"))
            .unwrap();
        let again = || tell_of_loop(&paths, "ann", &refusal("ben")).unwrap();
        assert!(again().is_some());
        assert!(again().is_none());
    }

    #[test]
    fn one_that_floods_is_told_alone() {
        let dir = tempfile::tempdir().unwrap();
        let flood = MailError::Flood {
            to: "in all".to_owned(),
            count: 120,
            time: "10 minutes",
        };
        let told = tell_of_loop(&ProjectPaths::new(dir.path()), "a", &flood).unwrap();
        assert_eq!(told, None);
    }
}
