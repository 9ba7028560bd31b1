//! Paths as names: what a path is called where only text fits. Two paths never have one name, and a name leads back to
//! its path. Pure.

use std::borrow::Cow;

/// The name of a path: its text, or in quotes, as git prints it, where that is no UTF-8.
pub fn path_name(path: &[u8]) -> String {
    match std::str::from_utf8(path) {
        // What looks quoted is quoted.
        Ok(name) if !name.starts_with('"') => name.to_owned(),
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

fn quoted(path: &[u8]) -> String {
    let mut name = String::from("\"");
    for byte in path {
        match byte {
            b'"' | b'\\' => {
                name.push('\\');
                name.push(char::from(*byte));
            }
            b' '..=b'~' => name.push(char::from(*byte)),
            other => name += &format!("\\{other:03o}"),
        }
    }
    name.push('"');
    name
}

fn unquoted(inner: &str) -> Option<Vec<u8>> {
    let mut path = Vec::new();
    let mut bytes = inner.bytes();
    while let Some(byte) = bytes.next() {
        if byte != b'\\' {
            path.push(byte);
            continue;
        }
        match bytes.next()? {
            first @ b'0'..=b'3' => {
                let mut value = u32::from(first - b'0');
                for _ in 0..2 {
                    let digit = bytes.next().filter(|byte| (b'0'..=b'7').contains(byte))?;
                    value = value * 8 + u32::from(digit - b'0');
                }
                path.push(u8::try_from(value).ok()?);
            }
            plain @ (b'"' | b'\\') => path.push(plain),
            _other => return None,
        }
    }
    Some(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_that_differ_only_in_bytes_that_are_no_utf8_have_two_names() {
        assert_eq!(path_name(b"caf\xe9 1.txt"), r#""caf\351 1.txt""#);
        assert_eq!(path_name("caf\u{e9}.txt".as_bytes()), "caf\u{e9}.txt");
        let paths: [&[u8]; 8] = [
            b"\xe8.txt",
            b"\xe9.txt",
            b"\"\\351.txt\"",
            b"\"",
            b"a\\\xe9\"\n",
            "\u{fffd}.txt".as_bytes(),
            b"dir/plain.txt",
            b"\"\"",
        ];
        let names = paths.map(path_name);
        for (at, name) in names.iter().enumerate() {
            assert_eq!(path_bytes(name), paths[at], "{name}");
            assert!(!names[..at].contains(name), "{name}");
        }
    }
}
