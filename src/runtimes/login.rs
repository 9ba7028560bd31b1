//! A login of an agent CLI that lasts some hours and that a call of the CLI renews.

use crate::types::Timestamp;
use std::path::PathBuf;
use std::time::Duration;

/// Such a login, and how it is renewed outside of every sandbox.
#[derive(Debug, Clone)]
pub struct RunningLogin {
    /// The file that holds it; whoever renews it puts another in its place.
    pub file: PathBuf,
    /// Its name, for whoever watches the folder.
    pub watched: &'static [&'static str],
    /// When a login runs out, by the file's text; the epoch for one that was refused, `None` where it does not say.
    pub runs_out: fn(&str) -> Option<Timestamp>,
    /// How long before that the CLI renews it when it is called, and not sooner.
    pub early: Duration,
    /// The call.
    pub argv: &'static [&'static str],
    /// Set for the call, on top of the user's environment.
    pub env: Vec<(String, String)>,
    /// Taken from the user's environment.
    pub env_remove: &'static [&'static str],
    /// What a person does when the call does not help.
    pub next_step: &'static str,
}
