//! Everything a command says goes through here: text, JSON envelopes, quiet mode, colour.

use std::io::{self, IsTerminal, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde::Serialize;
use serde_json::{Map, Value};

use super::error::{CliError, CliResult};
use super::onscreen::harmless;
use super::pieces::Pieces;
use crate::platform::env;
use crate::text::to_compact_json;

/// A part of a line: only what is named here is styled, whatever its text holds.
#[derive(Debug, Clone, Copy)]
pub enum Part<'a> {
    Plain(&'a str),
    Bold(&'a str),
    /// The mark of what went well.
    Good(&'a str),
    /// The mark of a warning.
    Caution(&'a str),
}

/// Where a command's words go, and how.
#[derive(Debug, Clone)]
pub struct Printer {
    json: bool,
    json_errors: bool,
    quiet: bool,
    colour: bool,
    /// Text acts nowhere: it is full of what others have named, and a pipe ends at a pager or a log.
    plain: bool,
    /// Whether something was not printed because nobody read it any more; of all copies.
    reader_left: Arc<AtomicBool>,
}

impl Printer {
    /// Decides about colour from the environment and the terminal.
    pub fn new(json: bool, quiet: bool) -> Self {
        let colour = env::var("NO_COLOR").is_none() && io::stdout().is_terminal();
        Self {
            json,
            json_errors: json,
            quiet,
            colour,
            plain: false,
            reader_left: Arc::default(),
        }
    }

    /// Whether all that was printed could be read: a reader that has left is no error, but what it
    /// should have been given is not delivered.
    pub fn is_read(&self) -> bool {
        !self.reader_left.load(Ordering::Relaxed)
    }

    /// Whether a person reads along, so that remarks about what to do next are welcome.
    pub fn is_terminal(&self) -> bool {
        !self.json && io::stdout().is_terminal()
    }

    /// Answers in JSON or not; errors stay in the form they have.
    #[must_use]
    pub fn answering(mut self, in_json: bool) -> Self {
        self.json = in_json;
        self
    }

    /// Text that would act on a terminal is made harmless wherever it goes. JSON is exact in a pipe, as always.
    #[must_use]
    pub fn plainly(mut self, is_plain: bool) -> Self {
        self.plain = is_plain;
        self
    }

    /// Whether `--json` was given.
    pub fn is_json(&self) -> bool {
        self.json
    }

    /// Prints text followed by a newline; not hidden by `--quiet`. On a terminal it styles nothing.
    pub fn line(&self, text: impl AsRef<str>) -> CliResult<()> {
        let text = text.as_ref();
        if self.plain {
            return self.exact(&harmless(text));
        }
        self.exact(text)
    }

    /// Prints a line to programs as it is.
    fn exact(&self, text: &str) -> CliResult<()> {
        if io::stdout().is_terminal() {
            return self.raw(&format!("{}\n", harmless(text)));
        }
        // Two steps, because some texts are long.
        let mut stdout = io::stdout().lock();
        let written = stdout
            .write_all(text.as_bytes())
            .and_then(|()| stdout.write_all(b"\n"))
            .and_then(|()| stdout.flush());
        self.or_reader_left(written)
    }

    /// Prints text as it is, without a newline of its own. On a terminal it styles nothing.
    pub fn text(&self, text: &str) -> CliResult<()> {
        if io::stdout().is_terminal() {
            return self.raw(&harmless(text));
        }
        self.raw(text)
    }

    /// Prints one line whose parts are styled where colours are shown.
    pub fn parts(&self, parts: &[Part<'_>]) -> CliResult<()> {
        let line: String = parts.iter().map(|part| self.styled(*part)).collect();
        self.raw(&(line + "\n"))
    }

    fn styled(&self, part: Part<'_>) -> String {
        let (style, text) = match part {
            Part::Plain(text) => (None, text),
            Part::Bold(text) => (Some(1), text),
            Part::Good(text) => (Some(32), text),
            Part::Caution(text) => (Some(33), text),
        };
        if !self.plain && !io::stdout().is_terminal() {
            return text.to_owned();
        }
        let text = harmless(text);
        match style.filter(|_| self.colour) {
            Some(style) => format!("\u{1b}[{style}m{text}\u{1b}[0m"),
            None => text,
        }
    }

    /// Prints what is grove's own as it is, sequences included, and flushes, so that a caller knows
    /// it is out. Nothing that others have written goes this way.
    pub fn raw(&self, text: &str) -> CliResult<()> {
        let mut stdout = io::stdout().lock();
        let written = stdout.write_all(text.as_bytes());
        self.or_reader_left(written.and_then(|()| stdout.flush()))
    }

    /// The reader may have left; that is its right.
    fn or_reader_left(&self, written: io::Result<()>) -> CliResult<()> {
        match written {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {
                self.reader_left.store(true, Ordering::Relaxed);
                Ok(())
            }
            other => other.map_err(CliError::from),
        }
    }

    /// Prints a title and the rule below it.
    pub fn header(&self, title: &str) -> CliResult<()> {
        self.parts(&[Part::Bold(title)])?;
        self.line(rule())
    }

    /// Prints `✓ message`; hidden by `--quiet`.
    pub fn success(&self, message: impl AsRef<str>) -> CliResult<()> {
        self.unless_quiet(&[
            Part::Good("✓"),
            Part::Plain(" "),
            Part::Plain(message.as_ref()),
        ])
    }

    /// Prints an indented remark; hidden by `--quiet`.
    pub fn hint(&self, message: impl AsRef<str>) -> CliResult<()> {
        self.unless_quiet(&[Part::Plain("  "), Part::Plain(message.as_ref())])
    }

    /// Prints `! message — detail`; hidden by `--quiet`.
    pub fn warning(&self, message: &str, detail: Option<&str>) -> CliResult<()> {
        let detail = detail.map_or_else(String::new, |detail| format!(" — {detail}"));
        let message = format!(" {message}{detail}");
        self.unless_quiet(&[Part::Caution("!"), Part::Plain(&message)])
    }

    /// Prints to stderr, whatever the mode.
    pub fn note(&self, message: impl AsRef<str>) {
        self.stderr(&format!("{}\n", message.as_ref()));
    }

    /// Prints the success envelope with the fields of `data` beside it.
    pub fn json(&self, command: &str, data: &impl Serialize) -> CliResult<()> {
        let body = to_compact_json(data)?;
        // Inside texts the quotes would be escaped: without these no field can be there twice.
        if !body.contains("\"success\":") && !body.contains("\"command\":") {
            let fields = body.strip_prefix('{').unwrap_or("}");
            let comma = if fields == "}" { "" } else { "," };
            return self.exact(&format!("{}{comma}{fields}", opening(command)?));
        }
        let mut envelope = Map::new();
        envelope.insert("success".into(), Value::Bool(true));
        envelope.insert("command".into(), Value::String(command.to_owned()));
        if let Value::Object(fields) = serde_json::to_value(data)? {
            // A field called `success` replaces the value and keeps the place.
            envelope.extend(fields);
        }
        self.json_bare(&Value::Object(envelope))
    }

    /// Prints the success envelope with one list of JSON values, a long one perhaps.
    pub fn json_list<K: Ord>(&self, command: &str, key: &str, items: &Pieces<K>) -> CliResult<()> {
        let before = format!("{},{}:[", opening(command)?, to_compact_json(key)?);
        self.pieces(items, &before, ",", "]}\n")
    }

    /// Prints many texts, with something before all, between them and after all.
    pub fn pieces<K: Ord>(
        &self,
        pieces: &Pieces<K>,
        before: &str,
        between: &str,
        after: &str,
    ) -> CliResult<()> {
        let [before, between, after] = [before, between, after].map(str::as_bytes);
        if io::stdout().is_terminal() {
            let mut text = Vec::new();
            pieces.write(&mut text, before, between, after)?;
            return self.text(&String::from_utf8_lossy(&text));
        }
        self.or_reader_left(pieces.write(&mut io::stdout().lock(), before, between, after))
    }

    /// Prints any value as one JSON line, without an envelope.
    pub fn json_bare(&self, value: &impl Serialize) -> CliResult<()> {
        self.exact(&to_compact_json(value)?)
    }

    /// Prints an error the way the mode asks for.
    pub fn error(&self, error: &CliError) {
        if !self.json_errors {
            self.complaint(error);
            return;
        }
        let mut envelope = Map::new();
        envelope.insert("success".into(), Value::Bool(false));
        envelope.insert("command".into(), error.envelope_command().into());
        envelope.insert("error".into(), error.message.clone().into());
        let Err(unwritten) = self.json_bare(&Value::Object(envelope)) else {
            return;
        };
        // Who cannot be told in JSON is told all the same.
        self.complaint(error);
        if unwritten != *error {
            self.complaint(&unwritten);
        }
    }

    /// Prints an error for people, whatever form was asked for.
    pub fn complaint(&self, error: &CliError) {
        self.stderr(&error.text(io::stderr().is_terminal()));
    }

    fn unless_quiet(&self, parts: &[Part<'_>]) -> CliResult<()> {
        if self.quiet {
            Ok(())
        } else {
            self.parts(parts)
        }
    }

    fn stderr(&self, text: &str) {
        let mut stderr = io::stderr().lock();
        let written = if self.plain || stderr.is_terminal() {
            stderr.write_all(harmless(text).as_bytes())
        } else {
            stderr.write_all(text.as_bytes())
        };
        // A closed stderr must not turn into a failure of the command.
        written.unwrap_or_default();
    }
}

/// The envelope up to the fields of the command.
fn opening(command: &str) -> CliResult<String> {
    let command = to_compact_json(command)?;
    Ok(format!("{{\"success\":true,\"command\":{command}"))
}

/// The line under headers.
pub(crate) fn rule() -> String {
    "─".repeat(70)
}

#[cfg(test)]
mod tests {
    use super::opening;

    #[test]
    fn the_envelope_names_the_command() {
        assert_eq!(
            opening("mail list").unwrap(),
            r#"{"success":true,"command":"mail list""#
        );
    }
}
