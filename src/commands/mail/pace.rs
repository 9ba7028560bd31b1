//! Messages and nudges of agents that would only keep a loop going.

use crate::cli::{CliResult, Context};
use crate::coordinator::post;
use crate::mail;
use crate::platform::ProjectPaths;
use crate::types::mail::MailType;

/// Refuses a message of an agent that would only keep a loop going, or a nudge, and tells somebody above it of the loop.
pub(in crate::commands) fn check_pace(
    ctx: &Context,
    paths: &ProjectPaths,
    from: &str,
    to: &str,
    kind: MailType,
) -> CliResult<()> {
    let Err(refused) = mail::check_pace(paths, from, to, kind) else {
        return Ok(());
    };
    match mail::tell_of_loop(paths, from, &refused) {
        Ok(Some(told)) => post::announce(paths, &told.to),
        Ok(None) => {}
        Err(error) => ctx.out.note(format!("! nobody else was told: {error}")),
    }
    Err(refused.into())
}
