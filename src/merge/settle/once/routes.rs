//! What answers requests, by the decorator or the call that says to which: `@app.get("/a")`, `@GetMapping("/a")`,
//! `app.get("/a", …)`. Pure.

use super::bound::{Bound, Space};
use super::scopes::ScopedLine;
use super::words::tokens;

const METHODS: [&str; 8] = [
    "get", "post", "put", "delete", "patch", "head", "options", "route",
];

/// What is asked for an answer by a call is a server; a client is asked in the same words.
const SERVERS: [&str; 8] = [
    "app", "e", "fastify", "http", "mux", "r", "router", "server",
];

pub(super) fn names(said: &[ScopedLine<'_>]) -> Vec<Bound> {
    let of_line = |line| of_line(line).or_else(|| of_call(line));
    said.iter().filter_map(of_line).collect()
}

/// `app.get('/a', …)`, `mux.HandleFunc("/a", …)`: the first one answers, or the server does not start.
fn of_call(line: &ScopedLine<'_>) -> Option<Bound> {
    let (called, arguments) = line.text.split_once('(')?;
    let (server, method) = called.rsplit_once('.')?;
    let method = method.to_lowercase();
    let is_method = METHODS.contains(&method.as_str()) || method.starts_with("handle");
    let quote = arguments
        .chars()
        .next()
        .filter(|c| ['"', '\'', '`'].contains(c))?;
    let (path, rest) = arguments.get(1..)?.split_once(quote)?;
    let is_route =
        SERVERS.contains(&server) && is_method && path.contains('/') && !path.contains("://");
    let name = format!("{called} {path}");
    (is_route && rest.starts_with(',')).then(|| Bound::new(line, Space::Route, name))
}

fn of_line(line: &ScopedLine<'_>) -> Option<Bound> {
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
