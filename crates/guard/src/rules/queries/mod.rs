//! Statements for databases: which of them only read.

mod judge;
mod text;

pub(crate) use judge::only_selects;
