//! `/api/events`: what happened, oldest first.

use std::sync::Arc;

use axum::extract::{RawQuery, State};

use crate::cli::EventJson;
use crate::db::pages::{EventPage, Place};
use crate::serve::answer::{Answer, Failure, page};
use crate::serve::query::{Query, cut, one_more};
use crate::serve::server::Shared;
use crate::types::Timestamp;

pub(super) async fn list(State(shared): State<Arc<Shared>>, RawQuery(query): RawQuery) -> Answer {
    let query = Query::parse(query.as_deref());
    let wanted = query.page()?;
    let limit = wanted.limit;
    let filter = EventPage {
        agent: query.text("agent"),
        run: query.text("run"),
        since: query.get("since").map(since).transpose()?,
    };
    let rows = shared
        .shelf
        .with(move |stores| Ok(stores.events.page(&filter, &one_more(&wanted))?))
        .await?;
    let (rows, next) = cut(rows, limit, |event| Place {
        at: event.created_at.clone(),
        id: event.id.to_string(),
    });
    page(&rows.iter().map(EventJson::from).collect::<Vec<_>>(), next)
}

/// The time in the form the store writes, so that text compares as time does.
fn since(text: &str) -> Result<String, Failure> {
    // Short numbers keep the arithmetic of dates in its bounds.
    let plausible = text.find('-') == Some(4)
        && text
            .split(|c: char| !c.is_ascii_digit())
            .all(|n| n.len() <= 9);
    let with_time = if text.len() == 10 {
        format!("{text}T00:00:00Z")
    } else {
        text.to_owned()
    };
    Some(with_time)
        .filter(|_| plausible)
        .and_then(|text| Timestamp::parse(&text))
        .map(|time| time.iso().trim_end_matches('Z').to_owned())
        .ok_or_else(|| {
            Failure::bad(format!(
                "Invalid since timestamp: {text}. It looks like 2026-03-01T09:30:00Z"
            ))
        })
}

#[cfg(test)]
mod tests {
    use super::since;
    use proptest::prelude::*;

    #[test]
    fn times_become_those_of_the_store() {
        assert_eq!(since("2026-03-01").unwrap(), "2026-03-01T00:00:00.000");
        let offset = since("2026-03-01T01:00:00.5+01:00").unwrap();
        assert_eq!(offset, "2026-03-01T00:00:00.500");
        for wrong in [
            "",
            "yesterday",
            "99999999999999-01-01T00:00:00Z",
            "2026-13-01",
        ] {
            assert!(since(wrong).is_err(), "{wrong}");
        }
    }

    proptest! {
        #[test]
        fn no_text_breaks_it(text in ".{0,50}", digits in "[0-9TZ:.+-]{0,40}") {
            drop(since(&text));
            drop(since(&digits));
        }
    }
}
