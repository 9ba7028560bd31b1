//! The configuration as a whole: layers, defaults, round trips, refusals.

use std::path::{Path, PathBuf};

use super::*;

fn load_text(text: &str) -> Result<LoadedConfig, ConfigError> {
    parse(
        Path::new("/p/demo"),
        &[(PathBuf::from("config.yaml"), text.to_owned())],
    )
}

fn rejected(text: &str) -> String {
    let error = load_text(text).unwrap_err();
    assert_eq!(error.code(), "VALIDATION_ERROR");
    error.to_string()
}

fn initial(gates: &[QualityGate]) -> String {
    render_initial(&InitialConfig {
        name: "demo",
        root: Path::new("/p/demo"),
        canonical_branch: "trunk",
        runtime: "claude",
        quality_gates: gates,
    })
}

#[test]
fn no_file_means_defaults() {
    let loaded = parse(Path::new("/p/demo"), &[]).unwrap();
    assert_eq!(loaded.config.project.name, "demo");
    assert_eq!(loaded.config.agents, AgentsConfig::default());
    assert!(loaded.notices.is_empty());
}

#[test]
fn what_init_writes_reads_back_as_the_defaults() {
    let defaults = Config::default().project.quality_gates;
    let loaded = load_text(&initial(&defaults)).unwrap();
    let mut expected = Config::default();
    expected.project.name = "demo".into();
    expected.project.root = "/p/demo".into();
    expected.project.canonical_branch = "trunk".into();
    expected.runtime.claude_headless_by_default = Some(true);
    assert_eq!(loaded.config, expected);
}

#[test]
fn no_gates_are_written_as_an_empty_list() {
    let text = initial(&[]);
    assert!(text.contains("  qualityGates: []\n"), "{text}");
    assert!(
        load_text(&text)
            .unwrap()
            .config
            .project
            .quality_gates
            .is_empty()
    );
}

#[test]
fn awkward_gate_commands_survive_the_round_trip() {
    let gate = |command: &str| QualityGate {
        name: "1st".into(),
        command: command.into(),
        description: "it's: so".into(),
    };
    let gates = [
        gate("sh -c \"a # b\""),
        gate("- x: y"),
        gate("true"),
        gate("echo 'q'"),
    ];
    assert_eq!(
        load_text(&initial(&gates))
            .unwrap()
            .config
            .project
            .quality_gates,
        gates
    );
}

#[test]
fn local_file_is_laid_over_the_shared_one() {
    let layers = [
        (
            PathBuf::from("config.yaml"),
            "agents:\n  maxConcurrent: 5\n  maxDepth: 1\nmulch:\n  domains:\n    - a\n    - b\n"
                .to_owned(),
        ),
        (
            PathBuf::from("config.local.yaml"),
            "agents:\n  maxConcurrent: 3\nmulch:\n  domains:\n    - c\nproject:\n  name: mine\n"
                .to_owned(),
        ),
    ];
    let config = parse(Path::new("/p/demo"), &layers).unwrap().config;
    assert_eq!(
        (config.agents.max_concurrent, config.agents.max_depth),
        (3, 1)
    );
    assert_eq!(config.mulch.domains, ["c"]);
    assert_eq!(config.project.name, "mine");
}

#[test]
fn out_of_range_values_name_key_and_line() {
    assert_eq!(
        rejected("agents:\n  maxConcurrent: 0\n"),
        "agents.maxConcurrent must be a positive integer (config.yaml:2)"
    );
    for (text, key) in [
        ("agents:\n  maxDepth: 1.5\n", "agents.maxDepth"),
        ("agents:\n  staggerDelayMs: -1\n", "agents.staggerDelayMs"),
        ("watchdog:\n  rpcTimeoutMs: 10\n", "watchdog.rpcTimeoutMs"),
        (
            "watchdog:\n  zombieThresholdMs: 300_000\n",
            "watchdog.zombieThresholdMs",
        ),
        (
            "watchdog:\n  tier0Enabled: true\n  tier1Enabled: true\n",
            "watchdog.triageTimeoutMs",
        ),
        (
            "watchdog:\n  maxEscalationLevel: 6\n",
            "watchdog.maxEscalationLevel",
        ),
        ("taskTracker:\n  backend: jira\n", "taskTracker.backend"),
        ("merge:\n  onDisplaced: never\n", "merge.onDisplaced"),
        ("mulch:\n  enabled: maybe\n", "mulch.enabled"),
        ("mulch:\n  domains: [a, b]\n", "mulch.domains"),
        ("agents: many\n", "agents"),
        (
            "providers:\n  mine:\n    type: gateway\n",
            "providers.mine.baseUrl",
        ),
        (
            "project:\n  qualityGates:\n    - name: x\n",
            "project.qualityGates[0].command",
        ),
        ("models:\n  builder: gpt\n", "models.builder"),
        ("models:\n  builder: other/gpt\n", "models.builder"),
    ] {
        let message = rejected(text);
        assert!(message.starts_with(key), "{text:?}: {message}");
    }
}

#[test]
fn models_may_name_known_providers_and_codex_takes_any() {
    let gateway = "providers:\n  mine:\n    type: gateway\n    baseUrl: http://x\n    authTokenEnv: T\nmodels:\n  lead: mine/big\n  builder: mine/big\n";
    let loaded = load_text(gateway).unwrap();
    assert_eq!(loaded.config.model_for("lead"), Some("mine/big"));
    assert_eq!(
        loaded.notices.len(),
        1,
        "only builder and scout are warned about"
    );
    assert!(load_text("runtime:\n  default: codex\nmodels:\n  lead: gpt-5\n").is_ok());
}

#[test]
fn deprecated_keys_move_and_are_named() {
    let loaded = load_text("watchdog:\n  tier1Enabled: true\n  tier1IntervalMs: 45000\n  tier2Enabled: false\nbeads:\n  enabled: false\n").unwrap();
    let config = loaded.config;
    assert!(config.watchdog.tier0_enabled && !config.watchdog.tier1_enabled);
    assert_eq!(config.watchdog.tier0_interval_ms, 45_000);
    assert_eq!(
        config.task_tracker,
        TaskTrackerConfig {
            backend: TrackerBackend::Beads,
            enabled: false
        }
    );
    assert_eq!(loaded.notices.len(), 4);
    assert!(
        loaded
            .notices
            .iter()
            .all(|line| line.starts_with("[overstory] DEPRECATED: "))
    );
}

#[test]
fn odd_runtime_values_warn_and_fall_back() {
    let loaded = load_text(
        "runtime:\n  default: 5\n  shellInitDelayMs: soon\n  claudeHeadlessByDefault: perhaps\n",
    )
    .unwrap();
    assert_eq!(loaded.config.runtime, RuntimeConfig::default());
    assert_eq!(loaded.notices.len(), 3);
}
