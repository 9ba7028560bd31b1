//! Conflicted paths that can only be taken as a whole: from one side, or as a merge driver made them.

use std::borrow::Cow;

use crate::git::{Entry, EntryKind, GitError, Repo, is_binary, path_name};
use crate::types::merge::{DisplacedHunk, DisplacedKind, DisplacedPart};

use super::drivers::{Driven, LeftOut, MissingLine, left_out};
use crate::merge::account::readable;
use crate::merge::answers::{Answers, Decision};
use crate::merge::attribution::{Attribution, Origin, Place, Stretch};
use crate::merge::conflict::{PathSettler, SettledPath, kept_bytes, lines_without, listed, lossy};
use crate::merge::lines::{between_newlines, line_key};
use crate::merge::settle::How;

/// Settles a path that a driver has merged, as the next answer says; without one, and where both sides are asked
/// for, what it made stays. What that leaves out is listed.
pub(in crate::merge) fn settle_driven(
    repo: &Repo,
    file: &Driven,
    attribution: &mut Attribution<'_>,
    answers: &mut Answers<'_>,
) -> Result<(Entry, Option<DisplacedHunk>), GitError> {
    let name = path_name(&file.path);
    let answer = answers.next();
    let mut path = PathSettler {
        repo,
        target_name: name.clone(),
        name_bytes: kept_bytes(&file.path),
        name,
        how: How {
            driver: Some(file.driver.clone()),
            ..How::default()
        },
        attribution,
        answers,
    };
    let entry = match answer {
        None | Some(Decision::Both | Decision::BothReversed) => file.result,
        Some(Decision::Ours) => file.ours,
        Some(Decision::Theirs) => file.theirs,
        Some(Decision::Text(text)) => Entry {
            kind: file.result.kind,
            id: repo.write_blob(text.as_bytes())?,
        },
    };
    let mut hunk = path.hunk(DisplacedKind::Driven, file.ours, file.theirs);
    match left_out(repo, file, entry)? {
        LeftOut::Nothing => return Ok((entry, None)),
        LeftOut::Content => {}
        LeftOut::Lines(lines) => {
            let first = lines.all().next();
            hunk.start_line = first.map_or(1, |line| line.number);
            hunk.line_count = lines.all().count() as u64;
            hunk.text = lines.all().map(|line| format!("{}\n", line.text)).collect();
            hunk.incoming = lossy(&repo.blob(entry.id)?);
            let numbers = |lines: &[MissingLine]| lines.iter().map(|line| line.number).collect();
            let (ours, theirs): (Vec<u64>, Vec<u64>) =
                (numbers(&lines.ours), numbers(&lines.theirs));
            let target_name = path.target_name;
            let (origin, parts) = path.attribution.of_sides(&target_name, &ours, &theirs);
            credit(&mut hunk, origin, parts);
        }
    }
    Ok((entry, Some(hunk)))
}

impl PathSettler<'_, '_, '_> {
    /// A text that must not be merged as one: each side has it as a whole.
    pub(in crate::merge) fn whole_text(
        &mut self,
        base: &[u8],
        [ours, theirs]: [(Entry, &[u8]); 2],
    ) -> Result<SettledPath, GitError> {
        let mut hunk = self.hunk(DisplacedKind::Binary, ours.0, theirs.0);
        hunk.start_line = 1;
        hunk.base = lossy(base);
        (hunk.text, hunk.text_bytes) = (lossy(ours.1), kept_bytes(ours.1));
        (hunk.incoming, hunk.incoming_bytes) = (lossy(theirs.1), kept_bytes(theirs.1));
        hunk.line_count = lines_without(&hunk.text, &hunk.incoming).len() as u64;
        let (origin, parts) = self.of_file([base, ours.1, theirs.1]);
        credit(&mut hunk, origin, parts);
        let mut settled = self.whole(hunk, Some(ours.0), Some(theirs.0))?;
        if !self.answers.are_awaited() {
            each_displaced(&mut settled, only_gone);
        }
        Ok(settled)
    }

    /// A version is no text: each side goes as a whole. Of a side that is text, the lines are listed.
    pub(in crate::merge) fn binary(
        &mut self,
        base: &[u8],
        [ours, theirs]: [(Entry, &[u8]); 2],
    ) -> Result<SettledPath, GitError> {
        let answer = self.answers.next();
        let (entry, written) = match answer {
            Some(Decision::Ours) => (ours.0, None),
            None | Some(Decision::Theirs | Decision::Both | Decision::BothReversed) => {
                (theirs.0, None)
            }
            Some(Decision::Text(text)) => {
                let id = self.repo.write_blob(text.as_bytes())?;
                let kind = theirs.0.kind;
                (Entry { kind, id }, Some(text.as_str()))
            }
        };
        let mut displaced = Vec::new();
        if entry != ours.0 {
            displaced.extend(self.version_gone(base, [ours, theirs], written));
        }
        if entry != theirs.0
            && let Some(gone) = self.version_gone(base, [theirs, ours], written)
        {
            let origin = self.attribution.of_branch();
            displaced.push(DisplacedHunk {
                agent: origin.agent,
                commit: origin.commit,
                committed_at: origin.committed_at,
                ..gone
            });
        }
        Ok(SettledPath::Entry {
            entry: Some(entry),
            woven: Vec::new(),
            displaced,
            twice: Vec::new(),
        })
    }

    /// What goes with a version, given what has been written instead of both.
    fn version_gone(
        &mut self,
        base: &[u8],
        [gone, other]: [(Entry, &[u8]); 2],
        written: Option<&str>,
    ) -> Option<DisplacedHunk> {
        let mut hunk = self.hunk(DisplacedKind::Binary, gone.0, other.0);
        if !is_binary(base) {
            hunk.base = lossy(base);
        }
        if !is_binary(other.1) {
            (hunk.incoming, hunk.incoming_bytes) = (lossy(other.1), kept_bytes(other.1));
        }
        let text = lossy(gone.1);
        let there = match written {
            None => Cow::Owned(lossy(&readable(other.1))),
            Some(written) => Cow::Borrowed(written),
        };
        let lines = lines_without(&text, &there);
        if is_binary(gone.1) || (lines.is_empty() && written.is_none()) {
            return Some(hunk);
        }
        hunk.start_line = 1;
        hunk.line_count = lines.len() as u64;
        (hunk.text, hunk.text_bytes) = if self.answers.are_awaited() {
            (text.clone(), kept_bytes(gone.1))
        } else {
            listed(&lines, &kept_bytes(gone.1))
        };
        (!lines.is_empty()).then_some(hunk)
    }

    /// Neither side is a plain file: links can be shown and decided, the rest cannot.
    pub(in crate::merge) fn special(
        &mut self,
        ours: Entry,
        theirs: Entry,
    ) -> Result<SettledPath, GitError> {
        match (ours.kind, theirs.kind) {
            (EntryKind::Symlink, EntryKind::Symlink) => {
                let mut hunk = self.hunk(DisplacedKind::Symlink, ours, theirs);
                hunk.text = lossy(&self.repo.blob(ours.id)?);
                hunk.incoming = lossy(&self.repo.blob(theirs.id)?);
                hunk.line_count = 1;
                self.whole(hunk, Some(ours), Some(theirs))
            }
            (EntryKind::Submodule, _) | (_, EntryKind::Submodule) => Ok(SettledPath::Submodule),
            (EntryKind::File | EntryKind::Executable | EntryKind::Symlink, _) => {
                Ok(SettledPath::Structure)
            }
        }
    }

    pub(in crate::merge) fn deleted_by_branch(
        &mut self,
        ours: Entry,
    ) -> Result<SettledPath, GitError> {
        if ours.kind == EntryKind::Submodule {
            return Ok(SettledPath::Submodule);
        }
        let bytes = self.repo.blob(ours.id)?;
        let mut hunk = self.hunk(DisplacedKind::DeletedByBranch, ours, ours);
        hunk.incoming = String::new();
        if ours.kind == EntryKind::Symlink {
            // Where it leads is what it says, and no line of it.
            hunk.text = lossy(&bytes);
        } else if !is_binary(&bytes) {
            hunk.start_line = 1;
            (hunk.text, hunk.text_bytes) = (lossy(&bytes), kept_bytes(&bytes));
            hunk.line_count = count_lines(hunk.text.lines());
            (_, hunk.parts) = self.of_file([b"", &bytes, b""]);
        }
        let settled = self.whole(hunk, Some(ours), None)?;
        Ok(without_lines_if(is_binary(&bytes), settled))
    }

    /// Whose the target's version of a file is, which the branch's would replace: of base, ours and theirs.
    fn of_file(&mut self, texts: [&[u8]; 3]) -> (Origin, Vec<DisplacedPart>) {
        let [base, ours, theirs] = texts.map(lines_of);
        let place = Place {
            at: Stretch {
                start: 1,
                count: ours.len() as u64,
                is_new: true,
            },
            base: &base,
            ours: &ours,
            theirs: &theirs,
        };
        self.attribution.of_place(&self.target_name, place)
    }

    pub(in crate::merge) fn deleted_by_target(
        &mut self,
        base: Entry,
        theirs: Entry,
    ) -> Result<SettledPath, GitError> {
        if theirs.kind == EntryKind::Submodule {
            return Ok(SettledPath::Submodule);
        }
        let mut hunk = self.hunk(DisplacedKind::DeletedByTarget, base, theirs);
        hunk.text = String::new();
        let bytes = self.repo.blob(theirs.id)?;
        if !is_binary(&bytes) {
            (hunk.incoming, hunk.incoming_bytes) = (lossy(&bytes), kept_bytes(&bytes));
            // Where it is decided what goes, it tells whose that is.
            if self.answers.are_given() && base.kind != EntryKind::Submodule {
                hunk.base = lossy(&readable(&self.repo.blob(base.id)?));
            }
        }
        let settled = self.whole(hunk, None, Some(theirs))?;
        Ok(without_lines_if(is_binary(&bytes), settled))
    }

    /// A path that can only be taken from one side as a whole.
    pub(in crate::merge) fn whole(
        &mut self,
        hunk: DisplacedHunk,
        ours: Option<Entry>,
        theirs: Option<Entry>,
    ) -> Result<SettledPath, GitError> {
        let answer = self.answers.next();
        let entry = match answer {
            Some(Decision::Ours) => ours,
            None | Some(Decision::Theirs | Decision::Both | Decision::BothReversed) => theirs,
            Some(Decision::Text(text)) => Some(Entry {
                kind: theirs.or(ours).map_or(EntryKind::File, |entry| entry.kind),
                id: self.repo.write_blob(text.as_bytes())?,
            }),
        };
        Ok(SettledPath::Entry {
            entry,
            woven: Vec::new(),
            displaced: self.given_up(hunk, answer),
            twice: Vec::new(),
        })
    }

    pub(in crate::merge) fn hunk(
        &mut self,
        kind: DisplacedKind,
        ours: Entry,
        theirs: Entry,
    ) -> DisplacedHunk {
        let origin = self.attribution.of_file(&self.target_name);
        let describe = |entry: Entry| {
            let said = format!("{:?} {}", entry.kind, entry.id).to_lowercase();
            match self.repo.blob_size(entry.id) {
                Ok(size) => format!("{said}, {size} bytes"),
                // A commit of a submodule.
                Err(_) => said,
            }
        };
        DisplacedHunk {
            file: self.name.clone(),
            file_bytes: self.name_bytes.clone(),
            kind,
            start_line: 0,
            agent: origin.agent,
            commit: origin.commit,
            committed_at: origin.committed_at,
            line_count: 0,
            base: String::new(),
            text: describe(ours),
            incoming: describe(theirs),
            text_bytes: String::new(),
            incoming_bytes: String::new(),
            driver: self.how.driver.clone().unwrap_or_default(),
            parts: Vec::new(),
        }
    }
}

fn credit(hunk: &mut DisplacedHunk, origin: Origin, parts: Vec<DisplacedPart>) {
    hunk.agent = origin.agent;
    hunk.commit = origin.commit;
    hunk.committed_at = origin.committed_at;
    hunk.parts = parts;
}

/// The lines of a file, without what ends them.
fn lines_of(text: &[u8]) -> Vec<&[u8]> {
    if text.is_empty() {
        return Vec::new();
    }
    let lines = between_newlines(text.strip_suffix(b"\n").unwrap_or(text)).into_iter();
    lines.map(line_key).collect()
}

fn each_displaced(settled: &mut SettledPath, change: fn(&mut DisplacedHunk)) {
    match settled {
        SettledPath::Entry { displaced, .. } => displaced.iter_mut().for_each(change),
        SettledPath::Submodule | SettledPath::Structure => {}
    }
}

/// Lists those lines of a version that are not in the result.
fn only_gone(hunk: &mut DisplacedHunk) {
    let lines = lines_without(&hunk.text, &hunk.incoming);
    // Of what somebody has written instead of both versions, it has been listed already.
    if lines.len() as u64 == hunk.line_count {
        (hunk.text, hunk.text_bytes) = listed(&lines, &hunk.text_bytes);
    }
}

/// Of what is no text, a version goes and no line: what stands for it is none.
fn without_lines_if(is_binary: bool, mut settled: SettledPath) -> SettledPath {
    if is_binary {
        each_displaced(&mut settled, |hunk| hunk.line_count = 0);
    }
    settled
}

fn count_lines<'a>(lines: impl Iterator<Item = &'a str>) -> u64 {
    lines.filter(|line| !line.trim().is_empty()).count() as u64
}
