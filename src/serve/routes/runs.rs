//! `/api/runs`: newest first, and one run with its agents.

use std::sync::Arc;

use axum::extract::{RawQuery, State};
use serde::Serialize;

use super::{Part, part};
use crate::cli::{RunJson, SessionJson};
use crate::db::pages::Place;
use crate::serve::answer::{Answer, Failure, data, page};
use crate::serve::query::{Query, cut, one_more};
use crate::serve::server::Shared;

#[derive(Serialize)]
struct RunWithAgents<'a> {
    #[serde(flatten)]
    run: RunJson<'a>,
    agents: Vec<SessionJson<'a>>,
}

pub(super) async fn list(State(shared): State<Arc<Shared>>, RawQuery(query): RawQuery) -> Answer {
    let wanted = Query::parse(query.as_deref()).page()?;
    let limit = wanted.limit;
    let rows = shared
        .shelf
        .with(move |stores| Ok(stores.sessions.runs_page(&one_more(&wanted))?))
        .await?;
    let (rows, next) = cut(rows, limit, |run| Place {
        at: run.started_at.clone(),
        id: run.id.clone(),
    });
    page(&rows.iter().map(RunJson::from).collect::<Vec<_>>(), next)
}

pub(super) async fn show(State(shared): State<Arc<Shared>>, id: Part) -> Answer {
    let id = part(id)?;
    let (run, agents) = shared
        .shelf
        .with(move |stores| {
            let run = stores
                .sessions
                .run(&id)?
                .ok_or_else(|| Failure::missing(format!("Run not found: {id}")))?;
            let mut agents = stores.sessions.by_run(&id)?;
            agents.sort_by(|a, b| (&a.started_at, &a.id).cmp(&(&b.started_at, &b.id)));
            Ok((run, agents))
        })
        .await?;
    data(&RunWithAgents {
        run: RunJson::from(&run),
        agents: agents.iter().map(SessionJson::from).collect(),
    })
}
