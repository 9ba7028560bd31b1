//! The thin client itself: which commands it takes, how long it waits, what it says without a
//! host. Touches nothing but the socket.

use crate::host::client;
use crate::host::protocol::{Answer, Command};
use crate::platform::env;
use crate::process::tree;
use std::ffi::OsString;
use std::io::{self, Read, Write};
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

/// The longest a tool call waits for its decision; well under the time limit of every CLI,
/// because a hook that is cut off lets the call through.
const DECISION: Duration = Duration::from_secs(8);
const HOOK: Duration = Duration::from_secs(15);
const COMMAND: Duration = Duration::from_secs(180);

/// Largest input of a hook that is read; bytes. More than this is refused.
const MAX_INPUT: u64 = 32 * 1024 * 1024;

/// Commands that run in the agent's own process tree.
const LOCAL: &[&str] = &["sandbox-exec", "script-agent", "host"];

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
    if verb.is_empty() {
        complain(
            "grove is already running around this agent; ask its user to look at the full screen",
        );
        return Some(ExitCode::FAILURE);
    }
    let stdin = match read_input(verb) {
        Ok(stdin) => stdin,
        Err(e) => {
            return Some(no_host(
                event,
                &format!("the hook's input cannot be read: {e}"),
            ));
        }
    };
    let command = Command {
        argv: words.clone(),
        cwd: std::env::current_dir().unwrap_or_default(),
        stdin,
    };
    let deadline = match (verb, event) {
        ("hook", "pre-tool") => Some(DECISION),
        ("hook", "wait") => None,
        ("hook", _) => Some(HOOK),
        _ => Some(COMMAND),
    };
    match client::command(Path::new(&socket), &command, deadline, print) {
        Ok(answer) => Some(ExitCode::from(answer.code.clamp(0, 255) as u8)),
        Err(e) => Some(no_host(
            if verb == "hook" { event } else { "command" },
            &format!("the agent's host does not answer: {e}"),
        )),
    }
}

/// Whether this process was started by an agent that has dropped its environment, and not by
/// the agent's host itself.
fn cut_off_from_host() -> bool {
    tree::is_of_an_agent(std::process::id() as i32)
}

/// A tool call without a decision is refused; a command fails; other hooks let the agent go on.
fn no_host(event: &str, why: &str) -> ExitCode {
    complain(why);
    match event {
        "pre-tool" => ExitCode::from(2),
        "command" => ExitCode::FAILURE,
        _ => ExitCode::SUCCESS,
    }
}

fn complain(text: &str) {
    // A closed stderr must not change the decision.
    drop(
        io::stderr()
            .lock()
            .write_all(format!("grove: {text}\n").as_bytes()),
    );
}

fn read_input(verb: &str) -> io::Result<Vec<u8>> {
    let mut input = Vec::new();
    if READS_INPUT.contains(&verb) {
        io::stdin()
            .lock()
            .take(MAX_INPUT + 1)
            .read_to_end(&mut input)?;
        if input.len() as u64 > MAX_INPUT {
            return Err(io::Error::other("larger than 32 MiB"));
        }
    }
    Ok(input)
}

fn print(answer: &Answer) -> io::Result<()> {
    io::stderr().lock().write_all(answer.stderr.as_bytes())?;
    let mut out = io::stdout().lock();
    out.write_all(answer.stdout.as_bytes())?;
    out.flush()
}
