//! What leads from an agent's worktree to its repository, and the agent that bends it.

use crate::sandbox::{has_landlock, recorded};
use crate::support::{LONG, TestProject, wait_until};

/// Makes a repository whose settings run a program, and leads the worktree there; waits until it leads back.
const BEND: &str = r#"#!/bin/sh
here=$PWD
admin=$(git rev-parse --git-dir)
git init -q evil
printf '#!/bin/sh\ntouch %s/ran\n' "$here" > evil.sh; chmod +x evil.sh
git -C evil config core.fsmonitor "$here/evil.sh"
back() { until grep -q "$2" "$1" 2>/dev/null; do sleep 0.02; done; }
printf 'gitdir: %s/evil/.git\n' "$here" > .git
back .git "$admin"
echo "pointer is back"
printf '%s/evil/.git\n' "$here" > "$admin/commondir"
back "$admin/commondir" '^../..$'
echo "common is back"
rm .git; mkdir .git
back .git "$admin"
echo "folder is gone"
rm -rf evil evil.sh .git-set-aside-*
"#;

fn with_script(text: &str, steps: &str) -> TestProject {
    let project = TestProject::initialised();
    project.write("bend.sh", text);
    project.commit_all();
    let spec = project.script("mallory", steps);
    let words = ["sling", "t-1", "--name", "mallory", "--runtime", "script"];
    project.grove_ok(&[&words[..], &["--spec", &spec]].concat());
    project
}

#[test]
fn a_worktree_that_its_agent_leads_astray_leads_back_at_once_and_people_are_told() {
    if !has_landlock() {
        return;
    }
    let project = with_script(
        BEND,
        "steps:\n- run: \"sh ./bend.sh\"\n- write: {path: mine.txt, content: \"mine\\n\"}\n- commit: \"Work\"\n- done: \"tried\"\n",
    );
    wait_until(
        "everything leads back",
        LONG,
        || {
            recorded(&project, "mallory")
                .contains("folder is gone")
                .then_some(())
        },
        || project.report(),
    );
    project.wait_for_state("mallory", "completed", LONG);
    assert!(!project.overstory("worktrees/mallory/ran").exists());
    assert!(project.has_revision("overstory/mallory/t-1:mine.txt"));
    let log = project.grove_ok(&["guard", "log", "--agent", "mallory", "--json"]);
    assert!(log.matches("git-pointer").count() >= 3, "{log}");
}

#[test]
fn an_agent_that_does_not_leave_its_pointers_alone_is_stopped() {
    let project = with_script(
        "#!/bin/sh\nwhile :; do echo 'gitdir: /nowhere' > .git; until grep -q worktrees .git; do sleep 0.02; done; done\n",
        "steps:\n- run: \"sh ./bend.sh\"\n- hang\n",
    );
    wait_until(
        "the agent is stopped",
        LONG,
        || {
            let events = project.grove_ok(&["errors", "--agent", "mallory"]);
            events.contains("changed the pointers").then_some(())
        },
        || project.report(),
    );
    let text = project.read(".overstory/worktrees/mallory/.git");
    assert!(text.contains("worktrees/mallory"), "{text}");
}

#[test]
fn a_commit_of_an_agent_moves_no_other_branch_by_a_symbolic_ref() {
    let project = with_script(
        "#!/bin/sh\n\
         branch=$(git rev-parse --git-common-dir)/refs/heads/overstory/mallory/t-1\n\
         git symbolic-ref refs/heads/overstory/mallory/t-1 refs/heads/main 2>&1\n\
         echo 'ref: refs/heads/main' > $branch\n\
         while grep -q ref: $branch; do sleep 0.02; done\n\
         echo \"its own again\"\n",
        "steps:\n- run: \"sh ./bend.sh\"\n- write: {path: mine.txt, content: \"mine\\n\"}\n- commit: \"Work\"\n- done: \"tried\"\n",
    );
    let main = project.git(&["rev-parse", "main"]);
    project.wait_for_state("mallory", "completed", LONG);
    let shown = recorded(&project, "mallory");
    assert!(shown.contains("no other name of somebody's"), "{shown}");
    assert!(shown.contains("its own again"), "{shown}");
    assert_eq!(project.git(&["rev-parse", "main"]), main);
    assert!(project.has_revision("overstory/mallory/t-1:mine.txt"));
    let log = project.grove_ok(&["guard", "log", "--agent", "mallory", "--json"]);
    assert!(log.contains("another name of refs/heads/main"), "{log}");
}
