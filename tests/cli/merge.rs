//! `merge` and what is around it, through the door: landing, receipts, undo, overlaps, requests.

use crate::support::{Finished, LONG, TestProject, wait_until};
use rusqlite::Connection;
use serde_json::Value;

/// A branch with these files, while `main` stays checked out.
fn branch(project: &TestProject, name: &str, files: &[(&str, &str)]) {
    project.git(&["checkout", "-q", "-b", name]);
    for (path, text) in files {
        project.write(path, text);
    }
    project.git(&["add", "--", "."]);
    project.git(&["commit", "-q", "-m", &format!("Work of {name}")]);
    project.git(&["checkout", "-q", "main"]);
}

fn project_with(config: &str) -> TestProject {
    let project = TestProject::initialised();
    project.git(&["add", "-A"]);
    project.git(&["commit", "-q", "-m", "Set up"]);
    std::fs::write(project.overstory("config.local.yaml"), config).unwrap();
    project
}

/// Puts a branch into the queue, as its agent's report does.
fn queued(project: &TestProject, name: &str) {
    project.grove_ok(&["merge", "--branch", name, "--dry-run"]);
    let grove = Connection::open(project.overstory("grove.db")).unwrap();
    grove.execute("DELETE FROM merge_looked", []).unwrap();
}

const NO_GATES: &str = "project:\n  qualityGates: []\n";
const ANN: &str = "overstory/ann/t-1";

fn json(project: &TestProject, args: &[&str]) -> Value {
    let mut args = args.to_vec();
    args.push("--json");
    let finished = project.grove(&args);
    assert_eq!(finished.code, Some(0), "{finished:?}");
    finished.json()
}

fn refused(project: &TestProject, args: &[&str]) -> String {
    let finished: Finished = project.grove(args);
    assert_eq!(finished.code, Some(1), "{finished:?}");
    assert!(!finished.stderr.contains("panicked"), "{finished:?}");
    finished.stderr
}

#[test]
fn a_landed_merge_is_listed_shown_noted_and_undone_byte_for_byte() {
    let project = project_with(NO_GATES);
    branch(&project, ANN, &[("new.txt", "new\n")]);
    let before = project.git(&["rev-parse", "main"]);
    let merged = json(&project, &["merge", "--branch", ANN]);
    assert_eq!(merged["success"], true);
    assert!(merged.get("displaced").is_none(), "only where there is any");

    let list = json(&project, &["merge", "list"]);
    assert_eq!(list["merges"][0]["branchName"], ANN);
    assert_eq!(list["merges"][0]["status"], "merged");
    let receipt = list["merges"][0]["receiptId"].as_str().unwrap().to_owned();
    let commit = list["merges"][0]["mergedCommit"].as_str().unwrap();
    for name in ["1", ANN, &receipt, &commit[..8]] {
        let shown = json(&project, &["merge", "show", name]);
        assert_eq!(shown["report"]["receipt"]["id"], receipt.as_str(), "{name}");
    }
    let shown = project.grove_ok(&["merge", "show", "1", "--note"]);
    assert!(shown.contains("Account:"), "{shown}");
    let note = project.git(&["notes", "--ref", "grove", "show", commit]);
    assert!(note.contains(&receipt));

    let undone = json(&project, &["merge", "undo", "1"]);
    assert_eq!(undone["outcome"], "restored");
    assert_eq!(project.git(&["rev-parse", "main"]), before);
    assert!(!project.root().join("new.txt").exists());
    assert_eq!(project.git(&["status", "--porcelain"]), "");
    assert_eq!(
        json(&project, &["merge", "list"])["merges"][0]["undone"],
        true
    );
    assert!(refused(&project, &["merge", "undo", "1"]).contains("not part of main"));
    assert_eq!(
        json(&project, &["merge", "--branch", ANN])["success"],
        true,
        "what was undone can be merged again"
    );
    let shown = project.grove_ok(&["merge", "show", "1"]);
    let (_, attempts) = shown.split_once("Attempts, the newest first:").unwrap();
    let lines: Vec<&str> = attempts.trim().lines().collect();
    assert_eq!(lines.len(), 2, "{shown}");
    assert!(lines[0].contains("landed as") && !lines[0].contains("taken back"));
    assert!(lines[1].contains(&commit[..8]) && lines[1].contains("taken back at"));
}

#[test]
fn a_merge_that_had_nothing_to_do_says_so() {
    let project = project_with(NO_GATES);
    project.git(&["branch", ANN]);
    let said = format!("Nothing to do: {ANN} is already in main");
    // The first attempt, and one of an entry that is merged.
    for _ in 0..2 {
        let merged = project.grove_ok(&["merge", "--branch", ANN]);
        let result = format!("   Result: Merged (tier: clean-merge)\n   {said}\n");
        assert!(merged.contains(&result), "{merged}");
        let shown = project.grove_ok(&["merge", "show", "1"]);
        assert!(shown.contains(&said), "{shown}");
    }
    let listed = project.grove_ok(&["merge", "list"]);
    assert!(listed.contains("nothing to do"), "{listed}");

    branch(&project, "overstory/ben/t-2", &[("new.txt", "new\n")]);
    let landed = project.grove_ok(&["merge", "--branch", "overstory/ben/t-2"]);
    assert!(!landed.contains("Nothing to do"), "{landed}");
    let again = project.grove_ok(&["merge", "--branch", "overstory/ben/t-2"]);
    assert!(
        again.contains("Nothing to do: overstory/ben/t-2"),
        "{again}"
    );
}

#[test]
fn a_merge_below_other_commits_is_reverted_only_after_it_was_shown() {
    let project = project_with(NO_GATES);
    branch(&project, ANN, &[("new.txt", "new\n")]);
    project.grove_ok(&["merge", "--branch", ANN]);
    project.write("later.txt", "later\n");
    project.git(&["add", "later.txt"]);
    project.git(&["commit", "-q", "-m", "Later"]);
    let not_shown = |main: &str| {
        let finished = project.grove(&["merge", "undo", ANN, "--land"]);
        assert_eq!(finished.code, Some(1), "{finished:?}");
        assert!(finished.stdout.contains("new.txt"), "{finished:?}");
        assert!(finished.stderr.contains("nothing landed"), "{finished:?}");
        assert_eq!(project.git(&["rev-parse", "main"]), main);
    };
    not_shown(&project.git(&["rev-parse", "main"]));
    project.git(&["commit", "-q", "--allow-empty", "-m", "Later still"]);
    not_shown(&project.git(&["rev-parse", "main"]));
    project.write("last.txt", "last\n");
    project.git(&["add", "last.txt"]);
    project.git(&["commit", "-q", "-m", "Last"]);
    let before = project.git(&["rev-parse", "main"]);

    let shown = project.grove_ok(&["merge", "undo", ANN]);
    assert!(shown.contains("new.txt"), "{shown}");
    assert!(shown.contains("--land"), "{shown}");
    assert_eq!(project.git(&["rev-parse", "main"]), before);
    let prepared = project.git(&["rev-list", "--no-walk", "--all", "--not", "main"]);

    let landed = json(&project, &["merge", "undo", ANN, "--land"]);
    assert_eq!(landed["outcome"], "reverted");
    let commit = landed["commit"].as_str().unwrap();
    assert!(prepared.contains(commit), "{prepared} {landed}");
    assert!(!project.root().join("new.txt").exists());
    assert_eq!(project.read("later.txt"), "later\n");
    assert_eq!(project.git(&["rev-parse", "main~1"]), before);
}

#[test]
fn names_that_are_no_merge_get_a_clear_answer() {
    let project = project_with(NO_GATES);
    assert!(refused(&project, &["merge", "show", "77"]).contains("No merge is called \"77\""));
    assert!(refused(&project, &["merge", "undo", "x"]).contains("No merge is called"));
    assert!(refused(&project, &["merge"]).contains("--branch"));
    branch(&project, ANN, &[("README.md", "by ann\n")]);
    project.write("README.md", "by main\n");
    project.git(&["commit", "-q", "-a", "-m", "Main"]);
    std::fs::write(
        project.overstory("config.local.yaml"),
        "project:\n  qualityGates: []\nmerge:\n  aiResolveEnabled: false\n",
    )
    .unwrap();
    let held = project.grove(&["merge", "--branch", ANN, "--json"]);
    assert_eq!(held.code, Some(1));
    assert!(!held.stdout.contains("displaced"), "nothing was displaced");
    assert!(refused(&project, &["merge", "undo", ANN]).contains("has not landed"));
    let shown = project.grove_ok(&["merge", "show", ANN]);
    assert!(shown.contains("Would be displaced: README.md:1"), "{shown}");
    let next = format!(
        "Next:    decide place by place in 'grove' (3, then Enter on it), or change the branch and run 'grove merge --branch {ANN}'"
    );
    assert!(shown.contains(&next), "{shown}");
}

#[test]
fn all_that_waits_is_tested_together_and_a_red_one_is_left_out() {
    let gate = "project:\n  qualityGates:\n    - name: tests\n      command: test ! -e red.txt\n      description: green\n";
    let project = project_with(gate);
    for n in 0..4 {
        let name = format!("overstory/a{n}/t-{n}");
        let own = format!("file-{n}.txt");
        let mut files = vec![(own.as_str(), "x\n")];
        if n == 1 {
            files.push(("red.txt", "x\n"));
        }
        branch(&project, &name, &files);
        queued(&project, &name);
    }
    let all = json(&project, &["merge", "--all"]);
    assert_eq!(
        (&all["successCount"], &all["failCount"]),
        (&3.into(), &1.into())
    );
    let names: Vec<&str> = all["results"]
        .as_array()
        .unwrap()
        .iter()
        .map(|r| r["entry"]["branchName"].as_str().unwrap())
        .collect();
    let expected = [0, 1, 2, 3].map(|n| format!("overstory/a{n}/t-{n}"));
    assert_eq!(names, expected, "in the order of the queue");
    assert!(
        all["results"][1]["errorMessage"]
            .as_str()
            .unwrap()
            .contains("quality gate tests failed")
    );
    assert!(project.root().join("file-3.txt").exists());
    assert!(!project.root().join("red.txt").exists());
    assert_eq!(json(&project, &["merge", "--all"])["count"], 0);
}

#[test]
fn the_configured_runtime_is_asked_about_contested_lines() {
    let project = project_with(NO_GATES);
    project.write("pay.rs", "fn pay(a: u8) {}\n");
    project.git(&["add", "-A"]);
    project.git(&["commit", "-q", "-m", "Pay"]);
    branch(&project, ANN, &[("pay.rs", "fn pay(a: u8, tip: u16) {}\n")]);
    project.write("pay.rs", "fn pay(a: u8, tax: u32) {}\n");
    project.git(&["commit", "-q", "-a", "-m", "Tax"]);
    project.install_script("claude", "echo 'fn pay(a: u8, tax: u32, tip: u16) {}'");
    let merged = json(&project, &["merge", "--branch", ANN]);
    assert_eq!(merged["tier"], "ai-resolve");
    assert_eq!(merged["woven"][0]["file"], "pay.rs");
    assert_eq!(
        project.read("pay.rs"),
        "fn pay(a: u8, tax: u32, tip: u16) {}\n"
    );
}

#[test]
fn lines_that_both_sides_added_and_that_land_twice_are_said_in_text_json_and_receipt() {
    let project = project_with(NO_GATES);
    let base = "one\ntwo\nthree\nfour\nfive\nsix\n";
    project.write("list.txt", base);
    project.git(&["add", "list.txt"]);
    project.git(&["commit", "-q", "-m", "List"]);
    let ben = "overstory/ben/t-2";
    for name in [ANN, ben] {
        branch(&project, name, &[("list.txt", &format!("{base}shared\n"))]);
    }
    project.write("list.txt", &format!("shared\n{base}"));
    project.git(&["commit", "-q", "-a", "-m", "On main"]);
    let text = project.grove_ok(&["merge", "--branch", ANN]);
    let note = "Note: list.txt: both sides put in 1 equal line, kept twice: shared (lines 1 and ";
    assert!(text.contains(note), "{text}");
    let shown = project.grove_ok(&["merge", "show", ANN]);
    assert!(
        shown.contains("Twice:   list.txt: both sides put in 1 equal line: shared (lines 1 and "),
        "{shown}"
    );
    project.grove_ok(&["merge", "undo", ANN]);
    let merged = json(&project, &["merge", "--branch", ben]);
    assert_eq!(merged["keptTwice"][0]["file"], "list.txt", "{merged}");
    assert_eq!(merged["keptTwice"][0]["count"], 1, "{merged}");
}

#[test]
fn lines_that_are_back_are_in_the_json() {
    let project = project_with(&format!("{NO_GATES}merge:\n  onDisplaced: commit\n"));
    let base = "top\nbegin\none\ntwo\nend\nlast\n";
    project.write("a.txt", base);
    project.git(&["add", "-A"]);
    project.git(&["commit", "-q", "-m", "Base"]);
    branch(&project, ANN, &[("a.txt", &base.replace("one", "uno"))]);
    project.write("a.txt", "top\nlast\n");
    project.git(&["commit", "-q", "-a", "-m", "Shorter"]);
    let merged = json(&project, &["merge", "--branch", ANN]);
    assert_eq!(merged["tier"], "auto-resolve");
    let back = &merged["broughtBack"];
    assert_eq!(back[0]["text"], "begin", "{merged}");
    assert_eq!(back[0]["removedBy"], "target");
    assert_eq!(back.as_array().map(Vec::len), Some(3));
}

#[test]
fn contested_lines_are_asked_about_through_the_projects_gateway() {
    let gateway = "providers:\n  mine:\n    type: gateway\n    baseUrl: http://127.0.0.1:9\n    authTokenEnv: MY_TOKEN\n\
                   models:\n  merger: mine/big\n";
    let mut project = project_with(&format!("{NO_GATES}{gateway}"));
    project.set_env("MY_TOKEN", "t0");
    project.write("pay.rs", "fn pay(a: u8) {}\n");
    project.git(&["add", "-A"]);
    project.git(&["commit", "-q", "-m", "Pay"]);
    branch(&project, ANN, &[("pay.rs", "fn pay(a: u8, tip: u16) {}\n")]);
    project.write("pay.rs", "fn pay(a: u8, tax: u32) {}\n");
    project.git(&["commit", "-q", "-a", "-m", "Tax"]);
    project.install_script(
        "claude",
        "asked=\"$3 $ANTHROPIC_BASE_URL $ANTHROPIC_AUTH_TOKEN $ANTHROPIC_DEFAULT_SONNET_MODEL\"\n\
         [ \"$asked\" = 'sonnet http://127.0.0.1:9 t0 big' ] && echo 'fn pay(a: u8, tax: u32, tip: u16) {}'",
    );
    let merged = json(&project, &["merge", "--branch", ANN]);
    assert_eq!(merged["tier"], "ai-resolve", "{merged}");
    assert_eq!(
        project.read("pay.rs"),
        "fn pay(a: u8, tax: u32, tip: u16) {}\n"
    );
}

#[test]
fn overlaps_name_agents_files_and_lines() {
    let project = project_with(NO_GATES);
    let text: String = (1..=20).map(|n| format!("line {n}\n")).collect();
    project.write("shared.txt", &text);
    project.write("apart.txt", &text);
    project.git(&["add", "-A"]);
    project.git(&["commit", "-q", "-m", "Shared"]);
    assert_eq!(json(&project, &["conflicts"])["count"], 0);
    project.grove_ok(&["status"]);
    let sessions = Connection::open(project.overstory("sessions.db")).unwrap();
    for (agent, line) in [("ann", 3), ("ben", 18)] {
        let worktree = project.overstory(&format!("worktrees/{agent}"));
        let path = worktree.to_str().unwrap();
        let branch = format!("overstory/{agent}/t-{agent}");
        project.git(&["worktree", "add", "-q", "-b", &branch, path]);
        let change = |n: usize| text.replace(&format!("line {n}\n"), &format!("{agent} {n}\n"));
        std::fs::write(worktree.join("shared.txt"), change(10)).unwrap();
        std::fs::write(worktree.join("apart.txt"), change(line)).unwrap();
        sessions
            .execute(
                "INSERT INTO sessions (id, agent_name, capability, worktree_path, branch_name, task_id, tmux_session, state, started_at, last_activity)
                 VALUES (?1, ?1, 'builder', ?2, ?3, 't', '', 'working', '2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z')",
                [agent, path, &branch],
            )
            .unwrap();
    }
    let found = json(&project, &["conflicts"]);
    let overlaps: Vec<(&str, &str)> = found["overlaps"]
        .as_array()
        .unwrap()
        .iter()
        .map(|o| (o["file"].as_str().unwrap(), o["kind"].as_str().unwrap()))
        .collect();
    assert_eq!(overlaps, [("shared.txt", "region"), ("apart.txt", "file")]);
    assert_eq!(found["overlaps"][0]["regions"][0]["start"], 10);
    assert_eq!(found["agents"].as_array().unwrap().len(), 2);
    let shown = project.grove_ok(&["conflicts"]);
    assert!(
        shown.contains("shared.txt  ann and ben: the same lines (line 10)"),
        "{shown}"
    );
}

#[test]
fn agents_that_began_at_different_times_meet_where_the_lines_are_now() {
    let project = project_with(NO_GATES);
    let text: String = (1..=100).map(|n| format!("line {n}\n")).collect();
    project.write("big.txt", &text);
    project.git(&["add", "-A"]);
    project.git(&["commit", "-q", "-m", "Big"]);
    project.grove_ok(&["status"]);
    let begin = |agent: &str, line: usize| {
        let worktree = project.overstory(&format!("worktrees/{agent}"));
        let path = worktree.to_str().unwrap();
        let branch = format!("overstory/{agent}/t-{agent}");
        project.git(&["worktree", "add", "-q", "-b", &branch, path]);
        let file = worktree.join("big.txt");
        let text = std::fs::read_to_string(&file).unwrap();
        let line = format!("line {line}\n");
        std::fs::write(&file, text.replace(&line, "changed\n")).unwrap();
        let sessions = Connection::open(project.overstory("sessions.db")).unwrap();
        sessions
            .execute(
                "INSERT INTO sessions (id, agent_name, capability, worktree_path, branch_name, task_id, tmux_session, state, started_at, last_activity)
                 VALUES (?1, ?1, 'builder', ?2, ?3, 't', '', 'completed', '2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z')",
                [agent, path, &branch],
            )
            .unwrap();
        project.git_in(&worktree, &["commit", "-q", "-am", agent]);
    };
    begin("ann", 50);
    begin("cat", 80);
    let more: String = (1..=30).map(|n| format!("new {n}\n")).collect();
    project.write("big.txt", &format!("{more}{text}"));
    project.git(&["commit", "-q", "-am", "Prepend"]);
    begin("ben", 50);
    let found = json(&project, &["conflicts"]);
    let overlaps = found["overlaps"].as_array().unwrap().iter();
    let overlaps: Vec<(&str, String)> = overlaps
        .map(|o| (o["kind"].as_str().unwrap(), o["agents"].to_string()))
        .collect();
    assert_eq!(
        overlaps[0],
        ("region", "[\"ann\",\"ben\"]".to_owned()),
        "{found}"
    );
    assert!(
        overlaps[1..].iter().all(|(kind, _)| *kind == "file"),
        "{found}"
    );
    assert_eq!(found["overlaps"][0]["regions"][0]["start"], 80);
    let shown = project.grove_ok(&["conflicts"]);
    assert!(shown.contains("the same lines (line 80)"), "{shown}");
}

#[test]
fn a_request_is_opened_by_people_only_and_says_what_was_done() {
    let mut project = project_with(NO_GATES);
    let origin = project.beside().join("origin.git");
    project.git(&["init", "-q", "--bare", origin.to_str().unwrap()]);
    project.git(&["remote", "add", "origin", origin.to_str().unwrap()]);
    branch(&project, ANN, &[("new.txt", "new\n")]);
    std::fs::create_dir_all(project.overstory("specs")).unwrap();
    std::fs::write(
        project.overstory("specs/t-1.md"),
        "# Add a file\n\nBecause.\n",
    )
    .unwrap();

    let shown = project.grove_ok(&["pr", ANN, "--dry-run"]);
    for part in [
        "Add a file",
        "Because.",
        "Work of overstory/ann/t-1",
        "clean-merge",
    ] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    assert_eq!(
        project.git(&["ls-remote", "origin"]),
        "",
        "nothing was pushed"
    );

    let said = project.beside().join("gh-said");
    project.install_script(
        "gh",
        &format!(
            "echo \"$@\" > {0}; cat >> {0}; echo https://example.org/pull/7",
            said.display()
        ),
    );
    assert_eq!(
        json(&project, &["pr", ANN])["url"],
        "https://example.org/pull/7"
    );
    let said = std::fs::read_to_string(said).unwrap();
    assert!(
        said.contains("pr create --head overstory/ann/t-1 --base main"),
        "{said}"
    );
    assert!(said.contains("Because."), "{said}");
    assert!(project.git(&["ls-remote", "origin"]).contains(ANN));

    project.install_script("gh", "echo no token >&2; exit 4");
    assert!(refused(&project, &["pr", ANN]).contains("no token"));
    project.install_script("gh", "printf 'a \\033]0;title\\007draft\\n'");
    let said = refused(&project, &["pr", ANN]);
    assert!(said.contains("named no request: a "), "{said}");
    assert!(said.contains(&format!("gh pr list --head {ANN}")), "{said}");
    assert!(!said.contains(['\u{1b}', '\u{7}']), "{said}");
    assert!(refused(&project, &["pr", "main"]).contains("nothing to open a request for"));
    project.set_env("OVERSTORY_AGENT_NAME", "ann");
    assert!(refused(&project, &["pr", ANN]).contains("only a person opens pull requests"));
}

#[test]
fn a_pull_request_says_what_a_merge_would_hold() {
    let project = project_with("project:\n  qualityGates: []\nmerge:\n  onDisplaced: hold\n");
    project.write("soup.md", "one\ntwo\nthree\n");
    project.git(&["add", "soup.md"]);
    project.git(&["commit", "-q", "-m", "Soup"]);
    branch(&project, ANN, &[("soup.md", "one\nTWO\nthree\n")]);
    project.write("soup.md", "one\n2\nthree\n");
    project.git(&["commit", "-q", "-am", "Our soup"]);
    let shown = project.grove_ok(&["pr", ANN, "--dry-run"]);
    let said = "1 line of the target would be displaced: it is held for a person.";
    assert!(shown.contains(said), "{shown}");
    assert!(shown.contains("- `soup.md:2`: 1 line"), "{shown}");

    // By itself nobody lands what starts programs.
    let bob = "overstory/bob/t-2";
    branch(&project, bob, &[(".mcp.json", "{}\n")]);
    let shown = project.grove_ok(&["pr", bob, "--dry-run"]);
    assert!(
        shown.contains("\nHeld: ") && shown.contains(".mcp.json"),
        "{shown}"
    );
}

#[test]
fn a_mistyped_target_takes_no_entry_and_what_a_checkout_refused_is_tried_again() {
    let project = project_with(NO_GATES);
    for n in 0..2 {
        let (name, file) = (format!("overstory/a{n}/t-{n}"), format!("file-{n}.txt"));
        branch(&project, &name, &[(&file, "x\n")]);
        queued(&project, &name);
    }
    let told = refused(&project, &["merge", "--all", "--into", "nosuch"]);
    assert!(told.contains("nosuch does not exist"), "{told}");
    let dry = json(&project, &["merge", "--all", "--dry-run"]);
    assert_eq!(dry["entries"].as_array().unwrap().len(), 2);

    project.write("file-1.txt", "mine, uncommitted\n");
    let all = json(&project, &["merge", "--all"]);
    assert_eq!(all["failCount"], 1, "{all}");
    std::fs::remove_file(project.root().join("file-1.txt")).unwrap();
    let again = json(&project, &["merge", "--all"]);
    assert_eq!(
        (&again["count"], &again["successCount"]),
        (&1.into(), &1.into()),
        "{again}"
    );
}

/// "A prediction error becomes tier ai-resolve with reason `prediction-failed: ...`" (§5).
#[test]
fn what_cannot_be_predicted_is_said_of_each_entry() {
    let project = project_with(NO_GATES);
    branch(&project, ANN, &[("new.txt", "new\n")]);
    json(&project, &["merge", "--branch", ANN, "--dry-run"]);
    let words = ["merge", "--all", "--into", "nosuch", "--dry-run"];
    let said = json(&project, &words);
    let prediction = &said["entries"][0]["prediction"];
    assert_eq!(prediction["predictedTier"], "ai-resolve");
    let reason = prediction["reason"].as_str().unwrap();
    assert!(reason.starts_with("prediction-failed: "), "{reason}");
    assert!(reason.contains("nosuch"), "{reason}");
}

#[test]
fn looking_at_merges_makes_no_file() {
    let project = project_with(NO_GATES);
    assert!(!project.overstory("grove.db").exists());
    project.grove_ok(&["merge", "list"]);
    project.grove_ok(&["merge", "--all", "--dry-run"]);
    assert!(!project.overstory("grove.db").exists());
}

#[test]
fn an_undo_leaves_alone_what_the_user_has_staged() {
    let project = project_with(NO_GATES);
    project.write("mine.txt", "committed\n");
    project.git(&["add", "mine.txt"]);
    project.git(&["commit", "-q", "-m", "Mine"]);
    branch(&project, ANN, &[("new.txt", "new\n")]);
    project.grove_ok(&["merge", "--branch", ANN]);
    project.write("mine.txt", "staged\n");
    project.write("added.txt", "added\n");
    project.git(&["add", "mine.txt", "added.txt"]);
    project.write("mine.txt", "changed again\n");
    let status = project.git(&["status", "--porcelain"]);

    project.grove_ok(&["merge", "undo", "1"]);
    assert!(!project.root().join("new.txt").exists());
    assert_eq!(project.git(&["status", "--porcelain"]), status);
    assert_eq!(project.git(&["show", ":mine.txt"]).trim(), "staged");
}

#[test]
fn merging_all_takes_up_what_a_killed_merge_left_behind() {
    let project = project_with(NO_GATES);
    let wait = project.root().join("wait");
    let gate = format!(
        "project:\n  qualityGates:\n    - name: waits\n      command: test ! -e {} || sleep 60\n      description: d\n",
        wait.display()
    );
    std::fs::write(project.overstory("config.local.yaml"), gate).unwrap();
    branch(&project, ANN, &[("new.txt", "new\n")]);
    queued(&project, ANN);
    project.write("wait", "");
    let mut killed = project
        .command(env!("CARGO_BIN_EXE_grove"))
        .args(["merge", "--all"])
        .spawn()
        .unwrap();
    let merging = || {
        let list = json(&project, &["merge", "list"]);
        (list["merges"][0]["status"] == "merging").then_some(())
    };
    wait_until("the merge is under way", LONG, merging, || project.report());
    killed.kill().unwrap();
    killed.wait().unwrap();
    std::fs::remove_file(wait).unwrap();

    let all = json(&project, &["merge", "--all"]);
    assert_eq!(all["successCount"], 1, "{all}");
    assert!(project.root().join("new.txt").exists());
}

#[test]
fn a_landing_that_displaces_lines_is_flagged_in_the_mail_also_to_who_wrote_them() {
    let project = project_with(&format!("{NO_GATES}merge:\n  onDisplaced: commit\n"));
    project.write("list.txt", "one\ntwo\nthree\n");
    project.git(&["add", "list.txt"]);
    project.git(&["commit", "-q", "-m", "List"]);
    let ben = "overstory/ben/t-2";
    branch(&project, ben, &[("list.txt", "one\nby ben\nthree\n")]);
    branch(&project, ANN, &[("list.txt", "one\nby ann\nthree\n")]);
    project.grove_ok(&["status"]);
    let sessions = Connection::open(project.overstory("sessions.db")).unwrap();
    for (agent, branch) in [("ann", ANN), ("ben", ben)] {
        sessions
            .execute(
                "INSERT INTO sessions (id, agent_name, capability, worktree_path, branch_name, task_id, tmux_session, state, started_at, last_activity)
                 VALUES (?1, ?1, 'builder', '/nowhere', ?2, 't', '', 'working', '2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z')",
                [agent, branch],
            )
            .unwrap();
    }
    std::fs::write(project.root().join(".git/hooks/commit-msg"), "#!/bin/sh\n").unwrap();
    std::fs::set_permissions(
        project.root().join(".git/hooks/commit-msg"),
        std::os::unix::fs::PermissionsExt::from_mode(0o755),
    )
    .unwrap();
    project.grove_ok(&["merge", "--branch", ben]);
    let shown = project.grove_ok(&["merge", "--branch", ANN]);
    assert_eq!(project.read("list.txt"), "one\nby ann\nthree\n");
    let told: Vec<&str> = shown
        .lines()
        .map(str::trim)
        .filter(|line| {
            ["Displaced:", "- ", "Note:"]
                .iter()
                .any(|w| line.starts_with(w))
        })
        .collect();
    assert!(told.len() >= 3, "{shown}");
    let mail = project.sql(
        "mail.db",
        "SELECT to_agent, priority, subject, body FROM messages WHERE subject LIKE '%ann%'",
    );
    let to: Vec<&str> = mail.iter().map(|m| m[0].as_str()).collect();
    assert_eq!(to, ["orchestrator", "ann", "ben"], "{mail:?}");
    for m in &mail {
        assert_eq!(m[1], "high", "{m:?}");
        assert!(m[2].contains("displacing lines"), "{m:?}");
        for line in &told {
            assert!(m[3].contains(line), "{line}: {m:?}");
        }
    }
}

#[test]
fn a_merge_that_landed_says_so_where_its_mail_cannot_be_stored_and_mails_it_later() {
    let project = project_with(NO_GATES);
    branch(&project, ANN, &[("new.txt", "new\n")]);
    let send = ["mail", "send", "--to", "orchestrator", "--subject", "s"];
    project.grove_ok(&[&send[..], &["--body", "b"]].concat());
    let mail = Connection::open(project.overstory("mail.db")).unwrap();
    let told = || -> i64 {
        let count = "SELECT count(*) FROM messages WHERE type = 'merged'";
        mail.query_row(count, [], |row| row.get(0)).unwrap()
    };
    mail.execute_batch(
        "CREATE TRIGGER no_room BEFORE INSERT ON messages
         BEGIN SELECT RAISE(FAIL, 'database or disk is full'); END",
    )
    .unwrap();
    let merged = json(&project, &["merge", "--branch", ANN]);
    assert_eq!(merged["success"], true);
    assert_eq!(merged["entry"]["status"], "merged");
    let list = json(&project, &["merge", "list"]);
    let receipt = list["merges"][0]["receiptId"].as_str().unwrap();
    let warnings = merged["warnings"].as_array().unwrap();
    let said = |word: &str| warnings.iter().any(|w| w.as_str().unwrap().contains(word));
    assert!(
        said(&format!("it has landed (receipt {receipt})")),
        "{merged}"
    );
    assert!(said("mail") && said("the next start"), "{merged}");
    assert_eq!(project.read("new.txt"), "new\n");
    assert_eq!(told(), 0);

    let finished = project.grove(&["merge", "--all"]);
    assert_eq!(finished.code, Some(0), "nobody else's merge waits for it");
    assert!(
        finished.stderr.contains("could not be sent yet"),
        "{finished:?}"
    );
    mail.execute_batch("DROP TRIGGER no_room").unwrap();
    for _ in 0..2 {
        project.grove_ok(&["merge", "--all"]);
        assert_eq!(told(), 1);
    }
    assert_eq!(
        json(&project, &["merge", "list"])["merges"][0]["receiptId"],
        receipt
    );
}

/// Main and the branch have each rewritten the same lines; main also deletes a file that the branch changes.
fn held() -> TestProject {
    let project = project_with(&format!(
        "{NO_GATES}merge:\n  aiResolveEnabled: false\n  reimagineEnabled: false\n"
    ));
    let lines = |by: &str| (0..30).map(|n| format!("{by} {n}\n")).collect::<String>();
    project.write("a.txt", &lines("base"));
    project.write("gone.txt", "one\ntwo\n");
    project.git(&["add", "-A"]);
    project.git(&["commit", "-q", "-m", "Base"]);
    branch(
        &project,
        ANN,
        &[("a.txt", &lines("ann")), ("gone.txt", "one\nthree\n")],
    );
    project.write("a.txt", &lines("main"));
    project.git(&["rm", "-q", "gone.txt"]);
    project.git(&["commit", "-q", "-a", "-m", "Main"]);
    project
}

#[test]
fn a_hold_says_which_lines_are_at_stake_and_whose_they_are() {
    let project = held();
    let commit = project.git(&["rev-parse", "main"]);
    let finished = project.grove(&["merge", "--branch", ANN]);
    assert_eq!(finished.code, Some(1));
    let shown = project.grove_ok(&["merge", "show", ANN]);
    let place = format!(
        "Would be displaced: a.txt:1 by Tester ({}), 30 lines",
        &commit[..8]
    );
    assert!(shown.contains(&place), "{shown}");
    for line in ["  - main 0\n", "  - main 29\n"] {
        assert!(shown.contains(line), "{shown}");
    }
    let failed = "Error: All enabled resolution tiers failed (last attempted: auto-resolve)\n";
    assert!(
        finished.stdout.ends_with(failed),
        "programs read what ov prints"
    );
    let why = "auto-resolve skipped for gone.txt: canonical side has deleted it, and the branch changes it";
    assert!(shown.contains(why), "{shown}");
}

#[test]
fn a_branch_that_became_another_s_name_while_it_waited_lands_its_own_work_only() {
    let project = project_with(NO_GATES);
    branch(&project, ANN, &[("ann.txt", "ann\n")]);
    branch(&project, "mine", &[("mine.txt", "mine\n")]);
    queued(&project, ANN);
    let name = format!("refs/heads/{ANN}");
    project.git(&["symbolic-ref", &name, "refs/heads/mine"]);
    project.grove_ok(&["merge", "--all"]);
    let landed = project.git(&["ls-tree", "--name-only", "main"]);
    assert!(
        landed.contains("ann.txt") && !landed.contains("mine.txt"),
        "{landed}"
    );
    let log = project.grove_ok(&["guard", "log"]);
    assert!(log.contains("another name of refs/heads/mine"), "{log}");
}
