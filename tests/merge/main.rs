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
mod aliases;
mod answers_altered;
mod attributes;
mod away;
mod binary;
mod bytes;
mod called_off;
mod confined;
mod confined_git;
mod copied;
mod credited;
mod criss_cross;
mod deleted_and_moved;
mod disk;
mod doubled;
mod edges;
mod engine;
mod entries;
mod equal;
mod equal_moved;
mod faults;
mod first;
mod gate_trees;
mod hanging;
mod histories;
mod hooks;
mod hostile;
mod in_use;
mod kept;
mod killed;
mod killed_alone;
mod killed_behind;
mod killed_reverts;
mod kinds;
mod landing;
mod large;
mod lists;
mod many_places;
mod meanwhile;
mod mixed;
mod models;
mod moved_by_both;
mod moving;
mod named;
mod names;
mod on_top;
mod one_line;
mod outcomes;
mod own_settings;
mod places;
mod precedence;
mod pure;
mod recovery;
#[path = "../../src/merge/triples/repeated.rs"]
mod repeated;
mod replaced;
mod returning;
mod reverted;
mod review;
#[path = "../../src/merge/triples/runner.rs"]
mod runner;
mod said_once;
mod sections;
mod sentences;
mod set_up;
mod settings;
mod settling;
#[path = "../support/skip.rs"]
mod skip;
mod standing;
mod submodules;
mod support;
mod survey;
mod torn;
mod train;
mod train_of_thirty;
mod train_shapes;
mod trees;
mod turned_heads;
mod twice;
mod undecidable;
mod undone;
mod unlisted;
mod white_space;
mod wholes;
mod whose;
mod written;
