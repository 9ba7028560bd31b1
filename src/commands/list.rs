//! The list of commands: parser and dispatch are generated from it.

use clap::Subcommand;

use super::observe::{errors, feed, replay, trace};
use super::{
    agents, attach, clean, completions, conflicts, coordinator, costs, dashboard, demo, discover,
    doctor, ecosystem, expertise, group, guard, hooks, host, init, inspect, log, logs, mail, merge,
    metrics, monitor, nudge, orchestrator, pr, prime, redact, run, sandbox_exec, script_agent,
    serve, sling, spec, status, stop, supervisor, task, update, upgrade, watch, worktree,
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
    Clean => clean,
    Redact => redact,
    Logs => logs,
    Log => log,
    Agents => agents,
    Worktree => worktree,
    Hooks => hooks,
    Doctor => doctor,
    Update => update,
    Upgrade => upgrade,
    Ecosystem => ecosystem,
    Completions => completions,
    Task => task,
    Expertise => expertise,
    Sling => sling,
    Stop => stop,
    Nudge => nudge,
    Merge => merge,
    Conflicts => conflicts,
    Pr => pr,
    Coordinator => coordinator,
    Serve => serve,
    Orchestrator => orchestrator,
    Supervisor => supervisor,
    Monitor => monitor,
    Discover => discover,
    Watch => watch,
    Dashboard => dashboard,
    Attach => attach,
    Demo => demo,
    Guard => guard,
    Host => host,
    SandboxExec => sandbox_exec,
    ScriptAgent => script_agent,
}
