//! Names that a merged text binds twice in one scope, once by each side: neither side has them twice. Pure.

use std::collections::BTreeMap;

use super::bound::{Bound, Space, bindings};
use super::language::Language;
use super::words::has_word;

/// Where a line of a merged text is from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::merge::settle) enum Origin {
    /// From before, or of both in the same way.
    Base,
    Ours,
    Theirs,
    /// Both put it in, and it is there once.
    Both,
    /// Somebody has to decide what is there anyway.
    Open,
}

/// A line of a merged text.
#[derive(Debug, Clone)]
pub(in crate::merge::settle) struct Line<'t> {
    pub(in crate::merge::settle) text: &'t str,
    pub(in crate::merge::settle) origin: Origin,
    /// Which place of the text it is in.
    pub(in crate::merge::settle) place: usize,
    /// What a line made of both was made of, ours first.
    pub(in crate::merge::settle) made_of: Option<[&'t str; 2]>,
}

/// What a merged text says twice.
pub(in crate::merge::settle) struct TwiceBound {
    /// As somebody would call it.
    pub(in crate::merge::settle) name: String,
    /// Where it does; the same place twice where it is within one.
    pub(in crate::merge::settle) places: [usize; 2],
}

/// The names that two places bind, or one place within itself. `was` tells whether a name was in what a place
/// replaced.
pub(in crate::merge::settle) fn bound_twice(
    lines: &[Line<'_>],
    language: Language,
    was: impl Fn(usize, &str) -> bool,
) -> Vec<TwiceBound> {
    let texts: Vec<&str> = lines.iter().map(|line| line.text).collect();
    let mut groups: BTreeMap<([usize; 2], Space, String), Vec<Bound>> = BTreeMap::new();
    for bound in bindings(&texts, language) {
        let key = (bound.scope, bound.space, bound.name.clone());
        groups.entry(key).or_default().push(bound);
    }
    let mut found = Vec::new();
    for ((_, space, name), group) in groups.iter().filter(|(_, group)| group.len() == 2) {
        let [one, two] = group.as_slice() else {
            continue;
        };
        let [Some(first), Some(second)] = [one, two].map(|bound| lines.get(bound.at)) else {
            continue;
        };
        let origins = [
            origin(first, *space, name, &was),
            origin(second, *space, name, &was),
        ];
        let is_of_each = matches!(
            origins,
            [Origin::Ours, Origin::Theirs] | [Origin::Theirs, Origin::Ours]
        );
        // Each side has it once in that line.
        let is_once = |of: &&str| of.matches(name.as_str()).count() == 1;
        let is_made_twice = origins == [Origin::Both, Origin::Both]
            && one.at == two.at
            && first.made_of.is_some_and(|of| of.iter().all(is_once));
        let is_twice = is_of_each && one.what != two.what || is_made_twice;
        if is_twice {
            // Of a property, the block is told behind it.
            let name = name.split('\n').next().unwrap_or(name);
            found.push(TwiceBound {
                name: name.to_owned(),
                places: [first.place, second.place],
            });
        }
    }
    found
}

/// Which side bound a name by a line.
fn origin(line: &Line<'_>, space: Space, name: &str, was: &impl Fn(usize, &str) -> bool) -> Origin {
    let name = name.rsplit(['\n', '.', ' ']).next().unwrap_or(name);
    if line.origin != Origin::Open && space != Space::Number && was(line.place, name) {
        return Origin::Base;
    }
    let Some([ours, theirs]) = line.made_of else {
        return line.origin;
    };
    match (has_word(ours, name), has_word(theirs, name)) {
        (true, true) => Origin::Both,
        (true, false) => Origin::Ours,
        (false, true) => Origin::Theirs,
        (false, false) => Origin::Base,
    }
}

#[cfg(test)]
mod tests {
    use crate::merge::settle::once::held::contests;

    #[test]
    fn functions_whose_heads_are_alike_over_several_lines_are_two_by_what_they_do() {
        let base =
            "fn a() {\n    x();\n}\n\nfn b() {\n    y();\n}\n\nfn c() {\n    z();\n}\n\nuse q;\n";
        let new = |of: &str, body: &str| {
            format!(
                "pub fn new(\n    one: &P,\n    two: &R,\n) -> Result<{of}> {{\n    {body}\n}}\n\n"
            )
        };
        let ours = base
            .replace("fn b()", &(new("A", "run(one)") + "fn b()"))
            .replace("use q", "use q1");
        let theirs = base
            .replace("fn c()", &(new("B", "run(two)") + "fn c()"))
            .replace("use q;", "use q;\nuse q2;");
        assert!(contests("a.rs", [base, &ours, &theirs]) > 0);
        assert!(contests("a.rs", [base, &theirs, &ours]) > 0);
    }
}
