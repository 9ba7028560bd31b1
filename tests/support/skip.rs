//! Saying that a test could not try what it is for on this machine.

use std::io::Write;

/// Says it where tests' output is not captured: a test that passes without having tried anything must be seen.
pub(crate) fn skipped(why: impl std::fmt::Display) {
    let test = std::thread::current();
    let test = test.name().unwrap_or("a test");
    let said = format!("skipped: {test}: {why}\n");
    std::io::stderr().write_all(said.as_bytes()).unwrap();
}
