//! Takes secrets out of text that is about to be stored.
//!
//! What is secret is decided here and nowhere else: tokens of a known shape (`known`, `shapes`), and the
//! values of an environment that look secret by their variable's name or by themselves
//! (`environment`). `stream` does the replacing, byte by byte, so that a secret that arrives in
//! pieces, or broken by colours and line breaks of a terminal, is found as well. `torn_keys` finds the
//! rest of a private key whose first line is not in the text.

mod environment;
mod json;
mod known;
mod noise;
mod redactor;
mod shapes;
mod stream;
#[cfg(test)]
mod tests;
mod torn_keys;

pub use environment::{SecretValue, secret_values};
pub use json::{redact_json, redact_json_text};
pub use redactor::Redactor;
pub use stream::RedactingStream;
pub use torn_keys::below_torn_key;

/// What stands where a secret stood.
pub const REPLACEMENT: &str = "[REDACTED]";
