//! What every command can ask for: output, the project it works on, its configuration.

use std::path::{Path, PathBuf};

use clap::Args;

use super::error::{CliError, CliResult};
use super::printer::Printer;
use crate::config::{self, Config, RootProbes};
use crate::git::Repo;
use crate::platform::{ProjectPaths, env};

/// Options that every command accepts.
#[derive(Debug, Clone, Default, Args)]
pub struct Globals {
    /// Print JSON instead of text
    #[arg(long, global = true)]
    pub json: bool,
    /// Hide success, warning and hint lines
    #[arg(short, long, global = true)]
    pub quiet: bool,
    /// Show more detail
    #[arg(long, global = true)]
    pub verbose: bool,
    /// Print to stderr how long the command took
    #[arg(long, global = true)]
    pub timing: bool,
    /// Use the project at this path
    #[arg(long, global = true, value_name = "path")]
    pub project: Option<PathBuf>,
}

/// The surroundings of one command.
#[derive(Debug)]
pub struct Context {
    /// Output.
    pub out: Printer,
    /// The options given.
    pub globals: Globals,
    /// Current directory, absolute.
    pub cwd: PathBuf,
}

/// The project a command works on.
#[derive(Debug, Clone)]
pub struct Project {
    /// Absolute root.
    pub root: PathBuf,
    /// Where its files are.
    pub paths: ProjectPaths,
    /// Its configuration.
    pub config: Config,
}

impl Context {
    /// Returns where the project's files are, without reading its configuration.
    pub fn paths(&self) -> CliResult<ProjectPaths> {
        let environment = env::var(env::PROJECT_ROOT).map(PathBuf::from);
        let root = config::resolve_root(&RootProbes {
            explicit: self.globals.project.as_deref(),
            environment: environment.as_deref(),
            cwd: &self.cwd,
            has_config: &|path| config::config_path(path).is_file(),
            main_checkout: &|| main_checkout(&self.cwd),
        })?;
        Ok(ProjectPaths::new(root))
    }

    /// Returns the project with its configuration; notices about it go to stderr.
    pub fn project(&self) -> CliResult<Project> {
        let paths = self.paths()?;
        let loaded = config::load(&paths.root)?;
        for notice in &loaded.notices {
            self.out.note(notice);
        }
        Ok(Project {
            root: paths.root.clone(),
            paths,
            config: loaded.config,
        })
    }

    /// Refuses where there is no project, before anything is made there.
    pub fn require_state(&self, paths: &ProjectPaths) -> CliResult<()> {
        let folder = paths.dir();
        if folder.is_dir() {
            return Ok(());
        }
        Err(CliError::no_state(&folder))
    }

    /// Whether `--json` was given.
    pub fn is_json(&self) -> bool {
        self.out.is_json()
    }

    /// The agent on whose behalf this runs, when a host vouches for it.
    pub fn acting_agent(&self) -> Option<String> {
        env::var(env::ACTING_FOR)
    }
}

fn main_checkout(cwd: &Path) -> Option<PathBuf> {
    // Most commands run in the root itself, where git has nothing to add.
    if config::config_path(cwd).is_file() {
        return None;
    }
    let root = Repo::discover(cwd).ok()?.main_root()?;
    // Without the separator at the end that git adds.
    Some(root.components().collect())
}
