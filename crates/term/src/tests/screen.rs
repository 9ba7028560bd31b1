//! What a pane draws, cell by cell, and which part of a larger screen it shows.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::widgets::Widget;
use tui_term::widget::PseudoTerminal;

use super::super::EngineOptions;
use super::*;

fn engine(cols: u16, rows: u16, text: &str) -> Engine {
    let mut engine = Engine::new(EngineOptions {
        size: Size::new(cols, rows),
        ..EngineOptions::default()
    });
    engine.feed(text.as_bytes());
    engine
}

fn drawn(engine: &Engine, viewport: Viewport, cols: u16, rows: u16) -> Buffer {
    let area = Rect::new(0, 0, cols, rows);
    let mut buffer = Buffer::empty(area);
    let view = ScreenView::new(engine, viewport, Size::new(cols, rows));
    PseudoTerminal::new(&view).render(area, &mut buffer);
    buffer
}

fn row(buffer: &Buffer, y: u16) -> String {
    (0..buffer.area.width)
        .map(|x| buffer[(x, y)].symbol())
        .collect()
}

#[test]
fn draws_text_with_its_colours_and_attributes() {
    let engine = engine(
        10,
        2,
        "\x1b[1;3;4:3;38;2;1;2;3;48;5;7;58;5;9mx\x1b[m y\x1b[?25l",
    );
    let buffer = drawn(&engine, Viewport::default(), 10, 2);
    let cell = &buffer[(0, 0)];
    assert_eq!(cell.symbol(), "x");
    assert_eq!(
        (cell.fg, cell.bg),
        (DrawColor::Rgb(1, 2, 3), DrawColor::Indexed(7))
    );
    assert_eq!(cell.underline_color, DrawColor::Indexed(9));
    assert_eq!(
        cell.modifier,
        Modifier::BOLD | Modifier::ITALIC | Modifier::UNDERLINED
    );
    assert_eq!(row(&buffer, 0), "x y       ");
    assert_eq!(buffer[(2, 0)].modifier, Modifier::empty());
}

#[test]
fn wide_characters_keep_the_columns_after_them_in_place() {
    let engine = engine(10, 1, "世a❤\u{fe0f}b👩\u{200d}c\x1b[?25l");
    let buffer = drawn(&engine, Viewport::default(), 10, 1);
    // The heart is one column for the emulator; with its variation selector it would take two.
    let symbols: Vec<&str> = (0..8).map(|x| buffer[(x, 0)].symbol()).collect();
    assert_eq!(symbols, ["世", " ", "a", "❤", "b", "👩\u{200d}", " ", "c"]);
    let cut = drawn(&engine, Viewport { top: 0, left: 1 }, 5, 1);
    assert_eq!(row(&cut, 0), " a❤b ");
}

#[test]
fn marks_that_could_disturb_the_user_s_terminal_are_not_drawn() {
    let engine = engine(10, 1, "a\u{202e}e\u{301}\x1b[?25l");
    let buffer = drawn(&engine, Viewport::default(), 10, 1);
    assert_eq!(buffer[(0, 0)].symbol(), "a");
    assert_eq!(buffer[(1, 0)].symbol(), "e\u{301}");
}

#[test]
fn the_cursor_is_drawn_only_where_it_is() {
    let mut engine = engine(10, 4, "ab");
    let at =
        |engine: &Engine, viewport| ScreenView::new(engine, viewport, Size::new(5, 2)).cursor();
    assert_eq!(at(&engine, Viewport::default()), Some((0, 2)));
    assert_eq!(at(&engine, Viewport { top: 0, left: 1 }), Some((0, 1)));
    assert_eq!(at(&engine, Viewport { top: 2, left: 0 }), None);
    engine.feed(b"\x1b[?25l");
    assert_eq!(at(&engine, Viewport::default()), None);
}

#[test]
fn a_small_slot_shows_the_used_part_around_the_cursor() {
    let slot = Size::new(40, 5);
    let of = |text: &str| viewport_for(&engine(80, 18, text), slot);
    let at = |top, left| Viewport { top, left };
    assert_eq!(of("short"), at(0, 0));
    assert_eq!(at(3, 20).to_screen(1, 2), (4, 22));
    assert_eq!(of("1\r\n2\r\n3\r\n4\r\n5\r\n6\r\n7"), at(2, 0));
    // A status line below the prompt stays in view with it.
    assert_eq!(of("\x1b[17Hprompt\x1b[18Hstatus\x1b[17H"), at(13, 0));
    assert_eq!(of("\x1b[18Hbottom\x1b[3H"), at(2, 0));
    assert_eq!(of("\x1b[1;41H"), at(0, 20));
    assert_eq!(of("\x1b[1;60H"), at(0, 20));
    assert_eq!(of("\x1b[1;61H"), at(0, 40));
    assert_eq!(
        viewport_for(&engine(80, 18, "\x1b[18;80H"), Size::new(100, 50)),
        at(0, 0)
    );
}

#[test]
fn scrolling_back_in_a_small_slot_reaches_the_oldest_line() {
    let lines: String = (0..100).map(|line| format!("line {line}\r\n")).collect();
    let mut engine = engine(80, 18, &lines);
    let slot = Size::new(80, 5);
    engine.set_scroll_offset(usize::MAX);
    let top = viewport_for(&engine, slot).top;
    assert_eq!(engine.row_text(top), "line 0");
    engine.set_scroll_offset(1);
    let top = viewport_for(&engine, slot).top;
    assert_eq!(engine.row_text(top + 4), "line 99");
}
