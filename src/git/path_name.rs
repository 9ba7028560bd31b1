//! Paths as names: what a path is called where only text fits. Two paths never have one name, a name leads back to its
//! path, and is one line that does nothing to a terminal. Pure.

use std::borrow::Cow;
use std::ffi::OsString;

/// Letters that stand for bytes after a backslash, as git has them.
const LETTERS: [(u8, u8); 9] = [
    (b'\x07', b'a'),
    (b'\x08', b'b'),
    (b'\t', b't'),
    (b'\n', b'n'),
    (b'\x0b', b'v'),
    (b'\x0c', b'f'),
    (b'\r', b'r'),
    (b'"', b'"'),
    (b'\\', b'\\'),
];

/// The name of a path: its text, or in quotes, as git prints it, where that is no UTF-8 or would act instead of being
/// seen.
pub fn path_name(path: &[u8]) -> String {
    match std::str::from_utf8(path) {
        // What looks quoted is quoted.
        Ok(name) if !name.starts_with('"') && !name.contains(acts) => name.to_owned(),
        Ok(_) | Err(_) => quoted(path),
    }
}

/// The path of a name.
pub fn path_bytes(name: &str) -> Cow<'_, [u8]> {
    let inner = name
        .strip_prefix('"')
        .and_then(|rest| rest.strip_suffix('"'));
    match inner.and_then(unquoted) {
        Some(path) => Cow::Owned(path),
        None => Cow::Borrowed(name.as_bytes()),
    }
}

/// Turns bytes of a path into an argument for programs.
pub fn os_path(bytes: &[u8]) -> OsString {
    #[cfg(unix)]
    {
        use std::os::unix::ffi::OsStringExt;
        OsString::from_vec(bytes.to_vec())
    }
    #[cfg(not(unix))]
    {
        OsString::from(String::from_utf8_lossy(bytes).into_owned())
    }
}

/// Whether a character moves, colours, ends or turns what is shown.
fn acts(c: char) -> bool {
    let turns = matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    c.is_control() || turns || matches!(c, '\u{2028}' | '\u{2029}')
}

fn quoted(path: &[u8]) -> String {
    let mut name = String::from("\"");
    for byte in path {
        let letter = LETTERS.iter().find(|(stands_for, _)| stands_for == byte);
        match (letter, byte) {
            (Some((_, letter)), _) => {
                name.push('\\');
                name.push(char::from(*letter));
            }
            (None, b' '..=b'~') => name.push(char::from(*byte)),
            (None, other) => name += &format!("\\{other:03o}"),
        }
    }
    name.push('"');
    name
}

fn unquoted(inner: &str) -> Option<Vec<u8>> {
    let mut path = Vec::new();
    let mut bytes = inner.bytes();
    while let Some(byte) = bytes.next() {
        match byte {
            b'\\' => {}
            // Nothing quoted ends before its end.
            b'"' => return None,
            plain => {
                path.push(plain);
                continue;
            }
        }
        let next = bytes.next()?;
        if let first @ b'0'..=b'3' = next {
            let mut value = u32::from(first - b'0');
            for _ in 0..2 {
                let digit = bytes.next().filter(|byte| (b'0'..=b'7').contains(byte))?;
                value = value * 8 + u32::from(digit - b'0');
            }
            path.push(u8::try_from(value).ok()?);
        } else {
            let (byte, _) = LETTERS.iter().find(|(_, letter)| *letter == next)?;
            path.push(*byte);
        }
    }
    Some(path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn paths_that_differ_only_in_bytes_that_are_no_utf8_have_two_names() {
        assert_eq!(path_name(b"caf\xe9 1.txt"), r#""caf\351 1.txt""#);
        assert_eq!(path_name("caf\u{e9}.txt".as_bytes()), "caf\u{e9}.txt");
    }

    #[test]
    fn a_name_is_one_line_without_a_character_that_acts() {
        for (path, name) in [
            ("two\nlines\t.txt", r#""two\nlines\t.txt""#),
            ("\u{1b}]0;t\u{7}", r#""\033]0;t\a""#),
            ("a\r\u{8}\u{b}\u{c}\u{7f}", r#""a\r\b\v\f\177""#),
            ("\u{9b}2J", r#""\302\2332J""#),
            ("a\u{202e}txt.exe", r#""a\342\200\256txt.exe""#),
            ("a\u{2028}b", r#""a\342\200\250b""#),
        ] {
            assert_eq!(path_name(path.as_bytes()), name);
        }
    }

    #[test]
    fn names_as_git_prints_them_are_read() {
        for (name, path) in [
            (r#""a\nb\tc\"d\\e""#, &b"a\nb\tc\"d\\e"[..]),
            (r#""\a\b\v\f\r\001\377""#, b"\x07\x08\x0b\x0c\r\x01\xff"),
            ("\"caf\u{e9}\\n\"", "caf\u{e9}\n".as_bytes()),
            // No such names: paths of their own.
            (r#""\x41""#, br#""\x41""#),
            (r#""\40""#, br#""\40""#),
            (r#""a"b""#, br#""a"b""#),
            ("\"", b"\""),
            (r#""a\""#, br#""a\""#),
        ] {
            assert_eq!(&*path_bytes(name), path, "{name}");
        }
    }

    proptest! {
        #[test]
        fn a_name_leads_back_to_its_path(path in prop_oneof![
            proptest::collection::vec(any::<u8>(), 0..24),
            "[\"\\\\a-c0-7nt\n\t\u{e9}\u{9b}\u{202e}\u{fffd}]{0,12}".prop_map(String::into_bytes),
        ]) {
            let name = path_name(&path);
            prop_assert_eq!(&*path_bytes(&name), &*path, "{}", name);
            prop_assert!(!name.contains(acts), "{:?}", name);
            let name = quoted(&path);
            prop_assert_eq!(&*path_bytes(&name), &*path);
        }
    }
}
