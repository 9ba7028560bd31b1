//! The two lists of cases: the vendored one, and our own by category.

use crate::place::Place;
use serde_json::Value;

/// Every case whose answer is wrong, as text.
fn wrong(list: &str) -> (usize, Vec<String>) {
    let place = Place::new();
    let mut wrong = Vec::new();
    let mut count = 0;
    for line in list.lines().filter(|line| !line.trim().is_empty()) {
        let case: Value = serde_json::from_str(line).unwrap();
        let text = |name: &str| {
            case[name]
                .as_str()
                .unwrap_or_else(|| panic!("{name} in {line}"))
        };
        let tool = case["tool"].as_str().unwrap_or("Bash");
        let input = match case.get("command") {
            Some(command) => serde_json::json!({"command": command}),
            None => case["input"].clone(),
        };
        let (decision, reason) = place.ask(text("capability"), tool, &input);
        count += 1;
        if decision != text("expect") {
            wrong.push(format!(
                "{decision} instead of {} for {} {input} ({reason})",
                text("expect"),
                text("capability")
            ));
        }
        if decision == "block" && (reason.is_empty() || reason.contains('\n') || reason.len() > 300)
        {
            wrong.push(format!("the reason is not one short sentence: {reason:?}"));
        }
    }
    (count, wrong)
}

#[test]
fn every_vendored_case_is_answered_as_expected() {
    let (count, wrong) = wrong(include_str!("cases.jsonl"));
    assert_eq!(count, 246);
    assert!(
        wrong.is_empty(),
        "{} wrong:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

#[test]
fn every_case_of_interpreters_and_build_tools_is_answered_as_expected() {
    let (count, wrong) = wrong(include_str!("languages.jsonl"));
    assert!(
        wrong.is_empty(),
        "{} of {count} wrong:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
    assert!(count >= 800, "only {count} cases");
}

#[test]
fn every_case_of_our_own_is_answered_as_expected() {
    let (count, wrong) = wrong(include_str!("more.jsonl"));
    assert!(
        wrong.is_empty(),
        "{} of {count} wrong:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
    assert!(count >= 400, "only {count} cases");
}

#[test]
fn every_case_of_the_shell_language_is_answered_as_expected() {
    let (count, wrong) = wrong(include_str!("shell.jsonl"));
    assert!(
        wrong.is_empty(),
        "{} of {count} wrong:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
    assert!(count >= 500, "only {count} cases");
}
