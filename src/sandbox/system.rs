//! What this system can enforce, and enforcing it.

use super::Rules;
use crate::config::Network;
use std::path::PathBuf;

/// What this system can enforce.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Support {
    /// Everything the rules say.
    Full,
    /// Writes and reads, but not all of the rest; the sentence says what is missing.
    Partial(String),
    /// Nothing; the sentence says why.
    None(String),
}

impl Support {
    /// Whether rules can be applied at all.
    pub const fn is_some(&self) -> bool {
        matches!(self, Self::Full | Self::Partial(_))
    }

    /// What a person should know, if anything is missing.
    pub fn note(&self) -> Option<&str> {
        match self {
            Self::Full => None,
            Self::Partial(note) | Self::None(note) => Some(note),
        }
    }
}

/// Why a sandbox could not be applied.
#[derive(Debug, thiserror::Error)]
pub enum SandboxError {
    #[error("the sandbox rules in {} cannot be read: {message}", path.display())]
    Rules { path: PathBuf, message: String },
    #[error("the system refused the sandbox: {0}")]
    Refused(String),
    #[error(
        "this system has no sandbox: {0}; set 'sandbox: guard' in .overstory/config.yaml to work without one"
    )]
    Unsupported(String),
    #[error(transparent)]
    File(#[from] crate::platform::FsError),
}

/// What this system can enforce.
#[cfg(target_os = "linux")]
pub fn support() -> Support {
    super::landlock::support()
}

/// What this system can enforce.
#[cfg(target_os = "macos")]
pub fn support() -> Support {
    if std::path::Path::new(super::seatbelt::PROGRAM).exists() {
        Support::Full
    } else {
        Support::None(format!("{} is missing", super::seatbelt::PROGRAM))
    }
}

/// What this system can enforce.
#[cfg(not(any(target_os = "linux", target_os = "macos")))]
pub fn support() -> Support {
    Support::None("only Linux and macOS have one".to_owned())
}

/// Why a wish about the network cannot be enforced on this system, if it cannot.
#[cfg(target_os = "linux")]
pub fn network_note(network: &Network) -> Option<String> {
    super::landlock::network_note(network)
}

/// Why a wish about the network cannot be enforced on this system, if it cannot.
#[cfg(not(target_os = "linux"))]
pub fn network_note(_network: &Network) -> Option<String> {
    None
}

/// Keeps signals of this thread, and of everything it becomes or starts, from whoever is inside of the same
/// sandbox but not started by it.
#[cfg(target_os = "linux")]
pub fn keep_signals_in() {
    if let Err(error) = super::landlock::keep_signals_in() {
        tracing::warn!(%error, "a check could end the process that looks after it");
    }
}

/// Keeps signals of this thread, and of everything it becomes or starts, from whoever is inside of the same
/// sandbox but not started by it.
#[cfg(not(target_os = "linux"))]
pub fn keep_signals_in() {}

/// Does something in a thread of its own that the rules hold for, as for everything it starts. Words that a
/// wrapper program needs in front of a command are given to it.
pub fn within<T: Send>(
    rules: &Rules,
    work: impl FnOnce(&[String]) -> T + Send,
) -> Result<T, SandboxError> {
    let look_after = looked_after(rules)?;
    let confined = || {
        let words = apply(rules)?;
        look_after()?;
        Ok(work(&words))
    };
    std::thread::scope(|scope| scope.spawn(confined).join()).unwrap_or_else(|_| {
        Err(SandboxError::Refused(
            "the work inside it failed".to_owned(),
        ))
    })
}

/// What the thread inside has to do so that changes of modes and times can be looked at from outside of it.
#[cfg(target_os = "linux")]
fn looked_after(
    rules: &Rules,
) -> Result<impl FnOnce() -> Result<(), SandboxError> + Send + use<>, SandboxError> {
    let failed = |e: std::io::Error| SandboxError::Refused(e.to_string());
    let supervisor = super::attributes::supervisor(&rules.attributes()).map_err(failed)?;
    let connections = super::attributes::connections(&rules.network);
    Ok(move || supervisor.take_over(connections).map_err(failed))
}

/// What the thread inside has to do so that changes of modes and times can be looked at from outside of it.
#[cfg(not(target_os = "linux"))]
fn looked_after(
    _rules: &Rules,
) -> Result<impl FnOnce() -> Result<(), SandboxError> + Send + use<>, SandboxError> {
    Ok(|| Ok(()))
}

/// Applies the rules to this thread and everything it becomes or starts. Returns words to put
/// in front of the command where a wrapper program applies the rules instead.
#[cfg(target_os = "linux")]
pub fn apply(rules: &Rules) -> Result<Vec<String>, SandboxError> {
    super::capabilities::drop_most()?;
    super::landlock::apply(rules)?;
    Ok(Vec::new())
}

/// Applies the rules to this thread and everything it becomes or starts. Returns words to put
/// in front of the command where a wrapper program applies the rules instead.
#[cfg(target_os = "macos")]
pub fn apply(rules: &Rules) -> Result<Vec<String>, SandboxError> {
    Ok(vec![
        super::seatbelt::PROGRAM.to_owned(),
        "-p".to_owned(),
        super::seatbelt::profile(rules),
    ])
}

/// Applies the rules to this thread and everything it becomes or starts. Returns words to put
/// in front of the command where a wrapper program applies the rules instead.
#[cfg(not(any(target_os = "linux", target_os = "macos")))]
pub fn apply(_rules: &Rules) -> Result<Vec<String>, SandboxError> {
    match support() {
        Support::Full | Support::Partial(_) => Ok(Vec::new()),
        Support::None(why) => Err(SandboxError::Unsupported(why)),
    }
}
