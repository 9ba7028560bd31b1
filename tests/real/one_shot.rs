//! Every agent CLI that npm has is asked to merge: a real conflict, the real program in its one-shot
//! mode, the scripted model on loopback, and what lands.

use crate::claude::claude;
use crate::support::{MockModel, TestProject};
use serde_json::json;
use std::path::PathBuf;
use std::process::Command;

const KEY: &str = "sk-test-dummy-0123456789abcdefghij";
/// Both sides' lines: nothing of either is given up.
const MERGED: &str = "one\ngood day\nhi there\nthree\n";

/// The folder that `scripts/install-agents` has printed.
fn programs() -> PathBuf {
    if let Some(path) = std::env::var_os("GROVE_TEST_AGENTS") {
        return PathBuf::from(path);
    }
    let script = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("scripts/install-agents");
    let output = Command::new(script).output().unwrap();
    assert!(output.status.success(), "scripts/install-agents failed");
    PathBuf::from(String::from_utf8(output.stdout).unwrap().trim())
}

/// A project in which `main` and `overstory/ann/t-1` have changed the same line.
fn contested(runtime: &str, model: &str) -> TestProject {
    let project = TestProject::new();
    project.write("words.txt", "one\nhello\nthree\n");
    project.git(&["add", "-A"]);
    project.git(&["commit", "-q", "-m", "Greet"]);
    project.git(&["checkout", "-q", "-b", "overstory/ann/t-1"]);
    project.write("words.txt", "one\nhi there\nthree\n");
    project.git(&["commit", "-qam", "Greet warmly"]);
    project.git(&["checkout", "-q", "main"]);
    project.write("words.txt", "one\ngood day\nthree\n");
    project.git(&["commit", "-qam", "Greet formally"]);
    project.grove_ok(&["init", "--yes"]);
    let config = format!(
        "runtime:\n  printCommand: {runtime}\nproviders:\n  mock:\n    type: native\nmodels:\n  merger: {model}\n"
    );
    project.write(".overstory/config.local.yaml", &config);
    project
}

fn lands_with(runtime: &str, program: &str, model_name: &str) {
    let mut project = contested(runtime, model_name);
    let model = MockModel::start(&json!({
        "agents": [{
            "name": "merger", "match": {"any_user": "words\\.txt"}, "tools": "any",
            "turns": [{"text": MERGED}], "after": "repeat_last",
        }],
    }));
    let url = model.url().to_owned();
    let programs = programs();
    match program {
        "claude" => project.install(&claude(), program),
        _ => project.install(&programs.join(program), program),
    }
    project.install(&programs.join("bun"), "bun");
    let opencode = json!({
        "model": "mock/mock-model",
        "provider": {"mock": {
            "npm": "@ai-sdk/openai-compatible",
            "options": {"baseURL": format!("{url}/v1"), "apiKey": KEY},
            "models": {"mock-model": {}},
        }},
    });
    let codex_home = project.home().join("codex");
    for (name, value) in [
        ("ANTHROPIC_BASE_URL", url.as_str()),
        ("ANTHROPIC_API_KEY", KEY),
        ("MOCK_API_KEY", KEY),
        ("CODEX_HOME", codex_home.to_str().unwrap()),
        ("GEMINI_API_KEY", KEY),
        ("GOOGLE_GEMINI_BASE_URL", &url),
        ("OPENCODE_CONFIG_CONTENT", &opencode.to_string()),
        ("npm_config_fetch_retries", "0"),
        ("COPILOT_OFFLINE", "true"),
        ("COPILOT_PROVIDER_BASE_URL", &format!("{url}/v1")),
        ("COPILOT_PROVIDER_TYPE", "openai"),
        ("COPILOT_PROVIDER_API_KEY", KEY),
        ("COPILOT_MODEL", "mock-model"),
    ] {
        project.set_env(name, value);
    }
    for quiet in [
        "DISABLE_AUTOUPDATER",
        "DISABLE_TELEMETRY",
        "DISABLE_ERROR_REPORTING",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC",
        "OPENCODE_DISABLE_AUTOUPDATE",
        "OPENCODE_DISABLE_MODELS_FETCH",
        "OPENCODE_DISABLE_LSP_DOWNLOAD",
        "PI_OFFLINE",
        "PI_SKIP_VERSION_CHECK",
    ] {
        project.set_env(quiet, "1");
    }
    project.set_env("COPILOT_AUTO_UPDATE", "false");
    let home = |path: &str, text: &str| {
        let path = project.home().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    };
    home(
        "codex/config.toml",
        &format!(
            "model_provider=\"mock\"\ncheck_for_update_on_startup=false\n[model_providers.mock]\nname=\"mock\"\n\
             base_url=\"{url}/v1\"\nenv_key=\"MOCK_API_KEY\"\nwire_api=\"responses\"\n[analytics]\nenabled=false\n"
        ),
    );
    home(
        ".gemini/settings.json",
        &json!({
            "security": {"auth": {"selectedType": "gemini-api-key"}},
            "general": {"enableAutoUpdate": false},
            "privacy": {"usageStatisticsEnabled": false},
        })
        .to_string(),
    );
    home(
        ".pi/agent/models.json",
        &json!({"providers": {"mock": {
            "baseUrl": format!("{url}/v1"), "api": "openai-completions", "apiKey": "MOCK_API_KEY",
            "models": [{"id": "mock-model"}],
        }}})
        .to_string(),
    );

    let merged = project.grove(&["merge", "--branch", "overstory/ann/t-1", "--json"]);
    let said = format!("{runtime}: {merged:?}\n{}", model.report());
    assert_eq!(merged.code, Some(0), "{said}");
    assert_eq!(merged.json()["tier"], "ai-resolve", "{said}");
    assert_eq!(project.git(&["show", "main:words.txt"]), MERGED.trim_end());
    if runtime == "claude" && cfg!(target_os = "linux") {
        // What it keeps for a question goes with it.
        for kept in [".claude", ".claude.json"] {
            assert!(!project.home().join(kept).exists(), "{kept}: {said}");
        }
    }
    // The question and its answer are all there was: no tool was called.
    assert!(!model.requests().is_empty(), "{said}");
}

#[test]
#[ignore = "needs npm"]
fn claude_answers_a_conflict() {
    lands_with("claude", "claude", "sonnet");
}

#[test]
#[ignore = "needs npm"]
fn codex_answers_a_conflict() {
    lands_with("codex", "codex", "mock/mock-model");
}

#[test]
#[ignore = "needs npm"]
fn copilot_answers_a_conflict() {
    lands_with("copilot", "copilot", "mock/mock-model");
}

#[test]
#[ignore = "needs npm"]
fn gemini_answers_a_conflict() {
    lands_with("gemini", "gemini", "mock/mock-model");
}

#[test]
#[ignore = "needs npm"]
fn opencode_answers_a_conflict() {
    lands_with("opencode", "opencode", "mock/mock-model");
}

#[test]
#[ignore = "needs npm"]
fn pi_answers_a_conflict() {
    lands_with("pi", "pi", "mock/mock-model");
}

#[test]
#[ignore = "needs npm"]
fn sapling_answers_a_conflict() {
    lands_with("sapling", "sp", "sonnet");
}
