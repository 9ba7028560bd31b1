//! What would stand in the place: by the decision, by a proposal, or not known yet.

use ratatui::layout::{Position, Rect};

use super::code::{Manner, Number, Row, Spot, draw as draw_line};
use super::layout::shift;
use super::sides::{context, first_row};
use super::words;
use crate::engine::review::{CodeLine, Decision, Place, PlaceKind, Proposal};
use crate::tui::action::{Action, ReviewVerb};
use crate::tui::label;
use crate::tui::state::State;
use crate::tui::state::review::{
    Asked, Chosen, From, Phase, Review, chosen, has_landed, is_text, is_whole, missing, named,
    written,
};
use crate::tui::theme::Token;
use crate::tui::update;
use crate::tui::widgets::{Canvas, Frame, FrameKind};

/// Draws the result of the place looked at.
pub(super) fn draw(
    state: &State,
    canvas: &mut Canvas<'_>,
    area: Rect,
    review: &Review,
    place: &Place,
) {
    let (dash, proposal) = (canvas.g().dash, review.proposal(&place.key));
    let choice = match (&place.decision, proposal) {
        (Some(decision), _) => named(place, decision).to_owned(),
        (None, Some(proposal)) => format!("none; {} proposes this", proposal.by),
        (None, None) => "none yet".to_owned(),
    };
    let inner = Frame::titled(&format!("result {dash} choice: {choice}"))
        .kind(FrameKind::Focused)
        .right(left(review))
        .bottom(accepting(state, review))
        .draw(canvas, area);
    canvas.drawn.cursor = Some(Position::new(inner.x, inner.y));
    let width = inner.width.saturating_sub(2);
    let (note, token) = note(state, canvas, review, place);
    let mut rows = Vec::new();
    if let Some(why) = &review.refused {
        let why = refusal(why, usize::from(width), canvas.g().ellipsis);
        rows.extend(why.into_iter().map(|row| (row, Token::LevelError)));
    }
    if !note.is_empty() {
        let note = label::wrap(&note, usize::from(width)).into_iter();
        rows.extend(note.map(|row| (row, token)));
    }
    let mut rest = inner;
    for (y, (row, token)) in (inner.y..inner.bottom()).zip(rows) {
        canvas.say(inner.x + 1, y, width, &row, token);
        (rest.y, rest.height) = (y + 1, inner.bottom() - y - 1);
    }
    let is_shown = is_text(place) || !is_whole(place) && place.driven.is_some();
    if is_shown {
        lines(state, canvas, rest, review, place, proposal);
    }
}

/// Rows that a refusal takes, about.
const REFUSAL_ROWS: usize = 3;

/// Why nothing has landed, in rows. What it is about stands at its beginning and what to do at its end, so it is
/// shortened between the two.
fn refusal(why: &str, width: usize, ellipsis: &str) -> Vec<String> {
    let why = label::fit_middle(why, REFUSAL_ROWS * width, ellipsis);
    label::wrap(&why, width)
}

/// Counts what is not decided: lines, or places that have none to lose.
fn left(review: &Review) -> String {
    match (review.lines_left(), review.undecided()) {
        (0, 0) => "all decided".to_owned(),
        (0, places) => format!("places left: {places}"),
        (lines, _) => format!("displaced lines left: {lines}"),
    }
}

/// Says what Enter would do, or what it waits for.
fn accepting(state: &State, review: &Review) -> String {
    let key = state
        .keymap
        .key_for(state.scope(), Action::Review(ReviewVerb::Accept));
    let key = key.unwrap_or_else(|| ":".to_owned());
    if matches!(review.phase, Phase::Landing { .. }) {
        return "Esc leaves it landing".to_owned();
    }
    if let Err(why) = update::applies(state, Action::Review(ReviewVerb::Accept)) {
        return format!("{key} waits: {why}");
    }
    match review.undecided() {
        0 => {
            let gone = gone(review);
            let as_landed = |place: &Place| place.decision == Some(Decision::Theirs);
            match (has_landed(review), review.places().iter().all(as_landed)) {
                (false, _) => format!("{key} accepts: {gone}"),
                (true, true) => format!("{key} keeps it as it landed: {gone}"),
                (true, false) => format!("{key} lands a commit that decides so: {gone}"),
            }
        }
        n => format!("{key} waits: {}", update::left_undecided(n)),
    }
}

/// Says what goes with the decisions: lines of both sides, and versions of files without lines.
fn gone(review: &Review) -> String {
    let lines = match review.going() {
        (0, 0) => None,
        (1, 0) => Some("1 line of ours goes".to_owned()),
        (0, 1) => Some("1 line of theirs goes".to_owned()),
        (ours, 0) => Some(format!("{ours} lines of ours go")),
        (0, theirs) => Some(format!("{theirs} lines of theirs go")),
        (ours, theirs) => Some(format!(
            "{} of ours and {theirs} of theirs go",
            label::count(ours, "line")
        )),
    };
    let versions = match review.versions_going() {
        0 => None,
        1 => Some("1 version of a file goes".to_owned()),
        n => Some(format!("{n} versions of files go")),
    };
    let parts: Vec<String> = lines.into_iter().chain(versions).collect();
    match parts.as_slice() {
        [] => "no line goes".to_owned(),
        parts => parts.join(", "),
    }
}

fn note(state: &State, canvas: &mut Canvas<'_>, review: &Review, place: &Place) -> (String, Token) {
    match review.asked.get(&place.key) {
        Some(Asked::Waiting { since_ms }) => {
            let age = canvas.precise_age(*since_ms);
            return (
                format!("asked for a proposal {age} ago"),
                Token::StateWorking,
            );
        }
        Some(Asked::Failed(why)) if place.decision.is_none() => {
            let text = format!("no proposal: {why}\n{}", keys(state));
            return (text, Token::LevelWarn);
        }
        Some(Asked::Answer(proposal)) if place.decision.is_none() => {
            return judged(state, place, proposal);
        }
        Some(Asked::Failed(_) | Asked::Answer(_)) | None => {}
    }
    let Some(view) = review
        .view
        .as_ref()
        .filter(|_| place.kind != PlaceKind::Text || place.is_alike())
    else {
        return if place.decision.is_none() {
            (keys(state), Token::Muted)
        } else {
            (String::new(), Token::Text)
        };
    };
    let said = words::outcome(view, place, place.decision.as_ref());
    match place.decision {
        Some(_) => (said, Token::Text),
        None => (format!("{said}\n{}", keys(state)), Token::Text),
    }
}

/// Says of a proposal what accepting it would say: which lines are not in it as they are. Those whose words
/// are found elsewhere in it may be rewritten, and may not: nothing vouches for that.
fn judged(state: &State, place: &Place, proposal: &Proposal) -> (String, Token) {
    let take = state
        .keymap
        .key_for(state.scope(), Action::Review(ReviewVerb::Take));
    let take = take.map_or_else(String::new, |key| format!("  {key} takes it."));
    let [ours, theirs] = missing(place, &proposal.text);
    let count = ours.len() + theirs.len();
    let lines = label::count(count, "line");
    let verb = if count == 1 { "is" } else { "are" };
    let Some(first) = proposal.lost.iter().chain(&ours).chain(&theirs).next() else {
        let text = format!("Every line of both sides is in it.{take}");
        return (text, Token::LevelOk);
    };
    let first = first.trim();
    let shown = if count == 1 {
        first.to_owned()
    } else {
        format!("first {first}")
    };
    if proposal.lost.is_empty() {
        let as_before = if count == 1 { "it was" } else { "they were" };
        let text =
            format!("{lines} {verb} not in it as {as_before}, only rewritten: {shown}{take}");
        return (text, Token::Text);
    }
    (
        format!("{lines} {verb} not in it: {shown}{take}"),
        Token::LevelWarn,
    )
}

/// Names the keys that decide, from the live keymap.
fn keys(state: &State) -> String {
    let place = state.review.open.as_ref().and_then(Review::place);
    let is_driven = place.is_some_and(|place| place.driven.is_some());
    let both = if is_driven {
        "the merge driver's"
    } else {
        "both"
    };
    let choices = [
        (Action::Review(ReviewVerb::Ours), "ours"),
        (Action::Review(ReviewVerb::Theirs), "theirs"),
        (Action::Review(ReviewVerb::Both), both),
        (Action::Review(ReviewVerb::Edit), "edit"),
        (Action::Review(ReviewVerb::Ask), "ask AI"),
    ];
    let named: Vec<String> = choices
        .into_iter()
        .filter(|(action, _)| update::applies(state, *action).is_ok())
        .filter_map(|(action, word)| {
            let key = state.keymap.key_for(state.scope(), action)?;
            Some(format!("{key} {word}"))
        })
        .collect();
    format!("Decide: {}", named.join("   "))
}

fn lines(
    state: &State,
    canvas: &mut Canvas<'_>,
    inner: Rect,
    review: &Review,
    place: &Place,
    proposal: Option<&Proposal>,
) {
    let side = &place.result;
    let own = match (&place.decision, proposal) {
        (Some(decision), _) => chosen(place, decision),
        (None, Some(proposal)) => written(place, &proposal.text),
        (None, None) => Vec::new(),
    };
    let instead = own.is_empty().then(|| placeholder(canvas, place, proposal));
    let count = own.len().max(1) as isize;
    let start = side.first.map(|first| first + earlier(review, place));
    // What comes after lines that are not known yet has no number yet.
    let known = place.decision.is_some() || proposal.is_some();
    let next = start.filter(|_| known).map(|start| start + own.len());
    let total = own.len() + side.after.len() + 1;
    let first = first_row(review, side.before.len() + 1, total, inner.height);
    let shift = shift(state, review);
    for (y, at) in (inner.y..inner.bottom()).zip(first..) {
        let spot = Spot::row(inner, y, shift);
        let index = at - count;
        if let Some(text) = neighbour(canvas, review, place, (at, index)) {
            canvas.say(inner.x, y, inner.width, &text, Token::Muted);
        } else if at < 0 {
            context(canvas, spot, start, at, &side.before, true);
        } else if index >= 0 {
            context(canvas, spot, next, index, &side.after, false);
        } else if let Some(line) = own.get(at as usize) {
            let plain = CodeLine {
                text: line.text.to_owned(),
                ..CodeLine::default()
            };
            let row = Row {
                number: Number::Line(start.map(|start| start + at as usize)),
                sign: sign(canvas, place, line),
                line: line.code.unwrap_or(&plain),
                manner: Manner {
                    token: Token::DiffContext,
                    word: None,
                },
            };
            draw_line(canvas, spot, &row);
        } else if let Some((text, token)) = &instead {
            canvas.say(inner.x, y, inner.width, text, *token);
        }
    }
}

/// What stands in a place without lines: that nothing is decided, or that nothing is left.
fn placeholder(canvas: &Canvas<'_>, place: &Place, proposal: Option<&Proposal>) -> (String, Token) {
    if place.decision.is_some() || proposal.is_some() {
        return ("      (nothing)".to_owned(), Token::Muted);
    }
    let lines = |side: &[CodeLine]| match side.len() {
        0 => "nothing".to_owned(),
        n => label::count(n, "line"),
    };
    let text = format!(
        "    ? {} not decided: {} of ours, or {} of theirs",
        canvas.g().vertical_mark,
        lines(&place.ours.lines),
        lines(&place.theirs.lines)
    );
    (text, Token::DiffDisplaced)
}

/// Says that the lines shown end where another contested place of the file is.
fn neighbour(
    canvas: &Canvas<'_>,
    review: &Review,
    place: &Place,
    (at, index): (isize, isize),
) -> Option<String> {
    let (before, after) = (place.result.before.len(), place.result.after.len());
    let other = if index == after as isize {
        review.at + 1
    } else if at == -(before as isize) - 1 {
        review.at.checked_sub(1)?
    } else {
        return None;
    };
    let there = review.places().get(other)?;
    (there.file == place.file && there.kind == PlaceKind::Text)
        .then(|| format!("      {} hunk {}", canvas.g().ellipsis, other + 1))
}

/// Marks the lines of the place, so that they differ from what is around them without colour. Whose lines in the same
/// words are, nothing else tells.
fn sign(canvas: &Canvas<'_>, place: &Place, line: &Chosen<'_>) -> &'static str {
    match line.from {
        From::Ours if place.is_alike() => "o",
        From::Theirs if place.is_alike() => "t",
        From::Ours | From::Theirs => canvas.g().vertical_mark,
        From::Written => "*",
    }
}

/// Counts the lines that earlier places put into the same file.
fn earlier(review: &Review, place: &Place) -> usize {
    review
        .places()
        .iter()
        .take_while(|other| other.key != place.key)
        .filter(|other| other.file == place.file)
        .map(|other| match &other.decision {
            Some(decision) => chosen(other, decision).len(),
            // As long as nobody has decided, the target's lines are the best guess.
            None => other.ours.lines.len(),
        })
        .sum()
}
