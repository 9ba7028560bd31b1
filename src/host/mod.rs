//! The agent host (L3): one small process per agent that outlives everything above it.
//!
//! It starts the CLI, owns its terminal or pipes, keeps the true screen, records what
//! happened, answers attach requests and the agent's own grove commands, and reports the exit.
//! It knows nothing of the full screen; its clients use [`client`].

pub mod agent_api;
mod backlog;
mod callers;
pub mod client;
pub mod clients;
mod confine;
mod crowd;
pub mod deliver;
mod ending;
mod error;
mod forget_branch;
mod git_settings;
mod habits;
pub mod hooks;
mod incoming;
pub mod launch;
mod login;
mod mailbox;
pub mod obituary;
mod outbox;
pub mod outcome;
mod pointer;
pub mod protocol;
mod reception;
pub mod recorder;
mod refresh_remote;
pub mod run;
mod scope;
pub mod screen;
mod seldom;
pub mod server;
pub mod shared;
pub mod shown;
mod slots;
mod start;
pub mod stop;
pub mod stream;
pub mod terminal;
mod unasked;
mod unsaved;
mod unwritten;
mod waiting;
pub mod walls;
pub mod writer;

pub use error::HostError;
pub use forget_branch::FORGET_BRANCH;
pub use refresh_remote::REFRESH_REMOTE;
