//! The rules, one a file: what becomes of a place where both sides changed something, or nothing. Pure.

pub(super) mod added;
pub(super) mod alternatives;
pub(super) mod arguments;
pub(super) mod around;
pub(super) mod beside;
pub(super) mod bullets;
pub(super) mod continued;
pub(super) mod depths;
pub(super) mod further;
pub(super) mod imports;
pub(super) mod inline;
pub(super) mod insertions;
pub(super) mod keys;
pub(super) mod lists;
pub(super) mod opened;
pub(super) mod paired;
pub(super) mod rewrapped;
pub(super) mod separated;
pub(super) mod sorted;
pub(super) mod spacing;
pub(super) mod turned;
pub(super) mod twice;
pub(super) mod wrapped;
