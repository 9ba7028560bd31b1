//! Lines that begin and end something, in the many ways that languages have: `if` and `end`, `{{#each}}` and `{{/each}}`,
//! `/*` and `*/`, `#ifdef` and `#endif`, `<div>` and `</div>`, fences and the ends of texts in other texts. Brackets are
//! read elsewhere. Pure.

/// How a line ends something.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::merge::settle) enum Closing<'a> {
    /// What that mark has begun: a comment.
    Mark(&'static str),
    /// What begins with that word.
    Name(String),
    /// What begins with one of those words.
    Word(&'static [&'static str]),
    /// What begins or ends a line with the same mark: a fence.
    Fence(&'a str),
    /// A text whose end was named.
    Text(&'a str),
}

/// No more openings than these are looked through for the one that a line ends.
pub(in crate::merge::settle) const MOST_OPEN: usize = 256;

/// Marks of comments.
const COMMENTS: [(&str, &str); 5] = [
    ("/*", "*/"),
    ("<!--", "-->"),
    ("{#", "#}"),
    ("{-", "-}"),
    ("<%--", "--%>"),
];

/// What a bare `end` ends.
const ENDED: [&str; 33] = [
    "if",
    "unless",
    "while",
    "until",
    "for",
    "foreach",
    "case",
    "begin",
    "def",
    "class",
    "module",
    "do",
    "function",
    "func",
    "macro",
    "with",
    "let",
    "try",
    "switch",
    "range",
    "block",
    "define",
    "loop",
    "repeat",
    "struct",
    "quote",
    "test",
    "describe",
    "context",
    "it",
    "local",
    "defmodule",
    "defp",
];

impl<'a> Closing<'a> {
    /// What a line ends, if it does.
    pub(in crate::merge::settle) fn of(line: &'a [u8]) -> Option<Self> {
        let text = std::str::from_utf8(line).ok()?.trim();
        let of_comment =
            |(open, close): &&(&'static str, &str)| text.ends_with(close) && !text.contains(open);
        if let Some((open, _)) = COMMENTS.iter().find(of_comment) {
            return Some(Self::Mark(open));
        }
        if is_fence(text) {
            return Some(Self::Fence(text.get(..3)?));
        }
        if ["`", "`;", "`)", "`);"].contains(&text) {
            return Some(Self::Fence("`"));
        }
        if text == "=cut" || text == "=end" {
            return Some(Self::Mark("="));
        }
        let said = after_marks(text);
        let prefix = text.get(..text.len() - said.len())?;
        if let Some(name) = said
            .strip_prefix('/')
            .filter(|_| prefix.contains(['<', '{']))
        {
            let name = word(name.trim_start_matches(BEFORE_A_WORD));
            return Some(Self::Name(name.to_lowercase()));
        }
        let first = word(said);
        let lower = first.to_lowercase();
        let rest = said.get(first.len()..)?;
        match lower.as_str() {
            "end" => {
                // `END:NAME`, and no key with a value.
                let is_name = |name: &&str| !name.is_empty() && word(name) == *name;
                if let Some(name) = rest.strip_prefix(':').filter(is_name) {
                    return Some(Self::Name(name.to_lowercase()));
                }
                let after = rest.trim_start_matches([' ', '-', '_']);
                let name = word(after.trim_start_matches('{'));
                // `end()` is a call, `end = 1` gives a name.
                let is_alone =
                    after.is_empty() || after.starts_with([';', ')', ',', '.', '%', '}', '#', '/']);
                match (name.is_empty(), is_alone) {
                    (false, _) => Some(Self::Name(name.to_lowercase())),
                    (true, true) => Some(Self::Word(&ENDED)),
                    (true, false) => None,
                }
            }
            "fi" => Some(Self::Word(&[
                "if",
                "ifx",
                "iftrue",
                "iffalse",
                "ifnum",
                "ifdefined",
            ])),
            "done" => Some(Self::Word(&["for", "while", "until", "select"])),
            "esac" => Some(Self::Word(&["case"])),
            _ if lower.len() > 3 => match lower.strip_prefix("end") {
                Some(name) => Some(Self::Name(name.trim_start_matches(['_', '-']).to_owned())),
                None => is_end_of_text(text).then_some(Self::Text(text)),
            },
            _ => is_end_of_text(text).then_some(Self::Text(text)),
        }
    }

    /// Tells whether this ends what that line begins.
    pub(in crate::merge::settle) fn is_of(&self, line: &[u8]) -> bool {
        let Ok(text) = std::str::from_utf8(line) else {
            return false;
        };
        let text = text.trim();
        let begins = || begins(text);
        match self {
            Self::Mark("=") => text.starts_with('='),
            Self::Mark(open) => {
                let close = COMMENTS.iter().find(|(begin, _)| begin == open);
                let after = text.rsplit_once(open);
                after
                    .zip(close)
                    .is_some_and(|((_, rest), (_, close))| !rest.contains(close))
            }
            Self::Name(name) => {
                let first = begins();
                let last = text
                    .rsplit(|c: char| !c.is_alphanumeric())
                    .find(|word| !word.is_empty());
                !name.is_empty()
                    && (first.starts_with(name.as_str())
                        || last.is_some_and(|word| word.eq_ignore_ascii_case(name)))
            }
            Self::Word(words) => {
                let first = begins();
                let is_block = words.contains(&"do")
                    && (text.ends_with(" do")
                        || text.ends_with('|')
                        || text.contains(" do |")
                        || text.contains(" do %>"));
                is_block || words.contains(&first.as_str())
            }
            Self::Fence(mark) => text.starts_with(mark) || text.ends_with(mark),
            Self::Text(name) => text
                .split_once("<<")
                .is_some_and(|(_, rest)| rest.contains(name)),
        }
    }
}

/// Tells whether a line can begin something that another one ends.
pub(in crate::merge::settle) fn could_open(line: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(line) else {
        return false;
    };
    let text = text.trim();
    let is_marked = text.starts_with(BEFORE_A_WORD);
    let has_mark = || COMMENTS.iter().any(|(open, _)| text.contains(open)) || text.contains("<<");
    let ends = || {
        let marks = ["`", "\"\"\"", "'''", "|"];
        let words = ["do", "then", "loop"];
        let last = text.rsplit(' ').next().unwrap_or_default();
        marks.iter().any(|mark| text.ends_with(mark))
            || words.iter().any(|word| last.eq_ignore_ascii_case(word))
    };
    let is_named = || {
        let first = begins(text);
        ENDED.contains(&first.as_str()) || NAMED.iter().any(|name| first.starts_with(name))
    };
    is_marked && !text.contains("</") && !text.ends_with("/>") || has_mark() || ends() || is_named()
}

/// Tells whether a line goes on with what is begun and not ended: `else`.
pub(in crate::merge::settle) fn goes_on(line: &[u8]) -> bool {
    let text = std::str::from_utf8(line).unwrap_or_default().trim();
    GOES_ON.contains(&begins(text).as_str())
}

/// The same, also for one that first ends what stands above: `} else {`.
pub(in crate::merge::settle) fn goes_on_after_an_end(line: &[u8]) -> bool {
    let text = std::str::from_utf8(line).unwrap_or_default().trim();
    let text = text.trim_start_matches(['}', ')', ' ']);
    goes_on(text.strip_prefix("end ").unwrap_or(text).as_bytes())
}

/// Words of lines that go on with a block.
const GOES_ON: [&str; 9] = [
    "else", "elif", "elsif", "elseif", "rescue", "ensure", "when", "catch", "except",
];

/// Words that begin what `end` and the same word end, where that is not the end of other things, too.
const NAMED: [&str; 5] = ["if", "menu", "choice", "select", "sub"];

/// What stands before the word of a directive or a tag.
const BEFORE_A_WORD: [char; 17] = [
    '<', '%', '{', '@', '.', '!', '#', '\\', '$', '`', '-', '~', ' ', '\t', '?', '=', ':',
];

/// The word that a line begins with, in small letters.
fn begins(text: &str) -> String {
    word(after_marks(text)).to_lowercase()
}

fn after_marks(text: &str) -> &str {
    let said = text.trim_start_matches(BEFORE_A_WORD);
    said.strip_prefix("php ").unwrap_or(said)
}

fn word(text: &str) -> &str {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let end = text.find(|c| !is_part(c)).unwrap_or(text.len());
    text.get(..end).unwrap_or_default()
}

fn is_fence(text: &str) -> bool {
    let mut marks = text.chars();
    let first = marks.next();
    first.is_some_and(|mark| "`~:$\"'".contains(mark))
        && text.chars().count() >= 3
        && marks.all(|mark| Some(mark) == first)
}

/// `EOF`
fn is_end_of_text(text: &str) -> bool {
    text.len() > 1 && text.chars().all(|c| c.is_ascii_uppercase() || c == '_')
}
