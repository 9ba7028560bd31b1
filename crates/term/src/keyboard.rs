//! Keyboard protocols an agent can ask for: kitty's flags, one stack per screen, and xterm's
//! `modifyOtherKeys`. Encoding of keys is in `input/`.

use std::collections::VecDeque;

/// The kitty terminal itself keeps few; more is a program that never pops.
const DEEPEST: usize = 16;
const KNOWN_FLAGS: u8 = 0b1_1111;

/// How new flags combine with those in force.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FlagChange {
    Replace,
    Add,
    Remove,
}

/// The flags of one screen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct FlagStack {
    current: u8,
    below: VecDeque<u8>,
}

impl FlagStack {
    pub(super) fn current(&self) -> u8 {
        self.current
    }

    pub(super) fn below(&self) -> impl Iterator<Item = u8> {
        self.below.iter().copied()
    }

    pub(super) fn push(&mut self, flags: u8) {
        if self.below.len() == DEEPEST {
            self.below.pop_front();
        }
        self.below.push_back(self.current);
        self.current = flags & KNOWN_FLAGS;
    }

    /// Popping more than there is leaves no flags in force.
    pub(super) fn pop(&mut self, count: u16) {
        for _ in 0..count {
            match self.below.pop_back() {
                Some(flags) => self.current = flags,
                None => {
                    self.current = 0;
                    return;
                }
            }
        }
    }

    pub(super) fn change(&mut self, flags: u8, change: FlagChange) {
        let flags = flags & KNOWN_FLAGS;
        self.current = match change {
            FlagChange::Replace => flags,
            FlagChange::Add => self.current | flags,
            FlagChange::Remove => self.current & !flags,
        };
    }
}

/// Everything an agent asked of the keyboard.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Keyboard {
    pub(super) primary: FlagStack,
    pub(super) alternate: FlagStack,
    pub(super) modify_other_keys: u8,
}

impl Keyboard {
    pub(super) fn stack(&self, alternate: bool) -> &FlagStack {
        if alternate {
            &self.alternate
        } else {
            &self.primary
        }
    }

    pub(super) fn stack_mut(&mut self, alternate: bool) -> &mut FlagStack {
        if alternate {
            &mut self.alternate
        } else {
            &mut self.primary
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pushes_and_pops_nest() {
        let mut stack = FlagStack::default();
        stack.push(1);
        stack.push(0xff);
        assert_eq!(stack.current(), KNOWN_FLAGS);
        stack.change(3, FlagChange::Remove);
        assert_eq!(stack.current(), 0b1_1100);
        stack.pop(1);
        assert_eq!(stack.current(), 1);
        stack.change(8, FlagChange::Add);
        assert_eq!(stack.current(), 9);
        stack.pop(500);
        assert_eq!(stack, FlagStack::default());
    }

    #[test]
    fn an_endless_pusher_costs_nothing() {
        let mut stack = FlagStack::default();
        for _ in 0..100_000 {
            stack.push(1);
        }
        assert_eq!(stack.below().count(), DEEPEST);
    }
}
