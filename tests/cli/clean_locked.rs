//! Worktrees that are locked, by somebody or by the agent that works there.

use crate::clean::{kept, session, worktree};
use crate::support::TestProject;

/// It can write there. What it put there is told, and there is one way to be rid of it.
#[test]
fn a_worktree_that_its_agent_has_locked_is_named_and_goes_when_that_is_wanted() {
    let project = TestProject::initialised();
    let lock = |name: &str| {
        project
            .root()
            .join(".git/worktrees")
            .join(name)
            .join("locked")
    };
    for name in ["ann", "ben", "cem"] {
        worktree(&project, name);
        session(&project, name, "builder", "completed");
    }
    std::fs::write(lock("ann"), "never remove\n").unwrap();
    std::fs::create_dir_all(lock("ben").join("folder")).unwrap();
    #[cfg(unix)]
    std::os::unix::fs::symlink("nowhere", lock("cem")).unwrap();
    let done = project.grove(&["clean", "--all"]);
    let said = format!("{}{}", done.stdout, done.stderr);
    for name in ["ann", "ben", "cem"] {
        assert!(
            said.contains(&format!("worktrees/{name} is locked")),
            "{said}"
        );
        stays(&project, name);
    }
    assert!(said.contains("grove worktree clean --force"), "{said}");
    let done = project
        .grove(&["worktree", "clean", "--force", "--json"])
        .json();
    assert_eq!(done["failed"], serde_json::json!([]), "{done}");
    for name in ["ann", "ben", "cem"] {
        assert!(
            !project.overstory("worktrees").join(name).exists(),
            "{name}"
        );
        kept(&project, name);
    }
}

fn stays(project: &TestProject, name: &str) {
    assert!(project.overstory("worktrees").join(name).is_dir(), "{name}");
}
