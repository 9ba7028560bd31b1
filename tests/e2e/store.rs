//! The repository's object store: agents add their commits to it and can do nothing else there, whatever they
//! run; and what they have committed is never lost on its way.

use crate::sandbox::{has_landlock, recorded};
use crate::support::{LONG, SHORT, TestProject, wait_until};
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

/// Tries to destroy and to forge, then works. What the script says is not believed: the test compares files.
const DESTROY: &str = r#"#!/bin/sh
R=$OVERSTORY_PROJECT_ROOT; O=$R/.git/objects
chmod -R u+w $O
rm -rf $O/* $O/??/*
for f in $(find $O -type f); do true > $f; truncate -s 0 $f; echo x >> $f; mv $f ./stolen; ln -f $f ./hard && echo x >> ./hard; done
echo $PWD > $O/info/alternates
mkdir -p $O/aa && echo x > $O/aa/aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa
echo $O/../../elsewhere > $R/.overstory/repositories/$OVERSTORY_AGENT_NAME/brought
echo '[core] hooksPath = /tmp' >> $R/.overstory/repositories/$OVERSTORY_AGENT_NAME/config
git update-ref refs/heads/main HEAD~0 HEAD~0 && git branch -f main HEAD && echo went:main
[ -z "$SSH_AUTH_SOCK$DBUS_SESSION_BUS_ADDRESS" ] || echo went:doors
own=$(git rev-parse --git-dir); shared=$(cat $own/commondir)
echo ../.. > $own/commondir
echo more > by-other-way; git add by-other-way && git commit -qm "Past the store" && echo went:past
echo $shared > $own/commondir
# The content that the user is going to commit, forged beforehand in the agent's own store.
id=$(printf 'precious\n' | git hash-object --stdin)
d=$(git rev-parse --git-path objects)/$(echo $id | cut -c1-2); mkdir -p $d
printf 'blob 6\0forged' | python3 -c 'import sys, zlib; sys.stdout.buffer.write(zlib.compress(sys.stdin.buffer.read()))' > $d/$(echo $id | cut -c3-)
rm -f stolen hard by-other-way
echo end of attempts
"#;

fn sling(project: &TestProject, name: &str, script: &str) {
    let spec = project.script(name, script);
    let task = format!("t-{name}");
    project.grove_ok(&[
        "sling",
        &task,
        "--name",
        name,
        "--capability",
        "builder",
        "--runtime",
        "script",
        "--spec",
        &spec,
    ]);
}

fn shows(project: &TestProject, agent: &str, wanted: &str) -> String {
    wait_until(
        &format!("{agent} shows {wanted}"),
        LONG,
        || Some(recorded(project, agent)).filter(|text| text.contains(wanted)),
        || format!("{}\n{}", recorded(project, agent), project.report()),
    )
}

fn files(folder: &Path, into: &mut BTreeMap<String, Vec<u8>>) {
    for entry in std::fs::read_dir(folder).unwrap().flatten() {
        if entry.path().is_dir() {
            files(&entry.path(), into);
        } else {
            let bytes = std::fs::read(entry.path()).unwrap();
            into.insert(entry.path().to_str().unwrap().to_owned(), bytes);
        }
    }
}

/// No object is missing or damaged, and no ref leads nowhere.
fn fsck(project: &TestProject) {
    let output = Command::new("git")
        .args(["fsck", "--full", "--strict"])
        .current_dir(project.root())
        .output()
        .unwrap();
    let said = format!(
        "{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
    assert!(output.status.success(), "{said}");
    for word in ["missing", "broken", "error", "corrupt"] {
        assert!(!said.contains(word), "{said}");
    }
}

fn project_with(name: &str, script: &str) -> TestProject {
    let project = TestProject::initialised();
    project.write(name, script);
    project.git(&["add", "-A"]);
    project.git(&["commit", "-q", "-m", "Add a script"]);
    project
}

#[test]
fn an_agent_that_destroys_the_object_store_destroys_nothing_and_its_work_still_lands() {
    if !has_landlock() {
        return;
    }
    let mut project = project_with("destroy.sh", DESTROY);
    project.set_env("SSH_AUTH_SOCK", "/nowhere/agent");
    project.set_env("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nowhere/bus");
    // Packed as well as loose objects.
    project.git(&["gc", "-q"]);
    project.write("loose.txt", "loose\n");
    project.git(&["add", "-A"]);
    project.git(&["commit", "-q", "-m", "Add a loose object"]);
    let mut before = BTreeMap::new();
    files(&project.root().join(".git/objects"), &mut before);
    let main = project.git(&["rev-parse", "main"]);
    sling(
        &project,
        "mallory",
        "steps:\n- run: \"sh ./destroy.sh 2>/dev/null\"\n- write: {path: mine.txt, content: \"mine\\n\"}\n\
         - commit: \"Work\"\n- run: \"git log --oneline | head -1\"\n- done: \"tried\"\n",
    );
    let shown = shows(&project, "mallory", "(worker_done)");
    assert!(shown.contains("end of attempts"), "{shown}");
    assert!(!shown.contains("went:"), "{shown}");
    project.wait_for_state("mallory", "completed", LONG);
    let mut after = BTreeMap::new();
    files(&project.root().join(".git/objects"), &mut after);
    for (path, bytes) in &before {
        assert!(after.get(path) == Some(bytes), "{path} was changed");
    }
    assert!(!project.root().join(".git/objects/info/alternates").exists());
    assert_eq!(project.git(&["rev-parse", "main"]), main);
    assert_eq!(
        project
            .git(&["show", "overstory/mallory/t-mallory:mine.txt"])
            .trim(),
        "mine"
    );
    fsck(&project);
    // What the agent forged is not what the user gets.
    project.write("precious.txt", "precious\n");
    project.git(&["add", "precious.txt"]);
    project.git(&["commit", "-q", "-m", "Add what the agent expected"]);
    assert_eq!(
        project.git(&["show", "HEAD:precious.txt"]).trim(),
        "precious"
    );
    project.grove_ok(&["merge", "--branch", "overstory/mallory/t-mallory"]);
    assert_eq!(project.read("mine.txt"), "mine\n");
    project.grove_ok(&["worktree", "clean", "--completed"]);
    assert!(!project.overstory("worktrees/mallory").exists());
    assert!(!project.overstory("repositories/mallory").exists());
    fsck(&project);
}

#[test]
fn commits_of_an_agent_are_seen_outside_while_it_works_and_it_sees_those_of_others() {
    if !has_landlock() {
        return;
    }
    let project = project_with(
        "both.sh",
        "#!/bin/sh\nset -e\necho one > one.txt; git add one.txt; git commit -qm One\n\
         until [ -e \"$OVERSTORY_PROJECT_ROOT/go\" ]; do sleep 0.05; done\n\
         until git show main:more.txt 2>/dev/null; do sleep 0.05; done\n\
         git merge -q --no-edit main; git tag --list; echo two > two.txt; git add two.txt; git commit -qm Two\n\
         git commit -q --amend -m Three; git log --format=%s\necho end of attempts\n",
    );
    sling(
        &project,
        "anna",
        "steps:\n- run: \"sh ./both.sh\"\n- done: \"built\"\n",
    );
    let branch = "overstory/anna/t-anna";
    let subject = |wanted: &str| {
        wait_until(
            &format!("the branch says {wanted}"),
            LONG,
            || {
                Some(project.git(&["log", "-1", "--format=%s", branch]))
                    .filter(|s| s.trim() == wanted)
            },
            || project.report(),
        )
    };
    subject("One");
    project.write("more.txt", "more\n");
    project.git(&["add", "more.txt"]);
    project.git(&["commit", "-q", "-m", "Go on"]);
    // Housekeeping by the user, of everything that no ref reaches.
    wait_until(
        "git has kept house",
        LONG,
        || {
            let mut gc = project.command("git");
            gc.args(["gc", "-q", "--prune=now"])
                .current_dir(project.root());
            gc.output().unwrap().status.success().then_some(())
        },
        || project.report(),
    );
    project.write("go", "");
    shows(&project, "anna", "(worker_done)");
    subject("Three");
    project.wait_for_state("anna", "completed", LONG);
    assert!(project.has_revision(&format!("{branch}:more.txt")));
    fsck(&project);
    let common = project.read(".git/worktrees/anna/commondir");
    assert_eq!(common.trim(), "../..");
}

#[test]
fn a_host_that_is_killed_before_a_commit_is_brought_over_loses_no_commit() {
    if !has_landlock() {
        return;
    }
    for ending in ["stop", "merge", "clean"] {
        let project = project_with(
            "late.sh",
            "#!/bin/sh\nuntil [ -e \"$OVERSTORY_PROJECT_ROOT/go\" ]; do sleep 0.05; done\n\
             echo late > late.txt; git add late.txt; git commit -qm Late\necho staged > staged.txt; git add staged.txt\n\
             touch \"$TMPDIR/ready\"; git config --get user.email; sleep 60\n",
        );
        sling(
            &project,
            "ben",
            "steps:\n- run: \"sh ./late.sh\"\n- done: \"built\"\n",
        );
        let branch = "overstory/ben/t-ben";
        let before = project.git(&["rev-parse", branch]);
        let row = project.sql("grove.db", "SELECT host_pid FROM hosts WHERE agent = 'ben'");
        let signal = |name: &str| {
            let sent = Command::new("kill")
                .args([name, &row[0][0]])
                .status()
                .unwrap();
            assert!(sent.success());
        };
        signal("-STOP");
        project.write("go", "");
        let own = project
            .overstory("repositories/ben/refs/heads")
            .join(branch);
        wait_until(
            "the agent has committed",
            LONG,
            || {
                let tip = std::fs::read_to_string(&own).ok()?;
                let index = std::fs::read(project.root().join(".git/worktrees/ben/index")).ok()?;
                let staged = index.windows(10).any(|part| part == b"staged.txt");
                (tip.trim() != before.trim() && staged).then_some(())
            },
            || project.report(),
        );
        assert_eq!(
            project.git(&["rev-parse", branch]),
            before,
            "the host was too quick"
        );
        signal("-KILL");
        wait_until(
            "the host is gone",
            SHORT,
            || (!Path::new(&format!("/proc/{}", row[0][0])).exists()).then_some(()),
            String::new,
        );
        // No ref dangles while nobody has looked.
        assert_eq!(
            project
                .git(&["log", "-1", "--format=%s", "--all", "--not", "main"])
                .trim(),
            ""
        );
        match ending {
            "stop" => {
                project.grove_ok(&["stop", "ben"]);
                let there = project.overstory("worktrees/ben");
                let staged = Command::new("git")
                    .args(["show", ":staged.txt"])
                    .current_dir(there)
                    .output()
                    .unwrap();
                assert_eq!(String::from_utf8_lossy(&staged.stdout), "staged\n");
                assert!(!project.overstory("repositories/ben").exists());
            }
            "merge" => {
                project.grove_ok(&["merge", "--branch", branch]);
                assert_eq!(project.read("late.txt"), "late\n");
            }
            _ => {
                project.grove_ok(&["stop", "ben", "--clean-worktree", "--force"]);
                let refs = project.git(&["for-each-ref", "--format=%(refname)", "refs/grove"]);
                let saved = refs.lines().find(|name| name.contains("saved")).unwrap();
                assert!(project.has_revision(&format!("{saved}:staged.txt")));
                let kept = format!("refs/grove/kept/{branch}:late.txt");
                assert!(project.has_revision(&kept), "{refs}");
                assert!(!project.overstory("repositories/ben").exists());
            }
        }
        if ending != "clean" {
            assert!(
                project.has_revision(&format!("{branch}:late.txt")),
                "{ending}"
            );
        }
        fsck(&project);
    }
}
