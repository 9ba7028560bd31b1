//! All names that the lines of a file bind. Pure.

use super::language::Language;
use super::scopes::{ScopedLine, said};
use super::{defined, imported, members, prose, routes, told, whole};

/// Names of other kinds may be the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(in crate::merge::settle) enum Space {
    Name,
    Type,
    Module,
    /// What a file gives on to others.
    Export,
    /// The number of a field or of an item.
    Number,
    Column,
    Table,
    Index,
    Setting,
    Target,
    Case,
    Alias,
    Label,
    /// What answers a request.
    Route,
}

/// A name that a line binds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::merge::settle) struct Bound {
    /// Which line.
    pub(super) at: usize,
    pub(super) scope: [usize; 2],
    pub(super) space: Space,
    pub(super) name: String,
    /// The same name for the same thing is no second one.
    pub(super) what: String,
}

impl Bound {
    pub(super) fn new(said: &ScopedLine<'_>, space: Space, name: impl Into<String>) -> Self {
        Self {
            at: said.at,
            scope: said.scope(),
            space,
            name: name.into(),
            what: said.text.to_owned(),
        }
    }

    /// The same, wherever in the file it is.
    pub(super) fn of_file(self) -> Self {
        Self {
            scope: [0, 0],
            ..self
        }
    }
}

/// What the lines of a file in a language bind, line by line.
pub(in crate::merge::settle) fn bindings(lines: &[&str], language: Language) -> Vec<Bound> {
    if language == Language::Other {
        return Vec::new();
    }
    let said = said(lines, language);
    let mut found = match language {
        Language::Markdown => prose::names(&said),
        Language::Css
        | Language::Docker
        | Language::Ini
        | Language::Json
        | Language::Make
        | Language::Nginx
        | Language::Shell
        | Language::Sql
        | Language::Yaml => told::names(&said, language),
        Language::C
        | Language::CSharp
        | Language::Go
        | Language::GraphQl
        | Language::Java
        | Language::Kotlin
        | Language::Php
        | Language::Proto
        | Language::Python
        | Language::Rust
        | Language::Script => {
            let mut found = imported::names(&said, language);
            found.extend(members::names(&said, language));
            found.extend(defined::names(&said, language));
            found.extend(routes::names(&said));
            if language == Language::Script {
                found.extend(whole::names(&said));
            }
            found
        }
        Language::Other => Vec::new(),
    };
    if language != Language::Markdown {
        tell_by_bodies(&mut found, &said);
    }
    // What is there under some condition only, there may be another of.
    found.retain(|bound| !is_conditional(lines, bound.at));
    found
}

/// Two bodies that are the same over so many lines are the same.
const LONGEST: usize = 100;

/// Adds to what was read from a line what stands below it and deeper: the same head may have another body.
fn tell_by_bodies(found: &mut [Bound], said: &[ScopedLine<'_>]) {
    for bound in found {
        let first = said.partition_point(|line| line.at < bound.at);
        let Some((line, rest)) = said.get(first..).and_then(<[ScopedLine<'_>]>::split_first) else {
            continue;
        };
        if bound.what == line.text {
            let body = rest.iter().take_while(|below| below.indent > line.indent);
            for below in body.take(LONGEST) {
                bound.what.push('\n');
                bound.what.push_str(below.text);
            }
        }
    }
}

/// Above it stand attributes or decorators of which one says that there may be others.
fn is_conditional(lines: &[&str], at: usize) -> bool {
    const OTHERS: [&str; 7] = [
        ".setter",
        ".getter",
        ".deleter",
        "overload",
        ".register",
        "cfg_attr(",
        "partial",
    ];
    let above = lines.get(..at).unwrap_or_default().iter().rev();
    let mut decorators = above.map(|line| line.trim()).take_while(|line| {
        line.starts_with("#[") || line.starts_with('@') || line.starts_with("///")
    });
    decorators.any(|line| {
        !line.starts_with("///")
            && (OTHERS.iter().any(|it| line.contains(it))
                || line.contains("cfg(") && !line.contains("cfg(test)"))
    })
}
