//! Talking to the agent's host the way a CLI's hooks do.

use std::io;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::host::client::{self, Limits};
use crate::host::protocol::{Answer, Command};
use crate::platform::env;

/// The connection to the host.
pub(super) struct Host {
    socket: PathBuf,
    cwd: PathBuf,
}

impl Host {
    pub(super) fn connect() -> io::Result<Self> {
        let socket = env::var(env::HOST_SOCKET).ok_or_else(|| {
            io::Error::other("it has no host; start it with `grove sling --runtime script`")
        })?;
        Ok(Self {
            socket: PathBuf::from(socket),
            cwd: std::env::current_dir()?,
        })
    }

    /// Calls a hook; blocks as long as the host wants for `wait` and `stall`.
    pub(super) fn hook(&self, event: &str, payload: &Value) -> io::Result<Answer> {
        let waits = matches!(event, "wait" | "stall");
        let limit = (!waits).then_some(Duration::from_secs(15));
        self.call(
            vec!["hook".to_owned(), event.to_owned()],
            payload.to_string(),
            limit,
        )
    }

    /// Runs a grove command under the agent's identity.
    pub(super) fn grove(&self, words: &[&str]) -> io::Result<Answer> {
        let argv = words.iter().map(|w| (*w).to_owned()).collect();
        self.call(argv, String::new(), Some(Duration::from_secs(60)))
    }

    fn call(
        &self,
        argv: Vec<String>,
        stdin: String,
        limit: Option<Duration>,
    ) -> io::Result<Answer> {
        let command = Command {
            argv,
            cwd: self.cwd.clone(),
            stdin: stdin.into_bytes(),
        };
        let until = limit.map(|limit| Instant::now() + limit);
        let limits = Limits {
            answer: until,
            sign: None,
        };
        client::command(&self.socket, &command, limits, |_| Ok(()))
    }

    /// Asks the guard about a tool call; the reason if it is refused.
    pub(super) fn may(&self, tool: &str, input: &Value) -> io::Result<Result<(), String>> {
        let payload = json!({"hook_event_name": "PreToolUse", "tool_name": tool,
            "tool_input": input, "cwd": self.cwd});
        let answer = self.hook("pre-tool", &payload)?;
        Ok(if answer.code == 0 {
            Ok(())
        } else {
            Err(answer.stderr.trim().to_owned())
        })
    }

    /// Tells that a tool has ended; returns text that was delivered with the answer.
    pub(super) fn did(&self, tool: &str) -> io::Result<Option<String>> {
        let payload = json!({"hook_event_name": "PostToolUse", "tool_name": tool});
        let answer = self.hook("post-tool", &payload)?;
        let value: Value = serde_json::from_str(&answer.stdout).unwrap_or(Value::Null);
        let text = value
            .pointer("/hookSpecificOutput/additionalContext")
            .and_then(Value::as_str);
        Ok(text.map(str::to_owned))
    }
}
