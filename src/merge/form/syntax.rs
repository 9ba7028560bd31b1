//! A look at the form of a merged file, where that is cheap: data formats are parsed, and brackets are
//! counted where both sides have them in pairs. Pure.

use super::indents::unexpected_indent;
use super::keys::Once;

type Parser = fn(&str) -> Result<(), String>;

/// Says what is wrong with a merged text, if its sides are in order and it is not.
pub(in crate::merge) fn syntax_problem(
    path: &str,
    merged: &str,
    sides: [&String; 2],
) -> Option<String> {
    if let Some((extension, parse)) = parser(path) {
        return match parse(merged) {
            Err(error) if sides.iter().all(|side| parse(side).is_ok()) => {
                Some(format!("the answer is not valid {extension}: {error}"))
            }
            Ok(()) | Err(_) => None,
        };
    }
    if [".py", ".pyi"].iter().any(|end| path.ends_with(end))
        && sides.iter().all(|side| unexpected_indent(side).is_none())
        && let Some(line) = unexpected_indent(merged)
    {
        return Some(format!(
            "the answer is not valid Python: line {line} is deeper than it may be"
        ));
    }
    let is_paired = |text: &str| open_brackets(text).iter().all(|open| *open == 0);
    (sides.iter().all(|side| is_paired(side)) && !is_paired(merged))
        .then(|| "the answer is not complete: a bracket has no other half".to_owned())
}

/// Tells whether files of this name are data that is parsed here.
pub(in crate::merge) fn is_data(path: &str) -> bool {
    parser(path).is_some()
}

fn parser(path: &str) -> Option<(String, Parser)> {
    let extension = path.rsplit('.').next().unwrap_or_default().to_lowercase();
    let parse: Parser = match extension.as_str() {
        "json" => json,
        "toml" => toml,
        "yaml" | "yml" => yaml,
        _ => return None,
    };
    Some((extension, parse))
}

/// How many more opening than closing brackets there are, of each kind.
fn open_brackets(text: &str) -> [i64; 3] {
    let mut open = [0; 3];
    let [round, square, curly] = &mut open;
    for c in text.chars() {
        match c {
            '(' => *round += 1,
            ')' => *round -= 1,
            '[' => *square += 1,
            ']' => *square -= 1,
            '{' => *curly += 1,
            '}' => *curly -= 1,
            _ => {}
        }
    }
    open
}

fn json(text: &str) -> Result<(), String> {
    serde_json::from_str::<Once>(text)
        .map(|_| ())
        .map_err(|error| error.to_string())
}

fn toml(text: &str) -> Result<(), String> {
    toml::from_str::<toml::Table>(text)
        .map(|_| ())
        .map_err(|error| error.message().to_owned())
}

fn yaml(text: &str) -> Result<(), String> {
    serde_yaml::from_str::<serde_yaml::Value>(text)
        .map(|_| ())
        .map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::syntax_problem;

    fn problem(path: &str, merged: &str, side: &str) -> Option<String> {
        let side = side.to_owned();
        syntax_problem(path, merged, [&side, &side])
    }

    #[test]
    fn half_a_file_is_noticed() {
        assert!(problem("a.json", "{\"a\": 1", "{}").is_some());
        assert!(problem("a.toml", "a = [1", "a = 1").is_some());
        assert!(problem("a.yaml", "a: [1", "a: 1").is_some());
        assert!(problem("a.rs", "fn a() {", "fn a() {}").is_some());
        let deeper = "def a():\n    x(1)\n        x(2)\n";
        assert!(problem("a.py", deeper, "def a():\n    x(1)\n").is_some());
        assert_eq!(problem("a.txt", deeper, "def a():\n    x(1)\n"), None);
    }

    #[test]
    fn a_key_that_is_there_twice_is_noticed() {
        for (path, merged, side) in [
            (
                "a.json",
                r#"{"a": [{"k": 1, "k": 2}]}"#,
                r#"{"a": [{"k": 1}]}"#,
            ),
            ("a.toml", "k = 1\nk = 2\n", "k = 1\n"),
            ("a.yaml", "a:\n  k: 1\n  k: 2\n", "a:\n  k: 1\n"),
        ] {
            let found = problem(path, merged, side).unwrap_or_default();
            assert!(found.contains('k'), "{path} {found}");
            assert_eq!(problem(path, merged, merged), None, "it was there before");
        }
        let named = r#"{"a": {"k": 1}, "b": {"k": 1.5e300, "l": null, "m": "k"}}"#;
        assert_eq!(problem("a.json", named, "{}"), None);
    }

    #[test]
    fn what_was_odd_before_may_stay_odd() {
        assert_eq!(problem("a.json", "// x\n{}", "// comments\n{}"), None);
        assert_eq!(problem("a.txt", "a )", "b )"), None);
        assert_eq!(problem("a.rs", "fn a() {}", "fn b() {}"), None);
    }
}
