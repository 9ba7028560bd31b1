//! Gates judge the tree that lands: what one of them changes in it, the next one does not see.
#![cfg(unix)]

use crate::support::{BRANCH, Sandbox, gate, text};
use grove::merge::{Conclusion, MergeContext, MergeReport};

fn branch() -> (Sandbox, MergeContext) {
    let sandbox = Sandbox::new(&[("a.py", "x=1\n"), ("b", "b\n")]);
    sandbox.commit(BRANCH, &[("a.py", text("x=1\ny=2\n"))], "work");
    let context = sandbox.context();
    (sandbox, context)
}

fn merge(context: &MergeContext) -> MergeReport {
    Sandbox::merge_with(context, &mut |_| {}).unwrap()
}

#[test]
fn a_gate_that_formats_does_not_make_the_next_one_green() {
    let (sandbox, mut context) = branch();
    context.gates = vec![
        gate(
            "Format",
            "sed -i 's/=/ = /' a.py && mkdir out && echo built > out/thing",
        ),
        gate("Lint", "test -f out/thing && grep -q ' = ' a.py"),
    ];
    let before = sandbox.tip("main");
    let report = merge(&context);
    assert_eq!(report.conclusion, Conclusion::GatesRed, "{report:#?}");
    assert_eq!(sandbox.tip("main"), before);
    assert_eq!(report.gates[0].changed, ["a.py"]);
    let said = "gate Format changed 1 file: a.py; the merge lands without that";
    assert!(report.warnings.iter().any(|w| w == said), "{report:#?}");

    // What gates build stays for the next one.
    context.gates[1] = gate("Lint", "test -f out/thing && grep -q '^y=2' a.py");
    let report = merge(&context);
    assert_eq!(report.conclusion, Conclusion::Landed, "{report:#?}");
    assert_eq!(report.warnings, [said]);
    assert_eq!(sandbox.show("main", "a.py"), "x=1\ny=2\n");
    assert_eq!(report.receipt.unwrap().gates[0].changed, ["a.py"]);
}

#[test]
fn a_red_attempt_that_edits_files_does_not_make_the_next_attempt_green() {
    let (_sandbox, mut context) = branch();
    context.gate_retries = 2;
    context.gates = vec![gate(
        "Test",
        "grep -q fixed a.py && exit 0; echo fixed >> a.py; rm b; chmod +x a.py; exit 1",
    )];
    let report = merge(&context);
    assert_eq!(report.conclusion, Conclusion::GatesRed, "{report:#?}");
    assert_eq!(
        (report.gates[0].attempts, report.gates[0].changed.len()),
        (3, 2)
    );
}

#[test]
fn a_gate_cannot_hide_its_changes_by_committing_or_staging_them() {
    for hide in [
        "git commit -qam x",
        "git add -A",
        "git update-index --assume-unchanged a.py",
        "rm -rf .git",
    ] {
        let (_sandbox, mut context) = branch();
        let edit = "sed -i 's/=/ = /' a.py && git config user.name n && git config user.email e";
        context.gates = vec![
            gate("Format", &format!("{edit} && {hide}")),
            gate("Lint", "grep -q ' = ' a.py"),
        ];
        let report = merge(&context);
        assert_eq!(
            report.conclusion,
            Conclusion::GatesRed,
            "{hide}: {report:#?}"
        );
        assert_eq!(report.gates[0].changed, ["a.py"], "{hide}");
    }
}

#[test]
fn a_file_that_is_only_touched_is_not_changed() {
    let (_sandbox, mut context) = branch();
    context.gates = vec![gate("Touch", "touch a.py b; echo x > new")];
    let report = merge(&context);
    assert_eq!(report.conclusion, Conclusion::Landed, "{report:#?}");
    assert_eq!(report.warnings, Vec::<String>::new());
}
