//! A dry run of `merge`: it looks, and nothing lands because of it.

use crate::support::TestProject;
use serde_json::Value;

const ANN: &str = "overstory/ann/t-1";

/// Ann's branch and `main` have changed the same lines.
fn project() -> TestProject {
    let project = TestProject::initialised();
    project.write("list.txt", "one\ntwo\nthree\n");
    project.git(&["add", "-A"]);
    project.git(&["commit", "-q", "-m", "Set up"]);
    let config = "project:\n  qualityGates: []\nmerge:\n  aiResolveEnabled: false\n";
    std::fs::write(project.overstory("config.local.yaml"), config).unwrap();
    project.git(&["checkout", "-q", "-b", ANN]);
    project.write("new.txt", "new\n");
    project.git(&["add", "new.txt"]);
    project.git(&["commit", "-q", "-m", "Work"]);
    project.git(&["checkout", "-q", "main"]);
    project
}

fn contest(project: &TestProject) {
    project.git(&["checkout", "-q", ANN]);
    project.write("list.txt", "one\nby ann\nthree\n");
    project.git(&["commit", "-q", "-a", "-m", "Ann"]);
    project.git(&["checkout", "-q", "main"]);
    project.write("list.txt", "one\nby main\nthree\n");
    project.git(&["commit", "-q", "-a", "-m", "Main"]);
}

fn json(project: &TestProject, args: &[&str]) -> Value {
    let finished = project.grove(&[args, &["--json"]].concat());
    assert_eq!(finished.code, Some(0), "{finished:?}");
    finished.json()
}

#[test]
fn what_only_a_dry_run_has_queued_is_not_landed_by_all() {
    let project = project();
    let before = project.git(&["rev-parse", "main"]);
    project.grove_ok(&["merge", "--branch", ANN, "--dry-run"]);
    project.grove_ok(&["merge", "--branch", ANN, "--dry-run"]);
    let listed = json(&project, &["merge", "--all", "--dry-run"]);
    assert_eq!(listed["entries"][0]["branchName"], ANN, "{listed}");

    let all = project.grove(&["merge", "--all"]);
    assert_eq!(all.code, Some(0), "{all:?}");
    assert!(
        all.stderr.contains("only a dry run has queued it"),
        "{all:?}"
    );
    assert_eq!(project.git(&["rev-parse", "main"]), before);
    assert_eq!(
        project.sql("merge-queue.db", "SELECT status FROM merge_queue"),
        [["pending"]]
    );

    project.grove_ok(&["merge", "--branch", ANN]);
    assert!(project.root().join("new.txt").exists());
    assert_eq!(
        project.sql("merge-queue.db", "SELECT status FROM merge_queue"),
        [["merged"]]
    );
}

#[test]
fn a_dry_run_writes_no_object() {
    let project = project();
    contest(&project);
    let objects = || project.git(&["count-objects", "-v"]);
    let refs = || project.git(&["for-each-ref"]);
    let before = (objects(), refs());
    let dry = json(&project, &["merge", "--branch", ANN, "--dry-run"]);
    assert_eq!(dry["prediction"]["predictedTier"], "ai-resolve", "{dry}");
    assert_eq!(dry["prediction"]["conflictFiles"][0], "list.txt");
    json(&project, &["merge", "--all", "--dry-run"]);
    assert_eq!((objects(), refs()), before);
    let left: Vec<_> = std::fs::read_dir(project.overstory("scratch"))
        .map(|entries| entries.flatten().collect())
        .unwrap_or_default();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn a_dry_run_leaves_no_folder_behind_that_was_not_there() {
    let project = project();
    contest(&project);
    let scratch = project.overstory("scratch");
    assert!(!scratch.exists());
    json(&project, &["merge", "--branch", ANN, "--dry-run"]);
    json(&project, &["merge", "--all", "--dry-run"]);
    assert!(!scratch.exists());
    std::fs::create_dir(&scratch).unwrap();
    json(&project, &["merge", "--all", "--dry-run"]);
    assert!(scratch.exists(), "it was there");
}

#[test]
fn the_files_of_an_entry_are_those_against_its_target_wherever_head_is() {
    let project = project();
    project.git(&["checkout", "-q", "--detach"]);
    let dry = json(&project, &["merge", "--branch", ANN, "--dry-run"]);
    assert_eq!(
        dry["filesModified"],
        serde_json::json!(["new.txt"]),
        "{dry}"
    );
}

/// A review of ann's branch keeps decisions: about the only contested place, and whether they are accepted.
#[test]
fn what_is_decided_in_a_review_is_said() {
    use grove::coordinator::decisions;
    use grove::types::merge::PlaceDecision;

    let project = project();
    contest(&project);
    let dry = || project.grove_ok(&["merge", "--branch", ANN, "--dry-run"]);
    let before = json(&project, &["merge", "--branch", ANN, "--dry-run"]);
    assert!(!dry().contains("decided"), "{before}");
    let repo = grove::git::Repo::discover(&project.root()).unwrap();
    let contested = grove::merge::contested(&repo, "main", ANN)
        .unwrap()
        .unwrap();
    let [place] = contested.places.as_slice() else {
        panic!("{contested:?}");
    };
    let key = grove::merge::Naming::default().next(&place.hunk);
    let paths = grove::platform::ProjectPaths::new(project.root());
    decisions::decide(&paths, 1, &key, Some(&PlaceDecision::Ours)).unwrap();
    let said = dry();
    let waits = "Held: every contested place is decided, and nobody has accepted that";
    assert!(said.contains(waits), "{said}");
    decisions::accept(&paths, 1, &[(key, PlaceDecision::Ours)]).unwrap();
    let said = dry();
    let lands = "every contested place is decided and accepted, and lands so";
    assert!(said.contains(lands) && !said.contains("Held"), "{said}");
    let after = json(&project, &["merge", "--branch", ANN, "--dry-run"]);
    let fields = |json: &Value| {
        let fields = json["prediction"].as_object().unwrap().keys().cloned();
        fields.collect::<Vec<_>>()
    };
    assert_eq!(fields(&after), fields(&before));
    assert_eq!(after["prediction"]["wouldRequireAgent"], false, "{after}");
}
