//! Histories that cross: both sides have two best ancestors, and these contradict each other. git's mark
//! for that is nothing that anybody wrote, and nobody gets to see it.

use std::cell::RefCell;
use std::path::Path;

use crate::support::{BRANCH, Sandbox, item};
use grove::merge::{
    Conclusion, ConflictResolver, ContestedFile, MergeItem, OnDisplaced, execute_with_resolver,
};
use grove::types::merge::MergeTier;

/// Both ancestors added a line at the same place; each side merged the other's in its own way, and then
/// has this between `top` and `end`.
fn crossed(ours: &str, theirs: &str) -> Sandbox {
    let sandbox = Sandbox::new(&[("f", "top\nend\n")]);
    let file = |inner: &str| format!("top\n{inner}end\n");
    let root = sandbox.tip("main");
    let made = |inner: &str, parents: &[&str]| sandbox.commit_for(&[("f", &file(inner))], parents);
    let (one, two) = (made("one\n", &[&root]), made("two\n", &[&root]));
    let our_merge = made("one\ntwo\n", &[&one, &two]);
    let their_merge = made("two\none\n", &[&two, &one]);
    let ours = made(ours, &[&our_merge]);
    let theirs = made(theirs, &[&their_merge]);
    sandbox.git(&["reset", "-q", "--hard", &ours]);
    sandbox.git(&["update-ref", &format!("refs/heads/{BRANCH}"), &theirs]);
    let bases = sandbox.git(&["merge-base", "--all", "main", BRANCH]);
    assert_eq!(bases.lines().count(), 2);
    sandbox
}

/// Keeps what it is asked.
#[derive(Default)]
struct Asked(RefCell<Vec<ContestedFile>>);

impl ConflictResolver for Asked {
    fn answer(
        &self,
        _item: &MergeItem,
        _tier: MergeTier,
        file: &ContestedFile,
        _dir: &Path,
    ) -> Result<String, String> {
        self.0.borrow_mut().push(file.clone());
        Err("no idea".to_owned())
    }
}

#[test]
fn marks_of_git_in_a_contradicted_ancestor_are_shown_to_nobody() {
    let sandbox = crossed("one\ntwo is ours\n", "two is theirs\none\n");
    let mut context = sandbox.context();
    context.on_displaced = OnDisplaced::Escalate;
    let asked = Asked::default();
    let report = execute_with_resolver(&context, &item(BRANCH), &asked, &mut |_| {}).unwrap();
    assert_eq!(report.conclusion, Conclusion::Held);
    assert!(!report.displaced.is_empty());
    let asked = asked.0.borrow();
    assert!(!asked.is_empty());
    let mut seen: Vec<&str> = report.displaced.iter().map(|h| h.base.as_str()).collect();
    for file in asked.iter() {
        seen.push(&file.base);
        seen.extend(file.hunks.iter().map(|hunk| hunk.base.as_str()));
    }
    for text in seen {
        assert!(
            !text.contains("Temporary merge") && !text.contains("<<<"),
            "{text}"
        );
    }
    assert_eq!(asked[0].base, "top\nend\n", "only what both ancestors have");
}

#[test]
fn what_comes_out_the_same_from_each_ancestor_is_settled() {
    let sandbox = crossed("one\ntwo\nours\n", "one\ntwo\nours\ntheirs\n");
    let report = sandbox.merge();
    assert_eq!(report.conclusion, Conclusion::Landed, "{report:#?}");
    assert_eq!(
        sandbox.show("main", "f"),
        "top\none\ntwo\nours\ntheirs\nend\n"
    );
}

struct Says(&'static str);

impl ConflictResolver for Says {
    fn answer(
        &self,
        _: &MergeItem,
        _: MergeTier,
        _: &ContestedFile,
        _: &Path,
    ) -> Result<String, String> {
        Ok(self.0.to_owned())
    }
}

#[test]
fn an_answer_that_drops_what_one_ancestor_had_does_not_land() {
    let sandbox = crossed("one\ntwo is ours\n", "two is theirs\none\n");
    let mut context = sandbox.context();
    context.on_displaced = OnDisplaced::Escalate;
    let asked = |answer| {
        let says = Says(answer);
        execute_with_resolver(&context, &item(BRANCH), &says, &mut |_| {}).unwrap()
    };
    let report = asked("top\ntwo is ours\ntwo is theirs\nend\n");
    assert_eq!(report.conclusion, Conclusion::Held, "{report:#?}");
    let report = asked("top\none\ntwo is ours\ntwo is theirs\nend\n");
    assert_eq!(report.conclusion, Conclusion::Landed, "{report:#?}");
}

#[test]
fn a_receipt_counts_as_displaced_what_it_lists_as_displaced() {
    for (ours, theirs) in [
        ("one\ntwo is ours\n", "two is theirs\none\n"),
        ("one\ntwo\nours\n", "theirs\n"),
        ("one\nours\n", "two\none is theirs\n"),
    ] {
        let sandbox = crossed(ours, theirs);
        let mut context = sandbox.context();
        context.on_displaced = OnDisplaced::Commit;
        let report = Sandbox::merge_with(&context, &mut |_| {}).unwrap();
        assert_eq!(report.conclusion, Conclusion::Landed, "{report:#?}");
        let listed: u64 = report.displaced.iter().map(|hunk| hunk.line_count).sum();
        assert!(listed > 0, "{report:#?}");
        let receipt = report.receipt.as_ref().unwrap();
        assert_eq!(receipt.account.displaced, listed, "{report:#?}");
    }
}

#[test]
fn a_line_that_only_one_ancestor_lacks_is_named_where_the_other_side_took_it_out() {
    let sandbox = Sandbox::new(&[("f", "top\na\nb\nend\n")]);
    let root = sandbox.tip("main");
    let made = |text: &str, parents: &[&str]| sandbox.commit_for(&[("f", text)], parents);
    let (one, two) = (
        made("top\none\na\nb\nend\n", &[&root]),
        made("top\na\nb\ntwo\nend\n", &[&root]),
    );
    let our_merge = made("top\none\na\nb\ntwo\nend\n", &[&one, &two]);
    let their_merge = made("top\na\nb\ntwo\nend\n", &[&two, &one]);
    let ours = made("top\none\na\nours\nb\ntwo\nend\n", &[&our_merge]);
    let theirs = made("top\na\ntheirs\nb\ntwo\nend\n", &[&their_merge]);
    sandbox.git(&["reset", "-q", "--hard", &ours]);
    sandbox.git(&["update-ref", &format!("refs/heads/{BRANCH}"), &theirs]);
    let report = sandbox.merge();
    assert_eq!(report.conclusion, Conclusion::Landed, "{report:#?}");
    assert_eq!(
        sandbox.show("main", "f"),
        "top\na\nours\ntheirs\nb\ntwo\nend\n"
    );
    let receipt = report.receipt.unwrap();
    let [crossed] = receipt.crossed.as_slice() else {
        panic!("{:#?}", receipt.crossed);
    };
    assert_eq!(
        (crossed.file.as_str(), crossed.side.as_str()),
        ("f", "target")
    );
    assert_eq!(crossed.ancestor, two, "the other one has it");
    assert_eq!(crossed.lines, ["one"]);
}

/// Whoever compares a file by its name finds nothing in the ancestor, and takes every line of it for a side's own.
#[test]
fn a_line_taken_out_of_a_file_that_both_renamed_is_named() {
    let text: String = (0..40).map(|n| format!("line {n}\n")).collect();
    let sandbox = Sandbox::new(&[("old", &text), ("f", "top\nend\n")]);
    let root = sandbox.tip("main");
    let made = |moved: &str, f: &str| sandbox.commit_for(&[("new", moved), ("f", f)], &[&root]);
    let ours = made(
        &text.replace("line 30\n", "line 30\nmore\n"),
        "top\nours\nend\n",
    );
    let theirs = made(&text.replace("line 5\n", ""), "top\ntheirs\nend\n");
    sandbox.git(&["reset", "-q", "--hard", &ours]);
    sandbox.git(&["update-ref", &format!("refs/heads/{BRANCH}"), &theirs]);
    let report = sandbox.merge();
    assert_eq!(report.conclusion, Conclusion::Landed, "{report:#?}");
    let landed = sandbox.show("main", "new");
    assert!(!landed.contains("line 5\n"), "{landed}");
    let receipt = report.receipt.unwrap();
    let [crossed] = receipt.crossed.as_slice() else {
        panic!("{:#?}", receipt.crossed);
    };
    assert_eq!(
        (crossed.file.as_str(), crossed.side.as_str()),
        ("new", "target")
    );
    assert_eq!(crossed.ancestor, root);
    assert_eq!(crossed.lines, ["line 5"]);
}
