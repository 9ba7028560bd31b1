//! A model that keeps its hook from answering: it was killed, stopped, or cannot be started. What the guard has not allowed
//! does not happen, also where the sandbox would let it.

use super::claude::prepare_with;
use crate::support::{LONG, TestProject, wait_until};
use serde_json::{Value, json};

/// Signals every hook of this agent as soon as there is one.
const KILLER: &str = r#"cat > killer.py <<'PY'
import os, signal, sys, time
end = time.time() + 60
seen = set()
while time.time() < end:
    for name in os.listdir("/proc"):
        if not name.isdigit() or name in seen: continue
        try: line = open(f"/proc/{name}/cmdline", "rb").read()
        except OSError: continue
        if b"hook" in line and b"pre-tool" in line:
            try: os.kill(int(name), signal.SIGKILL)
            except OSError: pass
PY
setsid python3 killer.py > /dev/null 2>&1 < /dev/null & true"#;

/// Tries to take from the CLI what it needs to start any program.
const STARVE: &str = r#"h=$$
until tr '\0' ' ' < /proc/$h/cmdline | grep -q 'permission-mode'; do h=$(cut -d' ' -f4 /proc/$h/stat); done
prlimit --pid "$h" --stack=1:"#;

fn tools(script: &str) -> Vec<Value> {
    let write = |n: usize| {
        let path = format!("{{{{root}}}}/.git/objects/by-guard-{n}");
        json!({"name": "write_file", "args": {"path": path, "content": "x\n"}})
    };
    let attack = json!({"name": "bash", "args": {"command": format!("sh ./{script}")}});
    [attack].into_iter().chain((0..4).map(write)).collect()
}

/// `attack_fails`: it is refused by the system itself.
fn is_refused_with(name: &str, text: &str, attack_fails: bool) {
    let (project, model) = prepare_with(|project: &TestProject| {
        let each = tools(name)
            .into_iter()
            .map(|tool| json!({"text": "Attacking.", "tools": [tool]}));
        let turns: Vec<Value> = each
            .chain([json!({"text": "Finished attacking."})])
            .collect();
        json!({
            "vars": {"root": project.root()},
            "agents": [{"name": "mallory", "match": {"any_user": "\\[OVERSTORY\\] mallory "}, "turns": turns, "after": "text", "after_text": "Nothing left."}]
        })
    });
    let report = || format!("{}\n{}", project.report(), model.report());
    project.write(name, text);
    project.grove_ok(&["init", "--yes"]);
    project.commit_all();
    project.grove_ok(&["sling", "t-1", "--name", "mallory", "--headless"]);
    let said = |r: &Value| {
        let text = r.pointer("/answer/text").and_then(Value::as_str);
        text.is_some_and(|text| text.contains("Finished attacking"))
    };
    wait_until(
        "the model has tried everything",
        LONG,
        || model.requests_of("mallory").iter().any(said).then_some(()),
        report,
    );
    let results = model.tool_results("mallory");
    assert!(results.len() >= 5, "{results:#?}");
    let attack = results.first();
    assert!(
        attack.is_some_and(|it| it.is_error == attack_fails),
        "the attack went otherwise: {results:#?}"
    );
    for n in 0..4 {
        let file = project.root().join(format!(".git/objects/by-guard-{n}"));
        assert!(!file.exists(), "{n}: {results:#?}\n{}", report());
    }
    project.grove_ok(&["stop", "mallory"]);
}

fn sandbox_refuses_limits() -> bool {
    std::fs::read_to_string("/proc/sys/kernel/seccomp/actions_avail")
        .is_ok_and(|actions| actions.contains("user_notif"))
}

#[test]
#[ignore = "needs npm"]
fn a_hook_that_is_killed_allows_nothing() {
    is_refused_with("killer.sh", KILLER, false);
}

#[test]
#[ignore = "needs npm"]
fn a_cli_cannot_be_kept_from_starting_its_hooks() {
    is_refused_with("starve.sh", STARVE, sandbox_refuses_limits());
}
