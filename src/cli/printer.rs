//! Everything a command says goes through here: text, JSON envelopes, quiet mode, colour.

use std::io::{self, IsTerminal, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde::Serialize;
use serde_json::{Map, Value};

use super::error::{CliError, CliResult};
use super::pieces::Pieces;
use crate::platform::env;
use crate::text::to_compact_json;

/// Where a command's words go, and how.
#[derive(Debug, Clone)]
pub struct Printer {
    json: bool,
    json_errors: bool,
    quiet: bool,
    colour: bool,
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

    /// Whether `--json` was given.
    pub fn is_json(&self) -> bool {
        self.json
    }

    /// Prints text followed by a newline; not hidden by `--quiet`.
    pub fn line(&self, text: impl AsRef<str>) -> CliResult<()> {
        let text = text.as_ref();
        if io::stdout().is_terminal() {
            return self.raw(&format!("{}\n", without_controls(text)));
        }
        // Two steps, because some texts are long.
        let mut stdout = io::stdout().lock();
        let written = stdout
            .write_all(text.as_bytes())
            .and_then(|()| stdout.write_all(b"\n"))
            .and_then(|()| stdout.flush());
        self.or_reader_left(written)
    }

    /// Prints bytes as they are and flushes, so that a caller knows they are out.
    pub fn raw(&self, text: &str) -> CliResult<()> {
        self.bytes(text.as_bytes())
    }

    fn bytes(&self, bytes: &[u8]) -> CliResult<()> {
        let mut stdout = io::stdout().lock();
        self.or_reader_left(stdout.write_all(bytes).and_then(|()| stdout.flush()))
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
        self.line(self.bold(title))?;
        self.line(rule())
    }

    /// Prints `✓ message`; hidden by `--quiet`.
    pub fn success(&self, message: impl AsRef<str>) -> CliResult<()> {
        self.unless_quiet(&format!("{} {}", self.paint("32", "✓"), message.as_ref()))
    }

    /// Prints an indented remark; hidden by `--quiet`.
    pub fn hint(&self, message: impl AsRef<str>) -> CliResult<()> {
        self.unless_quiet(&format!("  {}", message.as_ref()))
    }

    /// Prints `! message — detail`; hidden by `--quiet`.
    pub fn warning(&self, message: &str, detail: Option<&str>) -> CliResult<()> {
        let detail = detail.map_or_else(String::new, |detail| format!(" — {detail}"));
        self.unless_quiet(&format!("{} {message}{detail}", self.paint("33", "!")))
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
            return self.line(format!("{}{comma}{fields}", opening(command)?));
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
            return self.raw(&without_controls(&String::from_utf8_lossy(&text)));
        }
        self.or_reader_left(pieces.write(&mut io::stdout().lock(), before, between, after))
    }

    /// Prints any value as one JSON line, without an envelope.
    pub fn json_bare(&self, value: &impl Serialize) -> CliResult<()> {
        self.line(to_compact_json(value)?)
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
        // Nothing is left to report an error to if even this cannot be written.
        self.json_bare(&Value::Object(envelope)).unwrap_or_default();
    }

    /// Prints an error for people, whatever form was asked for.
    pub fn complaint(&self, error: &CliError) {
        self.stderr(&error.text(io::stderr().is_terminal()));
    }

    /// Makes text bold where colours are shown.
    pub fn bold(&self, text: &str) -> String {
        self.paint("1", text)
    }

    /// Makes text faint where colours are shown.
    pub fn dim(&self, text: &str) -> String {
        self.paint("2", text)
    }

    fn paint(&self, code: &str, text: &str) -> String {
        if self.colour {
            format!("\u{1b}[{code}m{text}\u{1b}[0m")
        } else {
            text.to_owned()
        }
    }

    fn unless_quiet(&self, text: &str) -> CliResult<()> {
        if self.quiet { Ok(()) } else { self.line(text) }
    }

    #[expect(clippy::unused_self, reason = "the printer is the only door to stderr")]
    fn stderr(&self, text: &str) {
        // A closed stderr must not turn into a failure of the command.
        io::stderr()
            .lock()
            .write_all(text.as_bytes())
            .unwrap_or_default();
    }
}

/// The envelope up to the fields of the command.
fn opening(command: &str) -> CliResult<String> {
    let command = to_compact_json(command)?;
    Ok(format!("{{\"success\":true,\"command\":{command}"))
}

/// What others have written may hold sequences that move, clear or retitle the terminal. Only our
/// own colours pass: `ESC [ digits m`.
fn without_controls(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let tail = rest.get(c.len_utf8()..).unwrap_or_default();
        if c == '\u{1b}'
            && let Some(body) = tail.strip_prefix('[')
            && let Some(end) = body.find(|c: char| !c.is_ascii_digit() && c != ';')
            && body.get(end..).is_some_and(|b| b.starts_with('m'))
        {
            out.push_str(rest.get(..end + 3).unwrap_or_default());
            rest = body.get(end + 1..).unwrap_or_default();
            continue;
        }
        out.push(if c.is_control() && c != '\n' && c != '\t' {
            '\u{fffd}'
        } else {
            c
        });
        rest = tail;
    }
    out
}

/// The line under headers.
pub(crate) fn rule() -> String {
    "─".repeat(70)
}

#[cfg(test)]
mod tests {
    use super::{opening, without_controls};

    #[test]
    fn the_envelope_names_the_command() {
        assert_eq!(
            opening("mail list").unwrap(),
            r#"{"success":true,"command":"mail list""#
        );
    }

    #[test]
    fn only_colours_reach_the_terminal() {
        let shown = without_controls("\u{1b}[1mbold\u{1b}[0m \u{1b}[2Jx\u{1b}]0;t\u{7}y\r");
        assert_eq!(
            shown,
            "\u{1b}[1mbold\u{1b}[0m \u{fffd}[2Jx\u{fffd}]0;t\u{fffd}y\u{fffd}"
        );
    }
}
