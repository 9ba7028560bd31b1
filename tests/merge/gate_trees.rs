//! Gates judge the tree that lands: what one of them changes in it, the next one does not see.
#![cfg(unix)]

use crate::support::{BRANCH, Sandbox, gate, text};
use grove::merge::{Conclusion, MergeContext, MergeReport};

fn branch() -> (Sandbox, MergeContext) {
    let files = [("a.py", "x=1\n"), ("b", "b\n"), (".gitignore", "out/\n")];
    let sandbox = Sandbox::new(&files);
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
    let said = "gate Format changed 1 file: a.py; that was put back";
    assert!(report.warnings.iter().any(|w| w == said), "{report:#?}");

    let said = "gate Format changed 1 file: a.py; the merge lands without that";
    // What gates build stays for the next one, as git ignores it.
    context.gates[1] = gate("Lint", "test -f out/thing && grep -q '^y=2' a.py");
    let report = merge(&context);
    assert_eq!(report.conclusion, Conclusion::Landed, "{report:#?}");
    assert_eq!(report.warnings, [said]);
    assert_eq!(sandbox.show("main", "a.py"), "x=1\ny=2\n");
    assert_eq!(report.receipt.unwrap().gates[0].changed, ["a.py"]);
}

/// A tree that lacks what a gate has generated would land, though it is red by itself.
#[test]
fn a_gate_that_generates_files_does_not_make_the_next_one_green() {
    let (sandbox, mut context) = branch();
    let generate = "mkdir -p gen/deep .cache out shut/in && echo 1 > gen/deep/code.py && echo 1 > 'new file' && \
        echo 1 > out/thing && git init -q nested && echo 1 > nested/x && echo '*' > .cache/.gitignore && \
        echo 1 > .cache/x && echo 1 > shut/in/x && chmod 500 shut/in";
    context.gates = vec![
        gate("Generate", generate),
        gate(
            "Test",
            "test -f out/thing && test -f .cache/x && test -f gen/deep/code.py",
        ),
    ];
    let before = sandbox.tip("main");
    let report = merge(&context);
    assert_eq!(report.conclusion, Conclusion::GatesRed, "{report:#?}");
    assert_eq!(sandbox.tip("main"), before);
    let left = ["gen/", "nested/", "new file", "shut/"];
    assert_eq!(report.gates[0].left, left);
    assert_eq!(
        report.warnings,
        [
            "gate Generate left 4 files that git does not ignore: gen/, nested/, new file, shut/; removed before what \
          ran next"
        ]
    );

    context.gates[1] = gate(
        "Test",
        "test -f out/thing && for f in gen nested shut 'new file'; do ! test -e \"$f\" || exit 1; done",
    );
    let report = merge(&context);
    assert_eq!(report.conclusion, Conclusion::Landed, "{report:#?}");
    assert_eq!(report.receipt.unwrap().gates[0].left, left);
    assert_eq!(sandbox.status(), "");
}

/// What git ignores is said by the tree that lands, not by what a gate writes into its folders.
#[test]
fn a_gate_that_ignores_what_it_adds_does_not_make_the_next_one_green() {
    let files = [("a.py", "x=1\n"), ("lib/deep/b", "b\n"), ("c/x", "x\n")];
    let sandbox = Sandbox::new(&files);
    sandbox.commit(BRANCH, &[("a.py", text("x=1\ny=2\n"))], "work");
    let mut context = sandbox.context();
    let plant = "echo planted > green.txt; printf 'green.txt\\n' > .gitignore; mkdir -p lib/new gen/in .cache; \
        echo 1 > lib/new/x; echo '*' > lib/.gitignore; echo x > lib/deep/x; echo x > lib/deep/.gitignore; \
        echo 1 > gen/in/x; echo in/ > gen/.gitignore; echo 1 > .cache/x; echo '*' > .cache/.gitignore; \
        echo green.txt >> .git/info/exclude; git config core.excludesFile \"$PWD/c/all\"; echo '*' > c/all; chmod 500 c";
    context.gates = vec![gate("Plant", plant), gate("Test", "test -e green.txt")];
    let before = sandbox.tip("main");
    let report = merge(&context);
    assert_eq!(report.conclusion, Conclusion::GatesRed, "{report:#?}");
    assert_eq!(sandbox.tip("main"), before);
    let mut left = report.gates[0].left.clone();
    left.sort();
    let added = [
        ".gitignore",
        "c/all",
        "gen/",
        "green.txt",
        "lib/.gitignore",
        "lib/deep/.gitignore",
        "lib/deep/x",
        "lib/new/",
    ];
    assert_eq!(left, added);

    // A folder of a tool that keeps itself out of git stays.
    let clean = "for f in .gitignore green.txt lib/new lib/.gitignore lib/deep/x gen c/all; do ! test -e $f || exit 1; \
        done; test -e .cache/x";
    context.gates[1] = gate("Test", clean);
    let report = merge(&context);
    assert_eq!(report.conclusion, Conclusion::Landed, "{report:#?}");
    assert_eq!(sandbox.status(), "");
}

#[test]
fn a_gate_that_commits_does_not_change_what_the_next_one_asks_git() {
    for hide in [
        "git commit -qam x",
        "echo x > new && git add new && git commit -qm x",
        "git add -A",
        "git replace HEAD HEAD~1",
        "rm -rf .git",
        "rm -rf .git && ln -s lib .git",
        "chmod 500 .git && chmod 0 .git/objects",
    ] {
        let (_sandbox, mut context) = branch();
        let edit = "echo x >> a.py; git config user.name n; git config user.email e;";
        context.gates = vec![
            gate("Commit", &format!("{edit} {hide}")),
            gate(
                "Generated files are committed",
                "git diff --exit-code HEAD && git diff --cached --exit-code && test \"$(git log -1 --format=%s)\" != x \
                 && test -z \"$(git replace)\"",
            ),
        ];
        let report = merge(&context);
        assert_eq!(report.conclusion, Conclusion::Landed, "{hide}: {report:#?}");
    }
}

#[test]
fn an_attempt_does_not_find_what_the_one_before_has_left() {
    let (_sandbox, mut context) = branch();
    context.gate_retries = 1;
    context.gates = vec![gate("Test", "test -f left && exit 0; touch left; exit 1")];
    let report = merge(&context);
    assert_eq!(report.conclusion, Conclusion::GatesRed, "{report:#?}");
    assert_eq!(
        (report.gates[0].attempts, report.gates[0].left.as_slice()),
        (2, &["left".to_owned()][..])
    );
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
