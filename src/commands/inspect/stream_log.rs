//! What a structured agent's `stdout.log` says about its turns, tools and tokens.

use std::path::Path;

use serde_json::Value;

use super::gather::{TokenUsage, ToolCall, TurnInfo};

const TAIL: usize = 200;

/// The tail of a stream log, understood.
#[derive(Debug, Default)]
pub(super) struct StreamLog {
    pub(super) calls: Vec<ToolCall>,
    pub(super) tokens: Option<TokenUsage>,
    pub(super) turn: Option<TurnInfo>,
}

/// Reads the log of the newest session folder, if there is one.
pub(super) fn read(logs: &Path) -> StreamLog {
    let newest = std::fs::read_dir(logs)
        .into_iter()
        .flatten()
        .filter_map(Result::ok)
        .map(|entry| entry.path())
        .filter(|path| path.is_dir())
        .max();
    let text = newest.and_then(|folder| std::fs::read_to_string(folder.join("stdout.log")).ok());
    text.map_or_else(StreamLog::default, |text| parse(&text))
}

fn parse(text: &str) -> StreamLog {
    let mut log = StreamLog::default();
    let lines: Vec<&str> = text.lines().collect();
    for line in lines.iter().skip(lines.len().saturating_sub(TAIL)) {
        let Ok(event) = crate::text::read_json::<Value>(line) else {
            continue;
        };
        log.take(&event);
    }
    let mid_tool = log
        .calls
        .last()
        .is_some_and(|call| call.duration_ms.is_none());
    if let Some(turn) = &mut log.turn {
        turn.is_mid_tool = mid_tool;
    }
    log
}

impl StreamLog {
    fn take(&mut self, event: &Value) {
        let text = |key: &str| {
            event
                .get(key)
                .and_then(Value::as_str)
                .unwrap_or("")
                .to_owned()
        };
        let number = |key: &str| event.get(key).and_then(Value::as_i64);
        match event.get("type").and_then(Value::as_str) {
            Some("turn_start") => {
                self.turn.get_or_insert_default().current_turn = number("turn").unwrap_or(0);
            }
            Some("tool_start") => self.calls.push(ToolCall {
                tool_name: text("toolName"),
                args: text("argsSummary"),
                duration_ms: None,
                timestamp: text("timestamp"),
            }),
            Some("tool_end") => {
                let name = text("toolName");
                let open = self
                    .calls
                    .iter_mut()
                    .rev()
                    .find(|call| call.tool_name == name && call.duration_ms.is_none());
                if let Some(call) = open {
                    call.duration_ms = number("durationMs");
                }
            }
            Some("turn_end") => {
                self.tokens = Some(TokenUsage {
                    input_tokens: number("inputTokens").unwrap_or(0),
                    output_tokens: number("outputTokens").unwrap_or(0),
                    cache_read_tokens: number("cacheReadTokens").unwrap_or(0),
                    cache_creation_tokens: 0,
                    estimated_cost_usd: None,
                    model_used: event
                        .get("model")
                        .and_then(Value::as_str)
                        .map(str::to_owned),
                });
                self.turn.get_or_insert_default().context_utilization =
                    event.get("contextUtilization").and_then(Value::as_f64);
            }
            Some(_) | None => {}
        }
    }
}
