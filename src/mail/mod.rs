//! Mail between agents and people: addressing, sending, delivering, replying (L3).
//!
//! Delivery is at least once: reading never marks. Whoever writes a message's text to an agent
//! claims it meanwhile, and calls `mark_delivered` afterwards, when the text is out. Nothing here prints.

mod address;
mod delivery;
mod error;
mod inject;
mod lookalike;
mod nudges;
mod pace;
mod post;
mod reply;
mod send;
pub mod shown;
mod stuck;
pub mod unfenced;

pub use address::{GroupAddress, VALID_GROUPS, resolve_group};
pub use delivery::{Claimed, claim, debounced, mark_delivered};
pub use error::MailError;
pub use inject::{injection_text_contract, injection_text_fenced, nudge_text, priority_banner};
pub use nudges::{PendingNudge, put_back_nudge, queue_nudge, take_pending_nudge};
pub use pace::check_pace;
pub use post::{COORDINATOR, OPERATOR, ORCHESTRATOR, post, post_once, superior};
pub use reply::{recipient_of_reply, reply};
pub use send::{Outgoing, Sent, send};
pub use stuck::tell_of_loop;
