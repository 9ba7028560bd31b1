//! Tab stops. The emulator keeps its own but does not tell them, and a snapshot must.
//! Only which columns are stops; moving the cursor is in `forward.rs`.

/// Which columns are tab stops.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct TabStops(Vec<bool>);

const EVERY: usize = 8;

impl TabStops {
    pub(super) fn new(cols: usize) -> Self {
        Self((0..cols).map(|col| col % EVERY == 0).collect())
    }

    /// Keeps the stops that fit and adds regular ones where the screen grew.
    pub(super) fn resize(&mut self, cols: usize) {
        let mut next = self.0.len();
        self.0.resize_with(cols, || {
            next += 1;
            (next - 1).is_multiple_of(EVERY)
        });
    }

    pub(super) fn set(&mut self, col: usize, stop: bool) {
        if let Some(slot) = self.0.get_mut(col) {
            *slot = stop;
        }
    }

    pub(super) fn clear(&mut self) {
        self.0.fill(false);
    }

    /// The next stop right of `col`, or the last column.
    pub(super) fn after(&self, col: usize) -> usize {
        (col + 1..self.0.len())
            .find(|&at| self.is_stop(at))
            .unwrap_or(self.0.len().saturating_sub(1))
    }

    /// The next stop left of `col`, or the first column.
    pub(super) fn before(&self, col: usize) -> usize {
        (0..col).rev().find(|&at| self.is_stop(at)).unwrap_or(0)
    }

    pub(super) fn columns(&self) -> impl Iterator<Item = usize> {
        self.0
            .iter()
            .enumerate()
            .filter_map(|(col, stop)| stop.then_some(col))
    }

    fn is_stop(&self, col: usize) -> bool {
        self.0.get(col).copied().unwrap_or(false)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stops_are_regular_until_changed() {
        let mut tabs = TabStops::new(20);
        assert_eq!(
            (tabs.after(0), tabs.after(8), tabs.after(16), tabs.after(19)),
            (8, 16, 19, 19)
        );
        assert_eq!((tabs.before(9), tabs.before(8), tabs.before(0)), (8, 0, 0));
        tabs.set(3, true);
        tabs.set(99, true);
        assert_eq!(tabs.after(0), 3);
        tabs.clear();
        assert_eq!((tabs.after(0), tabs.before(19)), (19, 0));
    }

    #[test]
    fn growing_adds_regular_stops_and_keeps_the_others() {
        let mut tabs = TabStops::new(10);
        tabs.clear();
        tabs.set(5, true);
        tabs.resize(30);
        assert_eq!(tabs.columns().collect::<Vec<_>>(), vec![5, 16, 24]);
        tabs.resize(6);
        assert_eq!(tabs.columns().collect::<Vec<_>>(), vec![5]);
    }
}
