//! The command line: arguments, output, errors and exit codes (L5).
//!
//! Only this module decides wording of errors, exit codes and where text goes. Commands get a
//! `Context` and return an `Outcome`; they never print by themselves.

mod checks;
mod context;
mod error;
mod near;
mod onscreen;
mod outcome;
mod pieces;
mod printer;
mod shapes;
mod usage;
mod words;

pub use checks::{at_least, countable, iso_time, moment, non_negative, positive, whole};
pub use context::{Context, Globals, Project};
pub use error::{CliError, CliResult, ErrorKind};
pub use near::with_near_agent;
pub use outcome::Outcome;
pub use pieces::Pieces;
pub use printer::{Part, Printer};
pub use shapes::{
    EventJson, MailJson, MergeEntryJson, MetricsJson, PredictionJson, RunJson, SessionJson,
    TextTable,
};
pub use usage::{reword as reword_usage, unknown_option};
pub use words::{Words, refuses};
