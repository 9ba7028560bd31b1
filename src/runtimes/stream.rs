//! What a structured stream says, independent of the CLI that prints it, and how it is drawn.

use serde_json::Value;

/// Tokens and cost of one turn.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Usage {
    pub input: i64,
    pub output: i64,
    pub cache_read: i64,
    pub cache_creation: i64,
    /// Total of the conversation so far in US dollars, when the CLI says so.
    pub total_cost_usd: Option<f64>,
    pub model: Option<String>,
}

/// One thing that happened in a stream.
#[derive(Debug, Clone, PartialEq)]
pub enum StreamEvent {
    SessionStart {
        id: String,
        model: Option<String>,
    },
    Text(String),
    ToolStart {
        id: String,
        name: String,
        input: Value,
    },
    ToolEnd {
        id: String,
        failed: bool,
        text: String,
    },
    /// A turn ended.
    Result {
        failed: bool,
        text: String,
        usage: Usage,
        turns: i64,
        duration_ms: i64,
    },
    RateLimited {
        attempt: i64,
        retry_ms: i64,
        error: String,
    },
    Error(String),
    /// Known and of no interest.
    Ignored,
    /// A line this version does not know; kept as it is.
    Unknown(String),
}

/// Draws an event as lines of a terminal transcript. Control characters of the content are
/// made harmless: it comes from a model.
pub fn render(event: &StreamEvent) -> String {
    match event {
        StreamEvent::SessionStart { model, .. } => {
            format!(
                "\x1b[2m── turn · {} ──\x1b[0m\r\n",
                clean(model.as_deref().unwrap_or("?"))
            )
        }
        StreamEvent::Text(text) => lines("\x1b[1m●\x1b[0m ", "  ", text, usize::MAX),
        StreamEvent::ToolStart { name, input, .. } => {
            format!(
                "\x1b[36m●\x1b[0m \x1b[1m{}\x1b[0m({})\r\n",
                clean(name),
                clean(&summary(input))
            )
        }
        StreamEvent::ToolEnd { failed, text, .. } => {
            let colour = if *failed { "\x1b[31m" } else { "\x1b[2m" };
            let body = lines("  ⎿ ", "    ", text, 6);
            format!("{colour}{body}\x1b[0m")
        }
        StreamEvent::Result {
            failed,
            text,
            usage,
            turns,
            duration_ms,
        } => {
            let mark = if *failed {
                "\x1b[31m✗ turn failed"
            } else {
                "\x1b[32m✓ turn ended"
            };
            let why = if *failed {
                format!(": {}", clean(text))
            } else {
                String::new()
            };
            let cost = usage
                .total_cost_usd
                .map(|c| format!(" · ${c:.4}"))
                .unwrap_or_default();
            format!(
                "{mark}{why}\x1b[0m \x1b[2m{turns} turns · {:.1}s · {}↑ {}↓{cost}\x1b[0m\r\n",
                *duration_ms as f64 / 1000.0,
                usage.input,
                usage.output,
            )
        }
        StreamEvent::RateLimited {
            attempt,
            retry_ms,
            error,
        } => format!(
            "\x1b[33m! {} · attempt {attempt} · again in {:.0}s\x1b[0m\r\n",
            clean(error),
            *retry_ms as f64 / 1000.0
        ),
        StreamEvent::Error(text) => {
            let body = lines("✗ ", "  ", text, 20);
            format!("\x1b[31m{body}\x1b[0m")
        }
        StreamEvent::Unknown(line) => format!("\x1b[2m{}\x1b[0m\r\n", clean(line)),
        StreamEvent::Ignored => String::new(),
    }
}

/// Draws a message given to the agent.
pub fn render_user(text: &str) -> String {
    let body = lines("> ", "  ", text, 12);
    format!("\x1b[35m{body}\x1b[0m")
}

/// The part of a tool's input a person wants to see.
pub fn summary(input: &Value) -> String {
    let keys = [
        "command",
        "file_path",
        "path",
        "pattern",
        "url",
        "query",
        "description",
        "prompt",
    ];
    let found = keys
        .iter()
        .find_map(|k| input.get(*k).and_then(Value::as_str));
    let text = found.map_or_else(|| input.to_string(), str::to_owned);
    let first = text.lines().next().unwrap_or_default();
    let cut: String = first.chars().take(120).collect();
    if cut.len() < text.len() {
        format!("{cut}…")
    } else {
        cut
    }
}

fn lines(first: &str, rest: &str, text: &str, limit: usize) -> String {
    let mut out = String::new();
    let total = text.lines().count();
    for (i, line) in text.lines().take(limit).enumerate() {
        out.push_str(if i == 0 { first } else { rest });
        out.push_str(&clean(line));
        out.push_str("\r\n");
    }
    if total > limit {
        out.push_str(rest);
        out.push_str(&format!("… {} more lines\r\n", total - limit));
    }
    out
}

fn clean(text: &str) -> String {
    text.chars()
        .map(|c| {
            if c.is_control() && c != '\t' {
                '\u{fffd}'
            } else {
                c
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn content_cannot_send_control_sequences() {
        let shown = render(&StreamEvent::Text("a\x1b]52;c;eA==\x07b\x1b[2J".to_owned()));
        let ours = ["\x1b[1m", "\x1b[0m"]
            .iter()
            .fold(shown, |s, o| s.replace(o, ""));
        assert!(!ours.contains('\x1b') && !ours.contains('\x07'), "{ours:?}");
    }

    #[test]
    fn long_tool_output_says_how_much_is_hidden() {
        let text = (0..10)
            .map(|i| i.to_string())
            .collect::<Vec<_>>()
            .join("\n");
        let shown = render(&StreamEvent::ToolEnd {
            id: String::new(),
            failed: false,
            text,
        });
        assert!(shown.contains("… 4 more lines"), "{shown}");
    }
}
