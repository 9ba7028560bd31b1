//! `vhs`: a tape types into a shell what stands in it, and writes pictures.

use crate::commands::Call;
use crate::policy::{Judged, Refusal, rule};
use crate::rules::flags::parse;
use crate::shell::state::State;
use crate::shell::text;
use crate::shell::walk::{Done, Walker};

impl Walker<'_> {
    pub(super) fn vhs(&mut self, call: &Call, st: &mut State) -> Judged<Done> {
        let flags = parse(call.args(), "o", &["output"]);
        let outputs: Vec<String> = flags
            .values(&["o", "output"])
            .into_iter()
            .map(str::to_owned)
            .collect();
        for path in outputs {
            self.write_path(&path, st)?;
        }
        if flags.has(&["p", "publish"]) || flags.first() == "publish" {
            return Err(Refusal::new(
                rule::PUBLISH,
                "vhs would publish the recording; leave it in your worktree and name it in your mail",
            ));
        }
        match flags.first() {
            "" if flags.has(&["help", "h", "version", "v"]) => return Ok(Done::default()),
            "validate" | "themes" | "manual" | "completion" | "help" => return Ok(Done::default()),
            "serve" | "record" => {
                return Err(Refusal::new(
                    rule::UNPROVEN,
                    "what is typed there would run unread; write a tape and run vhs on it",
                ));
            }
            "new" => {
                let Some(path) = flags.operands.get(1) else {
                    return Ok(Done::default());
                };
                self.write_path(path, st)?;
                return Ok(Done::default());
            }
            _ => {}
        }
        if flags.operands.is_empty() {
            let tape = call.stdin.clone().unwrap_or_default();
            self.tape(&tape, st)?;
        }
        for path in &flags.operands {
            match self.known_script(path, st) {
                Some(tape) => self.tape(&tape, st)?,
                None => self.project_script("vhs", path, st)?,
            }
        }
        Ok(Done::default())
    }

    /// Judges a tape as the shell text it types.
    fn tape(&mut self, tape: &str, st: &mut State) -> Judged<()> {
        self.need_writer("records what it runs")?;
        if text::is_any(tape) {
            return Err(Refusal::new(
                rule::UNPROVEN,
                "what this tape types is not known; run vhs on a tape of the project",
            ));
        }
        let mut typed = String::new();
        for line in tape.lines().map(str::trim) {
            let (command, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
            // `Type@500ms "text"`
            let verb = command.split('@').next().unwrap_or(command);
            match verb {
                "Type" | "Paste" => typed.push_str(&strings(rest)),
                "Enter" | "Ctrl+J" | "Ctrl+M" => typed.push('\n'),
                "Output" | "Screenshot" => self.write_path(unquoted(rest), st)?,
                "Env" => {
                    let (name, value) = rest
                        .trim()
                        .split_once(char::is_whitespace)
                        .unwrap_or((rest, ""));
                    self.check_variable(name, unquoted(value), st)?;
                }
                "Source" => match self.known_script(unquoted(rest), st) {
                    Some(other) => self.nested(|walker| walker.tape(&other, st))?,
                    None => self.project_script("vhs", unquoted(rest), st)?,
                },
                // Keys that change what was typed make other text of it.
                "Backspace" | "Delete" | "Left" | "Up" | "Down" | "Home" | "Copy" => {
                    typed.push(text::ANY);
                }
                _ if verb.starts_with("Ctrl+") || verb.starts_with("Alt+") => typed.push('\n'),
                _ => {}
            }
            // Several commands may stand on one line: `Type "ls" Enter`.
            if matches!(verb, "Type" | "Paste") && rest.trim_end().ends_with("Enter") {
                typed.push('\n');
            }
        }
        self.script(&typed, &mut st.for_program()).map(|_| ())
    }
}

/// The text of all strings on a line.
fn strings(line: &str) -> String {
    let mut out = String::new();
    let mut open = None;
    for c in line.chars() {
        match open {
            Some(quote) if c == quote => open = None,
            Some(_) => out.push(c),
            None if matches!(c, '"' | '\'' | '`') => open = Some(c),
            None => {}
        }
    }
    out
}

fn unquoted(text: &str) -> &str {
    text.trim().trim_matches(['"', '\'', '`'])
}
