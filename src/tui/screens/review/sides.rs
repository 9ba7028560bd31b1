//! Both versions of a contested place: beside each other, or one below the other.

use ratatui::layout::Rect;

use super::code::{Manner, Number, Row, Spot, draw};
use super::layout::shift;
use crate::engine::review::{CodeLine, Place, PlaceKind, Side};
use crate::tui::label;
use crate::tui::state::State;
use crate::tui::state::review::{Review, Shape, has_landed};
use crate::tui::theme::Token;
use crate::tui::widgets::{Canvas, Frame};

/// How many lines before the place are in sight at first.
const LEAD: isize = 3;

/// Gives the row of the place that is drawn first.
pub(super) fn first_row(review: &Review, before: usize, total: usize, height: u16) -> isize {
    let lead = LEAD
        .min(before as isize)
        .min(isize::from(height as i16) / 3);
    let wanted = review.scroll - lead;
    // Without anything to see below there is no point in going on.
    let last = total as isize - isize::from(height as i16);
    wanted.min(last.max(-lead)).max(-(before as isize))
}

fn kept_by(state: &State, review: &Review, place: &Place) -> String {
    let target = review
        .view
        .as_ref()
        .map_or("target", |view| view.target.as_str());
    let target = if has_landed(review) {
        format!("{target} before the merge")
    } else {
        target.to_owned()
    };
    let offset = state.settings.utc_offset_s;
    let when = place
        .at_ms
        .map_or_else(String::new, |at| format!(", {}", label::clock(at, offset)));
    match &place.agent {
        Some(agent) => format!("{target} (kept by {agent}{when})"),
        None => format!("{target}{when}"),
    }
}

fn word(state: &State, token: Token) -> Option<Token> {
    state.review.words.then_some(token)
}

/// Draws the target's version.
pub(super) fn ours(
    state: &State,
    canvas: &mut Canvas<'_>,
    area: Rect,
    review: &Review,
    place: &Place,
) {
    let inner = Frame::titled(&kept_by(state, review, place))
        .right("ours")
        .draw(canvas, area);
    let manner = Manner {
        token: Token::DiffDel,
        word: word(state, Token::DiffWordDel),
    };
    let side = Half {
        side: &place.ours,
        sign: canvas.g().del,
        manner,
        index: |row| row.old,
    };
    half(state, canvas, inner, review, place, &side);
}

/// Draws the branch's version.
pub(super) fn theirs(
    state: &State,
    canvas: &mut Canvas<'_>,
    area: Rect,
    review: &Review,
    place: &Place,
) {
    let inner = Frame::titled(&format!("{} (incoming)", review.agent))
        .right("theirs")
        .draw(canvas, area);
    let manner = Manner {
        token: Token::DiffAdd,
        word: word(state, Token::DiffWordAdd),
    };
    let side = Half {
        side: &place.theirs,
        sign: canvas.g().add,
        manner,
        index: |row| row.new,
    };
    half(state, canvas, inner, review, place, &side);
}

struct Half<'a> {
    side: &'a Side,
    sign: &'a str,
    manner: Manner,
    index: fn(&crate::engine::review::Row) -> Option<usize>,
}

const CONTEXT: Manner = Manner {
    token: Token::DiffContext,
    word: None,
};

fn half(
    state: &State,
    canvas: &mut Canvas<'_>,
    inner: Rect,
    review: &Review,
    place: &Place,
    half: &Half<'_>,
) {
    let side = half.side;
    let shift = shift(state, review);
    let total = place.rows.len() + place.ours.after.len().max(place.theirs.after.len());
    let before = place.ours.before.len().max(place.theirs.before.len());
    let first = first_row(review, before, total, inner.height);
    if side.lines.is_empty() && (0..isize::from(inner.height as i16)).contains(&-first) {
        let y = inner.y + (-first) as u16;
        canvas.say(inner.x, y, inner.width, "      (nothing)", Token::Muted);
    }
    let count = place.rows.len() as isize;
    for (y, at) in (inner.y..inner.bottom()).zip(first..) {
        let spot = Spot::row(inner, y, shift);
        if at < 0 {
            context(canvas, spot, side.first, at, &side.before, true);
        } else if at >= count {
            let own = side.lines.len() as isize;
            let index = at - count;
            let number = side.first.map(|line| line + own as usize);
            context(canvas, spot, number, index, &side.after, false);
        } else if let Some(row) = place.rows.get(at as usize) {
            let Some((index, line)) = (half.index)(row).and_then(|i| Some((i, side.lines.get(i)?)))
            else {
                continue;
            };
            let (sign, manner) = if row.same && !place.is_alike() {
                (" ", CONTEXT)
            } else {
                (half.sign, half.manner)
            };
            let row = Row {
                number: Number::Line(side.first.map(|line| line + index)),
                sign,
                line,
                manner,
            };
            draw(canvas, spot, &row);
        }
    }
}

/// Draws a line around the place: counted back from its first line, or on from its last.
pub(super) fn context(
    canvas: &mut Canvas<'_>,
    spot: Spot,
    from: Option<usize>,
    at: isize,
    lines: &[CodeLine],
    back: bool,
) {
    let index = if back { lines.len() as isize + at } else { at };
    let line = usize::try_from(index).ok().and_then(|i| lines.get(i));
    let Some(line) = line else { return };
    let row = Row {
        number: Number::Line(from.and_then(|from| from.checked_add_signed(at))),
        sign: " ",
        line,
        manner: CONTEXT,
    };
    draw(canvas, spot, &row);
}

/// Draws both versions one below the other, where they differ.
pub(super) fn unified(
    state: &State,
    canvas: &mut Canvas<'_>,
    area: Rect,
    review: &Review,
    place: &Place,
) {
    let (del, add) = (canvas.g().del, canvas.g().add);
    let title = format!("{del} {}", kept_by(state, review, place));
    let right = format!("{add} {} (incoming)", review.agent);
    let inner = Frame::titled(&title).right(right).draw(canvas, area);
    let rows = unified_rows(state, place, (del, add));
    let total = rows.len() + place.ours.after.len();
    let before = place.ours.before.len();
    let first = first_row(review, before, total, inner.height);
    let shift = shift(state, review);
    for (y, at) in (inner.y..inner.bottom()).zip(first..) {
        let spot = Spot::row(inner, y, shift);
        let index = at - rows.len() as isize;
        if at < 0 {
            context(canvas, spot, place.ours.first, at, &place.ours.before, true);
        } else if index >= 0 {
            let own = place.ours.lines.len();
            let number = place.ours.first.map(|line| line + own);
            context(canvas, spot, number, index, &place.ours.after, false);
        } else if let Some(row) = rows.get(at as usize) {
            draw(canvas, spot, row);
        }
    }
}

fn unified_rows<'a>(
    state: &State,
    place: &'a Place,
    (del, add): (&'a str, &'a str),
) -> Vec<Row<'a>> {
    let mut rows: Vec<Row<'a>> = Vec::new();
    if state.review.shape == Shape::WithBase && place.kind == PlaceKind::Text {
        rows.extend(place.base.iter().map(|line| Row {
            number: Number::Base,
            sign: "=",
            line,
            manner: Manner {
                token: Token::Muted,
                word: None,
            },
        }));
    }
    let line = |side: &'a Side, index: usize, sign: &'a str, manner: Manner| {
        Some(Row {
            number: Number::Line(side.first.map(|first| first + index)),
            sign,
            line: side.lines.get(index)?,
            manner,
        })
    };
    let removed = Manner {
        token: Token::DiffDel,
        word: word(state, Token::DiffWordDel),
    };
    let added = Manner {
        token: Token::DiffAdd,
        word: word(state, Token::DiffWordAdd),
    };
    for group in place.rows.chunk_by(|a, b| a.same == b.same) {
        if !place.is_alike() && group.first().is_some_and(|row| row.same) {
            let same = group.iter().filter_map(|row| row.old);
            rows.extend(same.filter_map(|at| line(&place.ours, at, " ", CONTEXT)));
            continue;
        }
        let old = group.iter().filter_map(|row| row.old);
        rows.extend(old.filter_map(|at| line(&place.ours, at, del, removed)));
        let new = group.iter().filter_map(|row| row.new);
        rows.extend(new.filter_map(|at| line(&place.theirs, at, add, added)));
    }
    rows
}
