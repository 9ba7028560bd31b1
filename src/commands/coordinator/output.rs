//! `output`: the end of the agent's screen.

use std::time::{Duration, Instant};

use serde::Serialize;

use super::role::Role;
use crate::agents::tmux;
use crate::cli::{CliError, CliResult, Context, Outcome, at_least, positive};
use crate::host::client;
use crate::host::screen::Screen;
use crate::platform::ProjectPaths;
use crate::platform::hangup::{self, Woken};
use crate::types::AgentSession;

/// Output with a shorter pause in it belongs together.
const BURST: Duration = Duration::from_millis(40);

#[derive(Serialize)]
struct OutputJson<'a> {
    content: Option<&'a str>,
    lines: i64,
}

/// Runs the command.
pub(super) fn run(
    ctx: &Context,
    role: &Role,
    follow: bool,
    lines: &str,
    interval: &str,
) -> CliResult {
    let lines = positive("--lines", lines)?;
    let interval = at_least("--interval", 1, Some("milliseconds"), interval)?;
    let paths = ctx.paths()?;
    let session = role.living(&paths)?;
    let view = View {
        ctx,
        role,
        lines,
        interval: Duration::from_millis(interval as u64),
    };
    match (hosted(&paths, &session), session.tmux_session.as_str()) {
        (Some(screen), _) => view.host(screen?, follow),
        (None, "") => Err(CliError::agent(format!(
            "{} is running headless — no tmux pane to capture. Use 'grove logs --agent {}' instead.",
            role.title, session.agent_name
        ))),
        (None, terminal) => view.terminal(terminal, follow),
    }
}

/// The screen of a session that has a host.
fn hosted(paths: &ProjectPaths, session: &AgentSession) -> Option<CliResult<Screen>> {
    if !paths.grove_db().exists() {
        return None;
    }
    let host = client::running(paths, &session.agent_name).ok()?;
    let screen = Screen::open(&host, 500).map_err(|e| CliError::agent(e.to_string()));
    (host.session_id == session.id).then_some(screen)
}

struct View<'a> {
    ctx: &'a Context,
    role: &'a Role,
    lines: i64,
    interval: Duration,
}

impl View<'_> {
    /// Ends with the agent, or with whoever reads.
    fn host(&self, mut screen: Screen, follow: bool) -> CliResult {
        let mut shown = screen.tail(self.lines as usize);
        self.show(Some(&shown.join("\n")))?;
        while follow && self.next_picture(&mut screen)? {
            let now = screen.tail(self.lines as usize);
            let news = fresh(&shown, &now);
            if !news.is_empty() {
                let all = if self.ctx.is_json() { &now } else { news };
                self.show(Some(&all.join("\n")))?;
            }
            shown = now;
        }
        Ok(Outcome::Done)
    }

    /// Sleeps until the agent has printed something, and takes it in: what comes in a burst is one
    /// picture, and while it does not pause there is one in each interval. `false` when there will
    /// be no more, or nobody to see it.
    fn next_picture(&self, screen: &mut Screen) -> CliResult<bool> {
        if screen.has_ended() || hangup::wait(screen, None) == Woken::ReaderGone {
            return Ok(false);
        }
        screen.take_in()?;
        let until = Instant::now() + self.interval;
        while !screen.has_ended() {
            let left = until.saturating_duration_since(Instant::now());
            match hangup::wait(screen, Some(left.min(BURST))) {
                Woken::Ready => screen.take_in()?,
                Woken::TimeUp => break,
                Woken::ReaderGone => return Ok(false),
            }
            if left.is_zero() {
                break;
            }
        }
        Ok(true)
    }

    /// A terminal of the other program, which can only be looked at again and again.
    fn terminal(&self, name: &str, follow: bool) -> CliResult {
        let mut shown: Vec<String> = Vec::new();
        loop {
            let text = tmux::capture(name, self.lines as usize);
            let now: Vec<String> = text
                .iter()
                .flat_map(|t| t.lines())
                .map(str::to_owned)
                .collect();
            let news = fresh(&shown, &now);
            if self.ctx.is_json() {
                self.show(text.as_deref())?;
            } else if !news.is_empty() {
                self.show(Some(&news.join("\n")))?;
            }
            if !follow || text.is_none() {
                return Ok(Outcome::Done);
            }
            shown = now;
            if hangup::pause(self.interval) {
                return Ok(Outcome::Done);
            }
        }
    }

    fn show(&self, content: Option<&str>) -> CliResult<()> {
        if self.ctx.is_json() {
            let name = format!("{} output", self.role.name);
            let lines = self.lines;
            return self.ctx.out.json(&name, &OutputJson { content, lines });
        }
        self.ctx.out.line(content.unwrap_or_default())
    }
}

/// The lines of `now` that follow what was shown: what is left after the longest end of `shown`
/// that `now` begins with.
fn fresh<'a>(shown: &[String], now: &'a [String]) -> &'a [String] {
    let longest = shown.len().min(now.len());
    let overlap = (0..=longest)
        .rev()
        .find(|n| now.get(..*n) == shown.get(shown.len() - n..));
    now.get(overlap.unwrap_or(0)..).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::fresh;

    #[test]
    fn only_what_is_new_is_shown() {
        let lines = |text: &str| text.chars().map(String::from).collect::<Vec<_>>();
        let check = |shown: &str, now: &str| fresh(&lines(shown), &lines(now)).concat();
        assert_eq!(check("", "abc"), "abc");
        assert_eq!(check("abc", "abc"), "");
        assert_eq!(check("abc", "bcd"), "d");
        assert_eq!(check("abc", "xyz"), "xyz");
        assert_eq!(check("ab", "abcd"), "cd");
    }
}
