//! Lines of one version of a file as lines of another: what two agents do to the same lines is only seen
//! when both are counted in the same version. Pure.

use super::region::Region;

/// One change between two versions: how many lines from where on stand for how many from where on. Of no
/// lines the start is the line after which they would stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hunk {
    pub old_start: u64,
    pub old_count: u64,
    pub new_start: u64,
    pub new_count: u64,
}

impl Hunk {
    /// The old lines as a region.
    pub(super) fn old(self) -> Region {
        Region {
            start: self.old_start,
            end: self.old_start + self.old_count.saturating_sub(1),
            is_insertion: self.old_count == 0,
        }
    }

    fn new_end(self) -> u64 {
        self.new_start + self.new_count.saturating_sub(1)
    }
}

/// Finds a region of the old version in the new one. What was changed itself becomes all that stands for it.
pub fn shifted(region: Region, hunks: &[Hunk]) -> Region {
    let start = line(region.start, hunks, |hunk| hunk.new_start);
    let end = line(region.end, hunks, Hunk::new_end);
    Region {
        start,
        end: end.max(start),
        is_insertion: region.is_insertion,
    }
}

/// Finds one line; `side` says which line stands for a changed one.
fn line(line: u64, hunks: &[Hunk], side: impl Fn(Hunk) -> u64) -> u64 {
    let (mut added, mut removed) = (0, 0);
    for hunk in hunks {
        let after = if hunk.old_count == 0 {
            hunk.old_start + 1
        } else {
            hunk.old_start + hunk.old_count
        };
        if line >= after {
            added += hunk.new_count;
            removed += hunk.old_count;
        } else if hunk.old_count > 0 && line >= hunk.old_start {
            return side(*hunk);
        } else {
            break;
        }
    }
    (line + added).saturating_sub(removed)
}

#[cfg(test)]
mod tests {
    use super::super::region::changed;
    use super::*;
    use proptest::prelude::*;

    /// What becomes of one old line, and how many new ones come before it.
    type Edits = Vec<(bool, u64)>;

    /// The new version as numbers of old lines, 0 for a new one, and the hunks that make it.
    fn apply(edits: &Edits) -> (Vec<u64>, Vec<Hunk>) {
        let mut new: Vec<u64> = Vec::new();
        let mut hunks: Vec<Hunk> = Vec::new();
        let mut open: Option<Hunk> = None;
        for (index, (kept, before)) in edits.iter().enumerate() {
            let old = index as u64 + 1;
            if *before > 0 || !kept {
                let hunk = open.get_or_insert(Hunk {
                    old_start: old - 1,
                    old_count: 0,
                    new_start: new.len() as u64,
                    new_count: 0,
                });
                hunk.new_count += before;
            }
            new.extend((0..*before).map(|_| 0));
            match (&mut open, kept) {
                (Some(hunk), false) => hunk.old_count += 1,
                (_, true) => {
                    hunks.extend(open.take());
                    new.push(old);
                }
                (None, false) => {}
            }
        }
        hunks.extend(open);
        for hunk in &mut hunks {
            // As git counts: the first line, where there is one.
            hunk.old_start += u64::from(hunk.old_count > 0);
            hunk.new_start += u64::from(hunk.new_count > 0);
        }
        (new, hunks)
    }

    proptest! {
        #[test]
        fn a_line_that_is_kept_is_found_and_what_was_changed_stays_between_its_neighbours(
            edits in prop::collection::vec((any::<bool>(), 0..3_u64), 1..40),
        ) {
            let (new, hunks) = apply(&edits);
            let mut last = 0;
            for (index, (kept, _)) in edits.iter().enumerate() {
                let old = index as u64 + 1;
                let there = shifted(changed(old, old), &hunks);
                prop_assert!(there.start >= last && there.end >= there.start);
                prop_assert!(there.end <= new.len() as u64);
                last = there.start;
                if *kept {
                    prop_assert_eq!(there.start, there.end);
                    prop_assert_eq!(new[there.start as usize - 1], old);
                }
            }
            let all = shifted(changed(1, edits.len() as u64), &hunks);
            for (index, (kept, _)) in edits.iter().enumerate() {
                let old = index as u64 + 1;
                let place = new.iter().position(|line| *line == old);
                let within = |at: usize| (all.start..=all.end).contains(&(at as u64 + 1));
                prop_assert!(!kept || place.is_some_and(within));
            }
        }
    }
}
