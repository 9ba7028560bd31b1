//! `demo`: a lead and five scripted builders in a temporary repository.
//!
//! Everything in it goes through the real code: worktrees, hosts, the guard, mail, the merge
//! queue, the watchdog. No model, no key, no network, and nothing is left behind.

mod project;
mod scripts;
mod watch;

use std::io::{IsTerminal, stdin, stdout};

use crate::cli::{CliResult, Context, Outcome};
use project::DemoProject;

/// Watch six scripted agents work; needs no key and no network
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example: grove demo\n\nTwo builders land cleanly, two touch the same lines (the second is held), one stalls and is nudged.\nWithout a terminal it runs to its end and prints what happens."
)]
pub struct Args {
    /// Print what happens instead of opening the full screen
    #[arg(long)]
    text: bool,
    /// Keep the temporary repository and say where it is
    #[arg(long)]
    keep: bool,
}

/// Runs the command.
pub fn run(ctx: &Context, args: Args) -> CliResult {
    let project = DemoProject::create(args.keep)?;
    project.start_lead()?;
    let on_screen = !args.text && stdin().is_terminal() && stdout().is_terminal();
    let outcome = if on_screen {
        super::open::show(project.root()).map(|_| Outcome::Done)
    } else {
        watch::until_settled(ctx, project.root())
    };
    let kept = project.finish()?;
    match kept {
        Some(path) => ctx
            .out
            .note(format!("the demo repository is at {}", path.display())),
        None if on_screen => ctx.out.note("the demo is over; nothing of it is left"),
        None => {}
    }
    outcome
}
