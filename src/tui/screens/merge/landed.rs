//! What the receipt of a landed merge says, and what became of one that was taken back.

use super::lines::{Line, gone_line, key, target, time};
use crate::engine::view::{
    AttemptView, LookedOver, MergeState as QueueState, MergeView, ReceiptView,
};
use crate::tui::action::Action;
use crate::tui::label;
use crate::tui::state::State;
use crate::tui::theme::Token;

/// Says what became of a merge that was taken back.
pub(super) fn undone(state: &State, entry: &MergeView, at: i64) -> Vec<Line> {
    let target = target(state);
    let when = time(state, at);
    let what = match &entry.revert {
        Some(commit) => format!("reverted {when} by {} on {target}", short(commit)),
        None => format!("taken back {when}: {target} does not have it"),
    };
    let next = format!(
        "{}, {}; the branch is as it was",
        key(state, Action::MergeNow, "lands it again"),
        key(state, Action::DropMerge, "takes it off this list")
    );
    vec![(what, Token::Text), (next, Token::Muted)]
}

/// Lists what was tried before. What the last attempt came to is said already.
pub(super) fn attempts(state: &State, entry: &MergeView) -> Vec<Line> {
    let list = state.merge.attempts_of(entry.id);
    let told = match entry.state {
        QueueState::Pending | QueueState::Merging => 0,
        QueueState::Review | QueueState::Conflict | QueueState::Failed | QueueState::Merged => {
            usize::from(entry.undone_ms.is_none())
        }
    };
    if list.len() <= told {
        return Vec::new();
    }
    let head = match list.len() {
        1 => "1 attempt:".to_owned(),
        n => format!("{n} attempts, the newest first:"),
    };
    let rows = list.iter().map(|attempt| tried(state, attempt));
    std::iter::once((head, Token::Muted)).chain(rows).collect()
}

fn tried(state: &State, attempt: &AttemptView) -> Line {
    let when = time(state, attempt.at_ms);
    let Some(commit) = &attempt.commit else {
        let why = attempt.why.as_deref().unwrap_or("it did not land");
        return (format!("  {when:<9} {why}"), Token::Text);
    };
    let tier = attempt.tier.as_deref().unwrap_or("merged");
    let since = match (attempt.undone_ms, &attempt.revert) {
        (Some(at), Some(revert)) => {
            format!(", reverted {} by {}", time(state, at), short(revert))
        }
        (Some(at), None) => format!(", taken back {}", time(state, at)),
        (None, _) => String::new(),
    };
    let commit = short(commit);
    (
        format!("  {when:<9} landed as {commit} ({tier}){since}"),
        Token::Text,
    )
}

fn short(commit: &str) -> String {
    commit.chars().take(8).collect()
}

/// Says what the receipt of a landed merge says.
pub(in crate::tui::screens) fn landed(state: &State, entry: &MergeView) -> Vec<Line> {
    let target = target(state);
    let time = entry
        .merged_ms
        .map(|at| format!(" {}", time(state, at)))
        .unwrap_or_default();
    let tier = entry.tier.as_deref().unwrap_or("merged");
    let Some(receipt) = &entry.receipt else {
        return vec![(
            format!("landed on {target}{time} ({tier}); there is no receipt"),
            Token::LevelOk,
        )];
    };
    let mut rows = vec![(
        format!(
            "landed on {target}{time} as {} ({tier})",
            short(&receipt.commit)
        ),
        Token::LevelOk,
    )];
    rows.extend(looked_over(state, entry));
    rows.push(account(receipt));
    rows.push(gates_of(state, receipt));
    let notes = entry.warnings.iter();
    rows.extend(notes.map(|note| (note.clone(), Token::LevelWarn)));
    rows.extend(receipt.kept_twice.iter().map(|(file, lines)| {
        let lines = label::count(*lines as usize, "equal line");
        let text = format!("  {file:<22} both sides put in {lines}, kept twice");
        (text, Token::LevelWarn)
    }));
    rows.extend(entry.displaced.iter().map(|h| gone_line(state, h)));
    let undo = key(state, Action::MergeUndo, "takes it back");
    rows.push((
        format!(
            "before: {}  {}  {undo}",
            short(&receipt.before),
            receipt.undo_ref
        ),
        Token::Muted,
    ));
    rows
}

/// Says what a person has made of what was displaced without asking.
fn looked_over(state: &State, entry: &MergeView) -> Option<Line> {
    match &entry.looked_over {
        LookedOver::NotNeeded => None,
        LookedOver::Waits => {
            let key = key(state, Action::Open, "reviews it");
            let what = if entry.decided > 0 {
                "what is decided about what it displaced has not landed"
            } else {
                "nobody has looked yet at what it displaced"
            };
            let text = format!("{what}; {key}");
            Some((text, Token::StateNeedsYou))
        }
        LookedOver::Kept { at_ms } => {
            let text = format!("looked at {}: it stays as it landed", time(state, *at_ms));
            Some((text, Token::Text))
        }
        LookedOver::Decided { at_ms, branch } => {
            let text = format!("decided otherwise {}: {branch}", time(state, *at_ms));
            Some((text, Token::Text))
        }
    }
}

fn account(receipt: &ReceiptView) -> Line {
    let token = if receipt.displaced > 0 {
        Token::DiffDisplaced
    } else {
        Token::Text
    };
    let woven = match receipt.woven {
        0 => String::new(),
        n => format!(", {n} woven into others"),
    };
    let text = format!(
        "lines: {} kept, {} deleted on purpose{woven}, {} displaced; files: {} compared, {} changed on one side only",
        receipt.kept, receipt.removed, receipt.displaced, receipt.compared, receipt.taken_whole
    );
    (text, token)
}

fn gates_of(state: &State, receipt: &ReceiptView) -> Line {
    let done = state.look.glyphs.done;
    let gates = receipt.gates.iter().map(|gate| {
        let again = match gate.attempts {
            0 | 1 => String::new(),
            n => format!(", attempt {n}"),
        };
        format!(
            "{done} {} {}{again}",
            gate.name,
            label::took(gate.duration_ms)
        )
    });
    let gates: Vec<String> = gates.collect();
    if gates.is_empty() {
        return ("gates: none were configured".to_owned(), Token::Muted);
    }
    (format!("gates: {}", gates.join("  ")), Token::Text)
}
