//! What agents use and what that costs (L3): prices, usage from transcripts, and the rows that
//! `costs` and `metrics` show. Prices live here and nowhere else.

mod meter;
mod pricing;
mod rows;
mod transcript;

pub use meter::Meter;
pub use pricing::{Price, estimate, price_of};
pub use rows::{session_metrics, snapshot};
pub use transcript::{TranscriptReader, find, is_place_of, newest, read};
