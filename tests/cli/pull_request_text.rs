//! What a pull request says, and of what: the task, and merges that stand.

use crate::support::TestProject;
use serde_json::Value;

fn project() -> TestProject {
    let project = TestProject::initialised();
    let settings = "project:\n  qualityGates: []\n";
    project.write(".overstory/config.local.yaml", settings);
    project.git(&["add", "-A"]);
    project.git(&["commit", "-q", "-m", "Set up"]);
    project
}

fn work(project: &TestProject, branch: &str) {
    project.git(&["checkout", "-q", "-b", branch]);
    project.write("new.txt", "new\n");
    project.git(&["add", "new.txt"]);
    project.git(&["commit", "-q", "-m", "wip"]);
    project.git(&["checkout", "-q", "main"]);
}

fn request(project: &TestProject, branch: &str) -> Value {
    let done = project.grove(&["pr", branch, "--dry-run", "--json"]);
    assert_eq!(done.code, Some(0), "{done:?}");
    done.json()
}

#[test]
fn title_and_body_come_from_the_task() {
    let project = project();
    let created = project.grove(&[
        "task",
        "create",
        "Add tipping to pay",
        "--description",
        "Waiters want it.",
        "--json",
    ]);
    assert_eq!(created.code, Some(0), "{created:?}");
    let id = created.json()["id"].as_str().unwrap().to_owned();
    let branch = format!("overstory/ann/{id}");
    work(&project, &branch);
    let told = request(&project, &branch);
    assert_eq!(told["title"], "Add tipping to pay");
    let body = told["body"].as_str().unwrap();
    assert!(body.starts_with("Waiters want it.\n"), "{body}");
    // What the agent was given in more words says it better.
    let spec = project.overstory(&format!("specs/{id}.md"));
    std::fs::create_dir_all(spec.parent().unwrap()).unwrap();
    std::fs::write(spec, "# Tips\n\nAt the till.\n").unwrap();
    let told = request(&project, &branch);
    assert_eq!(told["title"], "Tips");
    let body = told["body"].as_str().unwrap();
    assert!(body.starts_with("# Tips\n"), "{body}");
}

#[test]
fn secrets_of_the_spec_are_not_published() {
    let project = project();
    work(&project, "overstory/ann/t-9");
    let token = format!("ghp_{}", "aB3".repeat(12));
    let spec = project.overstory("specs/t-9.md");
    std::fs::create_dir_all(spec.parent().unwrap()).unwrap();
    std::fs::write(spec, format!("# Use {token}\n\nCall it with {token}.\n")).unwrap();
    let told = request(&project, "overstory/ann/t-9").to_string();
    assert!(
        told.contains("Call it with ") && !told.contains(&token),
        "{told}"
    );
}

#[test]
fn a_merge_that_was_taken_back_is_not_told_of() {
    let project = project();
    let branch = "overstory/ann/t-1";
    work(&project, branch);
    project.grove_ok(&["merge", "--branch", branch]);
    project.grove_ok(&["merge", "undo", "1"]);
    let told = request(&project, branch);
    let body = told["body"].as_str().unwrap();
    assert!(!body.contains("Merged locally"), "{body}");
}
