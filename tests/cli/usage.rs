//! Mistakes on the command line, and options that every command has.

use crate::support::{SHORT, ScreenProcess, TestProject};

#[test]
fn a_refusal_says_error_once_in_json() {
    let mut project = TestProject::initialised();
    project.set_env("TERM", "xterm");
    for args in [&["dashboard", "--json"][..], &["attach", "a", "--json"]] {
        let refused = project.grove(args);
        assert_eq!(refused.code, Some(1), "{refused:#?}");
        let error = refused.json()["error"].to_string();
        assert!(error.contains("needs a terminal"), "{error}");
        assert!(!error.contains("error:"), "{error}");
    }
}

#[test]
fn what_needs_a_project_says_so_and_a_number_is_too_large_everywhere() {
    let project = TestProject::initialised();
    let folder = TestProject::bare_folder();
    let said = |args: &[&str]| {
        let refused = folder.grove(args);
        assert_eq!(refused.code, Some(1), "{refused:#?}");
        refused.stderr
    };
    let added = said(&["group", "add", "g", "t"]);
    assert_eq!(said(&["group", "remove", "g", "t"]), added);
    assert!(!added.contains("lock"), "{added}");
    let last = ["metrics", "--last", "99999999999999999999999"];
    for refused in [said(&last), project.grove(&last).stderr] {
        assert!(refused.contains("--last is too large"), "{refused}");
    }
}

#[test]
fn mistakes_get_one_line_and_exit_code_one() {
    let project = TestProject::initialised();
    for (args, words) in [
        (&["stats"][..], "Did you mean 'status'?"),
        (
            &["mail", "send", "--to", "x"],
            "error: required option '--subject <text>' not specified",
        ),
        (
            &["task", "create", "x", "--titel", "x"],
            "(Did you mean --title?)",
        ),
        (
            &["mail", "send", "--bogus"],
            "error: required option '--to <agent>' not specified",
        ),
        (
            &["mail", "send", "x"],
            "error: required option '--to <agent>' not specified",
        ),
        (
            &["mail", "reply", "--bogus"],
            "error: required option '--body <text>' not specified",
        ),
        (
            &["mail", "reply", "--body", "x", "--bogus"],
            "error: unknown option '--bogus'",
        ),
        (
            &["supervisor", "start", "--bogus"],
            "error: required option '--task <",
        ),
        (&["trace"], "error: missing required argument 'target'"),
        (&["status", "--xyzzy"], "error: unknown option '--xyzzy'"),
        (&["agents", "disover"], "(Did you mean discover?)"),
        (
            &["inspect", "a", "b"],
            "error: too many arguments for 'inspect'. Expected 1 argument but got 2.",
        ),
        (
            &["status", "--interval", "5"],
            "--interval must be a number >= 500 (milliseconds)",
        ),
        (&["spec", "write", "../x", "--body", "y"], "task id '../x'"),
        (
            &["status", "--project", "/nowhere"],
            "is not an overstory project",
        ),
        (&["completions", "tcsh"], "Valid shells: bash, zsh, fish"),
        (&["mail", "snd"], "(Did you mean send?)"),
        (&["run", "lst"], "(Did you mean list?)"),
        (&["group", "statsu", "x"], "(Did you mean status?)"),
        (
            &["sling", "t", "--depth", "-1"],
            "Error [VALIDATION_ERROR]: --depth must be a non-negative integer\n",
        ),
        (
            &["sling", "t", "--max-agents", "x"],
            "--max-agents must be a non-negative integer",
        ),
        (
            &[
                "sling",
                "t",
                "--dispatch-max-agents",
                "99999999999999999999",
            ],
            "--dispatch-max-agents is too large: 99999999999999999999; the largest is 9223372036854775807",
        ),
        (
            &["task", "list", "--limit", "x"],
            "--limit must be a non-negative integer",
        ),
        (
            &["costs", "--last", "99999999999999999999"],
            "--last is too large: 99999999999999999999",
        ),
        (
            &["mail", "check", "--debounce", "99999999999999999999"],
            "--debounce is too large: 99999999999999999999",
        ),
        (
            &["expertise", "prime", "--budget", "-1"],
            "--budget must be a positive integer",
        ),
    ] {
        let done = project.grove(args);
        assert_eq!(done.code, Some(1), "{args:?}: {done:#?}");
        assert!(done.stderr.contains(words), "{args:?}: {done:#?}");
        assert!(done.stdout.is_empty(), "{args:?}: {done:#?}");
    }
}

/// Behind `--` nothing is a command or an option, and what nobody can see is quoted.
#[test]
fn words_that_mean_nothing_where_they_stand_are_named_with_what_to_do() {
    let project = TestProject::initialised();
    for (args, line) in [
        (
            &["--", "status"][..],
            "error: 'status' is no command behind '--': use 'grove status'",
        ),
        (
            &["status", "--", "--json"],
            "error: '--json' is no option behind '--': use 'grove status --json'",
        ),
        (
            &["mail", "--", "list"],
            "error: 'list' is no command behind '--': use 'grove mail list'",
        ),
        (
            &["mail", "list", "--", "--unread"],
            "error: '--unread' is no option behind '--': use 'grove mail list --unread'",
        ),
        (
            &["status", "--", "x"],
            "error: too many arguments for 'status'. Expected 0 arguments but got 1.",
        ),
        (
            &["status", "--", "--nosuch"],
            "error: too many arguments for 'status'. Expected 0 arguments but got 1.",
        ),
        (
            &["status", ""],
            "error: too many arguments for 'status'. Expected 0 arguments but got 1, the last one empty.",
        ),
        (
            &["status", "--version"],
            "error: unknown option '--version': 'grove --version' prints the version",
        ),
        (
            &["mail", "list", "-v"],
            "error: unknown option '-v': 'grove --version' prints the version",
        ),
        (&[""], "Unknown command: ''\nRun 'grove --help' for usage."),
        (&["-"], "Unknown command: -\nRun 'grove --help' for usage."),
        (&["mail", ""], "error: unknown command ''"),
        (&["mail", "nosuch"], "error: unknown command 'nosuch'"),
        (
            &["help", "nosuch"],
            "Unknown command: help\nRun 'grove --help' for usage.",
        ),
        (
            &["mail", "list", "--unread=1"],
            "error: unknown option '--unread=1'\n(Did you mean --unread?)",
        ),
        (
            &["status", "--json="],
            "error: unknown option '--json='\n(Did you mean --json?)",
        ),
        (
            &["--version=yes"],
            "error: unknown option '--version=yes'\n(Did you mean --version?)",
        ),
        (&["run", "-q=1"], "error: unknown option '-q=1'"),
    ] {
        let done = project.grove(args);
        // The parser of mail tells it twice.
        let twice = args.first() == Some(&"mail");
        let told = format!("{line}\n").repeat(if twice { 2 } else { 1 });
        assert_eq!(
            (done.code, done.stdout.as_str()),
            (Some(1), ""),
            "{args:?}: {done:#?}"
        );
        assert_eq!(done.stderr, told, "{args:?}");
    }
    assert_eq!(project.grove(&["-h", "--"]).code, Some(0));
    assert!(
        project
            .grove(&["mail", "--"])
            .stderr
            .contains("Usage: grove mail")
    );
}

/// What a command refuses is not in its help.
#[test]
fn the_help_shows_only_options_that_are_taken() {
    let project = TestProject::initialised();
    for args in [
        &["mail"][..],
        &["mail", "list"],
        &["logs"],
        &["trace"],
        &["nudge"],
        &["status"],
        &["run", "list"],
    ] {
        let help = project.grove_ok(&[args, &["--help"]].concat());
        let is_taken = !["mail", "logs", "trace", "nudge"].contains(&args[0]);
        for option in ["--quiet", "--timing", "--project"] {
            assert_eq!(help.contains(option), is_taken, "{args:?} {option}: {help}");
        }
        assert!(help.contains("--json"), "{args:?}: {help}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn an_answer_that_cannot_be_written_is_a_failure_that_says_so() {
    let project = TestProject::initialised();
    project.grove_ok(&["mail", "send", "--to", "b", "--subject", "s", "--body", "x"]);
    for args in [
        &["mail", "list"][..],
        &["mail", "list", "--json"],
        &["status", "--json"],
        &["costs", "--json"],
        &["run", "list", "--json"],
        &["--version"],
        &["--help"],
        &["mail", "--help", "--json"],
    ] {
        let full = std::fs::File::options()
            .write(true)
            .open("/dev/full")
            .unwrap();
        let mut command = project.command(env!("CARGO_BIN_EXE_grove"));
        let output = command.args(args).stdout(full).output().unwrap();
        assert_eq!(output.status.code(), Some(1), "{args:?}");
        let told = String::from_utf8(output.stderr).unwrap();
        let start = "Error: cannot write the output: No space left on device";
        assert!(
            told.starts_with(start) && told.lines().count() == 1,
            "{args:?}: {told}"
        );
    }
    let full = std::fs::File::options()
        .write(true)
        .open("/dev/full")
        .unwrap();
    let mut command = project.command(env!("CARGO_BIN_EXE_grove"));
    let failed = command
        .args(["inspect", "nobody", "--json"])
        .stdout(full)
        .output()
        .unwrap();
    let told = String::from_utf8(failed.stderr).unwrap();
    assert!(
        told.contains("Agent not found: nobody") && told.contains("cannot write"),
        "{told}"
    );
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let mut command = project.command(env!("CARGO_BIN_EXE_grove"));
    let left = command
        .args(["mail", "list", "--json"])
        .stdout(writer)
        .output()
        .unwrap();
    assert_eq!((left.status.code(), left.stderr), (Some(0), Vec::new()));
}

/// Programs get the contract's lines; people at a terminal also hear what to do next.
#[test]
fn people_are_told_the_next_step() {
    let project = TestProject::initialised();
    for (args, words) in [
        (&["trace"][..], "'grove trace --help' shows examples"),
        (
            &["inspect", "nobody"],
            "'grove status --all' lists the agents",
        ),
        (&["stop", "nobody"], "'grove status --all' lists the agents"),
        (
            &["nudge", "nobody"],
            "'grove status --all' lists the agents",
        ),
        (
            &["mail", "read", "msg-x"],
            "'grove mail list' shows the ids",
        ),
        (&["run", "show", "run-x"], "'grove run list' shows the ids"),
        (
            &["group", "status", "x"],
            "'grove group list' shows the groups",
        ),
        (&["merge", "--branch", "x"], "'grove worktree list' shows"),
    ] {
        let piped = project.grove(args);
        assert!(!piped.stderr.contains(words), "{args:?}: {piped:#?}");
        let mut screen = ScreenProcess::start(&project, args);
        assert_eq!(screen.wait_exit(SHORT), 1, "{args:?}");
        screen.wait_for(words, SHORT, || format!("{args:?}"));
    }
}

/// Where no recording settles the lines, the next step is not for terminals only.
#[test]
fn new_commands_name_the_next_step_also_to_programs() {
    let project = TestProject::initialised();
    for (args, next) in [
        (&["task", "create"][..], "'grove task create --help' shows"),
        (&["expertise", "record"], "'grove expertise record --help'"),
        (&["conflicts", "x"], "'grove conflicts --help'"),
        (&["pr"], "'grove pr --help'"),
        (&["merge", "show"], "'grove merge show --help'"),
        (&["merge", "undo", "--odd"], "'grove merge undo --help'"),
        (&["demo", "--odd"], "'grove demo --help'"),
        (&["attach"], "'grove attach --help'"),
        (&["guard", "--odd"], "'grove guard --help'"),
        (&["task", "list"], "grove task create"),
        (&["expertise", "search", "x"], "grove expertise record"),
        (&["merge", "undo", "7"], "grove merge list"),
        (&["attach", "x"], "grove inspect"),
    ] {
        let done = project.grove(args);
        assert_eq!(done.code, Some(1), "{args:?}: {done:#?}");
        assert!(done.stderr.contains(next), "{args:?}: {done:#?}");
    }
}

#[test]
fn errors_are_json_when_json_was_asked_for() {
    let project = TestProject::initialised();
    let done = project.grove(&["mail", "send", "--json"]);
    assert_eq!(done.code, Some(1));
    let json = done.json();
    assert_eq!(json["success"], false);
    assert_eq!(json["command"], "ov");
    assert_eq!(
        json["error"],
        "error: required option '--to <agent>' not specified"
    );
    assert_eq!(
        done.stderr,
        "error: required option '--to <agent>' not specified\n"
    );
}

#[test]
fn quiet_hides_success_but_not_answers() {
    let project = TestProject::initialised();
    let send = [
        "--quiet",
        "mail",
        "send",
        "--to",
        "b",
        "--subject",
        "s",
        "--body",
        "x",
    ];
    assert_eq!(project.grove_ok(&send), "");
    assert!(
        project
            .grove_ok(&["-q", "mail", "list"])
            .contains("From: orchestrator")
    );
    assert_eq!(project.grove_ok(&["run", "-q"]), "");
}

/// "`--json` or `--verbose` placed before the command name is accepted but ignored" (§0).
#[test]
fn json_before_the_command_is_ignored_by_answers_and_heard_by_errors() {
    let project = TestProject::initialised();
    assert!(
        project
            .grove_ok(&["--json", "status"])
            .starts_with("Overstory Status")
    );
    let detailed = project.grove_ok(&["--verbose", "doctor", "--category", "structure"]);
    let plain = project.grove_ok(&["doctor", "--category", "structure"]);
    assert_eq!(detailed, plain);
    let failed = project.grove(&["--json", "inspect", "nobody"]);
    assert_eq!(failed.json()["error"], "Agent not found: nobody");
}

/// "Every subcommand also accepts `--project`, `-q`, `--timing` after its name, except
/// mail/nudge/logs/trace (they reject them there, with the text `error: ...` printed twice)" (§0).
#[test]
fn four_commands_take_global_options_only_before_their_name() {
    let project = TestProject::initialised();
    for (args, option) in [
        (&["mail", "list", "-q"][..], "-q"),
        (&["mail", "-q", "list"], "-q"),
        (&["mail", "check", "--timing"], "--timing"),
        (&["trace", "x", "--project", "."], "--project"),
        (&["logs", "--quiet"], "--quiet"),
        (&["nudge", "x", "--timing"], "--timing"),
    ] {
        let done = project.grove(args);
        let line = format!("error: unknown option '{option}'\n");
        assert_eq!(
            (done.code, done.stdout, done.stderr),
            (Some(1), String::new(), line.repeat(2)),
            "{args:?}"
        );
    }
    for args in [
        &["-q", "mail", "list"][..],
        &["--timing", "trace", "x"],
        &["status", "-q", "--timing", "--project", "."],
        &["costs", "-q"],
    ] {
        project.grove_ok(args);
    }
    // What follows an option is its value, whatever it looks like.
    let send = [
        "mail",
        "send",
        "--to",
        "b",
        "--subject",
        "-q",
        "--body",
        "--timing",
    ];
    project.grove_ok(&send);
}

/// "text goes to stderr AND, with `--json`, the JSON error goes to stdout", elsewhere "never JSON" (§0).
#[test]
fn only_parsers_of_their_own_tell_usage_errors_as_json() {
    let project = TestProject::initialised();
    let own = project.grove(&["trace", "x", "--lmit", "3", "--json"]);
    let text = "error: unknown option '--lmit'\n(Did you mean --limit?)";
    assert_eq!(own.json()["error"], text);
    assert_eq!(own.stderr, format!("{text}\n"));
    for args in [
        &["costs", "--lst", "3", "--json"][..],
        &["inspect", "--json"],
        &["nosuch", "--json"],
    ] {
        let done = project.grove(args);
        assert_eq!((done.code, done.stdout.as_str()), (Some(1), ""), "{args:?}");
    }
}

#[test]
fn of_an_option_given_twice_the_last_one_counts() {
    let project = TestProject::initialised();
    let json = project
        .grove(&["status", "--agent", "a", "--agent", "b", "--json", "--json"])
        .json();
    assert_eq!(json["unreadMailScope"], "b");
}

#[test]
fn timing_goes_to_stderr() {
    let project = TestProject::initialised();
    let done = project.grove(&["status", "--json", "--timing"]);
    assert!(done.stderr.starts_with("Done in "), "{done:#?}");
    assert_eq!(done.json()["success"], true);
}

#[test]
fn a_linked_worktree_finds_its_project() {
    let project = TestProject::initialised();
    project.git(&["worktree", "add", "-q", "-b", "side", "../side"]);
    let mut command = project.command(env!("CARGO_BIN_EXE_grove"));
    let output = command
        .args(["mail", "list", "--json"])
        .current_dir(project.root().join("../side"))
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    assert!(!project.root().join("../side/.overstory").exists());
}

#[test]
fn hooks_come_and_go_without_touching_other_settings() {
    let project = TestProject::initialised();
    let theirs = r#"{"model":"opus","hooks":{"Stop":[{"matcher":"","hooks":[{"type":"command","command":"say done"}]}]}}"#;
    project.write(".claude/settings.local.json", theirs);
    let before = project.grove(&["hooks", "status", "--json"]).json();
    assert_eq!(
        before["installed"], false,
        "the person's own hooks are not ours"
    );
    project.grove_ok(&["hooks", "install"]);
    let installed: serde_json::Value =
        serde_json::from_str(&project.read(".claude/settings.local.json")).unwrap();
    assert_eq!(installed["model"], "opus");
    assert!(installed["hooks"]["SessionStart"].is_array());
    project.grove_ok(&["hooks", "install", "--force"]);
    let again: serde_json::Value =
        serde_json::from_str(&project.read(".claude/settings.local.json")).unwrap();
    assert_eq!(again, installed, "installing twice adds nothing");
    project.grove_ok(&["hooks", "uninstall"]);
    let left: serde_json::Value =
        serde_json::from_str(&project.read(".claude/settings.local.json")).unwrap();
    let theirs: serde_json::Value = serde_json::from_str(theirs).unwrap();
    assert_eq!(left, theirs);
    let nothing = project.grove_ok(&["hooks", "uninstall"]);
    assert!(
        nothing.starts_with("No hooks of grove's") && !nothing.contains("Removed"),
        "{nothing}"
    );
    project.write(".claude/settings.local.json", "{ not json");
    assert_eq!(project.grove(&["hooks", "install"]).code, Some(1));
    assert_eq!(project.read(".claude/settings.local.json"), "{ not json");
}

#[test]
fn the_bash_completion_works_in_bash() {
    let project = TestProject::initialised();
    let script = project.grove_ok(&["completions", "bash"]);
    let probe = format!(
        "{script}\nCOMP_WORDS=(grove mail se); COMP_CWORD=2; _grove; echo \"${{COMPREPLY[*]}}\""
    );
    let output = project
        .command("bash")
        .args(["-c", &probe])
        .output()
        .unwrap();
    assert_eq!(
        String::from_utf8_lossy(&output.stdout).trim(),
        "send",
        "{output:?}"
    );
}

#[test]
fn prime_inside_tmux_notes_the_terminal_for_the_other_program() {
    let mut project = TestProject::initialised();
    project.grove_ok(&["prime"]);
    assert!(!project.overstory("orchestrator-tmux.json").exists());
    project.install_script("tmux", "test \"$1\" = display-message && echo work");
    project.set_env("TMUX", "/tmp/tmux-0/default,1,0");
    project.grove_ok(&["prime", "--agent", "orchestrator", "--compact"]);
    let text = project.read(".overstory/orchestrator-tmux.json");
    let json: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(json["tmuxSession"], "work");
    assert!(json["registeredAt"].as_str().unwrap().ends_with('Z'));
}

#[test]
fn odd_configuration_is_told_once_and_does_not_stop_anything() {
    let project = TestProject::initialised();
    let local = "agents:\n\tmaxConcurent: 3\n\tmaxDepth: 4\n";
    project.write(".overstory/config.local.yaml", local);
    let done = project.grove(&["prime", "--compact"]);
    assert_eq!(done.code, Some(0), "{done:#?}");
    assert!(
        done.stdout.contains("Max depth: 4"),
        "a tab indents by two columns: {done:#?}"
    );
    assert_eq!(
        done.stderr
            .matches("did you mean agents.maxConcurrent?")
            .count(),
        1,
        "{done:#?}"
    );
    assert_eq!(project.read(".overstory/config.local.yaml"), local);
}

#[cfg(unix)]
#[test]
fn a_users_links_are_written_through_and_stay() {
    use std::os::unix::fs::symlink;
    let project = TestProject::initialised();
    project.grove_ok(&["init", "--tools", "mulch"]);
    let shared = project.beside();
    let link = |path: &str, target: &str, text: &str| {
        std::fs::write(shared.join(target), text).unwrap();
        let path = project.root().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        symlink(shared.join(target), path).unwrap();
    };
    let read = |target: &str| std::fs::read_to_string(shared.join(target)).unwrap();
    link(".claude/settings.local.json", "settings.json", "{}");
    link(".mulch/expertise/cli.jsonl", "cli.jsonl", "");
    link(".overstory/groups.json", "groups.json", "[]");
    project.grove_ok(&["hooks", "install"]);
    assert!(read("settings.json").contains("grove prime"));
    project.grove_ok(&["hooks", "uninstall"]);
    assert!(!read("settings.json").contains("grove"));
    let record = [
        "expertise",
        "record",
        "cli",
        "flags are long",
        "--type",
        "convention",
    ];
    project.grove_ok(&record);
    assert!(read("cli.jsonl").contains("flags are long"));
    project.grove_ok(&["group", "create", "g", "t-1", "--skip-validation"]);
    assert!(read("groups.json").contains("t-1"));
    for path in [
        ".claude/settings.local.json",
        ".mulch/expertise/cli.jsonl",
        ".overstory/groups.json",
    ] {
        assert!(project.root().join(path).is_symlink(), "{path}");
    }
    // What came with a branch could lead anywhere: only a file of the same name is written.
    link(".mulch/expertise/odd.jsonl", "profile", "export PATH\n");
    let refused = ["expertise", "record", "odd", "x", "--type", "convention"];
    let refused = project.grove(&refused);
    assert_eq!(refused.code, Some(1), "{refused:#?}");
    assert!(refused.stderr.contains("another name"), "{refused:#?}");
    assert_eq!(read("profile"), "export PATH\n");
}

#[test]
fn where_there_is_no_project_nothing_is_said_to_be_in_order() {
    let project = TestProject::new();
    for args in [
        &["conflicts"][..],
        &["guard", "log"],
        &["redact"],
        &["merge", "list"],
        &["merge", "show", "1"],
    ] {
        let done = project.grove(args);
        assert_eq!(done.code, Some(1), "{args:?}: {done:?}");
        assert!(done.stderr.contains("grove init"), "{args:?}: {done:?}");
        assert!(!project.overstory("").exists(), "{args:?}");
    }
}
