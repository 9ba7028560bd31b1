//! Whose the lines of one stretch are where several have written them: each run of lines with the commit it came with.

use std::collections::HashMap;

use crate::git::{GitError, Oid};
use crate::merge::lines::is_blank;
use crate::types::merge::DisplacedPart;

use super::origins::{Attribution, Stretch};

impl Attribution<'_> {
    /// Splits a stretch of the target's lines by who brought them since the base. Empty where one commit has brought
    /// all of them, and where nobody asks.
    pub(in crate::merge) fn parts(
        &mut self,
        path: &str,
        place: Stretch,
        lines: &[impl AsRef<[u8]>],
    ) -> Vec<DisplacedPart> {
        match self.try_parts(path, place, lines) {
            Ok(parts) => parts,
            Err(error) => {
                tracing::warn!(%error, path, "origins of displaced lines not found");
                Vec::new()
            }
        }
    }

    fn try_parts(
        &mut self,
        path: &str,
        place: Stretch,
        lines: &[impl AsRef<[u8]>],
    ) -> Result<Vec<DisplacedPart>, GitError> {
        if !self.is_asked() || place.count < 2 || self.only_editor(path, place).is_some() {
            return Ok(Vec::new());
        }
        let mut recent: HashMap<Oid, bool> = HashMap::new();
        let mut runs: Vec<(u64, u64, Oid)> = Vec::new();
        let authors = self.authors(path, place)?;
        for ((number, author), line) in (place.start..).zip(authors).zip(lines) {
            let Some(author) = author else { continue };
            let is_recent = match recent.get(&author) {
                Some(known) => *known,
                None => self.is_recent(author)?,
            };
            recent.insert(author, is_recent);
            if !is_recent || is_blank(line.as_ref()) {
                continue;
            }
            match runs.last_mut() {
                Some((_, count, last)) if *last == author => *count += 1,
                Some(_) | None => runs.push((number, 1, author)),
            }
        }
        if recent.values().filter(|recent| **recent).count() < 2 {
            return Ok(Vec::new());
        }
        let part = |(start_line, line_count, commit)| {
            let origin = self.of_commit(commit)?;
            Ok(DisplacedPart {
                start_line,
                line_count,
                agent: origin.agent,
                commit: origin.commit,
                committed_at: origin.committed_at,
            })
        };
        runs.into_iter().map(part).collect()
    }
}
