//! Code that an answer keeps word for word and puts out of effect: inside a comment or a text of several lines
//! that neither side has there, or under a condition that is never true. Knows marks of kinds of languages,
//! no grammar: what a side has itself is never held against an answer. Pure.

use std::collections::{HashMap, HashSet};

/// What begins and ends texts without effect in a kind of language.
struct Family {
    line_comments: &'static [&'static str],
    /// Comments and texts that may go over several lines, longest mark first.
    regions: &'static [(&'static str, &'static str)],
    /// Texts that end with their line.
    quotes: &'static [char],
    /// Lines may begin with a condition. In prose they do, too, and mean something else.
    is_program: bool,
    /// A line may announce that those after it are a text, up to a word that it names.
    has_here_documents: bool,
}

const C_LIKE: Family = Family {
    line_comments: &["//"],
    regions: &[("/*", "*/"), ("\"\"\"", "\"\"\"")],
    quotes: &['"'],
    is_program: true,
    has_here_documents: false,
};
const RUST: Family = Family {
    line_comments: &["//"],
    regions: &[("/*", "*/"), ("\"", "\"")],
    quotes: &[],
    is_program: true,
    has_here_documents: false,
};
const SCRIPT: Family = Family {
    line_comments: &["//"],
    regions: &[("/*", "*/"), ("`", "`")],
    quotes: &['"', '\''],
    is_program: true,
    has_here_documents: false,
};
const PYTHON: Family = Family {
    line_comments: &["#"],
    regions: &[("\"\"\"", "\"\"\""), ("'''", "'''")],
    quotes: &['"', '\''],
    is_program: true,
    has_here_documents: false,
};
const SHELL: Family = Family {
    line_comments: &["#"],
    regions: &[],
    quotes: &['"', '\''],
    is_program: true,
    has_here_documents: true,
};
const RUBY: Family = Family {
    line_comments: &["#"],
    regions: &[("=begin", "=end")],
    quotes: &['"', '\''],
    is_program: true,
    has_here_documents: false,
};
const LUA: Family = Family {
    line_comments: &[],
    regions: &[("--[[", "]]"), ("[[", "]]")],
    quotes: &['"', '\''],
    is_program: true,
    has_here_documents: false,
};
const SQL: Family = Family {
    line_comments: &["--"],
    regions: &[("/*", "*/")],
    quotes: &[],
    is_program: false,
    has_here_documents: false,
};
const MARKUP: Family = Family {
    line_comments: &[],
    regions: &[("<!--", "-->")],
    quotes: &[],
    is_program: false,
    has_here_documents: false,
};
const HASKELL: Family = Family {
    line_comments: &["-- "],
    regions: &[("{-", "-}")],
    quotes: &['"'],
    is_program: true,
    has_here_documents: false,
};
const STYLE: Family = Family {
    line_comments: &[],
    regions: &[("/*", "*/")],
    quotes: &['"', '\''],
    is_program: false,
    has_here_documents: false,
};

fn family(path: &str) -> Option<&'static Family> {
    let extension = path.rsplit_once('.')?.1.to_ascii_lowercase();
    Some(match extension.as_str() {
        "c" | "h" | "cc" | "cpp" | "cxx" | "hh" | "hpp" | "cs" | "java" | "kt" | "kts" | "m"
        | "scala" | "swift" | "proto" => &C_LIKE,
        "rs" => &RUST,
        "js" | "jsx" | "mjs" | "cjs" | "ts" | "tsx" | "go" | "dart" | "php" | "groovy" => &SCRIPT,
        "py" | "pyi" | "toml" => &PYTHON,
        "sh" | "bash" | "zsh" | "ksh" | "bats" => &SHELL,
        "rb" => &RUBY,
        "lua" => &LUA,
        "sql" => &SQL,
        "html" | "htm" | "xml" | "svg" | "vue" | "md" => &MARKUP,
        "hs" => &HASKELL,
        "css" | "scss" | "less" => &STYLE,
        _other => return None,
    })
}

/// Says which code of the sides an answer keeps without its effect, if it does.
pub(in crate::merge) fn disabled(path: &str, sides: [&str; 3], answer: &str) -> Option<String> {
    let family = family(path)?;
    let own: HashSet<&str> = sides.iter().flat_map(|side| side.lines()).collect();
    let known = |line: &str| own.contains(line);
    let mut new = answer.lines().filter(|line| !known(line));
    if let Some(line) = new.find(|line| is_never_true(line) && family.is_program) {
        return Some(format!(
            "the answer has a condition that is never true and that no version has: {}",
            line.trim()
        ));
    }
    let [base, ours, theirs] = sides.map(|side| counted(inside(side, family)));
    let answered = inside(answer, family);
    let there = counted(answered.clone());
    let of = |counts: &HashMap<&str, usize>, line: &str| counts.get(line).copied().unwrap_or(0);
    let hidden = answered.into_iter().find(|line| {
        let (mine, other) = (of(&ours, line), of(&theirs, line));
        // What both have grown by may be there from both.
        let most = (mine + other).saturating_sub(of(&base, line));
        known(line) && of(&there, line) > most.max(mine).max(other)
    })?;
    Some(format!(
        "the answer keeps a line inside a comment or a text where no version has it so: {}",
        hidden.trim()
    ))
}

fn counted(lines: Vec<&str>) -> HashMap<&str, usize> {
    let mut counts = HashMap::new();
    for line in lines {
        *counts.entry(line).or_default() += 1;
    }
    counts
}

/// Ways to say that what follows is never done.
fn is_never_true(line: &str) -> bool {
    const NEVER: [&str; 5] = ["false", "0", "nil", "null", "none"];
    const ALWAYS: [&str; 2] = ["true", "1"];
    let line = line.trim_start().to_ascii_lowercase();
    let line = line.strip_prefix('}').unwrap_or(&line).trim_start();
    let condition = |words: &[&str]| {
        let rest = words.iter().find_map(|word| line.strip_prefix(word))?;
        rest.starts_with([' ', '(', '\t']).then_some(rest)
    };
    let open = [' ', '\t', '('];
    if let Some(rest) = condition(&["unless", "until"]) {
        return is_constant(rest.trim_start_matches(open), &ALWAYS);
    }
    let Some(rest) = condition(&["#if", "if", "elif", "else if", "while"]) else {
        return false;
    };
    let rest = rest.trim_start_matches(open);
    let turned = rest.strip_prefix('!').or_else(|| rest.strip_prefix("not "));
    match turned {
        Some(rest) => is_constant(rest.trim_start_matches(open), &ALWAYS),
        None => is_constant(rest, &NEVER) || ands(rest).any(|part| is_constant(part, &["false"])),
    }
}

/// What has to be true besides the beginning of a condition, where nothing else may be true instead.
fn ands(condition: &str) -> impl Iterator<Item = &str> {
    let is_plain = !condition.contains("||") && !condition.contains(" or ");
    let parts = condition.split("&&").flat_map(|part| part.split(" and "));
    parts.skip(1).filter(move |_| is_plain).map(str::trim_start)
}

/// Tells whether a condition begins with one of some words, and is at its end.
fn is_constant(condition: &str, words: &[&str]) -> bool {
    let end = condition.find(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    let (word, after) = condition.split_at(end.unwrap_or(condition.len()));
    let after = after.trim_start_matches([')', ' ', '\t']);
    let is_whole = after.is_empty()
        || after.starts_with(['{', ':', ';', '/', '&'])
        || ["then", "do"].iter().any(|word| after.starts_with(word));
    words.contains(&word) && is_whole
}

/// The non-blank lines of a text that begin inside a comment or text of several lines.
fn inside<'t>(text: &'t str, family: &Family) -> Vec<&'t str> {
    let mut found = Vec::new();
    let mut open: Option<&str> = None;
    let mut document: Option<&str> = None;
    for line in text.lines() {
        if let Some(end) = document {
            if line.trim() == end {
                document = None;
            } else if !line.trim().is_empty() {
                found.push(line);
            }
            continue;
        }
        // Its last line may be code again behind the mark, but it begins inside.
        if open.is_some() && !line.trim().is_empty() {
            found.push(line);
        }
        if family.has_here_documents && open.is_none() {
            document = here_document(line);
        }
        open = after(line, open, family);
    }
    found
}

/// The word that ends the text which a line announces.
fn here_document(line: &str) -> Option<&str> {
    // A comment says nothing, and in arithmetic it is an operation.
    if line.trim_start().starts_with('#') || line.contains("((") {
        return None;
    }
    let (_, rest) = line.split_once("<<")?;
    let word = rest
        .strip_prefix('-')
        .unwrap_or(rest)
        .trim_start_matches(' ');
    let quoted = word.strip_prefix(['"', '\'', '\\']);
    let is_quoted = quoted.is_some();
    let word = quoted.unwrap_or(word);
    let end = word.find(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    let (word, _) = word.split_at(end.unwrap_or(word.len()));
    // `<<<` is a text of one line.
    let is_word = word.starts_with(|c: char| c.is_ascii_uppercase() || c == '_') || is_quoted;
    (is_word && !word.is_empty()).then_some(word)
}

/// What is open at the end of a line.
fn after(line: &str, mut open: Option<&'static str>, family: &Family) -> Option<&'static str> {
    let mut rest = line;
    let mut quote: Option<char> = None;
    while let Some(c) = rest.chars().next() {
        let step = match (open, quote) {
            (Some(end), _) if rest.starts_with(end) => {
                open = None;
                end.len()
            }
            (Some("\""), _) | (None, Some(_)) if c == '\\' => {
                1 + rest.chars().nth(1).map_or(0, char::len_utf8)
            }
            (Some(_), _) => c.len_utf8(),
            (None, Some(end)) => {
                quote = quote.filter(|_| c != end);
                c.len_utf8()
            }
            (None, None) => {
                let region = family
                    .regions
                    .iter()
                    .find(|(begin, _)| rest.starts_with(begin));
                if let Some((begin, end)) = region {
                    open = Some(*end);
                    begin.len()
                } else if family
                    .line_comments
                    .iter()
                    .any(|mark| rest.starts_with(mark))
                {
                    return None;
                } else if let Some(length) = literal(rest) {
                    length
                } else {
                    quote = family.quotes.contains(&c).then_some(c);
                    c.len_utf8()
                }
            }
        };
        rest = rest.get(step..).unwrap_or_default();
    }
    open
}

/// The length of a single character in quotes, which may itself be a quote.
fn literal(text: &str) -> Option<usize> {
    let inner = text.strip_prefix('\'')?;
    let mut chars = inner.chars();
    let mut length = 1;
    let mut c = chars.next()?;
    if c == '\\' {
        length += 1;
        c = chars.next()?;
    }
    length += c.len_utf8();
    (chars.next() == Some('\'')).then_some(length + 1)
}

#[cfg(test)]
mod tests {
    use super::disabled;

    const BASE: &str = "k1\nrun(1)\nk4\n";
    const OURS: &str = "k1\nrun(2)\nk4\n";
    const THEIRS: &str = "k1\nrun(3)\nk4\n";

    fn said(path: &str, answer: &str) -> Option<String> {
        disabled(path, [BASE, OURS, THEIRS], answer)
    }

    #[test]
    fn code_inside_a_comment_or_a_text_is_not_kept() {
        for (path, begin, end) in [
            ("a.c", "/*", "*/"),
            ("a.py", "\"\"\"", "\"\"\""),
            ("a.py", "x = '''", "'''"),
            ("a.js", "x = `", "`"),
            ("a.lua", "--[[", "]]"),
            ("a.html", "<!--", "-->"),
            ("a.rb", "=begin", "=end"),
            ("a.rs", "let _x = \"", "\";"),
            ("a.sh", ": <<'EOF'", "EOF"),
            ("a.sh", "cat > /dev/null <<-END", "\tEND"),
            ("a.bash", "true << \"x\"", "x"),
        ] {
            let answer = format!("k1\n{begin}\nrun(2)\nrun(3)\n{end}\nk4\n");
            assert!(said(path, &answer).is_some(), "{path}: {answer}");
        }
    }

    #[test]
    fn code_under_a_condition_that_is_never_true_is_not_kept() {
        for (path, begin, end) in [
            ("a.c", "#if 0", "#endif"),
            ("a.c", "if (false) {", "}"),
            ("a.go", "if false {", "}"),
            ("a.py", "if False:", ""),
            ("a.lua", "if false then", "end"),
            ("a.c", "while (0) {", "}"),
            ("a.c", "if (!true) {", "}"),
            ("a.py", "if not True:", ""),
            ("a.rs", "if ready && false {", "}"),
            ("a.py", "if ready and False:", ""),
            ("a.sh", "if ! true; then", "fi"),
            ("a.sh", "while false; do", "done"),
            ("a.rb", "unless true", "end"),
        ] {
            let answer = format!("k1\n{begin}\nrun(2)\nrun(3)\n{end}\nk4\n");
            assert!(said(path, &answer).is_some(), "{path}: {answer}");
        }
        assert!(said("a.lua", "k1\nif false then run(2) run(3) end\nk4\n").is_some());
    }

    #[test]
    fn honest_answers_are_left_alone() {
        for (path, answer) in [
            ("a.c", "k1\n/* both */\nrun(2)\nrun(3)\nk4\n"),
            ("a.rs", "k1\nlet x = \"a\\\"b\";\nrun(2)\nrun(3)\nk4\n"),
            ("a.md", "k1\nIf none: stop\nrun(2)\nrun(3)\nk4\n"),
            ("a.c", "k1\nx = '\"';\nrun(2)\nrun(3)\nk4\n"),
            ("a.py", "k1\n# don't\nrun(2)\nrun(3)\nk4\n"),
            ("a.c", "k1\nif (false_alarm) {\nrun(2)\n}\nrun(3)\nk4\n"),
            ("a.c", "k1\nif (0 == x) {\nrun(2)\n}\nrun(3)\nk4\n"),
            ("a.sh", "k1\nread x <<< \"$y\"\nrun(2)\nrun(3)\nk4\n"),
            ("a.sh", "k1\nx=$((1 << N))\nrun(2)\nrun(3)\nk4\n"),
            ("a.rb", "k1\nlist << Item\nrun(2)\nrun(3)\nk4\n"),
            ("a.rs", "k1\nif !ready {\nrun(2)\n}\nrun(3)\nk4\n"),
            ("a.rs", "k1\nif a && b == false {\nrun(2)\n}\nrun(3)\nk4\n"),
            ("a.rs", "k1\nif a && false || b {\nrun(2)\n}\nrun(3)\nk4\n"),
            ("notes", "k1\n/*\nrun(2)\nrun(3)\n*/\nk4\n"),
        ] {
            assert_eq!(said(path, answer), None, "{path}: {answer}");
        }
        let text = "x = \"\"\"\nhelp one\nhelp two\n\"\"\"\n";
        let sides = [text, text, text];
        assert_eq!(disabled("a.py", sides, text), None, "it was a text before");
        let (ours, theirs) = ("/**\n * a\n */\nf()\n", "/**\n * b\n */\ng()\n");
        let both = format!("{ours}{theirs}");
        assert_eq!(disabled("a.c", ["", ours, theirs], &both), None);
        let (ours, theirs) = ("/*\n * a\n */\n", "/*\n * b\n */\n");
        let both = "/*\n * a\n * b\n */\n";
        assert_eq!(disabled("a.c", ["", ours, theirs], both), None);
    }
}
