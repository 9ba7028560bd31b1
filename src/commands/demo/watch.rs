//! The demo without a screen: print what happens until all work is landed or held.

use std::path::Path;
use std::time::Duration;

use tokio::runtime::Runtime;

use super::scripts::{HELD, MERGED, NUDGED};
use crate::cli::{CliError, CliResult, Context, Outcome};
use crate::engine::event::EngineEvent;
use crate::engine::view::{MergeState, MergeView};
use crate::engine::{self, EngineOptions};
use crate::platform::signals::Ending;

/// The demo takes about half a minute; after this long something is wrong.
const LIMIT: Duration = Duration::from_secs(180);

/// Opens the screen unless the demo was asked to end while it was being set up; the screen listens
/// for itself.
pub(super) fn unless_asked(
    runtime: &Runtime,
    ending: &mut Ending,
    show: impl FnOnce() -> CliResult,
) -> CliResult {
    let asked = runtime
        .block_on(async { tokio::time::timeout(Duration::from_millis(1), ending.asked()).await });
    match asked {
        Ok(()) => Ok(Outcome::Failed),
        Err(_) => show(),
    }
}

/// Runs the engine and prints its feed; ends early when the process is asked to.
pub(super) fn until_settled(
    ctx: &Context,
    root: &Path,
    runtime: &Runtime,
    ending: &mut Ending,
) -> CliResult {
    let options = EngineOptions {
        root: root.to_owned(),
        look_only: false,
        call_off: crate::merge::CallOff::default(),
    };
    let (handle, engine) = engine::start(options).map_err(CliError::from)?;
    let result = runtime.block_on(async {
        let followed = tokio::time::timeout(LIMIT, follow(ctx, handle));
        tokio::select! {
            followed = followed => followed,
            () = ending.asked() => Ok(Ok(Outcome::Failed)),
        }
    });
    if matches!(result, Ok(Ok(Outcome::Failed))) {
        ctx.out.note("asked to end: stopping the agents");
    }
    if engine.join().is_err() {
        return Err(CliError::new("the engine failed"));
    }
    match result {
        Ok(outcome) => outcome,
        Err(_) => Err(CliError::new(format!(
            "the demo did not settle within {} s",
            LIMIT.as_secs()
        ))),
    }
}

async fn follow(ctx: &Context, mut handle: crate::engine::event::EngineHandle) -> CliResult {
    let mut nudged = false;
    let mut merges: Vec<MergeView> = Vec::new();
    while let Some(event) = handle.events.recv().await {
        match event {
            EngineEvent::Log(line) => {
                let agent = line.agent.unwrap_or_else(|| "coordinator".to_owned());
                nudged |= agent == NUDGED && line.text.starts_with("nudged");
                ctx.out.line(format!("  {agent:<16} {}", line.text))?;
            }
            EngineEvent::Toast { text, .. } => {
                ctx.out.line(format!("  {:<16} {text}", "coordinator"))?;
            }
            EngineEvent::Merge(now) => merges = now,
            EngineEvent::Fleet(_)
            | EngineEvent::Mail(_)
            | EngineEvent::Undo(_)
            | EngineEvent::Project(_)
            | EngineEvent::Review { .. }
            | EngineEvent::Place { .. }
            | EngineEvent::Proposal { .. }
            | EngineEvent::Accepted { .. }
            | EngineEvent::CommandDone { .. }
            | EngineEvent::Attempts { .. }
            | EngineEvent::Pane { .. } => {}
        }
        if nudged && settled(&merges) {
            return summary(ctx, &merges);
        }
    }
    Err(CliError::new("the engine stopped"))
}

fn settled(merges: &[MergeView]) -> bool {
    let is = |agent: &str, state: MergeState| {
        merges.iter().any(|m| m.agent == agent && m.state == state)
    };
    MERGED.iter().all(|a| is(a, MergeState::Merged)) && is(HELD, MergeState::Review)
}

fn summary(ctx: &Context, merges: &[MergeView]) -> CliResult {
    ctx.out.line("")?;
    for merge in merges {
        ctx.out
            .line(format!("{:<8} {}", merge.state.as_str(), merge.branch))?;
        for hunk in &merge.displaced {
            let line = hunk.line.map_or_else(String::new, |l| format!(":{l}"));
            ctx.out.line(format!(
                "         {}{line} both sides changed these lines:",
                hunk.file
            ))?;
            for text in hunk.ours.lines() {
                ctx.out.line(format!("           main   {text}"))?;
            }
            for text in hunk.theirs.lines() {
                ctx.out.line(format!("           branch {text}"))?;
            }
        }
    }
    ctx.out.line("")?;
    ctx.out.line(
        "Four branches are on main, one is held for a person, one stalled agent was nudged.",
    )?;
    Ok(Outcome::Done)
}
