//! Watching over agents (L3): what can be seen of one, what that means, and what is due.
//!
//! [`assess`] and [`notice`] are pure. What they ask for is done by the coordinator's loop or by
//! `grove watch`, whichever holds `watchdog.pid`: only one process of both programs watches.
//! Nothing here signals an agent; an agent is ended by its host, after its work is saved.

mod again;
pub mod assess;
pub mod completion;
pub mod foreign;
pub mod pid_file;
pub mod provider;
pub mod quiet;
pub mod refusals;
pub mod triage;

pub use again::{refusals_are_seen, refused_again};
pub use assess::{Excuse, Limits, Observation, Stage, Verdict, assess};
pub use completion::{RunNotice, notice};
pub use pid_file::{Claim, PidFile};
pub use quiet::Quiet;
