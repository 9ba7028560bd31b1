//! The environment every agent gets, whatever its runtime.

use crate::git::{by_environment, no_push};
use crate::platform::{FsError, env, fs};
use crate::types::host::LaunchRecord;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Variables of the terminal and of other tools that must not reach the agent.
pub const REMOVED: &[&str] = &[
    "TMUX",
    "TMUX_PANE",
    "TERM_PROGRAM_VERSION",
    env::ACTING_FOR,
    env::ACTING_DEPTH,
    "ZELLIJ",
    "ZELLIJ_SESSION_NAME",
];

/// Builds the environment of an agent on top of the host's own.
pub fn build(
    record: &LaunchRecord,
    socket: &Path,
    grove: &Path,
    excludes: &Path,
) -> BTreeMap<String, String> {
    let mut vars = BTreeMap::new();
    let mut set = |name: &str, value: String| vars.insert(name.to_owned(), value);
    set(env::AGENT_NAME, record.agent.clone());
    set(
        env::WORKTREE_PATH,
        record.cwd.to_string_lossy().into_owned(),
    );
    set(env::TASK_ID, record.task_id.clone());
    set(
        env::PARENT,
        record
            .parent
            .clone()
            .unwrap_or_else(|| "coordinator".to_owned()),
    );
    set(
        env::PROJECT_ROOT,
        record.root.to_string_lossy().into_owned(),
    );
    set(env::HOST_SOCKET, socket.to_string_lossy().into_owned());
    set("TERM", "xterm-256color".to_owned());
    set("COLORTERM", "truecolor".to_owned());
    set("TERM_PROGRAM", "grove".to_owned());
    set("TMPDIR", record.temp.to_string_lossy().into_owned());
    // Terminals of its own: those of the user are not the agent's, and `/tmp` itself is not to be written.
    set("TMUX_TMPDIR", record.temp.to_string_lossy().into_owned());
    set(
        "CLAUDE_CODE_TMPDIR",
        record.temp.to_string_lossy().into_owned(),
    );
    // The agent calls grove by name, and must get this one.
    if let Some(dir) = grove.parent() {
        let path = env::var("PATH").unwrap_or_else(|| "/usr/local/bin:/usr/bin:/bin".to_owned());
        set("PATH", format!("{}:{path}", dir.display()));
    }
    vars.extend(git_settings(
        env::var("GIT_CONFIG_COUNT").as_deref(),
        no_push(&record.root),
        excludes,
    ));
    vars
}

/// Git's per-process settings: pushes are refused,
/// and nothing is packed behind other agents' backs. Settings the user has given the same way
/// are kept.
fn git_settings(
    count: Option<&str>,
    no_push: Vec<(String, String)>,
    excludes: &Path,
) -> BTreeMap<String, String> {
    let excludes = excludes.to_string_lossy();
    let mut ours = no_push;
    let more = [
        ("gc.auto", "0"),
        ("maintenance.auto", "false"),
        ("core.excludesFile", &*excludes),
        // An index in parts does not go with the agent's view of the git folder.
        ("core.splitIndex", "false"),
        // The user's signing key is not for agents; what lands is signed by the landing.
        ("commit.gpgSign", "false"),
        ("tag.gpgSign", "false"),
    ];
    ours.extend(more.map(|(key, value)| (key.to_owned(), value.to_owned())));
    let mut vars = by_environment(count, &ours);
    vars.insert("GIT_TERMINAL_PROMPT".to_owned(), "0".to_owned());
    vars
}

/// Writes the agent's own list of ignored files: the user's, and the instructions grove puts
/// into the worktree. The repository's own lists stay as they are.
pub fn write_excludes(
    private_dir: &Path,
    home: Option<&Path>,
    instructions: Option<&str>,
) -> Result<PathBuf, FsError> {
    let configured = crate::git::git(private_dir)
        .args([
            "config",
            "--global",
            "--type=path",
            "--get",
            "core.excludesFile",
        ])
        .also(1)
        .text()
        .ok()
        .map(|t| PathBuf::from(t.trim()))
        .filter(|p| !p.as_os_str().is_empty());
    let default = env::var("XDG_CONFIG_HOME")
        .map(PathBuf::from)
        .or_else(|| home.map(|h| h.join(".config")))
        .map(|c| c.join("git/ignore"));
    let users = match configured.or(default) {
        Some(path) => fs::read_optional(&path)?.unwrap_or_default(),
        None => String::new(),
    };
    let own = instructions.map(|f| format!("/{f}\n")).unwrap_or_default();
    let path = private_dir.join("excludes");
    fs::write_atomic(&path, format!("{users}\n{own}"))?;
    Ok(path)
}
