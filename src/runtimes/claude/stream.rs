//! Reading Claude Code's `stream-json` lines.

use crate::runtimes::{StreamEvent, Usage};
use crate::text::read_json;
use serde_json::Value;

/// What one line says; a line with several content blocks gives several events.
pub(super) fn parse(line: &str) -> Vec<StreamEvent> {
    let Ok(value) = read_json::<Value>(line) else {
        return vec![StreamEvent::Unknown(line.to_owned())];
    };
    let text = |pointer: &str| {
        value
            .pointer(pointer)
            .and_then(Value::as_str)
            .map(str::to_owned)
    };
    let number = |pointer: &str| value.pointer(pointer).and_then(Value::as_i64).unwrap_or(0);
    match (text("/type").as_deref(), text("/subtype").as_deref()) {
        (Some("system"), Some("init")) => vec![StreamEvent::SessionStart {
            id: text("/session_id").unwrap_or_default(),
            model: text("/model"),
        }],
        (Some("system"), Some("api_retry")) => vec![StreamEvent::RateLimited {
            attempt: number("/attempt"),
            retry_ms: number("/retry_delay_ms"),
            error: text("/error").unwrap_or_else(|| "retry".to_owned()),
        }],
        (Some("assistant" | "user"), _) => blocks(&value),
        (Some("result"), _) => vec![StreamEvent::Result {
            // `subtype` says "success" for API errors too.
            failed: value
                .pointer("/is_error")
                .and_then(Value::as_bool)
                .unwrap_or(true),
            text: text("/result").unwrap_or_default(),
            usage: usage(&value),
            turns: number("/num_turns"),
            duration_ms: number("/duration_ms"),
        }],
        (Some("error"), _) => {
            vec![StreamEvent::Error(
                text("/error/message").unwrap_or_else(|| line.to_owned()),
            )]
        }
        (Some(_), _) => vec![StreamEvent::Ignored],
        (None, _) => vec![StreamEvent::Unknown(line.to_owned())],
    }
}

fn usage(value: &Value) -> Usage {
    let number = |name: &str| {
        value
            .pointer(&format!("/usage/{name}"))
            .and_then(Value::as_i64)
    };
    Usage {
        input: number("input_tokens").unwrap_or(0),
        output: number("output_tokens").unwrap_or(0),
        cache_read: number("cache_read_input_tokens").unwrap_or(0),
        cache_creation: number("cache_creation_input_tokens").unwrap_or(0),
        total_cost_usd: value.pointer("/total_cost_usd").and_then(Value::as_f64),
        model: value
            .get("modelUsage")
            .and_then(Value::as_object)
            .and_then(|m| m.keys().next().cloned()),
    }
}

fn blocks(value: &Value) -> Vec<StreamEvent> {
    let from_assistant = value.get("type").and_then(Value::as_str) == Some("assistant");
    let Some(content) = value.pointer("/message/content").and_then(Value::as_array) else {
        return vec![StreamEvent::Ignored];
    };
    let text = |block: &Value, key: &str| {
        block
            .get(key)
            .and_then(Value::as_str)
            .unwrap_or_default()
            .to_owned()
    };
    let mut events = Vec::new();
    for block in content {
        match block.get("type").and_then(Value::as_str) {
            Some("text") if from_assistant => {
                events.push(StreamEvent::Text(text(block, "text")));
            }
            Some("tool_use") => events.push(StreamEvent::ToolStart {
                id: text(block, "id"),
                name: text(block, "name"),
                input: block.get("input").cloned().unwrap_or(Value::Null),
            }),
            Some("tool_result") => events.push(StreamEvent::ToolEnd {
                id: text(block, "tool_use_id"),
                failed: block
                    .get("is_error")
                    .and_then(Value::as_bool)
                    .unwrap_or(false),
                text: flatten(block.get("content").unwrap_or(&Value::Null)),
            }),
            Some(_) | None => {}
        }
    }
    events
}

fn flatten(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(parts) => {
            let texts = parts
                .iter()
                .filter_map(|p| p.get("text").and_then(Value::as_str));
            texts.collect::<Vec<_>>().join("\n")
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_api_error_is_a_failure_whatever_the_subtype_says() {
        let line = r#"{"type":"result","subtype":"success","is_error":true,"result":"API Error: 401","num_turns":1,"usage":{"input_tokens":3}}"#;
        let events = parse(line);
        assert!(
            matches!(&events[0], StreamEvent::Result { failed: true, usage, .. } if usage.input == 3)
        );
    }

    #[test]
    fn tool_use_and_result_are_paired_by_id() {
        let start = parse(
            r#"{"type":"assistant","message":{"id":"m","content":[{"type":"text","text":"hi"},{"type":"tool_use","id":"t1","name":"Bash","input":{"command":"ls"}}]}}"#,
        );
        assert_eq!(start.len(), 2);
        let end = parse(
            r#"{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t1","is_error":true,"content":[{"type":"text","text":"no"}]}]}}"#,
        );
        assert_eq!(
            end,
            [StreamEvent::ToolEnd {
                id: "t1".into(),
                failed: true,
                text: "no".into()
            }]
        );
    }

    #[test]
    fn a_line_that_is_not_json_is_kept() {
        assert_eq!(parse("oops"), [StreamEvent::Unknown("oops".into())]);
    }
}
