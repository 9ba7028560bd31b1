//! `/api/agents`: the agents in the order they were started, and one of them.

use std::sync::Arc;

use axum::extract::{RawQuery, State};

use super::{Part, part};
use crate::cli::SessionJson;
use crate::db::pages::Place;
use crate::serve::answer::{Answer, Failure, data, page};
use crate::serve::query::{Query, cut, one_more};
use crate::serve::server::Shared;

pub(super) async fn list(State(shared): State<Arc<Shared>>, RawQuery(query): RawQuery) -> Answer {
    let query = Query::parse(query.as_deref());
    let wanted = query.page()?;
    let limit = wanted.limit;
    let run = query.text("run");
    let rows = shared
        .shelf
        .with(move |stores| {
            Ok(stores
                .sessions
                .sessions_page(run.as_ref(), &one_more(&wanted))?)
        })
        .await?;
    let (rows, next) = cut(rows, limit, |session| Place {
        at: session.started_at.clone(),
        id: session.id.clone(),
    });
    page(
        &rows.iter().map(SessionJson::from).collect::<Vec<_>>(),
        next,
    )
}

pub(super) async fn show(State(shared): State<Arc<Shared>>, name: Part) -> Answer {
    let name = part(name)?;
    let session = shared
        .shelf
        .with(move |stores| {
            stores
                .sessions
                .get(&name)?
                .ok_or_else(|| Failure::missing(format!("Agent not found: {name}")))
        })
        .await?;
    data(&SessionJson::from(&session))
}
