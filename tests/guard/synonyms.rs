//! Rules of a project hold for every spelling of the command they name, and for nothing else.

use crate::place::Place;
use grove::guard::check::check_line;
use serde_json::{Value, json};

#[test]
fn a_rule_of_the_project_holds_for_other_spellings_of_its_command() {
    let place = Place::new();
    let mut wrong = Vec::new();
    for line in include_str!("synonyms.jsonl").lines() {
        let case: Value = serde_json::from_str(line).unwrap();
        let question = json!({
            "id": 1, "capability": "builder", "tool": "Bash",
            "input": place.filled(&json!({"command": case["command"]})),
            "worktree": place.worktree, "root": place.root, "block": case["block"],
        });
        let answer: Value = serde_json::from_str(&check_line(&question.to_string())).unwrap();
        if answer["decision"] != case["expect"] {
            wrong.push(format!("{line}: {answer}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
