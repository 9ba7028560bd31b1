//! Asking a configured agent CLI, in its one-shot mode, to merge contested files. Bounded in time and
//! output, in a scratch directory, with everything it starts; judging the answer is `escalate`'s part.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::config::SandboxConfig;
use crate::git::git;
use crate::platform::{ProjectPaths, env, fs, random};
use crate::process::shell::{Bounded, Cancel, run};
use crate::runtimes;
use crate::runtimes::ask::{Program, Question, answer_of, ask, is_missing};
use crate::runtimes::reach::Model;
use crate::runtimes::state::state;
use crate::types::merge::MergeTier;
use crate::worktree::{Confined, Confinement, WorktreeError};

use super::assist::{ConflictResolver, ContestedFile};
use super::context::CallOff;
use super::context::MergeItem;
use super::history::{PastMerges, not_worth_trying};
use super::prompt::prompt;

/// Which CLI to ask, and how.
pub struct RuntimeResolver<'a> {
    /// The project's root: specs and history are read there.
    pub root: PathBuf,
    pub target_branch: String,
    /// ov's name of the runtime.
    pub runtime: String,
    /// The program to start instead of the one on PATH.
    pub program: Option<PathBuf>,
    pub model: Model,
    pub time_limit: Duration,
    /// How the CLI is confined: as the role `merger`.
    pub sandbox: SandboxConfig,
    pub ai_resolve: bool,
    pub reimagine: bool,
    /// Through which a question about a branch can be cancelled.
    pub call_off: CallOff,
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

    fn is_missing(&self) -> bool {
        is_missing(&self.runtime, self.program.as_deref())
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
        let cancel = self.call_off.token(&item.branch);
        self.ask(&question, dir, Some(&cancel))
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
        let own = Own::make(&self.runtime, &self.root)?;
        // Only for a program that is there: its state's folders are made for it.
        let run = |bounded: Bounded<'_>| {
            let confined = self.confined(dir, &own).map_err(io::Error::other)?;
            confined.run(bounded)
        };
        let mut model = self.model.clone();
        model.env.extend(own.variables.iter().cloned());
        ask(Question {
            runtime: &self.runtime,
            program: self.program.clone(),
            model: &model,
            prompt: question,
            dir,
            time_limit: self.time_limit,
            cancel,
            run: &run,
        })
    }

    /// What it is asked was written by agents, and may ask for more than an answer.
    fn confined(&self, dir: &Path, own: &Own) -> Result<Confined, WorktreeError> {
        let home = env::home();
        let known = home
            .as_deref()
            .and_then(|home| state(&self.runtime, home, &own.folder, &env::var));
        let Some(known) = known else {
            // Where it keeps its login is not known, so in a sandbox it could not answer at all.
            tracing::warn!("'{}' is asked without a sandbox", self.runtime);
            return Ok(Confined::open(dir));
        };
        for folder in &known.folders {
            fs::create_dir_all(folder)?;
        }
        let state: Vec<PathBuf> = known.folders.into_iter().chain(known.files).collect();
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

/// What the CLI keeps for one question, apart from what the user's own keeps. It goes with the question.
struct Own {
    folder: PathBuf,
    variables: Vec<(String, String)>,
}

impl Own {
    /// The error is a sentence. Nothing is there for a CLI that keeps everything with the user's.
    fn make(runtime: &str, root: &Path) -> Result<Self, String> {
        // Where no agent looks.
        let name = format!(".ask-{}", random::alphanumeric(12));
        let mut own = Self {
            folder: ProjectPaths::new(root).host_dir(&name),
            variables: Vec::new(),
        };
        if let (Ok(runtime), Some(home)) = (runtimes::find(runtime), env::home()) {
            let made = runtime.prepare_question(&home, &own.folder, root);
            own.variables = made.map_err(|error| error.to_string())?;
        }
        Ok(own)
    }
}

impl Drop for Own {
    fn drop(&mut self) {
        if let Err(error) = fs::remove_dir_all(&self.folder) {
            tracing::warn!("what a question has left stays: {error}");
        }
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
    let args: Vec<String> = args.iter().map(|arg| (*arg).to_owned()).collect();
    answer_of(Program {
        name,
        path: None,
        args: &args,
        dir,
        model: None,
        stdin: Some(stdin),
        time_limit,
        cancel: None,
        run: &run,
    })
}
