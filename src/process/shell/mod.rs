//! Running one command to its end or to a deadline, with everything it starts: its own process
//! group, bounded output, no terminal. Knows nothing of gates, agents or merges.

mod cancel;
mod ended;
mod output;
mod overdue;
mod run;

pub use cancel::Cancel;
pub(super) use cancel::Event;
pub use ended::{Ended, EndedBytes};
pub use output::TAIL_BYTES;
pub use run::{Bounded, run, run_asking, run_at_terminal, run_for_bytes, shell};
