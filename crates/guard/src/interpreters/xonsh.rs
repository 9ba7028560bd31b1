//! `xonsh`: lines of Python and lines of shell, which it tells apart as it runs.
//!
//! What reads as shell is judged as shell, and the whole as Python where some of it does not.

use super::syntax::Family;
use crate::commands::Call;
use crate::policy::{Judged, Refusal, rule};
use crate::shell::parser::parse;
use crate::shell::state::State;
use crate::shell::text::{self, ANY};
use crate::shell::walk::{Done, Walker};

/// Signs that begin a command within Python and mean something else to shells.
const OWN: &[&str] = &["$[", "!(", "![", "@(", "@$"];

/// The same, which shells know as well.
const CAPTURES: &[&str] = &["$(", "${", "`"];

impl Walker<'_> {
    /// Judges text that xonsh would run.
    pub(super) fn xonsh(&mut self, code: &str, call: &Call, st: &State) -> Judged<Done> {
        if text::is_any(code) || OWN.iter().any(|sign| code.contains(sign)) {
            return Err(unreadable());
        }
        let mut python = false;
        for line in code.lines() {
            let whole = self.read_as_shell(line, st)?;
            python |= !whole;
            for part in pieces(line, !whole) {
                let shell = self.read_as_shell(part, st)?;
                if !whole && !shell && CAPTURES.iter().any(|sign| part.contains(sign)) {
                    return Err(unreadable());
                }
            }
        }
        if python {
            self.judge_code(&code.into(), Family::Python, &[], call, st)?;
        }
        Ok(Done::printing(ANY))
    }

    /// Judges text as shell, where it is such.
    fn read_as_shell(&mut self, text: &str, st: &State) -> Judged<bool> {
        self.charge(text.len() / 16 + 1)?;
        if parse(text, self.depth).is_err() {
            return Ok(false);
        }
        self.script(text, &mut st.for_program())?;
        Ok(true)
    }
}

/// The parts of a line that xonsh may take for commands of their own.
fn pieces(line: &str, apart: bool) -> Vec<&str> {
    let mut parts: Vec<&str> = line.split(" and ").collect();
    parts = parts.iter().flat_map(|part| part.split(" or ")).collect();
    if apart {
        parts = parts
            .iter()
            .flat_map(|part| part.split([';', ':', '&', '|']))
            .collect();
    }
    if parts.len() < 2 && !apart {
        parts.clear();
    }
    parts.into_iter().map(str::trim).collect()
}

fn unreadable() -> Refusal {
    Refusal::new(
        rule::UNPROVEN,
        "what xonsh would run cannot be read off the text; write the command for bash",
    )
}
