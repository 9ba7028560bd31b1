//! Texts that are made in one order and printed in another, without a second copy of them.

use std::io::{self, BufWriter, Write};
use std::ops::Range;

use serde::Serialize;

use crate::text::append_compact_json;

/// Bytes in one go for a reader behind a pipe, as many as a pipe takes.
const AT_ONCE: usize = 64 * 1024;

/// Texts, each with what it is sorted by.
#[derive(Debug)]
pub struct Pieces<K> {
    bytes: Vec<u8>,
    places: Vec<(K, Range<usize>)>,
}

impl<K> Default for Pieces<K> {
    fn default() -> Self {
        Self {
            bytes: Vec::new(),
            places: Vec::new(),
        }
    }
}

impl<K: Ord> Pieces<K> {
    /// Adds a value as compact JSON. What fails leaves nothing behind.
    pub fn push_json(&mut self, key: K, item: &impl Serialize) -> Result<(), serde_json::Error> {
        let start = self.bytes.len();
        let made = append_compact_json(item, &mut self.bytes);
        match made {
            Ok(()) => self.places.push((key, start..self.bytes.len())),
            Err(_) => self.bytes.truncate(start),
        }
        made
    }

    /// Adds a text.
    pub fn push(&mut self, key: K, text: &str) {
        let start = self.bytes.len();
        self.bytes.extend_from_slice(text.as_bytes());
        self.places.push((key, start..self.bytes.len()));
    }

    /// How many texts there are.
    pub fn count(&self) -> usize {
        self.places.len()
    }

    /// Puts the largest key first; equal ones stay as they came.
    pub fn sort_descending(&mut self) {
        self.places.sort_by(|(a, _), (b, _)| b.cmp(a));
    }

    /// Writes all texts, with `between` after each but the last.
    pub fn write(
        &self,
        out: &mut impl Write,
        before: &[u8],
        between: &[u8],
        after: &[u8],
    ) -> io::Result<()> {
        let mut out = BufWriter::with_capacity(AT_ONCE, out);
        out.write_all(before)?;
        for (number, (_, place)) in self.places.iter().enumerate() {
            if number > 0 {
                out.write_all(between)?;
            }
            out.write_all(self.bytes.get(place.clone()).unwrap_or_default())?;
        }
        out.write_all(after)?;
        out.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(pieces: &Pieces<u8>) -> String {
        let mut out = Vec::new();
        pieces.write(&mut out, b"[", b",", b"]").unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn texts_are_sorted_and_equals_stay_as_they_came() {
        let mut pieces = Pieces::default();
        for (key, text) in [(1, "a"), (3, "b"), (1, "c"), (2, "d"), (3, "e")] {
            pieces.push(key, text);
        }
        pieces.sort_descending();
        assert_eq!(written(&pieces), "[b,e,d,a,c]");
        assert_eq!(pieces.count(), 5);
    }

    #[test]
    fn no_text_is_still_between_its_ends() {
        assert_eq!(written(&Pieces::default()), "[]");
    }

    #[test]
    fn a_value_that_cannot_be_written_leaves_nothing_behind() {
        let mut pieces = Pieces::default();
        pieces.push_json(1, &[1, 2]).unwrap();
        let unfit = std::collections::BTreeMap::from([((1, 2), 3)]);
        assert!(pieces.push_json(2, &unfit).is_err());
        assert_eq!(written(&pieces), "[[1,2]]");
    }
}
