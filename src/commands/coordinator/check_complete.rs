//! `check-complete`: the exit triggers, one by one.

use serde::Serialize;

use crate::cli::{CliResult, Context, Outcome, Project};
use crate::coordinator::completion;
use crate::coordinator::triggers::Trigger;

#[derive(Serialize)]
struct CompleteJson<'a> {
    complete: bool,
    triggers: TriggersJson<'a>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct TriggersJson<'a> {
    all_agents_done: TriggerJson<'a>,
    task_tracker_empty: TriggerJson<'a>,
    on_shutdown_signal: TriggerJson<'a>,
}

#[derive(Serialize)]
struct TriggerJson<'a> {
    enabled: bool,
    met: bool,
    detail: &'a str,
}

impl<'a> From<&'a Trigger> for TriggerJson<'a> {
    fn from(trigger: &'a Trigger) -> Self {
        Self {
            enabled: trigger.enabled,
            met: trigger.met,
            detail: &trigger.detail,
        }
    }
}

/// Runs the command.
pub(super) fn run(ctx: &Context) -> CliResult {
    let Project { paths, config, .. } = ctx.project()?;
    let triggers = completion::check(&paths, &config)?;
    if ctx.is_json() {
        let shown = CompleteJson {
            complete: triggers.complete(),
            triggers: TriggersJson {
                all_agents_done: (&triggers.all_agents_done).into(),
                task_tracker_empty: (&triggers.task_tracker_empty).into(),
                on_shutdown_signal: (&triggers.on_shutdown_signal).into(),
            },
        };
        ctx.out.json("coordinator check-complete", &shown)?;
        return Ok(Outcome::Done);
    }
    for (name, trigger) in [
        ("allAgentsDone", &triggers.all_agents_done),
        ("taskTrackerEmpty", &triggers.task_tracker_empty),
        ("onShutdownSignal", &triggers.on_shutdown_signal),
    ] {
        ctx.out
            .line(format!("  {name}: {} — {}", word(trigger), trigger.detail))?;
    }
    let complete = if triggers.complete() { "YES" } else { "NO" };
    ctx.out.line(format!("\nComplete: {complete}"))?;
    Ok(Outcome::Done)
}

fn word(trigger: &Trigger) -> &'static str {
    match (trigger.enabled, trigger.met) {
        (false, _) => "disabled",
        (true, true) => "MET",
        (true, false) => "NOT MET",
    }
}
