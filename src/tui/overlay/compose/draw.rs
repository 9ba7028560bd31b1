//! How the mail form is drawn.

use ratatui::layout::Rect;

use super::form::{Compose, Field, KINDS, recipients};
use crate::tui::hit::Target;
use crate::tui::overlay::sheet::sheet;
use crate::tui::state::State;
use crate::tui::theme::Token;
use crate::tui::widgets::{Canvas, draw_field, draw_text_area};

impl Compose {
    pub(in crate::tui::overlay) fn draw(&self, state: &State, canvas: &mut Canvas<'_>, area: Rect) {
        let title = match &self.reply_to {
            Some(_) => format!("Reply to {}", self.to.text()),
            None => "New mail".to_owned(),
        };
        let height = area.height.saturating_sub(4).clamp(10, 18);
        let bottom = "Ctrl-S send   Tab next field   Esc keeps the draft";
        let inner = sheet(canvas, area, (100, height), &title, bottom);
        if inner.height < 6 {
            draw_text_area(canvas, inner, &self.body, true);
            return;
        }
        let rows = [
            (Field::To, "To", 0),
            (Field::Kind, "Type", 1),
            (Field::Priority, "Priority", 2),
            (Field::Subject, "Subject", 3),
        ];
        let reply = self.reply_to.is_some();
        for (field, name, row) in rows {
            let y = inner.y + row;
            let focused = self.focus == field && !reply;
            let token = if focused { Token::Accent } else { Token::Muted };
            canvas.say(inner.x, y, 10, name, token);
            let value = Rect::new(inner.x + 10, y, inner.width.saturating_sub(10), 1);
            self.draw_value(state, canvas, value, field, focused);
            if !reply {
                let line = Rect::new(inner.x, y, inner.width, 1);
                canvas.hit(line, Target::OverlayRow(usize::from(row)));
            }
        }
        canvas.rule(inner.x, inner.y + 4, inner.width);
        let last = inner.bottom() - 1;
        let body = Rect::new(
            inner.x,
            inner.y + 5,
            inner.width,
            inner.height.saturating_sub(7),
        );
        draw_text_area(canvas, body, &self.body, self.focus == Field::Body);
        if !reply {
            canvas.hit(body, Target::OverlayRow(4));
        }
        let mark = if self.nudge { "[x]" } else { "[ ]" };
        let token = if self.focus == Field::Nudge {
            Token::Accent
        } else {
            Token::Muted
        };
        let text = match self.reply_to {
            Some(_) => "delivered when the agent next looks at its mail".to_owned(),
            None => format!("delivered when the agent next looks at its mail   {mark} also nudge"),
        };
        canvas.say(inner.x, last, inner.width, &text, token);
    }

    fn draw_value(
        &self,
        state: &State,
        canvas: &mut Canvas<'_>,
        area: Rect,
        field: Field,
        focused: bool,
    ) {
        let choice = |text: &str| {
            if focused {
                format!("< {text} >")
            } else {
                text.to_owned()
            }
        };
        match field {
            Field::To => {
                draw_field(canvas, area, &self.to, focused);
                if focused {
                    let hint = format!("Tab completes: {}", recipients(state).join(" "));
                    let room = area.width / 2;
                    let style = canvas.style(Token::Hint);
                    canvas.put_right(area.right(), area.y, room, &hint, style);
                }
            }
            Field::Subject => draw_field(canvas, area, &self.subject, focused),
            Field::Kind => {
                let text = choice(KINDS.get(self.kind).map_or("status", |k| k));
                canvas.say(area.x, area.y, area.width, &text, Token::Text);
            }
            Field::Priority => {
                let token = crate::tui::look::Look::priority(self.priority);
                canvas.say(
                    area.x,
                    area.y,
                    area.width,
                    &choice(self.priority.as_str()),
                    token,
                );
            }
            Field::Body | Field::Nudge => {}
        }
    }
}
