//! The scanner against hand-written streams, and against itself with other slicing.

use proptest::prelude::*;

use super::*;

fn all(scanner: &mut Scanner, mut bytes: &[u8]) -> (Vec<u8>, Vec<Found>) {
    let (mut passed, mut found) = (Vec::new(), Vec::new());
    while !bytes.is_empty() {
        let step = scanner.scan(bytes);
        passed.extend(&bytes[step.skip..step.skip + step.pass]);
        found.extend(step.found);
        bytes = &bytes[step.taken..];
    }
    (passed, found)
}

fn found(bytes: &[u8]) -> Vec<Found> {
    all(&mut Scanner::default(), bytes).1
}

#[test]
fn finds_what_matters_and_passes_everything() {
    let text = b"a\x1b[1;31mb\x1b[?2026hc\x1b[?25;2026ld\x1b]9;hi\x07e\x1b]7;file:///x\x1b\\\x1b[>q\x1bP+q4d73\x1b\\";
    let (passed, found) = all(&mut Scanner::default(), text);
    assert_eq!(passed, text);
    assert_eq!(
        found,
        vec![
            Found::SyncBegin,
            Found::SyncEnd,
            Found::Osc(b"9;hi".to_vec()),
            Found::Osc(b"7;file:///x".to_vec()),
            Found::VersionQuery,
            Found::DcsQuery(b"+q4d73".to_vec()),
        ]
    );
}

#[test]
fn malformed_sequences_are_nothing() {
    assert_eq!(
        found(b"\x1b[2026h\x1b[?20>26h\x1b[?2026\x18h\x1b[>1q"),
        vec![]
    );
    assert_eq!(found(b"\x1bP+q41\x18\x1b]9;hi\x18"), vec![]);
    assert_eq!(
        found(b"\x1b_\x1b]9;in apc\x07"),
        vec![Found::Osc(b"9;in apc".to_vec())]
    );
}

#[test]
fn a_large_repeat_keeps_its_final_byte_back() {
    let mut scanner = Scanner::default();
    let step = scanner.scan(b"x\x1b[65535bz");
    assert_eq!(step.found, Some(Found::LargeRepeat(65535)));
    assert_eq!((step.pass, step.taken), (8, 9));
    assert_eq!(found(b"\x1b[20b"), vec![]);
    assert_eq!(found(b"\x1b[99999999b"), vec![Found::LargeRepeat(65535)]);
}

#[test]
fn an_endless_string_is_cut_and_its_rest_dropped() {
    let mut scanner = Scanner::default();
    let mut bytes = b"\x1b]0;".to_vec();
    bytes.resize(3 * LONGEST_OSC, b'x');
    bytes.extend(b"\x07after");
    let (passed, found) = all(&mut scanner, &bytes);
    assert_eq!(found, vec![Found::Overlong]);
    assert_eq!(passed.len(), LONGEST_OSC + 5);
    assert!(passed.ends_with(b"after"));
    assert!(scanner.pending().is_empty());
}

#[test]
fn pending_holds_the_unfinished_part() {
    for text in [
        &b"\x1b"[..],
        b"\x1b[1;3",
        b"\x1b]0;tit",
        b"\x1bP+q4",
        b"\x1b_Gf",
        b"\xe4\xb8",
        b"\xf0",
    ] {
        let mut scanner = Scanner::default();
        let bytes = [b"plain \x1b[1mtext", text].concat();
        for byte in &bytes {
            all(&mut scanner, &[*byte]);
        }
        assert_eq!(scanner.pending(), text);
        let mut scanner = Scanner::default();
        all(&mut scanner, &bytes);
        assert_eq!(scanner.pending(), text);
    }
    let mut scanner = Scanner::default();
    all(&mut scanner, "done 世".as_bytes());
    assert_eq!(scanner.pending(), b"");
}

fn pieces() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        Just(&b"\x1b"[..]),
        Just(&b"["[..]),
        Just(&b"]"[..]),
        Just(&b"P"[..]),
        Just(&b"?2026h"[..]),
        Just(&b"\x1b[?2026l"[..]),
        Just(&b"\x07"[..]),
        Just(&b"\\"[..]),
        Just(&b"9;x"[..]),
        Just(&b"\x18"[..]),
        Just("世".as_bytes()),
        Just(&b"\x9c"[..]),
        Just(&b"$q"[..]),
        Just(&b"1234b"[..]),
    ];
    prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn slicing_changes_nothing(bytes in pieces(), cut in 1_usize..7) {
        let whole = all(&mut Scanner::default(), &bytes);
        let mut scanner = Scanner::default();
        let mut sliced = (Vec::new(), Vec::new());
        for chunk in bytes.chunks(cut) {
            let (passed, found) = all(&mut scanner, chunk);
            sliced.0.extend(passed);
            sliced.1.extend(found);
        }
        prop_assert_eq!(whole, sliced);
    }
}
