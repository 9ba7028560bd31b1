//! Words to values: parameters, substitutions, splitting, patterns. Runs the commands inside
//! substitutions through the walk, so their effects are judged too.
//!
//! Values that are not known become placeholders (`text`); nothing is read from the environment.

use std::rc::Rc;

use super::ast::{Param, ParamOp, Piece, Word};
use super::state::{State, Var};
use super::text::{self, ANY, TOKEN};
use super::walk::Walker;
use super::{braces, glob};
use crate::guard::paths::Place;
use crate::guard::policy::{Judged, Refusal, rule};

/// A value longer than this is no longer followed.
const LONGEST: usize = 256 * 1024;

/// A part of a field under construction.
enum Part {
    /// Taken as it is; unquoted text has its patterns active already.
    Solid(String),
    /// The result of an unquoted expansion: splits at white space.
    Soft(String),
    /// `"$@"`: one field each.
    Fields(Vec<String>),
}

impl Walker<'_> {
    /// Expands words into the fields a command receives.
    pub(crate) fn fields(&mut self, words: &[Word], st: &mut State) -> Judged<Vec<String>> {
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
            self.charge(1)?;
            let parts = self.parts(word, st)?;
            split(parts, separators(st), out);
        }
        if out.len() > 20_000 {
            return Err(too_much());
        }
        Ok(())
    }

    fn parts(&mut self, word: &Word, st: &mut State) -> Judged<Vec<Part>> {
        let mut parts = Vec::with_capacity(word.pieces.len());
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
        self.charge(1)?;
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
    fn pattern(&mut self, word: &Word, st: &mut State) -> Judged<String> {
        let mut out = String::new();
        for part in self.parts(word, st)? {
            match part {
                Part::Solid(text) => out.push_str(&text),
                Part::Soft(text) => out.push_str(&text::activate(&text)),
                Part::Fields(fields) => out.push_str(&fields.join(" ")),
            }
        }
        Ok(out)
    }

    fn substitution(&mut self, list: &Rc<super::ast::List>, st: &State) -> Judged<String> {
        let mut inner = st.clone();
        let mut out = self.nested(|walker| walker.list(list, &mut inner))?;
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

    fn process(&mut self, list: &Rc<super::ast::List>, st: &State) -> Judged<String> {
        let mut inner = st.clone();
        // What a `>( )` will be fed is not worked out; for `<( )` nothing is taken from it.
        inner.stdin = Some(ANY.to_string().into());
        let out = self.nested(|walker| walker.list(list, &mut inner))?;
        Ok(self.pipe_file(out))
    }

    /// Arithmetic: the substitutions in it run, and names whose value is itself an expression with a
    /// substitution would be evaluated too.
    pub(crate) fn arithmetic(&mut self, inner: &Word, st: &mut State) -> Judged<()> {
        let mut text = String::new();
        for piece in &inner.pieces {
            match piece {
                Piece::Text { text: part, .. } => text.push_str(part),
                Piece::Param { param, .. } => {
                    let value = self.param(param, st)?;
                    refuse_expression(&value)?;
                    text.push(' ');
                }
                Piece::Command { list, .. } => {
                    let value = self.substitution(list, st)?;
                    refuse_expression(&value)?;
                    text.push(' ');
                }
                Piece::Process { list } => {
                    self.process(list, st)?;
                }
                Piece::Arithmetic(deeper) => self.arithmetic(deeper, st)?,
                Piece::Tilde(_) => {}
            }
        }
        let mut assigned = Vec::new();
        for (name, assigns) in arithmetic_names(&text) {
            if let Some(var) = st.vars.get(name) {
                for value in var.values.iter().chain(var.array.iter().flatten()) {
                    refuse_expression(value)?;
                }
            }
            if assigns {
                assigned.push(name.to_owned());
            }
        }
        for name in assigned {
            st.set(&name, Var::scalar(TOKEN.to_string()));
        }
        Ok(())
    }

    fn all_elements(param: &Param, st: &mut State) -> Judged<Option<Vec<String>>> {
        if param.name == "@" {
            return Ok(st.positional.as_ref().map(|all| all.to_vec()));
        }
        let elements = st.vars.get(&param.name).and_then(|var| match &var.array {
            Some(elements) => Some(elements.clone()),
            None => match var.values.as_slice() {
                [only] => Some(vec![only.clone()]),
                _ => None,
            },
        });
        Ok(elements)
    }

    /// The value of a parameter expansion.
    pub(crate) fn param(&mut self, param: &Param, st: &mut State) -> Judged<String> {
        let subscript = match &param.index {
            Some(index) => {
                self.arithmetic(index, st)?;
                super::words::unquoted(index)
            }
            None => None,
        };
        let mut value = lookup(param, subscript.as_deref(), st);
        if param.indirect {
            value = match value {
                Some(name) if text::is_known(&name) && is_name(&name) => {
                    Some(st.vars.get(&name).map_or(ANY.to_string(), Var::value))
                }
                _ => Some(ANY.to_string()),
            };
        }
        if param.length {
            return Ok(TOKEN.to_string());
        }
        let Some((op, operand)) = &param.op else {
            return Ok(value.unwrap_or_else(|| ANY.to_string()));
        };
        self.operated(*op, operand, value, &param.name, st)
    }

    fn operated(
        &mut self,
        op: ParamOp,
        operand: &Word,
        value: Option<String>,
        name: &str,
        st: &mut State,
    ) -> Judged<String> {
        let unknown = || ANY.to_string();
        match op {
            ParamOp::Default | ParamOp::Assign | ParamOp::Error => {
                let other = self.scalar(operand, st)?;
                // A value that is known and not empty decides; else either may be taken.
                let result = match value {
                    Some(value) if text::is_known(&value) && !value.is_empty() => value,
                    Some(value) if value.is_empty() => other,
                    Some(value) if value == other => value,
                    _ => unknown(),
                };
                if op == ParamOp::Assign && is_name(name) {
                    st.set(name, Var::scalar(result.clone()));
                }
                Ok(result)
            }
            ParamOp::Alternative => {
                let other = self.scalar(operand, st)?;
                Ok(match value {
                    Some(value) if text::is_known(&value) && !value.is_empty() => other,
                    Some(value) if value.is_empty() => value,
                    _ if other.is_empty() => other,
                    _ => unknown(),
                })
            }
            ParamOp::CutPrefix { longest } | ParamOp::CutSuffix { longest } => {
                let pattern = self.pattern(operand, st)?;
                let prefix = matches!(op, ParamOp::CutPrefix { .. });
                let Some(value) = value else {
                    return Ok(unknown());
                };
                if text::is_any(&pattern) || text::is_any(&value) || value.len() > 4096 {
                    return Ok(unknown());
                }
                self.charge(value.len())?;
                Ok(glob::cut(&value, &pattern, prefix, longest).unwrap_or_else(unknown))
            }
            ParamOp::Replace { all } => {
                let pattern = self.pattern(operand, st)?;
                Ok(match (value, split_replacement(&pattern)) {
                    (Some(value), Some((from, to)))
                        if !text::is_any(&value)
                            && text::is_known(from)
                            && text::is_known(to)
                            && !from.is_empty()
                            && (text::is_known(&value) || !to.contains(['/', '.'])) =>
                    {
                        if all {
                            value.replace(from, to)
                        } else {
                            value.replacen(from, to, 1)
                        }
                    }
                    _ => unknown(),
                })
            }
            ParamOp::Upper { all } | ParamOp::Lower { all } => {
                let pattern = self.scalar(operand, st)?;
                let upper = matches!(op, ParamOp::Upper { .. });
                Ok(match value {
                    Some(value) if text::is_known(&value) && pattern.is_empty() => {
                        recase(&value, upper, all)
                    }
                    _ => unknown(),
                })
            }
            ParamOp::Substring => {
                let bounds = self.scalar(operand, st)?;
                Ok(value
                    .filter(|value| text::is_known(value))
                    .and_then(|value| substring(&value, &bounds))
                    .unwrap_or_else(unknown))
            }
            ParamOp::Transform => {
                let kind = self.scalar(operand, st)?;
                if kind == "P"
                    && value
                        .as_deref()
                        .is_none_or(|v| !text::is_known(v) || v.contains(['$', '`']))
                {
                    return Err(Refusal::new(
                        rule::UNPROVEN,
                        "a prompt expansion could run anything; write the command out",
                    ));
                }
                Ok(match (value, kind.as_str()) {
                    (Some(value), "U") if text::is_known(&value) => recase(&value, true, true),
                    (Some(value), "L") if text::is_known(&value) => recase(&value, false, true),
                    (Some(value), "u") if text::is_known(&value) => recase(&value, true, false),
                    _ => unknown(),
                })
            }
        }
    }
}

fn too_much() -> Refusal {
    Refusal::new(
        rule::UNPROVEN,
        "the command is too large to follow; split it into several calls",
    )
}

/// An arithmetic value that holds a substitution would be run by the shell.
pub(crate) fn refuse_expression(value: &str) -> Judged<()> {
    if value.contains("$(") || value.contains('`') {
        return Err(Refusal::new(
            rule::UNPROVEN,
            "a substitution inside arithmetic text would run; write the command out",
        ));
    }
    Ok(())
}

fn arithmetic_names(text: &str) -> Vec<(&str, bool)> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(c) = bytes.get(at) {
        if !(c.is_ascii_alphabetic() || *c == b'_') {
            at += 1;
            continue;
        }
        let start = at;
        while bytes
            .get(at)
            .is_some_and(|c| c.is_ascii_alphanumeric() || *c == b'_')
        {
            at += 1;
        }
        let rest = text.get(at..).unwrap_or("").trim_start();
        let before = text.get(..start).unwrap_or("").trim_end();
        let assigns = rest.starts_with('=') && !rest.starts_with("==")
            || rest.starts_with("++")
            || rest.starts_with("--")
            || before.ends_with("++")
            || before.ends_with("--")
            || rest.get(1..2) == Some("=") && !rest.starts_with(['=', '<', '>', '!'])
            || rest.starts_with("<<=")
            || rest.starts_with(">>=");
        found.push((text.get(start..at).unwrap_or(""), assigns));
    }
    found
}

fn is_all_fields(param: &Param) -> bool {
    if param.op.is_some() || param.length || param.indirect {
        return false;
    }
    param.name == "@"
        || param
            .index
            .as_ref()
            .is_some_and(|index| super::words::unquoted(index).as_deref() == Some("@"))
}

pub(crate) fn is_name(name: &str) -> bool {
    !name.is_empty()
        && !name.starts_with(|c: char| c.is_ascii_digit())
        && name.bytes().all(|c| c.is_ascii_alphanumeric() || c == b'_')
}

fn lookup(param: &Param, subscript: Option<&str>, st: &State) -> Option<String> {
    let name = param.name.as_str();
    if let Ok(number) = name.parse::<usize>() {
        if number == 0 {
            return Some(TOKEN.to_string());
        }
        return st
            .positional
            .as_ref()
            .map(|all| all.get(number - 1).cloned().unwrap_or_default());
    }
    match name {
        "@" | "*" => return st.positional.as_ref().map(|all| all.join(" ")),
        "!" => return Some(text::JOB.to_string()),
        "#" | "?" | "-" | "$" => return Some(TOKEN.to_string()),
        _ => {}
    }
    if let Some(var) = st.vars.get(name) {
        return Some(match (&var.array, subscript) {
            (Some(elements), Some("@" | "*")) => elements.join(" "),
            (Some(elements), subscript) => subscript
                .unwrap_or("0")
                .parse::<usize>()
                .ok()
                .and_then(|at| elements.get(at).cloned())
                .unwrap_or_else(|| ANY.to_string()),
            (None, _) => var.value(),
        });
    }
    match name {
        "PWD" => Some(place_text(&st.cwd)),
        "OLDPWD" => Some(place_text(&st.old_cwd)),
        "HOME" => Some(text::HOME.to_owned()),
        "RANDOM" | "SRANDOM" | "SECONDS" | "UID" | "EUID" | "BASHPID" | "LINENO"
        | "EPOCHSECONDS" | "EPOCHREALTIME" | "USER" | "LOGNAME" | "HOSTNAME" | "SHLVL"
        | "OSTYPE" | "MACHTYPE" | "HOSTTYPE" | "BASH_VERSION" | "COLUMNS" | "LINES" | "OPTIND" => {
            Some(TOKEN.to_string())
        }
        _ => None,
    }
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
            .vars
            .get("HOME")
            .map_or_else(|| text::HOME.to_owned(), Var::value),
        "+" => place_text(&st.cwd),
        "-" => place_text(&st.old_cwd),
        _ => format!("{}/..user/{name}", text::HOME),
    }
}

fn separators(st: &State) -> Option<String> {
    match st.vars.get("IFS") {
        None => Some(" \t\n".to_owned()),
        Some(var) => {
            let value = var.value();
            text::is_known(&value).then_some(value)
        }
    }
}

/// Joins parts into fields; soft parts split at the separators (`None`: nobody knows where).
fn split(parts: Vec<Part>, separators: Option<String>, out: &mut Vec<String>) {
    let mut field = String::new();
    let mut started = false;
    for part in parts {
        match part {
            Part::Solid(text) => {
                field.push_str(&text);
                started = true;
            }
            Part::Fields(fields) => {
                let count = fields.len();
                for (at, value) in fields.into_iter().enumerate() {
                    field.push_str(&value);
                    started = true;
                    if at + 1 < count {
                        out.push(std::mem::take(&mut field));
                    }
                }
            }
            Part::Soft(text) => {
                let Some(separators) = separators.as_deref() else {
                    field.push(ANY);
                    started = true;
                    continue;
                };
                for c in text::activate(&text).chars() {
                    if !separators.contains(c) {
                        field.push(c);
                        started = true;
                    } else if started {
                        out.push(std::mem::take(&mut field));
                        started = false;
                    }
                }
            }
        }
    }
    if started {
        out.push(field);
    }
}

fn split_replacement(operand: &str) -> Option<(&str, &str)> {
    match operand.split_once('/') {
        Some((from, to)) => Some((from, to)),
        None => Some((operand, "")),
    }
}

fn recase(value: &str, upper: bool, all: bool) -> String {
    let change = |text: &str| {
        if upper {
            text.to_uppercase()
        } else {
            text.to_lowercase()
        }
    };
    if all {
        return change(value);
    }
    let mut chars = value.chars();
    match chars.next() {
        Some(first) => change(&first.to_string()) + chars.as_str(),
        None => String::new(),
    }
}

fn substring(value: &str, bounds: &str) -> Option<String> {
    let (from, count) = match bounds.split_once(':') {
        Some((from, count)) => (from, Some(count.trim().parse::<usize>().ok()?)),
        None => (bounds, None),
    };
    let chars: Vec<char> = value.chars().collect();
    let from = from.trim().parse::<i64>().ok()?;
    let from = if from < 0 {
        chars.len().checked_sub(from.unsigned_abs() as usize)?
    } else {
        from as usize
    };
    let rest = chars.get(from.min(chars.len())..)?;
    let count = count.unwrap_or(rest.len()).min(rest.len());
    Some(rest.get(..count)?.iter().collect())
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
