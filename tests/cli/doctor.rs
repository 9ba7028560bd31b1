//! `doctor`: finds what was broken on purpose, and repairs without destroying.

use crate::support::TestProject;

#[test]
fn missing_files_are_found_and_written_again() {
    let project = TestProject::initialised();
    std::fs::remove_dir_all(project.overstory("specs")).unwrap();
    std::fs::remove_file(project.overstory("hooks.json")).unwrap();
    std::fs::remove_file(project.overstory("agent-defs/lead.md")).unwrap();
    project.write(".overstory/leftover.tmp", "");
    let sick = project.grove(&["doctor", "--category", "structure", "--json"]);
    assert_eq!(sick.code, Some(1));
    assert_eq!(sick.json()["summary"]["fail"], 3, "{sick:#?}");
    let healed = project.grove(&["doctor", "--fix", "--category", "structure", "--json"]);
    assert_eq!(healed.code, Some(0), "{healed:#?}");
    assert_eq!(healed.json()["summary"]["warn"], 0);
    assert!(
        project
            .read(".overstory/agent-defs/lead.md")
            .starts_with("# Lead")
    );
}

#[test]
fn an_unreadable_database_is_set_aside_never_overwritten() {
    let project = TestProject::initialised();
    for name in ["mail.db-wal", "mail.db-shm"] {
        drop(std::fs::remove_file(project.overstory(name)));
    }
    let rubbish = "these bytes are no database at all, but they may be all that is left of one";
    project.write(".overstory/mail.db", rubbish);
    let sick = project
        .grove(&["doctor", "--category", "databases", "--json"])
        .json();
    assert_eq!(sick["checks"][0]["name"], "mail.db integrity", "{sick}");
    project.grove_ok(&["doctor", "--category", "databases", "--fix"]);
    project.grove_ok(&["mail", "send", "--to", "b", "--subject", "s", "--body", "x"]);
    let aside = std::fs::read_dir(project.overstory(""))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .find(|path| path.to_string_lossy().contains("mail.db.corrupt-"))
        .unwrap();
    assert_eq!(std::fs::read_to_string(aside).unwrap(), rubbish);
}

#[test]
fn a_broken_configuration_is_named_with_its_line() {
    let project = TestProject::initialised();
    project.write(
        ".overstory/config.local.yaml",
        "agents:\n  maxDepth: deep\n",
    );
    let done = project.grove(&["doctor", "--category", "config"]);
    assert_eq!(done.code, Some(1));
    assert!(
        done.stdout
            .contains("agents.maxDepth must be a non-negative integer"),
        "{done:#?}"
    );
    assert!(done.stdout.contains("config.local.yaml:2"), "{done:#?}");
}
