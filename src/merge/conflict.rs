//! One conflicted path: which rule applies to its three versions, and what the merged tree gets there.
//! Reads and writes blobs; leaves refs, trees and checkouts alone.

use std::borrow::Cow;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;

use crate::git::{ConflictedPath, Entry, EntryKind, GitError, Repo, is_binary};
use crate::types::merge::{DisplacedHunk, DisplacedKind, DisplacedPart, WovenLine};

use super::answers::{Answers, Decision};
use super::attribution::{Attribution, GivenUp, Origin, Place, Stretch, own_parts};
use super::lines::{between_newlines, is_blank, line_key, pick, without};
use super::settle::{Contest, How, Settlement, Woven, settle_unless_asked};

/// What became of a conflicted path.
pub(crate) enum SettledPath {
    /// The tree gets this entry (`None`: no such path).
    Entry {
        entry: Option<Entry>,
        woven: Vec<WovenLine>,
        displaced: Vec<DisplacedHunk>,
        /// What is contested because the file would say it twice.
        twice: Vec<String>,
    },
    /// Both sides moved a submodule.
    Submodule,
    /// The stages make no sense as one path's history.
    Structure,
}

/// Settles one path as far as the rules go. Contested places follow the answers; without one they
/// take the branch's side and are listed. The target may have the file under another name.
pub(crate) fn settle_path(
    repo: &Repo,
    (conflict, target_name): (&ConflictedPath, String),
    how: How<'_>,
    attribution: &mut Attribution<'_>,
    answers: &mut Answers<'_>,
) -> Result<SettledPath, GitError> {
    PathSettler {
        repo,
        name: conflict.name(),
        name_bytes: kept_bytes(&conflict.path),
        target_name,
        how,
        attribution,
        answers,
    }
    .settled(conflict)
}

pub(super) struct PathSettler<'a, 'r, 'd> {
    pub(super) repo: &'a Repo,
    /// What the path is called in the result.
    pub(super) name: String,
    /// Its bytes in base64, where they are not UTF-8.
    pub(super) name_bytes: String,
    /// What it is called on the target, for finding out who wrote its lines.
    pub(super) target_name: String,
    pub(super) how: How<'a>,
    pub(super) attribution: &'a mut Attribution<'r>,
    pub(super) answers: &'a mut Answers<'d>,
}

impl PathSettler<'_, '_, '_> {
    fn settled(&mut self, conflict: &ConflictedPath) -> Result<SettledPath, GitError> {
        match (conflict.base, conflict.ours, conflict.theirs) {
            (Some(base), Some(ours), Some(theirs)) => self.changed_by_both(base, ours, theirs),
            (None, Some(ours), Some(theirs)) => self.added_by_both(ours, theirs),
            (Some(_), Some(ours), None) => self.deleted_by_branch(ours),
            (Some(base), None, Some(theirs)) => self.deleted_by_target(base, theirs),
            (_, Some(_), None) | (_, None, _) => Ok(SettledPath::Structure),
        }
    }

    fn changed_by_both(
        &mut self,
        base: Entry,
        ours: Entry,
        theirs: Entry,
    ) -> Result<SettledPath, GitError> {
        if [base, ours, theirs].iter().all(|e| e.kind.is_regular()) {
            let kind = pick(base.kind, ours.kind, theirs.kind);
            let bytes = [
                self.repo.blob(base.id)?,
                self.repo.blob(ours.id)?,
                self.repo.blob(theirs.id)?,
            ];
            let [base_text, our_text, their_text] = &bytes;
            if bytes.iter().any(|bytes| is_binary(bytes)) {
                let [ours, theirs] = [ours, theirs].map(|entry| Entry { kind, ..entry });
                return self.binary(base_text, [(ours, our_text), (theirs, their_text)]);
            }
            if self.how.driver.is_some() {
                let [ours, theirs] = [ours, theirs].map(|entry| Entry { kind, ..entry });
                return self.whole_text(base_text, [(ours, our_text), (theirs, their_text)]);
            }
            let [base, ours, theirs] = &bytes;
            let settled = self.settled_text(Some(base), [ours, theirs])?;
            return self.text(&settled, kind);
        }
        self.special(ours, theirs)
    }

    fn added_by_both(&mut self, ours: Entry, theirs: Entry) -> Result<SettledPath, GitError> {
        if ours.kind.is_regular() && theirs.kind.is_regular() {
            if ours.id == theirs.id {
                // Same content, one of them executable.
                let hunk = self.hunk(DisplacedKind::Mode, ours, theirs);
                return self.whole(hunk, Some(ours), Some(theirs));
            }
            let bytes = [self.repo.blob(ours.id)?, self.repo.blob(theirs.id)?];
            let [our_bytes, their_bytes] = &bytes;
            if bytes.iter().any(|bytes| is_binary(bytes)) {
                return self.binary(b"", [(ours, our_bytes), (theirs, their_bytes)]);
            }
            if self.how.driver.is_some() {
                return self.whole_text(b"", [(ours, our_bytes), (theirs, their_bytes)]);
            }
            let settled = self.settled_text(None, [our_bytes, their_bytes])?;
            let settled = self.text(&settled, theirs.kind)?;
            if ours.kind == theirs.kind {
                return Ok(settled);
            }
            let mode = self.hunk(DisplacedKind::Mode, ours, theirs);
            let answer = self.answers.next();
            let kind = match answer {
                Some(Decision::Ours) => ours.kind,
                Some(
                    Decision::Theirs | Decision::Both | Decision::BothReversed | Decision::Text(_),
                )
                | None => theirs.kind,
            };
            let mode = self.given_up(mode, answer);
            return Ok(match settled {
                SettledPath::Entry {
                    entry,
                    woven,
                    mut displaced,
                    twice,
                } => {
                    displaced.extend(mode);
                    SettledPath::Entry {
                        entry: entry.map(|entry| Entry { kind, ..entry }),
                        woven,
                        displaced,
                        twice,
                    }
                }
                SettledPath::Submodule | SettledPath::Structure => settled,
            });
        }
        self.special(ours, theirs)
    }

    fn settled_text<'t>(
        &self,
        base: Option<&'t [u8]>,
        sides: [&'t [u8]; 2],
    ) -> Result<Settlement<'t>, GitError> {
        let settled =
            settle_unless_asked(&self.name, base, sides, (self.how.rules, self.how.cancel));
        settled.ok_or_else(|| GitError::Interrupted {
            command: "merge".to_owned(),
        })
    }

    fn text(
        &mut self,
        settlement: &Settlement<'_>,
        kind: EntryKind,
    ) -> Result<SettledPath, GitError> {
        if let Some(content) = self.answers.file(&self.name) {
            let id = self.repo.write_blob(content.as_bytes())?;
            // What the rules make of lines of both sides is right in an answer, too.
            let lines = between_newlines(content.as_bytes()).into_iter();
            let mut left: Vec<&[u8]> = lines.map(line_key).collect();
            let is_there = |woven: &&Woven<'_>| {
                let result: Vec<&[u8]> = woven.result.iter().map(Vec::as_slice).collect();
                let rest = without(&left, &result);
                let is_there = rest.len() + result.len() == left.len();
                if is_there {
                    left = rest;
                }
                is_there
            };
            let woven = settlement.woven().filter(is_there);
            return Ok(SettledPath::Entry {
                entry: Some(Entry { kind, id }),
                woven: woven.map(|woven| self.declared(woven)).collect(),
                displaced: Vec::new(),
                twice: Vec::new(),
            });
        }
        let places: Vec<Stretch> = settlement.contests().map(stretch).collect();
        self.attribution.look_up(&self.target_name, &places);
        let mut chosen = Vec::new();
        let mut displaced = Vec::new();
        for contest in settlement.contests() {
            let hunk = self.contested(contest);
            let answer = self.answers.next();
            chosen.push((chosen_lines(contest, answer), self.answers.mark()));
            displaced.extend(self.given_up(hunk, answer));
        }
        let mut chosen = chosen.iter();
        let merged = settlement.render(|_| match chosen.next() {
            Some((_, Some(mark))) => vec![mark.as_bytes()],
            Some((lines, None)) => lines.clone(),
            None => Vec::new(),
        });
        let id = self.repo.write_blob(&merged)?;
        let woven = settlement.woven().map(|woven| self.declared(woven));
        Ok(SettledPath::Entry {
            entry: Some(Entry { kind, id }),
            woven: woven.collect(),
            displaced,
            twice: settlement.twice.clone(),
        })
    }

    fn declared(&self, woven: &Woven<'_>) -> WovenLine {
        WovenLine {
            file: self.name.clone(),
            base: lossy(&woven.base.join(&b'\n')),
            lines: woven.lines.iter().map(|line| lossy(line)).collect(),
            result: lossy(&woven.result.join(&b'\n')),
        }
    }

    fn contested(&mut self, contest: &Contest<'_>) -> DisplacedHunk {
        let place = stretch(contest);
        let (origin, parts) = self.attribution.of_place(
            &self.target_name,
            Place {
                at: place,
                base: &contest.base,
                ours: &contest.ours,
                theirs: &contest.theirs,
            },
        );
        // Lines the branch has too stay in the file: they are not lost.
        let lost = without(&contest.ours, &contest.theirs);
        let line_count = lost.iter().filter(|line| !is_blank(line)).count() as u64;
        DisplacedHunk {
            file: self.name.clone(),
            file_bytes: self.name_bytes.clone(),
            kind: DisplacedKind::Text,
            start_line: place.start,
            agent: origin.agent,
            commit: origin.commit,
            committed_at: origin.committed_at,
            line_count,
            base: joined(&contest.base),
            text: joined(&contest.ours),
            incoming: joined(&contest.theirs),
            text_bytes: kept_bytes(&joined_bytes(&contest.ours)),
            incoming_bytes: kept_bytes(&joined_bytes(&contest.theirs)),
            driver: String::new(),
            parts,
        }
    }

    /// What is not in the result because of an answer, as the receipt will list it: what the target has given up
    /// under who brought it there, what the branch has under the branch.
    pub(super) fn given_up(
        &mut self,
        hunk: DisplacedHunk,
        answer: Option<&Decision>,
    ) -> Vec<DisplacedHunk> {
        match answer {
            None | Some(Decision::Theirs) => vec![hunk],
            Some(Decision::Ours) => {
                let count = if hunk.is_version() {
                    0
                } else {
                    lines_without(&hunk.incoming, &hunk.text).len() as u64
                };
                let gone = (hunk.incoming.clone(), hunk.incoming_bytes.clone());
                let gone = self.of_branch(&hunk, gone, (count, &hunk.text));
                gone.into_iter().collect()
            }
            Some(Decision::Both | Decision::BothReversed) => {
                // Both versions of a text fit in one file; of anything else only one does.
                let is_text = hunk.kind == DisplacedKind::Text;
                (!is_text).then_some(hunk).into_iter().collect()
            }
            Some(Decision::Text(text)) => {
                let ours = lines_without(&hunk.text, text);
                let theirs = lines_without(&hunk.incoming, text);
                let gone = listed(&theirs, &hunk.incoming_bytes);
                let of_branch = self.of_branch(&hunk, gone, (theirs.len() as u64, text));
                let (given_up, text_bytes) = listed(&ours, &hunk.text_bytes);
                let of_target = (!ours.is_empty()).then(|| DisplacedHunk {
                    line_count: ours.len() as u64,
                    text: given_up,
                    text_bytes,
                    parts: of_one(&hunk, text),
                    ..hunk.clone()
                });
                of_target.into_iter().chain(of_branch).collect()
            }
        }
    }

    /// Content of the branch that is not in the result, because something else stands there.
    fn of_branch(
        &mut self,
        hunk: &DisplacedHunk,
        (text, text_bytes): (String, String),
        (line_count, there): (u64, &str),
    ) -> Option<DisplacedHunk> {
        if text.is_empty() {
            return None;
        }
        let origin = self.attribution.of_branch();
        let given_up = GivenUp {
            start: hunk.start_line.max(1),
            base: &hunk.base,
            version: &hunk.incoming,
            there,
        };
        let parts = if hunk.is_version() {
            Vec::new()
        } else {
            own_parts(given_up, &origin)
        };
        Some(DisplacedHunk {
            agent: origin.agent,
            commit: origin.commit,
            committed_at: origin.committed_at,
            line_count,
            text,
            incoming: hunk.text.clone(),
            text_bytes,
            incoming_bytes: hunk.text_bytes.clone(),
            parts,
            ..hunk.clone()
        })
    }
}

/// Whose the lines of the target are that somebody has written something else for. Where several commits have written
/// them, which ones are left is not known any more.
fn of_one(hunk: &DisplacedHunk, there: &str) -> Vec<DisplacedPart> {
    if !hunk.parts.is_empty() {
        return Vec::new();
    }
    let origin = Origin {
        commit: hunk.commit.clone(),
        agent: hunk.agent.clone(),
        committed_at: hunk.committed_at.clone(),
    };
    let given_up = GivenUp {
        start: hunk.start_line.max(1),
        base: &hunk.base,
        version: &hunk.text,
        there,
    };
    own_parts(given_up, &origin)
}

/// Where the target has what is contested.
fn stretch(contest: &Contest<'_>) -> Stretch {
    Stretch {
        start: contest.our_start as u64 + 1,
        count: contest.ours.len() as u64,
        is_new: !without(&contest.ours, &contest.base).is_empty(),
    }
}

pub(super) fn lossy(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// What a receipt keeps of a text besides, where that is not UTF-8.
pub(super) fn kept_bytes(text: &[u8]) -> String {
    match std::str::from_utf8(text) {
        Ok(_) => String::new(),
        Err(_) => BASE64.encode(text),
    }
}

/// A listed text as it was, given the bytes that a receipt keeps of it besides.
pub(super) fn bytes_as_listed<'t>(text: &'t str, kept: &str) -> Cow<'t, [u8]> {
    match BASE64.decode(kept) {
        Ok(bytes) if !bytes.is_empty() => Cow::Owned(bytes),
        Ok(_) | Err(_) => Cow::Borrowed(text.as_bytes()),
    }
}

/// Some lines of a text as they are listed, and what is kept of them besides, given that of the text.
pub(super) fn listed(lines: &[&str], kept: &str) -> (String, String) {
    let text = lines.iter().map(|line| format!("{line}\n")).collect();
    (text, bytes_of(lines, kept))
}

/// The bytes that are kept of some lines of a text, given those of the text.
fn bytes_of(lines: &[&str], kept: &str) -> String {
    let Some(text) = BASE64.decode(kept).ok().filter(|text| !text.is_empty()) else {
        return String::new();
    };
    let mut wanted = lines.iter().peekable();
    let mut found = between_newlines(&text);
    found.retain(|line| {
        wanted
            .next_if(|wanted| lossy(line_key(wanted.as_bytes())) == lossy(line_key(line)))
            .is_some()
    });
    kept_bytes(&joined_bytes(&found))
}

fn joined_bytes(lines: &[&[u8]]) -> Vec<u8> {
    lines
        .iter()
        .flat_map(|line| [*line, b"\n"].concat())
        .collect()
}

fn joined(lines: &[&[u8]]) -> String {
    lines.iter().map(|line| lossy(line) + "\n").collect()
}

fn chosen_lines<'a>(contest: &Contest<'a>, answer: Option<&'a Decision>) -> Vec<&'a [u8]> {
    match answer {
        Some(Decision::Ours) => contest.ours.clone(),
        None | Some(Decision::Theirs) => contest.theirs.clone(),
        Some(Decision::Both) => [contest.ours.as_slice(), &contest.theirs].concat(),
        Some(Decision::BothReversed) => [contest.theirs.as_slice(), &contest.ours].concat(),
        Some(Decision::Text(text)) => text.lines().map(str::as_bytes).collect(),
    }
}

/// The non-blank lines of a text that another does not have (as often).
pub fn lines_without<'a>(text: &'a str, other: &str) -> Vec<&'a str> {
    let lines: Vec<&str> = text.lines().collect();
    let other: Vec<&str> = other.lines().collect();
    let mut missing = without(&lines, &other);
    missing.retain(|line| !line.trim().is_empty());
    missing
}
