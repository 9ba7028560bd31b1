//! What a merged file is put together from: lines that need no decision, lines made of both sides, and places that
//! stay open. Data only.

use std::ops::Range;

use crate::merge::lines::{Ending, join};

/// A part of the merged file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Piece<'a> {
    /// Lines that need no decision.
    Settled(Vec<&'a [u8]>),
    /// Lines made of changes of both sides.
    Woven(Woven<'a>),
    /// Both sides rewrote the same lines.
    Contested(Contest<'a>),
}

/// Lines that no side has in this form: what they were made of, and what they are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Woven<'a> {
    pub base: Vec<&'a [u8]>,
    /// Lines of the sides that are not in the result because they became part of it.
    pub lines: Vec<&'a [u8]>,
    pub result: Vec<Vec<u8>>,
}

/// Two versions of the same lines that exclude each other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Contest<'a> {
    pub base: Vec<&'a [u8]>,
    pub ours: Vec<&'a [u8]>,
    pub theirs: Vec<&'a [u8]>,
    /// Index of the first of our lines in our file.
    pub our_start: usize,
}

/// A file merged as far as the rules go.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Settlement<'a> {
    pub pieces: Vec<Piece<'a>>,
    pub ending: Ending,
    /// What each side says once, and the file would twice: for that, places are contested that were settled.
    pub twice: Vec<String>,
}

impl<'a> Settlement<'a> {
    /// Returns the contested places in order.
    pub(in crate::merge) fn contests(&self) -> impl Iterator<Item = &Contest<'a>> {
        self.pieces.iter().filter_map(|piece| match piece {
            Piece::Contested(contest) => Some(contest),
            Piece::Settled(_) | Piece::Woven(_) => None,
        })
    }

    /// Returns the lines made of changes of both sides.
    pub(in crate::merge) fn woven(&self) -> impl Iterator<Item = &Woven<'a>> {
        self.pieces.iter().filter_map(|piece| match piece {
            Piece::Woven(woven) => Some(woven),
            Piece::Settled(_) | Piece::Contested(_) => None,
        })
    }

    /// Returns the file with every contested place filled in by `choose`, called in order.
    pub(in crate::merge) fn render<'s>(
        &'s self,
        mut choose: impl FnMut(&'s Contest<'a>) -> Vec<&'s [u8]>,
    ) -> Vec<u8> {
        let mut lines: Vec<&'s [u8]> = Vec::new();
        for piece in &self.pieces {
            match piece {
                Piece::Settled(settled) => lines.extend(settled),
                Piece::Woven(woven) => lines.extend(woven.result.iter().map(Vec::as_slice)),
                Piece::Contested(contest) => lines.extend(choose(contest)),
            }
        }
        join(lines, self.ending)
    }
}

/// The lines of pieces without a contest.
pub(super) fn lines_of<'s>(pieces: &'s [Piece<'_>]) -> Vec<&'s [u8]> {
    let mut lines: Vec<&[u8]> = Vec::new();
    for piece in pieces {
        match piece {
            Piece::Settled(settled) => lines.extend(settled),
            Piece::Woven(woven) => lines.extend(woven.result.iter().map(Vec::as_slice)),
            Piece::Contested(_) => {}
        }
    }
    lines
}

pub(super) fn part<'s, 'a>(lines: &'s [&'a [u8]], range: Range<usize>) -> &'s [&'a [u8]] {
    lines.get(range).unwrap_or_default()
}

pub(super) fn push_settled<'a>(pieces: &mut Vec<Piece<'a>>, lines: &[&'a [u8]]) {
    match pieces.last_mut() {
        _ if lines.is_empty() => {}
        Some(Piece::Settled(settled)) => settled.extend_from_slice(lines),
        Some(Piece::Woven(_) | Piece::Contested(_)) | None => {
            pieces.push(Piece::Settled(lines.to_vec()));
        }
    }
}

pub(super) fn push_all<'a>(pieces: &mut Vec<Piece<'a>>, more: Vec<Piece<'a>>) {
    for piece in more {
        match piece {
            Piece::Settled(lines) => push_settled(pieces, &lines),
            Piece::Woven(_) | Piece::Contested(_) => pieces.push(piece),
        }
    }
}
