//! Colours: tokens, theme files and what remains of them in terminals with fewer colours.
//!
//! Screens ask for a token and get a style; they never name a colour. A theme never re-colours
//! what an agent prints, it only limits it to what the terminal can show.

mod bundled;
mod colour;
mod load;
mod token;

pub use bundled::BUNDLED;
pub(crate) use bundled::bundled;
pub use colour::Depth;
pub use load::{Theme, ThemeError, Warning};
pub(crate) use token::Token;

#[cfg(test)]
mod tests;
