//! `init`: what it writes, what it refuses, and that a refusal leaves nothing behind.

use crate::support::TestProject;

/// Everything below the repository, apart from git's own files.
fn files(project: &TestProject) -> Vec<String> {
    let mut found = Vec::new();
    let mut folders = vec![project.root()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.ends_with(".git") {
                continue;
            }
            found.push(
                path.strip_prefix(project.root())
                    .unwrap()
                    .display()
                    .to_string(),
            );
            if path.is_dir() {
                folders.push(path);
            }
        }
    }
    found.sort();
    found
}

fn refused(project: &TestProject, words: &str, next: &str) {
    let before = files(project);
    let done = project.grove(&["init"]);
    assert_eq!(done.code, Some(1), "{done:#?}");
    assert!(
        done.stderr.contains(words) && done.stderr.contains(next),
        "{done:#?}"
    );
    assert!(done.stdout.is_empty(), "{done:#?}");
    assert_eq!(files(project), before, "something was left behind");
}

/// A checkout whose git directory is elsewhere, as this text says.
fn without_its_git(text: &str) -> TestProject {
    let project = TestProject::new();
    std::fs::remove_dir_all(project.root().join(".git")).unwrap();
    project.write(".git", text);
    project
}

#[test]
fn places_where_agents_cannot_work_are_refused_with_the_next_step() {
    refused(
        &TestProject::bare_folder(),
        "is not in a git repository",
        "git init",
    );
    refused(&TestProject::empty(), "has no commits yet", "git commit");
    refused(
        &without_its_git("gitdir: /nowhere/at/all\n"),
        "points to /nowhere/at/all, which is not there",
        "git init would not bring its history back",
    );
    refused(
        &without_its_git("what is this\n"),
        "names no git directory",
        "take a new clone",
    );
    let lost = TestProject::new();
    std::fs::remove_dir_all(lost.root().join(".git/objects")).unwrap();
    refused(&lost, "it has no objects", "take a new clone");
    let status = lost.grove(&["sling", "t-1", "--force"]);
    assert!(!status.stderr.contains("run `git init`"), "{status:#?}");
    std::fs::create_dir(lost.root().join(".git/objects")).unwrap();
    refused(&lost, "the last commit of main cannot be read", "git fsck");
    let detached = TestProject::new();
    detached.git(&["checkout", "-q", "--detach"]);
    refused(&detached, "is detached", "git switch");
    let bare = TestProject::bare_folder();
    bare.git(&["init", "-q", "--bare", "."]);
    refused(&bare, "bare repository", "git clone");
}

#[test]
fn a_fresh_project_is_whole_and_nothing_else_is_touched() {
    let project = TestProject::new();
    project.write("Cargo.toml", "[package]\n");
    project.write("sub/x", "");
    let before: Vec<String> = files(&project);
    let done = project.grove(&["init"]);
    assert_eq!(done.code, Some(0), "{done:#?}");
    assert!(
        done.stdout.contains("✓ .overstory/config.yaml") && done.stdout.contains("cargo test"),
        "{done:#?}"
    );
    let others: Vec<String> = files(&project)
        .into_iter()
        .filter(|path| !path.starts_with(".overstory"))
        .collect();
    assert_eq!(others, before);
    let status = project.git(&["status", "--porcelain", "--untracked-files=all"]);
    for name in [
        "config.yaml",
        "agent-manifest.json",
        "hooks.json",
        ".gitignore",
        "README.md",
        "agent-defs/lead.md",
    ] {
        assert!(
            status.contains(&format!(".overstory/{name}")),
            "{name} is not there to be committed: {status}"
        );
    }
    assert!(
        !status.contains(".db"),
        "databases would be committed: {status}"
    );
    let structure = project.grove(&["doctor", "--category", "databases", "--json"]);
    assert_eq!(structure.code, Some(0), "{structure:#?}");
}

#[test]
fn a_failure_half_way_takes_everything_back() {
    let project = TestProject::new();
    project.write(
        ".overstory/metrics.db",
        "this is no database although it has the name of one, to be in the way",
    );
    let before = files(&project);
    let done = project.grove(&["init"]);
    assert_eq!(done.code, Some(1), "{done:#?}");
    assert!(done.stderr.contains("metrics.db"), "{done:#?}");
    assert_eq!(files(&project), before);
    assert!(
        project
            .read(".overstory/metrics.db")
            .starts_with("this is no database")
    );
}

#[test]
fn a_second_init_changes_nothing_unless_asked_and_keeps_the_configuration() {
    let project = TestProject::initialised();
    let edited = project
        .read(".overstory/config.yaml")
        .replace("maxConcurrent: 25", "maxConcurrent: 7");
    project.write(".overstory/config.yaml", &edited);
    project.write(".overstory/agent-defs/scout.md", "mine");
    let done = project.grove(&["init"]);
    assert_eq!(done.code, Some(0));
    assert!(done.stdout.contains("is set up already"), "{done:#?}");
    assert_eq!(project.read(".overstory/agent-defs/scout.md"), "mine");
    project.grove_ok(&["init", "--yes"]);
    assert_eq!(project.read(".overstory/config.yaml"), edited);
    assert_ne!(project.read(".overstory/agent-defs/scout.md"), "mine");
    project.grove_ok(&["init", "--force"]);
    let kept = files(&project)
        .into_iter()
        .find(|path| path.starts_with(".overstory/replaced/") && path.ends_with("/config.yaml"))
        .unwrap();
    assert_eq!(
        project.read(&kept),
        edited,
        "the old configuration is kept beside the new one"
    );
}

#[test]
fn json_is_the_last_line_and_names_every_tool() {
    let project = TestProject::new();
    let json = project.grove(&["init", "--json", "--name", "shop"]).json();
    assert_eq!(json["success"], true);
    assert_eq!(json["project"], "shop");
    assert_eq!(json["tools"]["overstory"]["status"], "initialized");
    assert_eq!(json["tools"]["mulch"]["status"], "skipped");
}

#[test]
fn what_is_in_the_way_is_named_before_anything_is_written() {
    for (path, is_folder, words) in [
        (
            ".overstory",
            false,
            ".overstory is a file, but grove needs a folder there",
        ),
        (".overstory/agent-defs", false, "agent-defs is a file"),
        (
            ".overstory/agent-defs/lead.md",
            true,
            "lead.md is a folder, but grove needs a file",
        ),
    ] {
        let project = TestProject::new();
        if is_folder {
            std::fs::create_dir_all(project.root().join(path)).unwrap();
        } else {
            project.write(path, "in the way");
        }
        refused(&project, words, "move it away");
    }
}

#[test]
fn a_file_where_a_companion_needs_its_folder_is_named() {
    for (tool, path) in [
        ("mulch", ".mulch"),
        ("seeds", ".seeds"),
        ("mulch", ".mulch/expertise"),
    ] {
        let project = TestProject::new();
        project.write(path, "in the way");
        let before = files(&project);
        let done = project.grove(&["init", "--tools", tool]);
        assert_eq!(done.code, Some(1), "{done:#?}");
        for words in [
            &format!("{path} is a file, but grove needs a folder"),
            "move it away",
        ] {
            assert!(done.stderr.contains(words), "{done:#?}");
        }
        assert_eq!(files(&project), before, "{done:#?}");
        project.grove_ok(&["init"]);
    }
}

#[test]
fn a_failure_at_any_point_leaves_nothing_new() {
    // A folder with the name of a database, and one with the name of the attribute file: the first
    // stops it in the middle, the second at the very end of what it writes.
    for (path, args) in [
        (".overstory/events.db", &["init"][..]),
        (
            ".overstory/merge-queue.db",
            &["init", "--tools", "seeds,mulch"],
        ),
        (".gitattributes", &["init", "--tools", "seeds"]),
    ] {
        let project = TestProject::new();
        std::fs::create_dir_all(project.root().join(path)).unwrap();
        let before = files(&project);
        let done = project.grove(args);
        assert_eq!(done.code, Some(1), "{done:#?}");
        assert_eq!(files(&project), before, "{path}: {done:#?}");
    }
}

#[cfg(unix)]
#[test]
fn a_failing_init_leaves_the_users_links_alone() {
    use std::os::unix::fs::symlink;
    // Where SQLite could make the file, the failure comes later: what it made goes, the link stays.
    for (target, is_later) in [("/nonexistent/x", false), ("../shared/mail.db", true)] {
        let project = TestProject::new();
        project.write("shared/x", "");
        project.write(".overstory/x", "");
        symlink(target, project.overstory("mail.db")).unwrap();
        if is_later {
            project.write(".overstory/metrics.db", "no database at all, only its name");
        }
        let before = files(&project);
        let done = project.grove(&["init"]);
        assert_eq!(done.code, Some(1), "{done:#?}");
        assert_eq!(files(&project), before, "{done:#?}");
        let link = std::fs::read_link(project.overstory("mail.db")).unwrap();
        assert_eq!(link.to_str(), Some(target));
    }
}

#[cfg(unix)]
#[test]
fn links_that_lead_nowhere_and_folders_are_refused_with_a_next_step() {
    use std::os::unix::fs::symlink;
    for path in [".overstory", ".overstory/config.yaml", ".gitattributes"] {
        let project = TestProject::new();
        let path = project.root().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        symlink("nowhere", &path).unwrap();
        refused(&project, "link that leads nowhere", "next: move it away");
        assert!(path.is_symlink());
    }
    for path in [
        ".overstory/config.yaml",
        ".overstory/mail.db",
        ".gitattributes",
    ] {
        let project = TestProject::new();
        std::fs::create_dir_all(project.root().join(path)).unwrap();
        refused(
            &project,
            "is a folder, but grove needs a file",
            "next: move it away",
        );
    }
}

#[test]
fn of_ten_inits_at_once_one_wins_and_the_others_say_so() {
    let project = TestProject::new();
    let started: Vec<_> = (0..10)
        .map(|n| {
            let mut command = project.command(env!("CARGO_BIN_EXE_grove"));
            command.args(["init", "--name", &format!("n{n}")]);
            command.stdout(std::process::Stdio::piped());
            (n, command.spawn().unwrap())
        })
        .collect();
    let mut winners = Vec::new();
    for (n, child) in started {
        let output = child.wait_with_output().unwrap();
        let said = String::from_utf8(output.stdout).unwrap();
        assert!(output.status.success(), "{said}");
        if said.contains(&format!("n{n} is ready")) {
            winners.push(format!("name: n{n}"));
        } else {
            assert!(said.contains("is set up already"), "{said}");
        }
    }
    assert_eq!(winners.len(), 1, "{winners:?}");
    let config = project.read(".overstory/config.yaml");
    assert!(config.contains(&winners[0]), "{winners:?} {config}");
    let whole = project.grove(&["doctor", "--category", "structure"]);
    assert_eq!(whole.code, Some(0), "{whole:#?}");
}

/// Each in its turn: what one has written is kept like everything else that is replaced.
#[test]
fn of_many_forced_inits_at_once_no_configuration_is_lost() {
    for is_new in [true, false] {
        let project = TestProject::new();
        if !is_new {
            project.grove_ok(&["init", "--name", "first"]);
        }
        let children: Vec<_> = (0..6)
            .map(|n| {
                let mut command = project.command(env!("CARGO_BIN_EXE_grove"));
                command.args(["init", "--force", "--name", &format!("n{n}")]);
                command.stdout(std::process::Stdio::null());
                command.spawn().unwrap()
            })
            .collect();
        for mut child in children {
            assert!(child.wait().unwrap().success());
        }
        let written: std::collections::BTreeSet<String> = files(&project)
            .iter()
            .filter(|path| path.ends_with("/config.yaml"))
            .map(|path| project.read(path))
            .filter_map(|text| text.lines().nth(1).map(str::to_owned))
            .collect();
        let mut expected: std::collections::BTreeSet<String> =
            (0..6).map(|n| format!("  name: n{n}")).collect();
        expected.extend((!is_new).then(|| "  name: first".to_owned()));
        assert_eq!(written, expected);
        let whole = project.grove(&["doctor", "--category", "structure"]);
        assert_eq!(whole.code, Some(0), "{whole:#?}");
    }
}

#[test]
fn a_dry_run_shows_everything_and_writes_nothing() {
    let project = TestProject::new();
    project.write("web/package.json", r#"{"scripts":{"test":"x"}}"#);
    let before = files(&project);
    let text = project.grove_ok(&["init", "--dry-run", "--tools", "seeds"]);
    for words in [
        "would write .overstory/config.yaml",
        "would write .overstory/mail.db",
        "would write .overstory/start.lock",
        "would write .seeds/issues.jsonl",
        "would write .gitattributes",
        "cd web && npm test",
        "nothing has been written",
    ] {
        assert!(text.contains(words), "{words}: {text}");
    }
    let json = project.grove(&["init", "--dry-run", "--json"]).json();
    assert_eq!(json["dryRun"]["canonicalBranch"], "main");
    assert_eq!(json["dryRun"]["qualityGates"][0], "cd web && npm test");
    assert_eq!(files(&project), before);
}

#[test]
fn a_build_file_that_cannot_be_read_is_named() {
    let project = TestProject::new();
    project.write("package.json", "\u{feff}{\"scripts\":{\"test\":\"x\"}}");
    project.write("api/package.json", "{ not json");
    let text = project.grove_ok(&["init", "--dry-run"]);
    assert!(text.contains("npm test"), "{text}");
    assert!(text.contains("cannot read api/package.json: "), "{text}");
    let json = project.grove(&["init", "--dry-run", "--json"]).json();
    let unread = json["dryRun"]["unread"][0].as_str().unwrap();
    assert!(unread.starts_with("api/package.json: "), "{unread}");
}

#[test]
fn companions_come_only_when_they_are_asked_for() {
    let project = TestProject::new();
    project.grove_ok(&["init"]);
    assert!(
        files(&project)
            .iter()
            .all(|path| path.starts_with(".overstory") || path == "README.md")
    );
    let json = project
        .grove(&["init", "--tools", "seeds,mulch", "--skip-mulch", "--json"])
        .json();
    assert_eq!(json["tools"]["seeds"]["status"], "initialized", "{json}");
    assert_eq!(json["tools"]["mulch"]["status"], "skipped", "{json}");
    assert_eq!(json["gitattributes"], true);
    assert_eq!(
        project.read(".gitattributes"),
        ".seeds/issues.jsonl merge=union\n.seeds/templates.jsonl merge=union\n.seeds/plans.jsonl merge=union\n"
    );
    let again = project
        .grove(&["init", "--tools", "seeds", "--json"])
        .json();
    assert_eq!(again["tools"]["seeds"]["status"], "already_initialized");
    assert_eq!(again["gitattributes"], false);
    let odd = project.grove(&["init", "--tools", "jira"]);
    assert!(
        odd.stderr.contains("Valid tools: mulch, seeds, canopy"),
        "{odd:#?}"
    );
}

#[test]
fn a_subfolder_means_the_whole_repository_and_a_linked_worktree_is_refused() {
    let project = TestProject::new();
    project.write("packages/api/x", "");
    let mut command = project.command(env!("CARGO_BIN_EXE_grove"));
    command
        .arg("init")
        .current_dir(project.root().join("packages/api"));
    let text = String::from_utf8(command.output().unwrap().stdout).unwrap();
    assert!(
        text.contains("the whole repository, not only packages/api"),
        "{text}"
    );
    assert!(project.overstory("config.yaml").is_file());
    project.git(&["worktree", "add", "-q", "-b", "side", "../side"]);
    let mut command = project.command(env!("CARGO_BIN_EXE_grove"));
    command
        .arg("init")
        .current_dir(project.root().join("../side"));
    let error = String::from_utf8(command.output().unwrap().stderr).unwrap();
    assert!(
        error.contains("is a linked worktree of") && error.contains("next: cd "),
        "{error}"
    );
}

#[test]
fn a_repository_of_another_user_is_named_as_such() {
    let project = TestProject::new();
    // As root, the folder can be given away; otherwise there is nothing to try.
    if std::os::unix::fs::chown(project.root(), Some(65534), None).is_err() {
        crate::support::skipped("only root can give a folder away");
        return;
    }
    let done = project.grove(&["init", "--yes"]);
    assert_eq!(done.code, Some(1), "{done:#?}");
    assert!(done.stderr.contains("belongs to another user"), "{done:#?}");
    assert!(done.stderr.contains("safe.directory"), "{done:#?}");
    assert!(!project.overstory("config.yaml").exists());
}

/// Waits, however busy the machine is, and gives up only when it is certain.
fn until(what: &str, mut is: impl FnMut() -> bool) {
    let end = std::time::Instant::now() + std::time::Duration::from_secs(60);
    while !is() {
        assert!(std::time::Instant::now() < end, "{what}");
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
}

#[cfg(unix)]
#[test]
fn breaking_init_off_leaves_half_a_project() {
    for (signal, code) in [("INT", 130), ("TERM", 143), ("HUP", 129)] {
        let project = TestProject::new();
        // A database that is there already and busy holds it up when most files are written.
        std::fs::create_dir(project.root().join(".overstory")).unwrap();
        let busy = rusqlite::Connection::open(project.overstory("mail.db")).unwrap();
        busy.execute_batch("CREATE TABLE theirs (x)").unwrap();
        let before = files(&project);
        busy.execute_batch("BEGIN EXCLUSIVE").unwrap();
        let mut child = project
            .command(crate::support::GROVE)
            .args(["init", "--yes"])
            .stderr(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        let last = project.overstory("hooks.json");
        until("the files are written", || last.exists());
        let sent = project
            .command("kill")
            .args([&format!("-{signal}"), &child.id().to_string()])
            .status();
        assert!(sent.unwrap().success());
        busy.execute_batch("ROLLBACK").unwrap();
        until("init has ended", || child.try_wait().unwrap().is_some());
        let done = child.wait_with_output().unwrap();
        let said = String::from_utf8_lossy(&done.stderr);
        assert_eq!(done.status.code(), Some(code), "{done:?}");
        assert!(said.contains("everything is as it was"), "{said}");
        drop(busy);
        assert_eq!(files(&project), before, "SIG{signal}");
    }
}

#[cfg(unix)]
#[test]
fn an_init_that_waits_for_another_one_cannot_be_broken_off() {
    let project = TestProject::new();
    std::fs::create_dir(project.root().join(".overstory")).unwrap();
    let lock = grove::platform::ProjectPaths::new(project.root()).start_lock();
    let turn = grove::platform::lease::wait_for(&lock).unwrap();
    let mut child = project
        .command(crate::support::GROVE)
        .arg("init")
        .spawn()
        .unwrap();
    // It listens before it waits: sent until it is heard, or until it ends it the hard way.
    until("init has ended", || {
        let pid = child.id().to_string();
        let sent = project.command("kill").args(["-TERM", &pid]).status();
        sent.unwrap();
        child.try_wait().unwrap().is_some()
    });
    drop(turn);
    assert!(!project.overstory("config.yaml").exists());
}
