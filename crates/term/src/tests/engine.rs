//! The engine by its public face: what it shows, answers and reports; recordings of real agents;
//! random input; and a second terminal emulator as an independent witness.

use std::path::Path;

use proptest::prelude::*;

use super::super::cells::{Color, Underline};
use super::*;

fn host(cols: u16, rows: u16) -> Engine {
    Engine::new(EngineOptions {
        size: Size::new(cols, rows),
        history: 100,
        answer_queries: true,
    })
}

fn mirror(cols: u16, rows: u16) -> Engine {
    Engine::new(EngineOptions {
        size: Size::new(cols, rows),
        history: 100,
        answer_queries: false,
    })
}

fn shows(bytes: &[u8]) -> String {
    let mut engine = host(10, 4);
    engine.feed(bytes);
    engine.screen_text().trim_end().to_owned()
}

fn replies(bytes: &[u8]) -> String {
    let events = host(80, 24).feed(bytes);
    let mut text = String::new();
    for event in events {
        if let TermEvent::Reply(bytes) = event {
            text.push_str(&String::from_utf8(bytes).unwrap());
        }
    }
    text
}

#[test]
fn shows_text_colours_and_cursor() {
    let mut engine = host(20, 4);
    engine.feed("a\x1b[1;4:3;38;2;1;2;3;48;5;7;58;5;9mb世\x1b[m\x1b[3 q".as_bytes());
    assert_eq!(engine.row_text(0), "ab世");
    let cell = engine.cell(0, 1).unwrap();
    assert_eq!((cell.fg, cell.bg), (Color::Rgb(1, 2, 3), Color::Indexed(7)));
    assert_eq!(cell.underline_color, Color::Indexed(9));
    assert!(cell.attrs.bold && cell.attrs.underline == Underline::Curly);
    assert_eq!(engine.cell(0, 2).unwrap().text(), "世");
    assert_eq!(engine.cell(0, 3).unwrap().text(), "");
    assert_eq!(engine.cell(4, 0), None);
    let cursor = engine.cursor();
    assert_eq!((cursor.row, cursor.col, cursor.visible), (0, 4, true));
    assert_eq!(
        (cursor.shape, cursor.blinking),
        (CursorShape::Underline, true)
    );
}

#[test]
fn knows_which_rows_go_on() {
    let mut engine = host(5, 3);
    engine.feed(b"abcdefg\r\nx");
    assert!(engine.is_wrapped(0) && !engine.is_wrapped(1) && !engine.is_wrapped(9));
}

#[test]
fn an_engine_can_move_between_threads() {
    fn is_send<T: Send>(_: &T) {}
    is_send(&host(2, 2));
}

#[test]
fn tells_the_modes_the_agent_set() {
    let mut engine = host(20, 4);
    assert_eq!(
        engine.modes(),
        Modes {
            alternate_scroll: true,
            ..Modes::default()
        }
    );
    engine.feed(b"\x1b[?2004;1002;1006;1;1004h\x1b=\x1b[>5u\x1b[>4;1m\x1b[?1049h\x1b[>1u");
    let modes = engine.modes();
    assert!(modes.bracketed_paste && modes.sgr_mouse && modes.app_cursor && modes.app_keypad);
    assert!(modes.alt_screen && modes.focus_events);
    assert_eq!((modes.mouse, modes.modify_other_keys), (MouseMode::Drag, 1));
    assert_eq!(modes.kitty_flags, 1);
    engine.feed(b"\x1b[?1049l");
    assert_eq!(engine.modes().kitty_flags, 5);
}

#[test]
fn closes_the_emulators_gaps() {
    // ED 1 on the second row clears the first.
    assert_eq!(shows(b"one\r\ntwo\x1b[1J\r\nx"), "\n\nx");
    // Tabs leave blanks, and copied text has spaces.
    assert_eq!(shows(b"a\tb"), "a       b");
    // ?47 shows an alternate screen and takes it away again.
    assert_eq!(shows(b"main\x1b[?47h\x1b[2J\x1b[Halt\x1b[?47l!"), "mai!");
    assert_eq!(
        shows(b"main\x1b[?1049h\x1b[2J\x1b[Halt\x1b[?1049l!"),
        "main!"
    );
    // Cursor movement stops at the margins.
    assert_eq!(shows(b"\x1b[2;3r\x1b[3H\x1b[9Ax\x1b[9By"), "\nx\n y");
    // Columns do not move rows in origin mode.
    assert_eq!(shows(b"\x1b[2;3r\x1b[?6h\x1b[4Gx"), "\n   x");
    // Half of a wide character is not left behind.
    assert_eq!(shows("世世\x1b[2G\x1b[Xa".as_bytes()), " a世");
    assert_eq!(shows("a世b\x1b[3G\x1b[K".as_bytes()), "a");
    assert_eq!(shows("世世\x1b[2G\x1b[P".as_bytes()), " 世");
    // Deleting more than there is deletes nothing before the cursor.
    assert_eq!(shows(b"abcdef\x1b[5G\x1b[9P"), "abcd");
    // DECCOLM does not clear.
    assert_eq!(shows(b"kept\x1b[?3h"), "kept");
}

#[test]
fn an_alternate_screen_is_empty_each_time() {
    let mut engine = host(10, 3);
    engine.feed(b"main\x1b[?1049hone\x1b[?1049l\x1b[?1049h");
    assert_eq!(engine.screen_text().trim(), "");
    engine.feed(b"\x1bc");
    assert!(!engine.modes().alt_screen);
}

#[test]
fn answers_queries_once_and_in_order() {
    let version = env!("CARGO_PKG_VERSION");
    assert_eq!(
        replies(b"\x1b[>0q\x1bP$qm\x1b\\\x1bP+q4d73\x1b\\\x1b[?u\x1b[6n\x1b[c"),
        format!(
            "\x1bP>|grove {version}\x1b\\\x1bP0$r\x1b\\\x1bP0+r\x1b\\\x1b[?0u\x1b[1;1R\x1b[?62;22c"
        )
    );
    assert_eq!(
        replies(b"\x1b[?2026$p\x1b[?2026h\x1b[?2026$p"),
        "\x1b[?2026;2$y\x1b[?2026;1$y"
    );
    assert_eq!(
        replies(b"\x1b[?2027$p\x1b[?47$p\x1b[4$p"),
        "\x1b[?2027;0$y\x1b[?47;2$y\x1b[4;2$y"
    );
    assert_eq!(replies(b"\x1b]11;?\x07"), "\x1b]11;rgb:0000/0000/0000\x07");
    assert_eq!(
        replies(b"\x1b]10;#010203\x07\x1b]10;?\x1b\\"),
        "\x1b]10;rgb:0101/0202/0303\x1b\\"
    );
    assert_eq!(
        replies(b"\x1b[18t\x1b[5n\x1b[?996n"),
        "\x1b[8;24;80t\x1b[0n\x1b[?997;1n"
    );
    assert_eq!(replies(b"\x1b[3;5r\x1b[?6h\x1b[2;2H\x1b[6n"), "\x1b[2;2R");
    assert!(replies(b"\x1b[>c").starts_with("\x1b[>1;"));
    let all = b"\x1b[>q\x1b[c\x1b[6n\x1b]11;?\x07\x1bP$qm\x1b\\\x1b[?u\x1b[?2026$p\x1b[18t";
    assert_eq!(mirror(80, 24).feed(all), vec![]);
}

#[test]
fn reports_what_happens_besides_drawing() {
    let mut engine = mirror(80, 24);
    let events = engine.feed(b"\x1b]0;t\x07\x07\x07\x1b]9;n\x07\x1b]7;file:///d\x07\x1b]133;A\x07");
    let note = TermEvent::Notification {
        title: None,
        body: "n".into(),
    };
    assert_eq!(
        events,
        vec![
            TermEvent::Title("t".into()),
            TermEvent::Bell,
            note,
            TermEvent::Cwd("/d".into()),
            TermEvent::Prompt('A', None),
        ]
    );
    assert_eq!(engine.title(), Some("t"));
    assert_eq!(engine.feed(b"\x1b]0;t\x07"), vec![]);
    assert_eq!(engine.feed(b"\x1bc"), vec![TermEvent::Title(String::new())]);
    let copied = engine.feed(b"\x1b]52;c;aGVsbG8=\x1b\\");
    assert_eq!(copied, vec![TermEvent::ClipboardStore("hello".into())]);
}

#[test]
fn a_mirror_holds_an_update_back_until_it_is_whole() {
    let mut engine = mirror(20, 4);
    engine.feed(b"old\x1b[?2026h\r\x1b[Kne");
    assert_eq!(engine.row_text(0), "old");
    assert!(engine.modes().sync_update && engine.sync_deadline().is_some());
    engine.feed(b"w\x1b[?2026");
    assert_eq!(engine.row_text(0), "old");
    engine.feed(b"l");
    assert_eq!(engine.row_text(0), "new");
    assert_eq!(engine.sync_deadline(), None);
}

#[test]
fn an_update_left_open_ends_by_timeout_or_resize() {
    let mut engine = mirror(20, 4);
    engine.feed(b"\x1b[?2026hone");
    engine.stop_sync();
    assert_eq!(engine.row_text(0), "one");
    engine.feed(b"\x1b[?2026h two");
    engine.resize(Size::new(30, 4));
    assert_eq!(engine.row_text(0), "one two");
    engine.feed(b"\x1b[?2026h");
    let deadline = engine.sync_deadline().unwrap();
    engine.feed(b"\x1b[?2026h three");
    assert_eq!(engine.sync_deadline(), Some(deadline));
    engine.sync = Some(Instant::now());
    engine.feed(b"!");
    assert_eq!(engine.row_text(0), "one two three!");
    assert!(!engine.modes().sync_update);
}

#[test]
fn a_host_shows_an_update_as_it_comes_and_answers_within_it() {
    let mut engine = host(20, 4);
    let events = engine.feed(b"\x1b[?2026habc\x1b[6n");
    assert_eq!(events, vec![TermEvent::Reply(b"\x1b[1;4R".to_vec())]);
    assert_eq!(engine.row_text(0), "abc");
}

#[test]
fn scrolls_through_history_while_output_goes_on() {
    let mut engine = host(20, 3);
    for line in 0..10 {
        engine.feed(format!("line {line}\r\n").as_bytes());
    }
    assert_eq!(engine.history_len(), 8);
    assert_eq!(engine.history_text(2), vec!["line 6", "line 7"]);
    engine.set_scroll_offset(3);
    assert_eq!(engine.row_text(0), "line 5");
    assert!(!engine.cursor().visible);
    engine.feed(b"more\r\n");
    assert_eq!(
        (engine.scroll_offset(), engine.row_text(0).as_str()),
        (4, "line 5")
    );
    engine.set_scroll_offset(999);
    assert_eq!(
        (engine.scroll_offset(), engine.row_text(0).as_str()),
        (9, "line 0")
    );
    engine.set_scroll_offset(0);
    assert_eq!(engine.row_text(2), "");
}

#[test]
fn resizing_reflows_the_primary_screen_only() {
    let mut engine = host(10, 3);
    engine.feed(b"0123456789abc");
    engine.resize(Size::new(20, 3));
    assert_eq!(engine.row_text(0), "0123456789abc");
    engine.resize(Size::new(1, 0));
    assert_eq!(engine.size(), Size::new(2, 2));
    engine.resize(Size::new(20, 3));
    assert_eq!(engine.row_text(0), "0123456789abc");
    engine.feed(b"\x1b[?1049h\x1b[Halternate");
    engine.resize(Size::new(5, 3));
    assert_eq!(engine.row_text(0), "alter");
    engine.resize(Size::new(20, 3));
    engine.feed(b"\x1b[?1049l");
    assert_eq!(engine.row_text(0), "0123456789abc");
}

#[test]
fn a_narrower_screen_uses_its_blank_rows_before_scrolling() {
    let mut engine = host(10, 6);
    engine.feed(b"$ command\r\n0123456789abc");
    engine.resize(Size::new(5, 6));
    assert_eq!(engine.screen_text(), "$ com\nmand\n01234\n56789\nabc\n");
    assert_eq!((engine.cursor().row, engine.cursor().col), (4, 3));
    assert_eq!(engine.history_len(), 0);
    engine.resize(Size::new(10, 6));
    assert_eq!(engine.screen_text(), "$ command\n0123456789\nabc\n\n\n");
    assert_eq!((engine.cursor().row, engine.cursor().col), (2, 3));
}

#[test]
fn floods_cost_neither_time_nor_memory() {
    let mut engine = host(80, 24);
    engine.feed(&b"x\x1b[65535b".repeat(2000));
    engine.feed(&b"\x1b[>31u".repeat(10_000));
    engine.feed(&b"\x1b[22t".repeat(10_000));
    engine.feed(format!("\x1b[2J\x1b[Ha{}", "\u{301}".repeat(10_000)).as_bytes());
    assert_eq!(engine.cell(0, 0).unwrap().marks.len(), 16);
    let link = "u".repeat(100_000);
    engine.feed(format!("\x1b]8;;{link}\x07b\x1b]0;{link}\x07").as_bytes());
    assert_eq!(engine.cell(0, 1).unwrap().link, None);
    assert!(engine.title().unwrap().len() < 1000);
}

#[test]
fn a_failing_emulator_costs_one_screen() {
    let mut engine = host(80, 4);
    engine.feed(b"before \x1b[31");
    let events = engine.guarded(|engine| {
        engine.surface.events.push(TermEvent::Bell);
        panic!("as if the emulator failed");
    });
    assert_eq!(events, vec![TermEvent::Bell, TermEvent::EngineReset]);
    assert!(engine.row_text(0).contains("restarted"));
    engine.feed(b"goes on");
    assert_eq!(engine.row_text(1), "goes on");
}

#[test]
fn an_equal_generation_means_an_equal_picture() {
    let mut engine = mirror(20, 3);
    let before = engine.generation();
    engine.set_scroll_offset(0);
    assert_eq!(engine.generation(), before);
    engine.feed(b"x");
    assert_ne!(engine.generation(), before);
}

/// The output of a recorded session.
fn recording(name: &str) -> Vec<u8> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/casts");
    let text = std::fs::read_to_string(folder.join(name)).unwrap();
    let events = text.lines().skip(1).filter_map(|line| {
        let event: (f64, String, String) = serde_json::from_str(line).unwrap();
        (event.1 == "o").then_some(event.2)
    });
    events.collect::<String>().into_bytes()
}

#[test]
fn recorded_agents_look_the_same_to_a_late_mirror() {
    for (name, expected) in [
        ("claude-permission.cast", "Do you want to"),
        ("codex.cast", "OpenAI Codex"),
        ("opencode.cast", "Build"),
    ] {
        let bytes = recording(name);
        let mut original = host(120, 36);
        let mut seen = false;
        for chunk in bytes.chunks(997) {
            let events = original.feed(chunk);
            assert!(!events.contains(&TermEvent::EngineReset));
            seen |= original.screen_text().contains(expected);
            let mut late = host(120, 36);
            late.feed(&original.snapshot());
            assert_eq!(late.screen_text(), original.screen_text(), "{name}");
            assert_eq!(late.cursor(), original.cursor(), "{name}");
            assert_eq!(late.modes(), original.modes(), "{name}");
        }
        assert!(seen, "{name} never showed {expected:?}");
    }
}

/// Text that both terminals ought to understand alike.
fn common_output() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        4 => "[a-z ]{1,12}",
        1 => "[!-~]{20,60}",
        3 => Just("\r\n".to_owned()),
        1 => Just("\r".to_owned()),
        1 => (1_u16..9, 1_u16..21).prop_map(|(row, col)| format!("\x1b[{row};{col}H")),
        1 => (1_u16..5, "[ABCDGKJ]").prop_map(|(n, letter)| match letter.as_str() {
            // Not in the last column, where terminals differ.
            "K" | "J" => format!("\r\x1b[0{letter}"),
            _ => format!("\r\x1b[{n}{letter}"),
        }),
        1 => "[137]".prop_map(|attr| format!("\x1b[{attr}m")),
        1 => (30_u16..38).prop_map(|color| format!("\x1b[{color}m")),
        1 => Just("\x1b[m".to_owned()),
    ];
    prop::collection::vec(piece, 0..50).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn an_independent_terminal_agrees_on_plain_output(output in common_output()) {
        let mut engine = host(20, 8);
        let mut other = vt100::Parser::new(8.try_into().unwrap(), 20.try_into().unwrap(), 100);
        engine.feed(output.as_bytes());
        other.process(output.as_bytes());
        let screen = other.screen();
        for (row, text) in screen.rows(0, 20).enumerate() {
            prop_assert_eq!(engine.row_text(row as u16), text.trim_end());
        }
        for row in 0..8 {
            for col in 0..20 {
                let (ours, theirs) = (engine.cell(row, col).unwrap(), screen.cell(row, col).unwrap());
                if theirs.has_contents() {
                    prop_assert_eq!(ours.attrs.bold, theirs.bold());
                    prop_assert_eq!(ours.attrs.inverse, theirs.inverse());
                    prop_assert_eq!(ours.attrs.italic, theirs.italic());
                    let color = match theirs.fgcolor() {
                        vt100::Color::Default => Color::Default,
                        vt100::Color::Idx(index) => Color::Indexed(index),
                        vt100::Color::Rgb(r, g, b) => Color::Rgb(r, g, b),
                    };
                    prop_assert_eq!(ours.fg, color);
                }
            }
        }
        let (row, col) = screen.cursor_position();
        prop_assert_eq!((engine.cursor().row, engine.cursor().col), (row, col.min(19)));
        let mut copy = vt100::Parser::new(8.try_into().unwrap(), 20.try_into().unwrap(), 100);
        copy.process(&engine.snapshot());
        let text = |screen: &vt100::Screen| -> Vec<String> {
            screen.rows(0, 20).map(|row| row.trim_end().to_owned()).collect()
        };
        let (copy, original) = (text(copy.screen()), text(screen));
        prop_assert_eq!(copy, original);
    }

    #[test]
    fn no_bytes_and_no_resize_make_it_fail(
        slices in prop::collection::vec(
            (prop::collection::vec(any::<u8>(), 0..200), 0_u16..100, 0_u16..50),
            0..8,
        ),
    ) {
        let mut engine = host(80, 24);
        for (bytes, cols, rows) in slices {
            let events = engine.feed(&bytes);
            prop_assert!(!events.contains(&TermEvent::EngineReset));
            engine.resize(Size::new(cols, rows));
            engine.set_scroll_offset(usize::from(rows));
            engine.screen_text();
        }
        prop_assert!(!engine.feed(b"").contains(&TermEvent::EngineReset));
    }

    #[test]
    fn control_functions_in_any_order_make_it_no_less_safe(
        slices in prop::collection::vec(("(\x1b\\[[?>=]?[0-9;:]{0,9}[ -~]|世|\x1b[ -~]|[ -~\r\n\t]){0,40}", 0_u16..30, 0_u16..12), 0..8),
    ) {
        let mut engine = host(20, 5);
        for (text, cols, rows) in slices {
            let events = engine.feed(text.as_bytes());
            prop_assert!(!events.contains(&TermEvent::EngineReset));
            engine.resize(Size::new(cols, rows));
        }
        prop_assert!(!engine.feed(b"").contains(&TermEvent::EngineReset));
    }

    #[test]
    fn slicing_the_output_changes_nothing(
        text in "(\x1b\\[[?]?(2026h|2026l|[0-9;]{0,5}[A-Za-z])|世|\x1b\\][0-9];[a-z]{0,4}\x07|[a-z\r\n]){0,40}",
        cut in 1_usize..9,
    ) {
        let (mut whole, mut sliced) = (host(20, 5), host(20, 5));
        let mut events = whole.feed(text.as_bytes());
        events.retain(|event| *event != TermEvent::Bell);
        let mut parts = Vec::new();
        for slice in text.as_bytes().chunks(cut) {
            parts.extend(sliced.feed(slice));
        }
        parts.retain(|event| *event != TermEvent::Bell);
        prop_assert_eq!(events, parts);
        prop_assert_eq!(whole.snapshot(), sliced.snapshot());
    }

    #[test]
    fn printing_in_bulk_changes_nothing(
        setup in prop::sample::select(vec![
            "", "\x1b[4h", "\x1b(0", "\x0e\x1b)0", "\x1b[?7l", "\x1b[1;42m", "\x1b[2;3r\x1b[?6h",
            "\x1b]8;id=a;http://x\x07", "世世世世世世\r", "\x1b[?1049h",
        ]),
        text in "([ -~]{1,9}|[ -~]{30,90}|\r\n|\n|\t|\x08|世|é|\u{301}){0,30}",
        broken in prop::collection::vec(any::<u8>().prop_filter("plain", |&b| b != 0x1b), 0..4),
        at in any::<prop::sample::Index>(),
    ) {
        let mut bytes = text.into_bytes();
        let at = at.index(bytes.len() + 1);
        bytes.splice(at..at, broken);
        bytes.extend(b"\x1b[3b");
        let (mut bulk, mut single) = (host(20, 5), host(20, 5));
        bulk.feed(setup.as_bytes());
        single.feed(setup.as_bytes());
        bulk.feed(&bytes);
        single.parser.advance(&mut single.surface, &bytes);
        prop_assert_eq!(bulk.snapshot(), single.snapshot());
    }
}
