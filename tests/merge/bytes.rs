//! Lines in encodings of their own: what a receipt keeps of them can be read back byte for byte.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;

use crate::support::{BRANCH, Sandbox};
use grove::merge::{Choices, Conclusion, Decision, OnDisplaced, Review, execute_reviewed};
use grove::types::merge::{DisplacedHunk, MergeTier};

fn contested() -> Sandbox {
    let sandbox = Sandbox::new(&[("f", "a\nb\nc\n")]);
    sandbox.commit(BRANCH, &[("f", Some(b"a\n\xe8t\nc\n"))], "theirs");
    sandbox.commit("main", &[("f", Some(b"a\n\xe9o\nplain\nc\n"))], "ours");
    sandbox
}

fn bytes(hunk: &DisplacedHunk) -> Vec<u8> {
    BASE64.decode(&hunk.text_bytes).unwrap()
}

#[test]
fn displaced_lines_that_are_no_utf8_keep_their_bytes() {
    let sandbox = contested();
    let mut context = sandbox.context();
    context.on_displaced = OnDisplaced::Commit;
    let report = Sandbox::merge_with(&context, &mut |_| {}).unwrap();
    assert_eq!(report.conclusion, Conclusion::Landed, "{report:#?}");
    let hunk = &report.displaced[0];
    assert_eq!(hunk.text, "\u{fffd}o\nplain\n");
    assert_eq!(bytes(hunk), b"\xe9o\nplain\n");
}

#[test]
fn what_a_person_gives_up_keeps_its_bytes() {
    for (decision, given_up) in [
        (Decision::Ours, vec![&b"\xe8t\n"[..]]),
        (
            Decision::Text("plain\n".to_owned()),
            vec![b"\xe9o\n", b"\xe8t\n"],
        ),
    ] {
        let sandbox = contested();
        let repo = sandbox.repo();
        let review = Review {
            target: repo.branch_tip("main").unwrap(),
            branch: repo.branch_tip(BRANCH).unwrap(),
            choices: Choices::Hunks(vec![decision]),
            tier: MergeTier::AutoResolve,
            made: Vec::new(),
        };
        let item = crate::support::item(BRANCH);
        let report = execute_reviewed(&sandbox.context(), &item, &review, &mut |_| {}).unwrap();
        assert_eq!(report.conclusion, Conclusion::Landed, "{report:#?}");
        let kept: Vec<Vec<u8>> = report.displaced.iter().map(bytes).collect();
        assert_eq!(kept, given_up);
    }
}
