//! A home folder that is alive: settings that are replaced while an agent works, and stores of keys whose entries are
//! links to one folder of settings.

use crate::sandbox::{has_landlock, recorded_with};
use crate::support::{LONG, TestProject, wait_until};

#[test]
fn git_works_on_when_the_users_settings_are_replaced_and_takes_the_new_ones() {
    if !has_landlock() {
        return;
    }
    let project = TestProject::initialised();
    project.sling(
        "ben",
        "- run: \"git config --get user.name > before.txt\"\n\
         - wait_mail: {from: orchestrator, type: status}\n\
         - write: {path: mine.txt, content: x}\n\
         - commit: \"Work\"\n\
         - done: \"worked\"\n",
    );
    wait_until(
        "the agent has looked",
        LONG,
        || (project.read(".overstory/worktrees/ben/before.txt") == "Tester\n").then_some(()),
        || project.report(),
    );
    let (new, old) = (
        project.home().join("new"),
        project.home().join(".gitconfig"),
    );
    let text = "[user]\n\tname = Renewed\n\temail = tester@example.org\n";
    std::fs::write(&new, text).unwrap();
    std::fs::rename(new, old).unwrap();
    project.tell("ben");
    project.wait_for_state("ben", "completed", LONG);
    let by = project.git(&["log", "-1", "--format=%an", "overstory/ben/t-ben"]);
    assert_eq!(by, "Renewed");
}

#[test]
fn a_login_that_is_only_linked_to_is_not_read() {
    if !has_landlock() {
        return;
    }
    let project = TestProject::initialised();
    let home = project.home();
    for folder in [".config/gh", "dotfiles/gh"] {
        std::fs::create_dir_all(home.join(folder)).unwrap();
    }
    std::fs::write(home.join("dotfiles/gh/hosts.yml"), "secret\n").unwrap();
    std::fs::write(home.join("dotfiles/open"), "open\n").unwrap();
    let link = home.join(".config/gh/hosts.yml");
    std::os::unix::fs::symlink("../../dotfiles/gh/hosts.yml", link).unwrap();
    project.write(
        "reach.sh",
        "#!/bin/sh\ncat \"$HOME/.config/gh/hosts.yml\" && echo by-link\n\
         cat \"$HOME/dotfiles/gh/hosts.yml\" && echo by-place\ncat \"$HOME/dotfiles/open\" && echo other-read\necho end of it\n",
    );
    project.commit_all();
    project.sling("ben", "- run: \"sh ./reach.sh\"\n- done: \"tried\"\n");
    let shown = recorded_with(&project, "ben", "end of it");
    assert!(shown.contains("other-read"), "{shown}");
    assert!(
        !shown.contains("by-link") && !shown.contains("by-place"),
        "{shown}"
    );
}
