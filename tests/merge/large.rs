//! Large files: what both sides did is settled however much it is, or said to be too much.

use crate::support::{BRANCH, Sandbox, item, text};
use grove::merge::{Conclusion, execute};

fn many(count: usize, line: impl Fn(usize) -> String) -> String {
    (0..count).map(line).collect()
}

#[test]
fn thousands_of_functions_of_both_sides_land_with_both() {
    let functions = |of: &str| {
        many(2_500, |n| {
            format!("fn {of}_{n}() {{\n    let {of}{n} = {n};\n    put({of}{n});\n}}\n")
        })
    };
    let base = "fn start() {}\n";
    let sandbox = Sandbox::new(&[("a.rs", base)]);
    let (ours, theirs) = (functions("our"), functions("their"));
    sandbox.commit(BRANCH, &[("a.rs", text(&format!("{base}{theirs}")))], "b");
    sandbox.commit("main", &[("a.rs", text(&format!("{base}{ours}")))], "m");
    let report = execute(&sandbox.context(), &item(BRANCH), &mut |_| {}).unwrap();
    assert_eq!(report.conclusion, Conclusion::Landed, "{report:?}");
    let merged = sandbox.git(&["show", "main:a.rs"]);
    assert_eq!(
        merged.trim_end(),
        format!("{base}{ours}{theirs}").trim_end()
    );
}

#[test]
fn what_both_rewrote_beyond_what_is_compared_is_held_and_the_reason_says_so() {
    let version = |words: &str| many(1_200, |n| format!("{words} {n} of {words}\n"));
    let sandbox = Sandbox::new(&[("a.md", &version("old"))]);
    sandbox.commit(BRANCH, &[("a.md", text(&version("their new")))], "b");
    sandbox.commit("main", &[("a.md", text(&version("our other")))], "m");
    let report = execute(&sandbox.context(), &item(BRANCH), &mut |_| {}).unwrap();
    assert_eq!(report.conclusion, Conclusion::Held);
    let said = "a.md: what both sides rewrote from line 1 on is too large to be settled; decide it in Review";
    assert!(
        report.warnings.iter().any(|it| it == said),
        "{:?}",
        report.warnings
    );
}
