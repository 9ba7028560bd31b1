//! How often one line is in each version of a file, and how often it has to be in the result: the
//! arithmetic of the account. Pure numbers; where the lines stand is for `stretches`.

/// How often one line occurs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Counts {
    pub(super) base: u64,
    pub(super) ours: u64,
    pub(super) theirs: u64,
    pub(super) result: u64,
    /// Occurrences of the base that a side removed; counted only where it matters.
    pub(super) cut_by_ours: u64,
    pub(super) cut_by_theirs: u64,
    /// How many more are due than the sums tell, because the sides added the line at different places.
    pub(super) apart: u64,
}

impl Counts {
    /// The count in a version: base, ours, theirs, result.
    pub(super) fn of(&mut self, version: usize) -> &mut u64 {
        match version {
            0 => &mut self.base,
            1 => &mut self.ours,
            2 => &mut self.theirs,
            3.. => &mut self.result,
        }
    }

    /// Adds what was counted in another file.
    pub(super) fn add(&mut self, more: &Self) {
        self.base += more.base;
        self.ours += more.ours;
        self.theirs += more.theirs;
        self.result += more.result;
        self.cut_by_ours += more.cut_by_ours;
        self.cut_by_theirs += more.cut_by_theirs;
        self.apart += more.apart;
    }

    /// Tells whether all versions have the line as often, and no side seems to have taken one away: of it, there is
    /// nothing to say.
    pub(super) fn is_untouched(&self) -> bool {
        [self.ours, self.theirs, self.result] == [self.base; 3]
            && self.cut_by_ours + self.cut_by_theirs + self.apart == 0
    }

    /// How often the line has to be in the result, given which occurrences each side removed at most.
    pub(super) fn due(&self) -> u64 {
        self.least(self.cut_by_ours, self.cut_by_theirs)
    }

    /// The same by sums over a whole file, where which of several equal lines a side removed is known less well.
    pub(super) fn due_by_sums(&self) -> u64 {
        (self.ours.saturating_sub(self.cut_by_theirs))
            .max(self.theirs.saturating_sub(self.cut_by_ours))
    }

    /// The least that any correct three-way merge may come to. Which of several equal lines a side
    /// removed or moved is a matter of how the texts are aligned, and git's engine may see it in
    /// another way than we would; a line that each version has at most once leaves no such choice.
    pub(super) fn least_due(&self) -> u64 {
        self.least(self.base, self.base)
    }

    /// How often the line is there at least in any reading that takes no two of several equal lines for one: a side
    /// removed it as often as it has it fewer times than the base, and what both sides added may be the same.
    pub(super) fn fewest(&self) -> u64 {
        if self.is_removed() {
            (self.ours + self.theirs).saturating_sub(self.base)
        } else {
            self.ours.max(self.theirs)
        }
    }

    /// What neither side removed stays, and what was added: equal additions of both sides may be one. Of all ways
    /// in which each side may have removed as many as it had to, or up to so many and put them in again, this is
    /// the one that comes to the least.
    fn least(&self, cut_by_ours: u64, cut_by_theirs: u64) -> u64 {
        // Removing one more that the other side keeps makes one less; from there on, it is one more to put in.
        let fewest = |side: u64, most: u64| self.base.saturating_sub(side).min(most);
        let mut by_ours = fewest(self.ours, cut_by_ours);
        let mut by_theirs = fewest(self.theirs, cut_by_theirs);
        loop {
            let is_kept = by_ours + by_theirs < self.base;
            let ours_may = by_ours < cut_by_ours;
            let theirs_may = by_theirs < cut_by_theirs;
            // The side that added less can put one in again for nothing.
            let ours_first = self.ours + by_ours < self.theirs + by_theirs;
            match (is_kept, ours_may, theirs_may) {
                (true, true, true) if ours_first => by_ours += 1,
                (true, _, true) => by_theirs += 1,
                (true, true, false) => by_ours += 1,
                (true, false, false) | (false, _, _) => break,
            }
        }
        let kept = self.base.saturating_sub(by_ours + by_theirs);
        let put_in = (self.ours + by_ours).max(self.theirs + by_theirs);
        kept + put_in.saturating_sub(self.base)
    }

    /// Tells whether only the result has the line.
    pub(super) fn is_new(&self) -> bool {
        [self.base, self.ours, self.theirs] == [0; 3] && self.result > 0
    }

    /// Tells whether both sides have the line more often than it was.
    pub(super) fn is_added_by_both(&self) -> bool {
        self.ours > self.base && self.theirs > self.base
    }

    /// How often a line is in the result beyond what was kept and added: first what a side had removed, then
    /// what nobody has.
    pub(super) fn too_many(&self) -> (u64, u64) {
        let removed = |side: u64| self.base.saturating_sub(side);
        let added = |side: u64| side.saturating_sub(self.base);
        let kept = self
            .base
            .saturating_sub(removed(self.ours) + removed(self.theirs));
        let most = kept + added(self.ours) + added(self.theirs);
        let extra = self.result.saturating_sub(most);
        let back = extra.min(self.base - kept);
        (back, extra - back)
    }

    /// Tells whether one of several equal lines may be lost and another one be back: a side has more or fewer than there were.
    pub(super) fn may_net_out(&self) -> bool {
        let most = self.base.max(self.ours).max(self.theirs);
        most > 1 && (self.ours != self.base || self.theirs != self.base)
    }

    /// Tells whether a side has the line less often than it was.
    pub(super) fn is_removed(&self) -> bool {
        self.ours.min(self.theirs) < self.base
    }

    /// Who has the line less often than it was.
    pub(super) fn remover(&self) -> &'static str {
        match (self.ours < self.base, self.theirs < self.base) {
            (true, false) => "target",
            (false, true) => "branch",
            (true, true) | (false, false) => "both",
        }
    }

    /// A line that a side had removed and that is in the result all the same, given how often each side put it in
    /// somewhere.
    pub(super) fn brought_back(&self, by_ours: u64, by_theirs: u64) -> Option<Back> {
        // What a side left of it and the other one put in is where it belongs.
        let beyond = |side: u64, put_in: u64| {
            let is_removed = side < self.base;
            let there = if is_removed { self.result } else { 0 };
            there.saturating_sub(side + put_in)
        };
        let (target, branch) = (beyond(self.ours, by_theirs), beyond(self.theirs, by_ours));
        let by = match (target > 0, branch > 0) {
            (true, true) => "both",
            (true, false) => "target",
            (false, true) => "branch",
            (false, false) => return self.moved_back(),
        };
        // Of a line that a side has no longer at all, none should be there.
        let all = self.moved_back().map_or(0, |back| back.times);
        Some(Back {
            times: target.max(branch).max(all),
            by,
            is_moved: false,
        })
    }

    /// A line that a side had removed altogether, and that the other one only took elsewhere.
    pub(super) fn moved_back(&self) -> Option<Back> {
        if self.result == 0 || self.ours > self.base || self.theirs > self.base {
            return None;
        }
        let by = match (self.base, self.ours, self.theirs) {
            (0, _, _) => return None,
            (_, 0, 0) => "both",
            (_, 0, _) => "target",
            (_, _, 0) => "branch",
            (_, _, _) => return None,
        };
        Some(Back {
            times: self.result,
            by,
            is_moved: true,
        })
    }

    /// The same by what the sides have more often than the base: less than that, neither has put in.
    pub(super) fn may_be_back(&self) -> Option<Back> {
        let more = |side: u64| side.saturating_sub(self.base);
        self.brought_back(more(self.ours), more(self.theirs))
    }
}

/// A line that is back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Back {
    pub(super) times: u64,
    /// Who had removed it: `target`, `branch` or `both`.
    pub(super) by: &'static str,
    /// The other side has put it in somewhere else.
    pub(super) is_moved: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The definition: all ways in which the sides may have removed and added equal lines.
    fn least_by_trying(counts: Counts) -> u64 {
        let ways = |side: u64, most: u64| counts.base.saturating_sub(side)..=most;
        let mut least = u64::MAX;
        for by_ours in ways(counts.ours, counts.cut_by_ours) {
            for by_theirs in ways(counts.theirs, counts.cut_by_theirs) {
                let kept = counts.base.saturating_sub(by_ours + by_theirs);
                let added_by_ours = counts.ours + by_ours - counts.base;
                let added_by_theirs = counts.theirs + by_theirs - counts.base;
                least = least.min(kept + added_by_ours.max(added_by_theirs));
            }
        }
        least
    }

    #[test]
    fn what_is_due_is_the_least_that_trying_all_alignments_gives() {
        let all = |base: u64| (0..6).flat_map(move |side| (0..=base).map(move |cut| (side, cut)));
        for base in 0..6 {
            for (ours, cut_by_ours) in all(base) {
                for (theirs, cut_by_theirs) in all(base) {
                    let counts = Counts {
                        base,
                        ours,
                        theirs,
                        cut_by_ours,
                        cut_by_theirs,
                        ..Counts::default()
                    };
                    if cut_by_ours + ours < base || cut_by_theirs + theirs < base {
                        continue;
                    }
                    assert_eq!(counts.due(), least_by_trying(counts), "{counts:?}");
                    if cut_by_ours == base && cut_by_theirs == base {
                        assert_eq!(counts.least_due(), counts.due(), "{counts:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn a_line_that_both_sides_moved_is_due() {
        let moved = Counts {
            base: 1,
            ours: 1,
            theirs: 1,
            cut_by_ours: 1,
            cut_by_theirs: 1,
            ..Counts::default()
        };
        assert_eq!(moved.due(), 1);
    }

    #[test]
    fn a_line_is_back_as_often_as_neither_what_is_left_of_it_nor_what_was_put_in_tells() {
        let back = |[base, ours, theirs, result]: [u64; 4], by_ours, by_theirs| {
            let counts = Counts {
                base,
                ours,
                theirs,
                result,
                ..Counts::default()
            };
            let back = counts.brought_back(by_ours, by_theirs);
            back.map(|back| (back.times, back.by, back.is_moved))
        };
        assert_eq!(back([3, 1, 3, 3], 0, 0), Some((2, "target", false)));
        assert_eq!(back([3, 3, 1, 2], 0, 0), Some((1, "branch", false)));
        assert_eq!(back([3, 2, 2, 3], 0, 0), Some((1, "both", false)));
        assert_eq!(back([3, 1, 3, 2], 0, 1), None, "put in elsewhere");
        assert_eq!(back([1, 0, 1, 1], 0, 1), Some((1, "target", true)), "moved");
        assert_eq!(back([2, 0, 2, 2], 0, 1), Some((2, "target", false)));
        assert_eq!(back([1, 0, 2, 1], 0, 1), None, "new");
        assert_eq!(back([1, 1, 1, 1], 0, 0), None);
    }

    #[test]
    fn a_line_that_occurs_once_has_no_slack() {
        let due = |base, ours, theirs| {
            Counts {
                base,
                ours,
                theirs,
                ..Counts::default()
            }
            .least_due()
        };
        assert_eq!(due(1, 1, 1), 1, "kept by both");
        assert_eq!(due(0, 1, 0), 1, "added by one");
        assert_eq!(due(0, 1, 1), 1, "added by both");
        assert_eq!(due(1, 1, 0), 0, "removed by one");
        assert_eq!(due(1, 0, 0), 0, "removed by both");
    }
}
