//! `conflicts`: which agents change the same files or lines right now.

use serde::Serialize;

use super::interrupts;
use crate::cli::{CliResult, Context, Outcome};
use crate::coordinator::{landing, overlap};
use crate::merge::CallOff;
use crate::merge::overlap::{AgentChanges, FileChanges, Overlap, OverlapKind, Region};

/// Show which agents change the same files or lines right now
#[derive(Debug, clap::Args)]
#[command(after_help = "Example: grove conflicts --json")]
pub struct Args {
    /// Branch the work is for; the session branch, else the canonical branch when left out
    #[arg(long, value_name = "branch")]
    into: Option<String>,
}

#[derive(Serialize)]
struct RegionJson {
    start: u64,
    end: u64,
}

#[derive(Serialize)]
struct FileJson<'a> {
    path: &'a str,
    regions: Vec<RegionJson>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct AgentJson<'a> {
    agent_name: &'a str,
    branch_name: &'a str,
    files: Vec<FileJson<'a>>,
    scope: &'a [String],
}

#[derive(Serialize)]
struct OverlapJson<'a> {
    file: &'a str,
    kind: &'static str,
    agents: &'a [String; 2],
    regions: Vec<RegionJson>,
}

#[derive(Serialize)]
struct ConflictsJson<'a> {
    target: &'a str,
    overlaps: Vec<OverlapJson<'a>>,
    count: usize,
    agents: Vec<AgentJson<'a>>,
    unread: &'a [String],
}

fn regions(regions: &[Region]) -> Vec<RegionJson> {
    let json = |region: &Region| RegionJson {
        start: region.start,
        end: region.end,
    };
    regions.iter().map(json).collect()
}

fn file(file: &FileChanges) -> FileJson<'_> {
    FileJson {
        path: &file.path,
        regions: regions(&file.regions),
    }
}

fn agent(agent: &AgentChanges) -> AgentJson<'_> {
    AgentJson {
        agent_name: &agent.agent,
        branch_name: &agent.branch,
        files: agent.files.iter().map(file).collect(),
        scope: &agent.scope,
    }
}

fn overlap_json(overlap: &Overlap) -> OverlapJson<'_> {
    OverlapJson {
        file: &overlap.file,
        kind: overlap.kind.as_str(),
        agents: &overlap.agents,
        regions: regions(&overlap.regions),
    }
}

/// Runs the command.
pub fn run(ctx: &Context, args: Args) -> CliResult {
    interrupts::during(&CallOff::default(), || show(ctx, &args))
}

fn show(ctx: &Context, args: &Args) -> CliResult {
    let project = ctx.project()?;
    ctx.require_state(&project.paths)?;
    let target = landing::target(&project.paths, &project.config, args.into.as_deref())?;
    let map = overlap::overlap_map(&project.paths, &target)?;
    interrupts::go_on()?;
    if ctx.is_json() {
        let data = ConflictsJson {
            target: &target,
            overlaps: map.overlaps.iter().map(overlap_json).collect(),
            count: map.overlaps.len(),
            agents: map.agents.iter().map(agent).collect(),
            unread: &map.unread,
        };
        ctx.out.json("conflicts", &data)?;
        return Ok(Outcome::Done);
    }
    for unread in &map.unread {
        ctx.out
            .warning("A worktree could not be read", Some(unread))?;
    }
    if map.overlaps.is_empty() {
        // Also of agents that are done and wait to be merged.
        let said = match map.agents.len() {
            0 => "No agent's work waits or is under way".to_owned(),
            1 => "One agent's work, so nobody is on the same file".to_owned(),
            n => format!("Work of {n} agents, no two on the same file"),
        };
        ctx.out.hint(said)?;
        return Ok(Outcome::Done);
    }
    for overlap in &map.overlaps {
        let [one, two] = &overlap.agents;
        let what = match overlap.kind {
            OverlapKind::Region => "the same lines",
            OverlapKind::File => "different places",
            OverlapKind::Scope => "given to the second",
        };
        let lines: Vec<String> = overlap
            .regions
            .iter()
            .map(|region| {
                if region.start == region.end {
                    region.start.to_string()
                } else {
                    format!("{}-{}", region.start, region.end)
                }
            })
            .collect();
        let lines = match lines.as_slice() {
            [] => String::new(),
            [line] if !line.contains('-') => format!(" (line {line})"),
            lines => format!(" (lines {})", lines.join(", ")),
        };
        ctx.out
            .line(format!("{}  {one} and {two}: {what}{lines}", overlap.file))?;
    }
    Ok(Outcome::Done)
}
