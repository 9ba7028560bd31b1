//! Where the parts of the review are, and what is shown while there is nothing to decide.

use ratatui::layout::Rect;

use super::code::columns;
use super::{result, sides};
use crate::engine::review::Place;
use crate::tui::action::Action;
use crate::tui::hit::Target;
use crate::tui::label;
use crate::tui::screens::body_of;
use crate::tui::screens::merge::{landed, progress};
use crate::tui::state::State;
use crate::tui::state::review::{Phase, Review, Shape, has_landed};
use crate::tui::theme::Token;
use crate::tui::update;
use crate::tui::widgets::{Canvas, Frame, FrameKind};

/// Two sides beside each other need this much.
const TWO_SIDES: u16 = 100;

/// Tells whether both sides fit beside each other.
pub(crate) fn fits_two_sides(cols: u16) -> bool {
    cols >= TWO_SIDES
}

/// More marks than these cannot be counted by eye.
const MARKS: usize = 16;
/// Numbers, sign and gap in front of a line.
const IN_FRONT: u16 = 8;

/// Counts the columns of the longest line of a place, and of what is around it.
pub(crate) fn longest_line(place: &Place) -> usize {
    let sides = [&place.ours, &place.theirs, &place.result];
    let lines = sides
        .into_iter()
        .flat_map(|side| [&side.before, &side.lines, &side.after]);
    lines
        .chain([&place.base])
        .flatten()
        .map(columns)
        .max()
        .unwrap_or(0)
}

/// Gives how many columns are left of the frame: no more than have no room, however wide the screen has become.
pub(super) fn shift(state: &State, review: &Review) -> usize {
    review.shift.min(hidden_columns(state, review))
}

/// Counts the columns of the longest line of the place looked at that have no room.
pub(crate) fn hidden_columns(state: &State, review: &Review) -> usize {
    let cols = body_of(state.size.0, state.size.1).width;
    let width = if is_split(state, cols) {
        cols / 2
    } else {
        cols
    };
    let room = usize::from(width.saturating_sub(2 + IN_FRONT));
    review.longest.saturating_sub(room)
}

fn is_split(state: &State, cols: u16) -> bool {
    state.review.shape == Shape::Split && fits_two_sides(cols)
}

/// Draws the open review.
pub(crate) fn render(state: &State, canvas: &mut Canvas<'_>, body: Rect, review: &Review) {
    match &review.phase {
        Phase::Loading if review.view.is_none() => {
            let text = format!("reading what {} changed", review.branch);
            card(canvas, body, review, &[(text, Token::Muted)]);
        }
        Phase::Closed(why) => {
            let tell = named(state, Action::Message, &format!("tells {}", review.agent));
            let rows = [
                (why.clone(), Token::LevelWarn),
                (format!("{tell}Esc goes back to the queue."), Token::Muted),
            ];
            card(canvas, body, review, &rows);
        }
        Phase::Landed(text) => card(canvas, body, review, &landed_rows(state, review, text)),
        Phase::Loading | Phase::Deciding | Phase::Landing { .. } => {
            places(state, canvas, body, review);
        }
    }
}

/// Names the live key of an action with what it does.
fn named(state: &State, action: Action, what: &str) -> String {
    let key = state.keymap.key_for(state.scope(), action);
    key.filter(|_| update::applies(state, action).is_ok())
        .map_or_else(String::new, |key| format!("{key} {what}.  "))
}

/// What has landed, with its receipt as soon as it is there.
fn landed_rows(state: &State, review: &Review, text: &str) -> Vec<(String, Token)> {
    let undo = named(state, Action::MergeUndo, "takes it back");
    let mut rows = vec![
        (format!("{} {text}.", review.branch), Token::LevelOk),
        (format!("{undo}Esc goes back to the queue."), Token::Muted),
    ];
    let entry = state.merge.entry(review.id);
    // The receipt of what was decided about a landed merge is that of another entry.
    let own = entry.filter(|entry| entry.receipt.is_some() && !has_landed(review));
    if let Some(entry) = own {
        rows.push((String::new(), Token::Text));
        rows.extend(landed(state, entry));
    }
    let show = format!("grove merge show {} prints all of it.", review.id);
    rows.push((show, Token::Muted));
    rows
}

fn card(canvas: &mut Canvas<'_>, body: Rect, review: &Review, rows: &[(String, Token)]) {
    let inner = Frame::titled(&format!("Review {}", label::clean(&review.branch)))
        .kind(FrameKind::Focused)
        .draw(canvas, body);
    let width = inner.width.saturating_sub(2);
    let wrapped = rows.iter().flat_map(|(text, token)| {
        label::wrap(text, usize::from(width))
            .into_iter()
            .map(|row| (row, *token))
    });
    let mut wrapped: Vec<_> = wrapped.collect();
    let room = usize::from(inner.height.saturating_sub(1));
    if wrapped.len() > room {
        let hidden = wrapped.len() - room.saturating_sub(1);
        wrapped.truncate(room.saturating_sub(1));
        let more = label::count(hidden, "more line");
        let show = format!("{more}: grove merge show {} prints all of it", review.id);
        wrapped.push((show, Token::Muted));
    }
    for (y, (row, token)) in (inner.y + 1..inner.bottom()).zip(wrapped) {
        canvas.say(inner.x + 1, y, width, &row, token);
    }
}

fn places(state: &State, canvas: &mut Canvas<'_>, body: Rect, review: &Review) {
    let Some(place) = review.place() else {
        return;
    };
    let split = is_split(state, body.width);
    let [head, top, bottom] = parts(body);
    header(state, canvas, head, review);
    if split {
        let half = top.width / 2;
        let left = Rect::new(top.x, top.y, half, top.height);
        let right = Rect::new(top.x + half, top.y, top.width - half, top.height);
        sides::ours(state, canvas, left, review, place);
        sides::theirs(state, canvas, right, review, place);
    } else {
        sides::unified(state, canvas, top, review, place);
    }
    result::draw(state, canvas, bottom, review, place);
    canvas.hit(top, Target::Detail);
    canvas.hit(bottom, Target::Detail);
}

fn parts(body: Rect) -> [Rect; 3] {
    let rest = body.height.saturating_sub(1);
    let top = rest.div_ceil(2);
    [
        Rect::new(body.x, body.y, body.width, 1),
        Rect::new(body.x, body.y + 1, body.width, top),
        Rect::new(body.x, body.y + 1 + top, body.width, rest - top),
    ]
}

/// One line: which place of how many, where it is, and which of them are decided.
fn header(state: &State, canvas: &mut Canvas<'_>, area: Rect, review: &Review) {
    let Some(place) = review.place() else {
        return;
    };
    let places = review.places();
    let marks = marks(canvas, places);
    let count = format!(" hunk {}/{} ", review.at + 1, places.len());
    let x = canvas.say(area.x, area.y, 16, &count, Token::Title);
    let room = area.right().saturating_sub(x + 1);
    let x = canvas.say(x, area.y, (area.width / 4).min(room), &marks, Token::Accent);
    let room = area.right().saturating_sub(x + 2);
    let at = super::words::called(place, canvas.g().arrow, usize::from(room));
    let x = canvas.say(x + 1, area.y, room, &at, Token::Text);
    let (text, token) = match &review.phase {
        Phase::Landing { since_ms } => (
            landing(state, canvas, review, *since_ms),
            Token::StateWorking,
        ),
        Phase::Loading | Phase::Deciding | Phase::Closed(_) | Phase::Landed(_) => {
            (super::words::stakes(place), Token::DiffDisplaced)
        }
    };
    let room = area.right().saturating_sub(x + 3);
    canvas.say(x + 2, area.y, room, &text, token);
}

/// A mark for each place, or how many are decided where there are too many to tell apart.
fn marks(canvas: &Canvas<'_>, places: &[Place]) -> String {
    let decided = |place: &&Place| place.decision.is_some();
    match places.len() {
        0 | 1 => String::new(),
        n if n > MARKS => {
            let decided = places.iter().filter(decided).count();
            format!("{decided} decided")
        }
        _ => places
            .iter()
            .map(|place| match place.decision {
                Some(_) => canvas.g().done,
                None => canvas.g().dot,
            })
            .collect(),
    }
}

fn landing(state: &State, canvas: &mut Canvas<'_>, review: &Review, since_ms: i64) -> String {
    let gates = update::landing_entry(state, review).and_then(|entry| entry.gates.as_ref());
    let what = match gates {
        Some(gates) => progress(gates),
        None => "checking every line".to_owned(),
    };
    let age = canvas.precise_age(since_ms);
    format!("landing: {what}  {age}")
}
