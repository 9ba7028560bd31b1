//! The list of commands. Adding one is a file with `Args` and `run`, a `mod` line and a list line.

pub mod agents;
pub mod attach;
pub mod completions;
pub mod coordinator;
pub mod costs;
pub mod demo;
pub mod doctor;
pub mod group;
pub mod guard;
pub mod hooks;
pub mod host;
pub mod init;
pub mod inspect;
pub mod logs;
pub mod mail;
pub mod merge;
pub mod metrics;
pub mod nudge;
pub mod observe;
pub mod open;
pub mod prime;
pub mod run;
pub mod sandbox_exec;
pub mod script_agent;
pub mod sling;
pub mod spec;
pub mod status;
pub mod stop;
pub mod worktree;

use clap::Subcommand;

use crate::cli::{CliResult, Context};
use observe::{errors, feed, replay, trace};

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
    Coordinator => coordinator,
    Attach => attach,
    Demo => demo,
    Guard => guard,
    Host => host,
    SandboxExec => sandbox_exec,
    ScriptAgent => script_agent,
}
