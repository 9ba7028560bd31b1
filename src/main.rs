//! The program: in front of git, inside an agent a thin client of its host, else the command line.

use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<_> = std::env::args_os().collect();
    // Agents call git often, and by this program where they are in a sandbox.
    if let Some(code) = grove::git_front::instead_of_git(&arguments) {
        return code;
    }
    // Hooks run for every tool call of every agent: nothing else may be set up before them.
    if let Some(code) = grove::hook::inside_agent(&arguments) {
        return code;
    }
    grove::commands::run(arguments)
}
