//! Asking a model, played by a script: good answers land, everything else leaves the target alone.
#![cfg(unix)]

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::support::{BRANCH, GONE, Sandbox, item, text};
use grove::merge::{
    Conclusion, MergeReport, NoPastMerges, OnDisplaced, PastMerge, PastMerges, RuntimeResolver,
    execute_with_resolver,
};
use grove::types::merge::MergeTier;

const BASE: &str = "fn a() {\n    one();\n}\n\nfn pay(a: u8) -> u8 {\n    a\n}\n";

/// Both sides rewrite the signature, in the same place.
fn contested() -> Sandbox {
    let sandbox = Sandbox::new(&[("pay.rs", BASE), ("other.rs", "fn other() {}\n")]);
    let theirs = BASE.replace("(a: u8)", "(a: u8, tip: u16)");
    let ours = BASE.replace("(a: u8)", "(a: u8, tax: u32)");
    sandbox.commit(BRANCH, &[("pay.rs", text(&theirs))], "Add a tip");
    sandbox.commit("main", &[("pay.rs", text(&ours))], "Add tax");
    sandbox
}

fn program(sandbox: &Sandbox, script: &str) -> PathBuf {
    let path = sandbox.root().join(".git/model");
    std::fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    path
}

/// A folder in which the program may tell what it did.
fn notebook(sandbox: &Sandbox, resolver: &mut RuntimeResolver<'_>) -> PathBuf {
    let folder = sandbox.root().join(".git/notebook");
    std::fs::create_dir_all(&folder).unwrap();
    let allowed = folder.display().to_string();
    resolver.sandbox.writable.push(allowed);
    folder
}

fn resolver<'a>(
    sandbox: &Sandbox,
    program: &Path,
    history: &'a dyn PastMerges,
) -> RuntimeResolver<'a> {
    RuntimeResolver {
        root: sandbox.root().to_path_buf(),
        target_branch: "main".to_owned(),
        runtime: "claude".to_owned(),
        program: Some(program.to_path_buf()),
        model: grove::runtimes::reach::Model::default(),
        time_limit: Duration::from_mins(1),
        sandbox: grove::config::SandboxConfig::default(),
        ai_resolve: true,
        reimagine: false,
        call_off: grove::merge::CallOff::default(),
        history,
    }
}

fn merge(sandbox: &Sandbox, resolver: &RuntimeResolver<'_>) -> MergeReport {
    let mut context = sandbox.context();
    context.on_displaced = OnDisplaced::Escalate;
    let before = sandbox.state();
    let report = execute_with_resolver(&context, &item(BRANCH), resolver, &mut |_| {}).unwrap();
    if report.conclusion != Conclusion::Landed {
        assert_eq!(sandbox.state(), before, "nothing was changed");
    }
    let left = std::fs::read_dir(sandbox.root().join(".overstory/scratch"));
    assert_eq!(left.map_or(0, Iterator::count), 0, "no scratch stays");
    report
}

fn answered(script: &str) -> (Sandbox, MergeReport) {
    let sandbox = contested();
    let program = program(&sandbox, script);
    let report = merge(&sandbox, &resolver(&sandbox, &program, &NoPastMerges));
    (sandbox, report)
}

pub(crate) fn printing(text: &str) -> String {
    format!("cat <<'END'\n{text}END")
}

fn refusal(script: &str) -> String {
    let (_, report) = answered(script);
    assert_eq!(report.conclusion, Conclusion::Held, "{script}");
    assert_eq!(report.tier, MergeTier::AiResolve);
    assert!(!report.displaced.is_empty());
    report.warnings.last().unwrap().clone()
}

#[test]
fn a_good_answer_lands_with_the_rewritten_lines_declared() {
    let good = BASE.replace("(a: u8)", "(a: u8, tax: u32, tip: u16)");
    let (sandbox, report) = answered(&printing(&good));
    assert_eq!(
        (report.conclusion, report.tier),
        (Conclusion::Landed, MergeTier::AiResolve),
        "{report:#?}"
    );
    assert_eq!(sandbox.show("main", "pay.rs"), good);
    let receipt = report.receipt.unwrap();
    let lines: Vec<&String> = receipt.woven.iter().flat_map(|w| &w.lines).collect();
    assert!(lines.iter().any(|line| line.contains("tax: u32)")));
    assert!(lines.iter().any(|line| line.contains("tip: u16)")));
    assert!(receipt.displaced.is_empty());
}

#[test]
fn the_question_holds_all_versions_the_intent_and_what_was_learnt() {
    struct Once;
    impl PastMerges for Once {
        fn sharing(&self, files: &[String]) -> Vec<PastMerge> {
            vec![PastMerge {
                tier: MergeTier::AiResolve,
                resolved: true,
                branch: "overstory/eve/t-9".to_owned(),
                agent: "eve".to_owned(),
                files: files.to_vec(),
            }]
        }
    }
    let sandbox = contested();
    sandbox.write(".overstory/specs/t-1.md", "# Let people tip\n");
    let asked = sandbox.root().join(".git/notebook/asked");
    let script = format!("printf '%s' \"$3\" > {}; pwd >> {0}", asked.display());
    let program = program(&sandbox, &script);
    let mut resolver = resolver(&sandbox, &program, &Once);
    notebook(&sandbox, &mut resolver);
    merge(&sandbox, &resolver);
    let asked = std::fs::read_to_string(asked).unwrap();
    for part in [
        "fn pay(a: u8) -> u8",
        "fn pay(a: u8, tax: u32) -> u8",
        "fn pay(a: u8, tip: u16) -> u8",
        "Let people tip",
        "Add a tip",
        "overstory/eve/t-9",
        "/.overstory/scratch/",
    ] {
        assert!(asked.contains(part), "{part} is not in:\n{asked}");
    }
}

#[test]
fn bad_answers_leave_the_target_alone_and_say_why() {
    let prose = "Here is the merged file:\n\nIt was hard.\n";
    assert!(refusal(&printing(prose)).contains("prose"));
    assert!(refusal("true").contains("empty"), "nothing at all");
    let half: String = BASE.lines().take(5).map(|l| format!("{l}\n")).collect();
    assert!(refusal(&printing(&half)).contains("not complete"));
    assert!(refusal(&printing("fn other() {}\n")).contains("nobody contested"));
    let theirs_only = BASE.replace("(a: u8)", "(a: u8, tip: u16)");
    assert!(refusal(&printing(&theirs_only)).contains("does not account for"));
    assert!(refusal("echo no key >&2; exit 7").contains("no key"));
    let marked = BASE.replace(
        "fn pay(a: u8)",
        "<<<<<<< a\nfn pay(a: u8)\n=======\n>>>>>>> b\nfn pay(a: u8)",
    );
    assert!(refusal(&printing(&marked)).contains("conflict marker"));
    assert!(
        refusal("yes 'fn x() {}' | head -c 20000000").contains("more than a file"),
        "an answer without end"
    );
}

#[test]
fn a_model_that_hangs_is_ended_with_what_it_started() {
    let sandbox = contested();
    let child = sandbox.root().join(".git/notebook/child");
    let script = format!(
        "setsid sh -c 'echo $$ > {0}; exec sleep 600' &\nwhile [ ! -s {0} ]; do sleep 0.02; done; sleep 600",
        child.display()
    );
    let program = program(&sandbox, &script);
    let mut resolver = resolver(&sandbox, &program, &NoPastMerges);
    notebook(&sandbox, &mut resolver);
    resolver.time_limit = Duration::from_secs(2);
    let report = merge(&sandbox, &resolver);
    assert!(report.warnings.last().unwrap().contains("did not answer"));
    let pid = std::fs::read_to_string(child).unwrap();
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", pid.trim()));
    assert!(
        stat.is_err() || stat.is_ok_and(|s| s.contains(") Z ")),
        "it still runs"
    );
}

#[test]
fn reimagine_comes_after_and_sees_a_checkout() {
    let sandbox = contested();
    let good = BASE.replace("(a: u8)", "(a: u8, tax: u32, tip: u16)");
    let script = format!("[ -f pay.rs ] || exit 1\n{}", printing(&good));
    let program = program(&sandbox, &script);
    let mut resolver = resolver(&sandbox, &program, &NoPastMerges);
    resolver.reimagine = true;
    let report = merge(&sandbox, &resolver);
    assert_eq!(
        (report.conclusion, report.tier),
        (Conclusion::Landed, MergeTier::Reimagine),
        "{report:#?}"
    );
    assert_eq!(sandbox.show("main", "pay.rs"), good);
}

#[test]
fn a_tier_that_only_ever_failed_is_skipped() {
    struct Failures;
    impl PastMerges for Failures {
        fn sharing(&self, files: &[String]) -> Vec<PastMerge> {
            let failed = PastMerge {
                tier: MergeTier::AiResolve,
                resolved: false,
                branch: "b".to_owned(),
                agent: "a".to_owned(),
                files: files.to_vec(),
            };
            vec![failed.clone(), failed]
        }
    }
    let sandbox = contested();
    let program = program(&sandbox, "echo never; exit 1");
    let report = merge(&sandbox, &resolver(&sandbox, &program, &Failures));
    assert_eq!(report.tier, MergeTier::AutoResolve);
    assert!(
        report
            .warnings
            .last()
            .unwrap()
            .starts_with("ai-resolve skipped")
    );
}

/// It counted as a failure of the model, which two such merges kept from being asked about that file at all.
#[test]
fn a_merge_about_which_no_model_can_be_asked_is_no_failure_of_a_model() {
    let sandbox = Sandbox::new(&[("pay.rs", BASE)]);
    sandbox.commit(BRANCH, &[("pay.rs", GONE)], "Remove it");
    let ours = BASE.replace("one()", "two()");
    sandbox.commit("main", &[("pay.rs", text(&ours))], "Call two");
    let report = escalated(&sandbox, "echo never");
    assert_eq!(
        (report.conclusion, report.tier),
        (Conclusion::Held, MergeTier::AutoResolve)
    );
    let why = report.warnings.last().unwrap();
    assert!(why.starts_with("ai-resolve is not possible"), "{why}");
}

pub(crate) fn escalated(sandbox: &Sandbox, script: &str) -> MergeReport {
    let program = program(sandbox, script);
    merge(sandbox, &resolver(sandbox, &program, &NoPastMerges))
}

#[test]
fn an_answer_with_the_content_of_another_contested_file_does_not_land() {
    let (one, two) = ("one\nx = 1\nend\n", "two\ny = 1\nend\n");
    let sandbox = Sandbox::new(&[("m1.txt", one), ("m2.txt", two)]);
    for (branch, value) in [(BRANCH, "3"), ("main", "2")] {
        let (one, two) = (one.replace('1', value), two.replace('1', value));
        let changes = [("m1.txt", text(&one)), ("m2.txt", text(&two))];
        sandbox.commit(branch, &changes, "c");
    }
    let answers = |first: &str, second: &str| {
        let (for_one, for_two) = (printing(first), printing(second));
        format!("case \"$*\" in *'File: m1.txt'*)\n{for_one}\n;; *)\n{for_two}\n;; esac")
    };
    let (one, two) = ("one\nx = 2\nx = 3\nend\n", "two\ny = 2\ny = 3\nend\n");
    let report = escalated(&sandbox, &answers(two, one));
    assert_eq!(report.conclusion, Conclusion::Held, "{report:#?}");
    let said = report.warnings.last().unwrap();
    assert!(
        said.contains("m1.txt") && said.contains("nobody contested"),
        "{said}"
    );
    let report = escalated(&sandbox, &answers(one, two));
    assert_eq!(report.conclusion, Conclusion::Landed, "{report:#?}");
    assert_eq!(sandbox.show("main", "m1.txt"), one);
    assert_eq!(sandbox.show("main", "m2.txt"), two);
}

#[test]
fn answers_that_were_swapped_do_not_land_though_they_differ_by_one_word() {
    let file = |name: &str, value: &str| format!("{name} = {value}\n");
    let (one, two) = (file("x", "1"), file("y", "1"));
    let sandbox = Sandbox::new(&[("m1.txt", &one), ("m2.txt", &two)]);
    for (branch, value) in [(BRANCH, "3"), ("main", "2")] {
        let (one, two) = (file("x", value), file("y", value));
        let changes = [("m1.txt", text(&one)), ("m2.txt", text(&two))];
        sandbox.commit(branch, &changes, "c");
    }
    let answers = |first: &str, second: &str| {
        let (for_one, for_two) = (printing(first), printing(second));
        format!("case \"$*\" in *'File: m1.txt'*)\n{for_one}\n;; *)\n{for_two}\n;; esac")
    };
    let report = escalated(&sandbox, &answers("y = 2, 3\n", "x = 2, 3\n"));
    assert_eq!(report.conclusion, Conclusion::Held, "{report:#?}");
    let said = report.warnings.last().unwrap();
    assert!(said.contains("does not account for"), "{said}");
    let report = escalated(&sandbox, &answers("x = 2, 3\n", "y = 2, 3\n"));
    assert_eq!(report.conclusion, Conclusion::Landed, "{report:#?}");
    assert_eq!(sandbox.show("main", "m1.txt"), "x = 2, 3\n");
}

#[test]
fn a_line_that_an_answer_drops_is_lost_though_a_new_file_has_its_like() {
    let sandbox = Sandbox::new(&[("m.txt", "top\nx = 1\nbot\n")]);
    let theirs = [
        ("m.txt", text("top\nx = 3\nbot\n")),
        ("new.txt", text("import os\nother\n")),
    ];
    sandbox.commit(BRANCH, &theirs, "t");
    let ours = [("m.txt", text("top\nx = 2\nimport os\nbot\n"))];
    sandbox.commit("main", &ours, "o");
    let report = escalated(&sandbox, &printing("top\nx = 2\nx = 3\nbot\n"));
    assert_eq!(report.conclusion, Conclusion::Held, "{report:#?}");
    let said = report.warnings.last().unwrap();
    assert!(said.contains("m.txt: import os"), "{said}");
    let whole = "top\nx = 2\nimport os\nx = 3\nbot\n";
    let report = escalated(&sandbox, &printing(whole));
    assert_eq!(report.conclusion, Conclusion::Landed, "{report:#?}");
    assert_eq!(sandbox.show("main", "m.txt"), whole);
}

#[test]
fn an_answer_for_a_file_that_one_side_renamed_lands_under_the_new_name() {
    // Long enough to be taken for a rename with the change in it.
    let rest: String = (0..9).map(|n| format!("fn same{n}() {{}}\n")).collect();
    let base = format!("{BASE}{rest}");
    let sandbox = Sandbox::new(&[("pay.rs", &base), ("other.rs", "fn other() {}\n")]);
    let theirs = base.replace("(a: u8)", "(a: u8, tip: u16)");
    let ours = base.replace("(a: u8)", "(a: u8, tax: u32)");
    let renamed = [("pay.rs", GONE), ("money.rs", text(&theirs))];
    sandbox.commit(BRANCH, &renamed, "Add a tip");
    sandbox.commit("main", &[("pay.rs", text(&ours))], "Add tax");
    let good = base.replace("(a: u8)", "(a: u8, tax: u32, tip: u16)");
    let report = escalated(&sandbox, &printing(&good));
    assert_eq!(report.conclusion, Conclusion::Landed, "{report:#?}");
    assert_eq!(sandbox.show("main", "money.rs"), good);
    assert_eq!(sandbox.files("main"), ["money.rs", "other.rs"]);
}

#[test]
fn a_model_that_is_talked_into_writing_elsewhere_cannot() {
    for tier in [MergeTier::AiResolve, MergeTier::Reimagine] {
        let sandbox = contested();
        let root = sandbox.root().display().to_string();
        let script = format!(
            "echo x > {root}/new; echo x >> {root}/.git/config; git -C {root} update-ref refs/heads/main HEAD~1; \
             echo x > {root}/.overstory/mail.db; echo mine > here && cat here >&2; exit 7"
        );
        let program = program(&sandbox, &script);
        let mut resolver = resolver(&sandbox, &program, &NoPastMerges);
        resolver.ai_resolve = tier == MergeTier::AiResolve;
        resolver.reimagine = tier == MergeTier::Reimagine;
        let config = sandbox.read(".git/config");
        // It compares all refs and the state of the checkout.
        let report = merge(&sandbox, &resolver);
        let said = report.warnings.last().unwrap();
        assert!(
            said.ends_with("mine"),
            "its own folder it may write: {said}"
        );
        assert_eq!(sandbox.read(".git/config"), config);
        assert!(!sandbox.root().join(".overstory/mail.db").exists());
    }
}

#[test]
fn a_worktree_on_a_disk_that_is_not_mounted_stays_in_gits_list() {
    let sandbox = contested();
    let disk = tempfile::tempdir().unwrap();
    let tree = disk.path().canonicalize().unwrap().join("tree");
    let path = tree.to_str().unwrap();
    sandbox.git(&["worktree", "add", "-q", "--detach", path]);
    std::fs::rename(&tree, disk.path().join("elsewhere")).unwrap();
    // What a killed merge has left, in git's list and not.
    let scratch = sandbox.root().join(".overstory/scratch");
    std::fs::create_dir_all(scratch.join("4194999-plainone")).unwrap();
    let left = scratch.join("4194999-listedin");
    let left = left.to_str().unwrap();
    sandbox.git(&["worktree", "add", "-q", "--detach", left]);
    std::fs::remove_dir_all(left).unwrap();
    grove::merge::recover(sandbox.root()).unwrap();
    let listed = sandbox.git(&["worktree", "list"]);
    assert!(listed.contains(path), "{listed}");
    assert!(!listed.contains("4194999"), "{listed}");
    assert_eq!(std::fs::read_dir(&scratch).unwrap().count(), 0);
    // Asking somebody takes an empty folder there, and gates a checkout.
    let program = program(&sandbox, "cat");
    merge(&sandbox, &resolver(&sandbox, &program, &NoPastMerges));
    let listed = sandbox.git(&["worktree", "list"]);
    assert!(listed.contains(path), "{listed}");
}

#[test]
fn no_model_is_asked_about_a_branch_that_waits_for_a_person_anyway() {
    let sandbox = contested();
    let config = ".overstory/config.yaml";
    sandbox.commit(BRANCH, &[(config, text("sandbox: off\n"))], "settings");
    let program = program(&sandbox, "echo asked >> \"${0%/*}/notebook/asked\"");
    let mut resolver = resolver(&sandbox, &program, &NoPastMerges);
    let asked = notebook(&sandbox, &mut resolver).join("asked");
    let report = merge(&sandbox, &resolver);
    assert_eq!(report.conclusion, Conclusion::NeedsPerson, "{report:#?}");
    assert!(report.error_message.unwrap().contains(config));
    assert!(!asked.exists());
}
