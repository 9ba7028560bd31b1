//! Grove commands that the agent itself runs.
//!
//! They are done by the host, outside the agent's sandbox and under the agent's own identity:
//! the sender of a mail cannot be forged, and a role can only do what its role may.

use super::protocol::{Answer, Command};
use super::shared::Shared;
use crate::guard::task_refusal;
use crate::platform::env;
use crate::types::agent::can_spawn;
use std::io::Write;
use std::process::Stdio;

/// Commands that any agent may run; the rest is refused.
const EVERYBODY: &[&str] = &[
    "mail",
    "status",
    "prime",
    "spec",
    "inspect",
    "trace",
    "errors",
    "replay",
    "feed",
    "logs",
    "costs",
    "metrics",
    "agents",
    "group",
    "run",
    "doctor",
    "log",
    "guard",
    "worktree",
    "task",
    "expertise",
    "--version",
    "-v",
    "--help",
    "-h",
    "help",
];

/// Commands that can be told to go on for ever; the agent gets their output only when they end.
const FOLLOWING: &[&str] = &["feed", "logs", "inspect", "status"];

/// Commands for roles that lead others.
const LEADING: &[&str] = &["sling", "nudge"];

/// Runs a command for the agent and returns what it printed.
pub fn run(shared: &Shared, command: &Command) -> Answer {
    let refused = refusal(&shared.launch.capability, &command.argv).or_else(|| {
        let task = shared.launch.task_id.as_str();
        other_task(&shared.launch.capability, task, &command.argv)
    });
    if let Some(reason) = refused {
        return Answer {
            code: 1,
            stdout: String::new(),
            stderr: format!("Error [VALIDATION_ERROR]: {reason}\n"),
        };
    }
    let argv = with_own_identity(shared, &command.argv);
    match spawn(shared, command, &argv) {
        Ok(answer) => answer,
        Err(e) => Answer {
            code: 1,
            stdout: String::new(),
            stderr: format!("Error [AGENT_ERROR]: the host could not run the command: {e}\n"),
        },
    }
}

fn refusal(capability: &str, argv: &[String]) -> Option<String> {
    if argv
        .iter()
        .any(|a| a == "--project" || a.starts_with("--project="))
    {
        return Some("agents work in their own project: leave out --project".to_owned());
    }
    let verb = argv
        .iter()
        .find(|a| !a.starts_with('-'))
        .or_else(|| argv.first());
    let Some(verb) = verb.map(String::as_str) else {
        return Some("the full screen cannot be opened inside an agent".to_owned());
    };
    let sub = argv
        .iter()
        .filter(|a| !a.starts_with('-'))
        .nth(1)
        .map(String::as_str);
    if verb == "worktree" && sub != Some("list") {
        return Some("agents may only list worktrees; ask your parent by mail".to_owned());
    }
    if verb == "doctor" && argv.iter().any(|a| a == "--fix") {
        return Some("agents may look at the doctor's findings, not repair".to_owned());
    }
    if verb == "mail" && sub == Some("purge") {
        return Some("agents may not delete mail".to_owned());
    }
    if FOLLOWING.contains(&verb) && argv.iter().any(|a| is_endless(a)) {
        return Some(format!(
            "'grove {verb}' would not end: leave out --follow, and look again when you need to"
        ));
    }
    if EVERYBODY.contains(&verb) || (LEADING.contains(&verb) && can_spawn(capability)) {
        return None;
    }
    if LEADING.contains(&verb) {
        return Some(format!(
            "a {capability} may not run 'grove {verb}'; ask your parent by mail: grove mail send --to <parent> --type question …"
        ));
    }
    Some(format!(
        "'grove {verb}' is not for agents; it is done by the coordinator or by a person. Ask by mail if you need it"
    ))
}

/// Whether an option is `--follow` or `--watch`, also as one of several letters.
fn is_endless(option: &str) -> bool {
    let letters = option
        .strip_prefix('-')
        .filter(|rest| !rest.starts_with('-'));
    ["--follow", "--watch"].contains(&option) || letters.is_some_and(|l| l.contains('f'))
}

/// The guard has judged the text of the command; this is what really runs.
fn other_task(capability: &str, task: &str, argv: &[String]) -> Option<String> {
    let verb = argv.iter().position(|a| !a.starts_with('-'))?;
    if argv.get(verb).is_none_or(|word| word != "task") {
        return None;
    }
    let args = argv.get(verb + 1..).unwrap_or_default();
    task_refusal(capability, Some(task), args)
}

/// Whoever the flags name, the agent speaks for itself.
fn with_own_identity(shared: &Shared, argv: &[String]) -> Vec<String> {
    let words: Vec<&str> = argv.iter().map(String::as_str).collect();
    let name = shared.agent();
    let own: &[&str] = match words.iter().find(|w| !w.starts_with('-')) {
        Some(&"mail") => match words.iter().filter(|w| !w.starts_with('-')).nth(1) {
            Some(&("send" | "reply")) => &["--from", "--agent"],
            Some(&"check") => &["--agent"],
            Some(_) | None => &[],
        },
        Some(&"nudge") => &["--from"],
        Some(&"sling") => &["--parent", "--depth"],
        Some(&"log") => &["--agent"],
        Some(&"expertise") if words.contains(&"outcome") => &["--agent"],
        Some(_) | None => &[],
    };
    let mut kept = Vec::with_capacity(argv.len() + 4);
    let mut skip = false;
    for word in argv {
        if std::mem::take(&mut skip) {
            continue;
        }
        if own.contains(&word.as_str()) {
            skip = true;
        } else if !own
            .iter()
            .any(|o| word.strip_prefix(o).is_some_and(|r| r.starts_with('=')))
        {
            kept.push(word.clone());
        }
    }
    let mut add = |flag: &str, value: String| kept.extend([flag.to_owned(), value]);
    if own.contains(&"--from") {
        add("--from", name.to_owned());
    } else if own.contains(&"--parent") {
        add("--parent", name.to_owned());
        add("--depth", (shared.launch.depth + 1).to_string());
    } else if own.contains(&"--agent") {
        add("--agent", name.to_owned());
    }
    kept
}

fn spawn(shared: &Shared, command: &Command, argv: &[String]) -> std::io::Result<Answer> {
    let cwd = if command.cwd.is_dir() {
        &command.cwd
    } else {
        &shared.launch.cwd
    };
    let mut child = std::process::Command::new(std::env::current_exe()?)
        .args(argv)
        .current_dir(cwd)
        .env_remove(env::HOST_SOCKET)
        .env(env::ACTING_FOR, shared.agent())
        .env(env::AGENT_NAME, shared.agent())
        .env(env::PROJECT_ROOT, &shared.launch.root)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()?;
    if let Some(mut stdin) = child.stdin.take() {
        // A command that does not read its input closes the pipe; that is its right.
        drop(stdin.write_all(&command.stdin));
    }
    let output = child.wait_with_output()?;
    Ok(Answer {
        code: output.status.code().unwrap_or(1),
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        text.split_whitespace().map(str::to_owned).collect()
    }

    #[test]
    fn only_the_own_task_is_closed() {
        let other = |argv: &str| other_task("builder", "t-1", &words(argv));
        assert_eq!(other("task close t-1"), None);
        assert_eq!(other("--json task list"), None);
        assert_eq!(other("mail send --body close"), None);
        assert!(other("task close t-2").is_some());
        assert!(other("--json task update t-2 --status closed").is_some());
    }

    #[test]
    fn a_role_can_only_do_what_its_role_may() {
        for refused in [
            "stop x",
            "merge --all",
            "clean --all",
            "sling t",
            "",
            "mail purge --all",
            "doctor --fix",
            "worktree clean",
            "coordinator stop",
            "hook pre-tool",
            "--json stop x",
            "feed --follow",
            "logs --agent x -qf",
            "inspect x --follow --json",
            "status --watch",
        ] {
            assert!(refusal("builder", &words(refused)).is_some(), "{refused}");
        }
        for allowed in [
            "mail send --to x",
            "mail send --to x --body -f",
            "feed --json",
            "status --json",
            "task ready",
            "expertise search x",
            "worktree list",
            "--version",
        ] {
            assert_eq!(refusal("builder", &words(allowed)), None, "{allowed}");
        }
        assert_eq!(
            refusal("lead", &words("sling t --capability builder")),
            None
        );
        assert!(refusal("lead", &words("stop x")).is_some());
    }

    /// A role that is told to run what it is refused wastes its turns on that.
    #[test]
    fn no_role_is_told_to_run_what_it_may_not() {
        let roles = [
            ("scout", include_str!("../../agents/scout.md")),
            ("builder", include_str!("../../agents/builder.md")),
            ("reviewer", include_str!("../../agents/reviewer.md")),
            ("lead", include_str!("../../agents/lead.md")),
            ("merger", include_str!("../../agents/merger.md")),
            ("supervisor", include_str!("../../agents/supervisor.md")),
            ("monitor", include_str!("../../agents/monitor.md")),
        ];
        for (role, text) in roles {
            let told = text.split("grove ").skip(1).map(|rest| {
                let line = rest.split(['`', '\n']).next().unwrap_or("");
                words(line.trim_end_matches('\\'))
            });
            let mut count = 0;
            for argv in told {
                count += 1;
                assert_eq!(refusal(role, &argv), None, "{role}: grove {argv:?}");
            }
            assert!(count > 0, "{role} is told no command at all");
        }
    }
}
