//! Files that are not merged line by line: taken from one side as a whole, or made by a merge driver of the user's.

mod drivers;
mod hanging;
mod paths;
mod undecidable;

pub(super) use drivers::{
    Driven, LeftOut, Manner, driven, left_out, made_by_drivers, manners, without_given_up,
};
pub(super) use hanging::naming_files;
pub(super) use paths::settle_driven;
pub(super) use undecidable::{Refused, said, settle_decidable};
