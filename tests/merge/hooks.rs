//! Hooks that lie among the project's own files: what a merge brings is not run by its landing.
#![cfg(unix)]

use std::os::unix::fs::PermissionsExt;

use crate::support::{BRANCH, Sandbox, gate, text};
use grove::config::SandboxMode;
use grove::merge::{Conclusion, MergeReport};

const HOOKS: [&str; 5] = [
    "post-merge",
    "reference-transaction",
    "post-index-change",
    "post-checkout",
    "pre-merge-commit",
];

/// A project with hooks in `folder`, which write down whose they are; the branch brings others.
fn project(folder: &str) -> Sandbox {
    let sandbox = Sandbox::new(&[("a", "a\n")]);
    let ran = sandbox.root().join(".git/ran").display().to_string();
    for (branch, who) in [("main", "user"), (BRANCH, "agent")] {
        let script = format!("#!/bin/sh\necho {who} >> {ran}\n");
        for hook in HOOKS {
            let id = sandbox.blob(&script);
            let path = format!("{folder}/{hook}");
            if branch == "main" {
                sandbox.write(&path, &script);
                let file = sandbox.root().join(&path);
                std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o755)).unwrap();
                sandbox.git(&["add", &path]);
            } else {
                sandbox.commit_raw(branch, &[("100755", &id, &path)], "hooks");
            }
        }
        if branch == "main" {
            sandbox.git(&["commit", "-q", "-m", "hooks"]);
        }
    }
    sandbox.git(&["config", "core.hooksPath", folder]);
    sandbox
}

fn merge(sandbox: &Sandbox) -> MergeReport {
    let mut context = sandbox.context();
    // With and without gates it is checked out elsewhere too; the sandbox of gates is not what is tried.
    context.sandbox.default = SandboxMode::Off;
    context.gates = vec![gate("ok", "true")];
    Sandbox::merge_with(&context, &mut |_| {}).unwrap()
}

#[test]
fn landing_runs_the_hooks_from_before_the_merge_and_names_the_new_ones() {
    for folder in [".hooks", "tools/git/hooks"] {
        let sandbox = project(folder);
        let report = merge(&sandbox);
        assert_eq!(report.conclusion, Conclusion::Landed, "{report:#?}");
        let ran = sandbox.read(".git/ran");
        assert!(ran.contains("user"), "the user's own hooks run");
        assert!(!ran.contains("agent"), "{folder}: {ran}");
        let said = report.warnings.join("\n");
        assert!(said.contains(&format!("{folder}/post-merge")), "{said}");
        assert!(
            sandbox
                .read(&format!("{folder}/post-merge"))
                .contains("agent")
        );
        let left = std::fs::read_dir(sandbox.root().join(".overstory/scratch")).unwrap();
        assert_eq!(left.count(), 0);
    }
}

#[test]
fn a_hook_that_a_wrapper_calls_is_the_one_from_before_the_merge() {
    let sandbox = Sandbox::new(&[("a", "a\n")]);
    let ran = sandbox.root().join(".git/ran").display().to_string();
    sandbox.commit(
        "main",
        &[(".husky/post-merge", text(&format!("echo user >> {ran}\n")))],
        "h",
    );
    sandbox.commit(
        BRANCH,
        &[(".husky/post-merge", text(&format!("echo agent >> {ran}\n")))],
        "h",
    );
    let wrapper = "#!/bin/sh\nexec sh -e \"$(dirname \"$(dirname \"$0\")\")/$(basename \"$0\")\"\n";
    sandbox.write(".husky/_/post-merge", wrapper);
    sandbox.write(".git/info/exclude", ".husky/_\n");
    let file = sandbox.root().join(".husky/_/post-merge");
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o755)).unwrap();
    sandbox.git(&["config", "core.hooksPath", ".husky/_"]);
    let report = merge(&sandbox);
    assert_eq!(report.conclusion, Conclusion::Landed, "{report:#?}");
    assert_eq!(sandbox.read(".git/ran"), "user\n");
    assert!(report.warnings.join("\n").contains(".husky/post-merge"));
}

#[test]
fn a_protecting_hook_among_the_files_still_protects_when_the_merge_takes_it_away() {
    let sandbox = Sandbox::new(&[("a", "a\n")]);
    let hook = "#!/bin/sh\n[ \"$1\" = prepared ] && grep -q refs/heads/main && exit 1\nexit 0\n";
    let path = ".hooks/reference-transaction";
    sandbox.write(path, hook);
    let file = sandbox.root().join(path);
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o755)).unwrap();
    sandbox.git(&["add", path]);
    sandbox.git(&["commit", "-q", "-m", "protect"]);
    sandbox.commit(BRANCH, &[(path, None), ("b", text("b\n"))], "unprotect");
    sandbox.git(&["config", "core.hooksPath", ".hooks"]);
    let before = sandbox.state();
    let error = Sandbox::merge_with(&sandbox.context(), &mut |_| {}).unwrap_err();
    assert!(
        error.to_string().contains("does not let main move"),
        "{error}"
    );
    assert_eq!(sandbox.state(), before);
    assert_eq!(sandbox.read(path), hook);
}

#[test]
fn filters_of_the_merged_tree_cannot_write_outside_of_the_scratch_checkout() {
    if !grove::sandbox::support().is_some() {
        crate::skip::skipped("nothing can be confined here");
        return;
    }
    let sandbox = Sandbox::new(&[("z", "z\n")]);
    let outside = sandbox.root().join("a-filter-ran").display().to_string();
    let script = format!("echo ran > {outside}; cat\n");
    sandbox.commit(
        BRANCH,
        &[
            ("a/filter.sh", text(&script)),
            (".gitattributes", text("z filter=tidy\n")),
            ("y", text("y\n")),
        ],
        "work",
    );
    sandbox.git(&["config", "filter.tidy.smudge", "sh a/filter.sh"]);
    let mut context = sandbox.context();
    context.gates = vec![gate("red", "cat z; exit 1")];
    let report = Sandbox::merge_with(&context, &mut |_| {}).unwrap();
    assert_eq!(report.conclusion, Conclusion::GatesRed);
    assert!(!std::path::Path::new(&outside).exists());
}
