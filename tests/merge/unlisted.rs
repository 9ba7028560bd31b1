//! What `git status` does not list is the user's all the same: ignored files, and what is in a submodule's checkout, when
//! a file comes in place of a folder or the other way round.

use crate::submodules::with_lib;
use crate::support::{BRANCH, GONE, Sandbox, text};
use grove::merge::{Conclusion, RefusalReason, UndoOutcome, settle_undo, undo};
use grove::types::merge::MergeReceipt;

/// Merges; `*.env` and `cache` are ignored from then on.
fn merged(sandbox: &Sandbox) -> MergeReceipt {
    let report = sandbox.merge();
    assert_eq!(report.conclusion, Conclusion::Landed, "{report:#?}");
    sandbox.write(".git/info/exclude", "*.env\ncache\n");
    report.receipt.unwrap()
}

fn undo_is_refused(sandbox: &Sandbox, receipt: &MergeReceipt) -> String {
    let before = (sandbox.tip("main"), sandbox.status());
    let done = undo(sandbox.root(), &sandbox.repo(), receipt).unwrap();
    let UndoOutcome::Refused { reason, .. } = done else {
        panic!("{done:?}");
    };
    assert_eq!((sandbox.tip("main"), sandbox.status()), before);
    assert!(matches!(reason, RefusalReason::UncommittedFiles { .. }));
    reason.to_string()
}

fn is_undone(sandbox: &Sandbox, receipt: &MergeReceipt) {
    let done = undo(sandbox.root(), &sandbox.repo(), receipt).unwrap();
    assert!(matches!(done, UndoOutcome::Restored { .. }), "{done:?}");
    settle_undo(sandbox.root(), &receipt.id).unwrap();
    assert_eq!(sandbox.status(), "");
}

#[test]
fn an_undo_that_brings_a_file_back_keeps_ignored_files_of_the_folder_there() {
    let sandbox = Sandbox::new(&[("conf", "conf\n")]);
    let folder = [("conf", GONE), ("conf/base.yaml", text("1\n"))];
    sandbox.commit(BRANCH, &folder, "a folder");
    let receipt = merged(&sandbox);
    sandbox.write("conf/local.env", "SECRET\n");
    sandbox.write("conf/keys/k.env", "K\n");
    let said = undo_is_refused(&sandbox, &receipt);
    assert_eq!(
        said,
        "untracked files would be overwritten: conf/keys, conf/local.env; move them away, then try again"
    );
    assert_eq!(sandbox.read("conf/keys/k.env"), "K\n");
    std::fs::remove_file(sandbox.root().join("conf/local.env")).unwrap();
    std::fs::remove_file(sandbox.root().join("conf/keys/k.env")).unwrap();
    is_undone(&sandbox, &receipt);
    assert_eq!(sandbox.read("conf"), "conf\n");
}

#[test]
fn an_undo_that_brings_a_folder_back_keeps_the_ignored_file_or_link_in_its_place() {
    let sandbox = Sandbox::new(&[("cache/x", "x\n"), ("a", "a\n")]);
    sandbox.commit(BRANCH, &[("cache/x", GONE)], "no cache");
    let receipt = merged(&sandbox);
    let place = sandbox.root().join("cache");
    sandbox.write("cache", "precious\n");
    let said = undo_is_refused(&sandbox, &receipt);
    assert_eq!(
        said,
        "untracked files would be overwritten: cache; move them away, then try again"
    );
    assert_eq!(sandbox.read("cache"), "precious\n");
    std::fs::remove_file(&place).unwrap();
    std::os::unix::fs::symlink(".git", &place).unwrap();
    let said = undo_is_refused(&sandbox, &receipt);
    assert_eq!(
        said,
        "untracked files would be overwritten: cache; move them away, then try again"
    );
    std::fs::remove_file(&place).unwrap();
    is_undone(&sandbox, &receipt);
    assert_eq!(sandbox.read("cache/x"), "x\n");
}

/// A branch whose commit has a file or a link where `main` has the submodule.
fn in_place_of_lib(sandbox: &Sandbox, mode: &str) {
    let content = sandbox.root().join(".git/content");
    std::fs::write(&content, "a").unwrap();
    let blob = sandbox.git(&["hash-object", "-w", ".git/content"]);
    let index = sandbox.root().join(".git/branch-index");
    let run = |args: &[&str]| {
        let mut git = std::process::Command::new("git");
        git.current_dir(sandbox.root())
            .env("GIT_INDEX_FILE", &index);
        let output = git.args(args).output().unwrap();
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    };
    run(&["read-tree", "main"]);
    run(&["update-index", "--force-remove", "lib"]);
    let entry = format!("{mode},{blob},lib");
    run(&["update-index", "--add", "--cacheinfo", &entry]);
    let tree = run(&["write-tree"]);
    let commit = run(&["commit-tree", "-p", "main", "-m", "no module", &tree]);
    sandbox.git(&["update-ref", &format!("refs/heads/{BRANCH}"), &commit]);
}

#[test]
fn a_file_or_link_does_not_land_over_the_checkout_of_a_submodule() {
    type Act = fn(&Sandbox);
    let acts: [(&str, Act); 4] = [
        ("untracked", |sandbox| sandbox.write("lib/mine", "mine\n")),
        ("modified", |sandbox| sandbox.write("lib/code", "mine\n")),
        ("ignored", |sandbox| {
            sandbox.write(".git/modules/lib/info/exclude", "k.env\n");
            sandbox.write("lib/k.env", "K\n");
        }),
        ("committed", |sandbox| {
            let lib = sandbox.root().join("lib");
            let who = ["-c", "user.name=T", "-c", "user.email=t@example.org"];
            let commit = ["commit", "-q", "--allow-empty", "-m", "mine"];
            Sandbox::git_in(&lib, &["checkout", "-q", "-b", "mine"]);
            Sandbox::git_in(&lib, &[&who[..], &commit].concat());
            Sandbox::git_in(&lib, &["checkout", "-q", "--detach", "HEAD^"]);
        }),
    ];
    for mode in ["100644", "120000"] {
        for (what, act) in acts {
            let lib = with_lib();
            let sandbox = &lib.sandbox;
            in_place_of_lib(sandbox, mode);
            act(sandbox);
            let before = sandbox.tip("main");
            let report = sandbox.merge();
            assert_eq!(report.conclusion, Conclusion::Refused, "{what}: {report:?}");
            let said = report.error_message.unwrap();
            assert!(
                said.contains("of a submodule would be deleted: lib; `git submodule deinit lib`"),
                "{said}"
            );
            assert_eq!(sandbox.tip("main"), before);
            assert!(sandbox.root().join("lib/code").exists(), "{what}");
        }
        let lib = with_lib();
        in_place_of_lib(&lib.sandbox, mode);
        lib.sandbox.git(&["submodule", "deinit", "-q", "lib"]);
        let report = lib.sandbox.merge();
        assert_eq!(report.conclusion, Conclusion::Landed, "{report:#?}");
    }
}

#[test]
fn an_undo_leaves_the_submodule_that_the_merge_had_brought_as_it_is() {
    let lib = with_lib();
    let sandbox = &lib.sandbox;
    // The other way round: `main` has the file, and the branch the submodule.
    in_place_of_lib(sandbox, "100644");
    let module = sandbox.tip("main");
    let without = sandbox.tip(BRANCH);
    sandbox.git(&["submodule", "deinit", "-q", "lib"]);
    sandbox.git(&["reset", "-q", "--hard", &without]);
    let tree = format!("{module}^{{tree}}");
    let with = sandbox.git(&["commit-tree", "-p", &without, "-m", "a module", &tree]);
    sandbox.git(&["update-ref", &format!("refs/heads/{BRANCH}"), &with]);
    let receipt = merged(sandbox);
    let allowed = ["-c", "protocol.file.allow=always"];
    let update = ["submodule", "--quiet", "update", "--init"];
    sandbox.git(&[&allowed[..], &update].concat());
    sandbox.write("lib/mine", "mine\n");
    let said = undo_is_refused(sandbox, &receipt);
    assert!(
        said.contains("of a submodule would be deleted: lib"),
        "{said}"
    );
    assert_eq!(sandbox.read("lib/mine"), "mine\n");
}

#[test]
fn a_submodule_that_was_removed_comes_back_to_its_checkout() {
    let lib = with_lib();
    let sandbox = &lib.sandbox;
    let main = sandbox.tip("main");
    sandbox.git(&["checkout", "-q", "-b", BRANCH]);
    sandbox.git(&["rm", "-q", "--cached", "lib"]);
    sandbox.git(&["commit", "-q", "-m", "no module"]);
    sandbox.git(&["checkout", "-q", "-f", "main"]);
    assert!(sandbox.root().join("lib/code").exists());
    let receipt = merged(sandbox);
    assert!(sandbox.root().join("lib/code").exists(), "git leaves it");
    let done = undo(sandbox.root(), &sandbox.repo(), &receipt).unwrap();
    assert!(matches!(done, UndoOutcome::Restored { .. }), "{done:?}");
    assert_eq!(sandbox.tip("main"), main);
    assert!(sandbox.root().join("lib/code").exists());
}

#[test]
fn what_a_failing_filter_has_written_stays_and_is_named() {
    let sandbox = Sandbox::new(&[(".gitattributes", "*.bin filter=f\n")]);
    let files = [("m1.bin", text("1\n")), ("m2.bin", text("2\n"))];
    sandbox.commit(BRANCH, &files, "work");
    sandbox.git(&["config", "filter.f.required", "true"]);
    sandbox.git(&["config", "filter.f.clean", "cat"]);
    let smudge = "sh -c 'grep -q 2 && exit 1; echo x'";
    sandbox.git(&["config", "filter.f.smudge", smudge]);
    let before = sandbox.tip("main");
    let error = Sandbox::merge_with(&sandbox.context(), &mut |_| {}).unwrap_err();
    let said = error.to_string();
    assert_eq!(sandbox.tip("main"), before);
    assert!(error.is_passing(), "{said}");
    assert_eq!(sandbox.read("m1.bin"), "x\n");
    assert!(
        said.contains("stays what git may have written: m1.bin;"),
        "{said}"
    );
}
