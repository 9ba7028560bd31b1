//! The routes, one file per subject.

mod agents;
mod coordinator;
mod events;
mod health;
mod mail;
mod runs;

use std::sync::Arc;

use axum::Router;
use axum::extract::Path;
use axum::extract::rejection::PathRejection;
use axum::http::{Method, StatusCode, Uri};
use axum::middleware::from_fn_with_state;
use axum::routing::{get, post};

use super::answer::Failure;
use super::server::Shared;
use super::{gate, socket};

/// A part of the path.
type Part = Result<Path<String>, PathRejection>;

/// All routes, behind the gate.
pub(super) fn router(shared: Arc<Shared>) -> Router {
    Router::new()
        .route("/healthz", get(health::show))
        .route("/ws", get(socket::open))
        .route("/api/runs", get(runs::list))
        .route("/api/runs/{id}", get(runs::show))
        .route("/api/agents", get(agents::list))
        .route("/api/agents/{name}", get(agents::show))
        .route("/api/events", get(events::list))
        .route("/api/mail", get(mail::list).post(mail::send))
        .route("/api/mail/{id}", get(mail::show).delete(mail::delete))
        .route("/api/mail/{id}/read", post(mail::mark_read))
        .route("/api/mail/{id}/reply", post(mail::reply))
        .route("/api/coordinator/state", get(coordinator::state))
        .route("/api/coordinator/send", post(coordinator::send))
        .route("/api/coordinator/ask", post(coordinator::ask))
        .route(
            "/api/coordinator/check-complete",
            post(coordinator::check_complete),
        )
        .route("/api/coordinator/start", post(coordinator::start))
        .route("/api/coordinator/stop", post(coordinator::stop))
        .fallback(no_route)
        .method_not_allowed_fallback(wrong_method)
        .layer(from_fn_with_state(Arc::clone(&shared), gate::check))
        .with_state(shared)
}

async fn no_route(uri: Uri) -> Failure {
    Failure::missing(format!(
        "Not found: {}. The routes begin with /api, /ws or /healthz",
        uri.path()
    ))
}

async fn wrong_method(method: Method, uri: Uri) -> Failure {
    Failure::new(
        StatusCode::METHOD_NOT_ALLOWED,
        format!("Method not allowed: {method} {}", uri.path()),
    )
}

/// The readable text of a part of the path.
fn part(part: Part) -> Result<String, Failure> {
    part.map(|Path(text)| text)
        .map_err(|_| Failure::bad("the path is not readable text"))
}
