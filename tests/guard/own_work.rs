//! What an agent has started, installed or written down itself, and what only looks like it.

use grove::guard::check::check_line;
use serde_json::json;

use crate::place::Place;

fn answered(expected: &str, role: &str, commands: &[&str]) {
    let place = Place::new();
    let wrong: Vec<String> = commands
        .iter()
        .filter_map(|command| {
            let (decision, reason) = place.bash(role, command);
            (decision != expected).then(|| format!("{decision}: {command} ({reason})"))
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_server_that_an_earlier_call_has_started_is_stopped_by_its_pid_file() {
    answered(
        "allow",
        "builder",
        &[
            r#"kill "$(cat server.pid)""#,
            "kill -TERM $(<tmp/server.pid) 2>/dev/null || true",
            "kill -- -$(cat .dev.pid)",
            "PID=$(cat server.pid); kill -0 $PID && kill $PID",
            r#"read -r pid < server.pid; kill "$pid""#,
            "xargs kill < server.pid",
            "pkill -TERM -F server.pid",
            r#"npm start & echo $! > s.pid; sleep 1; kill "$(cat s.pid)""#,
        ],
    );
    answered(
        "block",
        "builder",
        &[
            "kill $(cat {{ROOT}}/server.pid)",
            "kill $(cat /tmp/server.pid)",
            "kill $(cat numbers.txt)",
            "echo 1 > s.pid; kill $(cat s.pid)",
            "pgrep claude > s.pid; kill $(cat s.pid)",
            "pkill -F server.pid node",
            "pkill -P 1",
            "rm -rf $(cat server.pid)",
            "touch $(cat server.pid)/x",
            "$(cat server.pid)",
        ],
    );
}

#[test]
fn words_that_are_taken_apart_by_an_own_separator_are_known() {
    answered(
        "block",
        "builder",
        &[
            r#"IFS=, read -ra c <<< 'git,push'; "${c[@]}""#,
            "IFS=: read -r a b <<< git:push; $a $b",
            r#"while read -ra c; do "${c[@]}"; done <<< $'ls\ngit push'"#,
            r#"mapfile -d , -t c <<< 'git,push'; "${c[@]}""#,
            r#"read -d , a <<< '../x,'; touch "$a""#,
        ],
    );
    answered(
        "allow",
        "builder",
        &[
            r#"IFS=, read -ra p <<< "a,b,c"; for f in "${p[@]}"; do touch "$f.txt"; done"#,
            r#"while IFS= read -r -d '' f; do rm -f "$f"; done < <(find . -name '*.orig' -print0)"#,
        ],
    );
}

#[test]
fn a_folder_with_guard_settings_is_neither_moved_nor_checked_out() {
    answered(
        "block",
        "builder",
        &[
            "git mv .claude x",
            "git checkout HEAD~5 -- .claude",
            "git restore --source HEAD~3 .codex",
        ],
    );
    answered(
        "allow",
        "builder",
        &["git checkout -- .", "git restore .", "git mv src lib"],
    );
}

#[test]
fn what_is_installed_stays_inside_whatever_names_the_place() {
    answered(
        "block",
        "builder",
        &[
            "pip install --target /usr/lib/x y",
            "BUNDLE_PATH=/opt/b bundle install",
            "make install PREFIX=/usr/local",
            "cmake --install build --prefix /usr/local",
            "GOCACHE={{ROOT}}/.cache go build ./...",
            "R_PROFILE_USER=/tmp/x Rscript a.R",
            "corepack enable",
            "nvm install 20",
        ],
    );
    answered(
        "allow",
        "builder",
        &[
            "pip install --target vendor y",
            "GEM_HOME=$PWD/.gems gem install rake",
            "GOBIN=$PWD/bin go install example.com/tool@v1.2.0",
            "make DESTDIR=$PWD/stage PREFIX=/usr/local install",
            "export CARGO_HOME=$HOME/.cargo && cargo build",
            "R_PROFILE_USER=.Rprofile Rscript a.R",
        ],
    );
}

#[test]
fn a_tape_types_what_a_shell_would_run() {
    answered(
        "allow",
        "builder",
        &[
            "vhs demo.tape",
            r#"printf 'Output demo.gif\nType "ls -la"\nEnter\n' > d.tape && vhs d.tape"#,
        ],
    );
    answered(
        "block",
        "builder",
        &[
            r#"printf 'Type "git push"\nEnter\n' > d.tape && vhs d.tape"#,
            r#"printf 'Type "git "\nType "push"\nEnter\n' | vhs"#,
            r"printf 'Output ../x.gif\n' > d.tape && vhs d.tape",
            "vhs publish demo.gif",
            "vhs < /tmp/x.tape",
        ],
    );
    answered("block", "scout", &["vhs demo.tape"]);
}

#[test]
fn a_dialogue_is_held_with_programs_of_the_project_only() {
    answered(
        "allow",
        "builder",
        &[r#"expect -c 'spawn ./bin/app; expect "name:"; send "ada\r"; expect eof'"#],
    );
    answered(
        "block",
        "builder",
        &[
            r#"expect -c 'spawn bash; send "git push\r"'"#,
            r#"expect -c 'spawn sqlite3 x.db; send ".shell git push\r"'"#,
            r#"expect -c 'spawn ./.venv/bin/python; send "x\r"'"#,
            "expect -c 'spawn ./app; puts [exec git push]'",
        ],
    );
}

#[test]
fn the_stash_is_not_said_to_be_shared() {
    let place = Place::new();
    for command in ["git stash clear", "git stash drop stash@{2}"] {
        let (decision, reason) = place.bash("builder", command);
        assert_eq!(decision, "block", "{command}");
        assert!(!reason.contains("shared"), "{reason}");
    }
}

/// Each of these was refused, because nobody said which task is the agent's.
#[test]
fn the_task_that_the_branch_names_is_the_agents_own() {
    let place = Place::new();
    for (expected, command) in [
        ("allow", "sd close task-1"),
        ("allow", "sd close task-1 --reason 'all done'"),
        ("allow", "bd update task-1 --status closed"),
        ("allow", "grove task close task-1"),
        ("block", "sd close task-2"),
        ("block", "sd close task-1 task-2"),
        ("block", "bd update task-2 --status closed"),
        ("block", "sd close ada/task-1"),
    ] {
        let (decision, reason) = place.bash("builder", command);
        assert_eq!(decision, expected, "{command}: {reason}");
    }
    let other = json!({
        "id": 1, "capability": "builder", "tool": "Bash", "input": {"command": "sd close task-1"},
        "worktree": place.worktree, "root": place.root, "agent": "eve",
    });
    let answer = check_line(&other.to_string());
    assert!(answer.contains("\"block\""), "{answer}");
}

#[test]
fn the_branch_of_the_task_keeps_its_name() {
    let place = Place::new();
    for command in [
        "git branch -D overstory/ada/task-1",
        "git branch -m overstory/ada/task-1 overstory/ada/x",
        "git branch -M overstory/ada/x refs/heads/overstory/ada/task-1",
        "git branch -f overstory/ada/task-1 main",
    ] {
        let (decision, reason) = place.bash("builder", command);
        assert_eq!(decision, "block", "{command}");
        assert!(reason.contains("merge queue"), "{command}: {reason}");
    }
    let (decision, reason) = place.bash("builder", "git branch -D overstory/ada/task-12");
    assert_eq!(decision, "allow", "{reason}");
}
