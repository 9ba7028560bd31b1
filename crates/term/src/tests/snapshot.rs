//! A terminal fed with a snapshot is the terminal the snapshot was taken of: by example and for
//! random output, sizes and resizes.

use proptest::prelude::*;

use super::super::{Engine, EngineOptions, Size};
use super::*;

fn engine(size: Size) -> Engine {
    Engine::new(EngineOptions {
        size,
        history: 40,
        answer_queries: true,
    })
}

/// Everything a user or an agent could tell two terminals apart by.
fn describe(engine: &Engine) -> Vec<String> {
    let size = engine.size();
    let surface = &engine.surface;
    let mut lines = vec![
        format!(
            "{:?} {:?} {:?}",
            engine.cursor(),
            engine.modes(),
            engine.title()
        ),
        format!(
            "{:?} {:?} {:?}",
            surface.mode(),
            surface.region,
            surface.charset
        ),
        format!(
            "{:?} {:?} {:?}",
            surface.tabs, surface.titles, surface.keyboard
        ),
    ];
    let mut grids = vec![surface.term.grid()];
    grids.extend(&surface.parked);
    let primary = grids.len() - 1;
    for (index, grid) in grids.into_iter().enumerate() {
        lines.push(describe_cursor(&grid.cursor));
        lines.push(describe_cursor(&grid.saved_cursor));
        for line in grid.topmost_line().0..=grid.bottommost_line().0 {
            let row = &grid[Line(line)][..];
            let cells: Vec<String> = row
                .iter()
                .map(|cell| {
                    let cell = super::super::cells::cell(cell);
                    if cell
                        == (super::super::Cell {
                            ch: ' ',
                            ..Default::default()
                        })
                    {
                        ".".to_owned()
                    } else {
                        format!("{cell:?}")
                    }
                })
                .collect();
            let told = line < grid.bottommost_line().0 || (size.rows > 2 && size.cols > 2);
            let wrapped = index == primary && told && is_wrapped(row);
            lines.push(format!("{line} wrapped={wrapped} {}", cells.join(" ")));
        }
    }
    lines
}

fn describe_cursor(cursor: &Cursor<Cell>) -> String {
    format!(
        "{:?} {} {:?} {:?}",
        cursor.point,
        cursor.input_needs_wrap,
        cursor.charsets,
        Pen::of(&cursor.template)
    )
}

fn assert_round_trip(original: &Engine) {
    let bytes = original.snapshot();
    let mut copy = engine(original.size());
    copy.feed(&bytes);
    let (left, right) = (describe(original), describe(&copy));
    for (left, right) in left.iter().zip(&right) {
        assert_eq!(
            left,
            right,
            "\nsnapshot: {:?}",
            String::from_utf8_lossy(&bytes)
        );
    }
    assert_eq!(left.len(), right.len());
    assert_eq!(original.scanner.pending(), copy.scanner.pending());
}

fn round_trip(size: Size, text: &[u8]) -> Engine {
    let mut original = engine(size);
    original.feed(text);
    assert_round_trip(&original);
    original
}

#[test]
fn plain_screens_come_back() {
    let size = Size::new(10, 4);
    round_trip(size, b"");
    round_trip(size, b"hello\r\nworld");
    round_trip(
        size,
        b"a long line that wraps over several rows and scrolls",
    );
    round_trip(
        size,
        "wide 世界世界世界 \x1b[41mred\x1b[K\r\nx\x1b[m".as_bytes(),
    );
    round_trip(size, b"exactly10!");
    round_trip(size, "123456789世".as_bytes());
    round_trip(size, b"\x1b[41m0123456789abc\r\n\r\n\r\n\r\n\x1b[2Lz");
    round_trip(
        size,
        b"one\r\ntwo\r\nthree\r\nfour\r\nfull row!!x\x1b[A\x1bM\x1bM\x1bM\x1bM",
    );
}

#[test]
fn cursors_pens_and_modes_come_back() {
    let size = Size::new(10, 4);
    round_trip(size, b"abc\x1b[1;31m\x1b7\x1b[3;4H\x1b[4:3;58;5;9m\x1b(0");
    round_trip(size, b"\x1b[2;3r\x1b[?6h\x1b[2;2H\x1b[?25l\x1b[4 q");
    round_trip(size, b"\x1b[4;9H\x1b7\x1b[2;3r\x1b[?6h\x1b8\x1b[2D");
    round_trip(
        size,
        b"\x1b]2;one\x07\x1b[22t\x1b]2;two\x07\x1b[>1u\x1b[>5u\x1b[>4;2m",
    );
    round_trip(
        size,
        b"\x1b[3g\x1b[5G\x1bH\x1b]10;#102030\x07\x1b]8;id=x;http://a\x07link",
    );
    round_trip(size, b"\x1b[?1000;1006;2004;1004;1h\x1b=\x1b[?7l\x1b[4h");
}

#[test]
fn both_screens_come_back() {
    let size = Size::new(10, 4);
    let mut engine = round_trip(
        size,
        b"1\r\n2\r\n3\r\n4\r\n5 primary\x1b[>1u\x1b[?1049h\x1b[44m\x1b[2J\x1b[2;2Halt\x1b[>3u",
    );
    assert!(engine.modes().alt_screen);
    engine.feed(b"\x1b[?1049l");
    assert_eq!(engine.row_text(3), "5 primary");
    assert_eq!(engine.history_text(9), vec!["1"]);
    assert_round_trip(&engine);
}

#[test]
fn an_unfinished_sequence_goes_on_in_the_copy() {
    let size = Size::new(10, 4);
    for (first, second) in [
        (&b"ab\x1b[3"[..], &b"1mred"[..]),
        (b"\x1b]2;ti", b"tle\x07x"),
        (b"\xe4\xb8", b"\x96!"),
        (b"\x1bPq###", b"###\x1b\\ok"),
    ] {
        let mut original = round_trip(size, first);
        let mut copy = engine(size);
        copy.feed(&original.snapshot());
        original.feed(second);
        copy.feed(second);
        assert_eq!(describe(&original), describe(&copy));
    }
}

#[test]
fn a_held_back_update_goes_on_in_the_copy() {
    let size = Size::new(10, 4);
    let mirror = EngineOptions {
        size,
        history: 40,
        answer_queries: false,
    };
    let mut original = Engine::new(mirror);
    original.feed(b"before\r\x1b[?2026hafter\x1b[3");
    let mut copy = Engine::new(mirror);
    copy.feed(&original.snapshot());
    assert_eq!(copy.row_text(0), "before");
    assert!(copy.sync_deadline().is_some());
    copy.feed(b"1m!\x1b[?2026l");
    assert_eq!(copy.row_text(0), "after!");
}

/// A stretch of terminal output, biased towards what disturbs layouts.
fn piece() -> impl Strategy<Value = String> {
    let number = || prop_oneof![1 => Just(0_u16), 6 => 1_u16..12, 1 => 12_u16..400];
    let simple = prop::sample::select(vec![
        "\r",
        "\n",
        "\r\n",
        "\t",
        "\x08",
        "\x1bM",
        "\x1bD",
        "\x1bE",
        "\x1b7",
        "\x1b8",
        "\x1bH",
        "\x1b[3g",
        "\x1b(0",
        "\x1b(B",
        "\x1b)0",
        "\x0e",
        "\x0f",
        "\x1b=",
        "\x1b>",
        "\x1b#8",
        "\x1b[?7l",
        "\x1b[?7h",
        "\x1b[?6h",
        "\x1b[?6l",
        "\x1b[4h",
        "\x1b[4l",
        "\x1b[?25l",
        "\x1b[?1049h",
        "\x1b[?1049l",
        "\x1b[?47h",
        "\x1b[?47l",
        "\x1b[?1h",
        "\x1b[?2004h",
        "\x1b[?1000h",
        "\x1b[?1003h",
        "\x1b[?1006h",
        "\x1b[?1004h",
        "\x1b[?3h",
        "\x1b[?1048h",
        "\x1b[?1048l",
        "\x1b[s",
        "\x1b[u",
        "\x1b[r",
        "\x1b[J",
        "\x1b[1J",
        "\x1b[2J",
        "\x1b[3J",
        "\x1b[K",
        "\x1b[1K",
        "\x1b[2K",
        "\x1b[m",
        "\x1b[1;4:3;58;5;3m",
        "\x1b[7;9m",
        "\x1b[31m",
        "\x1b[42m",
        "\x1b[48;2;1;2;3m",
        "\x1b[38;5;200m",
        "\x1b[49m",
        "\x1b[97;100m",
        "\x1b]8;;http://x\x1b\\",
        "\x1b]8;;\x1b\\",
        "\x1b]8;id=a;y\x07",
        "\x1b]2;title\x07",
        "\x1b[22t",
        "\x1b[23t",
        "\x1b[>1u",
        "\x1b[<u",
        "\x1b[=5u",
        "\x1b[>4;2m",
        "\x1bc",
        "\x1b[5 q",
        "\x1b]4;1;#ff0000\x07",
        "\x1b]104\x07",
    ]);
    let text = prop::sample::select(vec![
        "a",
        "word ",
        "0123456789",
        "世",
        "世界世界",
        "e\u{301}",
        "👩\u{200d}💻",
        "é",
        "  ",
        "x",
        "❤\u{fe0f}",
        "\u{301}",
        "lqqk",
        "\u{ad}",
    ]);
    let counted = (
        prop::sample::select(vec![
            'A', 'B', 'C', 'D', 'E', 'F', 'G', 'd', '@', 'P', 'X', 'L', 'M', 'S', 'T', 'I', 'Z',
            'b',
        ]),
        number(),
    )
        .prop_map(|(letter, count)| format!("\x1b[{count}{letter}"));
    let placed = (prop::sample::select(vec!['H', 'r']), number(), number())
        .prop_map(|(letter, a, b)| format!("\x1b[{a};{b}{letter}"));
    prop_oneof![
        3 => simple.prop_map(str::to_owned),
        4 => text.prop_map(str::to_owned),
        3 => counted,
        2 => placed,
        1 => "[ -~]{1,30}",
    ]
}

fn sizes() -> impl Strategy<Value = Size> {
    (2_u16..24, 2_u16..10).prop_map(|(cols, rows)| Size::new(cols, rows))
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_screen_comes_back(
        size in sizes(),
        other in sizes(),
        first in prop::collection::vec(piece(), 0..60),
        second in prop::collection::vec(piece(), 0..20),
    ) {
        let mut original = engine(size);
        original.feed(first.concat().as_bytes());
        assert_round_trip(&original);
        original.resize(other);
        assert_round_trip(&original);
        original.feed(second.concat().as_bytes());
        assert_round_trip(&original);
    }
}
