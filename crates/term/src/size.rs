//! The size of a terminal, and the limits within which one may be.
//!
//! Every size passes [`Size::clamped`] before an emulator sees it: below two columns a wide
//! character never fits and the emulator would wrap it for ever.

/// Columns and rows of a terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Size {
    /// Width in cells.
    pub cols: u16,
    /// Height in cells.
    pub rows: u16,
}

/// The smallest terminal an agent is given; a smaller pane shows a window onto it.
pub const PTY_MINIMUM: Size = Size { cols: 80, rows: 18 };

const SMALLEST: Size = Size { cols: 2, rows: 2 };
const LARGEST: Size = Size {
    cols: 500,
    rows: 300,
};

impl Size {
    /// Makes a size as given, without clamping.
    pub const fn new(cols: u16, rows: u16) -> Self {
        Self { cols, rows }
    }

    /// The nearest size an emulator can hold safely: 2×2 to 500×300.
    pub fn clamped(self) -> Self {
        Self {
            cols: self.cols.clamp(SMALLEST.cols, LARGEST.cols),
            rows: self.rows.clamp(SMALLEST.rows, LARGEST.rows),
        }
    }

    /// The size an agent's terminal gets for a pane of this size.
    pub fn for_pty(self) -> Self {
        Self {
            cols: self.cols.max(PTY_MINIMUM.cols),
            rows: self.rows.max(PTY_MINIMUM.rows),
        }
        .clamped()
    }
}

impl Default for Size {
    fn default() -> Self {
        Self { cols: 80, rows: 24 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clamps_both_ends() {
        assert_eq!(Size::new(0, 1).clamped(), Size::new(2, 2));
        assert_eq!(Size::new(9999, 9999).clamped(), Size::new(500, 300));
        assert_eq!(Size::new(120, 36).clamped(), Size::new(120, 36));
    }

    #[test]
    fn an_agents_terminal_is_never_smaller_than_the_minimum() {
        assert_eq!(Size::new(44, 8).for_pty(), PTY_MINIMUM);
        assert_eq!(Size::new(116, 32).for_pty(), Size::new(116, 32));
    }
}
