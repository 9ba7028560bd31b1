//! What an agent used is known while it runs and after it has ended, in a terminal and over pipes.

use crate::support::{SHORT, TestProject, wait_until};

/// Stands in for the CLI: reports one tool call, writes its transcript, waits, then ends a turn.
const CLAUDE: &str = r#"
kept="${CLAUDE_CONFIG_DIR:-$HOME/.claude}"
mkdir -p "$kept/projects/p"
transcript="$kept/projects/p/conversation.jsonl"
hook() { printf '{"session_id":"c1","transcript_path":"%s","tool_name":"Read"}' "$transcript" | grove hook "$1" >/dev/null; }
hook session-start
case "$*" in *stream-json*) echo '{"type":"system","subtype":"init","session_id":"c1","model":"claude-sonnet-4"}';; esac
line='{"type":"assistant","message":{"id":"m1","model":"claude-sonnet-4","usage":{"input_tokens":100,"output_tokens":OUT,"cache_read_input_tokens":3,"cache_creation_input_tokens":4}}}'
echo "$line" | sed 's/OUT/1/' > "$transcript"
hook post-tool
until [ -e "GO" ]; do sleep 0.05; done
echo "$line" | sed 's/OUT/20/' >> "$transcript"
case "$*" in *stream-json*) echo '{"type":"result","subtype":"success","is_error":false,"result":"ok","num_turns":1,"duration_ms":5,"usage":{"input_tokens":100,"output_tokens":20,"cache_read_input_tokens":3,"cache_creation_input_tokens":4},"total_cost_usd":0.25,"modelUsage":{"claude-sonnet-4":{}}}';; esac
"#;

fn meters(mode: &str, cost: f64) {
    let project = TestProject::initialised();
    let go = project.beside().join("go");
    project.install_script(
        "claude",
        &CLAUDE.replace("\"GO\"", &format!("'{}'", go.display())),
    );
    let slung = project
        .grove(&["sling", "t-1", "--name", "ann", mode, "--json"])
        .json();
    let state = slung["initialTurnFinalState"].as_str();
    if mode == "--headless" {
        // It may have gone on meanwhile; it is never a state that it cannot have been in.
        let may_be = ["working", "in_turn", "between_turns"];
        assert!(state.is_some_and(|s| may_be.contains(&s)), "{slung}");
    } else {
        assert_eq!(state, None, "{slung}");
    }
    let live = wait_until(
        "a snapshot is taken while the agent runs",
        SHORT,
        || {
            let live = project.grove(&["costs", "--live", "--json"]).json();
            live["agents"].as_array().filter(|a| !a.is_empty())?;
            Some(live)
        },
        || project.report(),
    );
    assert_eq!(live["agents"][0]["agentName"], "ann");
    assert_eq!(live["agents"][0]["inputTokens"], 100, "{live}");
    assert_eq!(live["agents"][0]["modelUsed"], "claude-sonnet-4");
    std::fs::write(&go, "").unwrap();
    if mode == "--headless" {
        // A CLI over pipes stays for the next turn; the stand-in ends with its first.
        wait_until(
            "the turn's own cost is stored",
            SHORT,
            || {
                let rows = project.sql(
                    "metrics.db",
                    "SELECT 1 FROM token_snapshots WHERE estimated_cost_usd = 0.25",
                );
                (!rows.is_empty()).then_some(())
            },
            || project.report(),
        );
    }
    let costs = wait_until(
        "the session's metrics are stored",
        SHORT,
        || {
            let costs = project.grove(&["costs", "--json"]).json();
            costs["sessions"].as_array().filter(|s| !s.is_empty())?;
            Some(costs)
        },
        || project.report(),
    );
    let session = &costs["sessions"][0];
    assert_eq!(session["agentName"], "ann");
    assert_eq!(session["taskId"], "t-1");
    assert_eq!(session["exitCode"], 0);
    for (field, tokens) in [
        ("inputTokens", 100),
        ("outputTokens", 20),
        ("cacheReadTokens", 3),
        ("cacheCreationTokens", 4),
    ] {
        assert_eq!(session[field], tokens, "{session}");
    }
    let said = session["estimatedCostUsd"].as_f64().unwrap();
    assert!((said - cost).abs() < 1e-9, "{session}");
    let status = project.grove(&["status", "--json"]).json();
    assert_eq!(status["recentMetricsCount"], 1);
    let metrics = project.grove(&["metrics", "--json"]).json();
    assert_eq!(metrics["sessions"], costs["sessions"]);
}

#[test]
fn an_agent_over_pipes_is_metered() {
    meters("--headless", 0.25);
}

#[test]
fn an_agent_in_a_terminal_is_metered_by_its_transcript() {
    // 100 and 20 and 3 and 4 tokens at 3, 15, 0.3 and 0.75 dollars per million.
    meters("--pty", 0.000_603_9);
}
