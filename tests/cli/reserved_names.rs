//! Names that grove itself sends and receives mail under are nobody else's.

use crate::support::TestProject;

#[track_caller]
fn refused(project: &TestProject, args: &[&str], name: &str) {
    let done = project.grove(args);
    assert_eq!(done.code, Some(1), "{done:#?}");
    assert!(
        done.stderr.contains(&format!(
            "\"{name}\" is one of grove's own names; choose another"
        )),
        "{done:#?}"
    );
}

#[test]
fn no_agent_is_started_under_the_name_of_a_person_or_of_grove_itself() {
    let project = TestProject::initialised();
    for name in [
        "operator",
        "orchestrator",
        "coordinator",
        "Coordinator",
        "0perat0r",
        "op-erator",
        "human",
        "user",
        "you",
        "system",
        "grove",
        "watchdog",
        "monitor",
        "supervisor",
        "overstory",
        "all",
        "builders",
        "discover-coordinator",
    ] {
        let args = ["sling", "t-1", "--name", name, "--runtime", "script"];
        refused(&project, &args, name);
    }
    // Letters of other alphabets are refused in any name.
    let lookalike = "сoordinator";
    let args = ["sling", "t-1", "--name", lookalike, "--runtime", "script"];
    let done = project.grove(&args);
    assert!(done.stderr.contains("not allowed"), "{done:#?}");
    for name in ["coordinator", "orchestrator", "operator"] {
        refused(&project, &["discover", "--name", name, "--no-attach"], name);
    }
    let supervise = ["supervisor", "start", "--task", "t-1", "--name", "operator"];
    refused(&project, &supervise, "operator");
    assert_eq!(
        project.sql("sessions.db", "SELECT agent_name FROM sessions"),
        [[""; 0]; 0]
    );
}

/// What is so far from being taken for grove's own stays free.
#[test]
fn names_that_only_contain_one_of_groves_are_free() {
    let project = TestProject::initialised();
    for name in [
        "lead",
        "merger",
        "user-login",
        "system-tests",
        "operator-ui",
    ] {
        let args = ["sling", "t-1", "--name", name, "--runtime", "script"];
        let done = project.grove(&args);
        // Later than the name: it has no script.
        assert!(done.stderr.contains("has no script"), "{done:#?}");
    }
}
