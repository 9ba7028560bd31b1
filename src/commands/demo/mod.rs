//! `demo`: a lead and five scripted builders in a temporary repository.
//!
//! Everything in it goes through the real code: worktrees, hosts, the guard, mail, the merge
//! queue, the watchdog. No model, no key, no network, and nothing is left behind.

mod project;
mod scripts;
mod watch;

use std::io::{IsTerminal, stdin, stdout};

use crate::cli::{CliError, CliResult, Context, Outcome};
use crate::platform::signals::Ending;
use project::DemoProject;

/// Watch six scripted agents work; needs no key and no network
#[derive(Debug, Default, clap::Args)]
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
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(CliError::from)?;
    // From the first file on: whoever ends the demo early is to find nothing of it.
    let mut ending = {
        let _inside = runtime.enter();
        Ending::listen()
    };
    for problem in project::sweep() {
        ctx.out.note(format!("! {problem}"));
    }
    let project = DemoProject::create(args.keep)?;
    project.start_lead()?;
    let on_screen = !args.text && stdin().is_terminal() && stdout().is_terminal();
    let outcome = if on_screen {
        watch::unless_asked(&runtime, &mut ending, || {
            super::open::show_demo(project.root()).map(|_| Outcome::Done)
        })
    } else {
        watch::until_settled(ctx, project.root(), &runtime, &mut ending)
    };
    let kept = project.finish()?;
    match kept {
        Some(path) => ctx
            .out
            .note(format!("the demo repository is at {}", path.display())),
        None if on_screen || matches!(outcome, Ok(Outcome::Failed)) => {
            ctx.out.note("the demo is over; nothing of it is left");
        }
        None => {}
    }
    outcome
}
