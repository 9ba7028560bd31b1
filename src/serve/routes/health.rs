//! `/healthz`.

use std::sync::Arc;

use axum::extract::State;
use serde::Serialize;

use crate::serve::answer::{Answer, data};
use crate::serve::server::Shared;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct HealthJson {
    status: &'static str,
    uptime_ms: u64,
    version: &'static str,
}

pub(super) async fn show(State(shared): State<Arc<Shared>>) -> Answer {
    data(&HealthJson {
        status: "ok",
        uptime_ms: u64::try_from(shared.started.elapsed().as_millis()).unwrap_or(u64::MAX),
        version: env!("CARGO_PKG_VERSION"),
    })
}
