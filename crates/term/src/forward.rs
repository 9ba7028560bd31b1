//! Carries parsed control functions to the [`Surface`]: most go to alacritty as they are, some
//! are done here because alacritty does them wrongly, not at all, or where we cannot see it.
//!
//! Every answer to a query is made here. No parsing, and no state of its own.

use alacritty_terminal::grid::Dimensions;
use alacritty_terminal::index::Line;
use alacritty_terminal::term::TermMode;
use alacritty_terminal::term::cell::Flags;
use alacritty_terminal::vte::ansi::{
    Attr, CharsetIndex, ClearMode, CursorShape, CursorStyle, Handler, Hyperlink, KeyboardModes,
    KeyboardModesApplyBehavior, LineClearMode, Mode, ModifyOtherKeys, NamedPrivateMode,
    PrivateMode, Rgb, StandardCharset, TabulationClearMode,
};

use super::keyboard::{FlagChange, Keyboard};
use super::notices::TermEvent;
use super::replies;
use super::surface::Surface;
use super::tabs::TabStops;
use super::titles::Titles;

/// Longer link targets are not links (the limit other terminals use).
const LONGEST_URI: usize = 2083;

/// Done differently from alacritty: tabs never put a character into a cell; ED 1 also clears a
/// first row above the cursor; cursor movement respects the scroll region and origin mode; `?47`,
/// `?1047` and `?1048` work; half-erased wide characters vanish whole; DCH stays right of the
/// cursor; stacks are bounded; DECCOLM is ignored, as in a stock xterm.
///
/// Known to remain: line-feed/new-line mode is stored but has no effect; `?47` shows a cleared
/// alternate screen; a cursor in a line that begins in the scrollback may end up below it when
/// the screen grows wider; no grapheme clusters, blink attributes or side margins.
impl Handler for Surface {
    #[inline]
    fn input(&mut self, c: char) {
        if c < '\u{300}' && !self.mode().contains(TermMode::INSERT) {
            self.term.input(c);
        } else {
            self.input_with_care(c);
        }
    }

    fn goto(&mut self, line: i32, col: usize) {
        self.term.goto(line, col);
    }

    fn goto_line(&mut self, line: i32) {
        self.term.goto_line(line);
    }

    fn goto_col(&mut self, col: usize) {
        self.place(self.row(), col);
    }

    fn move_up(&mut self, rows: usize) {
        let row = self.row();
        let top = if row >= self.region.start {
            self.region.start
        } else {
            0
        };
        self.place(row.saturating_sub(rows).max(top), self.col());
    }

    fn move_down(&mut self, rows: usize) {
        let row = self.row();
        let bottom = if row < self.region.end {
            self.region.end
        } else {
            self.term.screen_lines()
        };
        self.place((row + rows).min(bottom - 1), self.col());
    }

    fn move_up_and_cr(&mut self, rows: usize) {
        self.move_up(rows);
        self.place(self.row(), 0);
    }

    fn move_down_and_cr(&mut self, rows: usize) {
        self.move_down(rows);
        self.place(self.row(), 0);
    }

    fn move_forward(&mut self, cols: usize) {
        self.term.move_forward(cols);
    }

    fn move_backward(&mut self, cols: usize) {
        self.term.move_backward(cols);
    }

    fn backspace(&mut self) {
        self.term.backspace();
    }

    fn carriage_return(&mut self) {
        self.term.carriage_return();
    }

    fn linefeed(&mut self) {
        self.term.linefeed();
    }

    fn newline(&mut self) {
        self.term.newline();
    }

    fn reverse_index(&mut self) {
        self.term.reverse_index();
    }

    fn substitute(&mut self) {
        self.term.substitute();
    }

    fn scroll_up(&mut self, rows: usize) {
        self.term.scroll_up(rows);
    }

    fn scroll_down(&mut self, rows: usize) {
        self.term.scroll_down(rows);
    }

    fn insert_blank_lines(&mut self, rows: usize) {
        self.term.insert_blank_lines(rows);
    }

    fn delete_lines(&mut self, rows: usize) {
        self.term.delete_lines(rows);
    }

    fn set_scrolling_region(&mut self, top: usize, bottom: Option<usize>) {
        let rows = self.term.screen_lines();
        let bottom = bottom.unwrap_or(rows).min(rows);
        if top >= bottom {
            return;
        }
        self.region = top.saturating_sub(1)..bottom;
        self.term.set_scrolling_region(top, Some(bottom));
    }

    fn put_tab(&mut self, count: u16) {
        self.move_forward_tabs(count);
    }

    fn move_forward_tabs(&mut self, count: u16) {
        let last = self.term.columns() - 1;
        let mut col = self.col();
        for _ in 0..count {
            if col >= last {
                break;
            }
            col = self.tabs.after(col);
        }
        if col != self.col() {
            self.place(self.row(), col);
        }
    }

    fn move_backward_tabs(&mut self, count: u16) {
        let mut col = self.col();
        for _ in 0..count {
            if col == 0 {
                break;
            }
            col = self.tabs.before(col);
        }
        if col != self.col() {
            self.place(self.row(), col);
        }
    }

    fn set_horizontal_tabstop(&mut self) {
        self.tabs.set(self.col(), true);
    }

    fn clear_tabs(&mut self, mode: TabulationClearMode) {
        match mode {
            TabulationClearMode::Current => self.tabs.set(self.col(), false),
            TabulationClearMode::All => self.tabs.clear(),
        }
    }

    fn set_tabs(&mut self, _interval: u16) {
        self.tabs = TabStops::new(self.term.columns());
    }

    fn insert_blank(&mut self, count: usize) {
        self.term.insert_blank(count);
        let (row, col) = (self.row(), self.col());
        self.mend(row, col);
        self.mend(row, col + count);
        self.mend(row, self.term.columns());
    }

    fn delete_chars(&mut self, count: usize) {
        let (row, col, cols) = (self.row(), self.col(), self.term.columns());
        // The last cell is about to move left, where it no longer ends a wrapped row.
        if let Some(cell) = self.term.grid_mut()[Line(row as i32)][..].last_mut() {
            cell.flags
                .remove(Flags::WRAPLINE | Flags::LEADING_WIDE_CHAR_SPACER);
        }
        self.term.delete_chars(count.min(cols - col));
        self.mend(row, col);
        self.mend(row, cols.saturating_sub(count).max(col));
        self.mend(row, cols);
    }

    fn erase_chars(&mut self, count: usize) {
        self.term.erase_chars(count);
        let (row, col) = (self.row(), self.col());
        self.mend(row, col);
        self.mend(row, (col + count).min(self.term.columns()));
    }

    fn clear_line(&mut self, mode: LineClearMode) {
        let (row, col) = (self.row(), self.col());
        let boundary = match mode {
            LineClearMode::Right => col,
            LineClearMode::Left => col + 1,
            LineClearMode::All => 0,
        };
        self.term.clear_line(mode);
        self.mend(row, boundary);
    }

    fn clear_screen(&mut self, mode: ClearMode) {
        let (row, col) = (self.row(), self.col());
        let boundary = match mode {
            ClearMode::Above => {
                // alacritty only does this from the third row down.
                if row == 1 {
                    self.term.grid_mut().reset_region(Line(0)..Line(1));
                }
                col + 1
            }
            ClearMode::Below => col,
            ClearMode::All | ClearMode::Saved => 0,
        };
        self.term.clear_screen(mode);
        if boundary > 0 {
            self.mend(row, boundary);
        }
    }

    fn decaln(&mut self) {
        self.term.decaln();
    }

    fn save_cursor_position(&mut self) {
        self.term.save_cursor_position();
    }

    fn restore_cursor_position(&mut self) {
        self.term.restore_cursor_position();
    }

    fn reset_state(&mut self) {
        self.leave_alternate();
        self.term.reset_state();
        self.region = 0..self.term.screen_lines();
        self.charset = CharsetIndex::default();
        self.tabs = TabStops::new(self.term.columns());
        self.keyboard = Keyboard::default();
        let had_title = self.titles.current().is_some();
        self.titles = Titles::default();
        self.announce_title(had_title);
    }

    fn terminal_attribute(&mut self, attr: Attr) {
        self.term.terminal_attribute(attr);
    }

    fn set_hyperlink(&mut self, link: Option<Hyperlink>) {
        let link = link.filter(|link| {
            let id = link.id.as_deref().unwrap_or_default();
            link.uri.len() <= LONGEST_URI
                && id.len() <= LONGEST_URI
                && !link.uri.contains(char::is_control)
                && !id.contains(char::is_control)
        });
        self.term.set_hyperlink(link);
    }

    fn configure_charset(&mut self, index: CharsetIndex, charset: StandardCharset) {
        self.term.configure_charset(index, charset);
    }

    fn set_active_charset(&mut self, index: CharsetIndex) {
        self.charset = index;
        self.term.set_active_charset(index);
    }

    fn set_mode(&mut self, mode: Mode) {
        self.term.set_mode(mode);
    }

    fn unset_mode(&mut self, mode: Mode) {
        self.term.unset_mode(mode);
    }

    fn set_private_mode(&mut self, mode: PrivateMode) {
        match mode {
            PrivateMode::Named(NamedPrivateMode::SwapScreenAndSetRestoreCursor)
            | PrivateMode::Unknown(47 | 1047) => self.enter_alternate(),
            PrivateMode::Unknown(1048) => self.save_cursor_position(),
            PrivateMode::Named(NamedPrivateMode::SyncUpdate) => self.sync = true,
            PrivateMode::Named(NamedPrivateMode::ColumnMode) => {}
            PrivateMode::Named(_) | PrivateMode::Unknown(_) => self.term.set_private_mode(mode),
        }
    }

    fn unset_private_mode(&mut self, mode: PrivateMode) {
        match mode {
            PrivateMode::Named(NamedPrivateMode::SwapScreenAndSetRestoreCursor) => {
                self.leave_alternate();
            }
            PrivateMode::Unknown(47 | 1047) if self.is_alternate() => {
                // These leave the cursor where it is; only 1049 takes it back.
                let (row, col) = (self.row(), self.col());
                self.leave_alternate();
                self.place(row, col);
            }
            PrivateMode::Unknown(1048) => self.restore_cursor_position(),
            PrivateMode::Named(NamedPrivateMode::SyncUpdate) => self.sync = false,
            PrivateMode::Named(NamedPrivateMode::ColumnMode) => {}
            PrivateMode::Named(_) | PrivateMode::Unknown(_) => self.term.unset_private_mode(mode),
        }
    }

    fn set_keypad_application_mode(&mut self) {
        self.term.set_keypad_application_mode();
    }

    fn unset_keypad_application_mode(&mut self) {
        self.term.unset_keypad_application_mode();
    }

    fn set_cursor_style(&mut self, style: Option<CursorStyle>) {
        self.term.set_cursor_style(style);
    }

    fn set_cursor_shape(&mut self, shape: CursorShape) {
        self.term.set_cursor_shape(shape);
    }

    fn set_color(&mut self, index: usize, color: Rgb) {
        self.term.set_color(index, color);
    }

    fn reset_color(&mut self, index: usize) {
        self.term.reset_color(index);
    }

    fn set_title(&mut self, title: Option<String>) {
        let changed = self.titles.set(title.as_deref());
        self.announce_title(changed);
    }

    fn push_title(&mut self) {
        self.titles.push();
    }

    fn pop_title(&mut self) {
        let changed = self.titles.pop();
        self.announce_title(changed);
    }

    fn bell(&mut self) {
        // A flood of bells is one bell.
        if self.events.last() != Some(&TermEvent::Bell) {
            self.events.push(TermEvent::Bell);
        }
    }

    fn push_keyboard_mode(&mut self, mode: KeyboardModes) {
        let alternate = self.is_alternate();
        self.keyboard.stack_mut(alternate).push(mode.bits());
    }

    fn pop_keyboard_modes(&mut self, count: u16) {
        let alternate = self.is_alternate();
        self.keyboard.stack_mut(alternate).pop(count);
    }

    fn set_keyboard_mode(&mut self, mode: KeyboardModes, behavior: KeyboardModesApplyBehavior) {
        let change = match behavior {
            KeyboardModesApplyBehavior::Replace => FlagChange::Replace,
            KeyboardModesApplyBehavior::Union => FlagChange::Add,
            KeyboardModesApplyBehavior::Difference => FlagChange::Remove,
        };
        let alternate = self.is_alternate();
        self.keyboard
            .stack_mut(alternate)
            .change(mode.bits(), change);
    }

    fn set_modify_other_keys(&mut self, mode: ModifyOtherKeys) {
        self.keyboard.modify_other_keys = match mode {
            ModifyOtherKeys::Reset => 0,
            ModifyOtherKeys::EnableExceptWellDefined => 1,
            ModifyOtherKeys::EnableAll => 2,
        };
    }

    fn identify_terminal(&mut self, intermediate: Option<char>) {
        match intermediate {
            None => self.reply(replies::primary_attributes()),
            Some('>') => self.reply(replies::secondary_attributes()),
            Some('=') => self.reply(replies::tertiary_attributes()),
            Some(_) => {}
        }
    }

    fn device_status(&mut self, kind: usize) {
        match kind {
            5 => self.reply(replies::status_ok()),
            6 => {
                let origin = if self.mode().contains(TermMode::ORIGIN) {
                    self.region.start
                } else {
                    0
                };
                let row = self.row().saturating_sub(origin) + 1;
                self.reply(replies::cursor_position(row, self.col() + 1));
            }
            _ => {}
        }
    }

    fn report_mode(&mut self, mode: Mode) {
        self.reply(replies::ansi_mode(mode, self.mode()));
    }

    fn report_private_mode(&mut self, mode: PrivateMode) {
        let blinking = self.term.cursor_style().blinking;
        self.reply(replies::private_mode(
            mode,
            self.mode(),
            blinking,
            self.sync,
        ));
    }

    fn report_keyboard_mode(&mut self) {
        let flags = self.keyboard.stack(self.is_alternate()).current();
        self.reply(replies::keyboard_flags(flags));
    }

    fn report_modify_other_keys(&mut self) {
        self.reply(replies::modify_other_keys(self.keyboard.modify_other_keys));
    }

    fn dynamic_color_sequence(&mut self, prefix: String, index: usize, terminator: &str) {
        let set = self.term.colors()[index];
        self.reply(replies::color(&prefix, index, set, terminator));
    }

    fn text_area_size_pixels(&mut self) {
        self.reply(replies::text_area(self.size(), true));
    }

    fn text_area_size_chars(&mut self) {
        self.reply(replies::text_area(self.size(), false));
    }
}
