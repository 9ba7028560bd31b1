//! Whether a settlement balances, so that nothing is offered that the account of the merge would refuse in the end.

use crate::merge::account::{Claim, SettledText, refused};

use super::pieces::{Piece, Settlement};

/// The lines that the account refuses, with the branch's side in contested places.
pub(super) fn refused_lines(
    base: Option<&[u8]>,
    [ours, theirs]: [&[u8]; 2],
    settlement: &Settlement<'_>,
) -> Vec<String> {
    let result = settlement.render(|contest| contest.theirs.clone());
    let mut text = SettledText::new(base, [ours, theirs], &result);
    for piece in &settlement.pieces {
        match piece {
            Piece::Settled(_) => {}
            Piece::Woven(woven) => {
                text.woven.push(Claim {
                    base: woven.base.clone(),
                    lines: woven.lines.clone(),
                    result: woven.result.iter().map(Vec::as_slice).collect(),
                });
            }
            Piece::Contested(contest) => {
                let versions = [&contest.base, &contest.ours, &contest.theirs];
                text.contested.push(versions.map(Vec::as_slice));
            }
        }
    }
    refused(&text)
}
