//! Interpreters: shells, whose text goes back to the walk, and languages, whose one-liners are read for
//! what they start, write and delete.
//!
//! Language code is not executed or fully parsed: what cannot be shown harmless is refused.

mod code_options;
mod code_options_table;
mod edits;
mod effects;
mod expect;
mod foreign;
mod itself;
mod javascript_tools;
mod languages;
mod libraries;
mod lua;
mod modules;
mod options;
mod powershell;
mod reading;
mod servers;
mod shells;
mod syntax;
mod xonsh;
mod zsh;

pub(crate) use effects::endless::refuse_jobs;

use super::commands::Call;
use super::policy::Judged;
use super::shell::state::State;
use super::shell::walk::{Done, Walker};

/// Whether a program of this name is an interpreter.
pub(crate) fn is_known(name: &str) -> bool {
    shells::is_shell(name) || languages::is_language(name)
}

/// Whether a program of this name is an interpreter of a language other than those of shells.
pub(crate) fn is_language(name: &str) -> bool {
    languages::is_language(name)
}

impl Walker<'_> {
    /// Judges an interpreter with its script; `None` when the program is not one.
    pub(crate) fn interpreter(
        &mut self,
        name: &str,
        call: &Call,
        st: &mut State,
    ) -> Judged<Option<Done>> {
        if shells::is_shell(name) {
            return self.shell(name, call, st).map(Some);
        }
        // Build tools that are also a language: `clojure -T:build deploy`.
        if matches!(name, "clojure" | "clj")
            && let Some(judged) = crate::rules::publishing_words(name, call.args())
        {
            judged?;
        }
        if matches!(name, "clojure" | "clj") {
            self.clojure_program(call.args())?;
        }
        self.language(name, call, st)
    }
}
