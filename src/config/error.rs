//! What can go wrong with a configuration; every message names the file and, where known, the line.

use std::path::PathBuf;

use thiserror::Error;

/// A configuration that cannot be used.
#[derive(Debug, Error)]
pub enum ConfigError {
    /// `--project` points at a folder without a configuration.
    #[error("'{}' is not an overstory project (missing .overstory/config.yaml). Run 'grove init' first.", path.display())]
    NotAProject {
        /// The folder that was given.
        path: PathBuf,
    },
    /// The project is at a path that is no UTF-8; agents, git and stored rows get paths as text.
    #[error("the path of this project is not UTF-8 ({}), so agents could not be told where it is; rename the folder, then try again", path.display())]
    NotText {
        /// The folder.
        path: PathBuf,
    },
    /// A file exists but cannot be read or written.
    #[error("cannot {action} {}: {source}", path.display())]
    Io {
        /// `read` or `write`.
        action: &'static str,
        /// The file concerned.
        path: PathBuf,
        /// The system's reason.
        #[source]
        source: std::io::Error,
    },
    /// A line is not part of the supported YAML.
    #[error("{}:{line}: {reason}", path.display())]
    Syntax {
        /// The file concerned.
        path: PathBuf,
        /// Line number, from 1.
        line: u32,
        /// What is wrong and how to write it instead.
        reason: String,
    },
    /// A value has the wrong type or lies outside its range.
    #[error("{reason}{}", location(at.as_ref()))]
    Invalid {
        /// Dotted key.
        key: String,
        /// Full sentence naming the key.
        reason: String,
        /// File and line when the value came from a file.
        at: Option<(PathBuf, u32)>,
    },
}

impl ConfigError {
    /// Returns the contract's error code.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Invalid { .. } => "VALIDATION_ERROR",
            Self::NotAProject { .. }
            | Self::NotText { .. }
            | Self::Io { .. }
            | Self::Syntax { .. } => "CONFIG_ERROR",
        }
    }
}

fn location(at: Option<&(PathBuf, u32)>) -> String {
    at.map_or_else(String::new, |(path, line)| {
        format!(" ({}:{line})", path.display())
    })
}
