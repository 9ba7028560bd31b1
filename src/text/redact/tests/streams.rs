//! Secrets in pieces, whatever is around them.

use super::*;
use proptest::prelude::*;

#[test]
fn a_doubtful_beginning_is_held_back_only_so_long() {
    let mut stream = RedactingStream::new(redactor());
    let mut out = Vec::new();
    stream.push(b"abc q7#Zr", &mut out);
    assert_eq!(out, b"abc ");
    for _ in 0..40 {
        stream.push(&b"\x1b[31m".repeat(100), &mut out);
    }
    assert!(
        !out.is_empty() && out.len() > 4,
        "never more than a bounded tail"
    );
    stream.finish(&mut out);
    assert_eq!(out.len(), 9 + 40 * 500);
}

/// Pieces of terminal output: text, colours, line breaks, things that nearly are secrets.
fn piece() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-z ]{0,12}",
        "[ -~]{0,8}",
        any::<char>().prop_map(String::from),
        Just("\x1b[1;31m".to_owned()),
        Just("\x1b]0;title\x07".to_owned()),
        Just("\r\n".to_owned()),
        Just("q7#Zr".to_owned()),
        Just("sk-".to_owned()),
        Just("gh".to_owned()),
        Just("\x1b[".to_owned()),
    ]
}

proptest! {
    #[test]
    fn no_chunking_lets_a_secret_through(
        before in prop::collection::vec(piece(), 0..6),
        after in prop::collection::vec(piece(), 0..6),
        token in "[a-zA-Z0-9]{12,30}",
        which in any::<bool>(),
        sizes in prop::collection::vec(1..20usize, 1..8),
    ) {
        let token = format!("ghp_{token}");
        let secret = if which { VALUE } else { token.as_str() };
        // A control sequence that is open would belong to the secret as the terminal reads it.
        let text = format!("{} \x1b[0m {secret}\x1b[0m {}", before.concat(), after.concat());
        let out = in_pieces(text.as_bytes(), &sizes);
        let shown = String::from_utf8_lossy(&out);
        prop_assert!(!shown.contains(secret), "{shown:?}");
        prop_assert!(shown.contains(REPLACEMENT));
        // However it is cut, the result is the same as in one piece.
        prop_assert_eq!(&out, &in_pieces(text.as_bytes(), &[text.len()]));
    }

    #[test]
    fn what_is_no_secret_is_byte_identical(
        bytes in prop::collection::vec(any::<u8>(), 0..400),
        pieces in prop::collection::vec("[a-z #!|\r\n]{0,9}", 0..20),
        sizes in prop::collection::vec(1..20usize, 1..8),
    ) {
        let text = pieces.concat();
        prop_assert_eq!(in_pieces(text.as_bytes(), &sizes), text.as_bytes());
        // Any bytes: whatever is taken out is named.
        let mut stream = RedactingStream::new(redactor());
        let mut out = Vec::new();
        stream.push(&bytes, &mut out);
        stream.finish(&mut out);
        if stream.found().is_empty() {
            prop_assert_eq!(out, bytes);
        }
    }

    #[test]
    fn around_a_secret_every_byte_stays(before in "[a-f ]{0,30}", after in "[ ,;!]{0,30}", sizes in prop::collection::vec(1..9usize, 1..5)) {
        let text = format!("{before} {VALUE}{after}");
        let expected = format!("{before} {REPLACEMENT}{after}");
        prop_assert_eq!(in_pieces(text.as_bytes(), &sizes), expected.as_bytes());
    }
}

/// As often as a character is looked at; what takes longer than its length allows would hang here.
#[test]
fn text_that_nearly_is_a_secret_everywhere_is_worked_through() {
    let megabyte = |unit: &str| unit.repeat(1_000_000 / unit.len());
    for unit in [
        "s\x08",
        "q\x08",
        "eyJ-",
        "-----BEGIN A",
        "q\x1b[m",
        "://a:b",
    ] {
        let text = megabyte(unit);
        assert_eq!(in_pieces(text.as_bytes(), &[text.len()]), text.as_bytes());
    }
    let doubtful = format!("q{}", "\x1b[m".repeat(100_000));
    assert_eq!(in_pieces(doubtful.as_bytes(), &[1]), doubtful.as_bytes());
}
