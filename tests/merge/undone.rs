//! Taking a merge back in a checkout whose files were touched since, or that git was told to overlook.

use crate::support::{BRANCH, Sandbox, text};
use grove::merge::{RefusalReason, UndoOutcome, undo};
use grove::types::merge::MergeReceipt;

fn merged() -> (Sandbox, MergeReceipt) {
    let sandbox = Sandbox::new(&[("a", "a\n"), ("b", "b\n")]);
    sandbox.commit(BRANCH, &[("a", text("a2\n"))], "work");
    let receipt = sandbox.merge().receipt.unwrap();
    (sandbox, receipt)
}

#[test]
fn a_file_that_was_only_touched_since_the_merge_is_not_in_the_way() {
    let (sandbox, receipt) = merged();
    for file in ["a", "b"] {
        let file = std::fs::File::options()
            .write(true)
            .open(sandbox.root().join(file))
            .unwrap();
        let yesterday = std::time::Duration::from_hours(24);
        file.set_modified(std::time::SystemTime::now() - yesterday)
            .unwrap();
    }
    let done = undo(sandbox.root(), &sandbox.repo(), &receipt).unwrap();
    assert!(matches!(done, UndoOutcome::Restored { .. }), "{done:?}");
    assert_eq!(
        (sandbox.status(), sandbox.read("a")),
        (String::new(), "a\n".to_owned())
    );
}

#[test]
fn a_change_that_git_was_told_to_overlook_is_named_and_stays() {
    for told in ["--skip-worktree", "--assume-unchanged"] {
        let (sandbox, receipt) = merged();
        sandbox.git(&["update-index", told, "a"]);
        sandbox.write("a", "mine\n");
        let before = sandbox.tip("main");
        let done = undo(sandbox.root(), &sandbox.repo(), &receipt).unwrap();
        let UndoOutcome::Refused {
            reason: RefusalReason::UncommittedFiles { files },
            ..
        } = done
        else {
            panic!("{told}: {done:?}");
        };
        assert_eq!(files.overlooked, ["a"], "{told}");
        assert_eq!(sandbox.tip("main"), before);
        assert_eq!(sandbox.read("a"), "mine\n");
    }
}
