//! `costs --self`: the session that runs the command.

use serde::Serialize;

use crate::cli::{CliError, CliResult, Context, Outcome};
use crate::platform::env;
use crate::text::{format_grouped, format_usd};
use crate::{costs, runtimes};

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct OwnJson<'a> {
    source: &'static str,
    transcript_path: String,
    model: Option<&'a str>,
    input_tokens: i64,
    output_tokens: i64,
    cache_read_tokens: i64,
    cache_creation_tokens: i64,
    estimated_cost_usd: Option<f64>,
}

/// The session of the person, or of the CLI, that runs this command: the newest transcript of the
/// project.
pub(super) fn own(ctx: &Context) -> CliResult {
    let project = ctx.project()?;
    let name = &project.config.runtime.default;
    let found = runtimes::find(name).ok().and_then(|runtime| {
        let path = costs::newest(runtime, &env::home()?, &project.root)?;
        Some((runtime, path))
    });
    let Some((runtime, path)) = found else {
        let message = format!("No transcript found for runtime '{name}'");
        ctx.out
            .error(&CliError::of_command("costs", message.clone(), message));
        return Ok(Outcome::Done);
    };
    let usage = costs::read(&path, runtime)?;
    let cost = costs::estimate(&usage);
    if ctx.is_json() {
        ctx.out.json(
            "costs",
            &OwnJson {
                source: "self",
                transcript_path: path.display().to_string(),
                model: usage.model.as_deref(),
                input_tokens: usage.input,
                output_tokens: usage.output,
                cache_read_tokens: usage.cache_read,
                cache_creation_tokens: usage.cache_creation,
                estimated_cost_usd: cost,
            },
        )?;
        return Ok(Outcome::Done);
    }
    ctx.out.header("Orchestrator Session Cost")?;
    let line = |label: &str, value: &str| ctx.out.line(format!("{label:<12}{value}"));
    line("Model:", usage.model.as_deref().unwrap_or("unknown"))?;
    line("Input:", &format_grouped(usage.input))?;
    line("Output:", &format_grouped(usage.output))?;
    let cache = usage.cache_read.saturating_add(usage.cache_creation);
    line("Cache:", &format_grouped(cache))?;
    // A price that is not known is not zero.
    let shown = cost.map_or_else(|| "unknown".to_owned(), |cost| format_usd(Some(cost), 2));
    line("Cost:", &shown)?;
    line("Transcript:", &path.display().to_string())?;
    Ok(Outcome::Done)
}
