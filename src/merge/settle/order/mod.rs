//! Lines whose order decides what they do: which of two that the sides put in at one place stands first, or that nobody
//! knows. Pure.

pub(super) mod arms;
pub(super) mod clauses;
pub(super) mod first;
pub(super) mod guards;
pub(super) mod paths;
pub(super) mod precedence;
pub(super) mod stretches;
pub(super) mod turns;
