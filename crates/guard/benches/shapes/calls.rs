//! Whole calls as bytes: many fields, long names, deep values, and what is no JSON or no text at all.

use super::SIZE;
use super::hostile::{filled, nested};

const TOOLS: &[&str] = &[
    "Bash", "shell", "Write", "Edit", "MultiEdit", "NotebookEdit", "Read", "Grep", "Glob", "LS", "WebFetch",
    "WebSearch", "TodoWrite", "Task", "apply_patch", "run_shell_command", "replace", "str_replace_editor",
    "mcp__files__write_file", "mcp__files__move_file", "mcp__db__query", "mcp__github__create_issue", "unknown",
];

/// What may stand where the input of a tool is wanted.
fn inputs() -> Vec<(String, String)> {
    let mut all = Vec::new();
    let fields = [
        "\"a#\":1", "\"path#\":\"a\"", "\"path#\":\"../a\"", "\"file_#\":\"/etc/a#\"", "\"command#\":\"ls\"",
        "\"a#\":null", "\"a#\":[\"b\"]", "\"a#\":{\"path\":\"b\"}", "\"url#\":\"http://a\"",
        "\"sql#\":\"drop table a\"", "\"a#\":\"git push\"", "\"\\u0061#\":1", "\"a#\":1e308",
        "\"a#\":\"\\ud83d\\ude00\"", "\"a#\":true",
    ];
    for field in fields {
        let many = filled(&format!("{field},"));
        for rest in [
            "\"z\":1", "\"command\":\"ls\"", "\"file_path\":\"a\",\"content\":\"b\"", "\"a0\":2",
        ] {
            all.push((
                format!("fields {field:?} {rest:?}"),
                format!("{{{many}{rest}}}"),
            ));
            all.push((
                format!("inner fields {field:?} {rest:?}"),
                format!("{{\"x\":{{{many}\"z\":1}},{rest}}}"),
            ));
        }
        let items = filled(&format!("{{{field}}},"));
        all.push((
            format!("objects {field:?}"),
            format!("{{\"edits\":[{items}{{}}],\"file_path\":\"a\"}}"),
        ));
        all.push((format!("list {field:?}"), format!("[{items}1]")));
    }
    for (open, inner, close) in [
        ("[", "1", "]"), ("{\"a\":", "1", "}"), ("[{\"a\":", "1", "}]"), ("[[],", "1", "]"),
    ] {
        all.push((format!("deep {open:?}"), nested(open, inner, close)));
        all.push((
            format!("deep {open:?} in a field"),
            format!("{{\"path\":{}}}", nested(open, inner, close)),
        ));
        for depth in [20, 100, 127] {
            let tower = format!("{}{inner}{}", open.repeat(depth), close.repeat(depth));
            all.push((
                format!("towers of {depth} {open:?}"),
                format!("{{\"x\":[{}1]}}", filled(&format!("{tower},"))),
            ));
        }
    }
    for text in [
        "a", "a#", " ", "\\\\", "\\\"", "\\n", "\\u0000", "\\ud800", "\\udc00\\ud800", "\u{e9}", "\u{10FF00}",
        "../", "~/",
    ] {
        let long = filled(text);
        for field in [
            "command", "file_path", "content", "path", "url", "pattern", "query", "prompt", "input",
        ] {
            all.push((
                format!("text {text:?} {field}"),
                format!("{{\"{field}\":\"{long}\"}}"),
            ));
        }
        all.push((
            format!("name {text:?}"),
            format!("{{\"{long}\":1,\"command\":\"ls\"}}"),
        ));
        all.push((
            format!("names {text:?}"),
            format!("{{\"{long}\":1,\"{long}\":2}}"),
        ));
    }
    let number = filled("1");
    all.push(("number".to_owned(), format!("{{\"command\":{number}}}")));
    all.push((
        "fraction".to_owned(),
        format!("{{\"command\":0.{number}e{}}}", "9".repeat(20)),
    ));
    all.push((
        "numbers as paths".to_owned(),
        format!("{{\"paths\":[{}1]}}", filled("#,")),
    ));
    all.push((
        "space".to_owned(),
        format!("{{{}\"command\":\"ls\"}}", filled(" \n")),
    ));
    all.push((
        "escaped".to_owned(),
        format!("\"{{\\\"command\\\":\\\"{}\\\"}}\"", filled("\\\\\\\\")),
    ));
    all
}

/// Patches of many files, as text in JSON.
fn patches() -> Vec<(String, String)> {
    let bodies = [
        "*** Add File: a#\\n+a\\n", "*** Delete File: a#\\n", "*** Update File: a#\\n*** Move to: ../a#\\n",
        "*** Update File: a/b/c/../../#\\n@@\\n-a\\n+b\\n", "--- a/a#\\n+++ b/a#\\n@@ -1 +1 @@\\n-a\\n+b\\n",
        "diff --git a/a# b/a#\\nrename from a#\\nrename to b#\\n", "+++ b/a\\n", "+++ ", "+a\\n", "\\n", "*** ",
        "*** Add File: \\n", "+++ /dev/null\\n", "+++ a\\tb\\tc\\n", "*** Add File: a\\n",
    ];
    let fields = ["input", "patch", "diff", "command", "patchText"];
    let mut all = Vec::new();
    for body in bodies {
        let text = format!("*** Begin Patch\\n{}*** End Patch", filled(body));
        for field in fields {
            all.push((
                format!("patch {field} {body:?}"),
                format!("{{\"{field}\":\"{text}\"}}"),
            ));
        }
        all.push((
            format!("patch argv {body:?}"),
            format!("{{\"command\":[\"apply_patch\",\"{text}\"]}}"),
        ));
    }
    all
}

/// What is no call: cut off, no JSON, or no text.
fn broken() -> Vec<(String, Vec<u8>)> {
    let mut all = Vec::new();
    let whole = format!(
        "{{\"tool_name\":\"Bash\",\"tool_input\":{{\"command\":\"{}\"}}}}",
        "a".repeat(SIZE)
    );
    all.push((
        "cut".to_owned(),
        whole.as_bytes().get(..SIZE).unwrap_or_default().to_vec(),
    ));
    for (name, unit) in [
        ("zeros", &b"\0"[..]),
        ("high", &b"\xff"[..]),
        ("cut letters", &b"\xc3"[..]),
        ("long letters", &b"\xf8\x88\x80\x80\x80"[..]),
        ("surrogates", &b"\xed\xa0\x80"[..]),
        ("overlong", &b"\xc0\xaf"[..]),
        ("brackets", &b"["[..]),
        ("braces", &b"{\"a\":"[..]),
        ("quotes", &b"\""[..]),
        ("commas", &b","[..]),
        ("escapes", &b"\\u"[..]),
        ("two", &b"{}"[..]),
        ("lines", &b"\n"[..]),
        ("order", &b"\xff\xfe"[..]),
    ] {
        let many = unit.repeat(SIZE / unit.len());
        all.push((name.to_owned(), many.clone()));
        for field in ["command", "file_path", "x"] {
            let mut call = format!(
                "{{\"tool_name\":\"Bash\",\"tool_input\":{{\"command\":\"ls\",\"{field}\":\""
            )
            .into_bytes();
            call.extend_from_slice(&many);
            call.extend_from_slice(b"\"}}");
            all.push((format!("{name} in {field}"), call));
        }
    }
    all
}

pub(super) fn each(see: &mut dyn FnMut(&str, Vec<u8>)) {
    for (kind, input) in inputs().into_iter().chain(patches()) {
        for tool in TOOLS {
            let call = format!("{{\"tool_name\":\"{tool}\",\"tool_input\":{input}}}");
            see(&format!("call {tool} {kind}"), call.into_bytes());
        }
    }
    for (kind, call) in broken() {
        see(&format!("broken {kind}"), call);
    }
    let name = filled("a");
    see(
        "call of a long name",
        format!("{{\"tool_name\":\"{name}\",\"tool_input\":{{\"command\":\"ls\"}}}}").into_bytes(),
    );
    see(
        "call in a long directory",
        format!(
            "{{\"tool_name\":\"Bash\",\"cwd\":\"/{}\",\"tool_input\":{{\"command\":\"ls a\"}}}}",
            filled("a/")
        )
        .into_bytes(),
    );
}
