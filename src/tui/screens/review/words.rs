//! What a decision means, in one sentence.

use crate::engine::review::{CodeLine, Decision, Place, PlaceKind, ReviewView, Side};
use crate::tui::label;

/// Names the file of a place and its line, with the name that it had before as far as there is room for that.
pub(super) fn called(place: &Place, arrow: &str, room: usize) -> String {
    let file = label::clean(&place.file);
    let at = match place.ours.first {
        Some(line) => format!("{file}:{line}"),
        None => file.into_owned(),
    };
    let was = place.was.as_deref().map(label::clean).unwrap_or_default();
    let last = was.rsplit('/').next().unwrap_or_default();
    let names = [was.as_ref(), last].map(|old| format!("{old} {arrow} {at}"));
    let fitting = names.into_iter().find(|name| label::width(name) <= room);
    fitting.filter(|_| place.was.is_some()).unwrap_or(at)
}

/// Says whose lines would go if the branch's side were taken.
pub(super) fn stakes(place: &Place) -> String {
    let who = place
        .agent
        .as_deref()
        .map_or_else(String::new, |agent| format!(" by {agent}"));
    let lines = label::count(place.ours_go, "line");
    match place.kind {
        PlaceKind::Text if place.is_alike() => {
            "the same words on both sides, and both may be needed".to_owned()
        }
        PlaceKind::Text => format!("theirs would displace {lines}{who}"),
        PlaceKind::DeletedByBranch => format!("deleted by the branch; {lines}{who} would go"),
        PlaceKind::DeletedByTarget => format!("changed by the branch, deleted here{who}"),
        PlaceKind::Whole => format!("decided as one; theirs would displace {lines}{who}"),
        PlaceKind::Binary => format!("not text; changed on both sides, here{who}"),
        PlaceKind::Symlink => format!("a link that both sides changed, here{who}"),
        PlaceKind::Mode => format!("permissions that both sides changed, here{who}"),
        PlaceKind::Renamed => format!("renamed on both sides, here{who}"),
        PlaceKind::Driven => format!("the merge driver{} leaves lines out", driver(place)),
    }
}

/// Says what will happen to a file that is decided as a whole.
pub(super) fn outcome(view: &ReviewView, place: &Place, decision: Option<&Decision>) -> String {
    let (file, target, agent) = (&place.file, &view.target, &view.agent);
    let text = |lines: &[CodeLine]| {
        lines
            .first()
            .map_or_else(String::new, |line| line.text.clone())
    };
    let (ours, theirs) = (text(&place.ours.lines), text(&place.theirs.lines));
    let takes_ours = match decision {
        None => return question(view, place),
        Some(Decision::Ours) => true,
        Some(Decision::Both | Decision::BothReversed) if place.kind == PlaceKind::Renamed => {
            return format!(
                "There will be two files with the merged content: {ours} and {theirs}."
            );
        }
        Some(Decision::Both | Decision::BothReversed) if place.driven.is_some() => {
            let (lines, those) = left_out(place);
            let stay = if lines == 1 { "stays" } else { "stay" };
            return format!(
                "{file} lands as the merge driver made it; {those} {stay} in the receipt only."
            );
        }
        Some(
            Decision::Theirs | Decision::Both | Decision::BothReversed | Decision::Text { .. },
        ) => false,
    };
    match (place.kind, takes_ours) {
        (PlaceKind::Text, _) => String::new(),
        (PlaceKind::DeletedByBranch, true) => {
            format!("{file} stays as {target} has it; {agent}'s deletion does not happen.")
        }
        (PlaceKind::DeletedByBranch, false) => format!(
            "{file} is deleted; {} of it go with it.",
            label::count(place.ours_go, "line")
        ),
        (PlaceKind::DeletedByTarget, true) => {
            format!("{file} stays deleted; what {agent} changed in it does not land.")
        }
        (PlaceKind::DeletedByTarget, false) => {
            format!("{file} comes back to {target} as {agent} has it.")
        }
        (PlaceKind::Driven, true) => format!("{file} stays as {target} has it."),
        (PlaceKind::Driven, false) => format!("{file} becomes {agent}'s version."),
        (PlaceKind::Whole, _) => String::new(),
        (PlaceKind::Binary, true) => {
            format!("{file} stays as {target} has it, byte for byte; {agent}'s version goes.")
        }
        (PlaceKind::Binary, false) => {
            format!("{file} becomes {agent}'s version, byte for byte; {target}'s version goes.")
        }
        (PlaceKind::Symlink, true) => format!("The link {file} goes on pointing to {ours}."),
        (PlaceKind::Symlink, false) => format!("The link {file} will point to {theirs}."),
        (PlaceKind::Mode, true) => {
            format!("{file} keeps the permissions that {target} gave it: {ours}.")
        }
        (PlaceKind::Mode, false) => {
            format!("{file} gets the permissions that {agent} gave it: {theirs}.")
        }
        (PlaceKind::Renamed, true) => format!("The file is called {ours}, as on {target}."),
        (PlaceKind::Renamed, false) => format!("The file is called {theirs}, as {agent} has it."),
    }
}

/// Names the merge driver of a place.
fn driver(place: &Place) -> String {
    let driven = place.driven.as_ref();
    driven.map_or_else(String::new, |driven| format!(" {}", driven.name))
}

/// Counts what the merge driver left out, and says it.
fn left_out(place: &Place) -> (usize, String) {
    let lines = place.driven.as_ref();
    match lines.map_or(0, |driven| driven.ours_go + driven.theirs_go) {
        0 => (2, "what it left out of the two versions".to_owned()),
        n => (n, format!("{} that it left out", label::count(n, "line"))),
    }
}

/// Tells lines in the same words apart: whose they are, and where each side has them.
fn alike(view: &ReviewView, place: &Place) -> String {
    let at = |side: &Side, of: &str| match side.first {
        Some(line) => format!("at line {line} of {of}"),
        None => format!("on {of}"),
    };
    let by = place.agent.as_deref();
    let by = by.map_or_else(String::new, |agent| format!(" by {agent}"));
    let branch = format!("the branch by {}", view.agent);
    format!(
        "Put in twice in the same words: {}{by}, and {}. If each ends or begins something of its own, both have to stay.",
        at(&place.ours, &view.target),
        at(&place.theirs, &branch)
    )
}

fn question(view: &ReviewView, place: &Place) -> String {
    let (file, target, agent) = (&place.file, &view.target, &view.agent);
    match place.kind {
        PlaceKind::Text if place.is_alike() => alike(view, place),
        PlaceKind::Text => String::new(),
        PlaceKind::DeletedByBranch => {
            format!("{agent} deleted {file}, and {target} has changed it since.")
        }
        PlaceKind::DeletedByTarget => {
            format!("{agent} changed {file}, and {target} has deleted it since.")
        }
        PlaceKind::Whole if !place.is_editable => {
            format!("{file} is not merged line by line: {target}'s version stays, or {agent}'s.")
        }
        PlaceKind::Whole => format!(
            "{file} is not merged line by line: {target}'s version stays, {agent}'s, or one that you write."
        ),
        PlaceKind::Binary => {
            format!("{target} and {agent} changed {file}, which is not text: only one can stay.")
        }
        PlaceKind::Driven => format!(
            "The merge driver{} merged {file}: {}.",
            driver(place),
            left_out(place).1
        ),
        PlaceKind::Symlink => {
            format!("{file} is a link: {target} and {agent} let it point to different places.")
        }
        PlaceKind::Mode => {
            format!("{target} and {agent} gave {file} different permissions.")
        }
        PlaceKind::Renamed => {
            let name = |lines: &[CodeLine]| {
                let first = lines.first();
                first.map_or_else(|| file.clone(), |line| line.text.clone())
            };
            let (ours, theirs) = (name(&place.ours.lines), name(&place.theirs.lines));
            format!("The same file is called {ours} on {target}, and {theirs} by {agent}.")
        }
    }
}
