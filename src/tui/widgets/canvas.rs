//! Where everything is drawn: a buffer that cleans, fits and clips.
//!
//! All text goes through `put`, so nothing untrusted reaches the terminal raw and no row is ever
//! longer than its area, whatever the caller got wrong.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::style::Style;

use crate::tui::glyphs::Glyphs;
use crate::tui::hit::{Hits, Target};
use crate::tui::label;
use crate::tui::look::Look;
use crate::tui::theme::Token;

/// What a finished frame leaves behind for the loop.
#[derive(Debug, Default)]
pub(crate) struct Drawn {
    pub hits: Hits,
    pub cursor: Option<Position>,
    /// When a label on screen will read differently without anything having happened.
    pub stale_at_ms: Option<i64>,
}

/// A frame in the making.
pub(crate) struct Canvas<'a> {
    pub buf: &'a mut Buffer,
    pub look: &'a Look,
    pub now_ms: i64,
    pub utc_offset_s: i32,
    pub drawn: Drawn,
}

impl<'a> Canvas<'a> {
    /// Starts a frame.
    pub(crate) fn new(buf: &'a mut Buffer, look: &'a Look, now_ms: i64, utc_offset_s: i32) -> Self {
        Self {
            buf,
            look,
            now_ms,
            utc_offset_s,
            drawn: Drawn::default(),
        }
    }

    /// Gives the glyphs in use.
    pub(crate) fn g(&self) -> &'static Glyphs {
        self.look.glyphs
    }

    /// Gives the style of a token.
    pub(crate) fn style(&self, token: Token) -> Style {
        self.look.style(token)
    }

    /// Writes text from `x`, at most `max` columns; returns the column after it.
    pub(crate) fn put(&mut self, x: u16, y: u16, max: u16, text: &str, style: Style) -> u16 {
        let area = *self.buf.area();
        if y < area.top() || y >= area.bottom() || x < area.left() || x >= area.right() {
            return x;
        }
        let room = max.min(area.right() - x);
        let text = label::clean(text);
        let text = label::fit(&text, usize::from(room), self.g().ellipsis);
        self.buf
            .set_stringn(x, y, &text, usize::from(room), style)
            .0
    }

    /// Writes text in a token's style.
    pub(crate) fn say(&mut self, x: u16, y: u16, max: u16, text: &str, token: Token) -> u16 {
        let style = self.style(token);
        self.put(x, y, max, text, style)
    }

    /// Writes text that ends before column `end`; returns where it starts.
    pub(crate) fn put_right(
        &mut self,
        end: u16,
        y: u16,
        max: u16,
        text: &str,
        style: Style,
    ) -> u16 {
        let width = label::width(&label::clean(text)).min(usize::from(max)) as u16;
        let x = end.saturating_sub(width);
        self.put(x, y, width, text, style);
        x
    }

    /// Writes several pieces one after the other into one row.
    pub(crate) fn pieces(&mut self, x: u16, y: u16, max: u16, pieces: &[(&str, Style)]) -> u16 {
        let end = x.saturating_add(max);
        let mut at = x;
        for (text, style) in pieces {
            at = self.put(at, y, end.saturating_sub(at), text, *style);
        }
        at
    }

    /// Empties an area and gives it a style.
    pub(crate) fn clear(&mut self, area: Rect, style: Style) {
        let area = area.intersection(*self.buf.area());
        for y in area.top()..area.bottom() {
            for x in area.left()..area.right() {
                if let Some(cell) = self.buf.cell_mut((x, y)) {
                    cell.reset();
                    cell.set_style(style);
                }
            }
        }
    }

    /// Adds a style to an area without touching its text.
    pub(crate) fn tint(&mut self, area: Rect, token: Token) {
        let style = self.style(token);
        self.buf.set_style(area, style);
    }

    /// Draws a horizontal rule.
    pub(crate) fn rule(&mut self, x: u16, y: u16, width: u16) {
        let line = self.g().plain.horizontal.repeat(usize::from(width));
        self.say(x, y, width, &line, Token::Border);
    }

    /// Draws a bar of `width` cells, `percent` of it full.
    pub(crate) fn gauge(&mut self, x: u16, y: u16, width: u16, percent: u32, token: Token) -> u16 {
        let full = (u32::from(width) * percent.min(100)).div_ceil(100) as usize;
        let (on, off) = (self.g().gauge_full, self.g().gauge_track);
        let x = self.say(x, y, width, &on.repeat(full), token);
        let rest = usize::from(width).saturating_sub(full);
        self.say(x, y, rest as u16, &off.repeat(rest), Token::GaugeTrack)
    }

    /// Makes an area clickable.
    pub(crate) fn hit(&mut self, area: Rect, target: Target) {
        self.drawn.hits.add(area, target);
    }

    /// Formats an age that changes with the minute.
    pub(crate) fn age(&mut self, since_ms: i64) -> String {
        self.minute();
        label::age(self.now_ms, since_ms)
    }

    /// Formats an age that changes with the second while it is young.
    pub(crate) fn precise_age(&mut self, since_ms: i64) -> String {
        let age = self.now_ms.saturating_sub(since_ms);
        if age < 120_000 {
            self.stale_after(1_000 - age.rem_euclid(1_000));
        } else {
            self.minute();
        }
        label::precise_age(self.now_ms, since_ms)
    }

    /// Formats how long something has been going on, to the second.
    pub(crate) fn elapsed(&mut self, since_ms: i64) -> String {
        let passed = self.now_ms.saturating_sub(since_ms);
        self.stale_after(1_000 - passed.rem_euclid(1_000));
        label::elapsed(passed)
    }

    /// Formats the time of day.
    pub(crate) fn clock(&mut self) -> String {
        self.minute();
        label::clock(self.now_ms, self.utc_offset_s)
    }

    /// Formats a time of day in the past.
    pub(crate) fn time(&self, at_ms: i64) -> String {
        label::clock(at_ms, self.utc_offset_s)
    }

    fn minute(&mut self) {
        self.stale_after(60_000 - self.now_ms.rem_euclid(60_000));
    }

    fn stale_after(&mut self, ms: i64) {
        let at = self.now_ms + ms;
        let earliest = self.drawn.stale_at_ms.map_or(at, |old| old.min(at));
        self.drawn.stale_at_ms = Some(earliest);
    }
}
