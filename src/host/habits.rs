//! Habits of agents that cost them time and money; what is seen of one is recorded. Pure.

use crate::types::event::{EventType, Level, NewEvent};
use serde_json::json;

/// Words with which a shell begins a loop.
const LOOPS: [&str; 3] = ["while", "until", "for"];
/// Names of the program whose mail is looked for.
const PROGRAMS: [&str; 3] = ["grove", "ov", "overstory"];

/// Whether a shell command looks for mail again and again, with pauses: mail comes by itself.
pub(super) fn polls_mail(command: &str) -> bool {
    let words: Vec<&str> = command
        .split(|c: char| c.is_whitespace() || ";|&(){}`$\"'".contains(c))
        .filter(|word| !word.is_empty())
        .collect();
    let has = |wanted: &[&str]| words.iter().any(|word| wanted.contains(word));
    let asks = words.windows(3).any(|three| {
        let [program, group, verb] = three else {
            return false;
        };
        let name = program.rsplit('/').next().unwrap_or(program);
        PROGRAMS.contains(&name) && *group == "mail" && ["check", "list"].contains(verb)
    });
    asks && has(&LOOPS) && has(&["sleep"])
}

/// The event about it.
pub(super) fn polling_seen(agent: &str, command: &str) -> NewEvent {
    let data = json!({"type": "mail_poll_detected", "command": command});
    NewEvent::new(agent, EventType::Custom)
        .level(Level::Warn)
        .data(&data)
}

/// The event about a CLI that runs another conversation than the one it was started with; `None`
/// while it runs that one, or chooses itself.
pub(super) fn other_conversation(
    agent: &str,
    wanted: Option<&str>,
    found: Option<&str>,
) -> Option<NewEvent> {
    let (wanted, found) = wanted
        .zip(found)
        .filter(|(wanted, found)| wanted != found)?;
    let data = json!({"type": "resume_mismatch", "requested": wanted, "actual": found});
    let event = NewEvent::new(agent, EventType::Custom);
    Some(event.level(Level::Warn).data(&data))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_loop_that_sleeps_between_looks_for_mail_is_seen() {
        for command in [
            "while true; do grove mail check; sleep 5; done",
            "until ov mail list --unread | grep -q done; do sleep 10; done",
            "for i in $(seq 9); do (/usr/bin/grove mail check --agent ann); sleep 1; done",
            "bash -c \"while :; do sleep 2; overstory mail check; done\"",
        ] {
            assert!(polls_mail(command), "{command}");
        }
        for command in [
            "grove mail check",
            "sleep 5; grove mail check",
            "while read x; do echo $x; done; grove mail list",
            "while true; do curl x; sleep 5; done; grep mail check",
            "grove mail send --to a --body 'wait while I sleep for a bit'",
        ] {
            assert!(!polls_mail(command), "{command}");
        }
    }

    #[test]
    fn only_another_conversation_than_the_wanted_one_is_told() {
        assert!(other_conversation("a", Some("x"), Some("y")).is_some());
        for (wanted, found) in [(Some("x"), Some("x")), (None, Some("y")), (Some("x"), None)] {
            assert_eq!(other_conversation("a", wanted, found), None);
        }
    }
}
