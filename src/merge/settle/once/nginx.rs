//! What nginx takes but once in a block: it does not start with two. Pure.

use super::bound::{Bound, Space};
use super::scopes::ScopedLine;
use super::words::after;

/// Directives with one value.
const ONCE: [&str; 40] = [
    "alias",
    "auth_basic",
    "auth_basic_user_file",
    "autoindex",
    "charset",
    "daemon",
    "default_type",
    "etag",
    "expires",
    "fastcgi_index",
    "gzip",
    "gzip_comp_level",
    "gzip_min_length",
    "gzip_vary",
    "keepalive_requests",
    "limit_rate",
    "log_not_found",
    "merge_slashes",
    "pid",
    "port_in_redirect",
    "proxy_buffering",
    "proxy_buffers",
    "proxy_cache",
    "proxy_http_version",
    "proxy_request_buffering",
    "resolver",
    "root",
    "sendfile",
    "server_name_in_redirect",
    "server_tokens",
    "ssl_ciphers",
    "ssl_dhparam",
    "ssl_prefer_server_ciphers",
    "ssl_session_cache",
    "ssl_session_tickets",
    "tcp_nodelay",
    "tcp_nopush",
    "try_files",
    "user",
    "worker_processes",
];
/// How others end that have one value.
const ENDS: [&str; 5] = ["_pass", "_timeout", "_size", "_connections", "_nofile"];
/// Directives of which there is one for each first argument.
const KEYED: [&str; 2] = ["listen", "proxy_set_header"];
/// Blocks that are known by what stands before the bracket.
const BLOCKS: [&str; 2] = ["location", "upstream"];

pub(super) fn names(said: &[ScopedLine<'_>]) -> Vec<Bound> {
    said.iter().filter_map(directive).collect()
}

fn directive(line: &ScopedLine<'_>) -> Option<Bound> {
    let text = line.text.split(" #").next()?.trim_end();
    if let Some(head) = text.strip_suffix('{').map(str::trim_end) {
        let is_block = BLOCKS.iter().any(|word| after(head, word).is_some());
        return is_block.then(|| Bound::new(line, Space::Label, head));
    }
    let mut words = text.strip_suffix(';')?.split_whitespace();
    let (word, first) = (words.next()?, words.next()?);
    let is_once = ONCE.contains(&word) || ENDS.iter().any(|end| word.ends_with(end));
    let name = if is_once {
        word.to_owned()
    } else {
        KEYED.contains(&word).then(|| format!("{word} {first}"))?
    };
    Some(Bound::new(line, Space::Setting, name))
}
