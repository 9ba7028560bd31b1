//! What a script can say. Pure.

use serde::Deserialize;

/// A file to write.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Write {
    pub(super) path: String,
    pub(super) content: String,
}

/// A mail to send.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Mail {
    pub(super) to: String,
    #[serde(rename = "type", default = "status")]
    pub(super) kind: String,
    pub(super) subject: String,
    #[serde(default)]
    pub(super) body: String,
    pub(super) payload: Option<serde_json::Value>,
}

fn status() -> String {
    "status".to_owned()
}

/// Mail to wait for; what is left out may be anything.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct WaitMail {
    pub(super) from: Option<String>,
    #[serde(rename = "type")]
    pub(super) kind: Option<String>,
}

/// One step of a script.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Step {
    /// Print a line.
    Print(String),
    /// Think for this many seconds.
    Wait(f64),
    /// Run a shell command, if the guard allows it.
    Run(String),
    /// Write a file, if the guard allows it.
    Write(Write),
    /// Commit everything.
    Commit(String),
    Mail(Mail),
    /// Report the end of the work to the parent.
    Done(String),
    /// Ask a person and wait for a line.
    Ask(String),
    WaitMail(WaitMail),
    /// Print this many bytes.
    Flood(u64),
    /// Do nothing in the middle of a turn until somebody nudges.
    Stall,
    /// Never end.
    Hang,
    /// Die by a signal.
    Crash,
    /// End with this code.
    Exit(i32),
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    steps: Vec<serde_json::Value>,
}

/// Reads a script; errors name the step.
pub(super) fn parse(text: &str) -> Result<Vec<Step>, String> {
    let file: File = serde_yaml::from_str(text).map_err(|e| e.to_string())?;
    let steps = file.steps.into_iter().enumerate();
    steps
        .map(|(i, value)| serde_json::from_value(value).map_err(|e| format!("step {}: {e}", i + 1)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_step_can_be_written() {
        let text = "steps:\n- print: hi\n- wait: 0.5\n- run: ls\n- write: {path: a, content: b}\n- commit: m\n- mail: {to: x, subject: s}\n- done: ok\n- ask: why\n- wait_mail: {type: worker_done}\n- flood: 10\n- stall\n- hang\n- crash\n- exit: 3\n";
        let steps = parse(text).unwrap();
        assert_eq!(steps.len(), 14);
        assert_eq!(steps[10], Step::Stall);
    }

    #[test]
    fn a_wrong_step_is_named() {
        assert!(
            parse("steps:\n- print: a\n- dance: 1\n")
                .unwrap_err()
                .starts_with("step 2")
        );
        assert!(parse("stepz: []").is_err());
    }
}
