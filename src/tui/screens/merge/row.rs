//! One row of the merge queue, and which of its columns have room.

use ratatui::style::Style;

use crate::engine::review::PlaceKind;
use crate::engine::view::{
    DisplacedView, ForecastView, GateProgress, LookedOver, MergeState as QueueState, MergeStep,
    MergeView,
};
use crate::tui::action::Action;
use crate::tui::label;
use crate::tui::state::State;
use crate::tui::theme::Token;
use crate::tui::widgets::{Canvas, Column};

/// Widths at which the row is not crowded any more.
const ROOMY: u16 = 112;
const BRANCH_LEAST: u16 = 24;

/// A column of the queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ColumnId {
    Number,
    Branch,
    Agent,
    State,
    Tier,
    Files,
    Risk,
    Age,
}

impl ColumnId {
    const ALL: [Self; 8] = [
        Self::Number,
        Self::Branch,
        Self::Agent,
        Self::State,
        Self::Tier,
        Self::Files,
        Self::Risk,
        Self::Age,
    ];
    /// What goes first when room is short: the branch names the agent, the detail has the rest.
    const DROPPED: [Self; 4] = [Self::Tier, Self::Agent, Self::Files, Self::Age];

    fn least(self) -> u16 {
        match self {
            Self::Number => 2,
            Self::Branch => BRANCH_LEAST,
            Self::Agent => 14,
            Self::State => 10,
            Self::Tier => 12,
            Self::Files => 5,
            Self::Risk => 20,
            Self::Age => 6,
        }
    }

    /// Gives title and width; the branch takes what is left.
    pub(super) fn column(self, width: u16, digits: u16) -> Column {
        let (title, width) = match self {
            Self::Number => (" #", self.least().max(digits)),
            Self::Branch => ("branch", 0),
            Self::Risk => ("risk", if width >= ROOMY { 26 } else { self.least() }),
            Self::Agent => ("agent", self.least()),
            Self::State => ("state", self.least()),
            Self::Tier => ("tier", self.least()),
            Self::Files => ("files", self.least()),
            Self::Age => ("   age", self.least()),
        };
        Column { title, width }
    }
}

/// The columns that have room.
#[derive(Debug)]
pub(super) struct Shown(pub(super) Vec<ColumnId>);

impl Shown {
    /// Drops columns until the others fit.
    pub(super) fn for_width(width: u16) -> Self {
        let mut shown = ColumnId::ALL.to_vec();
        for dropped in ColumnId::DROPPED {
            let needed: u16 = shown.iter().map(|c| c.least() + 1).sum();
            if needed + 2 <= width {
                break;
            }
            shown.retain(|c| *c != dropped);
        }
        Self(shown)
    }

    fn has(&self, column: ColumnId) -> bool {
        self.0.contains(&column)
    }
}

/// What a row says.
pub(super) struct Row<'a> {
    entry: &'a MergeView,
    number: String,
    tier: String,
    risk: (String, Token),
    age: String,
}

impl<'a> Row<'a> {
    pub(super) fn of(
        state: &State,
        canvas: &mut Canvas<'_>,
        entry: &'a MergeView,
        digits: usize,
    ) -> Self {
        Self {
            entry,
            // The number that every command takes.
            number: format!("{:>1$}", entry.id, digits.max(2)),
            tier: tier(entry),
            age: match &entry.gates {
                Some(gates) => canvas.elapsed(gates.began_ms),
                None => canvas.age(
                    entry
                        .undone_ms
                        .or(entry.merged_ms)
                        .unwrap_or(entry.enqueued_ms),
                ),
            },
            risk: risk(state, canvas, entry),
        }
    }

    pub(super) fn cell(
        &self,
        canvas: &Canvas<'_>,
        column: ColumnId,
        shown: &Shown,
    ) -> (String, Style) {
        let entry = self.entry;
        let waits = entry.looked_over == LookedOver::Waits;
        let quiet = entry.state == QueueState::Merged && !waits || entry.undone_ms.is_some();
        let text = if quiet { Token::Muted } else { Token::Text };
        let (glyph, state) = canvas.look.merge_state(entry.state);
        let (words, token) = match column {
            ColumnId::Number => (self.number.clone(), Token::Muted),
            ColumnId::Branch => {
                let short = entry.branch.strip_prefix(label::USUAL_PREFIX);
                let name = short.filter(|_| !shown.has(ColumnId::Agent));
                (name.unwrap_or(&entry.branch).to_owned(), text)
            }
            ColumnId::Agent => (entry.agent.clone(), text),
            ColumnId::State if entry.undone_ms.is_some() => ("undone".to_owned(), Token::Muted),
            ColumnId::State if entry.looked_over == LookedOver::Waits => {
                let (glyph, token) = canvas.look.merge_state(QueueState::Review);
                (format!("{glyph} {}", entry.state.as_str()), token)
            }
            ColumnId::State => (format!("{glyph} {}", entry.state.as_str()), state),
            ColumnId::Tier => (self.tier.clone(), Token::Muted),
            ColumnId::Files => (format!("{:>5}", entry.files.len()), Token::Muted),
            ColumnId::Risk => (self.risk.0.clone(), self.risk.1),
            ColumnId::Age => (format!("{:>6}", self.age), Token::Muted),
        };
        (words, canvas.style(token))
    }
}

fn tier(entry: &MergeView) -> String {
    let forecast = entry.forecast.as_ref().and_then(|f| f.tier.as_deref());
    match (entry.tier.as_deref(), forecast) {
        // A forecast: what it will be is not what it was.
        (None, Some(tier)) => {
            let short = tier.split('-').next().unwrap_or(tier);
            format!("{short} (dry)")
        }
        (Some(tier), _) => tier.to_owned(),
        (None, None) => String::new(),
    }
}

/// Says how far a merge is, in a few letters.
pub(crate) fn progress(gates: &GateProgress) -> String {
    let running = (gates.done + 1).min(gates.total);
    match (gates.step, &gates.current) {
        (MergeStep::Waiting, _) => "next in line".to_owned(),
        (MergeStep::Planning, _) => "preparing".to_owned(),
        (MergeStep::Asking, Some(file)) => format!("asking about {file}"),
        (MergeStep::Asking, None) => "asking a model".to_owned(),
        (MergeStep::Behind, _) => "after the others".to_owned(),
        (MergeStep::Landing, _) => "landing".to_owned(),
        (MergeStep::Gates | MergeStep::Reverting, _) if gates.total == 0 => "no gates".to_owned(),
        (MergeStep::Gates | MergeStep::Reverting, Some(name)) => {
            format!("gates {running}/{} {name}", gates.total)
        }
        (MergeStep::Gates | MergeStep::Reverting, None) => {
            format!("gates {}/{}", gates.done, gates.total)
        }
    }
}

fn risk(state: &State, canvas: &mut Canvas<'_>, entry: &MergeView) -> (String, Token) {
    if let Some(gates) = &entry.gates {
        return (progress(gates), Token::StateWorking);
    }
    if let Some(at) = entry.undone_ms {
        let word = match entry.revert {
            Some(_) => "reverted",
            None => "taken back",
        };
        return (format!("{word} {}", canvas.time(at)), Token::Muted);
    }
    match entry.state {
        QueueState::Merged if entry.looked_over == LookedOver::Waits => {
            (lines(&entry.displaced), Token::DiffDisplaced)
        }
        QueueState::Merged => landed(state, canvas, entry),
        QueueState::Merging => (canvas.g().ellipsis.to_owned(), Token::Muted),
        QueueState::Pending if entry.looked_at => ("dry run only".to_owned(), Token::Muted),
        QueueState::Pending => match &entry.forecast {
            None => (canvas.g().ellipsis.to_owned(), Token::Muted),
            Some(forecast) => forecast_risk(entry, forecast),
        },
        QueueState::Review | QueueState::Conflict | QueueState::Failed => trouble(entry),
    }
}

fn landed(state: &State, canvas: &Canvas<'_>, entry: &MergeView) -> (String, Token) {
    let time = entry
        .merged_ms
        .map(|at| canvas.time(at))
        .unwrap_or_default();
    let is_next = state.merge.undo_target().is_some_and(|m| m.id == entry.id);
    let key = state
        .keymap
        .key_for(state.scope(), Action::MergeUndo)
        .filter(|_| is_next && entry.receipt.is_some());
    match key {
        Some(key) => (format!("{time}  {key} undo"), Token::Muted),
        None => (time, Token::Muted),
    }
}

fn forecast_risk(entry: &MergeView, forecast: &ForecastView) -> (String, Token) {
    if let Some(problem) = &forecast.problem {
        return (problem.clone(), Token::LevelError);
    }
    if forecast.held.is_some() {
        return ("held for a person".to_owned(), Token::LevelWarn);
    }
    if !forecast.displaced.is_empty() {
        return (lines(&forecast.displaced), Token::DiffDisplaced);
    }
    if let Some((what, meets)) = entry
        .overlaps
        .iter()
        .find_map(|o| Some((o.kind.risk()?, o)))
    {
        return (format!("{what}: {}", meets.agent), Token::LevelWarn);
    }
    match forecast.conflict_files.as_slice() {
        [] => ("none".to_owned(), Token::Muted),
        [only] => (format!("{only} combines"), Token::Muted),
        files => (format!("{} files combine", files.len()), Token::Muted),
    }
}

/// Says in a few letters what would go, or what has to be decided.
fn lines(displaced: &[DisplacedView]) -> String {
    let whole: Vec<&str> = displaced.iter().filter_map(|d| whole(d.kind)).collect();
    let lines: u32 = displaced.iter().map(|d| d.lines).sum();
    let lines = label::count(lines as usize, "line");
    match whole.as_slice() {
        [] => format!("{lines} displaced"),
        [only] if displaced.len() == 1 => (*only).to_owned(),
        all if all.len() == displaced.len() => label::count(all.len(), "whole file"),
        all => format!("{lines}, {}", label::count(all.len(), "file")),
    }
}

/// Names a conflict that is not about lines.
fn whole(kind: PlaceKind) -> Option<&'static str> {
    match kind {
        PlaceKind::Text | PlaceKind::Whole | PlaceKind::DeletedByBranch | PlaceKind::Driven => None,
        PlaceKind::DeletedByTarget => Some("deleted here"),
        PlaceKind::Binary => Some("not text"),
        PlaceKind::Symlink => Some("two link targets"),
        PlaceKind::Mode => Some("permissions differ"),
        PlaceKind::Renamed => Some("two names"),
    }
}

fn trouble(entry: &MergeView) -> (String, Token) {
    if let Some(red) = &entry.red_gate {
        return (format!("gate {} is red", red.name), Token::LevelError);
    }
    if let Some(error) = entry.error.as_ref().filter(|_| entry.in_passing) {
        return (error.clone(), Token::LevelError);
    }
    if !entry.displaced.is_empty() {
        return (lines(&entry.displaced), Token::DiffDisplaced);
    }
    match (entry.conflict_files.as_slice(), &entry.error) {
        ([only], _) => (only.clone(), Token::LevelWarn),
        ([_, _, ..], _) => (
            format!("{} files conflict", entry.conflict_files.len()),
            Token::LevelWarn,
        ),
        ([], Some(error)) => (error.clone(), Token::LevelError),
        ([], None) => (String::new(), Token::Muted),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_go_one_after_the_other_and_the_last_four_stay() {
        let shown = |width| Shown::for_width(width).0;
        assert_eq!(shown(118), ColumnId::ALL);
        let narrow = shown(78);
        assert!(!narrow.contains(&ColumnId::Tier) && !narrow.contains(&ColumnId::Agent));
        assert!(narrow.contains(&ColumnId::Files) && narrow.contains(&ColumnId::Age));
        let least = [
            ColumnId::Number,
            ColumnId::Branch,
            ColumnId::State,
            ColumnId::Risk,
        ];
        assert_eq!(shown(30), least);
    }
}
