//! Whose displaced lines are: of every line, and not only of the file or the place.

use grove::merge::Conclusion;
use grove::merge::size;
use grove::types::merge::DisplacedHunk;

use crate::support::{BRANCH, Change, GONE, Sandbox, text};

/// Brings a new version of a file to main by an agent's branch.
fn bring(sandbox: &Sandbox, agent: &str, file: &str, content: &str) -> String {
    bring_from(sandbox, "main", agent, &[(file, text(content))])
}

/// Brings changes of a commit to main by an agent's branch.
fn bring_from(sandbox: &Sandbox, from: &str, agent: &str, changes: &[Change<'_>]) -> String {
    let branch = format!("overstory/{agent}/t-9");
    sandbox.git(&["branch", "-q", &branch, from]);
    sandbox.commit(&branch, changes, agent);
    sandbox.git(&["checkout", "-q", "main"]);
    sandbox.git(&["merge", "-q", "--no-ff", "--no-edit", &branch]);
    sandbox.tip(&branch)
}

fn displaced(sandbox: &Sandbox) -> DisplacedHunk {
    let report = sandbox.merge();
    assert_eq!(report.conclusion, Conclusion::Held, "{report:#?}");
    let [hunk] = report.displaced.as_slice() else {
        panic!("{:#?}", report.displaced);
    };
    hunk.clone()
}

fn parts(hunk: &DisplacedHunk) -> Vec<(u64, u64, &str, &str)> {
    let parts = hunk.parts.iter();
    parts
        .map(|p| {
            (
                p.start_line,
                p.line_count,
                p.agent.as_str(),
                p.commit.as_str(),
            )
        })
        .collect()
}

#[test]
fn of_a_deleted_file_each_line_is_credited_to_who_wrote_it() {
    let sandbox = Sandbox::new(&[("f", "1\n2\n3\n4\n5\n"), ("g", "g\n")]);
    sandbox.commit(BRANCH, &[("f", GONE)], "deletes it");
    let bob = bring(&sandbox, "bob", "f", "1 bob\n2 bob\n3\n4\n5\n");
    let cy = bring(&sandbox, "cy", "f", "1 bob\n2 bob\n3\n4\n5 cy\n");
    let hunk = displaced(&sandbox);
    assert_eq!(
        parts(&hunk),
        [(1, 2, "bob", bob.as_str()), (5, 1, "cy", cy.as_str())]
    );
    assert_eq!(hunk.whose(), "bob, cy");
}

#[test]
fn of_a_contested_place_each_line_is_credited_to_who_wrote_it() {
    let sandbox = Sandbox::new(&[("f", "a\nb\nc\nd\n")]);
    sandbox.commit(BRANCH, &[("f", text("a\nb ann\nc ann\nd\n"))], "work");
    let bob = bring(&sandbox, "bob", "f", "a\nb bob\nc\nd\n");
    let cy = bring(&sandbox, "cy", "f", "a\nb bob\nc cy\nd\n");
    let hunk = displaced(&sandbox);
    assert_eq!(
        parts(&hunk),
        [(2, 1, "bob", bob.as_str()), (3, 1, "cy", cy.as_str())]
    );
}

#[test]
fn what_one_commit_has_written_needs_no_parts() {
    let sandbox = Sandbox::new(&[("f", "1\n2\n3\n")]);
    sandbox.commit(BRANCH, &[("f", GONE)], "deletes it");
    bring(&sandbox, "bob", "f", "1 bob\n2\n3 bob\n");
    let hunk = displaced(&sandbox);
    assert_eq!((parts(&hunk), hunk.whose().as_str()), (Vec::new(), "bob"));
}

/// Twenty lines, with some of them changed, and removed where they are empty.
fn lines(changes: &[(usize, &str)]) -> String {
    let line = |number: usize| {
        let change = changes.iter().find(|(changed, _)| *changed == number);
        match change {
            Some((_, "")) => String::new(),
            Some((_, word)) => format!("line {number} {word} words\n"),
            None => format!("line {number} base words\n"),
        }
    };
    (1..=20).map(line).collect()
}

/// The parts of a hunk that are removals: where, how many lines, and whose.
fn removals(hunk: &DisplacedHunk) -> Vec<(u64, u64, &str)> {
    let removed = hunk.parts.iter().filter(|part| part.removed);
    removed
        .map(|part| (part.start_line, part.line_count, part.agent.as_str()))
        .collect()
}

#[test]
fn a_removal_is_not_credited_to_who_changed_the_file_last() {
    let sandbox = Sandbox::new(&[("f", &lines(&[]))]);
    let base = sandbox.tip("main");
    let (gone, other) = (lines(&[(6, "")]), lines(&[(15, "bob")]));
    let reworded = lines(&[(6, "eve")]);
    sandbox.commit(BRANCH, &[("f", text(&reworded))], "work");
    let dan = bring_from(&sandbox, &base, "dan", &[("f", text(&gone))]);
    bring_from(&sandbox, &base, "bob", &[("f", text(&other))]);
    for _ in 0..2 {
        let hunk = displaced(&sandbox);
        assert_eq!((hunk.agent.as_str(), &hunk.commit), ("dan", &dan));
        assert!(hunk.parts.is_empty(), "{hunk:#?}");
        assert_eq!(size(&hunk), "the removal of 1 line");
        let more = lines(&[(6, ""), (15, "bob"), (1, "me")]);
        sandbox.commit("main", &[("f", text(&more))], "by the user");
    }
}

#[test]
fn a_removal_counts_the_lines_that_the_other_side_rewords_too() {
    let sandbox = Sandbox::new(&[("f", &lines(&[]))]);
    let gone = lines(&[(6, ""), (7, ""), (8, "")]);
    let reworded = lines(&[(7, "eve")]);
    sandbox.commit(BRANCH, &[("f", text(&reworded))], "work");
    let dan = bring(&sandbox, "dan", "f", &gone);
    let then = lines(&[(6, ""), (7, ""), (8, ""), (15, "bob")]);
    bring(&sandbox, "bob", "f", &then);
    let hunk = displaced(&sandbox);
    assert_eq!((hunk.agent.as_str(), &hunk.commit), ("dan", &dan));
    assert_eq!(size(&hunk), "the removal of 3 lines");
}

#[test]
fn a_removal_is_followed_through_a_rename() {
    let sandbox = Sandbox::new(&[("f", &lines(&[]))]);
    let reworded = lines(&[(6, "eve")]);
    sandbox.commit(BRANCH, &[("f", text(&reworded))], "work");
    let dan = bring(&sandbox, "dan", "f", &lines(&[(6, "")]));
    let renamed = lines(&[(6, ""), (15, "bob")]);
    let renamed = [("f", GONE), ("new", text(&renamed))];
    bring_from(&sandbox, "main", "bob", &renamed);
    let hunk = displaced(&sandbox);
    assert_eq!((hunk.agent.as_str(), &hunk.commit), ("dan", &dan));
}

#[test]
fn a_removal_beside_a_changed_line_is_not_passed_over() {
    for (changed, (first, rest)) in [(6, (7, 7)), (9, (6, 6))] {
        let sandbox = Sandbox::new(&[("f", &lines(&[]))]);
        let reworded = lines(&[(6, "eve"), (7, "eve"), (8, "eve"), (9, "eve")]);
        sandbox.commit(BRANCH, &[("f", text(&reworded))], "work");
        bring(&sandbox, "bob", "f", &lines(&[(changed, "bob")]));
        let gone: Vec<(usize, &str)> = (first..first + 3).map(|line| (line, "")).collect();
        let then = [&[(changed, "bob")], gone.as_slice()].concat();
        bring(&sandbox, "cat", "f", &lines(&then));
        let hunk = displaced(&sandbox);
        assert_eq!(size(&hunk), "1 line and the removal of 3 lines");
        assert_eq!(removals(&hunk), [(rest, 3, "cat")], "{hunk:#?}");
        let bobs = parts(&hunk).into_iter().filter(|part| part.2 == "bob");
        assert_eq!(bobs.count(), 1);
    }
}

#[test]
fn what_one_commit_has_reworded_and_removed_at_one_place_is_told_as_both() {
    for and_elsewhere in [false, true] {
        let sandbox = Sandbox::new(&[("f", &lines(&[]))]);
        let reworded = lines(&[(6, "eve"), (7, "eve"), (8, "eve")]);
        sandbox.commit(BRANCH, &[("f", text(&reworded))], "work");
        let bobs = [(6, "bob"), (7, ""), (8, "")];
        let bob = bring(&sandbox, "bob", "f", &lines(&bobs));
        if and_elsewhere {
            let more = [&bobs[..], &[(15, "cat")]].concat();
            bring(&sandbox, "cat", "f", &lines(&more));
        }
        let hunk = displaced(&sandbox);
        assert_eq!(size(&hunk), "1 line and the removal of 2 lines");
        assert_eq!(
            parts(&hunk),
            [(6, 1, "bob", bob.as_str()), (7, 2, "bob", bob.as_str())]
        );
        assert_eq!(removals(&hunk), [(7, 2, "bob")], "{hunk:#?}");
        assert_eq!(hunk.whose(), "bob");
    }
}

#[test]
fn of_a_file_that_is_not_merged_by_lines_each_line_is_credited_to_who_wrote_it() {
    let sandbox = Sandbox::new(&[("f", &lines(&[])), (".gitattributes", "f -merge\n")]);
    let whole = lines(&[(20, "eve")]);
    sandbox.commit(BRANCH, &[("f", text(&whole))], "work");
    let ann = bring(&sandbox, "ann-2", "f", &lines(&[(2, "ann")]));
    let bob = bring(&sandbox, "bob", "f", &lines(&[(2, "ann"), (5, "bob")]));
    let then = lines(&[(2, "ann"), (5, "bob"), (9, "")]);
    let cat = bring(&sandbox, "cat", "f", &then);
    let hunk = displaced(&sandbox);
    assert_eq!(
        parts(&hunk),
        [
            (2, 1, "ann-2", ann.as_str()),
            (5, 1, "bob", bob.as_str()),
            (9, 1, "cat", cat.as_str())
        ]
    );
    assert_eq!(removals(&hunk), [(9, 1, "cat")]);
}

#[test]
fn what_a_driver_leaves_out_of_the_branch_is_the_branchs() {
    let attributes = (".gitattributes", "f merge=ours\n");
    for (driver, expected) in [
        ("true", vec![(3, "ann")]),
        ("echo new > %A", vec![(9, "bob"), (3, "ann")]),
    ] {
        let sandbox = Sandbox::new(&[("f", &lines(&[])), attributes]);
        sandbox.git(&["config", "merge.ours.driver", driver]);
        let own = lines(&[(3, "ann")]);
        let ann = sandbox.commit(BRANCH, &[("f", text(&own))], "work");
        bring(&sandbox, "bob", "f", &lines(&[(9, "bob")]));
        let hunk = displaced(&sandbox);
        let said = match hunk.parts.as_slice() {
            [] => vec![(hunk.start_line, hunk.agent.as_str())],
            parts => {
                let parts = parts.iter();
                parts.map(|p| (p.start_line, p.agent.as_str())).collect()
            }
        };
        assert_eq!(said, expected, "{driver}: {hunk:#?}");
        if driver == "true" {
            assert_eq!(hunk.commit, ann.to_string());
        }
    }
}
