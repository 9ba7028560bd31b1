//! Packages that are one function for deleting or making files, and functions that are named as text.

use super::super::reading::{Call, Owner, Value};
use super::super::syntax::Family;
use super::{Run, table};
use crate::policy::Judged;
use crate::shell::walk::Walker;

/// Packages whose variants take the files first, and whether they delete.
const PACKAGES: &[(&str, bool)] = &[
    ("rimraf", true),
    ("del", true),
    ("trash", true),
    ("mkdirp", false),
    ("make-dir", false),
    ("move-file", true),
    ("cpy", false),
];

/// How the variants are called.
pub(super) const VARIANTS: &[&str] = &[
    "sync",
    "async",
    "native",
    "nativeSync",
    "manual",
    "manualSync",
    "moveRemove",
    "moveRemoveSync",
    "posix",
    "posixSync",
    "windows",
    "windowsSync",
];

/// Functions of PHP that call another one, named as text, with each of their other arguments or what is in them.
const MAPS: &[&str] = &[
    "array_map",
    "array_walk",
    "array_walk_recursive",
    "array_filter",
    "iterator_apply",
];

impl Walker<'_> {
    /// Judges a call of this kind; whether there is nothing more to say about it.
    pub(super) fn removed_by(&mut self, made: &Call, run: &mut Run<'_>) -> Judged<bool> {
        if run.family == Family::Php && MAPS.contains(&made.name.as_str()) {
            self.mapped_by(made, run)?;
            return Ok(true);
        }
        let Owner::Object(Value::Named(of)) = &made.owner else {
            return Ok(false);
        };
        let root = of.split('.').next().unwrap_or(of);
        let Some((_, deletes)) = PACKAGES.iter().find(|(package, _)| *package == root) else {
            return Ok(false);
        };
        if !VARIANTS.contains(&made.name.as_str()) {
            return Ok(false);
        }
        for target in made.args.iter().take(1) {
            self.target(root, target, *deletes, run)?;
        }
        Ok(true)
    }

    fn mapped_by(&mut self, made: &Call, run: &mut Run<'_>) -> Judged<()> {
        let mut named = made.args.iter().filter_map(Value::as_text);
        let Some(write) = named.find_map(table::find) else {
            return Ok(());
        };
        for target in &made.args {
            if target.as_text() != Some(write.name) {
                self.target(write.name, target, write.deletes, run)?;
            }
        }
        Ok(())
    }
}
