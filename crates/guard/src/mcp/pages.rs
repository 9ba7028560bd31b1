//! Servers that drive a browser: pages under test are looked at and acted on, and their code is run in them.

use serde_json::Value;

use super::fields::not_text;
use super::names::{has, is_output, words};
use super::verbs::PUBLISHES;
use crate::policy::{Judged, Refusal, rule};
use crate::shell::state::State;
use crate::shell::text::brief;
use crate::shell::walk::Walker;
use crate::tool_paths::home;

/// Words for browsers in the name of a server or of a tool.
const BROWSERS: &[&str] = &[
    "playwright",
    "puppeteer",
    "selenium",
    "webdriver",
    "browser",
    "browsermcp",
    "browserbase",
    "stagehand",
    "chrome",
    "chromium",
    "devtools",
    "firefox",
    "safari",
];

/// What looks at a page, or at how it runs.
const LOOKS: &[&str] = &[
    "navigate",
    "goto",
    "scroll",
    "snapshot",
    "wait",
    "resize",
    "tabs",
    "tab",
    "back",
    "forward",
    "reload",
    "console",
    "network",
    "emulate",
    "performance",
    "trace",
    "tracing",
    "profile",
    "insight",
    "verify",
    "assert",
    "expect",
    "locator",
    "viewport",
    "pages",
    "page",
    "list",
    "get",
    "find",
    "read",
    "analyze",
    "hover",
    "lighthouse",
    "audit",
    "screenshot",
    "inspect",
];

/// What acts on a page.
const ACTS: &[&str] = &[
    "click",
    "dblclick",
    "type",
    "fill",
    "press",
    "select",
    "drag",
    "drop",
    "close",
    "handle",
    "dialog",
    "mouse",
    "keyboard",
    "key",
    "keys",
    "check",
    "uncheck",
    "tap",
    "swipe",
    "focus",
    "clear",
    "screenshot",
    "pdf",
    "act",
    "touch",
];

/// What runs code in a page.
const RUNS: &[&str] = &["evaluate", "eval", "script", "code", "execute", "run"];

/// What is more than a look at a page: it changes the machine, sends files away, or is a tool of another kind.
const OTHERS: &[&str] = &[
    "install",
    "upload",
    "download",
    "shell",
    "command",
    "process",
    "publish",
    "deploy",
    "delete",
    "remove",
    "extension",
    "extensions",
    "cookie",
    "cookies",
    "storage",
    "push",
    "kill",
    "terminal",
    "file",
    "files",
];

/// Fields that hold code for the page.
const CODE: &[&str] = &[
    "function",
    "script",
    "code",
    "expression",
    "pagefunction",
    "js",
    "javascript",
];

/// Names in such code that lead out of the page: to the network, to processes, to files, or to what somebody is logged in
/// with.
const LEADS_OUT: &[&str] = &[
    "fetch",
    "xmlhttprequest",
    "sendbeacon",
    "websocket",
    "websocketstream",
    "eventsource",
    "webtransport",
    "rtcpeerconnection",
    "importscripts",
    "serviceworker",
    "worker",
    "sharedworker",
    "import",
    "require",
    "process",
    "child_process",
    "eval",
    "cookie",
    "cookies",
    "cookiestore",
    "clipboard",
    "credentials",
    "showsavefilepicker",
    "showopenfilepicker",
    "showdirectorypicker",
    "download",
];

/// More of them where the code is the browser's driver's, which has the machine at hand.
const OF_DRIVERS: &[&str] = &[
    "fs",
    "os",
    "deno",
    "bun",
    "module",
    "global",
    "globalthis",
    "constructor",
    "exec",
    "spawn",
    "path",
    "context",
    "browser",
    "request",
    "route",
    "pdf",
    "screenshot",
    "video",
    "storagestate",
    "setinputfiles",
    "saveas",
    "addscripttag",
    "exposefunction",
    "exposebinding",
    "launch",
    "connect",
    "connectovercdp",
    "newcdpsession",
    "harfromfile",
];

/// Whether a call is one of a browser's server, and one that only concerns the page.
pub(super) fn is_page(server: &[String], verb: &[String]) -> bool {
    (has(server, BROWSERS) || has(verb, BROWSERS))
        && !has(verb, OTHERS)
        && (!has(verb, PUBLISHES) || has(verb, &["keys"]))
        && (has(verb, LOOKS) || has(verb, ACTS) || has(verb, RUNS))
}

/// Judges a call on a page.
pub(super) fn judge(
    w: &mut Walker<'_>,
    tool: &str,
    verb: &[String],
    input: &Value,
    st: &State,
) -> Judged<()> {
    let runs = has(verb, RUNS);
    for (name, value) in input.as_object().into_iter().flatten() {
        let words = words(name);
        if CODE.contains(&words.concat().as_str()) {
            code(tool, verb, name, value)?;
        } else if names_file(&words) {
            match value {
                Value::Null | Value::Bool(_) => {}
                Value::String(path) if path.is_empty() => {}
                Value::String(path) => w.write_path(&home(path), st)?,
                Value::Number(_) | Value::Array(_) | Value::Object(_) => {
                    return Err(not_text(name));
                }
            }
        }
    }
    let looks = has(verb, LOOKS) && !has(verb, ACTS);
    if runs || !looks {
        w.need_writer("acts through a tool server")?;
    }
    Ok(())
}

/// Whether a field names the file that a picture, a record or a page is put in.
fn names_file(words: &[String]) -> bool {
    is_output(words)
        || has(
            words,
            &[
                "path",
                "filename",
                "file",
                "filepath",
                "dir",
                "directory",
                "folder",
            ],
        )
}

/// Code of a page may do to the page what it likes.
fn code(tool: &str, verb: &[String], name: &str, value: &Value) -> Judged<()> {
    let Value::String(code) = value else {
        return Err(not_text(name));
    };
    let driver = has(verb, &["code"]) || name == "code";
    let lower = without_texts(code).to_lowercase();
    let leads = |word: &&str| LEADS_OUT.contains(word) || driver && OF_DRIVERS.contains(word);
    let named = lower
        .split(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '$')))
        .find(leads);
    // A name that is put together or written in numbers is not read.
    let hidden = lower.contains("\\u") || names_by_text(code);
    if named.is_none() && !hidden {
        return Ok(());
    }
    Err(Refusal::new(
        rule::UNPROVEN,
        format!(
            "{} would reach beyond the page ({}); look at the page only, or use the shell",
            brief(tool),
            named.map_or_else(|| "a name in brackets".to_owned(), brief)
        ),
    ))
}

/// The code without the text between quotes; what stands in a template is code as well.
fn without_texts(code: &str) -> String {
    let mut out = String::new();
    let mut quote = None;
    let mut escaped = false;
    for c in code.chars() {
        match quote {
            Some(_) if escaped => escaped = false,
            Some(_) if c == '\\' => escaped = true,
            Some(open) if c == open || c == '\n' => {
                quote = None;
                out.push(c);
            }
            Some(_) => {}
            None => {
                if matches!(c, '\'' | '"') {
                    quote = Some(c);
                }
                out.push(c);
            }
        }
    }
    out
}

/// `document["cookie"]`; a list of texts stands behind no name.
fn names_by_text(code: &str) -> bool {
    ["['", "[\"", "[`"].iter().any(|open| {
        code.match_indices(open).any(|(at, _)| {
            let before = code.get(..at).unwrap_or_default().trim_end();
            let word = before
                .rsplit(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '$')))
                .next()
                .unwrap_or_default();
            if word.is_empty() {
                before.ends_with([')', ']', '.'])
            } else {
                !matches!(
                    word,
                    "return" | "of" | "in" | "case" | "await" | "yield" | "typeof"
                )
            }
        })
    })
}

#[cfg(test)]
mod tests {
    use super::{names_by_text, without_texts};

    #[test]
    fn a_list_is_told_from_a_member() {
        assert!(names_by_text("document['cookie']"));
        assert!(names_by_text("f() [\"x\"]"));
        assert!(!names_by_text("() => ['a', 'b']"));
        assert!(!names_by_text("return [\"a\"]"));
    }

    #[test]
    fn text_is_left_out() {
        assert_eq!(without_texts("a('fetch it')"), "a('')");
        assert_eq!(without_texts("'a\\'fetch' + fetch"), "'' + fetch");
    }
}
