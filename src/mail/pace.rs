//! How fast agents may write to each other.
//!
//! Mail wakes its recipient, so agents that answer whatever comes would go on until the budget is gone, be it two of
//! them or a circle of many: fast within minutes, or slowly for hours. Reports and calls for help have more room; people
//! and the coordinator are not held up.

use super::error::MailError;
use crate::db::{MailStore, SessionStore};
use crate::platform::{ProjectPaths, clock};
use crate::types::Timestamp;
use crate::types::mail::MailType;

use super::address::{GroupAddress, resolve_group};
use super::post::{OPERATOR, ORCHESTRATOR};

/// How far back is looked, in minutes.
const MINUTES: i64 = 10;
/// So many messages from each to the next, and back to the first, are a conversation that does not end.
const EACH_WAY: i64 = 12;
/// So many to one recipient, answered or not, are more than anybody reads.
const ONE_WAY: i64 = 40;
/// So many to whomever; a lead of a large team that talks to everybody stays below it.
const IN_ALL: i64 = 120;

/// How far back is looked for what goes on slowly, in hours.
const HOURS: i64 = 24;
/// So many messages from each to the next within that time, and back to the first, without a word of a person.
const SLOWLY_EACH_WAY: i64 = 60;

/// The two spans as they are told.
const MINUTES_TEXT: &str = "10 minutes";
const HOURS_TEXT: &str = "24 hours";

/// Who has written to whom, and how often.
type Pairs = [(String, String, i64)];

/// The way from `from` by `to` back to `from`, along which at least `limit` messages went at every step.
fn circle<'a>(pairs: &'a Pairs, from: &'a str, to: &'a str, limit: i64) -> Option<Vec<&'a str>> {
    let next = |at: &'a str| {
        let busy = move |(one, _, count): &&(String, String, i64)| one == at && *count >= limit;
        pairs
            .iter()
            .filter(busy)
            .map(|(_, other, _)| other.as_str())
    };
    if from == to || !next(from).any(|other| other == to) {
        return None;
    }
    // Breadth first, so that the shortest way is the one that is told.
    let mut seen = vec![(to, None)];
    let mut at = 0;
    while let Some((here, _)) = seen.get(at).copied() {
        if here == from {
            let mut way = Vec::new();
            let mut step = Some(at);
            while let Some((name, before)) = step.and_then(|index| seen.get(index)).copied() {
                way.push(name);
                step = before;
            }
            way.push(from);
            way.reverse();
            return Some(way);
        }
        for other in next(here) {
            if !seen.iter().any(|(name, _)| *name == other) {
                seen.push((other, Some(at)));
            }
        }
        at += 1;
    }
    None
}

/// How often one has written to the other.
fn count(pairs: &Pairs, one: &str, other: &str) -> i64 {
    let pair = pairs.iter().find(|(a, b, _)| a == one && b == other);
    pair.map_or(0, |(_, _, count)| *count)
}

/// Why one more message would only go round once more, if it would.
fn round(
    pairs: &Pairs,
    (from, to): (&str, &str),
    limit: i64,
    time: &'static str,
) -> Option<MailError> {
    let way = circle(pairs, from, to, limit)?;
    Some(if way.len() == 3 {
        MailError::Loop {
            other: to.to_owned(),
            count: count(pairs, from, to) + count(pairs, to, from),
            time,
        }
    } else {
        let path = way.into_iter().map(str::to_owned).collect();
        MailError::Circle { path, time }
    })
}

/// Why one more message would be too much, if it would; `room` is how much more often this kind may go.
fn too_much(pairs: &Pairs, from: &str, to: &str, room: i64) -> Option<MailError> {
    let time = MINUTES_TEXT;
    if let Some(error) = round(pairs, (from, to), EACH_WAY * room, time) {
        return Some(error);
    }
    let flood = |to: String, count| MailError::Flood { to, count, time };
    let there = count(pairs, from, to);
    if there >= ONE_WAY * room {
        return Some(flood(format!("to \"{to}\""), there));
    }
    let sent = pairs.iter().filter(|(one, _, _)| one == from);
    let all: i64 = sent.map(|(_, _, count)| count).sum();
    (all >= IN_ALL * room).then(|| flood("in all".to_owned(), all))
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
    let room = if is_report(kind) { REPORTS } else { 1 };
    let recipients = if GroupAddress::looks_like_group(to) {
        let sessions = SessionStore::look(&paths.sessions_db())?;
        resolve_group(to, from, &sessions.active()?)?
    } else {
        vec![to.to_owned()]
    };
    let mail = MailStore::look(&paths.mail_db())?;
    let now = clock::now();
    let since = Timestamp(now.0 - MINUTES * 60_000).iso();
    // What was written before the clock was set back was not written just now.
    let pairs = mail.pairs_between(&since, &now.iso())?;
    let refused = |to: &String| too_much(&pairs, from, to, room);
    if let Some(error) = recipients.iter().find_map(refused) {
        return Err(error);
    }
    for to in &recipients {
        let since = unbroken_since(&mail, from, to, now)?;
        let pairs = mail.pairs_between(&since, &now.iso())?;
        if let Some(error) = round(&pairs, (from, to), SLOWLY_EACH_WAY * room, HOURS_TEXT) {
            return Err(error);
        }
    }
    Ok(())
}

/// Since when no person has written to either of two, as ISO text; a day ago at the earliest. Nobody else's mail counts as
/// such: agents could ask each other for it.
pub(super) fn unbroken_since(
    mail: &MailStore,
    from: &str,
    to: &str,
    now: Timestamp,
) -> Result<String, MailError> {
    let mut since = Timestamp(now.0 - HOURS * 3_600_000).iso();
    for person in [OPERATOR, ORCHESTRATOR] {
        // The user's session may be an agent; its own words do not break off what it is part of.
        if person == from || person == to {
            continue;
        }
        for either in [from, to] {
            let last = mail.last_between((person, either), &since, &now.iso())?;
            since = last.unwrap_or(since);
        }
    }
    Ok(since)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::mail::NewMail;

    struct Post {
        dir: tempfile::TempDir,
        store: MailStore,
    }

    impl Post {
        fn new() -> Self {
            let dir = tempfile::tempdir().unwrap();
            let paths = ProjectPaths::new(dir.path());
            std::fs::create_dir_all(paths.dir()).unwrap();
            let store = MailStore::open(&paths.mail_db()).unwrap();
            Self { dir, store }
        }

        fn send(&self, from: &str, to: &str, kind: MailType) -> Result<(), MailError> {
            check_pace(&ProjectPaths::new(self.dir.path()), from, to, kind)?;
            self.store.insert(&NewMail::new(from, to, kind, "s", "b"))?;
            Ok(())
        }

        /// As if the clock had been an hour ahead until now.
        fn set_the_clock_back(&self) {
            let path = ProjectPaths::new(self.dir.path()).mail_db();
            let later = Timestamp(clock::now().0 + 3_600_000).iso();
            let store = rusqlite::Connection::open(path).unwrap();
            store
                .execute("UPDATE messages SET created_at = ?1", [later])
                .unwrap();
        }

        /// As if that much time had passed.
        fn wait(&self, minutes: i64) {
            let path = ProjectPaths::new(self.dir.path()).mail_db();
            let store = rusqlite::Connection::open(path).unwrap();
            let earlier =
                "UPDATE messages SET created_at = strftime('%Y-%m-%dT%H:%M:%fZ', created_at, ?1)";
            store
                .execute(earlier, [format!("-{minutes} minutes")])
                .unwrap();
        }

        /// The same, with a minute between any two messages.
        fn slow_rounds(&self, ring: &[&str]) -> (i64, MailError) {
            for round in 0..1000 {
                for (at, from) in ring.iter().enumerate() {
                    self.wait(1);
                    let to = ring[(at + 1) % ring.len()];
                    if let Err(e) = self.send(from, to, MailType::Question) {
                        return (round, e);
                    }
                }
            }
            panic!("never stopped: {ring:?}");
        }

        /// Sends along the ring until somebody is refused; how many rounds it took.
        fn rounds(&self, ring: &[&str]) -> (i64, MailError) {
            for round in 0..1000 {
                for (at, from) in ring.iter().enumerate() {
                    let to = ring[(at + 1) % ring.len()];
                    if let Err(e) = self.send(from, to, MailType::Question) {
                        return (round, e);
                    }
                }
            }
            panic!("never stopped: {ring:?}");
        }
    }

    #[test]
    fn two_agents_that_answer_each_other_are_stopped_and_others_are_not() {
        let post = Post::new();
        let (rounds, stopped) = post.rounds(&["a", "b"]);
        assert_eq!(rounds, EACH_WAY);
        let words = stopped.to_string();
        assert!(
            words.contains("24 messages") && words.contains("escalation"),
            "{words}"
        );
        assert!(post.send("a", "c", MailType::Status).is_ok());
        assert!(post.send("a", "b", MailType::Escalation).is_ok());
    }

    #[test]
    fn two_that_answer_each_other_once_a_minute_are_stopped_as_well() {
        for ring in [&["a", "b"][..], &["a", "b", "c"]] {
            let post = Post::new();
            let (rounds, stopped) = post.slow_rounds(ring);
            assert_eq!(rounds, SLOWLY_EACH_WAY, "{ring:?}");
            let words = stopped.to_string();
            assert!(words.contains("24 hours"), "{words}");
            // No word of a third agent, nor of their own, opens the way again.
            post.send("d", "a", MailType::Status).unwrap();
            post.send("coordinator", "a", MailType::Status).unwrap();
            assert!(post.send("a", "b", MailType::Status).is_err());
            assert!(post.send("a", "b", MailType::WorkerDone).is_ok());
            assert!(post.send("a", "d", MailType::Status).is_ok());
            // A person's does, and so does a day.
            post.send("orchestrator", "b", MailType::Status).unwrap();
            post.wait(1);
            assert!(post.send("a", "b", MailType::Status).is_ok());
        }
        let post = Post::new();
        post.slow_rounds(&["a", "b"]);
        post.wait(24 * 60);
        assert!(post.send("a", "b", MailType::Status).is_ok());
    }

    #[test]
    fn an_agent_in_the_place_of_the_persons_session_does_not_break_its_own_loop() {
        let post = Post::new();
        let (rounds, _) = post.slow_rounds(&["orchestrator", "lead"]);
        assert_eq!(rounds, SLOWLY_EACH_WAY);
    }

    #[test]
    fn a_clock_that_was_set_back_keeps_nobody_from_writing() {
        let post = Post::new();
        post.rounds(&["a", "b"]);
        post.set_the_clock_back();
        assert!(post.send("a", "b", MailType::Question).is_ok());
        let (rounds, _) = post.rounds(&["a", "b"]);
        assert_eq!(rounds, EACH_WAY);
    }

    #[test]
    fn a_circle_of_three_or_more_is_stopped_as_soon_as_one_of_two() {
        for ring in [&["a", "b", "c"][..], &["a", "b", "c", "d", "e"]] {
            let post = Post::new();
            let (rounds, stopped) = post.rounds(ring);
            assert_eq!(rounds, EACH_WAY, "{ring:?}");
            let words = stopped.to_string();
            assert!(words.contains("a -> b -> c"), "{words}");
            assert!(
                words.contains("-> a)") && words.contains("escalation"),
                "{words}"
            );
        }
    }

    #[test]
    fn one_that_floods_is_held_back_even_when_nobody_answers() {
        let post = Post::new();
        let mut sent = 0;
        while post.send("a", "b", MailType::Status).is_ok() {
            sent += 1;
            assert!(sent < 1000, "never stopped");
        }
        assert_eq!(sent, ONE_WAY);
        for at in 0..1000 {
            if post.send("a", &format!("x{at}"), MailType::Status).is_err() {
                assert_eq!(sent + at, IN_ALL);
                assert!(post.send("a", "b", MailType::WorkerDone).is_ok());
                return;
            }
        }
        panic!("never stopped");
    }

    /// Ten minutes of a team that has much to say: a lead, eight builders that ask, are answered and report.
    #[test]
    fn a_busy_team_is_not_held_back() {
        let post = Post::new();
        let builders: Vec<String> = (0..8).map(|n| format!("builder-{n}")).collect();
        for _ in 0..10 {
            for builder in &builders {
                post.send("lead", builder, MailType::Assign).unwrap();
                for kind in [MailType::Question, MailType::Status, MailType::Status] {
                    post.send(builder, "lead", kind).unwrap();
                }
            }
        }
        for (at, builder) in builders.iter().enumerate() {
            let next = &builders[(at + 1) % builders.len()];
            for _ in 0..EACH_WAY - 1 {
                post.send(builder, next, MailType::Question).unwrap();
            }
            post.send(builder, "lead", MailType::WorkerDone).unwrap();
        }
    }
}
