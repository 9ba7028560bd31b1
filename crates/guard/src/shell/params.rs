//! Parameter expansions: what a name stands for and what its operator makes of it.

use super::ast::{Param, ParamOp, Word};
use super::expand::{is_name, place_text};
use super::glob;
use super::lists::{at_place, is_of_all, joined};
use super::state::{State, Var};
use super::text::{self, ANY, TOKEN};
use super::walk::Walker;
use crate::policy::{Judged, Refusal, rule};

impl Walker<'_> {
    pub(super) fn all_elements(param: &Param, st: &mut State) -> Judged<Option<Vec<String>>> {
        if matches!(param.name.as_str(), "@" | "*") {
            return Ok(st.positional.as_ref().map(|all| all.to_vec()));
        }
        let unordered = st
            .var(&param.name)
            .and_then(|var| var.keys.as_ref())
            .is_some_and(|keys| {
                keys.len() > 1 && keys.iter().any(|key| key.parse::<u64>().is_err())
            });
        if unordered {
            return Ok(None);
        }
        if param.indirect {
            let var = st.var(&param.name);
            return Ok(var.and_then(|var| match (&var.keys, &var.array) {
                (Some(keys), _) => Some(keys.clone()),
                (None, Some(all)) if all.iter().all(|one| text::is_known(one)) => {
                    Some((0..all.len()).map(|at| at.to_string()).collect())
                }
                (None, Some(_) | None) => None,
            }));
        }
        let elements = st.var(&param.name).and_then(|var| match &var.array {
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
        if is_of_all(param) {
            let all = self.operated_all(param, false, st)?;
            return Ok(all.map_or_else(|| ANY.to_string(), |all| all.join(" ")));
        }
        let subscript = match &param.index {
            Some(index) => {
                let text = self.scalar(index, st)?;
                if !matches!(text.as_str(), "@" | "*") {
                    self.evaluate(&text, st)?;
                }
                text::is_known(&text).then_some(text)
            }
            None => None,
        };
        let mut value = match (&param.index, &subscript) {
            // Any of the elements.
            (Some(_), None) => Some(ANY.to_string()),
            _ => lookup(param, subscript.as_deref(), st),
        };
        if self.unsettled.contains(&param.name) {
            value = Some(ANY.to_string());
        }
        let names = matches!(subscript.as_deref(), Some("@" | "*"));
        if param.indirect && !names {
            value = match value {
                Some(name) if text::is_known(&name) && is_name(&name) => Some(
                    st.var(&name)
                        .map_or_else(|| text::inherited(&name), Var::value),
                ),
                Some(name) => {
                    // The value is a name with a subscript, which is evaluated.
                    self.evaluate_name(&name, st)?;
                    Some(ANY.to_string())
                }
                None => Some(ANY.to_string()),
            };
        } else if param.indirect {
            value = Some(ANY.to_string());
        }
        if param.length {
            return Ok(TOKEN.to_string());
        }
        let Some((op, operand)) = &param.op else {
            return Ok(value.unwrap_or_else(|| text::inherited(&param.name)));
        };
        self.operated(*op, operand, value, &param.name, st)
    }

    pub(super) fn operated(
        &mut self,
        op: ParamOp,
        operand: &Word,
        value: Option<String>,
        name: &str,
        st: &mut State,
    ) -> Judged<String> {
        self.charge(2)?;
        let origin = value.clone().unwrap_or_else(|| text::inherited(name));
        let unknown = || text::still_secret(Some(&origin), ANY.to_string());
        match op {
            ParamOp::Default | ParamOp::Assign | ParamOp::Error => {
                let other = self.scalar(operand, st)?;
                // A value that is known and not empty decides; else either may be taken.
                let result = match value {
                    Some(value) if text::is_known(&value) && !value.is_empty() => value,
                    Some(value) if value.is_empty() => other,
                    Some(value) if value == other => value,
                    None if is_of_environment(name)
                        && !st.is_steered
                        && !text::is_secret(&origin) =>
                    {
                        let names = text::programs(&other).unwrap_or_else(|| vec![&other]);
                        text::one_of(&names).unwrap_or_else(unknown)
                    }
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
                let made = self.replaced(operand, all, value, st)?;
                Ok(made.unwrap_or_else(unknown))
            }
            ParamOp::Upper { all } | ParamOp::Lower { all } => {
                let pattern = self.scalar(operand, st)?;
                self.charge(value.as_ref().map_or(0, String::len) / 8)?;
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
                self.charge(value.as_ref().map_or(0, String::len) / 8)?;
                self.evaluate(&bounds, st)?;
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

/// Whether a variable that nobody has given a value here has one of the environment, if any. Those of the shells
/// themselves change with what runs.
fn is_of_environment(name: &str) -> bool {
    let plain = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
    name.starts_with(|c: char| c.is_ascii_uppercase())
        && name.chars().all(plain)
        && !["BASH", "COMP_", "READLINE_", "ZSH_", "KSH_"]
            .iter()
            .any(|prefix| name.starts_with(prefix))
        && !matches!(
            name,
            "FUNCNAME"
                | "DIRSTACK"
                | "REPLY"
                | "MAPFILE"
                | "OPTARG"
                | "MATCH"
                | "PIPESTATUS"
                | "COPROC"
                | "GROUPS"
                | "HISTCMD"
                | "ARGC"
                | "ARGV"
                | "TRY_BLOCK_ERROR"
                | "PREBUFFER"
                | "BUFFER"
        )
}

pub(super) fn is_all_fields(param: &Param) -> bool {
    if param.op.is_some() || param.length {
        return false;
    }
    param.name == "@" && !param.indirect
        || param
            .index
            .as_ref()
            .is_some_and(|index| super::words::unquoted(index).as_deref() == Some("@"))
}

fn lookup(param: &Param, subscript: Option<&str>, st: &State) -> Option<String> {
    let name = param.name.as_str();
    if let Ok(number) = name.parse::<usize>() {
        if number == 0 {
            // Giving this variable a value changes `$0` in some shells only.
            return Some(match st.vars.get("BASH_ARGV0") {
                Some(_) => ANY.to_string(),
                None => st.zero.to_string(),
            });
        }
        return st
            .positional
            .as_ref()
            .map(|all| at_place(all, number - 1).unwrap_or_default());
    }
    match name {
        "@" => return st.positional.as_ref().map(|all| all.join(" ")),
        "*" => return st.positional.as_ref().map(|all| joined(all, st)),
        "!" | "$" => return Some(text::JOB.to_string()),
        "#" | "?" | "-" => return Some(TOKEN.to_string()),
        // The shell keeps it, whatever it is given.
        "BASH_SOURCE" => {
            let first = matches!(subscript, None | Some("0")) && st.var(name).is_none();
            return st.source.as_deref().filter(|_| first).map(str::to_owned);
        }
        _ => {}
    }
    if let Some(var) = st.var(name) {
        return Some(match (&var.array, subscript) {
            (Some(elements), Some("@")) if elements.len() < 2 || var.keys.is_none() => {
                elements.join(" ")
            }
            (Some(elements), Some("*")) if elements.len() < 2 || var.keys.is_none() => {
                joined(elements, st)
            }
            (Some(elements), subscript) if var.keys.is_some() => {
                let wanted = subscript.unwrap_or("0");
                let keys = var.keys.as_deref().unwrap_or_default();
                keys.iter()
                    .rposition(|key| key == wanted)
                    .and_then(|at| elements.get(at).cloned())
                    .unwrap_or_else(|| ANY.to_string())
            }
            (Some(elements), subscript) => subscript
                .unwrap_or("0")
                .parse::<usize>()
                .ok()
                .and_then(|at| at_place(elements, at))
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
