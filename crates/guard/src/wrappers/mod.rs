//! Programs that run another program: finds the inner command line and judges that.
//!
//! Only the shapes of their options live here. Interpreters with a language of their own are elsewhere.

mod addresses;
mod builders;
mod carried;
mod carriers;
mod debugger_words;
mod debuggers;
mod dispatch;
mod env;
mod given;
mod limits;
mod nix;
mod options;
mod packages;
mod parallel;
mod shapes;
mod tapes;
mod watchers;
mod xargs;

pub(crate) use addresses::{is_address, judge as runs_address};
pub(crate) use options::{rest_of, unproven};

/// The variable under which the name travels that a program is called by: `exec -a name`, zsh's own `ARGV0`.
pub(crate) const ARGV0: &str = "ARGV0";
