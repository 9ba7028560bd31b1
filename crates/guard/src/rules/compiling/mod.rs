//! Compilers: their options, the sources they are given, and the files that sources bring in.

pub(crate) mod compiled;
pub(super) mod compilers;
mod included;
mod sources;

pub(crate) use included::judge as brings_in;
