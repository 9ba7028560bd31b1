//! Ids of new tasks: the project's name and four hex digits.

use std::collections::HashSet;

use crate::platform::random;

/// How often a short id is tried before a long one is used.
const TRIES: usize = 100;

/// An id that is not among `taken`.
pub(super) fn new_id(project: &str, taken: &HashSet<String>) -> String {
    let free = |digits| {
        let id = format!("{project}-{}", random::hex(digits));
        (!taken.contains(&id)).then_some(id)
    };
    if let Some(id) = (0..TRIES).find_map(|_| free(4)) {
        return id;
    }
    loop {
        if let Some(id) = free(8) {
            return id;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_short_until_all_short_ones_are_taken() {
        let id = new_id("p", &HashSet::new());
        assert_eq!(id.len(), 6);
        let all: HashSet<String> = (0..=0xffff_u32).map(|n| format!("p-{n:04x}")).collect();
        assert_eq!(new_id("p", &all).len(), 10);
    }
}
