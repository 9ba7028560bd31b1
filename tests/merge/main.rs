//! Merging on real repositories: every outcome, landing races, refusals, kill points, undo.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::wildcard_enum_match_arm,
    reason = "a test stops where it fails"
)]

mod account;
mod engine;
mod histories;
mod kinds;
mod landing;
mod models;
mod outcomes;
mod places;
mod recovery;
mod review;
mod support;
mod train;
mod trees;
