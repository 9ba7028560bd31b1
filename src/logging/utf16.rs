//! Files of two bytes for each character, as programs of Windows write them, told by their first bytes: a mark, or where
//! NULs are among them.

use std::sync::Arc;

use super::audit::{Cleaned, clean_text};
use crate::text::Redactor;

/// Which byte comes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Order {
    Little,
    Big,
}

const LITTLE: [u8; 2] = [0xff, 0xfe];
const BIG: [u8; 2] = [0xfe, 0xff];

/// Without a mark, so many bytes tell.
const LOOKED_AT: usize = 1024;
/// So many pairs at least, of which one in so many has a NUL.
const FEWEST_PAIRS: usize = 4;
const ONE_IN: usize = 4;

/// Which order a file has that begins with no mark: NULs are only ever the first byte of a pair or only ever the second, as
/// in all text with some Latin letters, spaces or line ends in it.
fn order_by_nuls(bytes: &[u8]) -> Option<Order> {
    let head = bytes.get(..LOOKED_AT).unwrap_or(bytes);
    let (pairs, _) = head.as_chunks::<2>();
    let firsts = pairs.iter().filter(|pair| pair[0] == 0).count();
    let seconds = pairs.iter().filter(|pair| pair[1] == 0).count();
    let is_enough = |nuls: usize| pairs.len() >= FEWEST_PAIRS && nuls * ONE_IN >= pairs.len();
    match (firsts, seconds) {
        (0, nuls) if is_enough(nuls) => Some(Order::Little),
        (nuls, 0) if is_enough(nuls) => Some(Order::Big),
        _ => None,
    }
}

/// Looks through such a file; `None` for every other one. Where nothing is found, not a byte changes.
///
/// It is a guess, with a mark as well as without: two bytes at the beginning of a file make no text of the bytes behind
/// them. So the caller looks at the file as at any other one, too.
pub(super) fn clean(redactor: &Arc<Redactor>, bytes: &[u8]) -> Option<Cleaned> {
    let (order, mark) = match bytes.first_chunk::<2>() {
        Some(&LITTLE) => (Order::Little, &LITTLE[..]),
        Some(&BIG) => (Order::Big, &BIG[..]),
        Some(_) | None => (order_by_nuls(bytes)?, &[][..]),
    };
    let cleaned = clean_units(redactor, bytes, order, mark);
    (!cleaned.found.is_empty()).then_some(cleaned)
}

fn clean_units(redactor: &Arc<Redactor>, bytes: &[u8], order: Order, mark: &[u8]) -> Cleaned {
    let (pairs, odd) = bytes.as_chunks::<2>();
    let units = pairs.iter().skip(mark.len() / 2).map(|pair| match order {
        Order::Little => u16::from_le_bytes(*pair),
        Order::Big => u16::from_be_bytes(*pair),
    });
    let text: String = char::decode_utf16(units)
        .map(|unit| unit.unwrap_or(char::REPLACEMENT_CHARACTER))
        .collect();
    let mut cleaned = clean_text(redactor, text.as_bytes());
    if cleaned.found.is_empty() {
        cleaned.bytes = bytes.to_vec();
        return cleaned;
    }
    let text = String::from_utf8_lossy(&cleaned.bytes);
    let units = text.encode_utf16().flat_map(|unit| match order {
        Order::Little => unit.to_le_bytes(),
        Order::Big => unit.to_be_bytes(),
    });
    cleaned.bytes = mark.iter().copied().chain(units).collect();
    cleaned.bytes.extend_from_slice(odd);
    cleaned
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::logging::clean_file;

    const TOKEN: &str = "ghp_0123456789abcdefghijABCDEFGHIJ0123456";

    fn written(text: &str, order: Order) -> Vec<u8> {
        let units = text.encode_utf16().flat_map(|unit| match order {
            Order::Little => unit.to_le_bytes(),
            Order::Big => unit.to_be_bytes(),
        });
        let mark = if order == Order::Little { LITTLE } else { BIG };
        mark.into_iter().chain(units).collect()
    }

    #[test]
    fn a_token_in_a_file_of_two_bytes_for_each_character_is_found() {
        let redactor = Arc::new(Redactor::new(&[]));
        for order in [Order::Little, Order::Big] {
            let log = written(&format!("Zürich 🌳\r\nsee {TOKEN} here\r\n"), order);
            let cleaned = clean_file(&redactor, &log);
            assert_eq!(cleaned.found.len(), 1, "{order:?}");
            assert_eq!(cleaned.found[0].line, 2);
            let rest = written("Zürich 🌳\r\nsee [REDACTED] here\r\n", order);
            assert_eq!(cleaned.bytes, rest);
        }
    }

    #[test]
    fn such_a_file_without_a_token_keeps_its_bytes() {
        let redactor = Arc::new(Redactor::new(&[]));
        let mut log = written("nothing", Order::Little);
        // Half of a pair, and half of a character.
        log.extend([0x00, 0xd8, 0x41]);
        let cleaned = clean_file(&redactor, &log);
        assert!(cleaned.found.is_empty());
        assert_eq!(cleaned.bytes, log);
    }

    #[test]
    fn such_a_file_without_a_mark_is_told_by_its_nuls() {
        let redactor = Arc::new(Redactor::new(&[]));
        let bare = |text: &str, order| written(text, order).split_off(2);
        for order in [Order::Little, Order::Big] {
            for before in ["", "Zürich 🌳\r\n", "東京 は 雨\r\n"] {
                let log = bare(&format!("{before}see {TOKEN} here\r\n"), order);
                let cleaned = clean_file(&redactor, &log);
                assert_eq!(cleaned.found.len(), 1, "{order:?} {before}");
                assert_eq!(cleaned.found[0].line, 1 + before.lines().count());
                let rest = bare(&format!("{before}see [REDACTED] here\r\n"), order);
                assert_eq!(cleaned.bytes, rest);
                let clean = bare(&format!("{before}see nothing here\r\n"), order);
                assert_eq!(clean_file(&redactor, &clean).bytes, clean);
            }
        }
    }

    #[test]
    fn a_mark_hides_no_token_that_is_there_in_single_bytes() {
        let redactor = Arc::new(Redactor::new(&[]));
        for order in [Order::Little, Order::Big] {
            let plain = format!("one\nsee {TOKEN} here\n");
            let mark = written("", order);
            let cleaned = clean_file(&redactor, &[&mark, plain.as_bytes()].concat());
            assert_eq!(cleaned.found.len(), 1, "{order:?}");
            assert_eq!(cleaned.found[0].line, 2);
            let rest = [&mark, &b"one\nsee [REDACTED] here\n"[..]].concat();
            assert_eq!(cleaned.bytes, rest);
            // Both in one file.
            let wide = written(&format!("see {TOKEN} here\n"), order);
            let cleaned = clean_file(&redactor, &[&wide, plain.as_bytes()].concat());
            assert_eq!(cleaned.found.len(), 2, "{order:?}");
            let rest = written("see [REDACTED] here\n", order);
            let rest = [&rest, &b"one\nsee [REDACTED] here\n"[..]].concat();
            assert_eq!(cleaned.bytes, rest);
        }
    }

    #[test]
    fn other_files_with_nuls_are_read_as_they_are() {
        let redactor = Arc::new(Redactor::new(&[]));
        let numbers: Vec<u8> = (0..300_u32).flat_map(u32::to_le_bytes).collect();
        let shorts: Vec<u8> = (1..300_u16)
            .flat_map(|n| (n % 250 + 1).to_le_bytes())
            .collect();
        for before in [&b"a\0b\n"[..], &numbers, &shorts, b"", b"\0\0\0\0\0\0\0\0"] {
            let log = [before, b"\nsee ", TOKEN.as_bytes(), b" here\n"].concat();
            let cleaned = clean_file(&redactor, &log);
            assert_eq!(cleaned.found.len(), 1, "{before:?}");
            let rest = [before, b"\nsee [REDACTED] here\n"].concat();
            assert_eq!(cleaned.bytes, rest);
        }
    }
}
