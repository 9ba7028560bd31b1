//! The list of commands: parser and dispatch are generated from it.

use clap::Subcommand;

use super::observe::{errors, feed, replay, trace};
use super::{
    agents, attach, completions, conflicts, coordinator, costs, demo, doctor, group, guard, hooks,
    host, init, inspect, logs, mail, merge, metrics, nudge, pr, prime, run, sandbox_exec,
    script_agent, sling, spec, status, stop, worktree,
};
use crate::cli::{CliResult, Context};

/// Generates the parser's enum and the dispatch from one list.
macro_rules! commands {
    ($($variant:ident => $module:ident),+ $(,)?) => {
        /// Every command of the program.
        #[derive(Debug, Subcommand)]
        pub enum Command {
            $(#[allow(missing_docs)] $variant($module::Args),)+
        }

        impl Command {
            /// Carries the command out.
            pub fn run(self, ctx: &Context) -> CliResult {
                match self {
                    $(Self::$variant(args) => $module::run(ctx, args),)+
                }
            }
        }
    };
}

commands! {
    Init => init,
    Status => status,
    Mail => mail,
    Run => run,
    Spec => spec,
    Prime => prime,
    Group => group,
    Costs => costs,
    Metrics => metrics,
    Trace => trace,
    Errors => errors,
    Replay => replay,
    Feed => feed,
    Inspect => inspect,
    Logs => logs,
    Agents => agents,
    Worktree => worktree,
    Hooks => hooks,
    Doctor => doctor,
    Completions => completions,
    Sling => sling,
    Stop => stop,
    Nudge => nudge,
    Merge => merge,
    Conflicts => conflicts,
    Pr => pr,
    Coordinator => coordinator,
    Attach => attach,
    Demo => demo,
    Guard => guard,
    Host => host,
    SandboxExec => sandbox_exec,
    ScriptAgent => script_agent,
}
