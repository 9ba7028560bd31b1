//! What a `$` or a backquote begins: parameters, substitutions, arithmetic, `$'…'`.
//!
//! Nothing is evaluated.

use std::rc::Rc;

use super::ast::{Param, ParamOp, Piece};
use super::cursor::{Closer, Parsed, Parser, SyntaxError};
use super::spans::{bracket_end, skip_to};
use super::text;
use super::words::{Pieces, Place, close, expression, read};

pub(super) fn backquoted(p: &mut Parser<'_>, pieces: &mut Pieces, quoted: bool) -> Parsed<()> {
    p.part()?;
    let bytes = p.src.as_bytes();
    let mut at = p.pos + 1;
    let mut inner: Vec<u8> = Vec::new();
    loop {
        match bytes.get(at) {
            None => return Err(SyntaxError::Unclosed("a backquote")),
            Some(b'`') => break,
            Some(b'\\') => {
                match bytes.get(at + 1) {
                    Some(c @ (b'`' | b'\\' | b'$')) => inner.push(*c),
                    Some(c @ b'"') if quoted => inner.push(*c),
                    Some(c) => inner.extend([b'\\', *c]),
                    None => return Err(SyntaxError::Unclosed("a backquote")),
                }
                at += 2;
            }
            Some(c) => {
                inner.push(*c);
                at += 1;
            }
        }
    }
    let inner = String::from_utf8(inner).map_err(|_| SyntaxError::Unexpected("a backquote"))?;
    let list = p.deeper(|p| p.inside(&inner, |p| p.whole()))?;
    p.pos = at + 1;
    pieces.push(Piece::Command {
        list: Rc::new(list),
        quoted,
    });
    Ok(())
}

pub(super) fn dollar(p: &mut Parser<'_>, pieces: &mut Pieces, quoted: bool) -> Parsed<()> {
    p.part()?;
    if p.starts("$((")
        && let Some(end) = p.arithmetic_end(p.pos + 3)?
    {
        let inner = p.slice(p.pos + 3, end);
        let word = p.deeper(|p| p.inside(inner, expression))?;
        p.pos = end + 2;
        pieces.push(Piece::Arithmetic(word));
        return Ok(());
    }
    match p.peek_at(1) {
        Some(b'(') => {
            p.pos += 2;
            let list = p.list(Closer::Paren)?;
            close(p, ")", "a command substitution")?;
            pieces.push(Piece::Command {
                list: Rc::new(list),
                quoted,
            });
        }
        Some(b'[') => {
            let end = bracket_end(p.src, p.pos + 2).ok_or(SyntaxError::Unclosed("$["))?;
            let inner = p.slice(p.pos + 2, end);
            let word = p.deeper(|p| p.inside(inner, expression))?;
            p.pos = end + 1;
            pieces.push(Piece::Arithmetic(word));
        }
        Some(b'{') => {
            p.pos += 2;
            let param = p.deeper(|p| braced(p, quoted))?;
            pieces.push(Piece::Param {
                param: Box::new(param),
                quoted,
            });
        }
        Some(c) if c.is_ascii_alphabetic() || c == b'_' => {
            let bytes = p.src.as_bytes();
            let start = p.pos + 1;
            let mut end = start;
            while bytes
                .get(end)
                .is_some_and(|c| c.is_ascii_alphanumeric() || *c == b'_')
            {
                end += 1;
            }
            let name = p.slice(start, end).to_owned();
            p.pos = end;
            simple_param(pieces, name, quoted);
        }
        Some(c) if c.is_ascii_digit() || b"@*#?-$!".contains(&c) => {
            let name = p.slice(p.pos + 1, p.pos + 2).to_owned();
            p.pos += 2;
            simple_param(pieces, name, quoted);
        }
        _ => {
            pieces.text("$", true);
            p.pos += 1;
        }
    }
    Ok(())
}

fn simple_param(pieces: &mut Pieces, name: String, quoted: bool) {
    pieces.push(Piece::Param {
        param: Box::new(Param {
            name,
            index: None,
            indirect: false,
            length: false,
            op: None,
        }),
        quoted,
    });
}

fn braced(p: &mut Parser<'_>, quoted: bool) -> Parsed<Param> {
    let mut param = Param {
        name: String::new(),
        index: None,
        indirect: false,
        length: false,
        op: None,
    };
    if p.peek() == Some(b'!') && p.peek_at(1) != Some(b'}') {
        param.indirect = true;
        p.pos += 1;
    } else if p.peek() == Some(b'#')
        && !matches!(p.peek_at(1), Some(b'}' | b':' | b'%' | b'/' | b'='))
    {
        param.length = true;
        p.pos += 1;
    }
    let bytes = p.src.as_bytes();
    let start = p.pos;
    while bytes
        .get(p.pos)
        .is_some_and(|c| c.is_ascii_alphanumeric() || *c == b'_')
    {
        p.pos += 1;
    }
    if p.pos == start && p.peek().is_some_and(|c| b"@*#?-$!".contains(&c)) {
        p.pos += 1;
    }
    if p.pos == start {
        return Err(SyntaxError::Unexpected("a bad substitution"));
    }
    p.slice(start, p.pos).clone_into(&mut param.name);
    if p.peek() == Some(b'[') {
        let end = bracket_end(p.src, p.pos + 1).ok_or(SyntaxError::Unclosed("a subscript"))?;
        let inner = p.slice(p.pos + 1, end);
        param.index = Some(p.inside(inner, expression)?);
        p.pos = end + 1;
    }
    if let Some((op, plain)) = operator(p)? {
        let operand = read(
            p,
            Place::Operand {
                in_quotes: quoted,
                single_quotes: !(quoted && plain),
            },
        )?;
        param.op = Some((op, operand));
    }
    close(p, "}", "a parameter expansion")?;
    Ok(param)
}

/// The operator after a name, and whether its operand follows the quoting around it.
fn operator(p: &mut Parser<'_>) -> Parsed<Option<(ParamOp, bool)>> {
    let table = [
        (":-", ParamOp::Default, true),
        (":=", ParamOp::Assign, true),
        (":?", ParamOp::Error, true),
        (":+", ParamOp::Alternative, true),
        ("-", ParamOp::Default, true),
        ("=", ParamOp::Assign, true),
        ("?", ParamOp::Error, true),
        ("+", ParamOp::Alternative, true),
        ("##", ParamOp::CutPrefix { longest: true }, false),
        ("#", ParamOp::CutPrefix { longest: false }, false),
        ("%%", ParamOp::CutSuffix { longest: true }, false),
        ("%", ParamOp::CutSuffix { longest: false }, false),
        ("//", ParamOp::Replace { all: true }, false),
        ("/", ParamOp::Replace { all: false }, false),
        ("^^", ParamOp::Upper { all: true }, false),
        ("^", ParamOp::Upper { all: false }, false),
        (",,", ParamOp::Lower { all: true }, false),
        (",", ParamOp::Lower { all: false }, false),
        ("@", ParamOp::Transform, false),
        ("*", ParamOp::Transform, false),
        (":", ParamOp::Substring, false),
    ];
    if p.peek() == Some(b'}') {
        return Ok(None);
    }
    for (spelling, op, plain) in table {
        if p.eat(spelling) {
            return Ok(Some((op, plain)));
        }
    }
    if p.peek().is_none() {
        return Err(SyntaxError::Unclosed("a parameter expansion"));
    }
    Err(SyntaxError::Unexpected("a bad substitution"))
}

/// `$'…'`: the escapes are decoded, because `$'\x67it'` is a program name.
pub(super) fn ansi_c(p: &mut Parser<'_>, pieces: &mut Pieces) -> Parsed<()> {
    p.quote()?;
    let end = skip_to(p.src.as_bytes(), p.pos, b'\'', true)
        .ok_or(SyntaxError::Unclosed("a single quote"))?;
    let decoded = super::output::decode_escapes(p.slice(p.pos, end));
    p.pos = end + 1;
    if text::is_forged(&decoded) {
        return Err(SyntaxError::Unexpected("a private character"));
    }
    pieces.text(&decoded, true);
    Ok(())
}
