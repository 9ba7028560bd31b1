//! Lines as words, and what comes of two changes to one line. Pure.

mod calls;
mod doubled;
mod elements;
mod entries;
mod expression;
mod prefixed;
mod ragged;
#[cfg(test)]
pub(in crate::merge) mod tested;
mod weave;
mod words;

pub(crate) use weave::weave;
pub(in crate::merge) use words::{is_significant, tokens};
