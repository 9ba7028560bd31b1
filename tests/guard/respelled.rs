//! Every given command for a shell, the forbidden and the harmless, in each spelling that runs a whole text as shell code.

use serde_json::Value;

use crate::place::Place;
use crate::spellings::{REWRITES, of_words};

/// What a decoder makes is not known, so the harmless is refused there as well.
const DECODED: &[&str] = &["base64 to sh", "hexdump to sh"];
/// Who only reads writes no script.
const WRITTEN: &str = "script written and run";

#[test]
fn every_given_command_is_judged_the_same_in_every_spelling_of_the_whole() {
    let place = Place::new();
    let (mut asked, mut wrong) = (0, Vec::new());
    for line in include_str!("cases.jsonl").lines() {
        let case: Value = serde_json::from_str(line).unwrap();
        let case = place.filled(&case);
        let (Some(command), Some(expected), Some(capability)) = (
            case["input"]["command"].as_str(),
            case["expect"].as_str(),
            case["capability"].as_str(),
        ) else {
            continue;
        };
        for (name, rewrite) in REWRITES.iter().filter(|(name, _)| !of_words(name)) {
            let is_unlike = DECODED.contains(name) || *name == WRITTEN;
            if expected == "allow" && is_unlike {
                continue;
            }
            asked += 1;
            let text = rewrite(command);
            let (decision, reason) = place.bash(capability, &text);
            if decision != expected {
                wrong.push(format!(
                    "{decision}, {capability}, {name}: {text} ({reason})"
                ));
            }
        }
    }
    assert!(asked > 5_000, "only {asked}");
    assert!(
        wrong.is_empty(),
        "{} of {asked}:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}
