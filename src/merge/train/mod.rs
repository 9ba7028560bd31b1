//! The merge train: several branches tested at the same time, each on top of the ones before it, and
//! landed in order as their gates turn green. A red one is cut out, what was coupled behind it is
//! planned again. The target only ever moves to a commit whose gates were green on exactly that tree.

mod coupling;
mod run;
mod travel;

pub use run::{Arrival, TrainObserver, execute_train, execute_train_until};
