//! The thin client itself: which commands it takes, how long it waits, what it says without a
//! host. Touches nothing but the socket.

use crate::host::client::{self, Limits};
use crate::host::protocol::{Answer, Command};
use crate::platform::patience::read_until;
use crate::platform::{closed, env};
use crate::process::origin::{Origin, origin, same_program};
use crate::process::tree;
use std::ffi::OsString;
use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// The longest a tool call waits for its decision, reading its input and finding the host
/// included; well under the time limit of every CLI,
/// because a hook that is cut off lets the call through.
const DECISION: Duration = Duration::from_secs(8);
const HOOK: Duration = Duration::from_secs(15);
const COMMAND: Duration = Duration::from_secs(180);
/// How long a host may show no sign of life: it takes up a connection at once, whatever it is doing, unless it is
/// stopped or the machine is.
const SIGN: Duration = Duration::from_secs(5);

/// Largest description of a tool call that is judged; bytes. More than this is refused at once: models write no call as
/// large, and judging one takes a part of [`DECISION`] that grows with it, on a slow machine all of it.
const MAX_CALL: usize = 2 * 1024 * 1024;
/// Largest input of all others that is read; bytes.
const MAX_INPUT: usize = 32 * 1024 * 1024;

/// Commands that run in the agent's own process tree.
const LOCAL: &[&str] = &["sandbox-exec", "script-agent", "host"];

/// Commands that need nothing but what they are given and what can be read.
const NEED_NO_HOST: &[(&str, &str)] = &[("guard", "explain")];

/// Hooks that let the agent go on without an answer.
const FAIL_OPEN: &[&str] = &[
    "post-tool",
    "prompt",
    "session-start",
    "stop",
    "notification",
    "pre-compact",
    "session-end",
    "wait",
    "stall",
];

/// Commands that may read standard input. Others must not wait for it.
const READS_INPUT: &[&str] = &["hook", "spec", "guard"];

/// Does the whole work when this process was started by an agent, or is a hook; `None` when
/// the command line should go on.
pub fn inside_agent(arguments: &[OsString]) -> Option<ExitCode> {
    let socket = env::var(env::HOST_SOCKET);
    let words: Vec<String> = arguments
        .iter()
        .skip(1)
        .map(|a| a.to_string_lossy().into_owned())
        .collect();
    let verb = words.first().map_or("", String::as_str);
    // The other processes of the agent are not to answer in its place.
    if verb == "hook"
        && let Err(e) = closed::to_others()
    {
        complain(&format!("other processes can look into this hook: {e}"));
    }
    if verb == "host" && cut_off_from_host() {
        complain("hosts are started by `grove sling`, not inside an agent");
        return Some(ExitCode::FAILURE);
    }
    if LOCAL.contains(&verb) {
        return None;
    }
    if socket.is_none() && verb != "hook" {
        return cut_off_from_host().then(|| {
            complain("this process belongs to an agent, but not its environment; run grove with the environment the agent was started with");
            ExitCode::FAILURE
        });
    }
    let event = if verb == "hook" {
        words.get(1).map_or("", String::as_str)
    } else {
        ""
    };
    let Some(socket) = socket else {
        return Some(no_host(
            event,
            "this process has no agent host; hooks are set up by `grove sling`",
        ));
    };
    let second = words.get(1).map_or("", String::as_str);
    if NEED_NO_HOST.contains(&(verb, second)) {
        return None;
    }
    if verb.is_empty() {
        complain(
            "grove is already running around this agent; ask its user to look at the full screen",
        );
        return Some(ExitCode::FAILURE);
    }
    let until = match (verb, event) {
        ("hook", "pre-tool") => Some(DECISION),
        ("hook", "wait" | "stall") => None,
        ("hook", _) => Some(HOOK),
        _ => Some(COMMAND),
    }
    .map(|limit| Instant::now() + limit);
    let most = if event == "pre-tool" {
        MAX_CALL
    } else {
        MAX_INPUT
    };
    let stdin = match read_input(verb, most, until) {
        Ok(stdin) => stdin,
        Err(e) => {
            return Some(no_host(
                event,
                &format!(
                    "the description of this call cannot be read: {e}; make the call smaller, in several steps"
                ),
            ));
        }
    };
    let command = Command {
        argv: words.clone(),
        cwd: std::env::current_dir().unwrap_or_default(),
        stdin,
    };
    let limits = Limits {
        answer: until,
        sign: match (verb, event) {
            // One decision at a time is all that an agent waits for, and it is refused without an answer.
            ("hook", "pre-tool" | "wait" | "stall") => until.map(|_| DECISION),
            _ => Some(SIGN),
        },
    };
    match client::command(Path::new(&socket), &command, limits, print) {
        Ok(answer) => Some(ExitCode::from(answer.code.clamp(0, 255) as u8)),
        Err(e) => Some(no_host(
            if verb == "hook" { event } else { "command" },
            &unanswered(&e),
        )),
    }
}

/// Whether this process was started by an agent that has dropped its environment.
fn cut_off_from_host() -> bool {
    let own = std::process::id() as i32;
    match origin(own, tree::is_host) {
        Some(Origin::Agent(_)) => true,
        // A program of the agent may call itself a host, and give its own session to others.
        Some(Origin::Host(host)) => !same_program(own, host),
        Some(Origin::Outside) | None => false,
    }
}

/// A tool call without a decision is refused, and so is a hook that nobody knows: it may have been meant for one. A command
/// fails; other hooks let the agent go on.
fn no_host(event: &str, why: &str) -> ExitCode {
    complain(why);
    match event {
        "command" => ExitCode::FAILURE,
        known if FAIL_OPEN.contains(&known) => ExitCode::SUCCESS,
        _ => ExitCode::from(2),
    }
}

/// What the agent can do about it.
fn unanswered(error: &io::Error) -> String {
    let kind = error.kind();
    if kind == io::ErrorKind::ResourceBusy {
        return error.to_string();
    }
    let next = if kind == io::ErrorKind::TimedOut {
        "it is busy; try the same once more"
    } else if kind == io::ErrorKind::HostUnreachable {
        "it is stopped, or the machine is; try the same once more, and if that fails too, end your turn and say so: a \
         person wakes it with `kill -CONT` or starts you again, and your work is kept"
    } else if kind == io::ErrorKind::PermissionDenied {
        "run grove with the environment the agent was started with"
    } else {
        "without it nothing can be judged or sent: end your turn and say so, your work is kept"
    };
    format!("the host of this agent does not answer ({error}); {next}")
}

fn complain(text: &str) {
    // A closed stderr must not change the decision.
    drop(
        io::stderr()
            .lock()
            .write_all(format!("grove: {text}\n").as_bytes()),
    );
}

fn read_input(verb: &str, most: usize, until: Option<Instant>) -> io::Result<Vec<u8>> {
    if READS_INPUT.contains(&verb) {
        read_until(io::stdin().lock(), most, until)
    } else {
        Ok(Vec::new())
    }
}

fn print(answer: &Answer) -> io::Result<()> {
    io::stderr().lock().write_all(answer.stderr.as_bytes())?;
    let mut out = io::stdout().lock();
    out.write_all(answer.stdout.as_bytes())?;
    out.flush()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_that_is_asked_too_much_is_told_of_in_one_sentence() {
        let said = "agent 'mal' asks its host too much at once; try the same again in a moment";
        let busy = io::Error::new(io::ErrorKind::ResourceBusy, said);
        assert_eq!(unanswered(&busy), said);
        let refused = io::Error::new(io::ErrorKind::PermissionDenied, "not yours");
        assert!(unanswered(&refused).contains("with the environment"));
    }
}
