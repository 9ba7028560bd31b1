//! What the names of calls say: which start programs, write or delete files, run code that cannot be read.
//!
//! Names only. What a name means also depends on what stands before it, which the rules beside this file ask.

use std::sync::LazyLock;

use super::super::syntax::Family;
use super::names::{CONJURES, HELD, JUDGED, MODULES, STARTS};
use super::opens::OPENS;
use super::removers::VARIANTS;
use super::sent::SENDS;
use super::steered::STEERED;
use super::written::{WRITES, Write};
use crate::quick::{Names, Table};

/// The lists below as sets: every call of a program is looked up.
static BY_NAME: LazyLock<Table<&Write>> =
    LazyLock::new(|| WRITES.iter().map(|write| (write.name, write)).collect());
static STARTERS: LazyLock<Names> = LazyLock::new(|| STARTS.iter().copied().collect());
static OWNERS: LazyLock<Names> = LazyLock::new(|| MODULES.iter().copied().collect());
static KEPT: LazyLock<Names> = LazyLock::new(|| HELD.iter().copied().collect());
static CONJURING: LazyLock<Names> = LazyLock::new(|| CONJURES.iter().copied().collect());
/// Every name that some rule about calls asks for.
static OTHERS: LazyLock<Names> = LazyLock::new(|| {
    let written = WRITES.iter().map(|write| write.name);
    JUDGED
        .iter()
        .chain(STARTS)
        .chain(OPENS)
        .chain(SENDS)
        .chain(STEERED)
        .chain(VARIANTS)
        .copied()
        .chain(written)
        .collect()
});

/// Whether any rule asks for calls of this name.
pub(super) fn is_judged(name: &str) -> bool {
    OTHERS.contains(name)
}

/// Whether a call of this name starts a program, as far as its name says.
pub(super) fn is_start(name: &str) -> bool {
    STARTERS.contains(name)
}

/// Whether a program in which this name is used may start another one.
pub(in crate::interpreters) fn starts_programs(name: &str) -> bool {
    is_start(name) || matches!(name, "run" | "call" | "$" | "Command")
}

/// Whether the result of a call of this name may be any text at all.
pub(in crate::interpreters) fn is_conjuring(name: &str) -> bool {
    CONJURING.contains(name)
}

/// What a function or module that is handed on as a value could do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::interpreters) enum Effect {
    Starts,
    Writes,
    /// Opens files, for reading or writing.
    Opens,
    /// Runs code, or holds functions that do anything.
    Anything,
}

pub(in crate::interpreters) fn is_module(owner: &str, family: Family) -> bool {
    OWNERS.contains(owner) && !(owner == "process" && family != Family::JavaScript)
}

pub(super) fn find(name: &str) -> Option<&'static Write> {
    BY_NAME.get(name).copied()
}

/// Whether a name alone says that files change.
pub(in crate::interpreters) fn is_distinct(name: &str) -> bool {
    find(name).is_some() || is_start(name)
}

/// What handing on a function or module could do.
pub(in crate::interpreters) fn escape(full: &str, family: Family) -> Option<Effect> {
    if KEPT.contains(full) {
        return Some(Effect::Anything);
    }
    if family == Family::Python && matches!(full, "open" | "io.open" | "codecs.open") {
        return Some(Effect::Opens);
    }
    let Some((owner, name)) = full.rsplit_once('.') else {
        let runs = match family {
            Family::Python => matches!(full, "exec" | "eval" | "compile" | "__import__"),
            Family::JavaScript => matches!(full, "eval" | "require" | "Function"),
            Family::Perl | Family::Ruby | Family::Php | Family::Other => false,
        };
        return runs.then_some(Effect::Anything);
    };
    let (owner, name) = match name {
        "call" | "apply" | "bind" => owner.rsplit_once('.')?,
        _ => (owner, name),
    };
    if !is_module(owner, family) {
        return None;
    }
    let runs_here = matches!(name, "run" | "call") && owner == "subprocess" || name == "Command";
    if is_start(name) || runs_here {
        return Some(Effect::Starts);
    }
    if find(name).is_some() || matches!(name, "open" | "openSync" | "replace") {
        return Some(Effect::Writes);
    }
    let runs = matches!(
        name,
        "binding" | "dlopen" | "require" | "_load" | "import_module" | "kill"
    );
    runs.then_some(Effect::Anything)
}

/// What handing on a method of a path could do.
pub(in crate::interpreters) fn method_escape(name: &str) -> Option<Effect> {
    find(name).map(|_| Effect::Writes)
}

/// Whether words behind a name are its arguments: what else is called so does nothing here.
pub(in crate::interpreters) fn takes_words(name: &str) -> bool {
    find(name).is_some()
        || is_start(name)
        || matches!(
            name,
            "open"
                | "sysopen"
                | "new"
                | "chdir"
                | "kill"
                | "eval"
                | "require"
                | "load"
                | "do"
                | "include"
                | "include_once"
                | "require_once"
                | "require_relative"
                | "send"
                | "syscall"
                | "write"
                | "read"
                | "readlines"
                | "foreach"
                | "glob"
                | "join"
                | "push"
                | "unshift"
                | "each"
                | "reopen"
                | "method"
                | "Path"
                | "Pathname"
        )
}
