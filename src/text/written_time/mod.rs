//! Moments as JavaScript's `Date.parse` reads them: the ISO form, and nearly everything else that holds a
//! day. Other programs write such texts into stores and wait until then.
//!
//! Outside of the ISO form a text is a row of numbers and words in any order: up to three numbers are a
//! day (`1/31/2030`, `2030.01.31`, `31 Jan 30`), numbers with colons a time, `AM` and `PM` a half of the
//! day, names of zones and `+0200` a zone. Words before the first number say nothing, nor does what
//! stands in parentheses. What names no zone is local time, but a day in the ISO form is UTC.

mod parts;
mod reading;
#[cfg(test)]
mod tests;
mod tokens;

use crate::types::Timestamp;
use parts::DAY_MS;
use reading::Reading;

/// JavaScript's clock ends so far from 1970.
const END_MS: i64 = 100_000_000 * DAY_MS;

/// What a text says about a moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WrittenTime {
    /// What a clock shows then, as if it showed UTC.
    clock_ms: i64,
    /// How far the clock is ahead of UTC; none when it is that of the place where the text is read.
    offset_ms: Option<i64>,
}

impl WrittenTime {
    /// Reads a text; none where JavaScript has `Invalid Date`.
    pub fn parse(text: &str) -> Option<Self> {
        let (clock_ms, offset_ms) = Reading::of(&tokens::tokens(text))?;
        Some(Self {
            clock_ms,
            offset_ms,
        })
    }

    /// The moment, where local clocks are `ahead` of UTC by so many milliseconds at a moment. A time
    /// that clocks skip counts from before the change, one that they show twice is the first.
    pub fn at(self, ahead: impl Fn(Timestamp) -> i64) -> Option<Timestamp> {
        let ms = match self.offset_ms {
            Some(offset) => self.clock_ms - offset,
            None => {
                let near = |days: i64| ahead(Timestamp(self.clock_ms + days * DAY_MS));
                let (before, after) = (near(-1), near(1));
                let is_it = |offset: i64| ahead(Timestamp(self.clock_ms - offset)) == offset;
                let offset = if !is_it(before) && is_it(after) {
                    after
                } else {
                    before
                };
                self.clock_ms - offset
            }
        };
        (-END_MS..=END_MS).contains(&ms).then_some(Timestamp(ms))
    }
}
