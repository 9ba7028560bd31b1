//! Grove commands that the agent itself runs.
//!
//! They are done by the host, outside the agent's sandbox and under the agent's own identity:
//! the sender of a mail cannot be forged, and a role can only do what its role may. Who acts is told to the
//! command by the variable [`env::ACTING_FOR`], which beats every option; its words are left as they are.

use super::forget_branch;
use super::protocol::{Answer, Command};
use super::refresh_remote;
use super::shared::Shared;
use super::waiting::while_waited_for;
use crate::guard::task_refusal;
use crate::platform::{env, liveness};
use crate::process::tree::{self, Signal};
use crate::types::agent::can_spawn;
use std::io::{self, Write};
use std::os::unix::net::UnixStream;
use std::process::{Child, Output, Stdio};

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

/// Roles that hand over written work: to those they lead, or to who has asked them to look around.
const WRITING_SPECS: &[&str] = &["scout"];

/// Roles that are about the whole team.
const RUNNING_THE_TEAM: &[&str] = &["coordinator", "orchestrator"];

/// Runs a command for the agent and returns what it printed. It ends with `client`, which waits for the answer.
pub fn run(shared: &Shared, command: &Command, client: &UnixStream) -> Answer {
    if let Some(answer) = forget_branch::answer(shared, &command.argv) {
        return answer;
    }
    if let Some(answer) = refresh_remote::answer(shared, &command.argv, client) {
        return answer;
    }
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
    let _slot = shared.commands.take();
    match spawn(shared, command, client) {
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
    if verb == "run" && sub == Some("complete") && !RUNNING_THE_TEAM.contains(&capability) {
        return Some(format!(
            "a {capability} may not end the run, which is everybody's; the coordinator or a person does"
        ));
    }
    if verb == "spec" && !can_spawn(capability) && !WRITING_SPECS.contains(&capability) {
        return Some(format!(
            "a {capability} may not write specs; tell your parent by mail what the spec should say"
        ));
    }
    if verb == "group" && !can_spawn(capability) && !matches!(sub, Some("status" | "list") | None) {
        return Some(
            "groups are made by those who lead; look with 'grove group status'".to_owned(),
        );
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

fn spawn(shared: &Shared, command: &Command, client: &UnixStream) -> io::Result<Answer> {
    // An agent whose worktree has gone still has to say so.
    let root = &shared.paths.root;
    let places = [&command.cwd, &shared.launch.cwd];
    let cwd = places.into_iter().find(|place| place.is_dir());
    let child = std::process::Command::new(std::env::current_exe()?)
        .args(&command.argv)
        .current_dir(cwd.unwrap_or(root))
        .env_remove(env::HOST_SOCKET)
        .env(env::ACTING_FOR, shared.agent())
        .env(env::ACTING_DEPTH, shared.launch.depth.to_string())
        .env(env::AGENT_NAME, shared.agent())
        .env(env::PROJECT_ROOT, &shared.launch.root)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()?;
    let output = attend(child, &command.stdin, client)?;
    Ok(Answer {
        code: output.status.code().unwrap_or(1),
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    })
}

/// Waits for a command, and ends it when nobody waits for its answer any more.
fn attend(child: Child, stdin: &[u8], client: &UnixStream) -> io::Result<Output> {
    let id = liveness::identify(child.id() as i32);
    let left = || {
        tree::signal(id, Signal::Terminate);
    };
    let mut started = Some(child);
    let ended = while_waited_for(client, left, || {
        started.take().map(|child| finish(child, stdin))
    });
    if let Some(mut child) = started {
        child.kill()?;
        child.wait()?;
    }
    ended?.unwrap_or_else(|| Err(io::ErrorKind::NotFound.into()))
}

fn finish(mut child: Child, stdin: &[u8]) -> io::Result<Output> {
    if let Some(mut pipe) = child.stdin.take() {
        // A command that does not read its input closes the pipe; that is its right.
        drop(pipe.write_all(stdin));
    }
    child.wait_with_output()
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
            "run complete",
            "--json run complete",
            "spec write t-2 --body x",
            "group close login",
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
        for role in ["scout", "lead", "monitor"] {
            assert!(refusal(role, &words("run complete")).is_some(), "{role}");
            assert_eq!(refusal(role, &words("run list")), None, "{role}");
        }
        assert_eq!(refusal("orchestrator", &words("run complete")), None);
        assert_eq!(refusal("scout", &words("spec write t-1 --body x")), None);
        assert_eq!(refusal("builder", &words("group status login")), None);
    }

    #[test]
    fn a_command_ends_when_its_client_has_gone() {
        let (host_side, client) = UnixStream::pair().unwrap();
        let endless = std::process::Command::new("sleep")
            .arg("1000000")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let waiting = std::thread::spawn(move || attend(endless, b"", &host_side));
        drop(client);
        let output = waiting.join().unwrap().unwrap();
        assert_eq!(output.status.code(), None, "ended by a signal");
    }

    #[test]
    fn a_command_whose_client_waits_runs_to_its_end() {
        let (host_side, _client) = UnixStream::pair().unwrap();
        let cat = std::process::Command::new("cat")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let output = attend(cat, b"said", &host_side).unwrap();
        assert_eq!(output.stdout, b"said");
        assert!(output.status.success());
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
