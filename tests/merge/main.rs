//! Merging on real repositories: every outcome, landing races, refusals, kill points, undo.

mod landing;
mod outcomes;
mod support;
