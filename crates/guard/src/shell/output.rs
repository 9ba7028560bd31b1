//! What commands print, as far as it matters: text that is known, names and paths of a known shape.
//!
//! Used for `$(…)`, for pipes into shells and `xargs`, and for files a command writes and then runs.

pub(crate) use super::programs::of_program;
use super::text::{self, ANY, PATH, TOKEN};

const LONGEST: usize = 256 * 1024;

/// Adds what the next command prints.
pub(crate) fn append(out: &mut String, more: &str) {
    if out.len() + more.len() > LONGEST {
        *out = ANY.to_string();
        return;
    }
    out.push_str(more);
}

/// What is printed when one of two commands ran.
pub(crate) fn either(a: String, b: String) -> String {
    if a == b || b.is_empty() {
        return a;
    }
    if a.is_empty() {
        return b;
    }
    if is_token(a.trim_end()) && is_token(b.trim_end()) {
        return TOKEN.to_string();
    }
    let [one, other] = [a.trim_end(), b.trim_end()];
    let names = |text| text::programs(text).unwrap_or_else(|| vec![text]);
    let all = [names(one), names(other)].concat();
    text::one_of(&all).unwrap_or_else(|| ANY.to_string())
}

/// What several turns of a loop print.
pub(crate) fn repeated(mut out: String, more: &str) -> String {
    append(&mut out, more);
    out
}

fn is_token(text: &str) -> bool {
    !text.is_empty()
        && !text.starts_with('-')
        && !text.contains(|c: char| c.is_whitespace() || c == '/' || c == ANY || c == PATH)
        && text != ".."
        && text != "."
}

/// Decodes the backslash escapes of `$'…'`, `printf` and `echo -e`.
pub(crate) fn decode_escapes(src: &str) -> String {
    if !src.contains('\\') {
        return src.to_owned();
    }
    let bytes = src.as_bytes();
    let mut out: Vec<u8> = Vec::with_capacity(src.len());
    let mut at = 0;
    let digits = |from: usize, most: usize, radix: u32| -> (u32, usize) {
        let mut value = 0_u32;
        let mut count = 0;
        while count < most
            && let Some(digit) = bytes
                .get(from + count)
                .and_then(|c| char::from(*c).to_digit(radix))
        {
            value = value.wrapping_mul(radix).wrapping_add(digit);
            count += 1;
        }
        (value, count)
    };
    while let Some(&byte) = bytes.get(at) {
        if byte != b'\\' {
            out.push(byte);
            at += 1;
            continue;
        }
        let Some(&kind) = bytes.get(at + 1) else {
            out.push(b'\\');
            break;
        };
        at += 2;
        match kind {
            b'n' => out.push(b'\n'),
            b't' => out.push(b'\t'),
            b'r' => out.push(b'\r'),
            b'a' => out.push(7),
            b'b' => out.push(8),
            b'e' | b'E' => out.push(27),
            b'f' => out.push(12),
            b'v' => out.push(11),
            b'c' => at += 1,
            b'x' => {
                let (value, count) = digits(at, 2, 16);
                at += count;
                out.push(value as u8);
            }
            b'u' | b'U' => {
                let (value, count) = digits(at, if kind == b'u' { 4 } else { 8 }, 16);
                at += count;
                if let Some(c) = char::from_u32(value) {
                    out.extend(c.encode_utf8(&mut [0; 4]).as_bytes());
                }
            }
            b'0'..=b'7' => {
                let (value, count) = digits(at - 1, if kind == b'0' { 4 } else { 3 }, 8);
                at += count.max(1) - 1;
                out.push(value as u8);
            }
            b'\\' | b'\'' | b'"' | b'?' => out.push(kind),
            other => out.extend([b'\\', other]),
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

/// What `echo` prints.
pub(crate) fn echo(args: &[String]) -> String {
    let mut newline = true;
    let mut escapes = false;
    let mut rest = args;
    while let Some((first, more)) = rest.split_first()
        && first.len() > 1
        && first
            .strip_prefix('-')
            .is_some_and(|flags| flags.chars().all(|c| "neE".contains(c)))
    {
        newline &= !first.contains('n');
        escapes = first.contains('e') && !first.ends_with('E');
        rest = more;
    }
    let mut out = rest.join(" ");
    if escapes {
        out = checked(decode_escapes(&out));
    }
    if newline {
        out.push('\n');
    }
    out
}

/// What `echo` prints in shells whose `echo` knows escapes by itself.
pub(crate) fn echo_of_dash(args: &[String]) -> String {
    let (end, words) = match args.split_first() {
        Some((first, rest)) if first == "-n" => ("", rest),
        _ => ("\n", args),
    };
    checked(decode_escapes(&words.join(" "))) + end
}

fn checked(decoded: String) -> String {
    // A private character that was not there before must not pass for a known part.
    if text::is_forged(&decoded) {
        ANY.to_string()
    } else {
        decoded
    }
}

/// What `printf` prints.
pub(crate) fn printf(args: &[String]) -> String {
    let args = match args.split_first() {
        Some((first, rest)) if first == "--" => rest,
        _ => args,
    };
    let Some((format, values)) = args.split_first() else {
        return String::new();
    };
    if text::is_any(format) || values.len() > 1000 || format.len() > 65_536 {
        return ANY.to_string();
    }
    let format: Vec<char> = if text::is_known(format) {
        let format = literal_percents(format);
        checked(decode_escapes(&format)).chars().collect()
    } else {
        format.chars().collect()
    };
    let mut out = String::new();
    let mut next = 0;
    loop {
        let first = next;
        let mut at = 0;
        while let Some(&c) = format.get(at) {
            at += 1;
            if c != '%' {
                out.push(c);
                continue;
            }
            if format.get(at) == Some(&'%') {
                out.push('%');
                at += 1;
                continue;
            }
            let plain = matches!(format.get(at), Some('s' | 'b' | 'd' | 'i'));
            let mut width = String::new();
            while let Some(c) = format.get(at).filter(|c| "-+ #0123456789.*'".contains(**c)) {
                width.push(*c);
                at += 1;
            }
            // Whatever it is given, and filled up with nothing but zeros.
            let number = width.is_empty()
                || width.starts_with('0') && width.chars().all(|c| c.is_ascii_digit());
            let kind = format.get(at).copied();
            at += 1;
            let value = values.get(next).map_or("", String::as_str);
            next += 1;
            match kind {
                Some('s') if plain => out.push_str(value),
                Some('b') if plain && text::is_known(value) => {
                    out.push_str(&checked(decode_escapes(value)));
                }
                Some('d' | 'i') if plain && value.parse::<i64>().is_ok() => out.push_str(value),
                Some('d' | 'i' | 'u' | 'o' | 'x' | 'X') if number => out.push(TOKEN),
                Some('q') if text::is_known(value) && !value.chars().any(char::is_control) => {
                    escape(value, &mut out);
                }
                _ => out.push(ANY),
            }
            if out.len() > LONGEST {
                return ANY.to_string();
            }
        }
        if next >= values.len() || next == first {
            return out;
        }
    }
}

/// A value as `%q` prints it.
fn escape(value: &str, out: &mut String) {
    if value.is_empty() {
        out.push_str("''");
    }
    for c in value.chars() {
        if c.is_ascii() && !c.is_ascii_alphanumeric() && !"-_./:@%+=".contains(c) {
            out.push('\\');
        }
        out.push(c);
    }
}

/// The format with `\\045` and its kin written `%%`: what an escape makes is printed, it directs nothing.
fn literal_percents(format: &str) -> String {
    let mut out = String::new();
    let mut rest = format;
    while let Some((before, after)) = rest.split_once('\\') {
        out.push_str(before);
        let (skip, most, radix) = match after.chars().next() {
            Some('x') => (1, 2, 16),
            Some('u') => (1, 4, 16),
            Some('U') => (1, 8, 16),
            Some('0'..='7') => (0, 3, 8),
            other => {
                // The character behind belongs to the escape, also when it is another backslash.
                out.push('\\');
                out.extend(other);
                rest = after.get(other.map_or(0, char::len_utf8)..).unwrap_or("");
                continue;
            }
        };
        let digits: String = after
            .chars()
            .skip(skip)
            .take_while(|c| c.is_digit(radix))
            .take(most)
            .collect();
        if u32::from_str_radix(&digits, radix) == Ok(u32::from('%')) {
            out.push_str("%%");
            rest = after.get(skip + digits.len()..).unwrap_or("");
        } else {
            out.push('\\');
            rest = after;
        }
    }
    out.push_str(rest);
    out
}
