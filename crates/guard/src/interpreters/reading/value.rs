//! What an expression is, as far as the text of a program says.

use std::rc::Rc;

use crate::shell::text::HOME;

/// More alternatives than this become one unknown value.
const ALTERNATIVES: usize = 32;
/// Longer lists are not followed.
const LONGEST_LIST: usize = 256;
/// Lists in lists are kept as deep as this, and with so many values in all.
const TABLE_DEPTH: usize = 3;
const TABLE: usize = 64;
/// Longer computed text is not followed.
const LONGEST: usize = 1024;

/// Where an unknown value comes from.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::interpreters) enum Source {
    #[default]
    /// Made from what is in the program.
    Program,
    /// The folder of something made from what is in the program.
    Above,
    /// Read from a file, another program or the network.
    Content,
    /// Given by a function or a module of which nothing is known.
    Made,
    /// Text made of other text in a way that is not followed: decoded, replaced by a pattern, taken apart.
    Turned,
    /// The environment, standard input, decoded bytes: anything.
    Outside,
}

/// The value of an expression.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::interpreters) enum Value {
    /// Text; may hold the marks of `shell::text` for parts that are known to be harmless in a path.
    Text(Rc<str>),
    Unknown(Source),
    /// A module, function or variable by its full name.
    Named(Rc<str>),
    /// An object that stands for a path.
    Path(Rc<Self>),
    List(Rc<Vec<Self>>),
    Map(Rc<Vec<(String, Self)>>),
    /// A method taken from a value.
    Method(Rc<(Self, String)>),
    OneOf(Rc<Vec<Self>>),
    /// A function of the program itself, which is read where it is written.
    Function,
}

pub(in crate::interpreters) const PROGRAM: Value = Value::Unknown(Source::Program);

impl Value {
    pub(in crate::interpreters) fn text(text: &str) -> Self {
        Self::Text(text.into())
    }

    pub(in crate::interpreters) fn named(name: &str) -> Self {
        Self::Named(name.into())
    }

    pub(in crate::interpreters) fn path(inner: Self) -> Self {
        match inner {
            Self::Path(_) => inner,
            Self::OneOf(values) => {
                let paths: Vec<Self> = values.iter().cloned().map(Self::path).collect();
                Self::OneOf(paths.into())
            }
            other @ (Self::Text(_)
            | Self::Unknown(_)
            | Self::Named(_)
            | Self::List(_)
            | Self::Map(_)
            | Self::Method(_)
            | Self::Function) => Self::Path(Rc::new(other)),
        }
    }

    /// The user's home directory, of which nothing is known but that it is outside.
    pub(in crate::interpreters) fn home() -> Self {
        Self::text(HOME)
    }

    /// The values this one may be.
    pub(in crate::interpreters) fn choices(&self) -> &[Self] {
        match self {
            Self::OneOf(values) => values,
            one @ (Self::Text(_)
            | Self::Unknown(_)
            | Self::Named(_)
            | Self::Path(_)
            | Self::List(_)
            | Self::Map(_)
            | Self::Method(_)
            | Self::Function) => std::slice::from_ref(one),
        }
    }

    /// The text, when there is only one.
    pub(in crate::interpreters) fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            Self::Path(inner) => inner.as_text(),
            Self::Unknown(_)
            | Self::Named(_)
            | Self::List(_)
            | Self::Map(_)
            | Self::Method(_)
            | Self::OneOf(_)
            | Self::Function => None,
        }
    }

    /// How little is known about a value or its parts.
    pub(in crate::interpreters) fn source(&self) -> Source {
        match self {
            Self::Unknown(source) => *source,
            Self::Path(inner) => inner.source(),
            Self::Method(method) => method.0.source(),
            Self::List(items) | Self::OneOf(items) => items
                .iter()
                .map(Self::source)
                .max()
                .unwrap_or(Source::Program),
            Self::Map(items) => items
                .iter()
                .map(|(_, item)| item.source())
                .max()
                .unwrap_or(Source::Program),
            Self::Text(_) | Self::Named(_) | Self::Function => Source::Program,
        }
    }

    /// A list of these; long ones and lists of lists of lists are not kept, so that values stay small.
    pub(in crate::interpreters) fn list(items: Vec<Self>) -> Self {
        if items.len() > LONGEST_LIST {
            let source = items.iter().map(Self::source).max();
            return Self::Unknown(source.unwrap_or(Source::Program));
        }
        Self::List(
            items
                .into_iter()
                .map(Self::shallow)
                .collect::<Vec<_>>()
                .into(),
        )
    }

    /// A list of some of these or in another order: what is in it stays known, how it is spelled as a command does not.
    pub(in crate::interpreters) fn shuffled(&self) -> Self {
        match self {
            Self::List(items) if items.len() > 1 => {
                Self::List(vec![Self::any_of(items.iter().cloned()), PROGRAM].into())
            }
            Self::OneOf(choices) => Self::OneOf(
                choices
                    .iter()
                    .map(Self::shuffled)
                    .collect::<Vec<_>>()
                    .into(),
            ),
            other @ (Self::List(_)
            | Self::Text(_)
            | Self::Unknown(_)
            | Self::Named(_)
            | Self::Path(_)
            | Self::Map(_)
            | Self::Method(_)
            | Self::Function) => other.clone(),
        }
    }

    /// The pairs of a map, like `list`.
    pub(in crate::interpreters) fn map(pairs: Vec<(String, Self)>) -> Self {
        if pairs.len() > LONGEST_LIST {
            let source = pairs.iter().map(|(_, item)| item.source()).max();
            return Self::Unknown(source.unwrap_or(Source::Program));
        }
        Self::Map(
            pairs
                .into_iter()
                .map(|(key, item)| (key, item.shallow()))
                .collect::<Vec<_>>()
                .into(),
        )
    }

    fn is_nested(&self) -> bool {
        matches!(
            self,
            Self::List(_) | Self::Map(_) | Self::OneOf(_) | Self::Method(_)
        )
    }

    pub(in crate::interpreters) fn shallow(self) -> Self {
        if let Self::OneOf(items) = &self {
            let items: Vec<Self> = items.iter().cloned().map(Self::shallow).collect();
            return Self::OneOf(items.into());
        }
        let deep = match &self {
            Self::List(items) => items.iter().any(Self::is_nested),
            Self::Map(pairs) => pairs.iter().any(|(_, item)| item.is_nested()),
            Self::Method(method) => method.0.is_nested(),
            Self::Path(inner) => inner.is_nested(),
            Self::Text(_) | Self::Unknown(_) | Self::Named(_) | Self::Function | Self::OneOf(_) => {
                false
            }
        };
        if deep && !self.is_table(TABLE_DEPTH, &mut 0) {
            self.blurred()
        } else {
            self
        }
    }

    /// Whether a list holds nothing but plain text and small lists of such.
    fn is_table(&self, depth: usize, held: &mut usize) -> bool {
        *held += 1;
        match self {
            Self::Text(_) => *held <= TABLE,
            Self::List(items) => {
                depth > 0 && items.iter().all(|item| item.is_table(depth - 1, held))
            }
            Self::Unknown(_)
            | Self::Named(_)
            | Self::Path(_)
            | Self::Map(_)
            | Self::Method(_)
            | Self::OneOf(_)
            | Self::Function => false,
        }
    }

    /// Whether a list is among those that this one holds, itself and not only its like.
    pub(super) fn contains(&self, list: &Rc<Vec<Self>>) -> bool {
        match self {
            Self::List(items) | Self::OneOf(items) => items.iter().any(|item| {
                matches!(item, Self::List(inner) if Rc::ptr_eq(inner, list)) || item.contains(list)
            }),
            Self::Text(_)
            | Self::Unknown(_)
            | Self::Named(_)
            | Self::Path(_)
            | Self::Map(_)
            | Self::Method(_)
            | Self::Function => false,
        }
    }

    /// Whether it is, or may be, a list of lists.
    pub(super) fn holds_lists(&self) -> bool {
        self.choices().iter().any(|choice| {
            matches!(choice, Self::List(items) if items.iter().any(|item| matches!(item, Self::List(_))))
        })
    }

    /// An unknown value made from this one.
    pub(in crate::interpreters) fn blurred(&self) -> Self {
        Self::Unknown(self.source())
    }

    /// A value that may be this or the other.
    pub(in crate::interpreters) fn or(self, other: Self) -> Self {
        if self == other {
            return self;
        }
        let mut all: Vec<Self> = self.choices().to_vec();
        for value in other.choices() {
            if !all.contains(value) {
                all.push(value.clone());
            }
        }
        if let [only] = all.as_slice() {
            return only.clone();
        }
        if all.len() > ALTERNATIVES {
            let source = all
                .iter()
                .map(Self::source)
                .max()
                .unwrap_or(Source::Program);
            // What it could call stays known.
            all.retain(|value| matches!(value, Self::Named(_)));
            all.truncate(ALTERNATIVES / 2);
            all.push(Self::Unknown(source));
        }
        Self::OneOf(Rc::new(all))
    }

    /// A value that may be any of these; nothing is known of one that may be none.
    pub(in crate::interpreters) fn any_of(values: impl IntoIterator<Item = Self>) -> Self {
        values.into_iter().reduce(Self::or).unwrap_or(PROGRAM)
    }

    /// Applies a function of two values to every pair of what they may be.
    fn pairs(&self, other: &Self, join: impl Fn(&Self, &Self) -> Self) -> Self {
        let (mine, theirs) = (self.choices(), other.choices());
        // A parameter of a function that is not called yet has no value.
        if mine.is_empty() || theirs.is_empty() {
            return Self::OneOf(Vec::new().into());
        }
        if mine.len() * theirs.len() > ALTERNATIVES {
            return Self::Unknown(self.source().max(other.source()));
        }
        let pairs = mine
            .iter()
            .flat_map(|one| theirs.iter().map(move |two| (one, two)));
        Self::any_of(pairs.map(|(one, two)| join(one, two)))
    }

    /// One text behind the other.
    pub(in crate::interpreters) fn concat(&self, other: &Self) -> Self {
        self.pairs(other, |one, two| match (one, two) {
            (Self::Text(one), Self::Text(two)) if one.len() + two.len() <= LONGEST => {
                Self::Text(format!("{one}{two}").into())
            }
            (Self::Path(_), _) => one.join(two),
            (Self::Text(one), Self::Unknown(source)) => prefixed(one, *source),
            _ => Self::Unknown(one.source().max(two.source())),
        })
    }

    /// One path below the other, the way `join` and `/` do it.
    pub(in crate::interpreters) fn join(&self, other: &Self) -> Self {
        let joined = self.pairs(other, |one, two| match (one.as_text(), two.as_text()) {
            (_, Some(two)) if two.starts_with('/') => Self::text(two),
            (Some(""), Some(two)) => Self::text(two),
            (Some(one), Some(two)) if one.len() + two.len() < LONGEST => {
                Self::Text(format!("{}/{two}", one.trim_end_matches('/')).into())
            }
            (Some(one), None) => prefixed(one, two.source()),
            _ => Self::Unknown(one.source().max(two.source())),
        });
        match self {
            Self::Path(_) => Self::path(joined),
            Self::Text(_)
            | Self::Unknown(_)
            | Self::Named(_)
            | Self::List(_)
            | Self::Map(_)
            | Self::Method(_)
            | Self::OneOf(_)
            | Self::Function => joined,
        }
    }
}

/// Unknown text behind known text: what comes from a file is still in the folder the program names.
fn prefixed(prefix: &str, source: Source) -> Value {
    let named = !prefix.is_empty() && !prefix.starts_with(['/', '~']);
    Value::Unknown(match source {
        Source::Content | Source::Made if named => Source::Program,
        other @ (Source::Program
        | Source::Above
        | Source::Content
        | Source::Made
        | Source::Turned
        | Source::Outside) => other,
    })
}
