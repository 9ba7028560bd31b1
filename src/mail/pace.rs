//! How fast two agents may write to each other.
//!
//! Mail wakes its recipient, so two agents that answer whatever comes would go on until the budget is
//! gone. Reports and calls for help have more room; people and the coordinator are not held up.

use super::error::MailError;
use crate::db::{MailStore, SessionStore};
use crate::platform::{ProjectPaths, clock};
use crate::types::Timestamp;
use crate::types::mail::MailType;

use super::address::{GroupAddress, resolve_group};

/// How far back is looked, in minutes.
const MINUTES: i64 = 10;
/// So many messages each way in that time are a conversation that does not end.
const EACH_WAY: i64 = 12;

/// Whether two agents that have sent each other so many messages are in a loop.
const fn is_loop(sent: i64, received: i64, limit: i64) -> bool {
    sent >= limit && received >= limit
}

/// How much more often reports and calls for help may go.
const REPORTS: i64 = 4;

/// Types that end a piece of work or ask for help; holding them back would hide it.
const fn is_report(kind: MailType) -> bool {
    match kind {
        MailType::Result
        | MailType::Error
        | MailType::WorkerDone
        | MailType::WorkerDied
        | MailType::MergeReady
        | MailType::Merged
        | MailType::MergeFailed
        | MailType::Escalation => true,
        MailType::Status
        | MailType::Question
        | MailType::HealthCheck
        | MailType::Dispatch
        | MailType::Assign
        | MailType::DecisionGate => false,
    }
}

/// Refuses a message of an agent that would only keep a loop going.
pub fn check_pace(
    paths: &ProjectPaths,
    from: &str,
    to: &str,
    kind: MailType,
) -> Result<(), MailError> {
    let limit = if is_report(kind) {
        REPORTS * EACH_WAY
    } else {
        EACH_WAY
    };
    let recipients = if GroupAddress::looks_like_group(to) {
        let sessions = SessionStore::open(&paths.sessions_db())?;
        resolve_group(to, from, &sessions.active()?)?
    } else {
        vec![to.to_owned()]
    };
    let mail = MailStore::open(&paths.mail_db())?;
    let since = Timestamp(clock::now().0 - MINUTES * 60_000).iso();
    for other in recipients {
        let sent = mail.count_since(from, &other, &since)?;
        let received = mail.count_since(&other, from, &since)?;
        if is_loop(sent, received, limit) {
            return Err(MailError::Loop {
                other,
                count: sent + received,
                minutes: MINUTES,
            });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::mail::NewMail;

    #[test]
    fn two_agents_that_answer_each_other_are_stopped_and_a_reporter_is_not() {
        let dir = tempfile::tempdir().unwrap();
        let paths = ProjectPaths::new(dir.path());
        std::fs::create_dir_all(paths.dir()).unwrap();
        let store = MailStore::open(&paths.mail_db()).unwrap();
        let send = |from: &str, to: &str| -> Result<(), MailError> {
            check_pace(&paths, from, to, MailType::Status)?;
            store.insert(&NewMail::new(from, to, MailType::Status, "s", "b"))?;
            Ok(())
        };
        for _ in 0..100 {
            send("reporter", "lead").unwrap();
        }
        let mut rounds = 0;
        let stopped = loop {
            if let Err(e) = send("a", "b").and_then(|()| send("b", "a")) {
                break e;
            }
            rounds += 1;
            assert!(rounds < 100, "never stopped");
        };
        assert_eq!(rounds, EACH_WAY);
        let words = stopped.to_string();
        assert!(
            words.contains("24 messages") && words.contains("escalation"),
            "{words}"
        );
        assert!(send("a", "c").is_ok(), "others can be written to");
        assert!(check_pace(&paths, "a", "b", MailType::Escalation).is_ok());
    }
}
