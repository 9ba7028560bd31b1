//! The operating system's wall. A script of the project does what the guard cannot see: it is run inside
//! an agent and tries for real. Kernels without Landlock have no such wall; there only the
//! honest half is looked at.

use crate::support::{LONG, TestProject, wait_until};
use std::path::Path;

/// Prints `name` for every attempt that succeeded.
const ATTEMPTS: &str = r#"#!/bin/sh
R=$OVERSTORY_PROJECT_ROOT
host=$(ps -o ppid= -p "$AGENT_PID" | tr -d ' ')
try() { name=$1; shift; if sh -c "$*" >/dev/null 2>&1; then echo "$name"; fi; }
try write "echo x > $R/evil"
try append "echo x >> $R/README.md"
try truncate "truncate -s 0 $R/README.md"
try remove "rm $R/README.md"
try rename "mv $R/README.md $R/moved"
try rename-in "mv $R/README.md ./stolen"
try hard-link "ln $R/README.md ./hard && echo x >> ./hard"
try symlink "ln -sf $R/README.md ./soft && echo x >> ./soft"
try root-link "echo x > /proc/self/root$R/evil"
try mkdir "mkdir $R/evil.d"
try config "git config user.evil 1"
try other-ref "git update-ref refs/heads/main HEAD"
try other-branch "git branch evil"
try tag "git tag evil"
try hook "echo x > $R/.git/hooks/pre-commit"
try worktree "git worktree add ../evil"
try alternates "echo x > $R/.git/info/exclude"
try store "echo x >> $R/.overstory/sessions.db"
try settings "echo x >> $R/.overstory/config.yaml"
try own-settings "echo x >> $R/.overstory/hosts/mallory/sandbox.json"
try other-settings "cat $R/.overstory/hosts/other/settings"
try secret "cat $HOME/.ssh/id_test"
try secret-by-root "cat /proc/self/root$HOME/.ssh/id_test"
try home "echo x > $HOME/evil"
try signal-host "kill -0 $host"
try host-memory "head -c 1 /proc/$host/environ"
try device "echo x > /dev/kmsg"
try mapped "python3 -c 'import mmap,os,sys; m=mmap.mmap(os.open(sys.argv[1],os.O_RDWR),1); m[0]=120' $R/README.md"
try host-root "echo x > /proc/$host/root$R/evil"
try host-folder "echo x > /proc/$host/cwd/evil"
try host-files "ls /proc/$host/fd | grep -q . && for f in /proc/$host/fd/*; do echo x >> \$f && exit 0; done; exit 1"
try namespace "unshare -Ur true"
try mount "unshare -Urm mount -t tmpfs none /mnt"
try profile "echo x >> $HOME/.profile"
echo end
"#;

/// Whether the kernel can confine agents; that it cannot is said.
pub(crate) fn has_landlock() -> bool {
    let has = std::fs::read_to_string("/sys/kernel/security/lsm")
        .map_or(true, |list| list.contains("landlock"))
        && Path::new("/proc/self").exists();
    if !has {
        crate::support::skipped("this kernel has no Landlock");
    }
    has
}

pub(crate) fn run(project: &TestProject, capability: &str, script: &str) -> String {
    std::fs::create_dir_all(project.home().join(".ssh")).unwrap();
    std::fs::write(project.home().join(".ssh/id_test"), "secret\n").unwrap();
    let other = project.overstory("hosts/other");
    std::fs::create_dir_all(&other).unwrap();
    std::fs::write(other.join("settings"), "of another agent\n").unwrap();
    let spec = project.script("mallory", script);
    project.grove_ok(&[
        "sling",
        "t-1",
        "--name",
        "mallory",
        "--capability",
        capability,
        "--runtime",
        "script",
        "--spec",
        &spec,
        "--force-hierarchy",
    ]);
    wait_until(
        "the agent has tried everything",
        LONG,
        || Some(recorded(project, "mallory")).filter(|text| text.contains("end of attempts")),
        || project.report(),
    )
}

/// What the agent's terminal showed.
pub(crate) fn recorded(project: &TestProject, agent: &str) -> String {
    let dir = project.overstory("casts").join(agent);
    let mut shown = String::new();
    for entry in std::fs::read_dir(dir).into_iter().flatten().flatten() {
        let text = std::fs::read_to_string(entry.path()).unwrap_or_default();
        for line in text.lines() {
            let event: serde_json::Value = serde_json::from_str(line).unwrap_or_default();
            if event[1] == "o" {
                shown.push_str(event[2].as_str().unwrap_or_default());
            }
        }
    }
    shown
}

/// The same once it has certain words.
pub(crate) fn recorded_with(project: &TestProject, agent: &str, wanted: &str) -> String {
    wait_until(
        &format!("{agent} shows {wanted}"),
        LONG,
        || Some(recorded(project, agent)).filter(|text| text.contains(wanted)),
        || format!("{}\n{}", recorded(project, agent), project.report()),
    )
}

#[test]
fn a_script_inside_an_agent_changes_nothing_outside_of_its_worktree() {
    if !has_landlock() {
        return;
    }
    let project = TestProject::initialised();
    let before = project.read("README.md");
    project.write("attempts.sh", ATTEMPTS);
    project.commit_all();
    let main = project.git(&["rev-parse", "main"]);
    let shown = run(
        &project,
        "builder",
        "steps:\n\
         - write: {path: mine.txt, content: \"mine\\n\"}\n\
         - run: \"AGENT_PID=$PPID sh ./attempts.sh > out.txt; echo result:; cat out.txt\"\n\
         - print: \"end of attempts\"\n\
         - commit: \"Work\"\n\
         - done: \"tried\"\n",
    );
    let result = shown
        .split("result:")
        .nth(2)
        .or(shown.split("result:").nth(1))
        .unwrap_or(&shown);
    let succeeded: Vec<&str> = result
        .lines()
        .map(str::trim)
        .skip_while(|line| line.is_empty())
        .take_while(|line| *line != "end")
        .collect();
    assert!(
        shown.contains("\nend") || shown.contains("end\r"),
        "{shown}"
    );
    assert_eq!(succeeded, Vec::<&str>::new(), "{shown}");
    assert_eq!(project.read("README.md"), before);
    assert_eq!(project.git(&["rev-parse", "main"]), main);
    project.wait_for_state("mallory", "completed", LONG);
    assert!(project.has_revision("overstory/mallory/t-1:mine.txt"));
}

#[test]
fn a_role_that_only_reads_cannot_write_in_its_own_worktree() {
    if !has_landlock() {
        return;
    }
    let project = TestProject::initialised();
    project.write("gate.sh", "#!/bin/sh\necho x > by-gate || echo kept out\necho t > \"$TMPDIR/t\" && echo temp is fine\n");
    project.commit_all();
    std::fs::write(
        project.overstory("config.local.yaml"),
        "project:\n  qualityGates:\n    - name: Gate\n      command: sh ./gate.sh\n      description: passes\n",
    )
    .unwrap();
    let shown = run(
        &project,
        "reviewer",
        "steps:\n- run: \"sh ./gate.sh\"\n- print: \"end of attempts\"\n- done: \"looked\"\n",
    );
    assert!(shown.contains("kept out"), "{shown}");
    assert!(shown.contains("temp is fine"), "{shown}");
    assert!(!project.overstory("worktrees/mallory/by-gate").exists());
}

#[test]
fn a_reader_configures_no_build_of_a_builder_through_a_cache() {
    if !has_landlock() {
        return;
    }
    let project = TestProject::initialised();
    project.write(
        "gate.sh",
        "#!/bin/sh\n\
         C=$OVERSTORY_PROJECT_ROOT/.overstory/caches\n\
         mkdir -p \"$CARGO_HOME\" && echo '[build]' > \"$CARGO_HOME/config.toml\" && echo own cache is fine\n\
         for f in cargo/config.toml npm/x gradle/init.gradle; do\n\
           (mkdir -p \"$C/${f%/*}\" && echo x > \"$C/$f\") 2>/dev/null && echo \"wrote $f\"\n\
         done\n\
         (cd \"$C\" && echo x > x) 2>/dev/null && echo wrote x\n\
         true\n",
    );
    project.commit_all();
    // The caches of builders are there, as after the first of them.
    std::fs::create_dir_all(project.overstory("caches/cargo")).unwrap();
    std::fs::write(
        project.overstory("config.local.yaml"),
        "project:\n  qualityGates:\n    - name: Gate\n      command: sh ./gate.sh\n      description: passes\n",
    )
    .unwrap();
    let shown = run(
        &project,
        "scout",
        "steps:\n- run: \"sh ./gate.sh\"\n- print: \"end of attempts\"\n- done: \"looked\"\n",
    );
    assert!(shown.contains("own cache is fine"), "{shown}");
    assert!(!shown.contains("wrote "), "{shown}");
    assert!(!project.overstory("caches/cargo/config.toml").exists());
}

/// Reads a key by the name that the configuration has opened.
#[test]
fn a_store_that_is_named_writable_cannot_be_read() {
    if !has_landlock() {
        return;
    }
    let project = TestProject::initialised();
    project.write(
        "reach.sh",
        "#!/bin/sh\ncat \"$HOME/.ssh/id_test\" && echo read it\necho x > \"$HOME/data/x\" && echo data is fine\ntrue\n",
    );
    project.commit_all();
    std::fs::create_dir_all(project.home().join("data")).unwrap();
    std::fs::write(
        project.overstory("config.local.yaml"),
        "sandbox:\n  writable:\n    - ~/.ssh\n    - ~/.ssh/id_test\n    - ~/data\n",
    )
    .unwrap();
    let shown = run(
        &project,
        "builder",
        "steps:\n- run: \"sh ./reach.sh\"\n- print: \"end of attempts\"\n- done: \"tried\"\n",
    );
    assert!(!shown.contains("read it"), "{shown}");
    assert!(shown.contains("data is fine"), "{shown}");
    let said = project.grove(&["inspect", "mallory"]).stdout;
    assert!(said.contains("'sandbox.writable' does not open"), "{said}");
}

#[test]
fn a_project_may_leave_the_sandbox_out_for_a_role() {
    let project = TestProject::initialised();
    std::fs::write(
        project.overstory("config.local.yaml"),
        "sandbox:\n  builder: guard\n",
    )
    .unwrap();
    project.write(
        "reach.sh",
        "#!/bin/sh\necho x > \"$OVERSTORY_PROJECT_ROOT/reached\"\n",
    );
    project.commit_all();
    run(
        &project,
        "builder",
        "steps:\n- run: \"sh ./reach.sh\"\n- print: \"end of attempts\"\n- done: \"reached\"\n",
    );
    assert_eq!(project.read("reached"), "x\n");
}

/// Gives a folder back to whoever removes it.
struct Closed(std::path::PathBuf);

impl Closed {
    fn new(folder: &Path) -> Self {
        Self::set(folder, 0o311);
        Self(folder.to_owned())
    }

    fn set(folder: &Path, mode: u32) {
        let mode = std::os::unix::fs::PermissionsExt::from_mode(mode);
        std::fs::set_permissions(folder, mode).unwrap();
    }
}

impl Drop for Closed {
    fn drop(&mut self) {
        Self::set(&self.0, 0o755);
    }
}

/// As with `/home` of mode 711. Root may list everything, so this says something for other users only.
#[test]
fn an_agent_works_where_the_folder_of_the_homes_cannot_be_listed() {
    if !has_landlock() {
        return;
    }
    let project = TestProject::initialised();
    project.write(
        "look.sh",
        "#!/bin/sh\ncat \"$HOME/notes/mine\" \"$OVERSTORY_PROJECT_ROOT/README.md\" > seen && echo all seen\ncat \"$HOME/.ssh/id_test\" || echo kept secret\n",
    );
    project.commit_all();
    std::fs::create_dir_all(project.home().join("notes")).unwrap();
    std::fs::write(project.home().join("notes/mine"), "x\n").unwrap();
    let closed = Closed::new(project.home().parent().unwrap());
    let shown = run(
        &project,
        "builder",
        "steps:\n- run: \"sh ./look.sh\"\n- print: \"end of attempts\"\n- done: \"looked\"\n",
    );
    drop(closed);
    assert!(shown.contains("all seen"), "{shown}");
    assert!(shown.contains("kept secret"), "{shown}");
}
