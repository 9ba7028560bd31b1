//! Aliases: the text a shell reads in place of a command's name.
//!
//! They are expanded as lines are read and only where the shell is told to, so that the word may as well be what it
//! is without the alias: both are judged.

use super::ast::Word;
use super::output;
use super::state::State;
use super::walk::{Done, Walker, quote};
use crate::commands::Call;
use crate::policy::{Judged, Refusal, rule};
use crate::rules;

impl Walker<'_> {
    /// `alias NAME=TEXT`, for each of the words.
    pub(super) fn define_aliases(&mut self, args: &[String], st: &mut State) -> Judged<()> {
        self.makes_one_of_several();
        if args.iter().any(|arg| is_everywhere(arg)) {
            return Err(Refusal::new(
                rule::UNPROVEN,
                "such an alias changes words anywhere in later lines; write the command out",
            ));
        }
        let defined = args.iter().filter_map(|arg| arg.split_once('='));
        std::rc::Rc::make_mut(&mut st.aliases)
            .extend(defined.map(|(name, value)| (name.to_owned(), value.to_owned())));
        Ok(())
    }

    /// Judges a command whose name is an alias: with the text of the alias, and as it stands.
    pub(super) fn aliased(
        &mut self,
        value: &str,
        words: &[Word],
        call: Call,
        st: &mut State,
    ) -> Judged<Done> {
        let name = call.argv.first().cloned().unwrap_or_default();
        let code = self.spelled_out(value, words, &call, st);
        let mut plain = st.clone();
        let as_it_stands = match self.run(call.clone(), &mut plain) {
            // Most names of aliases are no programs.
            Err(refusal) if is_of_any(&refusal) && rules::is_unknown(self, &name) => None,
            judged => Some(judged?),
        };
        let is_program = !rules::is_unknown(self, &name);
        self.calls.push(name);
        let outer = std::mem::replace(&mut st.stdin, call.stdin);
        let done = self.script(&code, st);
        st.stdin = outer;
        self.calls.pop();
        let mut done = done?;
        if let Some(other) = as_it_stands.filter(|_| is_program) {
            st.join(plain);
            done = Done {
                out: output::either(done.out, other.out),
                failed: done.failed.or(other.failed),
                enters: false,
            };
        }
        Ok(done)
    }

    /// The command line with the text of the alias; one that ends in a blank has the next word looked up as well.
    fn spelled_out(&self, value: &str, words: &[Word], call: &Call, st: &State) -> String {
        let mut code: String = call
            .env
            .iter()
            .map(|(key, value)| format!("{key}={} ", quote(value)))
            .collect();
        code.push_str(value);
        let mut goes_on = value.ends_with([' ', '\t']);
        let mut is_as_written = true;
        for (at, arg) in call.argv.iter().enumerate().skip(1) {
            is_as_written &= words.get(at).and_then(Word::plain) == Some(arg);
            let alias = st
                .aliases
                .get(arg)
                .filter(|_| goes_on && is_as_written && !self.calls.contains(arg));
            goes_on = alias.is_some_and(|text| text.ends_with([' ', '\t']));
            code.push(' ');
            match alias {
                Some(text) => code.push_str(text),
                // The text may be another alias that ends in a blank.
                None if is_as_written && is_simple(arg) => code.push_str(arg),
                None => code.push_str(&quote(arg)),
            }
        }
        code
    }
}

/// Whether a word is the same with quotes and without.
fn is_simple(word: &str) -> bool {
    let simple = |c: char| c.is_ascii_alphanumeric() || "_-./,:@+%".contains(c);
    !word.is_empty() && word.chars().all(simple)
}

/// `alias -g`, `alias -s` of zsh.
fn is_everywhere(arg: &str) -> bool {
    arg.starts_with('-') && !arg.contains('=') && arg.contains(['g', 's'])
}

/// Whether a refusal is one that every program meets that no rule knows.
fn is_of_any(refusal: &Refusal) -> bool {
    matches!(
        refusal.rule,
        rule::UNPROVEN | rule::READ_ONLY | rule::OUTSIDE
    )
}
