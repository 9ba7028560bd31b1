//! The names of what starts processes, waits for them and pauses.

/// Starts a process and goes on at once.
pub(super) const STARTS: &[&str] = &[
    "fork",
    "pcntl_fork",
    "forkpty",
    "spawn",
    "Popen",
    "popen",
    "popen2",
    "popen3",
    "open2",
    "open3",
    "proc_open",
    "posix_spawn",
    "posix_spawnp",
    "spawnl",
    "spawnlp",
    "spawnv",
    "spawnvp",
    "create_subprocess_exec",
    "create_subprocess_shell",
];

/// Waits for what was started, or leaves the loop.
pub(super) const WAITS: &[&str] = &[
    "wait",
    "waitpid",
    "wait2",
    "wait3",
    "wait4",
    "waitid",
    "waitall",
    "wait_for",
    "pcntl_wait",
    "pcntl_waitpid",
    "proc_close",
    "pclose",
    "communicate",
    "join",
    "break",
    "last",
    "return",
    "await",
    "on",
    "once",
    "then",
    "pause",
];

/// Takes time wherever the turn itself does it.
pub(super) const PAUSES: &[&str] = &[
    "sleep",
    "usleep",
    "nanosleep",
    "select",
    "poll",
    "accept",
    "recv",
    "read",
    "readline",
    "readlines",
    "gets",
    "input",
    "STDIN",
    "stdin",
    "getc",
];
