//! What lines say: how they lean on their neighbours, what they give a name to, which block or section they are in. Pure.

pub(super) mod columns;
pub(super) mod heads;
pub(super) mod kind;
pub(super) mod labels;
pub(super) mod leaning;
pub(super) mod names;
pub(super) mod pairs;
pub(super) mod ruling;
pub(super) mod sections;
pub(super) mod text;
pub(super) mod units;
pub(super) mod wording;
