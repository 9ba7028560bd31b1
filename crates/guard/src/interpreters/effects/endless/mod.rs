//! Code that starts processes without an end: loops, functions that call themselves, and the names they do it by.

mod blocks;
mod bound;
mod counts;
mod loops;
mod words;

pub(super) use counts::is_no_pause;
pub(super) use loops::refuse;
pub(crate) use loops::refuse_jobs;
