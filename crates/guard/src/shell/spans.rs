//! Where a bracketed or quoted part of a word ends, without reading what is in it.

/// How far a subscript is searched for its end; longer ones are read as plain words.
const SUBSCRIPT_LIMIT: usize = 256;

/// The index of the `))` that closes an arithmetic command opened before `from`, or how far it was searched
/// for when the shell would read nested subshells instead.
pub(super) fn arithmetic_end(src: &str, from: usize) -> Result<usize, usize> {
    let bytes = src.as_bytes();
    let mut open = 1_usize;
    let mut at = from;
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'\\' => at += 1,
            b'\'' => at = skip_to(bytes, at + 1, b'\'', false).ok_or(bytes.len())?,
            b'"' => at = skip_to(bytes, at + 1, b'"', true).ok_or(bytes.len())?,
            b'(' => open += 1,
            b')' => {
                open -= 1;
                if open == 0 {
                    let closed = bytes.get(at + 1) == Some(&b')');
                    return if closed { Ok(at) } else { Err(at) };
                }
            }
            _ => {}
        }
        at += 1;
    }
    Err(bytes.len())
}

pub(super) fn skip_to(bytes: &[u8], from: usize, end: u8, escapes: bool) -> Option<usize> {
    let mut at = from;
    loop {
        match bytes.get(at)? {
            b'\\' if escapes => at += 1,
            byte if *byte == end => return Some(at),
            _ => {}
        }
        at += 1;
    }
}

/// The index of the `]` that closes a subscript opened before `from`.
pub(super) fn bracket_end(src: &str, from: usize) -> Option<usize> {
    let bytes = src.as_bytes();
    let mut open = 1_usize;
    for at in from..from.saturating_add(SUBSCRIPT_LIMIT) {
        match bytes.get(at)? {
            b'[' => open += 1,
            b']' => {
                open -= 1;
                if open == 0 {
                    return Some(at);
                }
            }
            b'\n' => return None,
            _ => {}
        }
    }
    None
}
