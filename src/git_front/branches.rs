//! Removing packed branches of the agent's own from the real packed refs, which only its host can write.

use std::path::Path;
use std::time::{Duration, Instant};

use super::packed::Gone;
use super::place::Place;
use crate::host::FORGET_BRANCH;
use crate::host::client::{self, Limits};
use crate::host::protocol::Command;
use crate::platform::env;

/// A host that has much to do answers in less.
const PATIENCE: Duration = Duration::from_secs(10);

/// Has the host remove what git has removed in the view. Returns what to say of each that is still there.
pub(super) fn remove(place: &Place, gone: &[Gone]) -> Vec<String> {
    let mut left = Vec::new();
    for branch in gone {
        // Made anew under a name that was packed: what is packed does not count any more.
        if place.common.join(&branch.name).exists() {
            continue;
        }
        if let Err(why) = ask(branch) {
            let name = branch.name.strip_prefix("refs/heads/");
            let name = name.unwrap_or(&branch.name);
            left.push(format!(
                "{name} is still there, because it is packed: {why}; the user can remove it (git branch -D {name})"
            ));
        }
    }
    left
}

fn ask(branch: &Gone) -> Result<(), String> {
    let socket = env::var(env::HOST_SOCKET).ok_or("this process has no agent host")?;
    let command = Command {
        argv: [FORGET_BRANCH, &branch.name, &branch.id]
            .map(str::to_owned)
            .to_vec(),
        cwd: std::env::current_dir().unwrap_or_default(),
        stdin: Vec::new(),
    };
    let limits = Limits {
        answer: Some(Instant::now() + PATIENCE),
        sign: None,
    };
    let answer = client::command(Path::new(&socket), &command, limits, |_| Ok(()));
    match answer {
        Ok(answer) if answer.code == 0 => Ok(()),
        Ok(answer) => Err(answer.stderr.trim_end().to_owned()),
        Err(error) => Err(format!("the host of this agent does not answer ({error})")),
    }
}
