//! Mail that the coordinator itself writes, and word of it to the hosts of those who get it.

pub use crate::host::client::announce;
pub use crate::mail::{COORDINATOR as SENDER, OPERATOR, ORCHESTRATOR, post, superior};
