//! The real Claude Code against a scripted model on loopback, in a scrubbed environment with an
//! empty home and a dummy key: two agents work, are watched, told, refused, landed.
//!
//! Needs the CLI from npm, therefore ignored by name in a plain run. `scripts/install-claude`
//! installs it and prints the path that `GROVE_TEST_CLAUDE` must hold.

#[cfg(test)]
#[path = "../support/mod.rs"]
mod support;

#[cfg(test)]
mod claude;
