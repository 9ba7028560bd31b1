//! Lists that are given as one word with commas.

use crate::logging::storable;

/// Splits a list of words that are to be stored. A secret may have a comma in it.
pub(super) fn kept(text: Option<&str>) -> Vec<String> {
    list(text.map(storable).as_deref())
}

/// Splits a list given as one word.
pub(super) fn list(text: Option<&str>) -> Vec<String> {
    let words = text.unwrap_or_default().split(',').map(str::trim);
    words
        .filter(|word| !word.is_empty())
        .map(str::to_owned)
        .collect()
}
