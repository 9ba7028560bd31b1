//! Query strings: filters, page size and cursor.

use base64::Engine;
use base64::engine::general_purpose::{URL_SAFE, URL_SAFE_NO_PAD};
use serde::{Deserialize, Serialize};

use super::answer::Failure;
use crate::db::pages::{PageRequest, Place};

const DEFAULT_LIMIT: i64 = 100;
const MAX_LIMIT: i64 = 500;

/// The parameters of a request; of one given twice the first counts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Query(Vec<(String, String)>);

impl Query {
    pub(super) fn parse(text: Option<&str>) -> Self {
        let pairs = form_urlencoded::parse(text.unwrap_or_default().as_bytes());
        Self(pairs.into_owned().collect())
    }

    pub(super) fn get(&self, name: &str) -> Option<&str> {
        self.0
            .iter()
            .find(|(key, _)| key == name)
            .map(|(_, value)| value.as_str())
    }

    /// A parameter's own copy.
    pub(super) fn text(&self, name: &str) -> Option<String> {
        self.get(name).map(str::to_owned)
    }

    /// A parameter that is `true` or `false`.
    pub(super) fn flag(&self, name: &str) -> Result<Option<bool>, Failure> {
        match self.get(name) {
            None => Ok(None),
            Some("true") => Ok(Some(true)),
            Some("false") => Ok(Some(false)),
            Some(other) => Err(Failure::bad(format!(
                "Invalid {name}: {other}. It is true or false"
            ))),
        }
    }

    /// Which part of a list is asked for.
    pub(super) fn page(&self) -> Result<PageRequest, Failure> {
        let limit = match self.get("limit") {
            None => DEFAULT_LIMIT,
            Some(text) => text
                .parse()
                .ok()
                .filter(|n| (1..=MAX_LIMIT).contains(n))
                .ok_or_else(|| {
                    Failure::bad(format!(
                        "Invalid limit: {text}. It is a number from 1 to {MAX_LIMIT}"
                    ))
                })?,
        };
        let after = self.get("cursor").map(decode).transpose()?;
        Ok(PageRequest { after, limit })
    }
}

#[derive(Serialize, Deserialize)]
struct CursorJson {
    ts: String,
    id: String,
}

fn decode(text: &str) -> Result<Place, Failure> {
    let bytes = URL_SAFE_NO_PAD
        .decode(text)
        .or_else(|_| URL_SAFE.decode(text));
    let cursor: Option<CursorJson> = bytes.ok().and_then(|b| serde_json::from_slice(&b).ok());
    let cursor = cursor.ok_or_else(|| {
        Failure::bad("Invalid cursor. Take nextCursor of the page before, or leave it out")
    })?;
    Ok(Place {
        at: cursor.ts,
        id: cursor.id,
    })
}

fn encode(place: Place) -> String {
    let cursor = CursorJson {
        ts: place.at,
        id: place.id,
    };
    // Two strings always serialise.
    URL_SAFE_NO_PAD.encode(serde_json::to_vec(&cursor).unwrap_or_default())
}

/// Cuts a list that was read with one row too many, and says where the next page begins.
pub(super) fn cut<T>(
    mut rows: Vec<T>,
    limit: i64,
    place: impl Fn(&T) -> Place,
) -> (Vec<T>, Option<String>) {
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    let more = rows.len() > limit;
    rows.truncate(limit);
    let next = rows.last().filter(|_| more).map(|row| encode(place(row)));
    (rows, next)
}

/// One row more than asked for, to see whether there is a next page.
pub(super) fn one_more(page: &PageRequest) -> PageRequest {
    PageRequest {
        after: page.after.clone(),
        limit: page.limit + 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn limits_outside_the_range_are_refused() {
        for text in [
            "limit=0",
            "limit=501",
            "limit=-1",
            "limit=x",
            "limit=1e2",
            "limit=",
        ] {
            assert!(Query::parse(Some(text)).page().is_err(), "{text}");
        }
        assert_eq!(Query::parse(None).page().unwrap().limit, 100);
        assert_eq!(Query::parse(Some("limit=500")).page().unwrap().limit, 500);
    }

    proptest! {
        #[test]
        fn a_cursor_comes_back_as_it_was(at in ".{0,40}", id in ".{0,40}") {
            let place = Place { at, id };
            let text = encode(place.clone());
            prop_assert!(text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_'));
            prop_assert_eq!(decode(&text).unwrap(), place);
        }

        #[test]
        fn no_query_breaks_the_parser(text in ".{0,200}") {
            let query = Query::parse(Some(&text));
            drop(query.page());
            drop(query.flag("unread"));
        }
    }
}
