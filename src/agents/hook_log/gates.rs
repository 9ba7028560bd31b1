//! Whether the work of a session that has just ended passes the project's own checks.

use std::path::Path;
use std::time::Duration;

use crate::config::{GATES, QualityGate, SandboxConfig};
use crate::git::{GitError, Pinned, Repo, dirty_files_in, path_name};
use crate::platform::ProjectPaths;
use crate::process::shell::{Bounded, TAIL_BYTES, shell};
use crate::worktree::{Confined, Confinement, WorktreeError};

/// How long one gate may take.
const LIMIT: Duration = Duration::from_secs(300);

/// How the gates went, all together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GateOutcome {
    Success,
    Partial,
    Failure,
}

impl GateOutcome {
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Success => "success",
            Self::Partial => "partial",
            Self::Failure => "failure",
        }
    }

    fn of(passed: usize, total: usize) -> Option<Self> {
        match (passed, total) {
            (_, 0) => None,
            (passed, total) if passed == total => Some(Self::Success),
            (0, _) => Some(Self::Failure),
            (_, _) => Some(Self::Partial),
        }
    }
}

/// Whether a worktree holds anything to check: commits that `base` lacks, or uncommitted files.
/// When git cannot tell, there is.
pub(super) fn has_work(root: &Path, worktree: &Path, base: &str) -> bool {
    if !worktree.is_dir() {
        return false;
    }
    let ahead = || -> Result<bool, GitError> {
        let range = format!("{base}..HEAD");
        let there = Pinned::of(&Repo::discover(root)?, worktree)?;
        let count = there.git().args(["rev-list", "--count", &range]).text()?;
        Ok(count.trim() != "0" || !dirty_files_in(&there)?.is_empty())
    };
    ahead().unwrap_or(true)
}

/// Files that the commits since `base` have changed; none when git cannot tell.
pub(super) fn changed(root: &Path, worktree: &Path, base: &str) -> Vec<String> {
    if !worktree.is_dir() {
        return Vec::new();
    }
    let range = format!("{base}...HEAD");
    Repo::discover(root)
        .and_then(|repo| Pinned::of(&repo, worktree))
        .and_then(|there| {
            let call = there.git().args(["diff", "--name-only", "-z", &range]);
            call.run()
        })
        .map(|output| {
            let names = output.stdout.split(|byte| *byte == 0);
            names
                .filter(|name| !name.is_empty())
                .map(path_name)
                .collect()
        })
        .unwrap_or_default()
}

/// Runs every gate in the worktree, in the sandbox of gates; `None` when there are none.
pub(super) fn run(
    gates: &[QualityGate],
    worktree: &Path,
    paths: &ProjectPaths,
    sandbox: &SandboxConfig,
) -> Result<Option<GateOutcome>, WorktreeError> {
    if gates.is_empty() {
        return Ok(None);
    }
    let confined = Confined::prepare(&Confinement {
        paths,
        config: sandbox,
        role: GATES,
        folder: worktree,
        state: &[],
    })?;
    if let Some(note) = confined.note() {
        tracing::warn!("{note}");
    }
    let passes = |gate: &&QualityGate| {
        let bounded = Bounded {
            command: shell(&gate.command, worktree),
            stdin: None,
            keeps_open: None,
            time_limit: LIMIT,
            keep: TAIL_BYTES,
            errors_apart: false,
            cancel: None,
            may_clean_up: false,
        };
        let ended = confined.run(bounded);
        ended.is_ok_and(|ended| ended.status.is_some_and(|status| status.success()))
    };
    let passed = gates.iter().filter(passes).count();
    Ok(GateOutcome::of(passed, gates.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gate(command: &str) -> QualityGate {
        QualityGate {
            name: "g".into(),
            command: command.into(),
            description: "d".into(),
        }
    }

    #[test]
    fn the_outcome_is_of_all_gates_together() {
        let dir = tempfile::tempdir().unwrap();
        let run = |commands: &[&str]| {
            let gates: Vec<_> = commands.iter().map(|c| gate(c)).collect();
            let paths = ProjectPaths::new(dir.path());
            super::run(&gates, dir.path(), &paths, &SandboxConfig::default()).unwrap()
        };
        assert_eq!(run(&[]), None);
        assert_eq!(run(&["true", "true"]), Some(GateOutcome::Success));
        assert_eq!(run(&["true", "false"]), Some(GateOutcome::Partial));
        assert_eq!(run(&["false"]), Some(GateOutcome::Failure));
    }

    #[cfg(unix)]
    #[test]
    fn a_gate_cannot_log_in_by_what_the_repository_says_nor_push_by_its_remotes() {
        if !crate::sandbox::support().is_some() {
            return;
        }
        let dir = tempfile::tempdir().unwrap();
        let git = |args: &[&str]| crate::git::git(dir.path()).args(args).run().unwrap();
        git(&["init", "-q"]);
        git(&["config", "credential.helper", "!echo password=hidden; :"]);
        git(&["config", "remote.origin.url", "https://host.test/r"]);
        git(&["config", "remote.origin.pushurl", "https://host.test/w"]);
        let fill = "printf 'protocol=https\nhost=host.test\nusername=u\n\n' | git credential fill";
        let run = |command: &str| {
            let paths = ProjectPaths::new(dir.path());
            let sandbox = SandboxConfig::default();
            super::run(&[gate(command)], dir.path(), &paths, &sandbox).unwrap()
        };
        assert!(String::from_utf8_lossy(&git(&["config", "-l"]).stdout).contains("hidden"));
        let refused = "git remote get-url --push --all origin | grep -q '^grove-refuses-push::$'";
        assert_eq!(run(refused), Some(GateOutcome::Success));
        assert_eq!(run(fill), Some(GateOutcome::Failure));
    }

    #[test]
    fn a_missing_worktree_has_no_work() {
        let nowhere = Path::new("/nonexistent/worktree");
        assert!(!has_work(nowhere, nowhere, "main"));
    }
}
