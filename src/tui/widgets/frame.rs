//! Frames with a title, a note on the right and a note at the bottom.
//!
//! The kind of line says what the frame is, colour only repeats it: plain, focused (thick),
//! has the keyboard (double).

use ratatui::layout::Rect;
use ratatui::style::Style;

use super::Canvas;
use crate::tui::label;
use crate::tui::theme::Token;

/// What a frame says about its content.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum FrameKind {
    #[default]
    Plain,
    Focused,
    Keyboard,
}

/// A frame to be drawn.
#[derive(Debug, Clone, Default)]
pub(crate) struct Frame {
    pub kind: FrameKind,
    pub title: Vec<(String, Option<Token>)>,
    pub right: String,
    pub bottom: String,
}

impl Frame {
    /// Makes a plain frame with a title.
    pub(crate) fn titled(title: &str) -> Self {
        Self {
            title: vec![(title.to_owned(), None)],
            ..Self::default()
        }
    }

    /// Sets the kind.
    pub(crate) fn kind(mut self, kind: FrameKind) -> Self {
        self.kind = kind;
        self
    }

    /// Sets the note on the right of the top line.
    pub(crate) fn right(mut self, text: impl Into<String>) -> Self {
        self.right = text.into();
        self
    }

    /// Sets the note in the bottom line.
    pub(crate) fn bottom(mut self, text: impl Into<String>) -> Self {
        self.bottom = text.into();
        self
    }

    /// Draws the frame and returns the area inside it.
    pub(crate) fn draw(&self, canvas: &mut Canvas<'_>, area: Rect) -> Rect {
        if area.width < 2 || area.height < 2 {
            return Rect::new(area.x, area.y, 0, 0);
        }
        let (glyphs, token) = match self.kind {
            FrameKind::Plain => (canvas.g().plain, Token::Border),
            FrameKind::Focused => (canvas.g().thick, Token::BorderFocus),
            FrameKind::Keyboard => (canvas.g().double, Token::BorderTyping),
        };
        let style = canvas.style(token);
        let inner_width = area.width - 2;
        let line = glyphs.horizontal.repeat(usize::from(inner_width));
        let (right, bottom) = (area.right() - 1, area.bottom() - 1);
        canvas.put(area.x, area.y, 1, glyphs.top_left, style);
        canvas.put(area.x + 1, area.y, inner_width, &line, style);
        canvas.put(right, area.y, 1, glyphs.top_right, style);
        canvas.put(area.x, bottom, 1, glyphs.bottom_left, style);
        canvas.put(area.x + 1, bottom, inner_width, &line, style);
        canvas.put(right, bottom, 1, glyphs.bottom_right, style);
        for y in area.y + 1..bottom {
            canvas.put(area.x, y, 1, glyphs.vertical, style);
            canvas.put(right, y, 1, glyphs.vertical, style);
        }
        self.draw_texts(canvas, area, style);
        Rect::new(area.x + 1, area.y + 1, inner_width, area.height - 2)
    }

    fn draw_texts(&self, canvas: &mut Canvas<'_>, area: Rect, border: Style) {
        let room = area.width.saturating_sub(4);
        let title: usize = self.title.iter().map(|(t, _)| label::width(t)).sum();
        let right_width = label::width(&self.right) as u16;
        let mut end = area.right() - 1;
        // The note on the right gives way to the title.
        if !self.right.is_empty() && title as u16 + right_width + 8 <= area.width {
            let x = end.saturating_sub(right_width + 3);
            canvas.put(x, area.y, 1, " ", border);
            canvas.say(x + 1, area.y, right_width, &self.right, Token::Muted);
            canvas.put(x + 1 + right_width, area.y, 1, " ", border);
            end = x;
        }
        if !self.title.is_empty() && room > 2 {
            let mut x = canvas.put(area.x + 2, area.y, 1, " ", border);
            for (text, token) in &self.title {
                let style = canvas.style(token.unwrap_or(Token::Title));
                let room = end.saturating_sub(x).saturating_sub(1);
                x = canvas.put(x, area.y, room, text, style);
            }
            canvas.put(x, area.y, 1, " ", border);
        }
        if !self.bottom.is_empty() && room > 2 {
            let y = area.bottom() - 1;
            let x = canvas.put(area.x + 2, y, 1, " ", border);
            let x = canvas.say(x, y, room.saturating_sub(2), &self.bottom, Token::Muted);
            canvas.put(x, y, 1, " ", border);
        }
    }
}
