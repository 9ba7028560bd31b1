//! Reading a theme file and turning it into styles for one colour depth.
//!
//! Forgiving where it can be: unknown tokens and colours become warnings with their line, missing
//! tokens are inherited. Only text that is not TOML, or an ancestor that does not exist, is an
//! error.

use std::collections::BTreeMap;

use ratatui::style::{Color, Modifier, Style};
use thiserror::Error;
use toml::{Table, Value};

use super::bundled::text_of;
use super::colour::ANSI_NAMES;
use super::{Depth, Token};

/// Why a theme cannot be used.
#[derive(Debug, Error)]
pub enum ThemeError {
    #[error("theme '{name}' does not exist; `g t` lists the ones that do")]
    Unknown { name: String },
    #[error("theme is not valid TOML: {source}")]
    Syntax {
        #[source]
        source: Box<toml::de::Error>,
    },
    #[error("theme inherits from itself through '{name}'; remove one `inherits`")]
    Cycle { name: String },
}

/// Something in a theme file that was skipped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Warning {
    /// 1-based; 0 when the place is not known.
    pub line: usize,
    pub text: String,
}

/// A theme resolved for one terminal.
#[derive(Debug, Clone)]
pub struct Theme {
    pub name: String,
    pub dark: bool,
    pub depth: Depth,
    styles: Vec<Style>,
}

#[derive(Debug, Clone, Default)]
struct Spec {
    fg: Option<Color>,
    bg: Option<Color>,
    attr: Modifier,
    /// Explicit form for sixteen colours: a colour or an attribute.
    ansi: Option<Ansi>,
}

#[derive(Debug, Clone, Copy)]
enum Ansi {
    Fg(Color),
    Attr(Modifier),
}

impl Theme {
    /// Reads a theme and everything it inherits from.
    pub fn parse(text: &str, depth: Depth) -> Result<(Self, Vec<Warning>), ThemeError> {
        let mut warnings = Vec::new();
        let mut specs = BTreeMap::new();
        let root: Table = text.parse().map_err(|source| ThemeError::Syntax {
            source: Box::new(source),
        })?;
        let mut seen = Vec::new();
        let mut ancestors = vec![(root.clone(), text.to_owned())];
        let mut parent = string(&root, "inherits").unwrap_or_else(|| "base".to_owned());
        if string(&root, "name").as_deref() == Some("base") {
            parent.clear();
        }
        while !parent.is_empty() {
            if seen.contains(&parent) {
                return Err(ThemeError::Cycle { name: parent });
            }
            let text = text_of(&parent).ok_or_else(|| ThemeError::Unknown {
                name: parent.clone(),
            })?;
            let table: Table = text.parse().map_err(|source| ThemeError::Syntax {
                source: Box::new(source),
            })?;
            seen.push(parent.clone());
            let next = match parent.as_str() {
                "base" => String::new(),
                _ => string(&table, "inherits").unwrap_or_else(|| "base".to_owned()),
            };
            ancestors.push((table, text.to_owned()));
            parent = next;
        }
        for (table, text) in ancestors.iter().rev() {
            apply(table, text, &mut specs, &mut warnings);
        }
        let text_spec = specs.get(&Token::Text).cloned().unwrap_or_default();
        let styles = Token::ALL
            .iter()
            .map(|(token, _)| resolve(specs.get(token), &text_spec, depth))
            .collect();
        let theme = Self {
            name: string(&root, "name").unwrap_or_else(|| "unnamed".to_owned()),
            dark: string(&root, "appearance").as_deref() != Some("light"),
            depth,
            styles,
        };
        Ok((theme, warnings))
    }

    /// Makes a theme that styles nothing.
    pub fn plain(depth: Depth) -> Self {
        Self {
            name: "plain".to_owned(),
            dark: true,
            depth,
            styles: Vec::new(),
        }
    }

    /// Gives the style of a token.
    pub fn style(&self, token: Token) -> Style {
        self.styles.get(token as usize).copied().unwrap_or_default()
    }
}

fn string(table: &Table, key: &str) -> Option<String> {
    table.get(key).and_then(Value::as_str).map(str::to_owned)
}

fn line_of(text: &str, needle: &str) -> usize {
    let last = needle.rsplit('.').next().unwrap_or(needle);
    text.lines()
        .position(|l| l.trim_start().trim_start_matches('"').starts_with(needle))
        .or_else(|| text.lines().position(|l| l.trim_start().starts_with(last)))
        .map_or(0, |i| i + 1)
}

fn apply(
    table: &Table,
    text: &str,
    specs: &mut BTreeMap<Token, Spec>,
    warnings: &mut Vec<Warning>,
) {
    let empty = Table::new();
    let palette = table
        .get("palette")
        .and_then(Value::as_table)
        .unwrap_or(&empty);
    let tokens = table
        .get("tokens")
        .and_then(Value::as_table)
        .unwrap_or(&empty);
    let mut leaves = Vec::new();
    flatten("", tokens, &mut leaves);
    for (name, leaf) in leaves {
        let mut warn = |message: String| {
            warnings.push(Warning {
                line: line_of(text, &name),
                text: message,
            });
        };
        match Token::from_name(&name) {
            Some(token) => {
                let spec = read_spec(leaf, palette, &mut |what| warn(format!("{name}: {what}")));
                specs.insert(token, spec);
            }
            None => warn(format!("unknown token '{name}'")),
        }
    }
}

/// Finds the style tables: `state.working = {…}` nests, `"border.focus" = {…}` does not.
fn flatten<'a>(prefix: &str, table: &'a Table, leaves: &mut Vec<(String, &'a Table)>) {
    for (key, value) in table {
        let name = if prefix.is_empty() {
            key.clone()
        } else {
            format!("{prefix}.{key}")
        };
        let Some(inner) = value.as_table() else {
            continue;
        };
        let is_leaf = inner.is_empty()
            || inner
                .keys()
                .any(|k| matches!(k.as_str(), "fg" | "bg" | "attr" | "ansi"));
        if is_leaf {
            leaves.push((name, inner));
        } else {
            flatten(&name, inner, leaves);
        }
    }
}

fn read_spec(table: &Table, palette: &Table, warn: &mut dyn FnMut(String)) -> Spec {
    let mut spec = Spec::default();
    let mut colour = |key: &str| {
        let name = table.get(key).and_then(Value::as_str)?;
        let found = read_colour(name, palette);
        if found.is_none() {
            warn(format!("unknown colour '{name}'"));
        }
        found
    };
    spec.fg = colour("fg");
    spec.bg = colour("bg");
    for value in table
        .get("attr")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
    {
        match value.as_str().and_then(read_attr) {
            Some(attr) => spec.attr |= attr,
            None => warn(format!(
                "unknown attribute {}",
                value.as_str().unwrap_or("?")
            )),
        }
    }
    if let Some(name) = table.get("ansi").and_then(Value::as_str) {
        spec.ansi = read_attr(name)
            .map(Ansi::Attr)
            .or_else(|| read_colour(name, &Table::new()).map(Ansi::Fg));
        if spec.ansi.is_none() {
            warn(format!("unknown colour '{name}'"));
        }
    }
    spec
}

fn read_attr(name: &str) -> Option<Modifier> {
    Some(match name {
        "bold" => Modifier::BOLD,
        "dim" => Modifier::DIM,
        "italic" => Modifier::ITALIC,
        "underlined" => Modifier::UNDERLINED,
        "reverse" => Modifier::REVERSED,
        "none" => Modifier::empty(),
        _ => return None,
    })
}

/// Reads a colour; the theme's own palette comes before the terminal's names.
fn read_colour(name: &str, palette: &Table) -> Option<Color> {
    if let Some(value) = palette.get(name).and_then(Value::as_str) {
        return read_colour(value, &Table::new());
    }
    if let Some(hex) = name.strip_prefix('#') {
        let value = u32::from_str_radix(hex, 16)
            .ok()
            .filter(|_| hex.len() == 6)?;
        let [_, r, g, b] = value.to_be_bytes();
        return Some(Color::Rgb(r, g, b));
    }
    if name == "default" {
        return Some(Color::Reset);
    }
    ANSI_NAMES.iter().find(|n| n.0 == name).map(|n| n.1)
}

fn resolve(spec: Option<&Spec>, text: &Spec, depth: Depth) -> Style {
    let spec = spec.unwrap_or(text);
    let mut style = Style::new().add_modifier(spec.attr);
    if depth == Depth::None {
        if let Some(Ansi::Attr(attr)) = spec.ansi {
            style = style.add_modifier(attr);
        }
        return style;
    }
    if depth == Depth::Ansi16 {
        match spec.ansi {
            Some(Ansi::Attr(attr)) => return style.add_modifier(attr),
            Some(Ansi::Fg(fg)) => return style.fg(fg),
            None => {}
        }
    }
    if let Some(fg) = spec.fg {
        style = style.fg(depth.limit(fg));
    }
    if let Some(bg) = spec.bg {
        style = style.bg(depth.limit(bg));
    }
    style
}
