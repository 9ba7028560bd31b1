//! What grove itself writes down about merges, in a project that has what it learns in git.

use crate::support::TestProject;

const ANN: &str = "overstory/ann/t-1";
const BEN: &str = "overstory/ben/t-2";

/// A project with expertise, and Ann's branch that contradicts `main`.
fn contested(asks: bool) -> TestProject {
    let project = TestProject::initialised();
    let config = format!(
        "project:\n  qualityGates: []\nmerge:\n  aiResolveEnabled: {asks}\n  reimagineEnabled: false\n"
    );
    std::fs::write(project.overstory("config.local.yaml"), config).unwrap();
    project.write("a.txt", "1\n2\n3\n");
    learnt(&project, "general", "tabs");
    commit(&project, "Set up");
    project.git(&["checkout", "-q", "-b", ANN]);
    project.write("a.txt", "1\nann\n3\n");
    commit(&project, "Ann");
    project.git(&["checkout", "-q", "main"]);
    project.write("a.txt", "1\nmain\n3\n");
    commit(&project, "Main");
    project
}

fn learnt(project: &TestProject, domain: &str, text: &str) {
    let args = ["expertise", "record", domain, "--type", "convention"];
    project.grove_ok(&[&args[..], &["--content", text]].concat());
}

fn commit(project: &TestProject, message: &str) {
    project.git(&["add", "-A"]);
    project.git(&["commit", "-q", "-m", message]);
}

/// Else the tier would be skipped for these files for ever, also when the program is there.
#[test]
fn that_nobody_could_be_asked_is_not_remembered_as_a_failed_tier() {
    let project = contested(true);
    let records = project.root().join(".mulch/expertise/architecture.jsonl");
    for _ in 0..3 {
        let finished = project.grove(&["merge", "--branch", ANN, "--json"]);
        assert_eq!(finished.code, Some(1), "{finished:?}");
        let said = "'claude' is not installed or not on PATH";
        assert!(finished.stdout.contains(said), "{finished:?}");
        assert!(!records.exists(), "{finished:?}");
    }
    project.install_script("claude", "exit 1");
    let finished = project.grove(&["merge", "--branch", ANN, "--json"]);
    assert!(finished.stdout.contains("'claude' failed"), "{finished:?}");
    let kept = std::fs::read_to_string(&records).unwrap();
    assert_eq!(kept.lines().count(), 1, "{kept}");
    assert!(kept.contains("failed at tier ai-resolve"), "{kept}");
}

#[test]
fn notes_of_grove_that_stop_a_landing_are_named_with_what_helps() {
    let project = contested(false);
    project.git(&["checkout", "-q", "-b", BEN]);
    learnt(&project, "architecture", "layers");
    commit(&project, "Ben");
    project.git(&["checkout", "-q", "main"]);
    // This grove remembers, in the checkout.
    assert_eq!(project.grove(&["merge", "--branch", ANN]).code, Some(1));
    let finished = project.grove(&["merge", "--branch", BEN]);
    assert_eq!(finished.code, Some(1), "{finished:?}");
    let said = ".mulch/mulch.config.yaml, .mulch/expertise/architecture.jsonl have grove's own notes: keep them there \
                with `git add .mulch && git commit -m notes .mulch`, then merge again";
    assert!(finished.stderr.contains(said), "{finished:?}");

    project.git(&["add", ".mulch"]);
    project.git(&["commit", "-q", "-m", "notes", ".mulch"]);
    project.grove_ok(&["merge", "--branch", BEN]);
    let kept = project.read(".mulch/expertise/architecture.jsonl");
    for text in ["Merge conflict failed at tier auto-resolve", "layers"] {
        assert!(kept.contains(text), "{kept}");
    }
}
