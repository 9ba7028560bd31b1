//! Asking a configured agent CLI, in its one-shot mode, to merge contested files. Bounded in time and
//! output, in a scratch directory, with everything it starts; judging the answer is `escalate`'s part.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use crate::config::SandboxConfig;
use crate::git::git;
use crate::platform::{ProjectPaths, env, fs};
use crate::process::find_program;
use crate::process::shell::{Bounded, Cancel, Ended, run};
use crate::runtimes;
use crate::runtimes::one_shot::{answer_text, one_shot};
use crate::types::merge::MergeTier;
use crate::worktree::{Confined, Confinement, WorktreeError};

use super::assist::{ConflictResolver, ContestedFile};
use super::context::MergeItem;
use super::history::{PastMerges, not_worth_trying};
use super::prompt::prompt;

/// A longer answer is not one file.
const LARGEST_ANSWER: usize = 8 * 1024 * 1024;

/// Which CLI to ask, and how.
pub struct RuntimeResolver<'a> {
    /// The project's root: specs and history are read there.
    pub root: PathBuf,
    pub target_branch: String,
    /// ov's name of the runtime.
    pub runtime: String,
    /// The program to start instead of the one on PATH.
    pub program: Option<PathBuf>,
    pub model: Option<String>,
    pub time_limit: Duration,
    /// How the CLI is confined: as the role `merger`.
    pub sandbox: SandboxConfig,
    pub ai_resolve: bool,
    pub reimagine: bool,
    pub history: &'a dyn PastMerges,
}

impl std::fmt::Debug for RuntimeResolver<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RuntimeResolver")
            .field("runtime", &self.runtime)
            .finish_non_exhaustive()
    }
}

impl ConflictResolver for RuntimeResolver<'_> {
    fn offers(&self, tier: MergeTier) -> bool {
        match tier {
            MergeTier::CleanMerge | MergeTier::AutoResolve => false,
            MergeTier::AiResolve => self.ai_resolve,
            MergeTier::Reimagine => self.reimagine,
        }
    }

    fn skips(&self, tier: MergeTier, files: &[String]) -> Option<String> {
        not_worth_trying(&self.history.sharing(files), tier)
    }

    fn answer(
        &self,
        item: &MergeItem,
        tier: MergeTier,
        file: &ContestedFile,
        dir: &Path,
    ) -> Result<String, String> {
        let past = self.history.sharing(std::slice::from_ref(&file.path));
        let question = prompt(tier, file, &self.intent(item), &past);
        self.ask(&question, dir, None)
    }
}

impl RuntimeResolver<'_> {
    /// Asks one question in a directory and returns what was answered.
    pub fn ask(
        &self,
        question: &str,
        dir: &Path,
        cancel: Option<&Cancel>,
    ) -> Result<String, String> {
        let model = self.model.as_deref();
        let call = one_shot(&self.runtime, model, question).map_err(|error| error.to_string())?;
        let (name, args) = call.argv.split_first().ok_or("nothing to run")?;
        let program = self
            .program
            .clone()
            .or_else(|| find_program(name, None))
            .ok_or_else(|| format!("'{name}' is not installed or not on PATH"))?;
        let mut command = Command::new(program);
        command.args(args).current_dir(dir);
        let confined = self.confined(dir).map_err(|error| error.to_string())?;
        let ended = confined
            .run(Bounded {
                command,
                stdin: call.stdin.map(String::into_bytes),
                time_limit: self.time_limit,
                keep: LARGEST_ANSWER,
                errors_apart: true,
                cancel,
            })
            .map_err(|error| format!("'{name}' could not be started: {error}"))?;
        judge(name, &ended, self.time_limit)?;
        Ok(answer_text(&self.runtime, ended.tail))
    }

    /// What it is asked was written by agents, and may ask for more than an answer.
    fn confined(&self, dir: &Path) -> Result<Confined, WorktreeError> {
        let state = match (runtimes::find(&self.runtime), env::home()) {
            (Ok(runtime), Some(home)) => {
                let (folders, files) = runtime.state();
                for folder in folders {
                    fs::create_dir_all(&home.join(folder))?;
                }
                let names = folders.iter().chain(files);
                names.map(|name| home.join(name)).collect()
            }
            (Ok(_), None) => Vec::new(),
            (Err(_), _) => {
                // Where it keeps its login is not known, so in a sandbox it could not answer at all.
                tracing::warn!("'{}' is asked without a sandbox", self.runtime);
                return Ok(Confined::open());
            }
        };
        Confined::prepare(&Confinement {
            paths: &ProjectPaths::new(&self.root),
            config: &self.sandbox,
            role: "merger",
            folder: dir,
            state: &state,
        })
    }

    /// What the branch is for: the task's spec and the messages of its commits. Helpful, not needed.
    pub fn intent(&self, item: &MergeItem) -> String {
        let spec = self
            .root
            .join(".overstory/specs")
            .join(format!("{}.md", item.task));
        let spec = fs::read_optional(&spec).ok().flatten().unwrap_or_default();
        let range = format!("{}..{}", self.target_branch, item.branch);
        let log = git(&self.root)
            .args(["log", "--no-merges", "-n", "20", "--format=%s%n%b", &range])
            .text();
        let commits = log.unwrap_or_else(|error| {
            tracing::debug!(%error, "commit messages of a branch not read");
            String::new()
        });
        [spec, commits].join("\n\n")
    }
}

/// Runs a program with a text on its stdin and returns what it printed; the error is a sentence.
pub fn run_tool(
    name: &str,
    args: &[&str],
    dir: &Path,
    stdin: &str,
    time_limit: Duration,
) -> Result<String, String> {
    let program = find_program(name, None)
        .ok_or_else(|| format!("'{name}' is not installed or not on PATH"))?;
    let mut command = Command::new(program);
    command.args(args).current_dir(dir);
    let ended = run(Bounded {
        command,
        stdin: Some(stdin.as_bytes().to_vec()),
        time_limit,
        keep: LARGEST_ANSWER,
        errors_apart: true,
        cancel: None,
    })
    .map_err(|error| format!("'{name}' could not be started: {error}"))?;
    judge(name, &ended, time_limit)?;
    Ok(ended.tail)
}

fn judge(name: &str, ended: &Ended, time_limit: Duration) -> Result<(), String> {
    let Some(status) = ended.status else {
        return Err(format!(
            "'{name}' did not answer within {} s",
            time_limit.as_secs()
        ));
    };
    if !status.success() {
        let said = ended
            .errors
            .lines()
            .rev()
            .find(|line| !line.trim().is_empty());
        let said = said.map_or_else(String::new, |line| format!(": {}", line.trim()));
        return Err(format!("'{name}' failed ({status}){said}"));
    }
    if ended.dropped > 0 {
        return Err(format!("'{name}' printed more than a file can be"));
    }
    Ok(())
}
