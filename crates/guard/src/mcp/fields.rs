//! The fields of a call that stands for a command line, as the words that they come to.
//!
//! A tool called `git_branch` with `{"mode": "delete", "name": "x"}` runs `git branch --delete x`. What a field means
//! to the server is not known better than by its name, so that every field counts: as an option if nothing else.

use serde_json::{Map, Value};

use super::field_kinds::{KNOWN, Kind, kind, option_name};
use super::names::{has, words};
use crate::judge::malformed;
use crate::policy::Judged;
use crate::shell::text::brief;

/// What the fields of a call come to.
#[derive(Debug, Default)]
pub(super) struct Given {
    /// Where the command runs.
    pub(super) places: Vec<String>,
    /// `action`, `mode` and the like, in small letters with hyphens.
    pub(super) actions: Vec<String>,
    /// Options made of the names of fields, and what stands in a list of arguments.
    pub(super) options: Vec<String>,
    pub(super) message: Option<String>,
    /// Names of branches, commits, remotes, tasks: those of a lower rank stand first.
    pub(super) operands: Vec<(u8, String)>,
    pub(super) files: Vec<String>,
    /// Text that the call says is run.
    pub(super) code: Vec<String>,
    /// `-c key=value`
    pub(super) settings: Vec<String>,
    pub(super) env: Vec<(String, String)>,
    /// A field whose meaning for a command that changes something is not known.
    pub(super) unknown: Option<String>,
    /// A new branch is asked for.
    pub(super) creates: bool,
    /// The name of a new branch, or the new name of one.
    pub(super) new_branch: Option<String>,
}

impl Given {
    pub(super) fn read(input: &Value) -> Judged<Self> {
        let mut given = Self::default();
        if let Value::Object(fields) = input {
            // Where there is another place, `path` may be a file as well.
            let several = fields
                .keys()
                .filter(|name| kind(&words(name)) == Kind::Place)
                .count()
                > 1;
            given.take(fields, several, 0)?;
        }
        given.operands.sort_by_key(|(rank, _)| *rank);
        Ok(given)
    }

    fn take(&mut self, fields: &Map<String, Value>, several: bool, depth: usize) -> Judged<()> {
        for (name, value) in fields {
            let words = words(name);
            let kind = kind(&words);
            match (kind, value) {
                (Kind::Place, Value::String(place)) => {
                    if several && words == ["path"] && !place.is_empty() {
                        self.files.push(place.clone());
                    }
                    if !place.is_empty() {
                        self.places.push(place.clone());
                    }
                }
                // `{"remote": true}` with a word for a place or a name only switches something on.
                (
                    Kind::Operand(_)
                    | Kind::NewBranch
                    | Kind::Code
                    | Kind::Message
                    | Kind::Files
                    | Kind::Action,
                    Value::Bool(_),
                ) => {
                    self.option(&words, value, depth)?;
                }
                (Kind::Place, _) => return Err(not_text(name)),
                (_, Value::Null) => {}
                (Kind::Arguments, Value::Object(inner)) if depth < 8 => {
                    self.take(inner, false, depth + 1)?;
                }
                (Kind::Arguments, _) => self.arguments(name, value)?,
                (Kind::Message, Value::String(text)) => self.message = Some(text.clone()),
                (Kind::Message, _) => return Err(not_text(name)),
                (Kind::Env | Kind::Settings, Value::Object(inner)) => {
                    for (key, value) in inner {
                        let value = plain(value).ok_or_else(|| not_text(name))?;
                        if kind == Kind::Env {
                            self.env.push((key.clone(), value));
                        } else {
                            self.settings.push(format!("{key}={value}"));
                        }
                    }
                }
                (Kind::Env | Kind::Settings, _) => return Err(not_text(name)),
                (
                    Kind::Action | Kind::Code | Kind::Files | Kind::Operand(_) | Kind::NewBranch,
                    _,
                ) => {
                    for text in texts(name, value)? {
                        self.word(kind, text);
                    }
                }
                (Kind::Option, _) => self.option(&words, value, depth)?,
            }
        }
        Ok(())
    }

    fn word(&mut self, kind: Kind, text: String) {
        if text.trim().is_empty() {
            return;
        }
        if text.starts_with('-') && !matches!(kind, Kind::Code | Kind::Files) {
            self.options.push(text);
            return;
        }
        match kind {
            Kind::Code => self.code.push(text),
            Kind::Files => self.files.push(text),
            Kind::Action => self.actions.push(words(&text).join("-")),
            Kind::Operand(rank) => self.operands.push((rank, text)),
            Kind::NewBranch => self.new_branch = Some(text),
            Kind::Place
            | Kind::Arguments
            | Kind::Message
            | Kind::Settings
            | Kind::Env
            | Kind::Option => {}
        }
    }

    fn arguments(&mut self, name: &str, value: &Value) -> Judged<()> {
        match value {
            Value::String(text) => {
                if text.contains(['\'', '"', '\\', '$', '`']) {
                    return Err(malformed(format!(
                        "{} holds quotes; give the arguments as a list",
                        brief(name)
                    )));
                }
                self.options
                    .extend(text.split_whitespace().map(str::to_owned));
            }
            Value::Array(_) => self.options.extend(texts(name, value)?),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => {
                return Err(not_text(name));
            }
        }
        Ok(())
    }

    /// A field that is no word of its own is the option of that name.
    fn option(&mut self, words: &[String], value: &Value, depth: usize) -> Judged<()> {
        let name = option_name(words);
        let known = KNOWN.contains(&name.as_str());
        let said = match value {
            Value::String(text) => match text.as_str() {
                "" | "false" => return Ok(()),
                "true" => None,
                text => Some(text.to_owned()),
            },
            Value::Bool(true) => None,
            Value::Bool(false) | Value::Null | Value::Number(_) => return Ok(()),
            Value::Array(items) if depth < 8 => {
                return items
                    .iter()
                    .try_for_each(|item| self.option(words, item, depth + 1));
            }
            Value::Array(_) | Value::Object(_) => {
                if !known {
                    self.unknown = Some(words.join("_"));
                }
                return Ok(());
            }
        };
        let creates = said.is_none() && has(words, &["create", "new", "b"]);
        if creates && !has(words, &["force"]) {
            self.creates = true;
            return Ok(());
        }
        if !known {
            self.unknown = Some(words.join("_"));
        }
        match said {
            // What begins with a hyphen may be read as an option of its own.
            Some(text) if text.starts_with('-') => self.options.push(text),
            Some(text) => self.options.push(format!("--{name}={text}")),
            None => self.options.push(format!("--{name}")),
        }
        Ok(())
    }
}

/// Text or number as text.
fn plain(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(yes) => Some(yes.to_string()),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}

/// One text, or a list of them.
fn texts(name: &str, value: &Value) -> Judged<Vec<String>> {
    match value {
        Value::Array(items) => items
            .iter()
            .map(|item| plain(item).ok_or_else(|| not_text(name)))
            .collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Object(_) => {
            Ok(vec![plain(value).ok_or_else(|| not_text(name))?])
        }
    }
}

pub(super) fn not_text(name: &str) -> crate::policy::Refusal {
    malformed(format!("{} must be text; write it as one", brief(name)))
}
