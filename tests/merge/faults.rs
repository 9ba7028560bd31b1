//! Merging where somebody else is at work, where the owner's rules forbid it, and where gates do not
//! behave: a clear word, and everything as it was.
#![cfg(unix)]

use std::os::unix::fs::PermissionsExt;

use crate::support::{BRANCH, GONE, Sandbox, gate, item, text};
use grove::merge::{
    Arrival, Conclusion, MergeError, MergeProgress, MergeReport, Step, TrainObserver, execute_train,
};

fn ready() -> Sandbox {
    let sandbox = Sandbox::new(&[("a", "a\n"), ("b", "b\n"), ("gone", "x\n")]);
    let work = [
        ("a", text("a2\n")),
        ("sub/new", text("n\n")),
        ("gone", GONE),
    ];
    sandbox.commit(BRANCH, &work, "work");
    sandbox.commit("main", &[("b", text("b2\n"))], "m");
    sandbox
}

/// What a merge that must not land said.
fn refusal(sandbox: &Sandbox) -> String {
    match Sandbox::merge_with(&sandbox.context(), &mut |_| {}) {
        Ok(report) => {
            assert!(!report.is_success(), "{report:#?}");
            report.error_message.unwrap()
        }
        Err(error) => error.to_string(),
    }
}

fn script(sandbox: &Sandbox, path: &str, body: &str) {
    sandbox.write(path, &format!("#!/bin/sh\n{body}\n"));
    let mode = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(sandbox.root().join(path), mode).unwrap();
}

/// Refs of one merge that did not land must not stay.
fn untouched(sandbox: &Sandbox, before: &std::collections::BTreeMap<String, String>) {
    assert_eq!(&sandbox.state(), before);
    assert_eq!(sandbox.read("a"), "a\n");
    assert!(sandbox.root().join("gone").exists() && !sandbox.root().join("sub/new").exists());
    assert!(grove::merge::unsettled(sandbox.root()).unwrap().is_empty());
}

#[test]
fn another_git_at_work_is_named_and_the_checkout_stays_as_it_was() {
    for (lock, is_checked_out) in [
        (".git/index.lock", true),
        (".git/refs/heads/main.lock", true),
        (".git/HEAD.lock", true),
        (".git/refs/heads/main.lock", false),
    ] {
        let sandbox = ready();
        if !is_checked_out {
            sandbox.git(&["checkout", "-q", "-b", "elsewhere"]);
        }
        let before = sandbox.state();
        sandbox.write(lock, "");
        let said = refusal(&sandbox);
        std::fs::remove_file(sandbox.root().join(lock)).unwrap();
        let name = lock.rsplit('/').next().unwrap();
        assert!(
            said.contains("another git is at work") && said.contains(name),
            "{lock}: {said}"
        );
        if is_checked_out {
            untouched(&sandbox, &before);
        } else {
            assert_eq!(sandbox.state(), before);
        }
        assert_eq!(sandbox.merge().conclusion, Conclusion::Landed, "{lock}");
        assert_eq!(sandbox.status(), "");
    }
}

#[test]
fn packed_refs_that_somebody_holds_do_not_lose_a_merge() {
    let sandbox = ready();
    sandbox.git(&["pack-refs", "--all"]);
    sandbox.write(".git/packed-refs.lock", "");
    let report = sandbox.merge();
    assert_eq!(report.conclusion, Conclusion::Landed, "{report:#?}");
    assert_eq!(sandbox.show("main", "a"), "a2\n");
}

#[derive(Default)]
struct Ends(Vec<(usize, Result<MergeReport, MergeError>)>);

impl TrainObserver for Ends {
    fn progress(&mut self, _index: usize, _progress: MergeProgress<'_>) {}

    fn arrived(&mut self, arrival: Arrival) {
        self.0.push((arrival.index, arrival.result));
    }
}

#[test]
fn a_train_meets_another_git_and_each_branch_says_so() {
    let sandbox = Sandbox::new(&[("a", "a\n")]);
    let branches = ["overstory/x/1", "overstory/y/2", "overstory/z/3"];
    for branch in branches {
        let own = branch.replace('/', "-");
        sandbox.commit(branch, &[(own.as_str(), text("x\n"))], "work");
    }
    let items: Vec<_> = branches.iter().map(|branch| item(branch)).collect();
    let before = sandbox.state();
    for lock in [".git/refs/heads/main.lock", ".git/index.lock"] {
        sandbox.write(lock, "");
        let mut ends = Ends::default();
        execute_train(&sandbox.context(), &items, None, &mut ends).unwrap();
        std::fs::remove_file(sandbox.root().join(lock)).unwrap();
        assert_eq!(ends.0.len(), 3);
        for (index, end) in ends.0 {
            let said = match end {
                Ok(report) => report.error_message.unwrap_or_default(),
                Err(error) => error.to_string(),
            };
            assert!(
                said.contains("another git is at work"),
                "{lock} {index}: {said}"
            );
        }
        assert_eq!(sandbox.state(), before, "{lock}");
    }
    let mut ends = Ends::default();
    execute_train(&sandbox.context(), &items, None, &mut ends).unwrap();
    assert!(
        ends.0
            .iter()
            .all(|(_, end)| end.as_ref().unwrap().is_success())
    );
}

#[test]
fn a_protected_target_is_refused_with_the_owners_words() {
    for is_checked_out in [true, false] {
        let sandbox = ready();
        if !is_checked_out {
            sandbox.git(&["checkout", "-q", "-b", "elsewhere"]);
        }
        script(
            &sandbox,
            ".git/hooks/reference-transaction",
            "[ \"$1\" = prepared ] || exit 0\nwhile read old new name; do\n\
             [ \"$name\" = refs/heads/main ] && { echo 'main is for releases' >&2; exit 1; }\ndone\nexit 0",
        );
        let before = sandbox.state();
        let refused = Sandbox::merge_with(&sandbox.context(), &mut |_| {});
        let Err(error @ MergeError::TargetProtected { .. }) = refused else {
            panic!("{refused:?}");
        };
        let said = error.to_string();
        assert!(
            said.contains("main is for releases") && said.contains("--into"),
            "{said}"
        );
        if is_checked_out {
            untouched(&sandbox, &before);
        } else {
            assert_eq!(sandbox.state(), before);
        }
    }
}

#[test]
fn a_protected_target_is_not_undone_halfway() {
    let sandbox = ready();
    let receipt = sandbox.merge().receipt.unwrap();
    let hook = ".git/hooks/reference-transaction";
    script(
        &sandbox,
        hook,
        "[ \"$1\" = prepared ] && grep -q refs/heads/main && exit 1; exit 0",
    );
    let undone = grove::merge::undo(sandbox.root(), &sandbox.repo(), &receipt);
    assert!(
        matches!(undone, Err(MergeError::TargetProtected { .. })),
        "{undone:?}"
    );
    assert_eq!(sandbox.status(), "");
    assert_eq!(sandbox.read("a"), "a2\n");
    std::fs::remove_file(sandbox.root().join(hook)).unwrap();
    grove::merge::undo(sandbox.root(), &sandbox.repo(), &receipt).unwrap();
    assert_eq!(sandbox.read("a"), "a\n");
}

#[test]
fn merge_commits_are_signed_as_the_user_wants() {
    let sandbox = ready();
    sandbox.git(&["config", "commit.gpgSign", "true"]);
    let program = sandbox.root().join(".git/fake-gpg");
    sandbox.git(&["config", "gpg.program", program.to_str().unwrap()]);
    script(
        &sandbox,
        ".git/fake-gpg",
        "cat >/dev/null\necho 'gpg: no secret key' >&2\nexit 2",
    );
    let before = sandbox.state();
    let unsigned = Sandbox::merge_with(&sandbox.context(), &mut |_| {});
    let Err(error @ MergeError::NotSigned { .. }) = unsigned else {
        panic!("{unsigned:?}");
    };
    let said = error.to_string();
    assert!(
        said.contains("no secret key") && said.contains("user.signingKey"),
        "{said}"
    );
    untouched(&sandbox, &before);

    script(
        &sandbox,
        ".git/fake-gpg",
        "cat >/dev/null\nprintf '\\n[GNUPG:] SIG_CREATED D\\n' >&2\n\
         echo '-----BEGIN PGP SIGNATURE-----'\necho\necho aGVsbG8=\necho '-----END PGP SIGNATURE-----'",
    );
    assert_eq!(sandbox.merge().conclusion, Conclusion::Landed);
    let commit = sandbox.git(&["cat-file", "commit", "main"]);
    assert!(
        commit.contains("gpgsig -----BEGIN PGP SIGNATURE-----"),
        "{commit}"
    );
}

#[test]
fn hooks_run_or_it_is_said_that_they_do_not() {
    let sandbox = ready();
    let seen = sandbox.root().join(".git/seen");
    for hook in [
        "pre-merge-commit",
        "commit-msg",
        "post-merge",
        "reference-transaction",
    ] {
        let body = format!("echo {hook} >> {}", seen.display());
        script(&sandbox, &format!(".git/hooks/{hook}"), &body);
    }
    let report = sandbox.merge();
    assert_eq!(report.conclusion, Conclusion::Landed);
    let seen = std::fs::read_to_string(seen).unwrap();
    assert!(
        seen.contains("post-merge") && seen.contains("reference-transaction"),
        "{seen}"
    );
    assert!(
        !seen.contains("pre-merge-commit") && !seen.contains("commit-msg"),
        "{seen}"
    );
    let [warning] = report.warnings.as_slice() else {
        panic!("{report:#?}");
    };
    assert!(
        warning.starts_with("not run: pre-merge-commit, commit-msg;"),
        "{warning}"
    );
}

#[test]
fn branches_without_changes_and_on_old_targets_end_as_they_should() {
    let sandbox = ready();
    sandbox.git(&["branch", "-f", BRANCH, "main~1"]);
    assert_eq!(
        sandbox.merge().conclusion,
        Conclusion::AlreadyMerged,
        "nothing of its own"
    );

    let tree = sandbox.tip("main^{tree}");
    let tip = sandbox.git(&["commit-tree", &tree, "-p", "main", "-m", "empty"]);
    sandbox.git(&["update-ref", &format!("refs/heads/{BRANCH}"), &tip]);
    let report = sandbox.merge();
    assert_eq!(
        report.conclusion,
        Conclusion::Landed,
        "a commit that changes no file"
    );
    assert_eq!(sandbox.tip("main^{tree}"), tree);

    let sandbox = ready();
    for n in 0..20 {
        let own = format!("later-{n}");
        sandbox.commit("main", &[(own.as_str(), text("x\n"))], "later");
    }
    let expected = sandbox.git(&["merge-tree", "--write-tree", "main", BRANCH]);
    assert_eq!(sandbox.merge().conclusion, Conclusion::Landed);
    assert_eq!(sandbox.tip("main^{tree}"), expected);
}

#[test]
fn a_target_that_is_deleted_during_the_gates_is_named() {
    let sandbox = ready();
    sandbox.git(&["checkout", "-q", "-b", "elsewhere"]);
    let gone = Sandbox::merge_with(&sandbox.context(), &mut |progress| {
        if let MergeProgress::Entered(Step::Gated) = progress {
            sandbox.git(&["update-ref", "-d", "refs/heads/main"]);
        }
    });
    assert!(
        matches!(&gone, Err(MergeError::NoTarget { branch }) if branch == "main"),
        "{gone:?}"
    );
    assert_eq!(
        sandbox.git(&["for-each-ref", "refs/grove", "refs/heads/main"]),
        ""
    );
    assert!(grove::merge::unsettled(sandbox.root()).unwrap().is_empty());
}

#[test]
fn a_branch_that_is_deleted_during_the_gates_lands_as_it_was_tested() {
    let sandbox = ready();
    let tip = sandbox.tip(BRANCH);
    let report = Sandbox::merge_with(&sandbox.context(), &mut |progress| {
        if let MergeProgress::Entered(Step::Gated) = progress {
            sandbox.git(&["branch", "-q", "-D", BRANCH]);
        }
    })
    .unwrap();
    assert_eq!(report.conclusion, Conclusion::Landed);
    assert_eq!(report.receipt.unwrap().branch_tip, tip);
    assert_eq!(sandbox.tip("main^2"), tip);
}

#[test]
fn a_flood_of_output_is_bounded_whatever_its_size() {
    let sandbox = ready();
    let mut context = sandbox.context();
    let size = 1_500_000_000_u64;
    context.gates = vec![gate("flood", &format!("yes flood | head -c {size}"))];
    let report = Sandbox::merge_with(&context, &mut |_| {}).unwrap();
    assert_eq!(report.conclusion, Conclusion::Landed);
    let gate = &report.gates[0];
    assert!(gate.output_tail.len() <= 65536);
    assert_eq!(gate.output_tail.len() as u64 + gate.output_dropped, size);
}

#[test]
fn what_a_gate_leaves_behind_goes_with_it() {
    let sandbox = ready();
    let mut context = sandbox.context();
    let pid = sandbox.notebook(&mut context).join("left-pid");
    let command = format!(
        "mkdir -p deep/er && echo x > deep/er/file && chmod 000 deep && echo changed > a && \
         {{ setsid sh -c 'echo $$ > {0}; exec sleep 600' & }} ; while [ ! -s {0} ]; do sleep 0.02; done",
        pid.display()
    );
    context.gates = vec![gate("messy", &command)];
    let report = Sandbox::merge_with(&context, &mut |_| {}).unwrap();
    assert_eq!(report.conclusion, Conclusion::Landed, "{report:#?}");
    assert_eq!(
        sandbox.show("main", "a"),
        "a2\n",
        "what was planned, not what a gate wrote"
    );
    let scratch = sandbox.root().join(".overstory/scratch");
    assert_eq!(std::fs::read_dir(scratch).unwrap().count(), 0);
    assert_eq!(sandbox.git(&["worktree", "list"]).lines().count(), 1);
    let pid = std::fs::read_to_string(pid)
        .unwrap()
        .trim()
        .parse()
        .unwrap();
    let left = grove::platform::liveness::check(grove::types::host::ProcessId { pid, start: 0 });
    assert_eq!(left, grove::platform::liveness::Liveness::Dead);
}

#[test]
fn a_gate_that_writes_into_the_users_checkout_is_found_out() {
    let sandbox = ready();
    let mut context = sandbox.context();
    // Where there is no sandbox to refuse it.
    context.sandbox.default = grove::config::SandboxMode::Off;
    let file = sandbox.root().join("sub/new");
    let command = format!(
        "mkdir -p {0} && echo mine > {0}/new",
        file.parent().unwrap().display()
    );
    context.gates = vec![gate("outside", &command)];
    let tip = sandbox.tip("main");
    let report = Sandbox::merge_with(&context, &mut |_| {}).unwrap();
    assert_eq!(report.conclusion, Conclusion::Refused);
    assert!(
        report
            .error_message
            .unwrap()
            .contains("would be overwritten: sub/new; ")
    );
    assert_eq!(
        (sandbox.tip("main"), sandbox.read("sub/new")),
        (tip, "mine\n".to_owned())
    );
}

#[test]
fn a_signing_key_that_is_not_there_is_named() {
    let sandbox = ready();
    sandbox.git(&["config", "commit.gpgSign", "true"]);
    sandbox.git(&["config", "gpg.format", "ssh"]);
    let key = sandbox.root().join("no-such-key");
    sandbox.git(&["config", "user.signingKey", key.to_str().unwrap()]);
    let before = sandbox.state();
    let said = refusal(&sandbox);
    assert!(
        said.starts_with("the merge commit could not be signed"),
        "{said}"
    );
    assert!(
        said.contains("no-such-key") && said.contains("check user.signingKey"),
        "{said}"
    );
    assert!(!said.contains("commit-tree"), "{said}");
    untouched(&sandbox, &before);
}

#[test]
fn a_damaged_object_is_named_with_what_to_do() {
    let sandbox = ready();
    let id = sandbox.git(&["rev-parse", &format!("{BRANCH}:sub/new")]);
    let (folder, name) = id.split_at(2);
    let file = sandbox.root().join(".git/objects").join(folder).join(name);
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o644)).unwrap();
    std::fs::write(&file, "garbage").unwrap();
    let before = sandbox.state();
    let said = refusal(&sandbox);
    assert!(said.starts_with("git cannot read an object"), "{said}");
    assert!(
        said.contains(name) && said.contains("`grove doctor --fix`"),
        "{said}"
    );
    untouched(&sandbox, &before);
}
