//! Modules that start programs, brought in and then not used: `import subprocess` and no word of it behind.
//!
//! Looks at names only, wherever they stand. One that could come by the module without its name is use enough.

use super::super::syntax::{Family, Part, Token, tokens};
use super::names::GATEWAYS;

/// Ways to what a program has brought in that do not say its name.
const WAYS: &[&str] = &[
    "globals",
    "locals",
    "vars",
    "modules",
    "eval",
    "exec",
    "compile",
    "f_globals",
    "f_locals",
    "f_back",
    "_getframe",
    "inspect",
    "gc",
    "ctypes",
    "code",
    "pdb",
    "breakpoint",
    "globalThis",
    "global",
    "this",
    "self",
    "Function",
    "Reflect",
    "with",
    "vm",
    "inspector",
    "repl",
    "exports",
    "export",
];

/// What these modules hold that starts nothing.
const HARMLESS: &[&str] = &[
    "CalledProcessError",
    "TimeoutExpired",
    "SubprocessError",
    "CompletedProcess",
    "PIPE",
    "STDOUT",
    "DEVNULL",
];

/// Whether a program brings such modules in and uses nothing of them.
pub(super) fn is_unused(source: &str, family: Family) -> bool {
    let all = tokens(source, family).tokens;
    let mut own = vec![false; all.len()];
    let mut bound: Vec<&str> = Vec::new();
    for at in 0..all.len() {
        let found = match family {
            Family::Python => python(&all, at),
            Family::JavaScript => required(&all, at).or_else(|| imported(&all, at)),
            Family::Perl | Family::Ruby | Family::Php | Family::Other => return false,
        };
        let Some((names, end)) = found else {
            continue;
        };
        bound.extend(names);
        own.iter_mut()
            .take(end)
            .skip(at)
            .for_each(|mark| *mark = true);
    }
    let leads = |name: &str| {
        let special = family == Family::Python && name.starts_with("__");
        WAYS.contains(&name) && (family != Family::Python || !matches!(name, "self" | "with"))
            || special && !matches!(name, "__name__" | "__file__" | "__init__")
            || bound.contains(&name)
            || GATEWAYS.contains(&name)
    };
    let words = |text: &str| {
        let is_part = |c: char| !(c.is_alphanumeric() || matches!(c, '_' | '$'));
        text.split(is_part).any(leads)
    };
    all.iter().zip(&own).enumerate().all(|(at, (token, own))| {
        let used = match token {
            Token::Name(name) => leads(name) && !is_harmless(all.get(at + 1..)),
            Token::Text(parts) | Token::Run(parts) => parts.iter().any(|part| match part {
                Part::Code(code) => words(code),
                Part::Text(text) => GATEWAYS.iter().any(|name| text.contains(name)),
            }),
            Token::Words(list) => list.iter().any(|word| leads(word)),
            Token::Number(_) | Token::Pattern(_) | Token::Sign(_) | Token::Line => false,
        };
        *own || !used
    })
}

/// `.CalledProcessError`
fn is_harmless(behind: Option<&[Token]>) -> bool {
    matches!(behind, Some([Token::Sign("."), Token::Name(name), ..])
        if HARMLESS.contains(&name.as_str()))
}

/// Whether a statement begins here.
fn begins(all: &[Token], at: usize) -> bool {
    let before = at.checked_sub(1).and_then(|before| all.get(before));
    matches!(before, None | Some(Token::Line | Token::Sign(";" | ":")))
}

fn line_from(all: &[Token], at: usize) -> usize {
    let mut open = 0_usize;
    let rest = all.iter().skip(at);
    let length = rest.take_while(|token| {
        match token {
            Token::Sign("(") => open += 1,
            Token::Sign(")") => open = open.saturating_sub(1),
            Token::Line | Token::Sign(";") if open == 0 => return false,
            Token::Name(_)
            | Token::Number(_)
            | Token::Text(_)
            | Token::Words(_)
            | Token::Run(_)
            | Token::Pattern(_)
            | Token::Sign(_)
            | Token::Line => {}
        }
        true
    });
    at + length.count()
}

/// `import a, subprocess as s` and `from subprocess import run, PIPE`: the names that this binds, and where it ends.
fn python(all: &[Token], at: usize) -> Option<(Vec<&str>, usize)> {
    let word = name_at(all, at).filter(|_| begins(all, at))?;
    let end = line_from(all, at);
    let inner = all.get(at + 1..end)?;
    let names: Vec<&str> = inner.iter().filter_map(name_of).collect();
    match word {
        "import" => {
            let plain = |token: &Token| matches!(token, Token::Name(_) | Token::Sign("," | "."));
            if !inner.iter().all(plain) {
                return None;
            }
            // Other modules of the same line are used as before.
            let parts = inner.split(|token| *token == Token::Sign(","));
            let bound = parts.filter_map(|part| {
                let first = part.first().and_then(name_of)?;
                let last = part.last().and_then(name_of)?;
                let same = part
                    .iter()
                    .filter_map(name_of)
                    .any(|name| GATEWAYS.contains(&name));
                same.then_some(if part.len() > 2 { last } else { first })
            });
            Some((bound.collect(), end))
        }
        "from" => {
            let (module, bound) = names.split_first()?;
            let star = inner.contains(&Token::Sign("*"));
            let opens = GATEWAYS.contains(module) && bound.first() == Some(&"import");
            (opens && !star).then(|| {
                let harmless = |name: &&str| !HARMLESS.contains(name) && *name != "import";
                (bound.iter().copied().filter(harmless).collect(), end)
            })
        }
        _ => None,
    }
}

/// `const { spawn } = require("child_process")`
fn required(all: &[Token], at: usize) -> Option<(Vec<&str>, usize)> {
    if !matches!(name_at(all, at)?, "const" | "let" | "var") {
        return None;
    }
    let length = all
        .iter()
        .skip(at)
        .position(|token| *token == Token::Sign("="))?;
    let bound = bindings(all.get(at + 1..at + length)?)?;
    match all.get(at + length + 1..)? {
        [
            Token::Name(call),
            Token::Sign("("),
            Token::Text(module),
            Token::Sign(")"),
            rest @ ..,
        ] if call == "require" && is_gateway(module) => {
            let ends = matches!(rest.first(), None | Some(Token::Line | Token::Sign(";")));
            let goes_on = rest.iter().find(|token| **token != Token::Line);
            let more = matches!(goes_on, Some(Token::Sign("." | "[" | "(")));
            (ends && !(more && rest.first() == Some(&Token::Line)))
                .then_some((bound, at + length + 5))
        }
        _ => None,
    }
}

/// `import { spawn } from "child_process"`
fn imported(all: &[Token], at: usize) -> Option<(Vec<&str>, usize)> {
    if name_at(all, at)? != "import" || !begins(all, at) {
        return None;
    }
    let is_text = |token: &Token| matches!(token, Token::Text(_));
    let length = all.iter().skip(at).position(is_text)?;
    let Token::Text(module) = all.get(at + length)? else {
        return None;
    };
    let names = bindings(all.get(at + 1..at + length)?)?;
    is_gateway(module).then(|| {
        let own = |name: &&str| !matches!(*name, "from" | "as");
        (names.into_iter().filter(own).collect(), at + length + 1)
    })
}

/// The names of a pattern that holds nothing but names.
fn bindings(tokens: &[Token]) -> Option<Vec<&str>> {
    let plain = |token: &Token| {
        matches!(
            token,
            Token::Name(_) | Token::Line | Token::Sign("{" | "}" | "," | ":" | "*")
        )
    };
    tokens
        .iter()
        .all(plain)
        .then(|| tokens.iter().filter_map(name_of).collect())
}

fn is_gateway(module: &[Part]) -> bool {
    matches!(module, [Part::Text(text)]
        if GATEWAYS.contains(&text.strip_prefix("node:").unwrap_or(text)))
}

fn name_at(all: &[Token], at: usize) -> Option<&str> {
    all.get(at).and_then(name_of)
}

fn name_of(token: &Token) -> Option<&str> {
    match token {
        Token::Name(name) => Some(name),
        Token::Number(_)
        | Token::Text(_)
        | Token::Words(_)
        | Token::Run(_)
        | Token::Pattern(_)
        | Token::Sign(_)
        | Token::Line => None,
    }
}
