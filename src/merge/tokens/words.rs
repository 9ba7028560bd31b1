//! A line as words, white space and signs, and the values in it. Pure.

/// Splits a line into words, runs of white space, and single other characters.
pub(in crate::merge) fn tokens(line: &str) -> Vec<&str> {
    let class = |c: char| {
        if c.is_alphanumeric() || c == '_' {
            0
        } else if c.is_whitespace() {
            1
        } else {
            2
        }
    };
    let mut list = Vec::new();
    let mut start = 0;
    let mut previous = None;
    for (at, c) in line.char_indices() {
        let this = class(c);
        if previous.is_some_and(|previous| previous != this || this == 2) {
            list.extend(line.get(start..at));
            start = at;
        }
        previous = Some(this);
    }
    list.extend(line.get(start..).filter(|rest| !rest.is_empty()));
    list
}

/// The same, with each value whole: a number, version, date, time, address, hash or path. Half of one and half of another
/// is a third that nobody wrote.
pub(super) fn with_values(line: &str) -> Vec<&str> {
    let parts = tokens(line);
    let is_word = |at: usize| parts.get(at).is_some_and(|part| is_word(part));
    let mut list = Vec::new();
    let (mut at, mut start) = (0, 0);
    while let Some(part) = parts.get(at) {
        let (mut end, mut length) = (at + 1, part.len());
        while is_word(at) {
            let joints = parts
                .iter()
                .skip(end)
                .take_while(|part| JOINTS.contains(part));
            let is_entry = at > 0
                && parts
                    .get(at - 1)
                    .is_some_and(|before| "([{,".contains(before));
            let is_group = !is_entry && is_group(parts.get(at..=end + 1).unwrap_or_default());
            let next = end + if is_group { 1 } else { joints.count() };
            if next == end || !is_word(next) {
                break;
            }
            let more = parts.get(end..=next).unwrap_or_default();
            length += more.iter().map(|part| part.len()).sum::<usize>();
            end = next + 1;
        }
        let whole = line.get(start..start + length).unwrap_or_default();
        if whole.contains(|c: char| c.is_numeric() || c == '/') {
            list.push(whole);
        } else {
            list.extend(parts.get(at..end).unwrap_or_default());
        }
        (at, start) = (end, start + length);
    }
    list
}

/// What may stand between the parts of a value.
const JOINTS: [&str; 6] = [".", "-", ":", "/", "+", "@"];

/// Three more digits of a number, as in `1,000`, and not the next one of a list.
fn is_group(parts: &[&str]) -> bool {
    let are_digits = |part: &str| part.chars().all(|c| c.is_ascii_digit());
    match parts {
        [first, .., ",", last] => {
            are_digits(first) && first.len() < 4 && are_digits(last) && last.len() == 3
        }
        _other => false,
    }
}

pub(super) fn is_word(token: &str) -> bool {
    token.starts_with(|c: char| c.is_alphanumeric() || c == '_')
}

pub(in crate::merge) fn is_significant(token: &str) -> bool {
    !token.chars().all(char::is_whitespace)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_cover_the_line() {
        for line in [
            "",
            "  a_b1==c\t",
            "äöü → x",
            "{{}}",
            "a-b 1.2-x: /c/d. -1.5e-3- ü/1",
        ] {
            assert_eq!(tokens(line).concat(), line);
            assert_eq!(with_values(line).concat(), line);
        }
        assert_eq!(tokens("a1 ==b"), ["a1", " ", "=", "=", "b"]);
    }
}
