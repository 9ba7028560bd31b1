//! Words to values: parameters, substitutions, splitting, patterns. Runs the commands inside
//! substitutions through the walk, so their effects are judged too.
//!
//! Values that are not known become placeholders (`text`); nothing is read from the environment.

use std::rc::Rc;

use super::ast::{Piece, Word};
use super::braces;
use super::fields::{Part, separators, split};
use super::lists::{is_apart, is_of_all};
use super::params::is_all_fields;
use super::state::{State, Var};
use super::text::{self, ANY, TOKEN};
use super::walk::{Walker, too_much};
use crate::paths::Place;
use crate::policy::Judged;

/// A value longer than this is no longer followed.
const LONGEST: usize = 256 * 1024;

impl Walker<'_> {
    /// Expands words into the fields a command receives, where their patterns find something.
    pub(crate) fn fields(&mut self, words: &[Word], st: &mut State) -> Judged<Vec<String>> {
        let mut out = self.unread_fields(words, st)?;
        for field in out.iter_mut().filter(|field| text::has_escape(field)) {
            *field = text::as_found(field);
        }
        Ok(out)
    }

    /// The same with the backslashes still in them that such patterns take away.
    pub(super) fn unread_fields(&mut self, words: &[Word], st: &mut State) -> Judged<Vec<String>> {
        let mut out = Vec::with_capacity(words.len());
        for word in words {
            self.fields_of(word, st, &mut out)?;
        }
        Ok(out)
    }

    fn fields_of(&mut self, word: &Word, st: &mut State, out: &mut Vec<String>) -> Judged<()> {
        self.charge(1)?;
        if let [Piece::Text { text, quoted }] = word.pieces.as_slice()
            && (*quoted || !text.contains('{'))
        {
            out.push(if *quoted {
                text.clone()
            } else {
                text::activate(text)
            });
            return Ok(());
        }
        let Some(words) = braces::expand(word) else {
            out.push(ANY.to_string());
            return Ok(());
        };
        for word in &words {
            self.charge(6)?;
            let parts = self.parts(word, st)?;
            let before = out.len();
            split(parts, separators(st), out);
            // A word that comes out of another costs at least what one does that was written.
            self.charge(2 * (out.len() - before).saturating_sub(1))?;
        }
        if out.len() > 20_000 {
            return Err(too_much());
        }
        Ok(())
    }

    fn parts(&mut self, word: &Word, st: &mut State) -> Judged<Vec<Part>> {
        let mut parts = Vec::with_capacity(word.pieces.len());
        self.charge(word.pieces.len().saturating_sub(1))?;
        for piece in &word.pieces {
            match piece {
                Piece::Text { text, quoted: true } => parts.push(Part::Solid(text.clone())),
                Piece::Text {
                    text,
                    quoted: false,
                } => parts.push(Part::Solid(text::activate(text))),
                Piece::Tilde(name) => parts.push(Part::Solid(tilde(name, st))),
                Piece::Param { param, quoted } => {
                    if *quoted && is_all_fields(param) {
                        parts.push(match Self::all_elements(param, st)? {
                            Some(fields) => Part::Fields(fields),
                            None => Part::Solid(ANY.to_string()),
                        });
                        continue;
                    }
                    if *quoted && is_of_all(param) && is_apart(param) {
                        parts.push(match self.operated_all(param, true, st)? {
                            Some(fields) => Part::Fields(fields),
                            None => Part::Solid(ANY.to_string()),
                        });
                        continue;
                    }
                    let value = self.param(param, st)?;
                    parts.push(if *quoted {
                        Part::Solid(value)
                    } else {
                        Part::Soft(value)
                    });
                }
                Piece::Command { list, quoted } => {
                    let value = self.substitution(list, st)?;
                    parts.push(if *quoted {
                        Part::Solid(value)
                    } else {
                        Part::Soft(value)
                    });
                }
                Piece::Process { list } => parts.push(Part::Solid(self.process(list, st)?)),
                Piece::Arithmetic(inner) => {
                    self.arithmetic(inner, st)?;
                    parts.push(Part::Solid(TOKEN.to_string()));
                }
            }
        }
        Ok(parts)
    }

    /// Expands a word into one value, as assignments, redirections and here-documents do.
    pub(crate) fn scalar(&mut self, word: &Word, st: &mut State) -> Judged<String> {
        self.charge(word.pieces.len().max(1))?;
        let mut out = String::new();
        for piece in &word.pieces {
            match piece {
                Piece::Text { text, .. } => out.push_str(text),
                Piece::Tilde(name) => out.push_str(&tilde(name, st)),
                Piece::Param { param, .. } => {
                    let value = self.param(param, st)?;
                    out.push_str(&value);
                }
                Piece::Command { list, .. } => {
                    let value = self.substitution(list, st)?;
                    out.push_str(&value);
                }
                Piece::Process { list } => {
                    let value = self.process(list, st)?;
                    out.push_str(&value);
                }
                Piece::Arithmetic(inner) => {
                    self.arithmetic(inner, st)?;
                    out.push(TOKEN);
                }
            }
            if out.len() > LONGEST {
                return Ok(ANY.to_string());
            }
        }
        self.charge(out.len() / 256)?;
        Ok(out)
    }

    /// A pattern operand: like a scalar, with unquoted pattern characters active.
    pub(super) fn pattern(&mut self, word: &Word, st: &mut State) -> Judged<String> {
        let mut out = String::new();
        for part in self.parts(word, st)? {
            match part {
                Part::Solid(text) => out.push_str(&text),
                Part::Soft(text) => out.push_str(&text::activate_value(&text)),
                Part::Fields(fields) => out.push_str(&fields.join(" ")),
            }
        }
        if holds_quoted_class(word) {
            out = out.replace('[', &text::BRACKET.to_string());
        }
        Ok(out)
    }

    pub(super) fn substitution(
        &mut self,
        list: &Rc<super::ast::List>,
        st: &State,
    ) -> Judged<String> {
        let mut inner = st.clone();
        let mut out =
            self.loosely(|walker| walker.nested(|walker| walker.list(list, &mut inner)))?;
        self.leave(&inner, st)?;
        if let Some(file) = read_only_file(list) {
            // `$(<file)` is the text of the file.
            let path = self.scalar(file, &mut inner)?;
            out = self.content(&path, &inner).to_string();
        }
        if out.len() > LONGEST {
            return Ok(ANY.to_string());
        }
        Ok(out.trim_end_matches('\n').to_owned())
    }

    pub(super) fn process(&mut self, list: &Rc<super::ast::List>, st: &State) -> Judged<String> {
        let mut inner = st.clone();
        // What a `>( )` will be fed is not worked out; for `<( )` nothing is taken from it.
        inner.stdin = Some(ANY.to_string().into());
        let out = self.loosely(|walker| walker.nested(|walker| walker.list(list, &mut inner)))?;
        self.leave(&inner, st)?;
        Ok(self.pipe_file(out))
    }
}

pub(crate) fn is_name(name: &str) -> bool {
    !name.is_empty()
        && !name.starts_with(|c: char| c.is_ascii_digit())
        && name.bytes().all(|c| c.is_ascii_alphanumeric() || c == b'_')
}

pub(crate) fn place_text(places: &[Place]) -> String {
    match places {
        [Place::Known(path)] => path.to_string_lossy().into_owned(),
        _ => ANY.to_string(),
    }
}

fn tilde(name: &str, st: &State) -> String {
    match name {
        "" => st
            .var("HOME")
            .map_or_else(|| text::HOME.to_owned(), Var::value),
        "+" => place_text(&st.cwd),
        "-" => place_text(&st.old_cwd),
        _ => format!("{}/..user/{name}", text::HOME),
    }
}

/// The file of a list that is nothing but `<file`.
fn read_only_file(list: &super::ast::List) -> Option<&Word> {
    let [item] = list.items.as_slice() else {
        return None;
    };
    let ([super::ast::Command::Simple(simple)], true) =
        (item.first.stages.as_slice(), item.rest.is_empty())
    else {
        return None;
    };
    match simple.redirects.as_slice() {
        [redirect]
            if redirect.op == super::ast::RedirectOp::Read
                && simple.words.is_empty()
                && simple.assigns.is_empty() =>
        {
            Some(&redirect.target)
        }
        _ => None,
    }
}

/// Whether a class of a pattern holds quoted signs, so that it ends in another piece: `[!a-z\/]`.
fn holds_quoted_class(word: &Word) -> bool {
    let plain = |piece: &Piece, sign: char| matches!(piece, Piece::Text { text, quoted: false } if text.contains(sign));
    let opens = word.pieces.iter().position(|piece| plain(piece, '['));
    opens.is_some_and(|at| {
        word.pieces
            .iter()
            .skip(at + 1)
            .any(|piece| plain(piece, ']'))
    })
}
