//! Field splitting: the parts of an expanded word become the words a command receives.

use super::state::State;
use super::text::{self, ANY, ESCAPE};

/// A part of a field under construction.
pub(super) enum Part {
    /// Taken as it is; unquoted text has its patterns active already.
    Solid(String),
    /// The result of an unquoted expansion: splits at white space.
    Soft(String),
    /// `"$@"`: one field each.
    Fields(Vec<String>),
}

pub(super) fn separators(st: &State) -> Option<String> {
    match st.vars.get("IFS") {
        None => Some(" \t\n".to_owned()),
        Some(var) => {
            let value = var.value();
            text::is_known(&value).then_some(value)
        }
    }
}

/// Joins parts into fields; soft parts split at the separators (`None`: nobody knows where).
pub(super) fn split(parts: Vec<Part>, separators: Option<String>, out: &mut Vec<String>) {
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
                        out.push(ended(std::mem::take(&mut field)));
                    }
                }
            }
            Part::Soft(text) => {
                let Some(separators) = separators.as_deref() else {
                    field.extend([ANY, ANY]);
                    started = true;
                    continue;
                };
                for c in text::activate(&text).chars() {
                    if !separators.contains(c) {
                        field.push(if c == '\\' { ESCAPE } else { c });
                        if c == ANY {
                            // Of these nobody knows how many words they are.
                            field.push(c);
                        }
                        started = true;
                    } else if started {
                        out.push(ended(std::mem::take(&mut field)));
                        started = false;
                    }
                }
            }
        }
    }
    if started {
        out.push(ended(field));
    }
}

/// A whole field: without a pattern its backslashes are what they are.
fn ended(field: String) -> String {
    if text::has_escape(&field) && !text::has_glob(&field) {
        return text::as_written(&field);
    }
    field
}
