//! The terminal engine: bytes in, screen and events out.
//!
//! Used twice per agent: by the host, which keeps the true screen and answers queries, and by the
//! interface, which mirrors it. Whatever the bytes are, [`Engine::feed`] returns; if the emulator
//! itself fails, its screen starts anew with a notice.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use alacritty_terminal::grid::{Dimensions, Scroll};
use alacritty_terminal::index::Line;
use alacritty_terminal::term::TermMode;
use alacritty_terminal::term::cell::{Cell as GridCell, Flags};
use alacritty_terminal::vte::ansi::{CursorShape as GridShape, Handler, Processor, Timeout};

use super::cells::{self, Cell, Cursor, CursorShape, Modes, MouseMode};
use super::notices::{Notices, TermEvent};
use super::plain::{self, Piece};
use super::replies;
use super::scanner::{CAN, Found, Scanner};
use super::size::Size;
use super::snapshot;
use super::surface::Surface;

/// A synchronized update that is not closed within this time is closed by the caller.
pub const SYNC_TIMEOUT: Duration = Duration::from_millis(150);
/// A mirror holds back at most this much of a synchronized update.
const MOST_HELD: usize = 2 << 20;
const RESTART_NOTICE: &[u8] =
    b"\x1b[7m the terminal view failed on this output and was restarted \x1b[m\r\n";

/// How an engine is made.
#[derive(Clone, Copy, Debug)]
pub struct EngineOptions {
    /// Its first size; clamped.
    pub size: Size,
    /// Lines of scrollback kept.
    pub history: usize,
    /// Whether this engine answers queries. Exactly one engine per agent does: the host's. One
    /// that does not is a mirror for drawing and holds back unfinished synchronized updates.
    pub answer_queries: bool,
}

impl Default for EngineOptions {
    fn default() -> Self {
        Self {
            size: Size::default(),
            history: 500,
            answer_queries: false,
        }
    }
}

/// Synchronized updates are handled here, not in the parser, where a snapshot could not see them.
#[derive(Default)]
struct NoSync;

impl Timeout for NoSync {
    fn set_timeout(&mut self, _: Duration) {}
    fn clear_timeout(&mut self) {}
    fn pending_timeout(&self) -> bool {
        false
    }
}

/// A terminal.
pub struct Engine {
    pub(super) surface: Surface,
    parser: Processor<NoSync>,
    pub(super) scanner: Scanner,
    notices: Notices,
    history: usize,
    /// When the synchronized update under way ends at the latest.
    sync: Option<Instant>,
    /// What it has brought so far, in a mirror.
    held: Vec<u8>,
    generation: u64,
}

impl Engine {
    /// Makes an empty terminal.
    pub fn new(options: EngineOptions) -> Self {
        let size = options.size.clamped();
        Self {
            surface: Surface::new(size, options.history, options.answer_queries),
            parser: Processor::new(),
            scanner: Scanner::default(),
            notices: Notices::default(),
            history: options.history,
            sync: None,
            held: Vec::new(),
            generation: 0,
        }
    }

    /// Takes the agent's output and returns what happened besides drawing, in order.
    pub fn feed(&mut self, bytes: &[u8]) -> Vec<TermEvent> {
        self.guarded(|engine| {
            if engine
                .sync
                .is_some_and(|deadline| deadline <= Instant::now())
            {
                engine.end_sync();
            }
            engine.take(bytes);
        })
    }

    /// Changes the size; content is reflowed on the primary screen.
    pub fn resize(&mut self, size: Size) {
        let events = self.guarded(|engine| {
            engine.end_sync();
            engine.surface.resize(size.clamped());
        });
        // Whatever a held-back update had to report is delivered with the next input.
        self.surface.events.splice(0..0, events);
    }

    /// The size in force.
    pub fn size(&self) -> Size {
        self.surface.size()
    }

    /// Bytes that reproduce this terminal in a fresh one of the same size: scrollback, both
    /// screens, cursor, modes, and whatever sequence is still incomplete.
    pub fn snapshot(&self) -> Vec<u8> {
        let mut out = snapshot::write(&self.surface);
        if self.sync.is_some() {
            out.extend(b"\x1b[?2026h");
        }
        if self.is_holding() {
            // The incomplete sequence is part of what is held.
            out.extend(&self.held);
        } else {
            out.extend(self.scanner.pending());
        }
        out
    }

    /// Counts up whenever the picture may have changed; equal numbers mean an equal picture.
    pub fn generation(&self) -> u64 {
        self.generation
    }

    /// The text of a row as shown, without trailing blanks.
    pub fn row_text(&self, row: u16) -> String {
        let mut text = String::new();
        if let Some(cells) = self.shown_row(row) {
            cells::push_row_text(cells, &mut text);
        }
        text
    }

    /// Whether a row as shown goes on in the next one, as copied text should.
    pub fn is_wrapped(&self, row: u16) -> bool {
        self.shown_row(row)
            .and_then(<[GridCell]>::last)
            .is_some_and(|cell| cell.flags.contains(Flags::WRAPLINE))
    }

    /// The text of the screen as shown, one line per row.
    pub fn screen_text(&self) -> String {
        let rows: Vec<String> = (0..self.size().rows)
            .map(|row| self.row_text(row))
            .collect();
        rows.join("\n")
    }

    /// The newest `max_lines` lines of scrollback, oldest first.
    pub fn history_text(&self, max_lines: usize) -> Vec<String> {
        let grid = self.surface.term.grid();
        let count = max_lines.min(grid.history_size()) as i32;
        (-count..0)
            .map(|line| {
                let mut text = String::new();
                cells::push_row_text(&grid[Line(line)][..], &mut text);
                text
            })
            .collect()
    }

    /// A cell as shown.
    pub fn cell(&self, row: u16, col: u16) -> Option<Cell> {
        self.shown_row(row)?.get(usize::from(col)).map(cells::cell)
    }

    /// The cursor as shown; out of sight and invisible while scrolled far enough back.
    pub fn cursor(&self) -> Cursor {
        let row = self.surface.row() + self.scroll_offset();
        let style = self.surface.term.cursor_style();
        let shown = self.surface.mode().contains(TermMode::SHOW_CURSOR);
        Cursor {
            row: row as u16,
            col: self.surface.col() as u16,
            visible: shown && row < usize::from(self.size().rows),
            shape: match style.shape {
                GridShape::Underline => CursorShape::Underline,
                GridShape::Beam => CursorShape::Bar,
                GridShape::Block | GridShape::HollowBlock | GridShape::Hidden => CursorShape::Block,
            },
            blinking: style.blinking,
        }
    }

    /// What the agent asked of the terminal.
    pub fn modes(&self) -> Modes {
        let mode = self.surface.mode();
        let alt_screen = self.surface.is_alternate();
        let keyboard = &self.surface.keyboard;
        Modes {
            bracketed_paste: mode.contains(TermMode::BRACKETED_PASTE),
            mouse: if mode.contains(TermMode::MOUSE_MOTION) {
                MouseMode::Motion
            } else if mode.contains(TermMode::MOUSE_DRAG) {
                MouseMode::Drag
            } else if mode.contains(TermMode::MOUSE_REPORT_CLICK) {
                MouseMode::Click
            } else {
                MouseMode::None
            },
            sgr_mouse: mode.contains(TermMode::SGR_MOUSE),
            alternate_scroll: mode.contains(TermMode::ALTERNATE_SCROLL),
            app_cursor: mode.contains(TermMode::APP_CURSOR),
            app_keypad: mode.contains(TermMode::APP_KEYPAD),
            alt_screen,
            focus_events: mode.contains(TermMode::FOCUS_IN_OUT),
            kitty_flags: keyboard.stack(alt_screen).current(),
            modify_other_keys: keyboard.modify_other_keys,
            sync_update: self.sync.is_some(),
        }
    }

    /// How many lines the view is scrolled back.
    pub fn scroll_offset(&self) -> usize {
        self.surface.term.grid().display_offset()
    }

    /// Scrolls the view back by `lines` from the newest, as far as there is history.
    pub fn set_scroll_offset(&mut self, lines: usize) {
        let grid = self.surface.term.grid_mut();
        let wanted = lines.min(grid.history_size()) as i32;
        let delta = wanted - grid.display_offset() as i32;
        if delta != 0 {
            grid.scroll_display(Scroll::Delta(delta));
            self.generation += 1;
        }
    }

    /// How many lines of scrollback there are; none on the alternate screen.
    pub fn history_len(&self) -> usize {
        self.surface.term.grid().history_size()
    }

    /// The title the agent set.
    pub fn title(&self) -> Option<&str> {
        self.surface.titles.current()
    }

    /// When a synchronized update under way must be closed with [`Engine::stop_sync`].
    pub fn sync_deadline(&self) -> Option<Instant> {
        self.sync
    }

    /// Closes a synchronized update: what it brought so far is shown.
    pub fn stop_sync(&mut self) {
        let events = self.guarded(Self::end_sync);
        self.surface.events.splice(0..0, events);
    }

    pub(super) fn shown_row(&self, row: u16) -> Option<&[GridCell]> {
        let grid = self.surface.term.grid();
        if usize::from(row) >= grid.screen_lines() {
            return None;
        }
        let line = i32::from(row) - grid.display_offset() as i32;
        Some(&grid[Line(line)][..])
    }

    /// Runs `work` so that a failure of the emulator costs this screen only.
    fn guarded(&mut self, work: impl FnOnce(&mut Self)) -> Vec<TermEvent> {
        self.generation += 1;
        if catch_unwind(AssertUnwindSafe(|| work(self))).is_err() {
            self.restart();
        }
        std::mem::take(&mut self.surface.events)
    }

    fn restart(&mut self) {
        let size = self.surface.size().clamped();
        let answers = self.surface.answers;
        let mut events = std::mem::take(&mut self.surface.events);
        events.push(TermEvent::EngineReset);
        self.surface = Surface::new(size, self.history, answers);
        self.surface.events = events;
        self.parser = Processor::new();
        self.scanner = Scanner::default();
        self.notices = Notices::default();
        self.sync = None;
        self.held = Vec::new();
        self.parser.advance(&mut self.surface, RESTART_NOTICE);
    }

    fn take(&mut self, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            let plain = self.scanner.plain_length(bytes);
            if plain >= plain::LONG && !self.is_holding() {
                let (text, rest) = bytes.split_at(plain);
                self.scanner.scan(text);
                self.print_plain(text);
                bytes = rest;
                continue;
            }
            let step = self.scanner.scan(bytes);
            let pass = bytes
                .get(step.skip..step.skip + step.pass)
                .unwrap_or_default();
            self.apply(pass);
            if let Some(found) = step.found {
                self.handle(found);
            }
            bytes = bytes.get(step.taken..).unwrap_or_default();
        }
    }

    /// Shows text without any sequence in it.
    fn print_plain(&mut self, text: &[u8]) {
        let (mut bulk, rest) = text.split_at(plain::last_text(text));
        while let Some((piece, later)) = plain::split(bulk) {
            match piece {
                Piece::Text(text) => self.surface.print_text(text),
                Piece::Return => self.surface.carriage_return(),
                Piece::LineFeed => self.surface.linefeed(),
                Piece::Other(bytes) => self.parser.advance(&mut self.surface, bytes),
            }
            bulk = later;
        }
        self.parser.advance(&mut self.surface, rest);
    }

    fn is_holding(&self) -> bool {
        self.sync.is_some() && !self.surface.answers
    }

    /// Hands bytes to the emulator, or keeps them until the update they belong to is whole.
    fn apply(&mut self, bytes: &[u8]) {
        if !self.is_holding() {
            self.parser.advance(&mut self.surface, bytes);
            return;
        }
        self.held.extend_from_slice(bytes);
        if self.held.len() > MOST_HELD {
            self.release_held();
        }
    }

    fn release_held(&mut self) {
        let held = std::mem::take(&mut self.held);
        self.parser.advance(&mut self.surface, &held);
    }

    fn end_sync(&mut self) {
        self.release_held();
        self.sync = None;
        self.surface.sync = false;
    }

    fn handle(&mut self, found: Found) {
        match found {
            Found::SyncBegin => {
                // Not extended by repeats: a program cannot freeze its pane.
                self.sync
                    .get_or_insert_with(|| Instant::now() + SYNC_TIMEOUT);
            }
            Found::SyncEnd => self.end_sync(),
            Found::VersionQuery => self.surface.reply(replies::version()),
            Found::ColorSchemeQuery => self.surface.reply(replies::color_scheme()),
            Found::DcsQuery(query) => {
                if let Some(reply) = replies::string_query(&query) {
                    self.surface.reply(reply);
                }
            }
            Found::Osc(osc) => self.surface.events.extend(self.notices.read(&osc)),
            Found::LargeRepeat(count) => {
                let size = self.surface.size();
                let cells = u32::from(size.cols) * u32::from(size.rows);
                let count = u32::from(count).min(cells);
                self.apply(&[CAN]);
                self.apply(format!("\x1b[{count}b").as_bytes());
            }
            Found::Overlong => self.apply(&[CAN]),
        }
    }
}

#[cfg(test)]
#[path = "tests/engine.rs"]
mod tests;
