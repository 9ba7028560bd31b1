//! Links that have landed in the checkout, where any agent's work does: what they open and what is done through them.

use crate::sandbox::{has_landlock, recorded_with, run};
use crate::support::TestProject;
use std::os::unix::fs::symlink;

#[test]
fn a_landed_link_in_the_place_of_a_writable_folder_opens_no_home() {
    if !has_landlock() {
        return;
    }
    let project = TestProject::initialised();
    project.write(
        "reach.sh",
        "#!/bin/sh\n\
         echo x > \"$HOME/reached\" && echo reached home\n\
         echo x > \"$HOME/data/x\" && echo data is fine\n\
         true\n",
    );
    std::fs::create_dir_all(project.root().join("gen")).unwrap();
    symlink(project.home(), project.root().join("gen/out")).unwrap();
    std::fs::create_dir_all(project.home().join("kept")).unwrap();
    symlink("kept", project.home().join("data")).unwrap();
    project.commit_all();
    std::fs::write(
        project.overstory("config.local.yaml"),
        "sandbox:\n  writable:\n    - gen/out\n    - ~/data\n",
    )
    .unwrap();
    let shown = run(
        &project,
        "builder",
        "steps:\n- run: \"sh ./reach.sh\"\n- print: \"end of attempts\"\n- done: \"tried\"\n",
    );
    assert!(!shown.contains("reached home"), "{shown}");
    assert!(shown.contains("data is fine"), "{shown}");
    assert!(!project.home().join("reached").exists());
    let leads = format!("it leads to {}", project.home().display());
    for said in [
        project.grove(&["inspect", "mallory"]).stdout,
        project.grove(&["doctor", "--category", "sandbox"]).stdout,
        project.grove(&["task", "list"]).stderr,
    ] {
        assert!(said.contains("gen/out") && said.contains(&leads), "{said}");
    }
}

#[test]
fn a_command_for_an_agent_follows_no_landed_link_out_of_the_project() {
    let project = TestProject::initialised();
    project.grove_ok(&["task", "create", "task-of-people"]);
    let record = ["expertise", "record", "cli", "--type", "convention"];
    project.grove_ok(&[&record[..], &["kept-here"]].concat());
    let elsewhere = project.beside().join("elsewhere");
    std::fs::create_dir_all(&elsewhere).unwrap();
    for (folder, name) in [(".seeds", "seeds"), (".mulch/expertise", "expertise")] {
        let folder = project.root().join(folder);
        std::fs::rename(&folder, elsewhere.join(name)).unwrap();
        symlink(elsewhere.join(name), folder).unwrap();
    }
    project.commit_all();
    let files = ["seeds/issues.jsonl", "expertise/cli.jsonl"].map(|name| elsewhere.join(name));
    let before = files.clone().map(|file| std::fs::read(file).unwrap());
    let spec = project.script(
        "mallory",
        "steps:\n\
         - run: \"grove task list; grove task create theirs; grove expertise record cli --type convention theirs; grove expertise query cli\"\n\
         - print: \"end of attempts\"\n\
         - done: \"tried\"\n",
    );
    let sling = ["sling", "t-1", "--name", "mallory", "--runtime", "script"];
    let started = project.grove(&[&sling[..], &["--skip-task-check", "--spec", &spec]].concat());
    assert!(
        started
            .stderr
            .contains("the agent starts without expertise"),
        "{}",
        started.stderr
    );
    let shown = recorded_with(&project, "mallory", "end of attempts");
    assert_eq!(files.map(|file| std::fs::read(file).unwrap()), before);
    assert!(
        !shown.contains("kept-here") && !shown.contains("task-of-people"),
        "{shown}"
    );
    assert!(
        shown.contains("follows no link out of the project"),
        "{shown}"
    );
    // What a person does with links is a person's business.
    assert!(
        project
            .grove_ok(&["task", "list"])
            .contains("task-of-people")
    );
}
