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
        "agents.maxConcurrent must be a positive integer, not \"0\" (config.yaml:2)"
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
    assert_eq!(
        loaded.notices,
        [
            "[overstory] DEPRECATED: watchdog.tier1Enabled → use watchdog.tier0Enabled",
            "[overstory] DEPRECATED: watchdog.tier1IntervalMs → use watchdog.tier0IntervalMs",
            "[overstory] DEPRECATED: watchdog.tier2Enabled → use watchdog.tier1Enabled",
            "[overstory] DEPRECATED: beads: -> use taskTracker: { backend: beads, enabled: true }",
        ]
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

#[test]
fn unknown_keys_are_named_with_what_was_probably_meant() {
    let loaded = load_text(
        "agents:\n  maxConcurent: 5\n  colour: red\nmodels:\n  my-role: opus\nproviders:\n  own:\n    type: native\n    baseUrl: x\nextra:\n  deep: 1\nproject:\n  root: /elsewhere\n  qualityGates:\n    - name: a\n      command: b\n      description: c\n      timeout: 5\n",
    )
    .unwrap();
    assert_eq!(
        loaded.notices,
        [
            "[overstory] WARNING: config.yaml:2: unknown key agents.maxConcurent; did you mean agents.maxConcurrent?",
            "[overstory] WARNING: config.yaml:3: unknown key agents.colour",
            "[overstory] WARNING: config.yaml:10: unknown key extra",
            "[overstory] WARNING: config.yaml:18: unknown key project.qualityGates[0].timeout",
        ]
    );
    assert_eq!(loaded.config.agents, AgentsConfig::default());
}

#[test]
fn every_default_that_init_writes_is_a_known_key() {
    let text = initial(&Config::default().project.quality_gates);
    assert_eq!(load_text(&text).unwrap().notices, [""; 0]);
}

#[test]
fn every_refusal_names_key_value_and_what_is_allowed() {
    for (text, message) in [
        (
            "agents:\n  maxAgentsPerLead: -1\n",
            "agents.maxAgentsPerLead must be a non-negative integer (0 = unlimited), not \"-1\"",
        ),
        (
            "watchdog:\n  triageTimeoutMs: 1\n",
            "watchdog.triageTimeoutMs must be between 5000 and 120000, not \"1\"",
        ),
        (
            "watchdog:\n  tier0IntervalMs: 0\n",
            "watchdog.tier0IntervalMs must be positive when tier0 is enabled, not \"0\"",
        ),
        (
            "watchdog:\n  notifyParentOnDeath: yes\n",
            "watchdog.notifyParentOnDeath must be true or false, not \"yes\"",
        ),
        (
            "coordinator:\n  exitTriggers:\n    allAgentsDone: 1\n",
            "coordinator.exitTriggers.allAgentsDone must be true or false, not \"1\"",
        ),
        (
            "mulch:\n  primeFormat: yaml\n",
            "mulch.primeFormat must be one of: markdown, xml, json, not \"yaml\"",
        ),
        (
            "providers:\n  x:\n    type: other\n",
            "providers.x.type must be one of: native, gateway, not \"other\"",
        ),
        (
            "providers:\n  x:\n    type: gateway\n    baseUrl: u\n",
            "providers.x.authTokenEnv must be a non-empty string, and is missing",
        ),
        (
            "project:\n  canonicalBranch: ''\n",
            "project.canonicalBranch must be a non-empty string, not \"\"",
        ),
        (
            "runtime:\n  capabilities:\n    builder: ''\n",
            "runtime.capabilities.builder must be a non-empty string, not \"\"",
        ),
        (
            "runtime:\n  pi:\n    provider: ''\n",
            "runtime.pi.provider must be a non-empty string, not \"\"",
        ),
        (
            "models:\n  lead: gpt\n",
            "models.lead must be one of: sonnet, opus, haiku, or provider/model, not \"gpt\"",
        ),
        (
            "watchdog:\n  staleThresholdMs: 700_000\n",
            "watchdog.zombieThresholdMs must be greater than staleThresholdMs (600000 is not greater than 700000)",
        ),
        (
            "watchdog:\n  tier0Enabled: true\n  tier1Enabled: true\n",
            "watchdog.triageTimeoutMs must be less than tier0IntervalMs when tier1 is enabled (30000 is not less than 30000)",
        ),
    ] {
        let refusal = rejected(text);
        assert!(refusal.starts_with(message), "{text:?}: {refusal}");
    }
}

proptest::proptest! {
    /// Whatever a file holds, it is read or refused; it never ends the program.
    #[test]
    fn any_text_is_read_or_refused(text in "(\\PC{0,20}[\n\t]|[a-z]{1,9}:[ \t]?(\\PC{0,12})?\n|[ \t]{0,6}- \\PC{0,8}\n){0,30}") {
        match load_text(&text) {
            Ok(loaded) => proptest::prop_assert!(loaded.config.project.name.len() < 1000),
            Err(error) => proptest::prop_assert!(!error.to_string().is_empty()),
        }
    }

    /// Known keys with any value: a typed value, a warning or a refusal that names the key.
    #[test]
    fn any_value_of_a_known_key_is_taken_or_refused_by_name(
        key in proptest::sample::select(vec!["maxConcurrent", "staggerDelayMs", "maxDepth", "maxSessionsPerRun", "maxAgentsPerLead"]),
        value in "[-0-9_.a-z\"'~ ]{0,12}",
    ) {
        if let Err(error) = load_text(&format!("agents:\n  {key}: {value}\n")) {
            let text = error.to_string();
            proptest::prop_assert!(text.contains(key) || text.contains("config.yaml:"), "{}", text);
        }
    }

    /// What `init` writes is what is read, whatever the project is called. A text with both kinds
    /// of quotes cannot be written in the subset and is left out.
    #[test]
    fn what_init_writes_is_what_is_read(
        name in "\\PC{1,20}", branch in "[a-zA-Z0-9/._#@-]{1,20}", command in "\\PC{1,30}",
    ) {
        let both = |text: &str| text.contains('"') && text.contains('\'');
        let writable = |text: &str| !both(text) && !text.trim().is_empty();
        proptest::prop_assume!(writable(&name) && writable(&command));
        let gates = [QualityGate { name: "Tests".into(), command: command.clone(), description: "d".into() }];
        let text = render_initial(&InitialConfig {
            name: &name,
            root: Path::new("/p/demo"),
            canonical_branch: &branch,
            runtime: "claude",
            quality_gates: &gates,
        });
        let loaded = load_text(&text).unwrap();
        proptest::prop_assert_eq!(&loaded.config.project.name, &name);
        proptest::prop_assert_eq!(&loaded.config.project.canonical_branch, &branch);
        proptest::prop_assert_eq!(&loaded.config.project.quality_gates, &gates);
        proptest::prop_assert_eq!(loaded.notices, Vec::<String>::new());
    }
}
