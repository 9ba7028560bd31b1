//! Names under which grove itself, or the person, sends and receives mail. An agent that had one would be taken for it.

use super::AgentError;
use crate::mail::{COORDINATOR, OPERATOR, VALID_GROUPS};
use crate::types::agent::is_persistent;

/// Those that no other part of the program has a constant for.
const OWN: [&str; 16] = [
    "orchestrator",
    "discover-coordinator",
    "monitor",
    "supervisor",
    "watchdog",
    "grove",
    "overstory",
    "ov",
    "system",
    "assistant",
    "human",
    "person",
    "user",
    "you",
    "everybody",
    "everyone",
];

/// Refuses a name that is grove's own, or passes for it.
pub(super) fn refuse(name: &str) -> Result<(), AgentError> {
    let seen = skeleton(name);
    // Addresses of one role are what agents of that role are often called.
    let groups = VALID_GROUPS
        .iter()
        .filter(|group| group.ends_with('s') || **group == "@all");
    let groups = groups.map(|group| group.trim_start_matches('@'));
    let mut reserved = [OPERATOR, COORDINATOR].into_iter().chain(OWN).chain(groups);
    if reserved.any(|own| skeleton(own) == seen) {
        return Err(AgentError::Reserved {
            name: name.to_owned(),
        });
    }
    Ok(())
}

/// The same for an agent at the project root: `grove orchestrator start` and the like start it under its own name. The
/// coordinator is none of these: it is the loop.
pub(super) fn refuse_at_root(name: &str, capability: &str) -> Result<(), AgentError> {
    let by_role = name == capability && name != COORDINATOR;
    let exploring = capability == COORDINATOR && name == "discover-coordinator";
    let watching_over = is_persistent(capability) || capability == "supervisor";
    if exploring || (by_role && watching_over) {
        return Ok(());
    }
    refuse(name)
}

/// What a reader's eye makes of a name; only ASCII can be in one.
fn skeleton(name: &str) -> String {
    let seen =
        name.chars()
            .filter(char::is_ascii_alphanumeric)
            .map(|c| match c.to_ascii_lowercase() {
                '0' => 'o',
                '1' | 'i' => 'l',
                '3' => 'e',
                '5' => 's',
                other => other,
            });
    seen.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agents_at_the_project_root_keep_their_own_names_and_take_no_others() {
        for (name, capability) in [
            ("orchestrator", "orchestrator"),
            ("monitor", "monitor"),
            ("supervisor", "supervisor"),
            ("discover-coordinator", "coordinator"),
            ("sue", "supervisor"),
        ] {
            assert!(refuse_at_root(name, capability).is_ok(), "{name}");
        }
        for (name, capability) in [
            ("coordinator", "coordinator"),
            ("monitor", "supervisor"),
            ("Operator", "orchestrator"),
            ("discover-coordinator", "supervisor"),
        ] {
            assert!(refuse_at_root(name, capability).is_err(), "{name}");
        }
    }

    #[test]
    fn a_name_that_looks_like_one_of_groves_is_refused_and_others_are_free() {
        for name in [
            "OPERATOR",
            "0perator",
            "oper-ator",
            "Human",
            "u5er",
            "y0u",
            "a11",
            "Builders",
            "0V",
        ] {
            assert!(refuse(name).is_err(), "{name}");
        }
        for name in [
            "lead",
            "builder",
            "merger",
            "user-1",
            "operators-ui",
            "users",
            "b1",
        ] {
            assert!(refuse(name).is_ok(), "{name}");
        }
    }
}
