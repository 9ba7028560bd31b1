//! What answers requests, by the decorator that says to which: `@app.get("/a")`, `@GetMapping("/a")`. Pure.

use super::bound::{Bound, Space};
use super::scopes::Said;
use super::words::tokens;

const METHODS: [&str; 8] = [
    "get", "post", "put", "delete", "patch", "head", "options", "route",
];

pub(super) fn names(said: &[Said<'_>]) -> Vec<Bound> {
    said.iter().filter_map(of_line).collect()
}

fn of_line(line: &Said<'_>) -> Option<Bound> {
    let text = line.text.strip_prefix(['@', '['])?;
    let (called, arguments) = text.split_once('(')?;
    let last = called.rsplit('.').next()?.to_lowercase();
    let method = last.strip_prefix("http").unwrap_or(&last);
    let method = method.strip_suffix("mapping").unwrap_or(method);
    if !METHODS.contains(&method) {
        return None;
    }
    let words = tokens(arguments);
    let path = words
        .iter()
        .find(|word| word.starts_with(['"', '\'', '`']))?;
    // `@patch("a.b")` replaces something.
    let is_path = path.trim_start_matches(['"', '\'', '`']).starts_with('/');
    if !is_path && !called.starts_with(char::is_uppercase) {
        return None;
    }
    // Which requests to one path are meant may be said by other words.
    let methods: Vec<&str> = words
        .iter()
        .skip_while(|it| **it != "methods")
        .copied()
        .collect();
    let is_get = methods.is_empty()
        || methods
            .iter()
            .any(|it| it.trim_matches(['"', '\'']) == "GET");
    let asked = if method == "route" && is_get {
        "get".to_owned()
    } else {
        format!("{method}{}", methods.concat())
    };
    let bound = Bound::new(line, Space::Route, format!("{called} {asked} {path}"));
    // Two of them are two, though they say the same.
    let what = line.at.to_string();
    let name = bound.name.replace(last.as_str(), "").replace('\'', "\"");
    Some(Bound {
        name,
        what,
        ..bound
    })
}
