//! Comparing documents: JSON with volatile fields blanked, text with volatile words blanked.

use serde_json::{Map, Value};

use crate::rebase::replace_shape;

/// Blanks the fields that `rules` names in both documents alike.
pub(crate) fn blank(document: &mut Value, rules: &Map<String, Value>) {
    for (path, kind) in rules {
        let parts: Vec<&str> = path.split('.').collect();
        blank_at(document, &parts, kind.as_str().unwrap_or("any"));
    }
}

fn blank_at(value: &mut Value, path: &[&str], kind: &str) {
    let Some((head, rest)) = path.split_first() else {
        *value = blanked(value, kind);
        return;
    };
    match value {
        Value::Object(map) => {
            for (_, below) in map
                .iter_mut()
                .filter(|(key, _)| *head == "*" || key.as_str() == *head)
            {
                blank_at(below, rest, kind);
            }
        }
        Value::Array(items) => {
            for (_, below) in items
                .iter_mut()
                .enumerate()
                .filter(|(index, _)| *head == "*" || index.to_string() == *head)
            {
                blank_at(below, rest, kind);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// A field that has the right kind becomes its kind's name; a wrong one stays and shows.
fn blanked(value: &Value, kind: &str) -> Value {
    let text = value.as_str();
    let id = |prefix: &str, length: usize| {
        text.is_some_and(|text| {
            text.strip_prefix(prefix)
                .is_some_and(|rest| rest.len() == length)
        })
    };
    if let Some(rules) = kind.strip_prefix("text:") {
        let rules: Vec<&str> = rules.split('+').collect();
        return text.map_or_else(
            || value.clone(),
            |text| Value::String(blank_text(text, &rules)),
        );
    }
    let fits = match kind {
        "int" => value.is_i64(),
        "number" => value.is_number(),
        "string" | "clock" => value.is_string(),
        "iso" => text.is_some_and(|text| text.len() == 24 && text.ends_with('Z')),
        "msgid" => id("msg-", 12),
        "groupid" => id("group-", 8),
        "msgids" => value.is_array(),
        _ => true,
    };
    if fits {
        Value::String(format!("{{{{{kind}}}}}"))
    } else {
        value.clone()
    }
}

/// Blanks volatile words of a text, word by word.
pub(crate) fn blank_text(text: &str, rules: &[&str]) -> String {
    let on = |rule: &str| rules.contains(&rule);
    let lines = text.split('\n').map(|line| {
        let mut line = line.to_owned();
        if on("lclock") {
            line = blank_clock(&line);
        }
        for (rule, shape, name) in [
            ("iso", "9999-99-99T99:99:99.999Z", "{{ISO}}"),
            ("date", "9999-99-99", "{{DATE}}"),
            ("time", "99:99:99", "{{TIME}}"),
        ] {
            if on(rule) {
                line = replace_shape(&line, shape, |_| name.to_owned());
            }
        }
        if on("rates") && line.starts_with("Burn rate: ") {
            line = "{{RATES}}".to_owned();
        }
        if on("ago") {
            line = blank_ago(&line);
        }
        if on("padago") {
            line = line.trim_start().to_owned();
        }
        if on("longdur") {
            line = blank_long_duration(&line);
        }
        if on("hoursold") {
            line = blank_number_before(&line, "h old");
        }
        if on("msgid") {
            line = blank_after(&line, "msg-", 12);
        }
        if on("groupid") {
            line = blank_after(&line, "group-", 8);
        }
        line
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// `7808h 32m ago` and its kin.
fn blank_ago(line: &str) -> String {
    let mut words: Vec<&str> = line.split(' ').collect();
    let part = |word: &str| {
        word.strip_suffix(['s', 'm', 'h', 'd'])
            .is_some_and(|digits| !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()))
    };
    while let Some(end) = words
        .iter()
        .enumerate()
        .position(|(index, word)| *word == "ago" && index > 0 && part(words[index - 1]))
    {
        let mut start = end;
        while start > 0 && part(words[start - 1]) {
            start -= 1;
        }
        words.splice(start..=end, ["{{AGO}}"]);
    }
    words.join(" ")
}

/// `6:17:06 PM`, also in brackets.
fn blank_clock(line: &str) -> String {
    for half in [" AM", " PM"] {
        if let Some(end) = line.find(half) {
            let start = line[..end]
                .rfind(|c: char| !(c.is_ascii_digit() || c == ':'))
                .map_or(0, |at| at + 1);
            return format!("{}{{{{CLOCK}}}}{}", &line[..start], &line[end + 3..]);
        }
    }
    line.to_owned()
}

/// `7808h 32m`: a time span that grows with every day.
fn blank_long_duration(line: &str) -> String {
    let mut words: Vec<&str> = line.split(' ').collect();
    let number = |word: &str, unit: char| {
        word.strip_suffix(unit)
            .filter(|digits| digits.bytes().all(|b| b.is_ascii_digit()))
            .map_or(0, str::len)
    };
    if let Some(start) = words.iter().position(|word| number(word, 'h') >= 3) {
        let minutes = words
            .get(start + 1)
            .is_some_and(|word| number(word, 'm') > 0);
        words.splice(start..=start + usize::from(minutes), ["{{DUR}}"]);
    }
    words.join(" ")
}

fn blank_number_before(line: &str, mark: &str) -> String {
    let Some(end) = line.find(mark) else {
        return line.to_owned();
    };
    let start = line[..end]
        .rfind(|c: char| !c.is_ascii_digit())
        .map_or(0, |at| at + 1);
    format!("{}{{{{N}}}}{}", &line[..start], &line[end..])
}

fn blank_after(line: &str, prefix: &str, length: usize) -> String {
    let mut out = String::new();
    let mut rest = line;
    while let Some(at) = rest.find(prefix) {
        let (before, found) = rest.split_at(at);
        out.push_str(before);
        let tail = &found[prefix.len()..];
        let id: String = tail.chars().take(length).collect();
        if id.chars().count() == length && id.chars().all(|c| c.is_ascii_alphanumeric()) {
            out.push_str("{{ID}}");
            rest = &tail[id.len()..];
        } else {
            out.push_str(prefix);
            rest = tail;
        }
    }
    out + rest
}

/// The first difference of two texts.
pub(crate) fn text_difference(expected: &str, actual: &str) -> Option<String> {
    let (mut left, mut right) = (expected.split('\n'), actual.split('\n'));
    for number in 1.. {
        match (left.next(), right.next()) {
            (None, None) => return None,
            (left, right) if left == right => {}
            (left, right) => {
                return Some(format!("line {number}: expected {left:?}, got {right:?}"));
            }
        }
    }
    None
}
