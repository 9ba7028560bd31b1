//! What the team has learnt (L3): records of conventions, patterns, failures and decisions, read and
//! written in the mulch format. Nothing is created until somebody asks for it.

pub mod applied;
mod deaths;
mod domain;
mod error;
mod health;
pub mod history;
mod learn;
mod outcome;
mod prime;
mod record;
mod relevance;
mod render;
mod search;
mod settings;
mod shelf;
mod storable;
mod store;

pub use deaths::remember_death;
pub use error::MulchError;
pub use health::{Health, NearLimit, health};
pub use learn::{Learned, SessionEnd, Suggestion, learn, suggest};
pub use outcome::{NewOutcome, OutcomeStatus};
pub use prime::{PrimeRequest, Primed};
pub use record::{CLASSIFICATIONS, KINDS, Kind, NewRecord, Record, kind};
pub use search::Filter;
pub use shelf::Action;
pub use store::{FOLDER, Mulch, Recorded, create, initial_files};
