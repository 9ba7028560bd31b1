//! What a module of JavaScript gives on as a whole, or by a name of its own: `export default`, `module.exports`. Pure.

use super::bound::{Bound, Space};
use super::scopes::ScopedLine;
use super::words::{after, name};

pub(super) fn names(said: &[ScopedLine<'_>]) -> Vec<Bound> {
    said.iter().filter_map(given_on).collect()
}

fn given_on(line: &ScopedLine<'_>) -> Option<Bound> {
    if after(line.text, "export").is_some_and(|rest| after(rest, "default").is_some()) {
        // As in `export { a as default }`.
        return Some(Bound::new(line, Space::Export, "default"));
    }
    let is_set = |rest: &str| rest.starts_with('=') && !rest.starts_with("==");
    let rest = after(line.text, "module.exports").or_else(|| after(line.text, "exports"))?;
    if is_set(rest) {
        return Some(Bound::new(line, Space::Export, "module.exports"));
    }
    let (name, rest) = name(rest.strip_prefix('.')?)?;
    is_set(rest.trim_start()).then(|| Bound::new(line, Space::Export, format!("exports.{name}")))
}
