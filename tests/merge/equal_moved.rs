//! Equal lines in files that both sides put in another order: of a line that every version has twice, the merge has
//! two, or it is named and somebody decides.

use grove::merge::{Conclusion, MergeReport, OnDisplaced};

use crate::support::{BRANCH, Sandbox, text};

fn merged([base, ours, theirs]: [&str; 3], policy: OnDisplaced) -> (MergeReport, String) {
    let sandbox = Sandbox::new(&[("f", base)]);
    sandbox.commit(BRANCH, &[("f", text(theirs))], "b");
    sandbox.commit("main", &[("f", text(ours))], "m");
    let mut context = sandbox.context();
    context.on_displaced = policy;
    let report = Sandbox::merge_with(&context, &mut |_| {}).unwrap();
    (report, sandbox.show("main", "f"))
}

fn count(text: &str, line: &str) -> usize {
    text.lines().filter(|other| *other == line).count()
}

/// Merges both ways, held and landed: each line is there as often as the version has it that has it least often, or is named.
fn nothing_is_lost(versions: [&str; 3]) {
    let lines = |text: &str| text.split('|').map(|line| format!("{line}\n")).collect();
    let [base, ours, theirs]: [String; 3] = versions.map(lines);
    for [ours, theirs] in [[&ours, &theirs], [&theirs, &ours]] {
        let versions = [base.as_str(), ours, theirs];
        let (held, _) = merged(versions, OnDisplaced::Hold);
        if held.conclusion == Conclusion::Held {
            assert!(!held.displaced.is_empty(), "{held:#?}");
        }
        let (report, result) = merged(versions, OnDisplaced::Commit);
        assert_eq!(report.conclusion, Conclusion::Landed, "{report:#?}");
        for line in base.lines() {
            let named: usize = report
                .displaced
                .iter()
                .map(|hunk| count(&hunk.text, line).saturating_sub(count(&hunk.incoming, line)))
                .sum();
            let least = versions.iter().map(|text| count(text, line)).min();
            assert!(
                count(&result, line) + named >= least.unwrap(),
                "{line} is lost:\n{result}\n{report:#?}"
            );
        }
    }
}

#[test]
fn a_line_that_one_side_moved_alone_and_the_other_with_its_neighbour_is_there_twice() {
    nothing_is_lost([
        "alpha();|beta();|flush();|gamma();|flush();",
        "flush();|alpha();|beta();|flush();|gamma();",
        "gamma();|flush();|alpha();|beta();|flush();",
    ]);
    nothing_is_lost([
        "alpha();|beta();|flush();|gamma();|flush();",
        "flush();|alpha();|new();|beta();|flush();|gamma();",
        "gamma();|flush();|alpha();|beta();|flush();",
    ]);
}

#[test]
fn a_line_that_one_side_moved_out_of_a_block_that_the_other_moved_is_there_twice() {
    let ten = "l1|l2|l3|l4|l5|l6|l7|l8|l9|l10";
    let block = "alpha|user|name|delta|omega|name";
    nothing_is_lost([
        &format!("{ten}|{block}"),
        &format!("{block}|{ten}"),
        &format!("name|{ten}|alpha|user|delta|omega|name"),
    ]);
    let function = "fn helper() {|log();|open();|work();|log();|}";
    nothing_is_lost([
        &format!("{ten}|{function}"),
        &format!("{function}|{ten}"),
        &format!("log();|{ten}|fn helper() {{|open();|work();|log();|}}"),
    ]);
    let words = "beta|item|list|value|price|price|item|order|gamma|beta|price|total|price|item|retry|delta|total|price";
    nothing_is_lost([
        &format!("{words}|alpha|user|name|delta|delta|name"),
        &format!("alpha|user|name|delta|delta|name|{words}"),
        &format!("name|{words}|let user;|let name;|alpha|user|delta|delta|name"),
    ]);
}

#[test]
fn lines_among_equal_ones_that_both_sides_moved_are_there_as_often_as_before() {
    nothing_is_lost(["1|2|a|3|a", "a|1|new|2|a|3", "3|a|1|2|a"]);
    nothing_is_lost(["1|b|2|b", "b|1|b|2", "2|b|1|b"]);
    nothing_is_lost(["1|2|b|3|a|b", "b|1|2|b|3|a", "3|a|b|1|2|b"]);
    nothing_is_lost(["b|b|a|3", "a|3|b|b", "new|b|b|a|3|b"]);
    nothing_is_lost([
        "a|1|b|b|4|5|6|7|8|b",
        "a|1|b|5|6|7|8|b|b",
        "a|1|5|6|7|8|b|b|b|4",
    ]);
}
