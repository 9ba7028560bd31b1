//! Files of two bytes for each character, as programs of Windows write them, told by their first bytes.

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

/// Looks through such a file; `None` for every other one. Where nothing is found, not a byte changes.
pub(super) fn clean(redactor: &Arc<Redactor>, bytes: &[u8]) -> Option<Cleaned> {
    let (order, mark) = match *bytes.first_chunk::<2>()? {
        LITTLE => (Order::Little, LITTLE),
        BIG => (Order::Big, BIG),
        _ => return None,
    };
    let (pairs, odd) = bytes.as_chunks::<2>();
    let units = pairs.iter().skip(1).map(|pair| match order {
        Order::Little => u16::from_le_bytes(*pair),
        Order::Big => u16::from_be_bytes(*pair),
    });
    let text: String = char::decode_utf16(units)
        .map(|unit| unit.unwrap_or(char::REPLACEMENT_CHARACTER))
        .collect();
    let mut cleaned = clean_text(redactor, text.as_bytes());
    if cleaned.found.is_empty() {
        cleaned.bytes = bytes.to_vec();
        return Some(cleaned);
    }
    let text = String::from_utf8_lossy(&cleaned.bytes);
    let units = text.encode_utf16().flat_map(|unit| match order {
        Order::Little => unit.to_le_bytes(),
        Order::Big => unit.to_be_bytes(),
    });
    cleaned.bytes = mark.into_iter().chain(units).collect();
    cleaned.bytes.extend_from_slice(odd);
    Some(cleaned)
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
}
