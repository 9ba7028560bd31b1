//! The call that renews a login: the user's own CLI, in the user's environment, outside of every sandbox.

use crate::logging::storable;
use crate::platform::env;
use crate::process::find_program;
use crate::process::shell::{Bounded, run_asking};
use crate::runtimes::RunningLogin;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

/// The CLI's own limits are shorter. Ended in the middle, it could lose what the service has given out already.
const LIMIT: Duration = Duration::from_secs(60);
const MOST_BYTES: usize = 64 * 1024;

/// Makes the call; in one line what it said of a failure. Whether it has helped, the login tells.
pub(super) fn call(login: &RunningLogin, dir: &Path) -> String {
    let words = login.argv.join(" ");
    let Some(program) = login.argv.first().and_then(|name| find_program(name, None)) else {
        return "the program is not on PATH".to_owned();
    };
    let mut command = Command::new(program);
    command
        .args(login.argv.iter().skip(1))
        .current_dir(dir)
        .envs(login.env.iter().map(|(name, value)| (name, value)));
    for name in login.env_remove.iter().chain([&env::HOST_SOCKET]) {
        command.env_remove(name);
    }
    let ended = run_asking(Bounded {
        command,
        stdin: None,
        keeps_open: None,
        time_limit: LIMIT,
        keep: MOST_BYTES,
        errors_apart: true,
        cancel: None,
        may_clean_up: true,
    });
    let ended = match ended {
        Ok(ended) => ended,
        Err(e) => return format!("`{words}` cannot be started: {e}"),
    };
    let errors = String::from_utf8_lossy(&ended.errors);
    let last = errors.lines().rev().map(str::trim).find(|l| !l.is_empty());
    match (ended.status, last) {
        (None, _) => format!("`{words}` did not end within {} s", LIMIT.as_secs()),
        (Some(_), Some(line)) => format!("`{words}` said: {}", storable(line)),
        (Some(status), None) if !status.success() => format!("`{words}` ended with {status}"),
        (Some(_), None) => format!("`{words}` left it as it was; the service may be out of reach"),
    }
}
