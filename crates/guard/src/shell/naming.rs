//! What an unknown part of a refusal is called in the command: `$DIR/x` says more than `<unknown>`.

use super::ast::{Param, Piece, Simple, Word};
use super::state::State;
use super::text::{self, UNKNOWN};
use crate::policy::Refusal;

/// Longer words are left out of a reason.
const LONGEST: usize = 60;

/// The refusal with the word of this command in place of what is not known of it.
pub(super) fn named(mut refusal: Refusal, simple: &Simple, st: &State) -> Refusal {
    let Some(at) = refusal.reason.find(UNKNOWN) else {
        return refusal;
    };
    let start = refusal
        .reason
        .get(..at)
        .and_then(|before| before.rfind(' '))
        .map_or(0, |blank| blank + 1);
    let rest = refusal.reason.get(start..).unwrap_or_default();
    let end = start + rest.find([' ', ';', ',']).unwrap_or(rest.len());
    let shown = refusal.reason.get(start..end).unwrap_or_default();
    let targets = simple.redirects.iter().map(|redirect| &redirect.target);
    let name = simple
        .words
        .iter()
        .chain(targets)
        .filter(|word| is_unknown(word, st) && fits(word, shown))
        .map(spelled)
        .find(|name| name.len() <= LONGEST && !name.contains(['\n', ' ', ';']));
    if let Some(name) = name {
        refusal.reason.replace_range(start..end, &name);
    }
    refusal
}

/// Whether something in the word is not known before it runs.
fn is_unknown(word: &Word, st: &State) -> bool {
    word.pieces.iter().any(|piece| match piece {
        Piece::Text { .. } | Piece::Tilde(_) => false,
        Piece::Param { param, .. } => {
            let known = st.var(&param.name).map(super::state::Var::value);
            param.op.is_some() || !known.is_some_and(|value| text::is_known(&value))
        }
        Piece::Command { .. } | Piece::Process { .. } | Piece::Arithmetic(_) => true,
    })
}

/// Whether what is shown begins and ends as the word does.
fn fits(word: &Word, shown: &str) -> bool {
    let text = |piece: Option<&Piece>| match piece {
        Some(Piece::Text { text, .. }) => text.clone(),
        Some(
            Piece::Tilde(_)
            | Piece::Param { .. }
            | Piece::Command { .. }
            | Piece::Process { .. }
            | Piece::Arithmetic(_),
        )
        | None => String::new(),
    };
    shown.starts_with(&text(word.pieces.first())) && shown.ends_with(&text(word.pieces.last()))
}

fn spelled(word: &Word) -> String {
    let piece = |piece: &Piece| match piece {
        Piece::Text { text, .. } => text::show(text),
        Piece::Tilde(name) => format!("~{name}"),
        Piece::Param { param, .. } => of_param(param),
        Piece::Command { .. } => "$(…)".to_owned(),
        Piece::Process { .. } => "<(…)".to_owned(),
        Piece::Arithmetic(_) => "$((…))".to_owned(),
    };
    word.pieces.iter().map(piece).collect()
}

fn of_param(param: &Param) -> String {
    let Param {
        name, index, op, ..
    } = param;
    let plain = index.is_none() && op.is_none() && !param.indirect && !param.length;
    if plain {
        format!("${name}")
    } else {
        format!("${{{name}…}}")
    }
}
