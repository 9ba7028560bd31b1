//! The account of a merge: an independent check, by counting lines, that a merged tree lost nothing
//! unreported and made nothing up. It uses nothing of `settle` (`tests/architecture.rs` looks), only
//! what splits and compares lines; `settle` asks it about single texts (`alone`): what would be refused here, somebody
//! decides there.
//!
//! Every result: each non-blank line that a side added or kept is there as often as it is due (`counts`, summed up over
//! a file or several by `tally`), or is declared. Of a line that is declared to be part of another one, the texts have to
//! show that (`woven`). What nobody has is made up. What a side deleted and is there all
//! the same is named (`returned`), also where the other side took it to another file (`moved_away`).
//! Where histories cross, lines of a side are named that one common ancestor alone would call lost (`crossed`).
//! Every result but git's own: a line is there as often as in the base, and less often only as often as a side has it
//! less often; whichever of several equal lines was moved (`fewest`).
//! What our own rules made: nothing is there more often than the sides together say (`most`).
//! What somebody wrote: the same place by place, between landmarks (`written`, `landmarks`), so that nothing lost here
//! is made up for there, nor moved from where nobody contested it. So it is with what our own rules made, where no side moved a line (`netted`).

mod alone;
mod answered;
mod between;
mod changed_back;
mod check;
mod counts;
mod crossed;
mod fewest;
mod findings;
mod in_time;
mod landmarks;
mod most;
mod moved_away;
mod netted;
#[cfg(test)]
mod netting;
mod not_text;
mod places;
mod reading;
mod reindented;
mod returned;
#[cfg(test)]
mod settled;
mod spare;
mod stretches;
mod tally;
mod texts;
mod woven;
mod written;

pub(crate) use alone::{SettledText, refused};
pub(in crate::merge) use check::account_of;
pub use check::{Account, Declared, MergeTrees, Source, account};
pub(in crate::merge) use in_time::account_in_time;
pub(in crate::merge) use most::MOST_LINES;
pub(in crate::merge) use not_text::readable;
pub(crate) use woven::Claim;
