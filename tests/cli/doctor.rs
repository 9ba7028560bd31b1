//! `doctor`: finds what was broken on purpose, and repairs without destroying.

use crate::support::TestProject;

#[test]
fn missing_files_are_found_and_written_again() {
    let project = TestProject::initialised();
    std::fs::remove_dir_all(project.overstory("specs")).unwrap();
    std::fs::remove_file(project.overstory("hooks.json")).unwrap();
    std::fs::remove_file(project.overstory("agent-defs/lead.md")).unwrap();
    project.write(".overstory/leftover.tmp", "");
    let sick = project.grove(&["doctor", "--category", "structure", "--json"]);
    assert_eq!(sick.code, Some(1));
    assert_eq!(sick.json()["summary"]["fail"], 3, "{sick:#?}");
    let healed = project.grove(&["doctor", "--fix", "--category", "structure", "--json"]);
    assert_eq!(healed.code, Some(0), "{healed:#?}");
    assert_eq!(healed.json()["summary"]["warn"], 0);
    let aside = std::fs::read_dir(project.overstory("replaced"))
        .unwrap()
        .map(|entry| entry.unwrap().path().join("leftover.tmp"))
        .find(|path| path.is_file());
    assert!(
        aside.is_some(),
        "a leftover is moved, never removed: {healed:#?}"
    );
    assert!(
        project
            .read(".overstory/agent-defs/lead.md")
            .starts_with("# Lead")
    );
}

#[test]
fn an_unreadable_database_is_set_aside_never_overwritten() {
    let project = TestProject::initialised();
    for name in ["mail.db-wal", "mail.db-shm"] {
        drop(std::fs::remove_file(project.overstory(name)));
    }
    let rubbish = "these bytes are no database at all, but they may be all that is left of one";
    project.write(".overstory/mail.db", rubbish);
    let sick = project
        .grove(&["doctor", "--category", "databases", "--json"])
        .json();
    assert_eq!(sick["checks"][0]["name"], "mail.db integrity", "{sick}");
    project.grove_ok(&["doctor", "--category", "databases", "--fix"]);
    project.grove_ok(&["mail", "send", "--to", "b", "--subject", "s", "--body", "x"]);
    let aside = std::fs::read_dir(project.overstory(""))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .find(|path| path.to_string_lossy().contains("mail.db.corrupt-"))
        .unwrap();
    assert_eq!(std::fs::read_to_string(aside).unwrap(), rubbish);
}

#[test]
fn a_broken_configuration_is_named_with_its_line() {
    let project = TestProject::initialised();
    project.write(
        ".overstory/config.local.yaml",
        "agents:\n  maxDepth: deep\n",
    );
    let done = project.grove(&["doctor", "--category", "config"]);
    assert_eq!(done.code, Some(1));
    assert!(
        done.stdout
            .contains("agents.maxDepth must be a non-negative integer"),
        "{done:#?}"
    );
    assert!(done.stdout.contains("config.local.yaml:2"), "{done:#?}");
}

#[test]
fn a_branch_of_an_agent_that_is_another_s_name_is_named_not_merged_and_mended() {
    let project = TestProject::initialised();
    project.git(&["branch", "other"]);
    project.git(&["branch", "overstory/ann/t-1"]);
    let link = ["refs/heads/overstory/ann/t-1", "refs/heads/other"];
    project.git(&["symbolic-ref", link[0], link[1]]);
    let sick = project.grove(&["doctor", "--category", "consistency"]);
    assert!(
        sick.stdout
            .contains("refs/heads/overstory/ann/t-1 is refs/heads/other"),
        "{sick:#?}"
    );
    for dry in [&["--dry-run"][..], &[]] {
        let merge = [&["merge", "--branch", "overstory/ann/t-1"][..], dry].concat();
        let refused = project.grove(&merge);
        assert_eq!(refused.code, Some(1), "{refused:#?}");
        assert!(
            refused
                .stderr
                .contains("is only another name of refs/heads/other"),
            "{refused:#?}"
        );
    }
    project.grove(&["doctor", "--category", "consistency", "--fix"]);
    let healed = project.grove(&["doctor", "--category", "consistency"]);
    assert!(!healed.stdout.contains("another name"), "{healed:#?}");
    let tip = |name: &str| project.git(&["rev-parse", name]);
    assert_eq!(tip("overstory/ann/t-1"), tip("other"));
}

#[test]
fn a_misspelt_role_of_the_sandbox_is_a_warning_of_the_doctor() {
    let project = TestProject::initialised();
    project.write(
        ".overstory/config.local.yaml",
        "sandbox:\n  buildr: off\n  surveyor: guard\n",
    );
    let done = project.grove(&["doctor", "--category", "config", "--json"]);
    let json = done.json();
    assert_eq!(json["summary"]["warn"], 1, "{json}");
    let checks = json["checks"].as_array().unwrap();
    let keys = checks.iter().find(|check| check["name"] == "config-keys");
    let detail = "config.local.yaml:2: unknown key sandbox.buildr; did you mean sandbox.builder?";
    assert_eq!(keys.unwrap()["details"], serde_json::json!([detail]));
}

#[test]
fn a_project_that_only_grove_uses_is_healthy() {
    let project = TestProject::initialised();
    project.install_script("claude", "exit 0");
    let done = project.grove(&["doctor", "--json"]);
    assert_eq!(done.code, Some(0), "{done:#?}");
    let json = done.json();
    assert_eq!(json["summary"]["fail"], 0);
    assert_eq!(json["summary"]["warn"], 0, "{json}");
    let checks = json["checks"].as_array().unwrap();
    for name in [
        "git availability",
        "bun availability",
        "tmux availability",
        "sd availability",
        "mulch availability",
        "ov availability",
        "cn availability",
        "version-current",
        "package-json-sync",
        "mulch semver",
        "watchdog pid file",
        "serve ui/dist",
        "serve port",
    ] {
        assert!(
            checks.iter().any(|check| check["name"] == name),
            "{name}: {json}"
        );
    }
    let mut seen: Vec<&str> = checks
        .iter()
        .map(|c| c["category"].as_str().unwrap())
        .collect();
    seen.dedup();
    assert_eq!(
        seen.join(" "),
        "dependencies config structure databases consistency agents merge logs version ecosystem providers watchdog serve"
    );
}

#[test]
fn missing_databases_and_a_stale_watchdog_are_repaired() {
    let project = TestProject::initialised();
    for suffix in ["", "-wal", "-shm"] {
        drop(std::fs::remove_file(
            project.overstory(&format!("metrics.db{suffix}")),
        ));
    }
    project.write(".overstory/watchdog.pid", "garbage\n");
    let sick = project.grove(&["doctor", "--json"]);
    assert_eq!(sick.code, Some(1));
    assert_eq!(sick.json()["summary"]["fail"], 2, "{sick:#?}");
    let healed = project.grove(&["doctor", "--fix", "--json"]);
    assert_eq!(healed.code, Some(0), "{healed:#?}");
    assert_eq!(
        healed.json()["fixed"],
        serde_json::json!(["created metrics.db", "Removed stale watchdog PID file"])
    );
    assert!(!project.overstory("watchdog.pid").exists());
}

#[test]
fn every_watchdog_pid_that_names_no_process_is_found_and_repaired() {
    let project = TestProject::initialised();
    let contents: [&[u8]; 7] = [b"abc", b"12x", b"0", b"", b"\0", b"99999999999999", b"\xff"];
    for content in contents {
        std::fs::write(project.overstory("watchdog.pid"), content).unwrap();
        let sick = project.grove(&["doctor", "--category", "watchdog", "--json"]);
        assert_eq!(sick.json()["summary"]["fail"], 1, "{content:?}: {sick:#?}");
        let healed = project.grove(&["doctor", "--category", "watchdog", "--fix"]);
        assert_eq!(healed.code, Some(0), "{content:?}: {healed:#?}");
        assert!(!project.overstory("watchdog.pid").exists(), "{content:?}");
    }
}

#[test]
fn where_there_is_no_project_nothing_is_repaired_and_little_is_said() {
    let project = TestProject::new();
    let done = project.grove(&["doctor", "--fix"]);
    assert_eq!(done.code, Some(1));
    assert!(done.stdout.contains("run 'grove init'"), "{done:#?}");
    assert!(done.stdout.lines().count() < 15, "{done:#?}");
    assert!(!project.root().join(".overstory").exists());
}

#[test]
fn a_gateway_that_does_not_answer_is_named() {
    let project = TestProject::initialised();
    // A port that was free a moment ago: nothing listens there.
    let free = std::net::TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap();
    let local = format!(
        "providers:\n  mine:\n    type: gateway\n    baseUrl: http://{free}/v1\n    authTokenEnv: NO_SUCH_TOKEN\n"
    );
    project.write(".overstory/config.local.yaml", &local);
    let json = project
        .grove(&["doctor", "--category", "providers", "--json"])
        .json();
    let found: Vec<(&str, &str)> = json["checks"]
        .as_array()
        .unwrap()
        .iter()
        .map(|check| {
            (
                check["name"].as_str().unwrap(),
                check["status"].as_str().unwrap(),
            )
        })
        .collect();
    assert_eq!(
        found,
        [
            ("providers-configured", "pass"),
            ("provider-reachable-mine", "warn"),
            ("provider-auth-token-mine", "warn"),
            ("gateway-api-key-reminder", "pass"),
            ("tool-use-compat", "pass"),
            ("model-provider-refs", "pass"),
        ]
    );
}

#[test]
fn a_worktree_that_was_led_astray_while_its_host_was_gone_is_found_and_led_back() {
    let project = TestProject::initialised();
    let worktree = project.overstory("worktrees/ann");
    let path = worktree.display().to_string();
    project.git(&["worktree", "add", "-q", "-b", "overstory/ann/t", &path]);
    let of = |words: &[&str]| {
        let report = project.grove(&[&["doctor", "--json"], words].concat());
        let checks = report.json()["checks"].as_array().unwrap().clone();
        let mut checks = checks.into_iter();
        checks.find(|check| check["name"] == "worktree-pointers")
    };
    let looked = ["--category", "consistency"];
    assert_eq!(of(&looked), None, "nothing is said where nothing is wrong");
    std::fs::write(worktree.join(".git"), "gitdir: /tmp/evil\n").unwrap();
    let admin = project.root().join(".git/worktrees/ann");
    std::fs::write(admin.join("gitdir"), "/tmp/evil/.git\n").unwrap();
    let found = of(&looked).unwrap();
    assert_eq!(found["status"], "fail");
    assert_eq!(found["details"].as_array().unwrap().len(), 2, "{found}");
    project.grove(&["doctor", "--fix", "--category", "consistency"]);
    assert_eq!(of(&looked), None);
    let text = std::fs::read_to_string(worktree.join(".git")).unwrap();
    assert!(text.ends_with(".git/worktrees/ann\n"), "{text}");
}

#[test]
fn links_by_which_git_or_a_reader_of_the_checkout_is_led_elsewhere_are_listed() {
    let project = TestProject::initialised();
    let worktree = project.overstory("worktrees/ann");
    let path = worktree.display().to_string();
    project.git(&["worktree", "add", "-q", "-b", "overstory/ann/t", &path]);
    let of = |name: &str| {
        let report = project.grove(&["doctor", "--json", "--category", "consistency"]);
        let checks = report.json()["checks"].as_array().unwrap().clone();
        checks.into_iter().find(|check| check["name"] == name)
    };
    assert_eq!((of("worktree-links"), of("links-outside")), (None, None));
    let outside = project.beside().join("notes");
    std::fs::write(&outside, "of the user\n").unwrap();
    let link = |target: &std::path::Path, name: std::path::PathBuf| {
        std::os::unix::fs::symlink(target, name).unwrap();
    };
    link(&outside, project.root().join("notes"));
    link(
        std::path::Path::new("README.md"),
        project.root().join("inside"),
    );
    link(
        std::path::Path::new("/nowhere/at/all"),
        project.root().join("broken"),
    );
    let pipe = project.beside().join("pipe");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(made.unwrap().success());
    link(&pipe, project.root().join("waiting"));
    project.git(&["add", "notes", "inside", "broken", "waiting"]);
    project.git(&["commit", "-q", "-m", "Add links"]);
    link(&outside, worktree.join("own"));
    let there = |words: &[&str]| project.git(&[&["-C", &path], words].concat());
    there(&["add", "own"]);
    there(&["commit", "-q", "-m", "Add a link"]);
    let found = of("links-outside").unwrap();
    assert_eq!(found["status"], "warn");
    let details = found["details"].to_string();
    assert_eq!(found["details"].as_array().unwrap().len(), 2, "{details}");
    assert!(details.contains("worktrees/ann/own ->"), "{details}");

    let admin = project.root().join(".git/worktrees/ann");
    std::fs::create_dir_all(admin.join("grove")).unwrap();
    link(&outside, admin.join("grove/shown"));
    std::fs::remove_file(admin.join("index")).unwrap();
    link(&outside, admin.join("index"));
    link(&outside, admin.join("logs/other"));
    let found = of("worktree-links").unwrap();
    assert_eq!(found["details"].as_array().unwrap().len(), 2, "{found}");
    project.grove(&["doctor", "--fix", "--category", "consistency"]);
    assert_eq!(of("worktree-links"), None);
    assert_eq!(std::fs::read_to_string(&outside).unwrap(), "of the user\n");
    there(&["reset", "-q"]);
    assert_eq!(there(&["status", "--porcelain"]), "");
}

#[test]
fn the_sandbox_is_not_tried_where_there_is_no_project_and_nothing_is_left_there() {
    let project = TestProject::bare_folder();
    let done = project.grove(&["doctor", "--category", "sandbox"]);
    assert_eq!(done.code, Some(1), "{done:#?}");
    assert!(done.stdout.contains("grove init"), "{done:#?}");
    assert!(!project.overstory("").exists());
}

#[test]
fn a_ref_that_names_no_object_is_found_and_one_of_an_agent_is_removed() {
    let project = TestProject::initialised();
    let nothing = "1".repeat(40);
    let folder = project.root().join(".git/refs/heads/overstory/ann");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("ghost"), format!("{nothing}\n")).unwrap();
    std::fs::write(folder.join("empty"), "").unwrap();
    std::fs::write(folder.join(".keep.lock"), "").unwrap();
    std::fs::write(folder.join("long"), "x".repeat(20_000)).unwrap();
    let deep = folder.join("q/".repeat(30));
    std::fs::create_dir_all(&deep).unwrap();
    std::fs::write(deep.join("deepest"), "deadbeef\n").unwrap();
    std::fs::write(project.root().join(".git/refs/heads/mine"), "nonsense\n").unwrap();
    project.git(&["branch", "overstory/ann/good"]);
    let found = project.grove(&["doctor", "--category", "consistency", "--verbose"]);
    for name in [
        "ann/ghost",
        "ann/empty",
        "ann/long",
        "q/deepest",
        "heads/mine",
    ] {
        assert!(found.stdout.contains(name), "{name}: {found:?}");
    }
    assert!(!found.stdout.contains("good"), "{found:?}");
    let fixed = project.grove(&["doctor", "--fix"]);
    let said = format!("removed refs/heads/overstory/ann/ghost, which was {nothing}");
    assert!(fixed.stdout.contains(&said), "{fixed:?}");
    for gone in ["ghost", "empty", "long"].map(|name| folder.join(name)) {
        assert!(!gone.exists(), "{}", gone.display());
    }
    assert!(!deep.join("deepest").exists());
    assert!(folder.join("good").exists() && folder.join(".keep.lock").exists());
    assert!(project.root().join(".git/refs/heads/mine").exists());
}

/// It advised to remove the user's branch, and removed the agents', which say what is missing.
#[test]
fn refs_whose_objects_were_removed_are_kept_and_it_is_said_how_these_come_back() {
    let project = TestProject::initialised();
    project.git(&["branch", "overstory/ann/t-1"]);
    let store = project.root().join(".git/objects");
    for folder in std::fs::read_dir(store).unwrap() {
        let folder = folder.unwrap();
        if folder.file_name().len() == 2 {
            std::fs::remove_dir_all(folder.path()).unwrap();
        }
    }
    let found = project.grove(&["doctor", "--category", "consistency", "--verbose"]);
    assert!(found.stdout.contains("Keep the refs"), "{found:?}");
    assert!(found.stdout.contains("git fetch --refetch"), "{found:?}");
    assert!(!found.stdout.contains("update-ref -d"), "{found:?}");
    let fixed = project.grove(&["doctor", "--fix"]);
    assert!(!fixed.stdout.contains("removed refs/"), "{fixed:?}");
    let branches = project.root().join(".git/refs/heads");
    assert!(branches.join("overstory/ann/t-1").exists() && branches.join("main").exists());
}

#[test]
fn checkouts_of_killed_merges_are_found_and_removed_also_by_clean() {
    let project = TestProject::initialised();
    project.grove_ok(&["status"]);
    let leave = || {
        // A number that no process has.
        let left = project.overstory("scratch/999999999-abcdefgh");
        let path = left.to_str().unwrap();
        project.git(&["worktree", "add", "-q", "--detach", path]);
        left
    };
    let left = leave();
    let found = project.grove(&["doctor"]);
    let said = format!("{}{}", found.stdout, found.stderr);
    assert!(
        said.contains("1 checkout(s) of merges that were killed"),
        "{said}"
    );
    let fixed = project.grove(&["doctor", "--fix"]);
    let said = format!("{}{}", fixed.stdout, fixed.stderr);
    assert!(
        said.contains("removed 1 checkout(s) of killed merges"),
        "{said}"
    );
    assert!(!left.exists());
    assert_eq!(project.git(&["worktree", "list"]).lines().count(), 1);
    // What somebody else keeps there is not a merge's.
    project.git(&[
        "worktree",
        "add",
        "-q",
        "--detach",
        ".overstory/scratch/mine",
    ]);
    project.write(".overstory/scratch/mine/precious", "mine\n");
    project.write(".overstory/scratch/notes/note", "mine\n");
    project.grove_ok(&["doctor", "--fix"]);
    for kept in ["scratch/mine/precious", "scratch/notes/note"] {
        assert!(project.overstory(kept).exists(), "{kept}");
    }
    project.git(&["worktree", "remove", "--force", ".overstory/scratch/mine"]);
    let left = leave();
    project.grove_ok(&["clean", "--worktrees"]);
    assert!(!left.exists());
    assert_eq!(project.git(&["worktree", "list"]).lines().count(), 1);
}

#[test]
fn the_lock_that_init_makes_is_never_stale() {
    let project = TestProject::initialised();
    let lock = project.overstory("start.lock");
    let file = std::fs::File::options()
        .write(true)
        .create(true)
        .truncate(false)
        .open(&lock)
        .unwrap();
    file.set_modified(std::time::SystemTime::now() - std::time::Duration::from_hours(25))
        .unwrap();
    let found = project.grove(&["doctor", "--category", "structure", "--verbose"]);
    assert!(!found.stdout.contains("start.lock"), "{found:?}");
}

#[test]
fn a_pattern_that_allows_nothing_is_said_to_have_no_effect() {
    let project = TestProject::initialised();
    let allow = |patterns: &str| {
        project.write(
            ".overstory/config.local.yaml",
            &format!("guard:\n  allow:\n{patterns}"),
        );
        let seen = project
            .grove(&["doctor", "--category", "config", "--json"])
            .json();
        let checks = seen["checks"].as_array().unwrap().clone();
        let found = checks
            .into_iter()
            .find(|check| check["name"] == "guard-allow");
        found.map(|check| (check["status"].clone(), check["details"].to_string()))
    };
    assert_eq!(
        allow("  - make docs\n  - npm run build *\n  - cargo doc*\n"),
        None
    );
    let (status, details) = allow("  - make docs\n  - git push\n  - git push *\n").unwrap();
    assert_eq!(status, "warn");
    assert!(details.contains("git push *: refused"), "{details}");
    assert!(!details.contains("make docs"), "{details}");
}
