//! Reading keymap files: the embedded one first, then the user's lines over it.
//!
//! An unknown action or key is an error that names the closest known one; the caller starts with
//! the defaults and shows the error, it never refuses to start.

use std::collections::BTreeMap;

use thiserror::Error;
use toml::{Table, Value};

use super::trie::{Binding, Lookup, Trie};
use super::{Key, LeaderEnv, choose};
use crate::text::edit_distance;
use crate::tui::action::{ACTIONS, Action};

const DEFAULTS: &str = include_str!("keys.toml");

/// Where a binding holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Scope {
    Work,
    Mail,
    Merge,
    Review,
    Health,
    First,
}

impl Scope {
    /// Every scope with its name in keymap files.
    pub const ALL: [(Self, &'static str); 6] = [
        (Self::Work, "work"),
        (Self::Mail, "mail"),
        (Self::Merge, "merge"),
        (Self::Review, "review"),
        (Self::Health, "health"),
        (Self::First, "first"),
    ];
}

/// Why a keymap file was not taken.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum KeymapError {
    #[error("keymap is not valid TOML: {message}")]
    Syntax { message: String },
    #[error("[{table}] binds '{key}' to unknown action '{action}'; did you mean '{nearest}'?")]
    UnknownAction {
        table: String,
        key: String,
        action: String,
        nearest: &'static str,
    },
    #[error("[{table}] has unknown key '{key}'; write keys like x, ctrl-q, shift-tab, f12, 'g m'")]
    UnknownKey { table: String, key: String },
    #[error("[{table}] binds '{key}' to something that is not an action name")]
    NotAnAction { table: String, key: String },
    #[error("unknown table [{table}]; use [normal], [typing] or [screen.<name>]")]
    UnknownTable { table: String },
}

/// The live keymap.
#[derive(Debug, Clone)]
pub struct Keymap {
    normal: Trie,
    screens: BTreeMap<Scope, Trie>,
    typing: Trie,
    leader: Key,
    fallback: Option<Key>,
}

impl Keymap {
    /// Makes a keymap that binds nothing but the leader.
    pub fn bare(env: &LeaderEnv) -> Self {
        Self {
            normal: Trie::default(),
            screens: BTreeMap::new(),
            typing: Trie::default(),
            leader: choose(&[], env),
            fallback: None,
        }
    }

    /// Reads the embedded keymap and, over it, the user's.
    pub fn load(user: Option<&str>, env: &LeaderEnv) -> Result<Self, KeymapError> {
        let mut map = Self::bare(env);
        map.merge(DEFAULTS, env)?;
        if let Some(text) = user {
            map.merge(text, env)?;
        }
        Ok(map)
    }

    fn merge(&mut self, text: &str, env: &LeaderEnv) -> Result<(), KeymapError> {
        let root: Table = text
            .parse()
            .map_err(|e: toml::de::Error| KeymapError::Syntax {
                message: e.message().to_owned(),
            })?;
        for (name, value) in &root {
            match (name.as_str(), value) {
                ("leader", value) => self.leader = read_leader(value, env)?,
                ("leader_fallback", Value::String(key)) => self.fallback = Key::parse(key),
                ("normal", Value::Table(table)) => fill(&mut self.normal, name, table)?,
                ("typing", Value::Table(table)) => fill(&mut self.typing, name, table)?,
                ("screen", Value::Table(screens)) => self.merge_screens(screens)?,
                (
                    _,
                    Value::String(_)
                    | Value::Integer(_)
                    | Value::Float(_)
                    | Value::Boolean(_)
                    | Value::Datetime(_)
                    | Value::Array(_)
                    | Value::Table(_),
                ) => {
                    return Err(KeymapError::UnknownTable {
                        table: name.clone(),
                    });
                }
            }
        }
        Ok(())
    }

    fn merge_screens(&mut self, screens: &Table) -> Result<(), KeymapError> {
        for (name, value) in screens {
            let scope = Scope::ALL.iter().find(|(_, n)| n == name);
            let (Some((scope, _)), Some(table)) = (scope, value.as_table()) else {
                return Err(KeymapError::UnknownTable {
                    table: format!("screen.{name}"),
                });
            };
            let trie = self.screens.entry(*scope).or_default();
            fill(trie, &format!("screen.{name}"), table)?;
        }
        Ok(())
    }

    /// Follows a sequence on a screen; the screen's own bindings win.
    pub fn lookup(&self, scope: Scope, keys: &[Key]) -> Lookup<'_> {
        let own = self.screens.get(&scope).map(|t| t.lookup(keys));
        own.filter(|found| *found != Lookup::Unbound)
            .unwrap_or_else(|| self.normal.lookup(keys))
    }

    /// Follows a key while an agent has the keyboard.
    pub fn lookup_typing(&self, key: Key) -> Option<&Binding> {
        match self.typing.lookup(&[key]) {
            Lookup::Run(binding) => Some(binding),
            Lookup::Pending | Lookup::Unbound => None,
        }
    }

    /// Tells whether a key takes the keyboard back from an agent.
    pub fn leaves_typing(&self, key: Key) -> bool {
        key == self.leader || Some(key) == self.fallback
    }

    /// Gives the key that leaves an agent's pane.
    pub fn leader(&self) -> Key {
        self.leader
    }

    /// Spells the keys that leave TYPING for the status bar: `^Q/F12`.
    pub fn leader_label(&self) -> String {
        match self.fallback {
            Some(fallback) if fallback != self.leader => format!("{}/{fallback}", self.leader),
            _ => self.leader.to_string(),
        }
    }

    /// Lists what is bound on a screen: its own bindings first, then the general ones.
    pub fn list(&self, scope: Scope) -> Vec<(Vec<Key>, &Binding)> {
        let mut all = self.screens.get(&scope).map(Trie::list).unwrap_or_default();
        let own: Vec<_> = all.iter().map(|(keys, _)| keys.clone()).collect();
        all.extend(
            self.normal
                .list()
                .into_iter()
                .filter(|(keys, _)| !own.contains(keys)),
        );
        all
    }

    /// Lists what is bound while typing into an agent.
    pub fn list_typing(&self) -> Vec<(Vec<Key>, &Binding)> {
        self.typing.list()
    }

    /// Lists the hints of a screen in their order, one per action.
    pub fn hints(&self, scope: Scope) -> Vec<(Vec<Key>, &Binding)> {
        let mut hints: Vec<_> = self
            .list(scope)
            .into_iter()
            .filter(|(_, b)| b.hint.is_some())
            .collect();
        hints.sort_by_key(|(_, b)| b.hint);
        hints
    }

    /// Lists how a pending sequence can go on.
    pub fn continuations(&self, scope: Scope, keys: &[Key]) -> Vec<(Key, &Binding)> {
        self.list(scope)
            .into_iter()
            .filter_map(|(path, binding)| {
                let rest = path.strip_prefix(keys)?;
                Some((*rest.first()?, binding))
            })
            .collect()
    }

    /// Spells the first key bound to an action on a screen, for palette and texts.
    pub fn key_for(&self, scope: Scope, action: Action) -> Option<String> {
        self.list(scope)
            .into_iter()
            .find(|(_, b)| b.action == action)
            .map(|(keys, _)| Key::show(&keys))
    }
}

fn read_leader(value: &Value, env: &LeaderEnv) -> Result<Key, KeymapError> {
    let names: Vec<&str> = match value {
        Value::String(name) => vec![name.as_str()],
        Value::Array(names) => names.iter().filter_map(Value::as_str).collect(),
        Value::Integer(_)
        | Value::Float(_)
        | Value::Boolean(_)
        | Value::Datetime(_)
        | Value::Table(_) => Vec::new(),
    };
    let mut keys = Vec::new();
    for name in names {
        if name == "auto" {
            return Ok(choose(&[], env));
        }
        keys.push(Key::parse(name).ok_or_else(|| KeymapError::UnknownKey {
            table: "leader".to_owned(),
            key: name.to_owned(),
        })?);
    }
    Ok(choose(&keys, env))
}

fn fill(trie: &mut Trie, table: &str, entries: &Table) -> Result<(), KeymapError> {
    for (key, value) in entries {
        let keys = Key::parse_sequence(key).ok_or_else(|| KeymapError::UnknownKey {
            table: table.to_owned(),
            key: key.clone(),
        })?;
        let (id, desc, hint) = match value {
            Value::String(id) => (id.as_str(), None, None),
            Value::Table(t) => (
                t.get("run").and_then(Value::as_str).unwrap_or(""),
                t.get("desc").and_then(Value::as_str),
                t.get("hint").and_then(Value::as_integer),
            ),
            Value::Integer(_)
            | Value::Float(_)
            | Value::Boolean(_)
            | Value::Datetime(_)
            | Value::Array(_) => {
                return Err(KeymapError::NotAnAction {
                    table: table.to_owned(),
                    key: key.clone(),
                });
            }
        };
        if id == "none" {
            trie.unbind(&keys);
            continue;
        }
        let action = Action::from_id(id).ok_or_else(|| KeymapError::UnknownAction {
            table: table.to_owned(),
            key: key.clone(),
            action: id.to_owned(),
            nearest: nearest(id),
        })?;
        let binding = Binding {
            action,
            desc: desc.unwrap_or(action.info().title).to_owned(),
            hint: hint.and_then(|h| u8::try_from(h).ok()),
        };
        trie.bind(&keys, binding);
    }
    Ok(())
}

/// Finds the known action whose name is the fewest edits from a misspelt one.
fn nearest(id: &str) -> &'static str {
    ACTIONS
        .iter()
        .min_by_key(|info| edit_distance(id, info.id))
        .map_or("help.open", |info| info.id)
}
