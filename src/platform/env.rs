//! Names of the environment variables grove reads or sets, and how it reads them.

use std::path::PathBuf;

/// Socket of the agent's host; its presence makes every grove command inside an agent a thin client.
pub const HOST_SOCKET: &str = "GROVE_HOST_SOCKET";
/// Set for commands that a host runs on behalf of its agent; holds the agent's name.
pub const ACTING_FOR: &str = "GROVE_ACTING_FOR";
/// Beside [`ACTING_FOR`]: how deep in the hierarchy that agent is, in whole numbers from 0.
pub const ACTING_DEPTH: &str = "GROVE_ACTING_DEPTH";
/// Set for an agent without a sandbox, whose git has a stash of its own and is git itself otherwise.
pub const GIT_FRONT: &str = "GROVE_GIT_FRONT";
/// Who the agent reports to.
pub const PARENT: &str = "GROVE_PARENT";
/// The agent's own name, ov's variable.
pub const AGENT_NAME: &str = "OVERSTORY_AGENT_NAME";
/// The agent's worktree, ov's variable.
pub const WORKTREE_PATH: &str = "OVERSTORY_WORKTREE_PATH";
/// The agent's task, ov's variable.
pub const TASK_ID: &str = "OVERSTORY_TASK_ID";
/// The project root, ov's variable.
pub const PROJECT_ROOT: &str = "OVERSTORY_PROJECT_ROOT";

/// The profile an agent was started with, ov's variable.
pub const PROFILE: &str = "OVERSTORY_PROFILE";

/// A variable's value when it is set, not empty and valid UTF-8.
pub fn var(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|v| !v.is_empty())
}

/// All variables that are valid UTF-8.
pub fn all() -> Vec<(String, String)> {
    std::env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
        .collect()
}

/// The user's home folder, from the environment only (static binaries cannot ask the directory service).
pub fn home() -> Option<PathBuf> {
    var("HOME")
        .or_else(|| var("USERPROFILE"))
        .map(PathBuf::from)
}
