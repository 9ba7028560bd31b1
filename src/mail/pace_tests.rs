//! Agents that go on by themselves are stopped, and busy teams are not.

use super::*;
use crate::types::event::{EventType, NewEvent};
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

    /// As `agents::nudge` stores it.
    fn nudge(&self, from: &str, to: &str, delivered: bool) -> Result<(), MailError> {
        let paths = ProjectPaths::new(self.dir.path());
        check_pace(&paths, from, to, MailType::Status)?;
        let data = serde_json::json!({"type": "nudge", "from": from, "message": "m", "delivered": delivered});
        let event = NewEvent::new(to, EventType::Custom).data(&data);
        EventStore::open(&paths.events_db())?.insert(&event)?;
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
        let events = ProjectPaths::new(self.dir.path()).events_db();
        if events.exists() {
            let earlier =
                "UPDATE events SET created_at = strftime('%Y-%m-%dT%H:%M:%f', created_at, ?1)";
            let store = rusqlite::Connection::open(events).unwrap();
            store
                .execute(earlier, [format!("-{minutes} minutes")])
                .unwrap();
        }
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

#[test]
fn two_that_nudge_each_other_are_stopped_as_if_they_wrote() {
    for (pause, most, time) in [
        (0, EACH_WAY, MINUTES_TEXT),
        (1, SLOWLY_EACH_WAY, HOURS_TEXT),
    ] {
        for also_writes in [false, true] {
            let post = Post::new();
            let mut rounds = 0;
            let stopped = loop {
                post.wait(pause);
                if let Err(stopped) = post.nudge("a", "b", true) {
                    break stopped;
                }
                post.wait(pause);
                let answer = if also_writes {
                    post.send("b", "a", MailType::Status)
                } else {
                    post.nudge("b", "a", true)
                };
                answer.unwrap();
                rounds += 1;
                assert!(rounds < 1000, "never stopped");
            };
            assert_eq!(rounds, most, "{also_writes}");
            let MailError::Loop { other, time: t, .. } = &stopped else {
                panic!("{stopped}");
            };
            assert_eq!((other.as_str(), *t), ("b", time));
            assert!(post.send("a", "b", MailType::Status).is_err());
            assert!(post.nudge("a", "c", true).is_ok());
        }
    }
}

#[test]
fn nudges_that_did_not_arrive_or_that_a_person_sends_are_no_loop() {
    let post = Post::new();
    for _ in 0..ONE_WAY - 1 {
        post.nudge("a", "b", false).unwrap();
        post.nudge("b", "a", false).unwrap();
    }
    for _ in 0..=EACH_WAY {
        post.nudge("operator", "b", true).unwrap();
        post.send("b", "lead", MailType::Status).unwrap();
    }
    let events = ProjectPaths::new(post.dir.path()).events_db();
    let store = rusqlite::Connection::open(events).unwrap();
    let foreign =
        "INSERT INTO events (agent_name, event_type, data) VALUES ('b', 'custom', 'no { json')";
    store.execute(foreign, []).unwrap();
    post.nudge("a", "b", true).unwrap();
}
