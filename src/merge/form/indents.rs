//! Lines of Python that are set deeper than the one before, where nothing lets them be. A look, not a parser: asked only
//! of a text whose sides have no such line by the same look. Pure.

/// The number, from 1, of the first line that is deeper than it may be.
pub(super) fn unexpected_indent(text: &str) -> Option<usize> {
    let mut depth = 0_i64;
    let mut quotes: Option<&str> = None;
    let mut before = Line::default();
    for (at, raw) in text.lines().enumerate() {
        let goes_on = depth > 0 || quotes.is_some() || before.is_continued;
        let code = without_strings(raw, &mut quotes);
        let code = code.trim_end();
        if code.trim_start().is_empty() && !goes_on {
            continue;
        }
        let indent = raw.len() - raw.trim_start().len();
        if !goes_on && indent > before.indent && !before.opens {
            return Some(at + 1);
        }
        for sign in code.chars() {
            depth += match sign {
                '(' | '[' | '{' => 1,
                ')' | ']' | '}' => -1,
                _ => 0,
            };
        }
        before = Line {
            indent: if goes_on { before.indent } else { indent },
            opens: depth == 0 && code.ends_with(':'),
            is_continued: code.ends_with('\\'),
        };
    }
    None
}

/// What a line says of the next one.
#[derive(Default)]
struct Line {
    indent: usize,
    opens: bool,
    is_continued: bool,
}

/// The code of a line, without what stands in quotes and behind `#`. `quotes`: those of three signs that are open.
fn without_strings(line: &str, quotes: &mut Option<&'static str>) -> String {
    let mut code = String::new();
    let mut rest = line;
    while let Some(first) = rest.chars().next() {
        let inside = *quotes;
        if let Some(end) = inside {
            match rest.split_once(end) {
                Some((_, after)) => (*quotes, rest) = (None, after),
                None => return code,
            }
            continue;
        }
        let three = ["\"\"\"", "'''"]
            .into_iter()
            .find(|three| rest.starts_with(three));
        if let Some(three) = three {
            *quotes = Some(three);
            rest = rest.split_at(three.len()).1;
            // A line that is all text is no blank one.
            code.push('_');
        } else if first == '#' {
            return code;
        } else if first == '"' || first == '\'' {
            code.push('_');
            rest = after_string(rest, first);
        } else {
            code.push(first);
            rest = rest.split_at(first.len_utf8()).1;
        }
    }
    code
}

/// What follows a string that begins here.
fn after_string(text: &str, quote: char) -> &str {
    let mut signs = text.char_indices().skip(1);
    while let Some((at, sign)) = signs.next() {
        if sign == '\\' {
            signs.next();
        } else if sign == quote {
            return text.split_at(at + 1).1;
        }
    }
    ""
}

#[cfg(test)]
mod tests {
    use super::unexpected_indent;

    #[test]
    fn a_line_is_deeper_only_where_one_may_be() {
        for good in [
            "def a():\n    x(1)\n    if y:  # why: so\n\n        z()\n    return\n",
            "f(\n        1,\n    2)\nx = [\n  1]\ny = 1 + \\\n    2\nz()\n",
            "def a():\n    '''Text:\n          deeper\n    '''\n    x()\n",
            "x = {'a:': 1}\nclass A(B): \n\t\"\"\"One.\"\"\"\n\n\tdef b(self): pass\n",
            "s = \"a # no comment (\"\ndef b():\n    pass\n",
            "    # about what follows\ndef a():\n    pass\n",
        ] {
            assert_eq!(unexpected_indent(good), None, "{good}");
        }
        for (bad, line) in [
            ("def a():\n    x(1)\n        x(2)\n", 3),
            ("x = 1\n  y = 2\n", 2),
            ("if a:\n    b()\nc = '(:'\n    d()\n", 4),
        ] {
            assert_eq!(unexpected_indent(bad), Some(line), "{bad}");
        }
    }
}
