//! Request bodies: one JSON object of limited size that arrives in limited time.

use std::pin::Pin;
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::http::StatusCode;
use futures_core::Stream;
use serde_json::{Map, Value};

use super::answer::Failure;
use crate::text::read_json;

/// Mail is text for a model's context; a megabyte is far beyond what makes sense.
pub(super) const MAX_BODY: usize = 1024 * 1024;

/// What some programs put in front of UTF-8.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// A body that trickles in for longer than this is given up.
const PATIENCE: Duration = Duration::from_secs(20);

/// The fields of a request.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Fields(Map<String, Value>);

impl Fields {
    /// Reads the body to its end.
    pub(super) async fn read(body: Body) -> Result<Self, Failure> {
        let bytes = tokio::time::timeout(PATIENCE, collect(body))
            .await
            .map_err(|_| {
                Failure::new(
                    StatusCode::REQUEST_TIMEOUT,
                    "the request body did not arrive in time; send it again",
                )
            })??;
        Self::parse(&bytes)
    }

    /// Takes what JavaScript takes, and as the stores are read: half a surrogate pair, a number beyond
    /// a double, bytes that are no text, a byte order mark in front.
    fn parse(bytes: &[u8]) -> Result<Self, Failure> {
        let bytes = bytes.strip_prefix(BYTE_ORDER_MARK).unwrap_or(bytes);
        match read_json(bytes) {
            Ok(Value::Object(map)) => Ok(Self(map)),
            Ok(_) => Err(Failure::bad("Request body must be a JSON object")),
            Err(e) => Err(Failure::bad(format!("Invalid JSON body: {e}"))),
        }
    }

    /// A field that must be there.
    pub(super) fn required(&self, name: &str) -> Result<String, Failure> {
        self.optional(name)?
            .ok_or_else(|| Failure::bad(format!("Missing or empty field: {name}")))
    }

    /// A text field; missing, null and empty are the same.
    pub(super) fn optional(&self, name: &str) -> Result<Option<String>, Failure> {
        match self.0.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) if text.is_empty() => Ok(None),
            Some(Value::String(text)) => Ok(Some(text.clone())),
            Some(_) => Err(Failure::bad(format!("Field \"{name}\" must be a string"))),
        }
    }

    /// A number of seconds between one and `most`.
    pub(super) fn seconds(&self, name: &str, most: u64) -> Result<Option<Duration>, Failure> {
        match self.0.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(value) => value
                .as_f64()
                .filter(|n| (1.0..=most as f64).contains(n))
                .map(|n| Some(Duration::from_secs_f64(n)))
                .ok_or_else(|| {
                    Failure::bad(format!(
                        "Field \"{name}\" must be a number from 1 to {most}"
                    ))
                }),
        }
    }
}

async fn collect(body: Body) -> Result<Vec<u8>, Failure> {
    let mut stream = body.into_data_stream();
    let mut collected = Vec::new();
    loop {
        let next: Option<Result<Bytes, axum::Error>> =
            std::future::poll_fn(|cx| Pin::new(&mut stream).poll_next(cx)).await;
        match next {
            None => return Ok(collected),
            Some(Ok(part)) if collected.len() + part.len() <= MAX_BODY => {
                collected.extend_from_slice(&part);
            }
            Some(Ok(_)) => {
                return Err(Failure::new(
                    StatusCode::PAYLOAD_TOO_LARGE,
                    format!("the request body is larger than {MAX_BODY} bytes; send less"),
                ));
            }
            Some(Err(e)) => return Err(Failure::bad(format!("the request body ended early: {e}"))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_javascript_reads_is_a_body_and_what_it_refuses_is_none() {
        for (body, text) in [
            (&br#"{"a":"cut \ud800","n":1e400}"#[..], "cut \u{fffd}"),
            (br#"{"a":"\ud83d\ude00"}"#, "\u{1f600}"),
            (b"{\"a\":\"\xff\"}", "\u{fffd}"),
            (b"{\"a\":\"\x7f\"}", "\u{7f}"),
            (b"\xef\xbb\xbf{\"a\":\"x\"}", "x"),
            (br#"{"a":"x","a":"y"}"#, "y"),
        ] {
            let fields = Fields::parse(body).unwrap();
            assert_eq!(fields.required("a").unwrap(), text);
        }
        let nested = format!(
            "{{\"a\":\"x\",\"d\":{}{}}}",
            "[".repeat(900),
            "]".repeat(900)
        );
        assert!(Fields::parse(nested.as_bytes()).is_ok());
        for body in [
            "{\"a\":\"x\ny\"}",
            "{\"a\":\"x\ty\"}",
            "{\"a\":\"\0\"}",
            "{\"a\":01}",
            "{\"a\":1,}",
            "{'a':1}",
            "{\"a\":NaN}",
            "{\"a\":\"\\x41\"}",
        ] {
            let error = format!("{:?}", Fields::parse(body.as_bytes()).unwrap_err());
            assert!(error.contains("Invalid JSON body: "), "{body:?}: {error}");
        }
    }

    #[test]
    fn only_objects_are_bodies_and_errors_are_one_line() {
        for text in [
            "",
            "null",
            "[]",
            "\"x\"",
            "{",
            "{\"a\":1}x",
            "\u{feff}",
            "\u{a0}{}",
        ] {
            let error = format!("{:?}", Fields::parse(text.as_bytes()).unwrap_err());
            assert!(!error.contains("\\n"), "{error}");
        }
        let deep = "[".repeat(100_000);
        assert!(Fields::parse(deep.as_bytes()).is_err());
        let fields = Fields::parse(br#"{"a":"x","b":7,"c":"","t":2.5}"#).unwrap();
        assert_eq!(fields.required("a").unwrap(), "x");
        assert!(fields.required("c").is_err());
        assert!(fields.optional("b").is_err());
        assert_eq!(
            fields.seconds("t", 600).unwrap(),
            Some(Duration::from_millis(2500))
        );
        assert!(fields.seconds("b", 5).is_err());
        assert!(fields.seconds("a", 5).is_err());
    }
}
