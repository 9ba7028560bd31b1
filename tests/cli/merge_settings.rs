//! An agent commits its own guard away: only a person's command lands that.

use crate::support::TestProject;

const ANN: &str = "overstory/ann/t-1";
const CONFIG: &str = ".overstory/config.yaml";

fn project() -> TestProject {
    let project = TestProject::initialised();
    project.git(&["add", "-A"]);
    project.git(&["commit", "-q", "-m", "Set up"]);
    let local = "project:\n  qualityGates: []\n";
    std::fs::write(project.overstory("config.local.yaml"), local).unwrap();
    project.git(&["checkout", "-q", "-b", ANN]);
    let config = project.read(CONFIG);
    project.write(CONFIG, &format!("{config}\n# sandbox is off\n"));
    project.git(&["add", CONFIG]);
    project.git(&["commit", "-q", "-m", "Work"]);
    project.git(&["checkout", "-q", "main"]);
    project.grove_ok(&["merge", "--branch", ANN, "--dry-run"]);
    project
}

fn is_landed(project: &TestProject) -> bool {
    project.read(CONFIG).contains("sandbox is off")
}

#[test]
fn an_agent_or_everything_at_once_does_not_land_changed_settings_and_a_person_does() {
    let mut project = project();
    project.set_env("OVERSTORY_AGENT_NAME", "ann");
    let refused = project.grove(&["merge", "--branch", ANN]);
    assert_eq!(refused.code, Some(1), "{refused:?}");
    assert!(refused.stderr.contains(CONFIG), "{refused:?}");
    assert!(!is_landed(&project));

    project.set_env("OVERSTORY_AGENT_NAME", "");
    let waiting = "UPDATE merge_queue SET status = 'pending'";
    let queue = rusqlite::Connection::open(project.overstory("merge-queue.db")).unwrap();
    queue.execute(waiting, []).unwrap();
    let all = project.grove_ok(&["merge", "--all"]);
    assert!(all.contains("only a person lands that"), "{all}");
    assert!(!is_landed(&project));
    assert_eq!(
        project.sql("merge-queue.db", "SELECT status FROM merge_queue"),
        [["conflict"]]
    );

    let landed = project.grove_ok(&["merge", "--branch", ANN]);
    assert!(landed.contains(CONFIG), "{landed}");
    assert!(is_landed(&project));
}

#[test]
fn a_dry_run_foretells_that_changed_settings_wait_for_a_person() {
    let project = project();
    for args in [&["--branch", ANN][..], &["--all"]] {
        let args = [&["merge", "--dry-run"], args].concat();
        let said = project.grove_ok(&args);
        assert!(said.contains("Held: ") && said.contains(CONFIG), "{said}");
        let json = project.grove(&[&args[..], &["--json"]].concat()).json();
        let entry = json.get("entries").map_or(&json, |entries| &entries[0]);
        let held = entry["prediction"]["held"].as_str().unwrap();
        assert!(held.contains(CONFIG), "{json}");
        assert!(held.contains("only a person lands that"), "{json}");
    }
}

#[test]
fn a_dry_run_foretells_that_a_signature_is_missing() {
    let project = project();
    project.git(&["config", "merge.verifySignatures", "true"]);
    let said = project.grove_ok(&["merge", "--branch", ANN, "--dry-run"]);
    let held = said.lines().find(|line| line.contains("Held: ")).unwrap();
    assert!(held.contains("merge.verifySignatures"), "{said}");
    assert!(held.contains("does not have a GPG signature"), "{said}");
}

#[cfg(unix)]
#[test]
fn a_dry_run_foretells_that_settings_behind_a_link_wait_for_a_person() {
    let project = TestProject::initialised();
    project.git(&["add", "-A"]);
    project.git(&["commit", "-q", "-m", "Set up"]);
    project.git(&["checkout", "-q", "-b", ANN]);
    std::os::unix::fs::symlink("conf", project.root().join(".cursor")).unwrap();
    project.write("conf/mcp.json", "{}\n");
    project.git(&["add", "-A"]);
    project.git(&["commit", "-q", "-m", "Work"]);
    project.git(&["checkout", "-q", "main"]);
    let said = project.grove_ok(&["merge", "--branch", ANN, "--dry-run"]);
    let held = said.lines().find(|line| line.contains("Held: "));
    assert!(held.unwrap().contains(".cursor, conf/mcp.json"), "{said}");
}
