//! What the tests that run real processes share: a project in a scrubbed environment, the screen
//! in a terminal of its own, a scripted model server, and waiting for conditions.

#![allow(
    dead_code,
    unused_imports,
    reason = "each test binary uses its part of this"
)]

mod acting;
mod mock;
mod processes;
mod project;
mod screen;
mod skip;
mod wait;

pub(crate) use mock::MockModel;
pub(crate) use processes::{alive, go_on, kill_9, stop};
pub(crate) use project::{Finished, GROVE, TestProject};
pub(crate) use screen::ScreenProcess;
pub(crate) use skip::skipped;
pub(crate) use wait::{LONG, SHORT, wait_until};
