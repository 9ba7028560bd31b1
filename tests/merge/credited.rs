//! Whose displaced lines are: of every line, and not only of the file or the place.

use grove::merge::Conclusion;
use grove::types::merge::DisplacedHunk;

use crate::support::{BRANCH, GONE, Sandbox, text};

/// Brings a new version of a file to main by an agent's branch.
fn bring(sandbox: &Sandbox, agent: &str, file: &str, content: &str) -> String {
    let branch = format!("overstory/{agent}/t-9");
    sandbox.git(&["branch", "-q", &branch, "main"]);
    sandbox.commit(&branch, &[(file, text(content))], agent);
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
