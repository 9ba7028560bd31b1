//! The user's git settings about merges, and hooks around them: followed as git does, or named.
#![cfg(unix)]

use std::os::unix::fs::PermissionsExt;
use std::process::Command;

use crate::support::{BRANCH, Sandbox, gate, text};
use grove::merge::{
    Conclusion, MergeError, MergeReport, UndoOutcome, execute_train, land_revert, undo,
};

/// Says of every signature that it is good; how far its key is trusted is in the file `trust`.
const GPG: &str = "#!/bin/sh
case \"$*\" in
*--verify*)
    cat > /dev/null
    printf '[GNUPG:] NEWSIG\\n[GNUPG:] GOODSIG 0123456789ABCDEF Ann\\n[GNUPG:] TRUST_%s 0 pgp\\n' \
        \"$(cat \"${0%/*}/trust\")\" ;;
*)
    cat > /dev/null
    printf '\\n[GNUPG:] SIG_CREATED \\n' >&2
    printf -- '-----BEGIN PGP SIGNATURE-----\\n\\nx\\n-----END PGP SIGNATURE-----\\n' ;;
esac
";

fn script(sandbox: &Sandbox, path: &str, script: &str) {
    let file = sandbox.root().join(path);
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    std::fs::write(&file, script).unwrap();
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o755)).unwrap();
}

fn project() -> Sandbox {
    let sandbox = Sandbox::new(&[("a", "a\n")]);
    sandbox.commit(BRANCH, &[("b", text("b\n"))], "work");
    sandbox
}

fn signing(sandbox: &Sandbox) {
    script(sandbox, ".git/gpg", GPG);
    let gpg = sandbox.root().join(".git/gpg").display().to_string();
    sandbox.git(&["config", "gpg.program", &gpg]);
    trust(sandbox, "FULLY");
}

fn trust(sandbox: &Sandbox, level: &str) {
    std::fs::write(sandbox.root().join(".git/trust"), level).unwrap();
}

/// Puts a signature under the branch's last commit.
fn sign(sandbox: &Sandbox) {
    let tree = format!("{BRANCH}^{{tree}}");
    let parent = format!("{BRANCH}^");
    let words = ["commit-tree", "-S", &tree, "-p", &parent, "-m", "signed"];
    let signed = sandbox.git(&words);
    sandbox.git(&["update-ref", &format!("refs/heads/{BRANCH}"), &signed]);
}

fn merge(sandbox: &Sandbox) -> Result<MergeReport, MergeError> {
    Sandbox::merge_with(&sandbox.context(), &mut |_| {})
}

#[test]
fn a_revert_prepared_before_signing_was_asked_for_lands_signed() {
    let sandbox = project();
    let receipt = merge(&sandbox).unwrap().receipt.unwrap();
    sandbox.commit("main", &[("a", text("later\n"))], "later");
    let repo = sandbox.repo();
    let UndoOutcome::RevertPrepared { commit, .. } = undo(sandbox.root(), &repo, &receipt).unwrap()
    else {
        panic!("not prepared");
    };
    signing(&sandbox);
    sandbox.git(&["config", "commit.gpgSign", "true"]);
    let context = sandbox.context();
    let done = land_revert(&context, &sandbox.repo(), &receipt, &commit, &mut |_| {}).unwrap();
    let UndoOutcome::Reverted { commit: landed, .. } = done else {
        panic!("{done:?}");
    };
    assert_eq!(sandbox.tip("main"), landed);
    let raw = sandbox.git(&["cat-file", "commit", &landed]);
    assert!(raw.contains("gpgsig "), "{raw}");
    let of = |name: &str, what: &str| sandbox.git(&["log", "-1", what, name]);
    for what in ["--format=%B", "--format=%T", "--format=%P"] {
        assert_eq!(of(&landed, what), of(&commit, what));
    }
}

/// Why git would not merge the branch.
fn refusal_of_git(sandbox: &Sandbox) -> String {
    let output = Command::new("git")
        .current_dir(sandbox.root())
        .args(["merge", "--no-edit", "--verify-signatures", BRANCH])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(128), "{output:?}");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    said.trim().strip_prefix("fatal: ").unwrap().to_owned()
}

#[test]
fn an_unsigned_branch_is_refused_where_git_would_refuse_it_and_with_its_reason() {
    for (key, value) in [
        ("merge.verifySignatures", "true"),
        ("branch.main.mergeOptions", "--no-ff --verify-signatures"),
    ] {
        let sandbox = project();
        signing(&sandbox);
        sandbox.git(&["config", key, value]);
        let before = sandbox.state();
        let reason = refusal_of_git(&sandbox);
        let error = merge(&sandbox).unwrap_err().to_string();
        assert!(error.contains(&reason) && error.contains(key), "{error}");
        // Also where no checkout stands on the target, and in a train.
        sandbox.git(&["checkout", "-q", "--detach"]);
        let error = merge(&sandbox).unwrap_err().to_string();
        assert!(error.contains(&reason), "{error}");
        sandbox.git(&["checkout", "-q", "main"]);
        let mut arrived = crate::train::Watcher::default();
        let items = [crate::support::item(BRANCH)];
        execute_train(&sandbox.context(), &items, None, &mut arrived).unwrap();
        let error = arrived.only().unwrap_err().to_string();
        assert!(error.contains(&reason), "{error}");
        assert_eq!(sandbox.state(), before);

        sign(&sandbox);
        trust(&sandbox, "UNDEFINED");
        let reason = refusal_of_git(&sandbox);
        let error = merge(&sandbox).unwrap_err().to_string();
        assert!(error.contains(&reason), "{error}");

        trust(&sandbox, "FULLY");
        let report = merge(&sandbox).unwrap();
        assert_eq!(report.conclusion, Conclusion::Landed, "{report:#?}");
        assert_eq!(report.warnings, [""; 0]);
    }
}

#[test]
fn options_for_merges_into_the_target_that_are_not_followed_are_named() {
    let sandbox = project();
    let options = "--no-ff -S --signoff --squash";
    sandbox.git(&["config", "branch.main.mergeOptions", options]);
    let report = merge(&sandbox).unwrap();
    assert_eq!(report.conclusion, Conclusion::Landed);
    assert_eq!(sandbox.status(), "", "the checkout moved along");
    let said = report.warnings.join("\n");
    assert!(
        said.contains("not followed: -S --signoff --squash of branch.main.mergeOptions"),
        "{said}"
    );
}

/// A strategy that makes no fast-forward has git stash, reset and put back what the user has not committed.
#[test]
fn a_strategy_that_is_set_for_merges_does_not_touch_the_users_files() {
    for (key, value) in [
        ("branch.main.mergeOptions", "-s ours"),
        ("branch.main.mergeOptions", "-s ours --autostash"),
        ("branch.main.mergeOptions", "-s subtree --no-ff"),
        ("pull.twohead", "ours"),
        ("merge.ff", "no"),
    ] {
        let sandbox = project();
        sandbox.write("other", "other\n");
        sandbox.git(&["add", "other"]);
        sandbox.git(&["commit", "-q", "-m", "other"]);
        sandbox.write("other", "mine\n");
        sandbox.git(&["config", key, value]);
        let report = merge(&sandbox).unwrap();
        assert_eq!(
            report.conclusion,
            Conclusion::Landed,
            "{value}: {report:#?}"
        );
        assert_eq!(sandbox.status(), " M other", "{value}");
        let stashed = sandbox.git(&["fsck", "--no-reflogs", "--unreachable", "--no-progress"]);
        assert!(
            !stashed.contains("unreachable commit"),
            "{value}: {stashed}"
        );
        let said = report.warnings.join("\n");
        let named = said.matches("not followed: -s").count();
        assert_eq!(named, usize::from(value.starts_with("-s")), "{said}");
    }
}

#[test]
fn a_hook_that_follows_a_merge_is_heard_and_named_where_it_does_not_run() {
    let sandbox = project();
    script(
        &sandbox,
        ".git/hooks/post-merge",
        "#!/bin/sh\necho no database >&2\nexit 1\n",
    );
    let report = merge(&sandbox).unwrap();
    assert_eq!(report.conclusion, Conclusion::Landed);
    let said = report.warnings.join("\n");
    assert!(said.contains("no database"), "{said}");

    let sandbox = project();
    script(&sandbox, ".git/hooks/post-merge", "#!/bin/sh\n");
    sandbox.git(&["checkout", "-q", "--detach"]);
    let report = merge(&sandbox).unwrap();
    let said = report.warnings.join("\n");
    assert!(
        said.contains("not run: post-merge; main is checked out nowhere"),
        "{said}"
    );
}

#[test]
fn hooks_that_git_revert_runs_and_a_revert_here_does_not_are_named() {
    let sandbox = project();
    let receipt = merge(&sandbox).unwrap().receipt.unwrap();
    sandbox.commit("main", &[("c", text("c\n"))], "on top");
    for hook in ["prepare-commit-msg", "post-commit"] {
        let ran = format!(
            "#!/bin/sh\ntouch {}/.git/{hook}\n",
            sandbox.root().display()
        );
        script(&sandbox, &format!(".git/hooks/{hook}"), &ran);
    }
    let repo = sandbox.repo();
    let prepared = undo(sandbox.root(), &repo, &receipt).unwrap();
    let UndoOutcome::RevertPrepared { commit, .. } = prepared else {
        panic!("{prepared:?}");
    };
    let done = land_revert(&sandbox.context(), &repo, &receipt, &commit, &mut |_| {}).unwrap();
    let UndoOutcome::Reverted { warnings, .. } = done else {
        panic!("{done:?}");
    };
    let said = warnings.join("\n");
    assert!(
        said.contains("not run: prepare-commit-msg, post-commit;"),
        "{said}"
    );
    assert!(!sandbox.root().join(".git/post-commit").exists());
}

#[test]
fn no_gate_is_spent_on_a_landing_that_the_checkout_refuses() {
    let sandbox = project();
    let mut context = sandbox.context();
    let ran = sandbox.notebook(&mut context).join("ran");
    context.gates = vec![gate("long", &format!("echo run >> {}", ran.display()))];
    let lock = sandbox.root().join(".git/index.lock");
    let dirty = |on: bool| {
        let file = sandbox.root().join("b");
        if on {
            std::fs::write(file, "mine\n").unwrap();
        } else {
            std::fs::remove_file(file).unwrap();
        }
    };
    let refused = || {
        let report = Sandbox::merge_with(&context, &mut |_| {}).unwrap();
        assert_eq!(report.conclusion, Conclusion::Refused, "{report:#?}");
        let mut arrived = crate::train::Watcher::default();
        let items = [crate::support::item(BRANCH)];
        execute_train(&context, &items, None, &mut arrived).unwrap();
        assert_eq!(arrived.only().unwrap().conclusion, Conclusion::Refused);
        assert!(!ran.exists(), "{:?}", report.error_message);
        assert!(report.gates.is_empty());
        report.error_message.unwrap()
    };
    dirty(true);
    let said = refused();
    assert!(
        said.contains("untracked files would be overwritten: b"),
        "{said}"
    );
    dirty(false);
    // Left by a git that was killed.
    std::fs::write(&lock, "").unwrap();
    let said = refused();
    assert!(said.contains("index.lock"), "{said}");
    std::fs::remove_file(&lock).unwrap();
    let report = Sandbox::merge_with(&context, &mut |_| {}).unwrap();
    assert_eq!(report.conclusion, Conclusion::Landed);
    assert!(ran.exists());
}
