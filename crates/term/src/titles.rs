//! The window title and the stack programs park it on while they set their own.
//! Bounded and stripped of control characters; where a title is shown is not decided here.

use std::collections::VecDeque;

/// Longer titles are cut: they are shown in a pane's frame.
const LONGEST: usize = 256;
/// Programs nest a handful deep; an endless pusher must not cost memory.
const DEEPEST: usize = 16;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Titles {
    current: Option<String>,
    parked: VecDeque<Option<String>>,
}

impl Titles {
    pub(super) fn current(&self) -> Option<&str> {
        self.current.as_deref()
    }

    pub(super) fn parked(&self) -> impl Iterator<Item = Option<&str>> {
        self.parked.iter().map(|title| title.as_deref())
    }

    /// Sets the title, without control characters; returns whether it changed.
    pub(super) fn set(&mut self, title: Option<&str>) -> bool {
        let title: Option<String> = title
            .map(|title| {
                title
                    .chars()
                    .filter(|ch| !ch.is_control())
                    .take(LONGEST)
                    .collect::<String>()
                    .trim()
                    .to_owned()
            })
            .filter(|title| !title.is_empty());
        let changed = title != self.current;
        self.current = title;
        changed
    }

    pub(super) fn push(&mut self) {
        if self.parked.len() == DEEPEST {
            self.parked.pop_front();
        }
        self.parked.push_back(self.current.clone());
    }

    /// Takes the last parked title back; returns whether the title changed.
    pub(super) fn pop(&mut self) -> bool {
        match self.parked.pop_back() {
            Some(title) => self.set(title.as_deref()),
            None => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_title_is_one_clean_line() {
        let mut titles = Titles::default();
        assert!(titles.set(Some("a\u{9b}b\u{7f} ")));
        assert_eq!(titles.current(), Some("ab"));
        assert!(!titles.set(Some("ab")));
        assert!(titles.set(Some("")));
        assert_eq!(titles.current(), None);
        titles.set(Some(&"x".repeat(5000)));
        assert_eq!(titles.current().map(str::len), Some(LONGEST));
    }

    #[test]
    fn the_stack_is_bounded_and_survives_popping_too_often() {
        let mut titles = Titles::default();
        for _ in 0..5000 {
            titles.push();
        }
        assert_eq!(titles.parked().count(), DEEPEST);
        titles.set(Some("now"));
        assert!(titles.pop());
        for _ in 0..100 {
            titles.pop();
        }
        assert_eq!(titles.current(), None);
    }
}
