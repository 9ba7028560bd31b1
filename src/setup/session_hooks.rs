//! Hooks for a person's own claude session: ours are merged into the person's settings and taken
//! out again, and nothing of theirs is lost. Pure.

use serde_json::{Map, Value, json};

/// Programs whose hooks are ours: grove, and the one that it takes the place of.
const OURS: [&str; 3] = ["grove ", "ov ", "overstory "];

/// What such a hook says in a person's session.
const AS_ORCHESTRATOR: &str = "--agent orchestrator";

/// Adds entries that are not there yet. Entries of ours from an older version are replaced, so
/// that no hook runs twice; entries of the person stay as they are and come first.
pub fn install(present: Map<String, Value>, new: Map<String, Value>) -> Map<String, Value> {
    let mut merged = without_ours(present, &new);
    for (event, entries) in new {
        let Value::Array(entries) = entries else {
            continue;
        };
        let known = merged.entry(event).or_insert_with(|| json!([]));
        if let Value::Array(known) = known {
            for entry in entries {
                if !known.contains(&entry) {
                    known.push(entry);
                }
            }
        }
    }
    merged
}

/// The hooks that are the person's own; events without any are left out.
pub fn without_ours(present: Map<String, Value>, known: &Map<String, Value>) -> Map<String, Value> {
    present
        .into_iter()
        .filter_map(|(event, entries)| {
            let Value::Array(entries) = entries else {
                // Not a list of hooks: not ours, whatever it is.
                return Some((event, entries));
            };
            let mine = known.get(&event).and_then(Value::as_array);
            let theirs: Vec<Value> = entries
                .into_iter()
                .filter(|entry| !is_ours(entry) && !mine.is_some_and(|mine| mine.contains(entry)))
                .collect();
            (!theirs.is_empty()).then_some((event, Value::Array(theirs)))
        })
        .collect()
}

/// Whether hooks of ours are among them.
pub fn has_ours(present: &Map<String, Value>, known: &Map<String, Value>) -> bool {
    present.iter().any(|(event, entries)| {
        let mine = known.get(event).and_then(Value::as_array);
        entries
            .as_array()
            .into_iter()
            .flatten()
            .any(|entry| is_ours(entry) || mine.is_some_and(|mine| mine.contains(entry)))
    })
}

/// An entry belongs to us when all of its commands do; a mixed one is the person's.
fn is_ours(entry: &Value) -> bool {
    let commands: Vec<&str> = entry
        .get("hooks")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(|hook| hook.get("command").and_then(Value::as_str))
        .collect();
    !commands.is_empty()
        && commands.iter().all(|command| {
            command.contains(AS_ORCHESTRATOR) && OURS.iter().any(|mark| starts_word(command, mark))
        })
}

/// Whether a mark stands at the start of a word: `grove ` in `x && grove prime`, not in `mangrove x`.
fn starts_word(command: &str, mark: &str) -> bool {
    command.match_indices(mark).any(|(at, _)| {
        command
            .get(..at)
            .and_then(|before| before.chars().next_back())
            .is_none_or(|c| !c.is_alphanumeric() && c != '_' && c != '-')
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hooks(value: Value) -> Map<String, Value> {
        let Value::Object(map) = value else {
            unreachable!()
        };
        map
    }

    fn entry(command: &str) -> Value {
        json!({"matcher": "", "hooks": [{"type": "command", "command": command}]})
    }

    #[test]
    fn installing_keeps_the_persons_entries_and_adds_none_twice() {
        let theirs = hooks(
            json!({"Stop": [entry("say done")], "Other": [entry("mangrove x --agent orchestrator")]}),
        );
        let ours = hooks(json!({"Stop": [entry("grove log session-end --agent orchestrator")]}));
        let once = install(theirs.clone(), ours.clone());
        assert_eq!(
            once["Stop"],
            json!([
                entry("say done"),
                entry("grove log session-end --agent orchestrator")
            ])
        );
        assert_eq!(once["Other"], theirs["Other"]);
        assert_eq!(install(once.clone(), ours.clone()), once);
        assert!(has_ours(&once, &ours) && !has_ours(&theirs, &ours));
        assert_eq!(without_ours(once, &ours), theirs);
    }

    #[test]
    fn hooks_of_an_older_version_are_replaced() {
        let old = hooks(json!({
            "Stop": [entry("cd x && ov log session-end --agent orchestrator"), entry("ov status")],
            "PreCompact": [entry("ov prime --agent orchestrator --compact")]
        }));
        let ours = hooks(json!({"Stop": [entry("grove log session-end --agent orchestrator")]}));
        let merged = install(old, ours);
        assert_eq!(
            Value::Object(merged),
            json!({"Stop": [entry("ov status"), entry("grove log session-end --agent orchestrator")]})
        );
    }

    #[test]
    fn what_is_no_list_of_hooks_is_left_alone() {
        let odd = hooks(
            json!({"Stop": "x", "Mixed": [{"hooks": [{"command": "ov x"}, {"command": "y"}]}]}),
        );
        assert_eq!(without_ours(odd.clone(), &Map::new()), odd);
    }
}
