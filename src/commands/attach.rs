//! `attach`: one agent's terminal in this terminal.

use std::io::{IsTerminal, Read, Write, stdin, stdout};
use std::os::unix::net::UnixStream;

use crossterm::terminal;

use crate::cli::{CliError, CliResult, Context, Outcome, with_near_agent};
use crate::host::client;
use crate::host::protocol::{self, Exited, Frame, Kind};
use crate::host::shown::Shown;

/// The key that leaves: Ctrl-Q, as in the full screen.
const LEAVE: u8 = 0x11;

/// Show one agent's terminal here; Ctrl-Q leaves, the agent goes on
#[derive(Debug, clap::Args)]
#[command(after_help = "Example: grove attach builder-auth")]
pub struct Args {
    /// Agent to attach to
    agent: String,
    /// Only look: no key reaches the agent
    #[arg(long)]
    read_only: bool,
}

/// Shows an agent that was just started, when this is a terminal and the person wants it.
pub(crate) fn after_start(ctx: &Context, agent: &str) -> CliResult {
    let args = Args {
        agent: agent.to_owned(),
        read_only: false,
    };
    run(ctx, args)
}

/// Runs the command.
pub fn run(ctx: &Context, args: Args) -> CliResult {
    let paths = ctx.paths()?;
    if !stdin().is_terminal() || !stdout().is_terminal() {
        return Err(CliError::new("attach needs a terminal")
            .hint("without one, `grove inspect` and `grove logs` show what an agent does"));
    }
    let agent_error = |e: &dyn std::fmt::Display| CliError::coded("AGENT_ERROR", e.to_string());
    let host = client::running(&paths, &args.agent)
        .map_err(|e| with_near_agent(agent_error(&e), &paths, &args.agent))?;
    let size = terminal::size().map_err(CliError::from)?;
    let wanted = (!args.read_only).then_some(size);
    let stream = client::attach(&host, wanted).map_err(|e| agent_error(&e))?;
    terminal::enable_raw_mode().map_err(CliError::from)?;
    let result = show(&stream, args.read_only);
    let restored = terminal::disable_raw_mode();
    // Whatever modes the agent had set are undone: this terminal is the user's again.
    ctx.out.raw("\x1b[?1049l\x1b[?2004l\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1006l\x1b[?1004l\x1b[<u\x1b[?25h\x1b[0m\r\n")?;
    restored.map_err(CliError::from)?;
    match result? {
        Some(exit) => ctx
            .out
            .note(format!("{} has ended: {}", args.agent, exit.cause)),
        None => ctx.out.note(format!("left {}; it goes on", args.agent)),
    }
    Ok(Outcome::Done)
}

/// Copies both ways until the user leaves or the agent ends.
fn show(stream: &UnixStream, read_only: bool) -> CliResult<Option<Exited>> {
    let mut keys = stream.try_clone()?;
    std::thread::Builder::new()
        .name("keys".to_owned())
        .spawn(move || {
            let mut buffer = [0; 4096];
            while let Ok(n @ 1..) = stdin().lock().read(&mut buffer) {
                let bytes = buffer.get(..n).unwrap_or_default();
                let leave = bytes.iter().position(|b| *b == LEAVE);
                let before = bytes.get(..leave.unwrap_or(n)).unwrap_or_default();
                let sent = before.is_empty()
                    || read_only
                    || protocol::write(&mut keys, &Frame::new(Kind::Input, before)).is_ok();
                if leave.is_some() || !sent {
                    break;
                }
            }
            // The reader below sees the end of the stream.
            keys.shutdown(std::net::Shutdown::Both).unwrap_or_default();
        })?;
    leave_on_signal(stream.try_clone()?)?;
    let mut reader = stream;
    let mut out = stdout().lock();
    loop {
        // The user leaving shows as an error of the connection that was shut down.
        let Ok(Some(frame)) = protocol::read(&mut reader) else {
            return Ok(None);
        };
        match frame.into_shown() {
            Some(Shown::Snapshot { bytes, .. }) => {
                // A snapshot begins with a full reset, which would clear the user's own history.
                out.write_all(b"\x1b[?1049h\x1b[2J\x1b[H")?;
                out.write_all(bytes.strip_prefix(b"\x1bc").unwrap_or(&bytes))?;
            }
            Some(Shown::Output(bytes)) => out.write_all(&bytes)?,
            Some(Shown::Exited(exited)) => {
                out.flush()?;
                return Ok(Some(exited));
            }
            Some(Shown::Resized(_)) | None => {}
        }
        out.flush()?;
    }
}

/// A signal that asks this process to end leaves the agent first, so that the terminal is given
/// back.
fn leave_on_signal(stream: UnixStream) -> CliResult<()> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    std::thread::Builder::new()
        .name("signals".to_owned())
        .spawn(move || {
            runtime.block_on(crate::platform::signals::end());
            stream
                .shutdown(std::net::Shutdown::Both)
                .unwrap_or_default();
        })?;
    Ok(())
}
