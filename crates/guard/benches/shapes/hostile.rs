//! Shapes that one repeated piece does not make: nested constructs, numbered names, text within text, and the
//! calls of other tools.

use super::SIZE;
use super::again::{NESTED, REPEATED};
use super::scripts::{SCRIPTS, TEXTS};

/// A piece again and again, up to the size; `#` in it is another number each time.
pub(super) fn filled(unit: &str) -> String {
    if !unit.contains('#') {
        return unit.repeat(SIZE / unit.len());
    }
    let mut text = String::new();
    let mut number = 0;
    while text.len() + unit.len() + 4 < SIZE {
        text.push_str(&unit.replace('#', &number.to_string()));
        number += 1;
    }
    text
}

/// One construct inside of the other, as often as the size allows.
pub(super) fn nested(open: &str, inner: &str, close: &str) -> String {
    let depth = SIZE / (open.len() + close.len());
    format!("{}{inner}{}", open.repeat(depth), close.repeat(depth))
}

/// As [`nested`], so deep that it is read, next to each other up to the size.
fn towers(open: &str, inner: &str, close: &str, depth: usize) -> String {
    let tower = format!("{}{inner}{};", open.repeat(depth), close.repeat(depth));
    filled(&tower)
}

pub(super) fn commands(see: &mut dyn FnMut(&str, String)) {
    let mut push = |(name, text): (String, String)| see(&name, text);
    for (open, inner, close) in NESTED {
        push((format!("nest {open:?}"), nested(open, inner, close)));
        for depth in [2, 5, 9, 20] {
            push((
                format!("towers of {depth} {open:?}"),
                towers(open, inner, close, depth),
            ));
        }
    }
    for unit in REPEATED {
        let text = filled(unit);
        push((format!("again {unit:?}"), text.clone()));
        // In a loop and in a function everything is followed more than once.
        push((
            format!("loop {unit:?}"),
            format!("for i in a b; do {text}\ndone"),
        ));
        push((format!("call {unit:?}"), format!("f() {{ {text}\n}}; f; f")));
    }
    for (head, tail) in SCRIPTS {
        for unit in TEXTS {
            let mut text = filled(unit);
            if head.ends_with('\'') {
                text = text.replace('\'', "");
            }
            push((
                format!("script {head:?} {unit:?}"),
                format!("{head}{text}{tail}"),
            ));
        }
    }
}

/// The calls of other tools, as JSON.
pub(super) fn calls(see: &mut dyn FnMut(&str, String)) {
    let mut push = |(name, text): (String, String)| see(&name, text);
    let quoted = |text: &str| {
        let text: String = text
            .chars()
            .map(|c| match c {
                '"' | '\\' => format!("\\{c}"),
                c if u32::from(c) < 0x20 => format!("\\u{:04x}", u32::from(c)),
                c => c.to_string(),
            })
            .collect();
        format!("\"{text}\"")
    };
    let tools = [
        ("Write", "file_path"),
        ("Write", "content"),
        ("Edit", "new_string"),
        ("MultiEdit", "file_path"),
        ("NotebookEdit", "notebook_path"),
        ("Read", "file_path"),
        ("Grep", "pattern"),
        ("Grep", "path"),
        ("Glob", "pattern"),
        ("Bash", "command"),
        ("Bash", "description"),
        ("shell", "command"),
        ("apply_patch", "input"),
        ("apply_patch", "patch"),
        ("WebFetch", "url"),
        ("Task", "prompt"),
        ("mcp__files__write", "path"),
        ("mcp__db__query", "sql"),
        ("mcp__x__y", "a"),
    ];
    for (tool, field) in tools {
        for unit in TEXTS {
            let text = quoted(&filled(unit));
            let rest = match (tool, field) {
                ("Write" | "Edit", "content" | "new_string") => ",\"file_path\":\"a\"",
                ("Write", _) => ",\"content\":\"a\"",
                ("Bash", "description") => ",\"command\":\"ls\"",
                _ => "",
            };
            push((
                format!("tool {tool} {field} {unit:?}"),
                format!("{{\"tool_name\":\"{tool}\",\"tool_input\":{{\"{field}\":{text}{rest}}}}}"),
            ));
        }
        let shapes = [
            ("list", format!("[{}\"a\"]", filled("\"a#\","))),
            ("lists", nested("[", "1", "]")),
            ("objects", nested("{\"a\":", "1", "}")),
            ("fields", format!("{{{}\"b\":1}}", filled("\"a#\":1,"))),
            ("paths", format!("[{}\"a\"]", filled("\"../a#/..\","))),
            (
                "edits",
                format!(
                    "[{}{{}}]",
                    filled("{\"old_string\":\"a#\",\"new_string\":\"b\"},")
                ),
            ),
            ("numbers", format!("[{}1]", filled("1e9,"))),
            ("string", "\"".to_owned() + &filled("\\u0000") + "\""),
        ];
        for (kind, value) in shapes {
            push((
                format!("tool {tool} {field} {kind}"),
                format!("{{\"tool_name\":\"{tool}\",\"tool_input\":{{\"{field}\":{value}}}}}"),
            ));
            push((
                format!("tool {tool} {field} {kind} of all"),
                format!("{{\"tool_name\":\"{tool}\",\"tool_input\":{value}}}"),
            ));
        }
    }
    let escaped = quoted(&format!("{{\"command\":{}}}", quoted(&filled("ls;"))));
    push((
        "tool Bash in a string".to_owned(),
        format!("{{\"toolName\":\"Bash\",\"toolArgs\":{escaped}}}"),
    ));
    let patch = format!(
        "*** Begin Patch\n{}*** End Patch",
        filled("*** Update File: a#\n@@\n-a\n+b\n")
    );
    let moves = format!(
        "*** Begin Patch\n{}*** End Patch",
        filled("*** Update File: a#\n*** Move to: ../b#\n@@\n-a\n+b\n")
    );
    for (kind, patch) in [("files", patch), ("moves", moves)] {
        push((
            format!("tool apply_patch {kind}"),
            format!(
                "{{\"tool_name\":\"apply_patch\",\"tool_input\":{{\"input\":{}}}}}",
                quoted(&patch)
            ),
        ));
    }
    push((
        "tool twice".to_owned(),
        format!(
            "{{\"tool_name\":\"Bash\",\"tool_input\":{{{}\"command\":\"ls\"}}}}",
            filled("\"a#\":{\"b\":1},")
        ),
    ));
}
