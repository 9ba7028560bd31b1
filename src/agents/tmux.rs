//! Terminals of agents that another orchestrator keeps in tmux, seen from outside.
//!
//! grove itself uses no tmux. It looks whether such sessions exist, so that agents started by the
//! other program are not taken for dead, and ends one when its agent is to be stopped.

use std::process::{Command, Stdio};

/// A tmux session and the process in its first pane.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TmuxSession {
    /// Session name.
    pub name: String,
    /// Process id of its pane, 0 when it is not told.
    pub pid: i64,
}

/// Socket of the orchestrator's own tmux server.
const SOCKET: &str = "overstory";

/// Whether there may be sessions: asking tmux itself costs a process.
pub fn may_have_sessions() -> bool {
    crate::platform::paths::tmux_socket(SOCKET).exists()
}

/// Lists the sessions on the orchestrator's own tmux socket; empty without tmux or server.
pub fn sessions() -> Vec<TmuxSession> {
    let output = Command::new("tmux")
        .args([
            "-L",
            SOCKET,
            "list-sessions",
            "-F",
            "#{session_name}:#{pane_pid}",
        ])
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output();
    match output {
        Ok(output) if output.status.success() => parse(&String::from_utf8_lossy(&output.stdout)),
        Ok(_) | Err(_) => Vec::new(),
    }
}

/// Name of the session this process runs in, as tmux says.
pub fn own_session() -> Option<String> {
    let output = Command::new("tmux")
        .args(["display-message", "-p", "#S"])
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output()
        .ok()?;
    let name = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    (output.status.success() && !name.is_empty()).then_some(name)
}

/// Ends a session; whether it was there. `=` asks for exactly this name, not for one that begins
/// like it.
pub fn kill(name: &str) -> bool {
    Command::new("tmux")
        .args(["-L", SOCKET, "kill-session", "-t", &format!("={name}")])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}

/// The last lines of such a terminal, as it shows them; `None` when it is not there.
pub fn capture(name: &str, lines: usize) -> Option<String> {
    let output = Command::new("tmux")
        .args(["-L", SOCKET, "capture-pane", "-p", "-t", name, "-S"])
        .arg(format!("-{lines}"))
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output()
        .ok()
        .filter(|output| output.status.success())?;
    Some(
        String::from_utf8_lossy(&output.stdout)
            .trim_end()
            .to_owned(),
    )
}

fn parse(text: &str) -> Vec<TmuxSession> {
    text.lines()
        .filter_map(|line| {
            let (name, pid) = line.rsplit_once(':')?;
            Some(TmuxSession {
                name: name.to_owned(),
                pid: pid.parse().unwrap_or(0),
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_may_hold_colons() {
        assert_eq!(
            parse("overstory-p-a:12\nodd:name:x\nnothing\n"),
            [
                TmuxSession {
                    name: "overstory-p-a".into(),
                    pid: 12
                },
                TmuxSession {
                    name: "odd:name".into(),
                    pid: 0
                }
            ]
        );
    }
}
