//! `init`: what it writes, what it refuses, and that a refusal leaves nothing behind.

use crate::support::TestProject;

/// Everything below the repository, apart from git's own files.
fn files(project: &TestProject) -> Vec<String> {
    let mut found = Vec::new();
    let mut folders = vec![project.root()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.ends_with(".git") {
                continue;
            }
            found.push(
                path.strip_prefix(project.root())
                    .unwrap()
                    .display()
                    .to_string(),
            );
            if path.is_dir() {
                folders.push(path);
            }
        }
    }
    found.sort();
    found
}

fn refused(project: &TestProject, words: &str, next: &str) {
    let before = files(project);
    let done = project.grove(&["init"]);
    assert_eq!(done.code, Some(1), "{done:#?}");
    assert!(
        done.stderr.contains(words) && done.stderr.contains(next),
        "{done:#?}"
    );
    assert!(done.stdout.is_empty(), "{done:#?}");
    assert_eq!(files(project), before, "something was left behind");
}

#[test]
fn places_where_agents_cannot_work_are_refused_with_the_next_step() {
    refused(
        &TestProject::bare_folder(),
        "is not in a git repository",
        "git init",
    );
    refused(&TestProject::empty(), "has no commits yet", "git commit");
    let detached = TestProject::new();
    detached.git(&["checkout", "-q", "--detach"]);
    refused(&detached, "is detached", "git switch");
    let bare = TestProject::bare_folder();
    bare.git(&["init", "-q", "--bare", "."]);
    refused(&bare, "bare repository", "git clone");
}

#[test]
fn a_fresh_project_is_whole_and_nothing_else_is_touched() {
    let project = TestProject::new();
    project.write("Cargo.toml", "[package]\n");
    project.write("sub/x", "");
    let before: Vec<String> = files(&project);
    let done = project.grove(&["init"]);
    assert_eq!(done.code, Some(0), "{done:#?}");
    assert!(
        done.stdout.contains("✓ .overstory/config.yaml") && done.stdout.contains("cargo test"),
        "{done:#?}"
    );
    let others: Vec<String> = files(&project)
        .into_iter()
        .filter(|path| !path.starts_with(".overstory"))
        .collect();
    assert_eq!(others, before);
    let status = project.git(&["status", "--porcelain", "--untracked-files=all"]);
    for name in [
        "config.yaml",
        "agent-manifest.json",
        "hooks.json",
        ".gitignore",
        "README.md",
        "agent-defs/lead.md",
    ] {
        assert!(
            status.contains(&format!(".overstory/{name}")),
            "{name} is not there to be committed: {status}"
        );
    }
    assert!(
        !status.contains(".db"),
        "databases would be committed: {status}"
    );
    let structure = project.grove(&["doctor", "--category", "databases", "--json"]);
    assert_eq!(structure.code, Some(0), "{structure:#?}");
}

#[test]
fn a_failure_half_way_takes_everything_back() {
    let project = TestProject::new();
    project.write(
        ".overstory/metrics.db",
        "this is no database although it has the name of one, to be in the way",
    );
    let before = files(&project);
    let done = project.grove(&["init"]);
    assert_eq!(done.code, Some(1), "{done:#?}");
    assert!(done.stderr.contains("metrics.db"), "{done:#?}");
    assert_eq!(files(&project), before);
    assert!(
        project
            .read(".overstory/metrics.db")
            .starts_with("this is no database")
    );
}

#[test]
fn a_second_init_changes_nothing_unless_asked_and_keeps_the_configuration() {
    let project = TestProject::initialised();
    let edited = project
        .read(".overstory/config.yaml")
        .replace("maxConcurrent: 25", "maxConcurrent: 7");
    project.write(".overstory/config.yaml", &edited);
    project.write(".overstory/agent-defs/scout.md", "mine");
    let done = project.grove(&["init"]);
    assert_eq!(done.code, Some(0));
    assert!(done.stdout.contains("is set up already"), "{done:#?}");
    assert_eq!(project.read(".overstory/agent-defs/scout.md"), "mine");
    project.grove_ok(&["init", "--yes"]);
    assert_eq!(project.read(".overstory/config.yaml"), edited);
    assert_ne!(project.read(".overstory/agent-defs/scout.md"), "mine");
    project.grove_ok(&["init", "--force"]);
    let kept = files(&project)
        .into_iter()
        .find(|path| path.starts_with(".overstory/config.yaml."))
        .unwrap();
    assert_eq!(
        project.read(&kept),
        edited,
        "the old configuration is kept beside the new one"
    );
}

#[test]
fn json_is_the_last_line_and_names_every_tool() {
    let project = TestProject::new();
    let json = project.grove(&["init", "--json", "--name", "shop"]).json();
    assert_eq!(json["success"], true);
    assert_eq!(json["project"], "shop");
    assert_eq!(json["tools"]["overstory"]["status"], "initialized");
    assert_eq!(json["tools"]["mulch"]["status"], "skipped");
}
