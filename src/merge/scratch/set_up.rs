//! What a worktree of this repository gets besides the files of its commit, for a scratch checkout: submodules that are
//! here, and what the user's hook `post-checkout` makes. The hook runs in the sandbox of gates, for it may start what
//! agents have written.

use std::path::Path;

use crate::config::GATES;
use crate::git::{Oid, Repo, hooks_folder, hooks_present};
use crate::merge::MergeError;
use crate::merge::context::MergeContext;
use crate::platform::ProjectPaths;
use crate::process::shell::{Bounded, Cancel, Ended, shell};
use crate::worktree::{Confined, Confinement};

use super::checkout::Scratch;
use super::submodules::fill_submodules;

const HOOK: &str = "post-checkout";
/// How much of what the hook prints is kept, and how many lines are told when it fails.
const KEPT_BYTES: usize = 4 * 1024;
const LINES_TOLD: usize = 3;
/// By these a git that has started this program would lead the hook astray.
const REDIRECTING: [&str; 3] = ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"];

/// Sets a scratch checkout up as `git worktree add` would, while it still has the project's repository; returns what
/// is missing all the same, in words. `None` when it was called off.
pub(in crate::merge) fn set_up(
    context: &MergeContext,
    repo_dir: &Path,
    scratch: &Scratch,
    commit: Oid,
    cancel: Option<&Cancel>,
) -> Result<Option<Vec<String>>, MergeError> {
    let repo = Repo::open(repo_dir)?.with_driver_limit(context.driver_time_limit);
    let paths = ProjectPaths::new(&context.root);
    let mut missing = fill_submodules(&repo, scratch.path(), &paths.file("hosts"), commit);
    if hooks_present(&repo, &[HOOK])?.is_empty() {
        return Ok(Some(missing));
    }
    let confined = Confined::prepare(&Confinement {
        paths: &paths,
        config: &context.sandbox,
        role: GATES,
        folder: scratch.path(),
        state: &[],
    })?;
    let mut command = shell("exec \"$0\" \"$@\"", scratch.path());
    command
        .arg(hooks_folder(&repo)?.join(HOOK))
        .args([Oid::ZERO_SHA1.to_string(), commit.to_string()])
        .arg("1");
    for variable in REDIRECTING {
        command.env_remove(variable);
    }
    let ended = confined.run(Bounded {
        command,
        stdin: None,
        keeps_open: None,
        time_limit: context.gate_time_limit,
        keep: KEPT_BYTES,
        errors_apart: false,
        cancel,
        may_clean_up: false,
    });
    match ended {
        Ok(ended) if ended.called_off => return Ok(None),
        Ok(ended) => missing.extend(failed(&ended, confined.hint(&ended))),
        Err(error) => missing.push(format!("the hook {HOOK} could not be started: {error}")),
    }
    // Gates are about the tree that lands, and about what git ignores beside it.
    let changed = scratch.put_back()?;
    if !changed.is_empty() {
        missing.push(format!(
            "the hook {HOOK} changed files of the commit, which were put back: {}",
            changed.join(", ")
        ));
    }
    let left = scratch.clear()?;
    if !left.is_empty() {
        missing.push(format!(
            "the hook {HOOK} made files that git does not ignore, which were removed: {}",
            left.join(", ")
        ));
    }
    Ok(Some(missing))
}

fn failed(ended: &Ended, hint: Option<String>) -> Option<String> {
    let how = match ended.status {
        Some(status) if status.success() => return None,
        Some(status) => status
            .code()
            .map_or("ended by a signal".to_owned(), |code| {
                format!("exit code {code}")
            }),
        None => format!("did not finish within {} s", ended.duration.as_secs()),
    };
    let lines: Vec<&str> = ended.tail.lines().map(str::trim).collect();
    let lines: Vec<&str> = lines.into_iter().filter(|line| !line.is_empty()).collect();
    let last = lines.len().saturating_sub(LINES_TOLD);
    let mut said = format!("the hook {HOOK} failed in this checkout ({how})");
    for line in lines.iter().skip(last).copied().chain(hint.as_deref()) {
        said += "; ";
        said += line;
    }
    Some(said)
}
