//! Quality gates run what agents wrote. What they must not do is tried for real, with what they must be
//! able to do beside it.
#![cfg(target_os = "linux")]

use std::os::unix::fs::PermissionsExt;

use crate::support::{BRANCH, Sandbox, gate, text};
use grove::config::{GATES, SandboxMode};
use grove::merge::{Conclusion, MergeContext, MergeReport};
use grove::sandbox::{Support, support};

/// A project with an agent's branch whose gate script is the agent's.
fn with_script(script: &str) -> (Sandbox, MergeContext) {
    let sandbox = Sandbox::new(&[("a", "a\n")]);
    sandbox.commit(
        BRANCH,
        &[("gate.sh", text(script)), ("b", text("b\n"))],
        "work",
    );
    let mut context = sandbox.context();
    context.gates = vec![gate("script", "sh ./gate.sh")];
    (sandbox, context)
}

fn merge(context: &MergeContext) -> MergeReport {
    Sandbox::merge_with(context, &mut |_| {}).unwrap()
}

/// Every line is tried; one that goes through is named in the output.
fn attempts(sandbox: &Sandbox, lines: &[(&str, String)]) -> String {
    let mut script = String::from("went=0\n");
    for (name, line) in lines {
        script +=
            &format!("if ( {line} ) 2>/dev/null; then echo 'WENT THROUGH: {name}'; went=1; fi\n");
    }
    script += "exit $went\n";
    assert!(sandbox.root().is_absolute());
    script
}

#[test]
fn a_gate_cannot_write_to_the_project_its_repository_or_its_stores() {
    let sandbox = Sandbox::new(&[("a", "a\n")]);
    let root = sandbox.root().display().to_string();
    let git = sandbox.root().join(".git");
    let overstory = sandbox.root().join(".overstory");
    std::fs::create_dir_all(overstory.join("worktrees/bob")).unwrap();
    std::fs::create_dir_all(overstory.join("hosts/bob")).unwrap();
    std::fs::write(overstory.join("hosts/bob/settings.json"), "secret\n").unwrap();
    std::fs::write(overstory.join("mail.db"), "mail\n").unwrap();
    std::fs::create_dir_all(git.join("hooks")).unwrap();
    let before = sandbox.tip("main");
    let own = std::process::id();
    let g = git.display();
    let o = overstory.display();
    let tries = [
        ("new file in the checkout", format!("echo x > {root}/new")),
        (
            "changed file of the checkout",
            format!("echo x >> {root}/a"),
        ),
        ("truncated file", format!(": > {root}/a")),
        ("removed file", format!("rm {root}/a")),
        ("moved file", format!("mv {root}/a ./a2")),
        ("linked file", format!("ln {root}/a ./linked")),
        (
            "through a link",
            format!("ln -s {root} ./up && echo x > ./up/new"),
        ),
        (
            "through proc",
            format!("echo x > /proc/self/root{root}/new"),
        ),
        (
            "moved ref",
            format!("git -C {root} update-ref refs/heads/main HEAD~0"),
        ),
        ("new branch", format!("git -C {root} branch stolen")),
        (
            "new ref by hand",
            format!("cp {g}/refs/heads/main {g}/refs/heads/x"),
        ),
        ("config", format!("git -C {root} config user.name mallory")),
        ("config by hand", format!("echo x >> {g}/config")),
        ("hook", format!("echo x > {g}/hooks/post-merge")),
        (
            "object",
            format!("echo new | git -C {root} hash-object -w --stdin"),
        ),
        (
            "alternates",
            format!("mkdir -p {g}/objects/info && echo /tmp > {g}/objects/info/alternates"),
        ),
        (
            "own administration",
            format!(
                "for d in {g}/worktrees/*/; do echo x > ${{d}}commondir && exit 0; done; exit 1"
            ),
        ),
        ("store", format!("echo x >> {o}/mail.db")),
        ("new store", format!("echo x > {o}/grove.db-wal")),
        ("other worktree", format!("echo x > {o}/worktrees/bob/x")),
        ("journal", format!("echo x > {o}/merge-journal/x.json")),
        (
            "settings of a host",
            format!("cat {o}/hosts/bob/settings.json"),
        ),
        ("beside its checkout", "echo x > ../other".to_owned()),
        (
            "shared temp folder",
            format!("echo x > /tmp/grove-gate-{own}"),
        ),
        ("device", "echo x > /dev/tty".to_owned()),
    ];
    let script = attempts(&sandbox, &tries);
    sandbox.commit(BRANCH, &[("gate.sh", text(&script))], "work");
    let mut context = sandbox.context();
    context.gates = vec![gate("script", "sh ./gate.sh")];
    let report = merge(&context);
    assert_eq!(report.conclusion, Conclusion::Landed, "{:#?}", report.gates);
    assert_eq!(sandbox.tip("main^1"), before);
    assert_eq!(sandbox.read("a"), "a\n");
    assert_eq!(sandbox.status(), "");
    assert_eq!(
        std::fs::read_to_string(overstory.join("mail.db")).unwrap(),
        "mail\n"
    );
    assert!(!std::path::Path::new(&format!("/tmp/grove-gate-{own}")).exists());
}

#[test]
fn a_gate_cannot_end_or_look_into_the_process_that_merges() {
    if support() != Support::Full {
        crate::skip::skipped("gates cannot be confined fully here");
        return;
    }
    let own = std::process::id();
    let sandbox = Sandbox::new(&[("a", "a\n")]);
    let tries = [
        ("signal 0", format!("kill -0 {own}")),
        ("kill", format!("kill -9 {own}")),
        (
            "environment",
            format!("cat /proc/{own}/environ | grep -q ."),
        ),
        ("memory", format!("head -c 1 /proc/{own}/mem")),
    ];
    let script = attempts(&sandbox, &tries);
    sandbox.commit(BRANCH, &[("gate.sh", text(&script))], "work");
    let mut context = sandbox.context();
    context.gates = vec![gate("script", "sh ./gate.sh")];
    let report = merge(&context);
    assert_eq!(report.conclusion, Conclusion::Landed, "{:#?}", report.gates);
}

/// Runs in a process of its own, with a home folder of its own.
#[test]
#[ignore = "the test below starts it"]
fn home_of_its_own() {
    let Ok(root) = std::env::var("GROVE_TEST_HOME_PROJECT") else {
        return;
    };
    let mut context = Sandbox::new(&[]).context();
    context.root = root.into();
    context.gates = vec![gate("script", "sh ./gate.sh")];
    let report = merge(&context);
    assert_eq!(report.conclusion, Conclusion::Landed, "{:#?}", report.gates);
}

#[test]
fn a_gate_reads_no_keys_and_reaches_no_ssh_agent() {
    let sandbox = Sandbox::new(&[("a", "a\n")]);
    let home = tempfile::tempdir().unwrap();
    for name in [
        ".ssh/id_ed25519",
        ".aws/credentials",
        ".netrc",
        ".claude/.credentials.json",
    ] {
        let file = home.path().join(name);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(&file, "SECRET\n").unwrap();
    }
    std::fs::write(home.path().join(".bashrc"), "# mine\n").unwrap();
    let tries = [
        ("key", "cat ~/.ssh/id_ed25519".to_owned()),
        ("cloud", "cat ~/.aws/credentials".to_owned()),
        ("netrc", "cat ~/.netrc".to_owned()),
        ("login", "cat ~/.claude/.credentials.json".to_owned()),
        ("shell start", "echo x >> ~/.bashrc".to_owned()),
        ("agent", "test -n \"$SSH_AUTH_SOCK\"".to_owned()),
        ("host", "test -n \"$GROVE_HOST_SOCKET\"".to_owned()),
    ];
    let script = attempts(&sandbox, &tries);
    let script = format!("cat ~/.bashrc || exit 1\n{script}");
    sandbox.commit(BRANCH, &[("gate.sh", text(&script))], "work");
    let output = std::process::Command::new(std::env::current_exe().unwrap())
        .args([
            "confined::home_of_its_own",
            "--exact",
            "--ignored",
            "--nocapture",
        ])
        .env("HOME", home.path())
        .env("SSH_AUTH_SOCK", "/tmp/agent.sock")
        .env("GROVE_HOST_SOCKET", "/tmp/host.sock")
        .env("GROVE_TEST_HOME_PROJECT", sandbox.root())
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    assert!(sandbox.files("main").contains(&"gate.sh".to_owned()));
}

#[test]
fn an_ordinary_gate_builds_looks_at_the_repository_and_uses_temporary_files() {
    let script = r#"set -e
mkdir -p target/debug node_modules/.bin
echo built > target/debug/out
chmod +x target/debug/out
mv target/debug/out target/debug/out2
test -d "$TMPDIR"
t=$(mktemp)
echo x > "$t"
mkdir "$TMPDIR/repo"
(cd "$TMPDIR/repo" && git init -q && git -c user.name=t -c user.email=t@e commit -q --allow-empty -m x)
echo cached > "$XDG_CACHE_HOME/entry"
mkdir -p "$CARGO_HOME/registry" "$npm_config_cache"
echo changed >> a
git status --porcelain | grep -q '^ M a'
git diff --stat | grep -q a
git checkout -q 2>/dev/null || true
git describe --always > /dev/null
git log --oneline -1
git rev-parse HEAD
git ls-files | grep -q gate.sh
echo x > /dev/null
sleep 30 &
kill $!
sh -c 'echo nested > target/nested'
echo done
"#;
    let (sandbox, context) = with_script(script);
    let report = merge(&context);
    assert_eq!(report.conclusion, Conclusion::Landed, "{:#?}", report.gates);
    assert!(report.gates[0].output_tail.ends_with("done\n"));
    let said = "gate script changed 1 file: a; the merge lands without that";
    assert_eq!(report.warnings, [said]);
    let caches = sandbox.root().join(".overstory/gate-caches");
    assert_eq!(
        std::fs::read_to_string(caches.join("entry")).unwrap(),
        "cached\n"
    );
}

#[test]
fn a_gate_that_needs_more_is_told_how_to_get_it() {
    let elsewhere = tempfile::tempdir().unwrap();
    let (sandbox, mut context) = with_script("true\n");
    let command = format!("echo x > {}/out", elsewhere.path().display());
    context.gates = vec![gate("writes", &command)];
    let report = merge(&context);
    assert_eq!(report.conclusion, Conclusion::GatesRed);
    let said = &report.gates[0].output_tail;
    assert!(
        said.contains("ermission denied") && said.contains("sandbox.writable"),
        "{said}"
    );
    assert!(!elsewhere.path().join("out").exists());

    context.sandbox.writable = vec![elsewhere.path().display().to_string()];
    let report = merge(&context);
    assert_eq!(report.conclusion, Conclusion::Landed, "{:#?}", report.gates);
    assert!(elsewhere.path().join("out").exists());
    assert_eq!(sandbox.status(), "");
}

#[test]
fn gates_may_be_left_without_a_sandbox_and_a_red_one_is_not_blamed_on_it() {
    let elsewhere = tempfile::tempdir().unwrap();
    let (_sandbox, mut context) = with_script("true\n");
    context.gates = vec![
        gate(
            "writes",
            &format!("echo x > {}/out", elsewhere.path().display()),
        ),
        gate("red", "echo permission denied; exit 1"),
    ];
    context.sandbox.roles = vec![(GATES.to_owned(), SandboxMode::Off)];
    let report = merge(&context);
    assert!(report.gates[0].passed);
    assert_eq!(report.gates[1].output_tail, "permission denied\n");
    assert_eq!(report.warnings, Vec::<String>::new());
}

#[test]
fn nothing_of_a_gate_stays_in_the_temp_folder() {
    let (_sandbox, mut context) = with_script("true\n");
    let told = tempfile::tempdir().unwrap();
    let name = told.path().join("name");
    context.sandbox.writable = vec![told.path().display().to_string()];
    context.gates = vec![gate(
        "leaves",
        &format!("echo x > $TMPDIR/left; echo $TMPDIR > {}", name.display()),
    )];
    assert_eq!(merge(&context).conclusion, Conclusion::Landed);
    let temp = std::fs::read_to_string(name).unwrap();
    let temp = std::path::Path::new(temp.trim());
    assert!(temp.is_absolute() && !temp.exists());
    let private = temp.ancestors().nth(2).unwrap();
    let mode = private.metadata().unwrap().permissions().mode();
    assert_eq!(mode & 0o077, 0);
}

/// Tools that stage or commit what they have changed, as hooks and snapshot tests do.
#[test]
fn a_gate_may_stage_and_commit_in_its_checkout_and_nothing_of_it_reaches_the_project() {
    let (sandbox, context) = with_script(
        "set -ex\n\
         test -z \"$(git status --porcelain)\"\n\
         git log --oneline main && git describe --all\n\
         echo new > staged.txt && git add -A && git diff --cached --name-only | grep staged\n\
         git -c user.name=n -c user.email=e commit -q -m 'by a gate'\n\
         git tag by-a-gate && git stash list && git diff HEAD~1 --stat\n",
    );
    let before = sandbox.tip("main");
    let report = merge(&context);
    assert_eq!(report.conclusion, Conclusion::Landed, "{:#?}", report.gates);
    assert_eq!(sandbox.tip("main^1"), before);
    let root = sandbox.root();
    let git = |args: &[&str]| Sandbox::git_in(root, args);
    assert_eq!(git(&["tag"]).trim(), "");
    assert!(!git(&["log", "--all", "--format=%s"]).contains("by a gate"));
    assert!(!root.join("staged.txt").exists());
    assert_eq!(git(&["worktree", "list"]).trim().lines().count(), 1);
    let left = std::fs::read_dir(root.join(".overstory/scratch"));
    assert_eq!(left.map_or(0, Iterator::count), 0);
}
