//! Builtins that are given thousands of names: refused early, counted in steps, which are the same on every machine.

use grove_guard::{Policy, effort};
use std::path::PathBuf;

fn nowhere() -> Policy {
    Policy {
        agent: "ada".to_owned(),
        capability: "builder".to_owned(),
        worktree: PathBuf::from("/nowhere/repo/.overstory/worktrees/ada"),
        root: PathBuf::from("/nowhere/repo"),
        temp: None,
        quality_gates: Vec::new(),
        task_id: None,
        allow: Vec::new(),
        block: Vec::new(),
    }
}

fn names(count: usize, behind: &str) -> String {
    let all: Vec<String> = (0..count).map(|n| format!("a{n}{behind}")).collect();
    all.join(" ")
}

#[test]
fn thousands_of_names_are_refused_before_each_is_looked_at() {
    let policy = nowhere();
    for builtin in ["read", "declare", "typeset", "export", "readonly", "unset"] {
        let ask = |count: usize| effort(&policy, &format!("{builtin} {}", names(count, "")));
        assert!(ask(500).0.is_allowed(), "{builtin}");
        assert!(!ask(5_000).0.is_allowed(), "{builtin}");
        let (some, twice) = (ask(250).1.steps, ask(500).1.steps);
        assert!(twice < 3 * some, "{builtin}: {some} {twice}");
    }
    let given = |count: usize| effort(&policy, &format!("declare {}", names(count, "=b")));
    assert!(given(500).0.is_allowed());
    assert!(!given(5_000).0.is_allowed());
}
