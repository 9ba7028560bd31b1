//! What the user should hear about a database although nothing failed; said once per process.

use std::sync::{Mutex, PoisonError};

static NOTICES: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// Keeps a line for the command line to print, unless the same line is kept already.
pub(crate) fn keep(line: String) {
    let mut lines = NOTICES.lock().unwrap_or_else(PoisonError::into_inner);
    if !lines.contains(&line) {
        lines.push(line);
    }
}

/// Takes the lines that have been kept.
pub fn take_notices() -> Vec<String> {
    std::mem::take(&mut *NOTICES.lock().unwrap_or_else(PoisonError::into_inner))
}
