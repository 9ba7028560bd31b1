//! A target that is another name of a branch, and checkouts that know the branch by the other name.

use crate::support::{BRANCH, Sandbox, text};
use grove::merge::{Conclusion, UndoOutcome, undo};

/// `alias` is another name of `trunk`, with one of them checked out. The other one is `main`, which is merged into.
fn ready(head: &str) -> Sandbox {
    let sandbox = Sandbox::new(&[("a", "a\n"), ("b", "b\n")]);
    sandbox.commit(BRANCH, &[("a", text("a2\n"))], "work");
    if head == "main" {
        // HEAD on the alias, and what moves below it.
        sandbox.git(&["branch", "trunk", "main"]);
        sandbox.git(&["symbolic-ref", "refs/heads/main", "refs/heads/trunk"]);
    } else {
        sandbox.git(&["checkout", "-q", "-b", "trunk"]);
        sandbox.git(&["symbolic-ref", "refs/heads/middle", "refs/heads/trunk"]);
        sandbox.git(&["symbolic-ref", "refs/heads/main", "refs/heads/middle"]);
    }
    sandbox
}

fn into(sandbox: &Sandbox, target: &str) -> grove::merge::MergeReport {
    let mut context = sandbox.context();
    target.clone_into(&mut context.target_branch);
    Sandbox::merge_with(&context, &mut |_| {}).unwrap()
}

#[test]
fn a_checkout_that_knows_the_target_by_another_name_moves_along() {
    for (head, target) in [("trunk", "main"), ("main", "trunk"), ("main", "main")] {
        let sandbox = ready(head);
        let report = into(&sandbox, target);
        assert_eq!(report.conclusion, Conclusion::Landed, "{report:?}");
        assert_eq!(sandbox.tip("trunk"), report.merged_commit.unwrap());
        assert_eq!(sandbox.tip("main"), sandbox.tip("trunk"));
        assert_eq!(sandbox.status(), "", "{head} {target}");
        assert_eq!(sandbox.read("a"), "a2\n");
        let outcome = undo(sandbox.root(), &sandbox.repo(), &report.receipt.unwrap()).unwrap();
        assert!(
            matches!(outcome, UndoOutcome::Restored { .. }),
            "{outcome:?}"
        );
        assert_eq!(
            (sandbox.status(), sandbox.read("a")),
            (String::new(), "a\n".into())
        );
        let names = sandbox.git(&["symbolic-ref", "refs/heads/main"]);
        assert_ne!(names, "", "the alias stays one");
    }
}

#[test]
fn changes_in_a_checkout_that_knows_the_target_by_another_name_are_in_the_way() {
    for (head, target) in [("trunk", "main"), ("main", "trunk")] {
        let sandbox = ready(head);
        sandbox.write("a", "mine\n");
        let before = sandbox.tip("trunk");
        let report = into(&sandbox, target);
        assert_eq!(report.conclusion, Conclusion::Refused, "{report:?}");
        assert_eq!(
            (sandbox.tip("trunk"), sandbox.read("a")),
            (before, "mine\n".into())
        );
    }
}

#[test]
fn a_target_that_is_rebased_by_its_other_name_is_not_landed_into() {
    let sandbox = ready("trunk");
    sandbox.commit("other", &[("b", text("theirs\n"))], "other");
    sandbox.commit("trunk", &[("b", text("ours\n"))], "ours");
    let root = sandbox.root();
    let stopped = std::process::Command::new("git")
        .current_dir(root)
        .args(["rebase", "-q", "other"])
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .output()
        .unwrap();
    assert!(root.join(".git/rebase-merge").exists(), "{stopped:?}");
    assert_eq!(into(&sandbox, "main").conclusion, Conclusion::Refused);
}
