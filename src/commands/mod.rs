//! The list of commands. Adding one is a file with `Args` and `run`, a `mod` line and a list line.

pub mod attach;
pub mod coordinator;

pub mod guard;
pub mod host;
pub mod init;
pub mod mail;
pub mod merge;
pub mod nudge;
pub mod run;
pub mod sandbox_exec;
pub mod script_agent;
pub mod sling;
pub mod status;
pub mod stop;

use clap::Subcommand;

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
    Sling => sling,
    Stop => stop,
    Nudge => nudge,
    Merge => merge,
    Coordinator => coordinator,
    Attach => attach,

    Guard => guard,
    Host => host,
    SandboxExec => sandbox_exec,
    ScriptAgent => script_agent,
}
