//! `completions`: a script that makes a shell ask grove itself what fits at the cursor, and the
//! answer to that question.
//!
//! The scripts hold no list of their own, so they cannot get old: at every TAB they run
//! `grove __complete <shell> <index> <word>…`, which walks the argument tree and looks into the
//! stores. It is quick, changes nothing and says nothing when something is wrong.

mod candidate;
mod line;
mod powershell;
mod scripts;
mod values;

use std::ffi::OsString;

use crate::cli::{CliError, CliResult, Context, Outcome, Printer};

/// The word that asks for candidates; not a command, so that nothing else can get in its way.
const QUESTION: &str = "__complete";

/// Print a script that completes grove's commands, agents, runs and tasks
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  source <(grove completions bash)      # in ~/.bashrc; zsh likewise in ~/.zshrc, after compinit\n  grove completions fish > ~/.config/fish/completions/grove.fish\n  grove completions powershell | Out-String | Invoke-Expression"
)]
pub struct Args {
    /// bash, zsh, fish or powershell
    shell: String,
}

/// Runs the command.
pub fn run(ctx: &Context, args: Args) -> CliResult {
    let script = scripts::of(&args.shell).ok_or_else(|| {
        CliError::validation(format!(
            "Unknown shell: {}. Valid shells: {}",
            args.shell,
            scripts::SHELLS.join(", ")
        ))
    })?;
    ctx.out.raw(script)?;
    Ok(Outcome::Done)
}

/// Answers a shell's question; `false` when the arguments are none.
pub(super) fn answered(arguments: &[OsString]) -> bool {
    let mut words = arguments.iter().skip(1).map(|a| a.to_string_lossy());
    if words.next().as_deref() != Some(QUESTION) {
        return false;
    }
    let shell = words.next().unwrap_or_default();
    let index = words.next().and_then(|w| w.parse().ok()).unwrap_or(0);
    let words: Vec<String> = words.map(std::borrow::Cow::into_owned).collect();
    let offer = line::complete(&super::build(), &shell, index, &words);
    let text = candidate::lines(&offer, &shell);
    // A shell that does not listen any more is no trouble.
    Printer::new(false, true).raw(&text).unwrap_or_default();
    true
}
