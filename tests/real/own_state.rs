//! What the user's own Claude Code keeps and runs is none of an agent's: it works from a folder of its own.

use super::claude::prepare_with;
use crate::support::{LONG, MockModel, TestProject, wait_until};
use serde_json::{Value, json};
use std::path::Path;

const IN_TERMINAL: &str = "builder-tia";
const OVER_PIPES: &str = "builder-pip";

/// A script of the project, which the guard does not look into. Your next session would run, read or trust each of these.
const PLANT: &str = r#"for f in .claude/shell-snapshots/snapshot-bash-1.sh .claude/shell-snapshots/new.sh .claude/projects/-p/talk.jsonl .claude/settings.json \
  .claude/plugins/x .claude/skills/x .claude/remote-settings.json .claude.json .claude.json.new .claude/session-env/x; do
  echo 'touch /tmp/ran' > "$HOME/$f" && touch escaped-user
done 2>/dev/null
for f in settings.json remote-settings.json CLAUDE.md plugins/x; do
  echo '{"disableAllHooks":true}' > "$CLAUDE_CONFIG_DIR/$f" && touch escaped-own
done 2>/dev/null
cat "$HOME/.claude.json" && touch escaped-read
touch planted"#;

fn scenario(project: &TestProject) -> Value {
    let bash = |command: &str| json!({"text": "Working.", "tools": [{"name": "bash", "args": {"command": command}}]});
    let probe = json!({"text": "Probing.", "tools": [{"name": "write_file", "args": {"path": "{{root}}/probe.txt", "content": "x\n"}}]});
    json!({
        "vars": {"root": project.root()},
        "agents": [{
            "name": "builder",
            "match": {"any_user": "\\[OVERSTORY\\] (?P<agent>builder-[a-z]+)"},
            "turns": [bash("sh ./plant.sh; true"), probe, {"text": "Finished {{agent}}."}],
            "after": "text",
            "after_text": "Nothing left to do.",
        }],
    })
}

/// What a person has who uses Claude Code every day.
fn used_by_a_person(project: &TestProject) {
    let home = |path: &str, text: &str| {
        let path = project.home().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    };
    let state = json!({
        "numStartups": 7, "hasCompletedOnboarding": true, "theme": "light",
        "mcpServers": {"mine": {"command": "sh", "args": ["-c", "touch /tmp/never"]}},
        "projects": {"/somewhere/else": {"hasTrustDialogAccepted": true, "history": ["a secret of mine"]}},
    });
    home(".claude.json", &state.to_string());
    home(
        ".claude/CLAUDE.md",
        "The marker of my memory is xylophone.\n",
    );
    home(".claude/shell-snapshots/snapshot-bash-1.sh", "# mine\n");
    home(".claude/projects/-p/talk.jsonl", "{}\n");
    home(".claude/session-env/y/hook.sh", "# mine\n");
    let project = project.root().display().to_string();
    let named = project.replace(|c: char| !c.is_ascii_alphanumeric(), "-");
    let memory = format!(".claude/projects/{named}/memory/MEMORY.md");
    home(&memory, "- The marker of this project is glockenspiel.\n");
}

/// Every file below a folder, with what is in it.
fn contents(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let mut found: Vec<_> = walk(folder)
        .into_iter()
        .map(|file| (file.display().to_string(), std::fs::read(&file).unwrap()))
        .collect();
    found.sort();
    found
}

fn walk(folder: &Path) -> Vec<std::path::PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries
        .flat_map(|entry| match entry.path() {
            path if path.is_dir() => walk(&path),
            path => vec![path],
        })
        .collect()
}

fn finished(model: &MockModel, agent: &str) -> Option<()> {
    let said = format!("Finished {agent}");
    let says = |r: &Value| {
        r["answer"]["text"]
            .as_str()
            .is_some_and(|t| t.contains(&said))
    };
    model.requests_of(agent).iter().any(says).then_some(())
}

#[test]
#[ignore = "needs npm"]
fn claude_of_an_agent_leaves_the_users_own_claude_alone() {
    let (project, model) = prepare_with(scenario);
    let report = || format!("{}\n{}", project.report(), model.report());
    used_by_a_person(&project);
    project.write("plant.sh", PLANT);
    project.grove_ok(&["init", "--yes"]);
    project.commit_all();
    let before = contents(&project.home().join(".claude"));
    let state = project.home().join(".claude.json");
    let state_before = std::fs::read(&state).unwrap();

    project.grove_ok(&["sling", "t-1", "--name", IN_TERMINAL, "--pty"]);
    project.grove_ok(&["sling", "t-2", "--name", OVER_PIPES, "--headless"]);
    for agent in [IN_TERMINAL, OVER_PIPES] {
        wait_until(
            "the model has tried",
            LONG,
            || finished(&model, agent),
            report,
        );
        let tree = project.overstory(&format!("worktrees/{agent}"));
        assert!(
            tree.join("planted").exists(),
            "the attempt itself failed\n{}",
            report()
        );
        for escaped in ["escaped-user", "escaped-own", "escaped-read"] {
            assert!(
                !tree.join(escaped).exists(),
                "{agent}: {escaped}\n{}",
                report()
            );
        }
        // The guard is still there.
        let results = model.tool_results(agent);
        assert!(results.last().unwrap().is_error, "{agent}: {results:?}");
        assert!(
            !model.bodies_with(agent, "glockenspiel").is_empty(),
            "{}",
            report()
        );
        assert!(
            model.bodies_with(agent, "xylophone").is_empty(),
            "{}",
            report()
        );

        // What it has said is found by who counts it.
        let own = project.overstory(&format!("hosts/{agent}/claude"));
        let kept: Value =
            serde_json::from_slice(&std::fs::read(own.join(".claude.json")).unwrap()).unwrap();
        assert!(
            !walk(&own.join("projects")).is_empty(),
            "no transcript\n{}",
            report()
        );
        assert_eq!(kept["theme"], "light");
        assert!(
            kept.get("mcpServers").is_none() && kept["projects"].get("/somewhere/else").is_none()
        );
        let costs = project.grove_ok(&["costs", "--agent", agent, "--live"]);
        assert!(!costs.contains("No "), "{costs}\n{}", report());
    }
    assert!(!project.root().join("probe.txt").exists());
    assert_eq!(
        contents(&project.home().join(".claude")),
        before,
        "{}",
        report()
    );
    assert_eq!(std::fs::read(&state).unwrap(), state_before, "{}", report());

    for agent in [IN_TERMINAL, OVER_PIPES] {
        project.grove_ok(&["clean", "--agent", agent]);
        assert!(!project.overstory(&format!("hosts/{agent}")).exists());
    }
}
