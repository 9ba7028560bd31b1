//! The list of commands: parser and dispatch are generated from it.

use clap::{Args as _, Subcommand};

use super::observe::{errors, feed, replay, trace};
use super::parser::lenient;
use super::{
    agents, attach, clean, completions, conflicts, coordinator, costs, dashboard, demo, discover,
    doctor, ecosystem, expertise, group, guard, hooks, host, init, inspect, log, logs, mail, merge,
    metrics, monitor, nudge, orchestrator, pr, prime, redact, run, sandbox_exec, script_agent,
    serve, sling, spec, status, stop, supervisor, task, update, upgrade, watch, worktree,
};
use crate::cli::{CliResult, Context};

/// Generates the parser's enum and the dispatch from one list.
macro_rules! commands {
    ($($variant:ident($name:literal) => $module:ident),+ $(,)?) => {
        /// Every command of the program.
        #[derive(Debug, Subcommand)]
        pub enum Command {
            $(#[allow(missing_docs)] #[command(name = $name)] $variant($module::Args),)+
        }

        /// Adds the commands by their names alone. What one takes is built when a command line names
        /// it: building all of them takes longer than most commands do.
        pub(super) fn add_deferred(mut root: clap::Command) -> clap::Command {
            $(
                let command = clap::Command::new($name);
                root = root.subcommand(
                    command.defer(|command| lenient($module::Args::augment_args(command))),
                );
            )+
            root
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

impl Command {
    /// Whether most of what it says are names and lines that agents have written: of branches, commits and files.
    pub(super) fn tells_of_merges(&self) -> bool {
        matches!(self, Self::Merge(_) | Self::Conflicts(_) | Self::Pr(_))
    }
}

commands! {
    Init("init") => init,
    Status("status") => status,
    Mail("mail") => mail,
    Run("run") => run,
    Spec("spec") => spec,
    Prime("prime") => prime,
    Group("group") => group,
    Costs("costs") => costs,
    Metrics("metrics") => metrics,
    Trace("trace") => trace,
    Errors("errors") => errors,
    Replay("replay") => replay,
    Feed("feed") => feed,
    Inspect("inspect") => inspect,
    Clean("clean") => clean,
    Redact("redact") => redact,
    Logs("logs") => logs,
    Log("log") => log,
    Agents("agents") => agents,
    Worktree("worktree") => worktree,
    Hooks("hooks") => hooks,
    Doctor("doctor") => doctor,
    Update("update") => update,
    Upgrade("upgrade") => upgrade,
    Ecosystem("ecosystem") => ecosystem,
    Completions("completions") => completions,
    Task("task") => task,
    Expertise("expertise") => expertise,
    Sling("sling") => sling,
    Stop("stop") => stop,
    Nudge("nudge") => nudge,
    Merge("merge") => merge,
    Conflicts("conflicts") => conflicts,
    Pr("pr") => pr,
    Coordinator("coordinator") => coordinator,
    Serve("serve") => serve,
    Orchestrator("orchestrator") => orchestrator,
    Supervisor("supervisor") => supervisor,
    Monitor("monitor") => monitor,
    Discover("discover") => discover,
    Watch("watch") => watch,
    Dashboard("dashboard") => dashboard,
    Attach("attach") => attach,
    Demo("demo") => demo,
    Guard("guard") => guard,
    Host("host") => host,
    SandboxExec("sandbox-exec") => sandbox_exec,
    ScriptAgent("script-agent") => script_agent,
}
