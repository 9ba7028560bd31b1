//! Lists of words: arrays and positional parameters, what is at a place of one, what an operator makes of each.

use super::ast::{Param, ParamOp};
use super::fields::separators;
use super::state::State;
use super::text::{self, ANY};
use super::walk::Walker;
use super::words::unquoted;
use crate::policy::Judged;

impl Walker<'_> {
    /// What the operator of `${@…}` or `${name[@]…}` makes of the elements; `None` when that is not known.
    /// `apart`: each of them becomes a word of its own.
    pub(super) fn operated_all(
        &mut self,
        param: &Param,
        apart: bool,
        st: &mut State,
    ) -> Judged<Option<Vec<String>>> {
        let all = Self::all_elements(param, st)?;
        let Some((op, operand)) = &param.op else {
            return Ok(all);
        };
        let holds = |all: &[String]| all.iter().any(|one| text::is_known(one) && !one.is_empty());
        match op {
            ParamOp::Default | ParamOp::Assign | ParamOp::Error => {
                let other = self.scalar(operand, st)?;
                Ok(match all {
                    Some(all) if all.is_empty() => Some(vec![other]),
                    Some(all) if holds(&all) => Some(all),
                    Some(_) | None => None,
                })
            }
            ParamOp::Alternative => {
                let other = self.scalar(operand, st)?;
                let one = !apart || operand.plain().is_some();
                Ok(match all {
                    Some(all) if all.is_empty() => Some(Vec::new()),
                    Some(all) if one && holds(&all) => Some(vec![other]),
                    Some(_) | None => None,
                })
            }
            ParamOp::Substring => {
                let bounds = self.scalar(operand, st)?;
                self.evaluate(&bounds, st)?;
                let keyed = st.var(&param.name).is_some_and(|var| var.keys.is_some());
                let positional = matches!(param.name.as_str(), "@" | "*");
                Ok(all
                    .filter(|_| !keyed)
                    .and_then(|all| slice(&all, &bounds, positional)))
            }
            ParamOp::CutPrefix { .. }
            | ParamOp::CutSuffix { .. }
            | ParamOp::Replace { .. }
            | ParamOp::Upper { .. }
            | ParamOp::Lower { .. }
            | ParamOp::Transform => {
                let Some(all) = all else {
                    // The operand runs all the same.
                    self.operated(*op, operand, None, &param.name, st)?;
                    return Ok(None);
                };
                let mut made = Vec::with_capacity(all.len());
                for one in all {
                    made.push(self.operated(*op, operand, Some(one), &param.name, st)?);
                }
                Ok(Some(made))
            }
        }
    }
}

/// Whether an operator works on each element of a list: `${@#x}`, `${name[*]:1}`.
pub(super) fn is_of_all(param: &Param) -> bool {
    let index = param.index.as_ref().and_then(unquoted);
    param.op.is_some()
        && !param.length
        && !param.indirect
        && (matches!(param.name.as_str(), "@" | "*") || matches!(index.as_deref(), Some("@" | "*")))
}

/// Whether the elements are words of their own inside quotes, too.
pub(super) fn is_apart(param: &Param) -> bool {
    param.name == "@" || param.index.as_ref().and_then(unquoted).as_deref() == Some("@")
}

/// The words of `"$*"` as one.
pub(super) fn joined(all: &[String], st: &State) -> String {
    if let [only] = all {
        return only.clone();
    }
    match separators(st).as_deref().map(|all| all.chars().next()) {
        Some(Some(first)) => all.join(&first.to_string()),
        Some(None) | None if all.is_empty() => String::new(),
        Some(None) | None => ANY.to_string(),
    }
}

/// The word at a place of a list, `None` behind its end. Words that may be none or several move those behind them.
pub(super) fn at_place(all: &[String], at: usize) -> Option<String> {
    let certain = all.iter().position(|word| text::is_loose(word));
    let moved = match certain {
        Some(certain) if at >= certain => all.get(certain..).unwrap_or_default(),
        Some(_) | None => return all.get(at).cloned(),
    };
    match moved {
        [first, rest @ ..] if rest.iter().all(|word| word == first) => Some(first.clone()),
        _ => Some(text::part_of(&moved.concat())),
    }
}

/// `${@:from:count}`, `None` when it is not known which words that are.
fn slice(all: &[String], bounds: &str, positional: bool) -> Option<Vec<String>> {
    let (from, count) = match bounds.split_once(':') {
        Some((from, count)) => (from, Some(count.trim().parse::<usize>().ok()?)),
        None => (bounds, None),
    };
    let from = from.trim().parse::<i64>().ok()?;
    let loose = all.iter().position(|word| text::is_loose(word));
    let from = match usize::try_from(from) {
        // What comes before the first is the shell's own name.
        Ok(0) if positional => return None,
        Ok(from) => from - usize::from(positional),
        Err(_) if loose.is_some() => return None,
        Err(_) => all
            .len()
            .checked_sub(usize::try_from(from.unsigned_abs()).ok()?)?,
    };
    let end = count.map_or(all.len(), |count| from.saturating_add(count).min(all.len()));
    // Behind words that may be none or several, nobody knows which one is at which place.
    let needed = if count.is_some() { end } else { from };
    if loose.is_some_and(|loose| loose < needed) {
        return None;
    }
    Some(all.get(from.min(end)..end).unwrap_or_default().to_vec())
}
