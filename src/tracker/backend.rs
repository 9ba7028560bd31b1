//! Which tracker a project uses, behind one set of verbs.
//!
//! Beads where the project is set up for it; else the seeds files where they exist; else the `sd`
//! program where it is on PATH; else none.

use std::path::Path;

use super::change::{NewTask, Selection, TaskChange};
use super::error::TrackerError;
use super::issue::Issue;
use super::program::{Kind, Program};
use super::seeds::Seeds;
use crate::config::{TaskTrackerConfig, TrackerBackend};
use crate::logging::storable;
use crate::process::find_program;

/// A project's tracker.
#[derive(Debug, Clone)]
pub enum Tracker {
    /// The seeds files, read and written here.
    Seeds(Seeds),
    /// Through the tracker's own program.
    Program(Program),
    /// The project has none.
    Missing,
    /// The project does not want one.
    Disabled,
}

impl Tracker {
    /// Settles which tracker is meant.
    pub fn of(root: &Path, config: &TaskTrackerConfig) -> Self {
        if !config.enabled {
            return Self::Disabled;
        }
        let beads = match config.backend {
            TrackerBackend::Beads => true,
            TrackerBackend::Auto => root.join(".beads").is_dir(),
            TrackerBackend::Seeds => false,
        };
        if beads {
            return Self::Program(Program::new(Kind::Beads, root));
        }
        match Seeds::open(root) {
            Some(seeds) => Self::Seeds(seeds),
            None if find_program("sd", None).is_some() => {
                Self::Program(Program::new(Kind::Seeds, root))
            }
            None => Self::Missing,
        }
    }

    /// The tracker's name; `None` without one.
    pub fn name(&self) -> Option<&'static str> {
        match self {
            Self::Seeds(_) => Some("seeds"),
            Self::Program(program) => Some(program.kind.name()),
            Self::Missing | Self::Disabled => None,
        }
    }

    /// The program that knows this tracker's files.
    pub fn program(&self) -> &'static str {
        match self {
            Self::Program(Program {
                kind: Kind::Beads, ..
            }) => "bd",
            Self::Program(_) | Self::Seeds(_) | Self::Missing | Self::Disabled => "sd",
        }
    }

    /// The command that agents use.
    pub fn cli(&self) -> Option<&'static str> {
        self.name().map(|_| "grove task")
    }

    /// The state of a task; `None` when it is not known.
    pub fn status(&self, id: &str) -> Option<String> {
        self.get(id).ok().map(|issue| issue.status().to_owned())
    }

    /// One task.
    pub fn get(&self, id: &str) -> Result<Issue, TrackerError> {
        match self {
            Self::Seeds(seeds) => seeds.get(id),
            Self::Program(program) => program.get(id),
            Self::Missing | Self::Disabled => Err(self.absent()),
        }
    }

    /// The chosen tasks.
    pub fn list(&self, selection: &Selection) -> Result<Vec<Issue>, TrackerError> {
        match self {
            Self::Seeds(seeds) => seeds.list(selection),
            Self::Program(program) => program.list(selection),
            Self::Missing | Self::Disabled => Err(self.absent()),
        }
    }

    /// Tasks that can be started now.
    pub fn ready(&self, selection: &Selection) -> Result<Vec<Issue>, TrackerError> {
        match self {
            Self::Seeds(seeds) => seeds.ready(selection),
            Self::Program(program) => program.ready(selection),
            Self::Missing | Self::Disabled => Err(self.absent()),
        }
    }

    /// Adds a task, without the secrets in its texts.
    pub fn add(&self, task: &NewTask) -> Result<Issue, TrackerError> {
        let task = task.storable();
        match self {
            Self::Seeds(seeds) => seeds.add(&task),
            Self::Program(program) => program.add(&task),
            Self::Missing | Self::Disabled => Err(self.absent()),
        }
    }

    /// Changes a task; no secret gets into its texts.
    pub fn update(&self, id: &str, change: &TaskChange) -> Result<Issue, TrackerError> {
        let change = change.storable();
        match self {
            Self::Seeds(seeds) => seeds.update(id, &change),
            Self::Program(program) => program.update(id, &change),
            Self::Missing | Self::Disabled => Err(self.absent()),
        }
    }

    /// Closes tasks; no secret gets into the reason.
    pub fn close(&self, ids: &[String], reason: Option<&str>) -> Result<Vec<Issue>, TrackerError> {
        let reason = reason.map(storable);
        let reason = reason.as_deref();
        match self {
            Self::Seeds(seeds) => seeds.close(ids, reason),
            Self::Program(program) => program.close(ids, reason),
            Self::Missing | Self::Disabled => Err(self.absent()),
        }
    }

    /// Lets a task wait for another.
    pub fn depend(&self, id: &str, on: &str) -> Result<(), TrackerError> {
        match self {
            Self::Seeds(seeds) => seeds.depend(id, on),
            Self::Program(program) => program.depend(id, on),
            Self::Missing | Self::Disabled => Err(self.absent()),
        }
    }

    /// Lets a task wait for another no longer.
    pub fn release(&self, id: &str, on: &str) -> Result<(), TrackerError> {
        match self {
            Self::Seeds(seeds) => seeds.release(id, on),
            Self::Program(program) => program.release(id, on),
            Self::Missing | Self::Disabled => Err(self.absent()),
        }
    }

    fn absent(&self) -> TrackerError {
        match self {
            Self::Disabled => TrackerError::Disabled,
            Self::Missing | Self::Seeds(_) | Self::Program(_) => TrackerError::NoTracker,
        }
    }
}
