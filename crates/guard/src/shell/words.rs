//! Words: quotes, escapes, expansions and substitutions, read in place by the parser's cursor.
//!
//! Nothing is evaluated. Where quoting rules differ by context (inside double quotes, here-documents,
//! arithmetic) the reading that runs more is the one taken.

use std::rc::Rc;

use super::ast::{Piece, Word};
use super::cursor::{Closer, Parsed, Parser, SyntaxError};
use super::dollar::{ansi_c, backquoted, dollar};
use super::spans::skip_to;
use super::text;

/// Collects pieces and joins neighbouring text of the same kind.
#[derive(Default)]
pub(super) struct Pieces(pub(super) Vec<Piece>);

impl Pieces {
    pub(super) fn text(&mut self, more: &str, is_quoted: bool) {
        if let Some(Piece::Text { text, quoted }) = self.0.last_mut()
            && *quoted == is_quoted
        {
            text.push_str(more);
            return;
        }
        self.push(Piece::Text {
            text: more.to_owned(),
            quoted: is_quoted,
        });
    }

    /// Most words are of one piece: the first makes room for itself alone.
    pub(super) fn push(&mut self, piece: Piece) {
        if self.0.is_empty() {
            self.0.reserve_exact(1);
        }
        self.0.push(piece);
    }
}

/// Where a word is being read, which decides what ends it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    Plain,
    Assignment,
    Regex,
    /// Inside `${…}`: ends at `}`.
    Operand {
        in_quotes: bool,
        single_quotes: bool,
    },
}

pub(super) fn word(p: &mut Parser<'_>) -> Parsed<Word> {
    read(p, Place::Plain)
}

pub(super) fn assignment_value(p: &mut Parser<'_>) -> Parsed<Word> {
    read(p, Place::Assignment)
}

pub(super) fn regex(p: &mut Parser<'_>) -> Parsed<Word> {
    read(p, Place::Regex)
}

/// The body of a here-document whose delimiter is not quoted.
pub(super) fn heredoc(p: &mut Parser<'_>) -> Parsed<Word> {
    let mut pieces = Pieces::default();
    quoted_run(p, &mut pieces, None, "$`\\\n")?;
    Ok(Word { pieces: pieces.0 })
}

/// Arithmetic or a subscript: text in which only expansions count.
pub(super) fn expression(p: &mut Parser<'_>) -> Parsed<Word> {
    let mut pieces = Pieces::default();
    quoted_run(p, &mut pieces, None, "$`\\\"\n")?;
    Ok(Word { pieces: pieces.0 })
}

/// The text of a word without expansions, quotes removed.
pub(super) fn unquoted(word: &Word) -> Option<String> {
    let mut out = String::new();
    for piece in &word.pieces {
        match piece {
            Piece::Text { text, .. } => out.push_str(text),
            Piece::Tilde(name) => {
                out.push('~');
                out.push_str(name);
            }
            Piece::Param { .. }
            | Piece::Command { .. }
            | Piece::Process { .. }
            | Piece::Arithmetic(_) => return None,
        }
    }
    Some(out)
}

pub(super) fn read(p: &mut Parser<'_>, place: Place) -> Parsed<Word> {
    let mut pieces = Pieces::default();
    let mut parens = 0_usize;
    let start = p.pos;
    while let Some(byte) = p.peek() {
        match byte {
            b'}' if matches!(place, Place::Operand { .. }) => break,
            b' ' | b'\t' | b'\n' if place == Place::Regex && parens > 0 => literal(p, &mut pieces),
            b' ' | b'\t' | b'\n' if !matches!(place, Place::Operand { .. }) => break,
            b'<' | b'>' if p.peek_at(1) == Some(b'(') && place != Place::Regex => {
                p.pos += 2;
                let list = p.list(Closer::Paren)?;
                close(p, ")", "a process substitution")?;
                pieces.push(Piece::Process {
                    list: Rc::new(list),
                });
            }
            b'(' if place == Place::Regex => {
                parens += 1;
                literal(p, &mut pieces);
            }
            b')' if place == Place::Regex && parens > 0 => {
                parens -= 1;
                literal(p, &mut pieces);
            }
            b'|' | b'<' | b'>' | b'&' if place == Place::Regex && parens > 0 => {
                literal(p, &mut pieces);
            }
            b'|' if place == Place::Regex && p.peek_at(1) != Some(b'|') => literal(p, &mut pieces),
            b'(' if ends_in_extglob(&pieces) && p.pos > start => extglob(p, &mut pieces)?,
            b';' | b'&' | b'|' | b'(' | b')' | b'<' | b'>'
                if !matches!(place, Place::Operand { .. }) =>
            {
                break;
            }
            b'\\' => {
                p.pos += 1;
                escaped(p, &mut pieces)?;
            }
            b'\''
                if matches!(
                    place,
                    Place::Operand {
                        single_quotes: false,
                        ..
                    }
                ) =>
            {
                literal(p, &mut pieces);
            }
            b'\'' => {
                let from = p.pos + 1;
                let to = skip_to(p.src.as_bytes(), from, b'\'', false)
                    .ok_or(SyntaxError::Unclosed("a single quote"))?;
                pieces.text(p.slice(from, to), true);
                p.pos = to + 1;
            }
            b'"' => {
                p.quote()?;
                p.pos += 1;
                pieces.text("", true);
                quoted_run(p, &mut pieces, Some(b'"'), "$`\\\"\n")?;
            }
            b'$' if p.peek_at(1) == Some(b'\'') && !inside_quotes(place) => {
                p.pos += 2;
                ansi_c(p, &mut pieces)?;
            }
            b'$' if p.peek_at(1) == Some(b'"') && !inside_quotes(place) => p.pos += 1,
            b'$' => dollar(p, &mut pieces, is_quoted(place))?,
            b'`' => backquoted(p, &mut pieces, is_quoted(place))?,
            b'~' if tilde_expands(p, &pieces, place, start) => tilde(p, &mut pieces),
            _ => literal(p, &mut pieces),
        }
    }
    if pieces.0.is_empty() && !matches!(place, Place::Operand { .. }) {
        return Err(SyntaxError::Unexpected("a missing word"));
    }
    Ok(Word { pieces: pieces.0 })
}

fn inside_quotes(place: Place) -> bool {
    matches!(
        place,
        Place::Operand {
            in_quotes: true,
            ..
        }
    )
}

/// Whether what is expanded here is taken as it is. A pattern is one inside of quotes, too.
fn is_quoted(place: Place) -> bool {
    matches!(
        place,
        Place::Operand {
            in_quotes: true,
            single_quotes: false,
        }
    )
}

pub(super) fn close(p: &mut Parser<'_>, end: &str, what: &'static str) -> Parsed<()> {
    if p.eat(end) {
        Ok(())
    } else {
        Err(SyntaxError::Unclosed(what))
    }
}

/// Takes one character, and with it the run of ordinary characters behind it.
fn literal(p: &mut Parser<'_>, pieces: &mut Pieces) {
    let bytes = p.src.as_bytes();
    let start = p.pos;
    p.pos += 1;
    while bytes.get(p.pos).is_some_and(|c| {
        c.is_ascii_alphanumeric() || matches!(c, b'_' | b'-' | b'.' | b'/' | b',') || *c >= 0x80
    }) {
        p.pos += 1;
    }
    pieces.text(p.slice(start, p.pos), false);
}

fn escaped(p: &mut Parser<'_>, pieces: &mut Pieces) -> Parsed<()> {
    p.quote()?;
    let rest = p.slice(p.pos, p.src.len());
    let Some(c) = rest.chars().next() else {
        return Err(SyntaxError::Unclosed("a backslash"));
    };
    p.pos += c.len_utf8();
    if c != '\n' {
        pieces.text(c.encode_utf8(&mut [0; 4]), true);
    }
    Ok(())
}

fn ends_in_extglob(pieces: &Pieces) -> bool {
    matches!(
        pieces.0.last(),
        Some(Piece::Text { text, quoted: false }) if text.ends_with(['?', '*', '+', '@', '!'])
    )
}

/// `@(a|b)`: what it matches is not worked out, any name is possible.
fn extglob(p: &mut Parser<'_>, pieces: &mut Pieces) -> Parsed<()> {
    p.pos += 1;
    let body = p.deeper(|p| {
        let mut found = Pieces::default();
        while let Some(byte) = p.peek() {
            match byte {
                b')' => break,
                b'|' | b' ' => p.pos += 1,
                _ => {
                    let word = read(p, Place::Plain)?;
                    found.0.extend(word.pieces);
                }
            }
        }
        Ok(found)
    })?;
    close(p, ")", "a pattern")?;
    // The expansions inside still run; the text itself becomes "any name".
    for piece in body.0 {
        match piece {
            Piece::Text { .. } | Piece::Tilde(_) => {}
            Piece::Param { .. }
            | Piece::Command { .. }
            | Piece::Process { .. }
            | Piece::Arithmetic(_) => pieces.push(piece),
        }
    }
    pieces.text(text::STAR.encode_utf8(&mut [0; 4]), true);
    Ok(())
}

fn tilde_expands(p: &Parser<'_>, pieces: &Pieces, place: Place, start: usize) -> bool {
    if matches!(place, Place::Regex) {
        return false;
    }
    if inside_quotes(place) {
        return false;
    }
    if p.pos == start {
        return true;
    }
    match pieces.0.last() {
        Some(Piece::Text {
            text,
            quoted: false,
        }) => text.ends_with(':') || text.ends_with('=') && text.len() > 1,
        _ => false,
    }
}

fn tilde(p: &mut Parser<'_>, pieces: &mut Pieces) {
    let bytes = p.src.as_bytes();
    let start = p.pos + 1;
    let mut end = start;
    while bytes
        .get(end)
        .is_some_and(|c| c.is_ascii_alphanumeric() || matches!(c, b'.' | b'_' | b'-' | b'+'))
    {
        end += 1;
    }
    let ends_name = match bytes.get(end) {
        None => true,
        Some(c) => matches!(
            c,
            b'/' | b':'
                | b' '
                | b'\t'
                | b'\n'
                | b';'
                | b'&'
                | b'|'
                | b')'
                | b'<'
                | b'>'
                | b'}'
                | b','
        ),
    };
    if ends_name {
        pieces.push(Piece::Tilde(p.slice(start, end).to_owned()));
        p.pos = end;
    } else {
        literal(p, pieces);
    }
}

/// Text in which only `$`, backquotes and some escapes are special, up to `end` or the end of input.
fn quoted_run(
    p: &mut Parser<'_>,
    pieces: &mut Pieces,
    end: Option<u8>,
    escapes: &str,
) -> Parsed<()> {
    loop {
        let start = p.pos;
        let bytes = p.src.as_bytes();
        while bytes
            .get(p.pos)
            .is_some_and(|c| !matches!(c, b'$' | b'`' | b'\\') && Some(*c) != end)
        {
            p.pos += 1;
        }
        if p.pos > start {
            pieces.text(p.slice(start, p.pos), true);
        }
        match p.peek() {
            None if end.is_none() => return Ok(()),
            None => return Err(SyntaxError::Unclosed("a double quote")),
            Some(b'\\') => match p.peek_at(1) {
                Some(b'\n') => p.pos += 2,
                Some(c) if escapes.as_bytes().contains(&c) => {
                    pieces.text(p.slice(p.pos + 1, p.pos + 2), true);
                    p.pos += 2;
                }
                _ => {
                    pieces.text("\\", true);
                    p.pos += 1;
                }
            },
            Some(b'$') => dollar(p, pieces, true)?,
            Some(b'`') => backquoted(p, pieces, true)?,
            Some(_) => {
                p.pos += 1;
                return Ok(());
            }
        }
    }
}
