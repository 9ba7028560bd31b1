//! `spec write` as an agent: what is another's stays as it is.

use crate::support::TestProject;

#[test]
fn an_agent_replaces_its_own_spec_and_no_other() {
    let mut project = TestProject::initialised();
    project.grove_ok(&["spec", "write", "by-hand", "--body", "of a person"]);
    project.grove_ok(&[
        "spec", "write", "of-ben", "--body", "theirs", "--agent", "ben",
    ]);
    project.set_env("GROVE_ACTING_FOR", "anna");
    project.grove_ok(&["spec", "write", "mine", "--body", "first"]);
    project.grove_ok(&[
        "spec", "write", "mine", "--body", "second", "--agent", "ben",
    ]);
    assert_eq!(
        project.read(".overstory/specs/mine.md"),
        "<!-- written-by: anna -->\nsecond\n"
    );
    for (task, author) in [("by-hand", "a person"), ("of-ben", "ben")] {
        let before = project.read(&format!(".overstory/specs/{task}.md"));
        let done = project.grove(&["spec", "write", task, "--body", "forged", "--agent", "ben"]);
        assert_eq!(done.code, Some(1), "{done:#?}");
        assert!(done.stderr.contains(author), "{done:#?}");
        assert_eq!(project.read(&format!(".overstory/specs/{task}.md")), before);
    }
}

#[test]
fn a_spec_is_stored_without_the_secrets_in_it() {
    const TOKEN: &str = "ghp_0123456789abcdefghijABCDEFGHIJ0123456";
    let mut project = TestProject::initialised();
    project.set_env("DEPLOY_TOKEN", "q7-Zr.0x_Wv9kTp2-Lm");
    let body = format!("Use {TOKEN} and\nq7-Zr.0x_Wv9kTp2-Lm here");
    project.grove_ok(&["spec", "write", "sy-1", "--body", &body]);
    assert_eq!(
        project.read(".overstory/specs/sy-1.md"),
        "Use [REDACTED] and\n[REDACTED] here\n"
    );
}
