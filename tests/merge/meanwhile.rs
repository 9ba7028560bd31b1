//! An agent that goes on committing to its branch while that is being merged: what lands is what was
//! checked, and the rest waits for its turn.

use crate::support::{BRANCH, Sandbox, gate, item, text};
use crate::train::{Watcher, branch};
use grove::merge::{
    Arrival, Conclusion, MergeError, MergeItem, MergeProgress, MergeReport, Step, TrainObserver,
    execute_train,
};

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

/// Merges while somebody does something to the branch: when a step is entered, or the first gate begins.
fn merged_while(
    sandbox: &Sandbox,
    step: Option<Step>,
    mut done: impl FnMut(),
) -> Result<MergeReport, MergeError> {
    let mut context = sandbox.context();
    context.gates = vec![gate("green", "true")];
    let mut is_done = false;
    let result = Sandbox::merge_with(&context, &mut |progress| {
        let now = match progress {
            MergeProgress::Entered(entered) => step == Some(entered),
            MergeProgress::Gate(_) => step.is_none(),
            MergeProgress::Asking { .. }
            | MergeProgress::Waiting
            | MergeProgress::PlanningAgain { .. } => false,
        };
        if now && !is_done {
            is_done = true;
            done();
        }
    });
    assert!(is_done, "{step:?}");
    result
}

const BEFORE_IT_LANDS: [Option<Step>; 4] = [
    None,
    Some(Step::Planned),
    Some(Step::Gated),
    Some(Step::Landing),
];

#[test]
fn what_was_taken_out_of_a_branch_while_its_gates_run_does_not_land() {
    for step in BEFORE_IT_LANDS {
        let sandbox = Sandbox::new(&[("a", "a\n"), ("b", "b\n")]);
        sandbox.commit(BRANCH, &[("a", text("a2\n"))], "work");
        let kept = sandbox.tip(BRANCH);
        sandbox.commit(BRANCH, &[("secret", text("s\n"))], "a mistake");
        let own = format!("refs/heads/{BRANCH}");
        let report = merged_while(&sandbox, step, || {
            sandbox.git(&["update-ref", &own, &kept]);
        });
        let report = report.unwrap();
        assert_eq!(
            report.conclusion,
            Conclusion::Landed,
            "{step:?}: {report:#?}"
        );
        assert_eq!(sandbox.tip("main^2"), kept, "{step:?}");
        assert_eq!(sandbox.files("main"), ["a", "b"], "{step:?}");
        assert_eq!(report.warnings, [""; 0], "{step:?}");
        let undo = sandbox.git(&["for-each-ref", "refs/grove/undo"]);
        assert_eq!(undo.lines().count(), 1, "{step:?}: {undo}");
    }
}

#[test]
fn a_branch_that_is_set_back_as_it_lands_is_named() {
    let sandbox = Sandbox::new(&[("a", "a\n")]);
    let before = sandbox.tip("main");
    sandbox.commit(BRANCH, &[("a", text("a2\n"))], "work");
    let report = merged_while(&sandbox, Some(Step::Landed), || {
        sandbox.git(&["update-ref", &format!("refs/heads/{BRANCH}"), &before]);
    });
    let report = report.unwrap();
    assert_eq!(report.conclusion, Conclusion::Landed, "{report:#?}");
    let said = format!("{BRANCH} was rewritten at the moment at which it landed");
    let is_said = report.warnings.iter().any(|it| it.starts_with(&said));
    assert!(is_said, "{:?}", report.warnings);
}

#[test]
fn a_branch_that_is_written_anew_while_its_gates_run_lands_as_it_is_then() {
    for step in BEFORE_IT_LANDS {
        let sandbox = Sandbox::new(&[("a", "a\n"), ("b", "b\n")]);
        let base = sandbox.tip("main");
        sandbox.commit(BRANCH, &[("a", text("wrong\n"))], "work");
        let report = merged_while(&sandbox, step, || {
            sandbox.git(&["update-ref", &format!("refs/heads/{BRANCH}"), &base]);
            sandbox.commit(BRANCH, &[("a", text("right\n"))], "work");
        });
        let report = report.unwrap();
        assert_eq!(
            report.conclusion,
            Conclusion::Landed,
            "{step:?}: {report:#?}"
        );
        assert_eq!(sandbox.tip("main^2"), sandbox.tip(BRANCH), "{step:?}");
        assert_eq!(sandbox.show("main", "a"), "right\n", "{step:?}");
    }
}

#[test]
fn a_branch_that_is_written_anew_all_the_time_is_named() {
    let sandbox = Sandbox::new(&[("a", "a\n")]);
    sandbox.commit(BRANCH, &[("a", text("a2\n"))], "work");
    let (before, base) = (sandbox.tip("main"), sandbox.tip("main"));
    let mut context = sandbox.context();
    context.gates = vec![gate("green", "true")];
    let mut times = 0;
    let result = Sandbox::merge_with(&context, &mut |progress| {
        if matches!(progress, MergeProgress::Entered(Step::Gated)) {
            times += 1;
            sandbox.git(&["update-ref", &format!("refs/heads/{BRANCH}"), &base]);
            sandbox.commit(BRANCH, &[("a", text(&format!("{times}\n")))], "work");
        }
    });
    let error = result.unwrap_err();
    assert!(
        matches!(error, MergeError::BranchRewritten { .. }),
        "{error:?}"
    );
    let said = format!("{BRANCH} was rewritten each time it was about to land");
    assert!(error.to_string().starts_with(&said), "{error}");
    assert_eq!(sandbox.tip("main"), before);
}

/// Takes the last commit of a branch back as soon as a train has its car tested.
struct TakesBack<'s> {
    sandbox: &'s Sandbox,
    of: usize,
    kept: String,
    is_done: bool,
    watcher: Watcher,
}

impl TrainObserver for TakesBack<'_> {
    fn progress(&mut self, index: usize, progress: MergeProgress<'_>) {
        let is_tested = matches!(progress, MergeProgress::Entered(Step::Gated));
        if index == self.of && is_tested && !self.is_done {
            self.is_done = true;
            let own = format!("refs/heads/{}", branch(self.of));
            self.sandbox.git(&["update-ref", &own, &self.kept]);
        }
    }

    fn arrived(&mut self, arrival: Arrival) {
        self.watcher.arrived(arrival);
    }
}

#[test]
fn in_a_train_what_was_taken_out_of_a_branch_does_not_land_and_the_others_do() {
    let sandbox = Sandbox::new(&[("a", "a\n")]);
    for n in 0..3 {
        let own = format!("file-{n}");
        sandbox.commit(&branch(n), &[(own.as_str(), text("x\n"))], "work");
    }
    let kept = sandbox.tip(&branch(1));
    sandbox.commit(&branch(1), &[("secret", text("s\n"))], "a mistake");
    let mut context = sandbox.context();
    context.gates = vec![gate("green", "true")];
    let items: Vec<MergeItem> = (0..3).map(|n| item(&branch(n))).collect();
    let mut observer = TakesBack {
        sandbox: &sandbox,
        of: 1,
        kept,
        is_done: false,
        watcher: Watcher::default(),
    };
    execute_train(&context, &items, None, &mut observer).unwrap();
    assert!(observer.is_done);
    let mut landed = observer.watcher.landed();
    landed.sort_unstable();
    assert_eq!(landed, [0, 1, 2]);
    assert_eq!(sandbox.files("main"), ["a", "file-0", "file-1", "file-2"]);
}
