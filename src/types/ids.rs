//! Names a person or an agent may choose, checked once where they enter.
//!
//! Rows read from a store keep plain text: a store written by another program may hold
//! anything, and reading must not fail because of it.

use std::fmt;

/// Why a name was refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NameError {
    #[error("{what} is empty")]
    Empty { what: &'static str },
    #[error("{what} '{value}' is longer than {max} characters")]
    TooLong {
        what: &'static str,
        value: String,
        max: usize,
    },
    #[error(
        "{what} '{value}' has a character that is not allowed; use letters, digits, '-', '_' and '.', starting with a letter or digit"
    )]
    BadCharacter { what: &'static str, value: String },
}

fn check(what: &'static str, value: &str, max: usize) -> Result<(), NameError> {
    if value.is_empty() {
        return Err(NameError::Empty { what });
    }
    if value.len() > max {
        return Err(NameError::TooLong {
            what,
            value: value.to_owned(),
            max,
        });
    }
    let starts_well = value
        .chars()
        .next()
        .is_some_and(|c| c.is_ascii_alphanumeric());
    let all_allowed = value
        .chars()
        .all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c));
    // These are legal characters but not legal in a git ref, and every name becomes part of one.
    let breaks_ref = value.contains("..")
        || value.ends_with('.')
        || std::path::Path::new(value)
            .extension()
            .is_some_and(|e| e.eq_ignore_ascii_case("lock"));
    if !starts_well || !all_allowed || breaks_ref {
        return Err(NameError::BadCharacter {
            what,
            value: value.to_owned(),
        });
    }
    Ok(())
}

macro_rules! name_type {
    ($(#[$doc:meta])* $name:ident, $what:literal, $max:literal) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(String);

        impl $name {
            /// Accepts a name that can be a path component, a ref component and an argument.
            pub fn parse(value: &str) -> Result<Self, NameError> {
                check($what, value, $max)?;
                Ok(Self(value.to_owned()))
            }

            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
    };
}

name_type!(
    /// The name of an agent; unique among live agents of a project.
    AgentName, "agent name", 64
);
name_type!(
    /// The id of a task in the tracker, or any word the user chose for the work.
    TaskId, "task id", 96
);

/// The branch an agent works on.
pub fn agent_branch(agent: &AgentName, task: &TaskId) -> String {
    format!("overstory/{agent}/{task}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_would_break_paths_or_refs_are_refused() {
        for bad in [
            "", "-x", ".x", "a b", "a/b", "a..b", "x.", "x.lock", "ä", "a\n", "$(x)",
        ] {
            assert!(AgentName::parse(bad).is_err(), "{bad:?}");
        }
        for good in ["builder-1", "A", "sd-12.3", "x_y"] {
            assert!(AgentName::parse(good).is_ok(), "{good:?}");
        }
        assert!(AgentName::parse(&"a".repeat(65)).is_err());
    }
}
