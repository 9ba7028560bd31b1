//! What every way of merging a branch shares. Decides nothing about which branch comes when; `execute` and `train` do.

mod ends;
mod steps;

pub(super) use steps::{Bench, Offered, Prepared, Settled};
