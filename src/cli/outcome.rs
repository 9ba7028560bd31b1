//! How a command ended that did not fail with an error.

/// The exit codes a command can choose.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// Exit code 0.
    Done,
    /// Exit code 1; the command has said why.
    Failed,
    /// That of a program it has run.
    Code(u8),
}
