//! What a sandbox lets through: a lead's own agents, the builds of real projects, the ports that are allowed; and
//! what `doctor` finds when it tries.

use crate::sandbox::{has_landlock, recorded_with};
use crate::support::{LONG, TestProject};
use std::net::TcpListener;

#[test]
fn a_sandboxed_lead_starts_builders_that_have_sandboxes_of_their_own() {
    if !has_landlock() {
        return;
    }
    let project = TestProject::initialised();
    // Seen by no guard: a builder writes into its lead's worktree and temporary folder.
    let lead_temp = project.beside().join("lead-temp");
    project.write(
        "reach.sh",
        &format!(
            "#!/bin/sh\nuntil [ -s {0} ]; do sleep 0.1; done\nT=$(cat {0})\necho x > \"$T/by-builder\" && echo reached-temp\n\
             echo x > \"$OVERSTORY_PROJECT_ROOT/.overstory/worktrees/anna/by-builder\" && echo reached-lead\n\
             grove sling t-more --name more --capability builder || echo may-not-start\ntrue\n",
            lead_temp.display()
        ),
    );
    project.commit_all();
    let builder = |name: &str| {
        project.script(
            name,
            &format!(
                "steps:\n- run: \"sh ./reach.sh\"\n- write: {{path: {name}.txt, content: x}}\n- commit: \"Add\"\n- done: \"built\"\n"
            ),
        )
    };
    let start = |name: &str| {
        format!(
            "- run: \"grove sling t-{name} --name {name} --capability builder --runtime script --spec {}\"\n",
            builder(name)
        )
    };
    let steps = format!(
        "{}{}- wait_mail: {{from: ben, type: worker_done}}\n- wait_mail: {{from: cleo, type: worker_done}}\n- done: \"led\"\n",
        start("ben"),
        start("cleo")
    );
    project.sling_as("lead", "anna", &steps);
    let temp = project.sql(
        "grove.db",
        "SELECT session_id FROM hosts WHERE agent = 'anna'",
    );
    let rules = |agent: &str| {
        let text = project.read(&format!(".overstory/hosts/{agent}/sandbox.json"));
        let rules: serde_json::Value = serde_json::from_str(&text).unwrap();
        let write = rules["write"].as_array().unwrap().clone();
        let paths = write.iter().map(|path| path.as_str().unwrap().to_owned());
        paths.collect::<Vec<_>>()
    };
    let of_lead = rules("anna");
    let own_temp = of_lead.iter().find(|path| path.contains(&temp[0][0]));
    std::fs::write(lead_temp, own_temp.unwrap()).unwrap();
    for name in ["ben", "cleo"] {
        let shown = recorded_with(&project, name, "(worker_done)");
        assert!(shown.contains("may-not-start"), "{shown}");
        assert!(!shown.contains("reached-"), "{shown}");
        assert!(project.has_revision(&format!("overstory/{name}/t-{name}:{name}.txt")));
        let of_builder = rules(name);
        assert!(
            of_builder
                .iter()
                .any(|path| path.ends_with(&format!("worktrees/{name}")))
        );
        assert!(!of_builder.contains(own_temp.unwrap()), "{of_builder:?}");
    }
    assert!(
        !of_lead
            .iter()
            .any(|path| path.contains("worktrees/anna") && !path.contains(".git/"))
    );
    project.wait_for_state("anna", "completed", LONG);
    assert!(project.state("more").is_none_or(|state| state != "working"));
}

#[test]
fn a_cargo_project_is_built_tested_and_committed_inside_the_sandbox() {
    if !has_landlock() {
        return;
    }
    let mut project = TestProject::initialised();
    use_toolchain(&mut project);
    project.write(
        "Cargo.toml",
        "[package]\nname = \"small\"\nversion = \"0.1.0\"\nedition = \"2021\"\n[workspace]\n",
    );
    project.write(
        "src/lib.rs",
        "pub fn two() -> u32 { 2 }\n#[test]\nfn is_two() { assert_eq!(two(), 2); }\n",
    );
    project.write(
        "build.rs",
        "fn main() { println!(\"cargo:rerun-if-changed=build.rs\"); }\n",
    );
    project.write(".gitignore", "/target\n");
    project.commit_all();
    project.sling_as(
        "builder",
        "rusty",
        "- run: \"cargo build --offline && cargo test --offline && echo tests-passed; echo home=$CARGO_HOME\"\n\
         - write: {path: src/more.rs, content: \"\"}\n- commit: \"Add more\"\n- done: \"built\"\n",
    );
    let shown = recorded_with(&project, "rusty", "(worker_done)");
    assert!(
        shown.contains("1 passed") && shown.contains("tests-passed"),
        "{shown}"
    );
    assert!(shown.contains(".overstory/caches/cargo"), "{shown}");
    assert!(project.has_revision("overstory/rusty/t-rusty:Cargo.lock"));
}

/// Cargo as this test was built by; the project's home knows no toolchain.
fn use_toolchain(project: &mut TestProject) {
    let cargo = std::path::Path::new(env!("CARGO"));
    let folder = cargo.parent().unwrap().display();
    let path = format!("{}:{folder}", project.env()["PATH"]);
    project.set_env("PATH", &path);
}

#[test]
fn an_npm_project_is_installed_built_tested_and_committed_inside_the_sandbox() {
    let runs = |program: &str| {
        std::process::Command::new(program)
            .arg("--version")
            .output()
            .is_ok()
    };
    if !runs("npm") {
        crate::support::skipped("npm is not installed");
        return;
    }
    if !has_landlock() {
        return;
    }
    let project = TestProject::initialised();
    project.write(
        "package.json",
        r#"{"name":"small","version":"1.0.0","scripts":{"build":"cp in.js out.js","test":"node out.js"},"dependencies":{"near":"file:./near"}}"#,
    );
    project.write(
        "near/package.json",
        r#"{"name":"near","version":"1.0.0","main":"i.js"}"#,
    );
    project.write("near/i.js", "module.exports = 'near'\n");
    project.write("in.js", "console.log('from-' + require('near'))\n");
    project.write(".gitignore", "node_modules\n");
    project.commit_all();
    project.sling_as(
        "builder",
        "nora",
        "- run: \"npm install --offline --no-audit --no-fund && npm run build && npm test\"\n\
         - commit: \"Build\"\n- done: \"built\"\n",
    );
    let shown = recorded_with(&project, "nora", "(worker_done)");
    assert!(shown.contains("from-near"), "{shown}");
    assert!(project.has_revision("overstory/nora/t-nora:out.js"));
}

/// Other ways to a stream to that port.
const ROUND_ABOUT: &str = "
try:
    socket.socket(socket.AF_INET, socket.SOCK_STREAM, 262).connect(('127.0.0.1', PORT))
    print('reached-by-mptcp')
except OSError:
    print('refused-mptcp')
try:
    socket.socket().sendto(b'x', socket.MSG_FASTOPEN, ('127.0.0.1', PORT))
    print('reached-by-fast-open')
except OSError:
    print('refused-fast-open')
";

#[test]
fn a_listed_port_is_reached_and_no_other() {
    if !has_landlock() {
        return;
    }
    let project = TestProject::initialised();
    let listen = || TcpListener::bind("127.0.0.1:0").unwrap();
    let (open, shut) = (listen(), listen());
    let port = |listener: &TcpListener| listener.local_addr().unwrap().port();
    project.write(
        ".overstory/config.local.yaml",
        &format!("sandbox:\n  network:\n    - {}\n", port(&open)),
    );
    project.write(
        "dial.py",
        &format!(
            "import socket\nfor name, port in (('open', {}), ('shut', {})):\n    try:\n        socket.create_connection(('127.0.0.1', port), 10)\n        print('reached-' + name)\n    except PermissionError:\n        print('refused-' + name)\n{}",
            port(&open),
            port(&shut),
            ROUND_ABOUT.replace("PORT", &port(&shut).to_string())
        ),
    );
    project.commit_all();
    project.sling_as(
        "builder",
        "dora",
        "- run: \"python3 dial.py\"\n- done: \"dialled\"\n",
    );
    let shown = recorded_with(&project, "dora", "(worker_done)");
    assert!(
        shown.contains("reached-open") && shown.contains("refused-shut"),
        "{shown}"
    );
    assert!(
        shown.contains("refused-mptcp") && shown.contains("refused-fast-open"),
        "{shown}"
    );
}

fn findings(project: &TestProject) -> Vec<(String, String, String)> {
    let report = project
        .grove(&["doctor", "--category", "sandbox", "--json"])
        .json();
    let text =
        |check: &serde_json::Value, key: &str| check[key].as_str().unwrap_or_default().to_owned();
    let checks = report["checks"].as_array().unwrap();
    checks
        .iter()
        .map(|c| {
            (
                text(c, "name"),
                text(c, "status"),
                format!("{} {}", text(c, "message"), c["details"]),
            )
        })
        .collect()
}

#[test]
fn doctor_tries_the_sandbox_of_every_role_and_says_what_is_not_enforced() {
    if !has_landlock() {
        return;
    }
    let project = TestProject::initialised();
    let find = |name: &str| {
        let all = findings(&project);
        all.into_iter()
            .find(|(n, _, _)| n == name)
            .unwrap_or_default()
    };
    let login = project.home().join(".codex/auth.json");
    std::fs::create_dir_all(login.parent().unwrap()).unwrap();
    std::fs::write(&login, "{}").unwrap();
    let (_, status, said) = find("sandbox canary");
    assert_eq!(status, "pass", "{said}");
    assert!(
        said.contains("places of the project, ") && said.contains("hidden files"),
        "{said}"
    );
    for role in [
        "builder",
        "merger",
        "scout",
        "reviewer",
        "lead",
        "monitor",
        "orchestrator",
        "coordinator",
    ] {
        let tried = format!("{role}: writes, reads, attributes, signals, abstract sockets");
        assert!(said.contains(&tried), "{role}: {said}");
    }
    assert_eq!(find("sandbox roles").1, "pass");
    assert_eq!(find("sandbox limits").1, "warn");

    let configure = |text: &str| project.write(".overstory/config.local.yaml", text);
    configure("sandbox:\n  scout: guard\n  lead: off\n  network: [443]\n");
    let (_, status, said) = find("sandbox canary");
    assert_eq!(status, "pass", "{said}");
    assert!(
        said.contains("builder: writes, reads, attributes, signals, abstract sockets, connections"),
        "{said}"
    );
    assert!(!said.contains("scout") && !said.contains("lead:"), "{said}");
    let (_, status, said) = find("sandbox roles");
    assert!(
        status == "warn" && said.contains("scout: guard") && said.contains("lead: off"),
        "{said}"
    );
    assert_eq!(find("sandbox network").1, "pass");
    // What a project opens by its configuration is tried as it is then.
    let hooks = project.home().join("hooks");
    std::fs::create_dir_all(&hooks).unwrap();
    project.git(&["config", "core.hooksPath", hooks.to_str().unwrap()]);
    configure("sandbox:\n  writable:\n    - ~/hooks\n    - ~/.codex\n");
    let (_, status, said) = find("sandbox canary");
    assert_eq!(status, "fail", "{said}");
    let leak = format!(
        "builder does not hold: not refused: writing {}",
        hooks.display()
    );
    assert!(said.contains(&leak), "{said}");
    assert!(
        !said.contains("scout") && !said.contains("auth.json"),
        "{said}"
    );
    assert_eq!(std::fs::read_dir(&hooks).unwrap().count(), 0);
    let (_, status, said) = find("sandbox writable");
    assert!(status == "warn" && said.contains(".codex"), "{said}");
    project.git(&["config", "--unset", "core.hooksPath"]);
    configure("sandbox:\n  network: loopback\n");
    let (_, status, said) = find("sandbox network");
    assert!(
        status == "fail" && said.contains("list the ports"),
        "{said}"
    );
    let left = std::fs::read_dir(project.root().join(".overstory"))
        .unwrap()
        .flatten();
    assert!(
        !left
            .into_iter()
            .any(|entry| entry.file_name().to_string_lossy().contains("canary"))
    );
}

#[test]
fn off_guard_and_strict_are_what_they_say_by_role() {
    if !has_landlock() {
        return;
    }
    let project = TestProject::initialised();
    project.write(
        ".overstory/config.local.yaml",
        "sandbox:\n  default: strict\n  builder: guard\n  merger: off\n",
    );
    project.write("reach.sh", "#!/bin/sh\necho x > \"$OVERSTORY_PROJECT_ROOT/by-script-of-$OVERSTORY_AGENT_NAME\"\ntrue\n");
    project.commit_all();
    let outside = project.root().join("by-tool-of-");
    for (name, role) in [("gus", "builder"), ("otto", "merger"), ("stella", "lead")] {
        let steps = format!(
            "- write: {{path: {}{name}, content: x}}\n- run: \"sh ./reach.sh\"\n- done: \"tried\"\n",
            outside.display()
        );
        project.sling_as(role, name, &steps);
        recorded_with(&project, name, "(worker_done)");
    }
    let made = |name: &str| project.root().join(name).exists();
    assert!(
        !made("by-tool-of-gus"),
        "the guard of a guarded role refuses"
    );
    assert!(made("by-script-of-gus"), "and sees into no script");
    assert!(
        made("by-tool-of-otto") && made("by-script-of-otto"),
        "off is off"
    );
    assert!(
        !made("by-tool-of-stella") && !made("by-script-of-stella"),
        "strict is both"
    );
}
