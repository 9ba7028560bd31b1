//! Gates and the user's remotes: what agents have written is not to push, nor to read what logs in there.
#![cfg(target_os = "linux")]

use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use crate::support::{BRANCH, Sandbox, gate, text};
use grove::config::{GATES, SandboxMode};
use grove::merge::{Conclusion, MergeReport};

/// A git server on loopback that takes pushes; it ends with the test.
struct Daemon {
    child: Child,
    url: String,
}

impl Daemon {
    /// `None` where git comes without one, which is said; scripts/prepare-system installs it.
    fn serving(bare: &Path) -> Option<Self> {
        let folder = Sandbox::git_in(bare, &["--exec-path"]);
        // Started by its own name, so that the process that is ended is the server itself.
        let program = Path::new(&folder).join("git-daemon");
        if !program.is_file() {
            crate::skip::skipped(format!("no {}", program.display()));
            return None;
        }
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr();
        let port = port.unwrap().port();
        let base = bare.parent().unwrap();
        let mut child = Command::new(program)
            .args(["--export-all", "--enable=receive-pack", "--reuseaddr"])
            .args(["--listen=127.0.0.1".to_owned(), format!("--port={port}")])
            .arg(format!("--base-path={}", base.display()))
            .arg(base)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            assert!(child.try_wait().unwrap().is_none(), "the server ended");
            std::thread::yield_now();
        }
        let name = bare.file_name().unwrap().to_string_lossy();
        let url = format!("git://127.0.0.1:{port}/{name}");
        Some(Self { child, url })
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

/// A project, and an empty repository that it may push to.
fn with_remote() -> (Sandbox, tempfile::TempDir, std::path::PathBuf) {
    let sandbox = Sandbox::new(&[("a", "a\n")]);
    let beside = tempfile::tempdir().unwrap();
    let bare = beside.path().join("remote.git");
    Sandbox::git_in(beside.path(), &["init", "-q", "--bare", "remote.git"]);
    (sandbox, beside, bare)
}

/// Merges with this gate, which is to be green.
fn green(sandbox: &Sandbox, script: &str, mode: SandboxMode) -> MergeReport {
    sandbox.commit(BRANCH, &[("gate.sh", text(script))], "work");
    let mut context = sandbox.context();
    context.gates = vec![gate("script", "sh ./gate.sh")];
    context.sandbox.roles = vec![(GATES.to_owned(), mode)];
    let report = Sandbox::merge_with(&context, &mut |_| {}).unwrap();
    assert_eq!(report.conclusion, Conclusion::Landed, "{:#?}", report.gates);
    report
}

/// Tries to push by the remote's name and by its address, and whether that is refused everywhere.
fn pushes(url: &str) -> String {
    format!(
        "for to in origin {url}; do\n\
           if git push $to HEAD:refs/heads/main; then echo \"WENT THROUGH: $to\"; exit 1; fi\n\
         done\n"
    )
}

#[test]
fn a_gate_cannot_push_to_a_server() {
    for mode in [SandboxMode::Strict, SandboxMode::Off] {
        let (sandbox, _beside, bare) = with_remote();
        let Some(daemon) = Daemon::serving(&bare) else {
            return;
        };
        sandbox.git(&["remote", "add", "origin", &daemon.url]);
        // The server does take pushes, of the user.
        sandbox.git(&["push", "-q", "origin", "HEAD:refs/heads/users"]);
        green(&sandbox, &pushes(&daemon.url), mode);
        let refs = Sandbox::git_in(&bare, &["for-each-ref", "--format=%(refname)"]);
        assert_eq!(refs, "refs/heads/users");
    }
}

#[test]
fn a_gate_cannot_push_to_a_repository_on_disk() {
    for mode in [SandboxMode::Strict, SandboxMode::Off] {
        let (sandbox, _beside, bare) = with_remote();
        let url = bare.display().to_string();
        sandbox.git(&["remote", "add", "origin", &url]);
        // An explicit address for pushes is one that git does not rewrite by itself, and a longer start outdoes ours.
        sandbox.git(&["config", "remote.origin.pushurl", &url]);
        let base = format!("url.{}/.pushInsteadOf", bare.parent().unwrap().display());
        sandbox.git(&["config", &base, "users:"]);
        sandbox.git(&["push", "-q", "users:remote.git", "HEAD:refs/heads/users"]);
        green(&sandbox, &pushes(&format!("users:remote.git {url}")), mode);
        let refs = Sandbox::git_in(&bare, &["for-each-ref", "--format=%(refname)"]);
        assert_eq!(refs, "refs/heads/users");
    }
}

#[test]
fn git_in_a_gate_knows_no_remote_and_no_password_but_how_the_project_works() {
    let (sandbox, beside, _bare) = with_remote();
    let more = beside.path().join("more");
    std::fs::write(&more, "[filter \"up\"]\n\tclean = tr a-z A-Z\n").unwrap();
    for (key, value) in [
        ("remote.origin.url", "https://u:ghp_pass@host.test/r"),
        ("http.extraheader", "Authorization: Basic ghp_pass"),
        ("url.https://u:ghp_pass@host.test/.insteadOf", "gh:"),
        ("submodule.s.url", "https://u:ghp_pass@host.test/s"),
        ("submodule.t.url", "https://host.test/t"),
        ("user.name", "A \"B\" \\ C"),
        ("core.autocrlf", "input"),
        ("include.path", more.to_str().unwrap()),
    ] {
        sandbox.git(&["config", key, value]);
    }
    let script = "set -ex\n\
        if git config -l | grep -E 'ghp_pass|@host|include\\.path'; then exit 1; fi\n\
        test -z \"$(git remote)\"\n\
        test \"$(git config user.name)\" = 'A \"B\" \\ C'\n\
        test \"$(git config core.autocrlf)\" = input\n\
        test \"$(git config submodule.t.url)\" = https://host.test/t\n\
        echo 'f filter=up' > .gitattributes\n\
        echo low > f && git add f && test \"$(git cat-file -p :f)\" = LOW\n";
    green(&sandbox, script, SandboxMode::Strict);
}
