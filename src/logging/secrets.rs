//! What is secret in this process: tokens of known shapes, and the values of its environment that
//! look secret. Everything that is stored passes here.

use std::borrow::Cow;
use std::io::{self, Write};
use std::sync::{Arc, PoisonError, RwLock};

use crate::platform::env;
use crate::text::{Redactor, redact_json_text, secret_values};

static CURRENT: RwLock<Option<Arc<Redactor>>> = RwLock::new(None);

/// The secrets of this process.
pub fn secrets() -> Arc<Redactor> {
    if let Some(known) = &*CURRENT.read().unwrap_or_else(PoisonError::into_inner) {
        return Arc::clone(known);
    }
    learn_secrets(std::iter::empty::<(String, String)>())
}

/// Adds the secrets of an environment that this process gives to another one.
pub fn learn_secrets(more: impl IntoIterator<Item = (String, String)>) -> Arc<Redactor> {
    let values = secret_values(env::all().into_iter().chain(more));
    let redactor = Arc::new(Redactor::new(&values));
    *CURRENT.write().unwrap_or_else(PoisonError::into_inner) = Some(Arc::clone(&redactor));
    redactor
}

/// The same for log files, where the contract takes every word after `Bearer` for a token.
pub(super) fn secrets_of_logs() -> Arc<Redactor> {
    Arc::new(Redactor::new(&secret_values(env::all())).loose())
}

/// A text as it may be stored.
pub fn storable(text: &str) -> Cow<'_, str> {
    secrets().redact(text)
}

/// A text that is probably JSON as it may be stored.
pub fn storable_json(text: &str) -> Cow<'_, str> {
    redact_json_text(&secrets(), text)
}

/// Takes the secrets out of a log whose lines come whole. A line that cannot be written is lost: what
/// writes the log would otherwise say so on the same log, and end the thread that can do neither.
#[derive(Debug)]
pub struct RedactingWriter<W>(pub W);

impl<W: Write> Write for RedactingWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let text = String::from_utf8_lossy(bytes);
        drop(self.0.write_all(storable(&text).as_bytes()));
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        drop(self.0.flush());
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_that_cannot_be_written_ends_nobody() {
        struct Full;
        impl Write for Full {
            fn write(&mut self, _: &[u8]) -> io::Result<usize> {
                Err(io::ErrorKind::StorageFull.into())
            }
            fn flush(&mut self) -> io::Result<()> {
                Err(io::ErrorKind::StorageFull.into())
            }
        }
        let mut log = RedactingWriter(Full);
        assert!(log.write_all(b"line\n").is_ok() && log.flush().is_ok());
    }

    #[test]
    fn a_log_line_loses_its_token() {
        let mut out = Vec::new();
        RedactingWriter(&mut out)
            .write_all(b"failed with ghp_abc123\n")
            .unwrap();
        assert_eq!(out, b"failed with [REDACTED]\n");
    }
}
