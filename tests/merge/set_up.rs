//! The scratch checkout of gates is set up as a worktree of the repository is: by the hook `post-checkout`, and with the
//! submodules that are here.
#![cfg(unix)]

use std::os::unix::fs::PermissionsExt;

use crate::submodules::with_lib;
use crate::support::{BRANCH, Sandbox, gate, text};
use grove::config::SandboxMode;
use grove::merge::{Conclusion, MergeContext, MergeReport};

/// Copies what git ignores from the project, as people have it do for their worktrees.
const COPIES: &str = "#!/bin/sh
echo \"$1 $2 $3\" > node_modules.args
from=$(git rev-parse --path-format=absolute --git-common-dir)/..
[ \"$PWD\" -ef \"$from\" ] || cp -r \"$from/node_modules\" .
";

fn project(hook: &str) -> Sandbox {
    let sandbox = Sandbox::new(&[
        ("a", "a\n"),
        (".gitignore", "node_modules\nnode_modules.args\n"),
    ]);
    sandbox.write("node_modules/dep", "dep\n");
    sandbox.commit(BRANCH, &[("b", text("b\n"))], "work");
    let file = sandbox.root().join(".git/hooks/post-checkout");
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    std::fs::write(&file, hook).unwrap();
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o755)).unwrap();
    sandbox
}

fn merge(context: &MergeContext) -> MergeReport {
    Sandbox::merge_with(context, &mut |_| {}).unwrap()
}

#[test]
fn what_the_hook_puts_into_a_worktree_is_there_for_gates() {
    for mode in [SandboxMode::Strict, SandboxMode::Off] {
        let sandbox = project(COPIES);
        let mut context = sandbox.context();
        context.sandbox.default = mode;
        let null = "0".repeat(40);
        let command =
            format!("test -f node_modules/dep && grep -q '^{null} [0-9a-f]* 1$' node_modules.args");
        context.gates = vec![gate("one", &command), gate("two", &command)];
        let report = merge(&context);
        assert_eq!(report.conclusion, Conclusion::Landed, "{report:#?}");
        let merged = report.merged_commit.unwrap();
        assert_eq!(sandbox.tip("main"), merged);
        assert!(!sandbox.root().join("node_modules.args").exists());
    }
}

#[test]
fn a_hook_that_fails_or_meddles_is_told_with_the_gate_and_the_tree_stays_what_lands() {
    let sandbox =
        project("#!/bin/sh\necho changed > a\necho x > extra\necho no network >&2\nexit 3\n");
    let mut context = sandbox.context();
    context.gates = vec![gate("same", "grep -qx a a && test ! -e extra && false")];
    let report = merge(&context);
    assert_eq!(report.conclusion, Conclusion::GatesRed, "{report:#?}");
    let said = &report.gates[0].output_tail;
    for part in [
        "note: the hook post-checkout failed in this checkout (exit code 3); no network",
        "changed files of the commit, which were put back: a",
        "made files that git does not ignore, which were removed: extra",
    ] {
        assert!(said.contains(part), "{said}");
    }
    assert_eq!(report.gates[0].changed, [""; 0]);
}

#[test]
fn the_hook_cannot_do_more_than_a_gate() {
    if !grove::sandbox::support().is_some() {
        crate::skip::skipped("nothing can be confined here");
        return;
    }
    let sandbox =
        project("#!/bin/sh\ntop=$(git rev-parse --git-common-dir)/..\necho x > \"$top/reached\"\n");
    let mut context = sandbox.context();
    context.gates = vec![gate("red", "false")];
    let report = merge(&context);
    assert!(!sandbox.root().join("reached").exists());
    let said = &report.gates[0].output_tail;
    assert!(said.contains("the hook post-checkout failed"), "{said}");
}

/// As the system's file names are: bytes.
#[cfg(target_os = "linux")]
#[test]
fn a_submodule_whose_path_is_not_utf_8_is_filled_or_named() {
    let project = with_lib();
    let sandbox = &project.sandbox;
    let moved = std::process::Command::new("sh")
        .args(["-c", "git mv lib \"$(printf 'l\\377b')\""])
        .current_dir(sandbox.root())
        .status();
    assert!(moved.unwrap().success());
    sandbox.git(&["commit", "-q", "-a", "-m", "move"]);
    sandbox.commit(BRANCH, &[("b", text("b\n"))], "work");
    let mut context = sandbox.context();
    context.gates = vec![gate("uses it", "grep -qx one l*b/code")];
    let report = merge(&context);
    assert_eq!(report.conclusion, Conclusion::Landed, "{report:#?}");

    // Where its commit is not here, its name is told as git has it.
    let kept = sandbox.root().join(".git/modules/lib");
    std::fs::rename(&kept, sandbox.root().join(".git/elsewhere")).unwrap();
    sandbox.commit("overstory/ben/t-2", &[("c", text("c\n"))], "more");
    let item = crate::support::item("overstory/ben/t-2");
    let report = grove::merge::execute(&context, &item, &mut |_| {}).unwrap();
    assert_eq!(report.conclusion, Conclusion::GatesRed, "{report:#?}");
    let said = &report.gates[0].output_tail;
    assert!(
        said.contains(r#"submodule "l\377b" is empty here"#),
        "{said}"
    );
}

#[test]
fn submodules_that_are_here_are_filled_and_others_are_named() {
    for mode in [SandboxMode::Strict, SandboxMode::Off] {
        let project = with_lib();
        let sandbox = &project.sandbox;
        project.moves(BRANCH, 1);
        let mut context = sandbox.context();
        context.sandbox.default = mode;
        let command = "grep -qx two lib/code && test -z \"$(git status --porcelain)\" && echo mine > lib/code";
        context.gates = vec![gate("uses it", command)];
        let report = merge(&context);
        assert_eq!(report.conclusion, Conclusion::Landed, "{report:#?}");
        let lib = sandbox.root().join("lib");
        assert_eq!(
            Sandbox::git_in(&lib, &["rev-parse", "HEAD"]),
            project.commits[0]
        );
        assert_eq!(Sandbox::git_in(&lib, &["status", "--porcelain"]), "");

        let gone = "1234567890123456789012345678901234567890";
        sandbox.commit_raw("overstory/ben/t-2", &[("160000", gone, "lib")], "unknown");
        context.gates = vec![gate("uses it", "ls lib | grep -q .")];
        let item = crate::support::item("overstory/ben/t-2");
        let report = grove::merge::execute(&context, &item, &mut |_| {}).unwrap();
        assert_eq!(report.conclusion, Conclusion::GatesRed, "{report:#?}");
        let said = &report.gates[0].output_tail;
        assert!(said.contains("submodule lib is empty here"), "{said}");
    }
}
