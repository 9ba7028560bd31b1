//! What a line says about the one above or below it: a decorator belongs to what follows, an `else` to what stands
//! before. Whoever puts such a line next to another's may not be parted from what it belongs to. Pure.

use crate::merge::lines::is_blank;

use super::pairs::goes_on_after_an_end;
use super::units::closes;
use crate::merge::settle::order::first::is_about_all;

/// Words that go on with what stands above.
const GOES_ON: [&str; 8] = [
    "else", "elif", "elsif", "except", "finally", "catch", "rescue", "ensure",
];

/// Words that end what stands there: nothing after them is ever reached.
pub(in crate::merge::settle) const ENDS: [&str; 6] =
    ["return", "raise", "throw", "break", "continue", "exit"];

/// Tells whether the last of some lines belongs to what stands below: a decorator, an attribute, a comment, a line that
/// goes on.
pub(in crate::merge::settle) fn leans_down(lines: &[&[u8]]) -> bool {
    let Some(last) = lines.last() else {
        return false;
    };
    // Before a blank line, only what has to be followed by something belongs to what follows.
    let is_apart = is_blank(last);
    let Some(last) = lines.iter().rfind(|line| !is_blank(line)) else {
        return false;
    };
    let text = last.trim_ascii();
    let begins = |mark: &str| text.starts_with(mark.as_bytes());
    let ends = |mark: &str| text.ends_with(mark.as_bytes());
    let is_bound = is_decorator(text) || ends("\\") || ends("&&") || ends("||") || ends(":");
    // What only ends a comment has begun above.
    let is_whole = || {
        lines
            .iter()
            .any(|line| line.windows(2).any(|mark| mark == b"/*"))
    };
    let is_end = begins("-->") || ends("#}");
    let is_comment = (begins("//") || begins("#") && !begins("#!") || begins("--")) && !is_end
        || ends("*/") && is_whole();
    (is_bound || is_comment && !is_apart) && !is_about_all(text)
}

/// A decorator, an annotation or an attribute: it says something about what follows.
pub(in crate::merge::settle) fn is_decorator(line: &[u8]) -> bool {
    let text = line.trim_ascii();
    let is_name = |at: usize| text.get(at).is_some_and(u8::is_ascii_alphabetic);
    let is_end = text.starts_with(b"@end");
    text.starts_with(b"#[")
        || text.starts_with(b"///")
        || text.starts_with(b"@") && is_name(1) && !is_end
}

/// Tells whether the first of some lines goes on with what stands above.
pub(in crate::merge::settle) fn leans_up(lines: &[&[u8]]) -> bool {
    let first = lines.iter().find(|line| !is_blank(line));
    first.is_some_and(|line| {
        let text = line.trim_ascii_start();
        let text = text.strip_prefix(b"}").unwrap_or(text).trim_ascii_start();
        GOES_ON.iter().any(|word| begins_with(text, word))
    })
}

/// Tells whether lines begin with what goes on with the line above: an `else`, or the rest of an expression.
pub(in crate::merge::settle) fn goes_on_with_it(lines: &[&[u8]]) -> bool {
    let first = lines.iter().find(|line| !is_blank(line));
    let mark = first.and_then(|line| line.trim_ascii_start().first());
    leans_up(lines) || mark.is_some_and(|mark| b".&|+?:,=".contains(mark))
}

/// Tells whether lines go on with a block that is not indented: what `others` are below the lines `above` is in it, too.
pub(in crate::merge::settle) fn go_on_flat(
    lines: &[&[u8]],
    others: &[&[u8]],
    above: &[&[u8]],
) -> bool {
    let first = |lines: &[&'_ [u8]]| {
        lines
            .iter()
            .find(|line| !is_blank(line))
            .map(|line| (goes_on_after_an_end(line), indent(line)))
    };
    let last = above.iter().rfind(|line| !is_blank(line));
    match (first(lines), first(others), last) {
        (Some((true, depth)), Some((false, other)), Some(last)) => {
            depth == other && depth == indent(last)
        }
        (Some(_) | None, Some(_) | None, Some(_) | None) => false,
    }
}

/// Tells whether nothing after the lines would be reached.
pub(in crate::merge::settle) fn ends_there(lines: &[&[u8]]) -> bool {
    statement(lines).is_some_and(|(first, last)| ends(first) || is_outcome(first, last))
}

/// The first line of the last of some statements, and its last line that does not only close brackets, or the first one.
fn statement<'a>(lines: &[&'a [u8]]) -> Option<(&'a str, &'a str)> {
    let depth = depth(lines);
    let begins = |line: &&[u8]| !is_blank(line) && indent(line) == depth && !closes(line);
    let at = lines.iter().rposition(begins)?;
    let rest = lines.get(at + 1..).unwrap_or_default();
    let last = rest.iter().rev().find(|line| !is_blank(line));
    let first = lines.get(at)?;
    let [first, last] = [*first, *last.unwrap_or(first)].map(std::str::from_utf8);
    Some((first.ok()?.trim(), last.ok()?.trim()))
}

/// Tells whether a statement leaves what it stands in, and not only under a condition that it names at its end.
fn ends(text: &str) -> bool {
    // `continue-on-error: true` is a setting.
    let is_statement = |word: &&str| {
        let rest = text.strip_prefix(*word).unwrap_or_default();
        begins_with(text.as_bytes(), word) && !rest.starts_with('-') && !rest.starts_with(':')
    };
    let is_conditional = [" if ", " unless "].into_iter().any(|word| {
        text.split_once(word).is_some_and(|(before, after)| {
            let is_quoted = ['"', '\'']
                .into_iter()
                .any(|quote| before.matches(quote).count() % 2 == 1);
            !is_quoted && !after.contains("else")
        })
    });
    // Without a command, it only says where the output goes.
    let is_replaced = text
        .strip_prefix("exec ")
        .is_some_and(|rest| !rest.starts_with(|c: char| c.is_numeric() || "<>&=({".contains(c)));
    (is_replaced
        || ENDS.iter().any(is_statement)
        || LEAVES.iter().any(|call| text.starts_with(call)))
        && !is_conditional
}

/// Calls that never return.
const LEAVES: [&str; 24] = [
    "sys.exit(",
    "os._exit(",
    "os.abort(",
    "process.exit(",
    "process.abort(",
    "process::exit(",
    "process::abort(",
    "std::process::exit(",
    "std::process::abort(",
    "std::exit(",
    "std::abort(",
    "os.Exit(",
    "log.Fatal",
    "log.Panic",
    "System.exit(",
    "Environment.Exit(",
    "abort(",
    "panic(",
    "panic!(",
    "unreachable!(",
    "todo!(",
    "unimplemented!(",
    "bail!(",
    "die(",
];

/// Tells whether a statement says how it went, as the last one of a function of Rust does.
fn is_outcome(first: &str, last: &str) -> bool {
    let is_said = ["Ok(", "Err("].iter().any(|word| first.starts_with(word));
    is_said && last.ends_with([')', '(', '{', '}', '?']) && !first.contains(" => ")
}

/// Words that begin a statement which gives nothing back, or not at the end of its first line.
const HEADS: [&str; 12] = [
    "if", "else", "while", "for", "loop", "match", "switch", "unsafe", "let", "const", "var",
    "return",
];

/// Tells whether lines end with what is given back, as the last line of a function without `;` is, where `others` are
/// statements that have one.
pub(in crate::merge::settle) fn give_back(lines: &[&[u8]], others: &[&[u8]]) -> bool {
    let ends = |mark: &[u8]| {
        others
            .iter()
            .any(|line| line.trim_ascii_end().ends_with(mark))
    };
    if !ends(b";") || ends(b";;") || depth(lines) != depth(others) || depth(lines) == 0 {
        return false;
    }
    let closes_last = || {
        let last = lines.iter().rev().find(|line| !is_blank(line));
        last.is_none_or(|line| !closes(line) || line.trim_ascii().ends_with(b")"))
    };
    statement(lines).is_some_and(|(first, last)| {
        let goes_on =
            |text: &str| text.ends_with(|c: char| c.is_alphanumeric() || "_)]?\"'".contains(c));
        let begins = first.starts_with(|c: char| c.is_alphanumeric() || "_&!-(\"".contains(c));
        let name = first.split('(').next().unwrap_or_default();
        let is_macro = name.len() > 1 && !name.contains(char::is_lowercase) && first.contains('(');
        let is_head = HEADS.iter().any(|word| begins_with(first.as_bytes(), word));
        begins
            && !is_head
            && !first.starts_with("--")
            && !is_macro
            && goes_on(last)
            && goes_on(first)
            && closes_last()
    })
}

/// No further above than this is looked.
pub(in crate::merge::settle) const MOST_ABOVE: usize = 64;

/// How deep the outermost line is.
pub(in crate::merge::settle) fn depth(lines: &[&[u8]]) -> usize {
    let said = lines.iter().filter(|line| !is_blank(line));
    said.map(|line| indent(line)).min().unwrap_or(0)
}

/// Tells whether some lines would go on with something else if they stood below others: those have a line less deep than
/// the first of these. Both are read from as far above as they may be; what begins further above does not go on below.
pub(in crate::merge::settle) fn goes_astray(
    lines: &[&[u8]],
    below: &[&[u8]],
    above: &[&[u8]],
) -> bool {
    let [from, other] = [lines, below].map(|lines| begun_above(lines, above));
    let says = below.iter().any(|line| !is_blank(line));
    from > other || from == other && says && begins_at(lines, from) > depth(below)
}

/// From how many lines further above an insertion may be read, so that it begins as little deep as it can: it ends with
/// the lines that stand there, as an entry does whose first line is like that of the next.
fn begun_above(lines: &[&[u8]], above: &[&[u8]]) -> usize {
    let pairs = lines.iter().rev().zip(above.iter().rev());
    let same = pairs.take_while(|(one, other)| one == other).count();
    let readings = 0..=same.min(MOST_ABOVE);
    readings
        .min_by_key(|from| begins_at(lines, *from))
        .unwrap_or(0)
}

/// How deep the first line is if the last `from` lines come first.
fn begins_at(lines: &[&[u8]], from: usize) -> usize {
    let (rest, first) = lines.split_at(lines.len().saturating_sub(from));
    let mut read = first.iter().chain(rest);
    let begin = read.find(|line| !is_blank(line));
    begin.map_or(0, |line| indent(line))
}

pub(in crate::merge::settle) fn indent(line: &[u8]) -> usize {
    line.len() - line.trim_ascii_start().len()
}

/// How many more brackets lines open at their end than others close at their beginning. Those inside of lines are closed
/// there, or are prose.
pub(in crate::merge::settle) fn open_brackets(lines: &[&[u8]]) -> i64 {
    let open = |line: &&&[u8]| matches!(line.trim_ascii_end().last(), Some(b'{' | b'[' | b'('));
    let close = |line: &&&[u8]| matches!(line.trim_ascii_start().first(), Some(b'}' | b']' | b')'));
    lines.iter().filter(open).count() as i64 - lines.iter().filter(close).count() as i64
}

fn begins_with(text: &[u8], word: &str) -> bool {
    let rest = text.strip_prefix(word.as_bytes());
    rest.is_some_and(|rest| {
        let goes_on = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
        !rest.first().is_some_and(goes_on)
    })
}
