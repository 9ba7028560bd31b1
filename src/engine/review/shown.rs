//! One contested place with everything needed to look at it: both versions in colour, what differs in
//! them, and the lines around.

use super::exact::{Exact, described};
use super::view::{CodeLine, Decision, Driven, Place, PlaceKind, Side};
use crate::merge::{self, Around, Origin};
use crate::text::{Run, align, changed_words, highlight};
use crate::types::Timestamp;
use crate::types::merge::{DisplacedHunk, DisplacedKind};

/// More lines than these are shown without colours and without the words that differ: nobody reads them one by
/// one, and they would be waited for.
const LOOKED_UP: usize = 2000;

/// How much is found out about a place.
pub(super) enum Depth {
    /// Its text: enough to read and to decide.
    Plain,
    /// All there is, for somebody looks at it.
    Looked(Origin),
}

/// Shows one contested place.
pub(super) fn shown(
    exact: &Exact<'_>,
    place: &merge::Place,
    key: &str,
    depth: Depth,
    decision: Option<Decision>,
) -> Place {
    let origin = match depth {
        Depth::Plain => None,
        Depth::Looked(origin) => Some(origin),
    };
    let is_looked_up = origin.is_some();
    let code = |lines: &[&str]| code(is_looked_up.then_some(place.hunk.file.as_str()), lines);
    // What differs by the ends of its lines only must not look the same.
    let ends = [&place.hunk.text, &place.hunk.incoming].map(|text| text.contains("\r\n"));
    let shows_ends = ends.first() != ends.last();
    let side = |around: &Around, text: &str| side(&code, around, text, shows_ends);
    let hunk = &place.hunk;
    let kind = kind(hunk);
    let (our_text, their_text) = match &place.driven {
        Some([ours, theirs]) => (ours, theirs),
        None => (&hunk.text, &hunk.incoming),
    };
    let (mut ours, mut theirs) = (side(&place.ours, our_text), side(&place.theirs, their_text));
    if place.driven.is_some()
        || matches!(
            kind,
            PlaceKind::DeletedByBranch | PlaceKind::DeletedByTarget | PlaceKind::Whole
        )
    {
        (ours.first, theirs.first) = (Some(1), Some(1));
    }
    exact.whole(kind, &mut ours, &mut theirs);
    exact.lines(kind, &hunk.file, &mut ours, &mut theirs);
    let (old, new) = (texts(&ours.lines), texts(&theirs.lines));
    let rows = align(
        &old.iter().map(String::as_str).collect::<Vec<_>>(),
        &new.iter().map(String::as_str).collect::<Vec<_>>(),
    );
    let compared = if is_looked_up { LOOKED_UP } else { 0 };
    for row in rows.iter().filter(|row| !row.same).take(compared) {
        let (Some(at), Some(beside)) = (row.old, row.new) else {
            continue;
        };
        if let (Some(a), Some(b)) = (ours.lines.get_mut(at), theirs.lines.get_mut(beside)) {
            (a.changed, b.changed) = changed_words(&a.text, &b.text);
        }
    }
    // Colouring is what takes time: the same lines are not coloured twice.
    let result = if place.result.is_like(&place.ours) {
        Side {
            first: place.result.first,
            lines: Vec::new(),
            ..ours.clone()
        }
    } else {
        side(&place.result, "")
    };
    let is_text = matches!(kind, PlaceKind::Text | PlaceKind::Whole);
    let own = [&hunk.text, &hunk.incoming];
    let (ours_go, theirs_go) = if place.driven.is_some() {
        let gone = |text: &str, other: &str| merge::lines_without(text, other).len();
        (gone(our_text, their_text), gone(their_text, our_text))
    } else {
        let theirs = merge::lines_without(&hunk.incoming, &hunk.text).len();
        (hunk.line_count as usize, theirs)
    };
    Place {
        key: key.to_owned(),
        file: hunk.file.clone(),
        was: place.was.clone(),
        kind,
        is_looked_up,
        at_ms: origin
            .as_ref()
            .and_then(|origin| Timestamp::parse(&origin.committed_at))
            .map(|t| t.0),
        agent: origin
            .map(|origin| origin.agent)
            .filter(|agent| !agent.is_empty()),
        ours_go,
        theirs_go,
        base: code(&hunk.base.lines().collect::<Vec<_>>()),
        ours,
        theirs,
        result,
        driven: (kind == PlaceKind::Driven).then(|| driven(place, &code)),
        rows,
        // What is not UTF-8 would come back as something else.
        is_editable: (is_text && own.iter().all(|text| is_plain(text)))
            || kind == PlaceKind::Renamed,
        decision,
        answer: None,
    }
}

/// What a driver made, and of whom the lines are that it left out.
fn driven(place: &merge::Place, code: &dyn Fn(&[&str]) -> Vec<CodeLine>) -> Driven {
    let hunk = &place.hunk;
    let mut driven = Driven {
        name: hunk.driver.clone(),
        ..Driven::default()
    };
    if let Some([ours, _]) = &place.driven {
        let left_out = hunk.line_count as usize;
        // Those that the target does not have are the branch's.
        driven.theirs_go = merge::lines_without(&hunk.text, ours).len();
        driven.ours_go = left_out.saturating_sub(driven.theirs_go);
        driven.lines = code(&hunk.incoming.lines().collect::<Vec<_>>());
    }
    driven
}

fn is_plain(text: &str) -> bool {
    !text.contains('\u{fffd}')
        && !text
            .chars()
            .any(|c| c.is_control() && !matches!(c, '\n' | '\t'))
}

pub(in crate::engine) fn kind(hunk: &DisplacedHunk) -> PlaceKind {
    match hunk.kind {
        DisplacedKind::Binary if hunk.start_line > 0 && described(&hunk.incoming).is_none() => {
            PlaceKind::Whole
        }
        DisplacedKind::Text => PlaceKind::Text,
        DisplacedKind::DeletedByBranch => PlaceKind::DeletedByBranch,
        DisplacedKind::DeletedByTarget => PlaceKind::DeletedByTarget,
        DisplacedKind::Binary => PlaceKind::Binary,
        DisplacedKind::Symlink => PlaceKind::Symlink,
        DisplacedKind::Mode => PlaceKind::Mode,
        DisplacedKind::Renamed => PlaceKind::Renamed,
        DisplacedKind::Driven => PlaceKind::Driven,
    }
}

fn texts(lines: &[CodeLine]) -> Vec<String> {
    lines.iter().map(|line| line.text.clone()).collect()
}

/// One version with its surroundings, coloured in one go so that a comment or text that began before
/// the place is known.
fn side(
    code: &dyn Fn(&[&str]) -> Vec<CodeLine>,
    around: &Around,
    text: &str,
    shows_ends: bool,
) -> Side {
    let own: Vec<&str> = if shows_ends {
        text.split_terminator('\n').collect()
    } else {
        text.lines().collect()
    };
    let all: Vec<&str> = around
        .before
        .iter()
        .map(String::as_str)
        .chain(own.iter().copied())
        .chain(around.after.iter().map(String::as_str))
        .collect();
    let mut lines = code(&all);
    let after = lines.split_off(around.before.len() + own.len());
    let place = lines.split_off(around.before.len());
    Side {
        first: around.first,
        before: lines,
        lines: place,
        after,
    }
}

/// Lines as they are shown, in the colours of their file if that is named.
fn code(file: Option<&str>, lines: &[&str]) -> Vec<CodeLine> {
    let coloured = lines.get(..LOOKED_UP).unwrap_or(lines);
    let mut runs: Vec<Vec<Run>> = file.map_or_else(Vec::new, |file| highlight(file, coloured));
    runs.resize(lines.len(), Vec::new());
    lines
        .iter()
        .zip(runs)
        .map(|(text, runs)| CodeLine {
            text: (*text).to_owned(),
            runs,
            changed: Vec::new(),
        })
        .collect()
}
