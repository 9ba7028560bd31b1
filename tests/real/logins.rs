//! The login of a subscription runs out: the real Claude Code renews it at a stand-in for its service, on loopback.

use super::claude::claude;
use crate::support::{LONG, TestProject, wait_until};
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// A proxy that is the service itself, whatever host it is asked for. It writes down what it is asked.
struct Service {
    child: Child,
    port: String,
}

impl Service {
    fn start(folder: &Path) -> Self {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/support/login_service.py");
        let mut child = Command::new("python3")
            .arg(script)
            .arg(folder)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut port = String::new();
        BufReader::new(child.stdout.take().unwrap())
            .read_line(&mut port)
            .unwrap();
        Self {
            child,
            port: port.trim().to_owned(),
        }
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

#[test]
#[ignore = "needs npm"]
fn claude_renews_the_login_of_its_agents_outside_of_their_sandbox_once() {
    let mut project = TestProject::initialised();
    project.install(&claude(), "claude");
    let folder = project.home().join("service");
    std::fs::create_dir(&folder).unwrap();
    let service = Service::start(&folder);
    let proxy = format!("http://127.0.0.1:{}", service.port);
    for (name, value) in [
        ("HTTPS_PROXY", proxy.as_str()),
        (
            "NODE_EXTRA_CA_CERTS",
            folder.join("ca.pem").to_str().unwrap(),
        ),
        ("DISABLE_AUTOUPDATER", "1"),
        ("DISABLE_TELEMETRY", "1"),
        ("DISABLE_ERROR_REPORTING", "1"),
        ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1"),
    ] {
        project.set_env(name, value);
    }
    let hook = r#"{"hooks":{"SessionStart":[{"hooks":[{"type":"command","command":"touch $HOME/hook-ran"}]}]}}"#;
    let user = project.home().join(".claude");
    std::fs::create_dir_all(&user).unwrap();
    std::fs::write(user.join("settings.json"), hook).unwrap();
    let login = user.join(".credentials.json");
    let ends = std::time::UNIX_EPOCH.elapsed().unwrap().as_millis() + 200_000;
    let text = format!(
        r#"{{"claudeAiOauth":{{"accessToken":"sk-ant-oat01-OLD","refreshToken":"sk-ant-ort01-OLD","expiresAt":{ends},"scopes":["user:inference","user:profile"],"subscriptionType":"max"}}}}"#
    );
    std::fs::write(&login, text).unwrap();
    let asked = || std::fs::read_to_string(folder.join("asked")).unwrap_or_default();
    let report = || format!("{}\n{}", asked(), project.report());

    for (task, agent) in [("t-1", "ann"), ("t-2", "ben")] {
        project.grove_ok(&["sling", task, "--name", agent, "--headless"]);
    }
    wait_until(
        "agents go on with the new login",
        LONG,
        || {
            let asked = asked();
            let used = |line: &&str| line.contains("/v1/messages") && line.contains("-NEW");
            (asked.lines().filter(used).count() >= 2).then_some(())
        },
        report,
    );
    let renewals = asked().matches("/v1/oauth/token").count();
    assert_eq!(renewals, 1, "{}", report());
    let renewed = std::fs::read_to_string(&login).unwrap();
    assert!(renewed.contains("sk-ant-oat01-NEW"), "{renewed}");
    assert!(!project.home().join("hook-ran").exists());
    assert!(!user.join("projects").exists(), "{}", report());
    for agent in ["ann", "ben"] {
        project.grove_ok(&["stop", agent]);
    }
}
