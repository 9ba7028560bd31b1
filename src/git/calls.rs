//! How often a test's thread has started git.

use std::cell::Cell;

thread_local! {
    static MADE: Cell<usize> = const { Cell::new(0) };
}

pub(super) fn count() {
    MADE.set(MADE.get() + 1);
}

pub(crate) fn made() -> usize {
    MADE.get()
}
