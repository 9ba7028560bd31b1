//! Requests of code: what they take along to another machine.

use super::super::reading::{Call, Owner, Source, Value};
use super::Run;
use crate::policy::{Judged, Refusal, rule};
use crate::shell::walk::Walker;

/// Names of functions that send a request.
pub(super) const SENDS: &[&str] = &[
    "post",
    "put",
    "patch",
    "request",
    "urlopen",
    "Request",
    "fetch",
    "post_form",
    "sendto",
    "sendall",
];

/// What is sent under these names; credentials belong into headers.
const BODIES: &[&str] = &["data", "json", "body", "params", "files", "content", "form"];

impl Walker<'_> {
    /// Refuses a request whose body is taken from the environment.
    pub(super) fn sent_by(made: &Call, run: &Run<'_>) -> Judged<()> {
        if !SENDS.contains(&made.name.as_str()) || !run.uses_environment() {
            return Ok(());
        }
        let library = match &made.owner {
            Owner::Module(_) | Owner::None => true,
            Owner::Object(Value::Named(_)) => true,
            Owner::Object(_) => matches!(made.name.as_str(), "sendto" | "sendall"),
        };
        let local = made
            .args
            .first()
            .and_then(Value::as_text)
            .is_some_and(|url| url.contains("://localhost") || url.contains("://127.0.0.1"));
        if !library || local {
            return Ok(());
        }
        let options = made.args.iter().skip(1).flat_map(|arg| {
            let pairs: &[(String, Value)] = if let Value::Map(pairs) = arg {
                pairs
            } else {
                &[]
            };
            pairs
        });
        let named = made
            .keys
            .iter()
            .chain(options)
            .filter(|(key, _)| BODIES.contains(&key.as_str()))
            .map(|(_, value)| value);
        let plain = made
            .args
            .iter()
            .skip(1)
            .filter(|arg| !matches!(arg, Value::Map(_)));
        if named.chain(plain).any(from_outside) {
            return Err(Refusal::new(
                rule::CREDENTIALS,
                "this would send variables of the environment, which hold credentials; send data of your worktree only",
            ));
        }
        Ok(())
    }
}

/// Whether a value comes from the environment, or is the environment itself.
fn from_outside(value: &Value) -> bool {
    value.source() == Source::Outside
        || value.choices().iter().any(|choice| {
            matches!(choice, Value::Named(name) if matches!(name.as_ref(), "os.environ" | "process.env" | "ENV"))
        })
}
