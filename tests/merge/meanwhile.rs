//! An agent that goes on committing to its branch while that is being merged: what lands is what was
//! checked, and the rest waits for its turn.

use crate::support::{BRANCH, Sandbox, gate, text};
use grove::merge::{Conclusion, MergeProgress, Step};

fn commits_at(step: Option<Step>) {
    let sandbox = Sandbox::new(&[("a", "a\n"), ("b", "b\n")]);
    sandbox.commit(BRANCH, &[("a", text("a2\n"))], "work");
    sandbox.commit("main", &[("b", text("b2\n"))], "m");
    let checked = sandbox.tip(BRANCH);
    let mut context = sandbox.context();
    context.gates = vec![gate("without more", "! test -e more")];
    let mut is_done = false;
    let report = Sandbox::merge_with(&context, &mut |progress| {
        let now = match progress {
            MergeProgress::Entered(entered) => step == Some(entered),
            MergeProgress::Gate(_) => step.is_none(),
            MergeProgress::Asking { .. }
            | MergeProgress::Waiting
            | MergeProgress::PlanningAgain { .. } => false,
        };
        if now && !is_done {
            is_done = true;
            sandbox.commit(BRANCH, &[("more", text("more\n"))], "more work");
        }
    })
    .unwrap();
    assert!(is_done);
    assert_eq!(
        report.conclusion,
        Conclusion::Landed,
        "{step:?}: {report:#?}"
    );
    assert_eq!(sandbox.tip("main^2"), checked, "{step:?}");
    assert_eq!(sandbox.files("main"), ["a", "b"], "{step:?}");
    let said = format!("{BRANCH} has 1 newer commit that this merge does not contain");
    let is_said = report.warnings.iter().any(|it| it.starts_with(&said));
    assert!(is_said, "{step:?}: {:?}", report.warnings);
    let receipt = report.receipt.unwrap();
    grove::merge::settle_journal(sandbox.root(), &receipt.id).unwrap();
    assert_eq!(sandbox.show(BRANCH, "more"), "more\n", "nothing is lost");

    let report = sandbox.merge();
    assert_eq!(
        report.conclusion,
        Conclusion::Landed,
        "{step:?}: {report:#?}"
    );
    assert_eq!(sandbox.files("main"), ["a", "b", "more"], "{step:?}");
}

#[test]
fn a_branch_that_goes_on_while_it_is_merged_lands_as_it_was_checked_and_the_rest_later() {
    for step in [Step::Planned, Step::Gated, Step::Landing, Step::Landed] {
        commits_at(Some(step));
    }
    commits_at(None);
}

#[test]
fn a_target_that_somebody_moves_while_gates_run_is_named_and_nobody_says_that_it_is_untouched() {
    let sandbox = Sandbox::new(&[("a", "a\n"), ("b", "b\n")]);
    sandbox.commit(BRANCH, &[("a", text("a2\n"))], "work");
    let before = sandbox.tip("main");
    let mut context = sandbox.context();
    context.gates = vec![gate("red", "exit 3")];
    let mut is_done = false;
    let report = Sandbox::merge_with(&context, &mut |progress| {
        if matches!(progress, MergeProgress::Gate(_)) && !is_done {
            is_done = true;
            sandbox.commit("main", &[("b", text("b2\n"))], "by hand");
        }
    })
    .unwrap();
    assert_eq!(report.conclusion, Conclusion::GatesRed, "{report:#?}");
    let said = format!("main has moved from {} to ", &before[..8]);
    let is_said = report.warnings.iter().any(|it| it.starts_with(&said));
    assert!(is_said, "{:?}", report.warnings);
    let why = report.error_message.unwrap();
    assert!(!why.contains("untouched"), "{why}");
    assert_eq!(sandbox.show("main", "b"), "b2\n");
    assert_eq!(sandbox.show("main", "a"), "a\n");
}
