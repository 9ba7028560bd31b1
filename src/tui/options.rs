//! What the caller decides about the interface, and how it ends.
//!
//! Nothing here reads the environment; the command line does and fills these in.

use std::path::PathBuf;
use std::sync::Arc;

use thiserror::Error;

use crate::tui::keymap::LeaderEnv;
use crate::tui::state::Settings;
use crate::tui::theme::Depth;

/// Gives the time in epoch milliseconds.
pub type Clock = Arc<dyn Fn() -> i64 + Send + Sync>;

/// How often and how soon frames are drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pace {
    /// At least this long between two frames.
    pub frame_ms: u64,
    /// Output of the focused pane is collected this long.
    pub coalesce_ms: u64,
    /// Output of the other panes is drawn at most this often.
    pub background_ms: u64,
}

impl Pace {
    /// The pace on the machine itself.
    pub const LOCAL: Self = Self {
        frame_ms: 16,
        coalesce_ms: 8,
        background_ms: 66,
    };
    /// The pace over a network connection.
    pub const REMOTE: Self = Self {
        frame_ms: 33,
        coalesce_ms: 16,
        background_ms: 100,
    };
    /// Every change is drawn at once; for tests.
    pub const IMMEDIATE: Self = Self {
        frame_ms: 0,
        coalesce_ms: 0,
        background_ms: 0,
    };
}

/// What the caller decides.
#[derive(Clone)]
pub struct TuiOptions {
    pub theme: String,
    /// Text of a theme file that goes before the bundled ones.
    pub theme_text: Option<String>,
    pub depth: Depth,
    pub ascii: bool,
    pub mouse: bool,
    /// Text of the user's keymap file.
    pub keymap_text: Option<String>,
    pub leader_env: LeaderEnv,
    pub pace: Pace,
    pub settings: Settings,
    pub clock: Clock,
    /// Frame and wake-up counts are written here at exit.
    pub stats_file: Option<PathBuf>,
}

impl TuiOptions {
    /// Makes the usual options around a clock.
    pub fn new(clock: Clock) -> Self {
        Self {
            theme: "grove-dark".to_owned(),
            theme_text: None,
            depth: Depth::TrueColor,
            ascii: false,
            mouse: true,
            keymap_text: None,
            leader_env: LeaderEnv::default(),
            pace: Pace::LOCAL,
            settings: Settings::default(),
            clock,
            stats_file: None,
        }
    }
}

/// Why the interface ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExitReason {
    /// The user left; `handover` asked for a headless coordinator to go on.
    Quit { handover: bool },
    /// The user wants to see the demo, and to come back.
    Demo,
    /// Told to by a signal.
    Signal,
    /// The terminal went away.
    TerminalLost,
    /// The engine stopped.
    EngineGone,
}

/// Why the interface could not go on.
#[derive(Debug, Error)]
pub enum TuiError {
    #[error("grove needs a terminal for its full screen; use `grove status` or `grove --help`")]
    NotATerminal,
    #[error("cannot {what} the terminal: {source}; check that it is still connected")]
    Terminal {
        what: &'static str,
        #[source]
        source: std::io::Error,
    },
    #[error("cannot draw: {source}")]
    Draw {
        #[source]
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    #[error("cannot write the frame counts to {path}: {source}")]
    Stats {
        path: PathBuf,
        #[source]
        source: std::io::Error,
    },
}

impl TuiError {
    /// Wraps whatever a terminal says when it cannot be drawn on.
    pub(crate) fn drawing<E: std::error::Error + Send + Sync + 'static>(source: E) -> Self {
        Self::Draw {
            source: Box::new(source),
        }
    }
}
