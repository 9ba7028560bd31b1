//! Places of one version of a file, and which of them meet. Pure.

/// Lines of one version, counted from 1; an insertion is the line after which it stands, 0 at the top.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Region {
    pub start: u64,
    pub end: u64,
    /// Nothing of these lines was changed: lines were put in below.
    pub is_insertion: bool,
}

impl Region {
    /// Two changes meet when they touch: nobody could apply both without looking. What was put in touches the line
    /// above it and the one below.
    fn meets(self, other: Self) -> bool {
        let below = |one: Self, other: Self| {
            let reaches = one.is_insertion && !other.is_insertion;
            one.end + u64::from(reaches)
        };
        self.start <= below(other, self) && other.start <= below(self, other)
    }
}

/// Where two lists of places meet.
pub(super) fn common_regions(one: &[Region], two: &[Region]) -> Vec<Region> {
    let mut common = Vec::new();
    for a in one {
        for b in two.iter().filter(|b| a.meets(**b)) {
            common.push(Region {
                start: a.start.min(b.start),
                end: a.end.max(b.end),
                is_insertion: a.is_insertion && b.is_insertion,
            });
        }
    }
    common
}

#[cfg(test)]
pub(super) fn changed(start: u64, end: u64) -> Region {
    Region {
        start,
        end,
        is_insertion: false,
    }
}

#[cfg(test)]
pub(super) fn inserted(below: u64) -> Region {
    Region {
        is_insertion: true,
        ..changed(below, below)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Which of two goes first nobody can tell when one of them is new.
    #[test]
    fn what_is_put_in_meets_the_lines_above_and_below() {
        for (region, meets) in [
            (changed(1, 3), false),
            (changed(4, 4), true),
            (changed(5, 9), true),
            (changed(6, 6), false),
            (inserted(3), false),
            (inserted(4), true),
            (inserted(5), false),
        ] {
            assert_eq!(inserted(4).meets(region), meets, "{region:?}");
            assert_eq!(region.meets(inserted(4)), meets, "{region:?}");
        }
        let common = common_regions(&[inserted(4)], &[changed(5, 5)]);
        assert_eq!(common, [changed(4, 5)]);
    }

    #[test]
    fn changes_that_do_not_touch_do_not_meet() {
        assert!(common_regions(&[changed(1, 2)], &[changed(3, 4)]).is_empty());
        assert_eq!(
            common_regions(&[changed(1, 3)], &[changed(3, 4)]),
            [changed(1, 4)]
        );
    }
}
