//! Writing a mail.

mod draw;
mod form;

pub(crate) use form::{Compose, Draft};
