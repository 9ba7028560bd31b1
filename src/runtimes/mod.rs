//! What grove knows about each agent CLI (L2): one file or folder per CLI, one line in [`ALL`].
//!
//! A runtime says how to start its CLI, how to read what it prints and what it cannot do. It
//! starts nothing itself and knows no store.

pub mod ask;
pub mod claude;
mod cloud;
mod login;
pub mod model_names;
pub mod one_shot;
pub mod reach;
pub mod registry;
pub mod runtime;
pub mod script;
pub mod state;
pub mod stream;

pub use cloud::cloud_logins;
pub use login::RunningLogin;
pub use registry::{ALL, find, names};
pub(crate) use runtime::plain_cause;
pub use runtime::{Capabilities, LaunchContext, Prepared, Runtime, RuntimeError};
pub use stream::{StreamEvent, Usage};
