//! What every answer looks like: the envelope, and failures with their status.

use axum::body::Body;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;

use crate::coordinator::CoordinatorError;
use crate::db::DbError;
use crate::mail::MailError;
use crate::platform::FsError;
use crate::text::to_compact_json;

/// A request that was not done, and why, in one line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Failure {
    status: StatusCode,
    message: String,
}

impl Failure {
    pub(super) fn new(status: StatusCode, message: impl Into<String>) -> Self {
        Self {
            status,
            message: message.into(),
        }
    }

    /// The request itself is wrong.
    pub(super) fn bad(message: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, message)
    }

    /// What the request names does not exist.
    pub(super) fn missing(message: impl Into<String>) -> Self {
        Self::new(StatusCode::NOT_FOUND, message)
    }

    /// The request does not fit the present state.
    pub(super) fn conflict(message: impl Into<String>) -> Self {
        Self::new(StatusCode::CONFLICT, message)
    }

    /// Our own fault, or the machine's.
    pub(super) fn internal(message: impl Into<String>) -> Self {
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, message)
    }

    /// The server is ending, or has no place left.
    pub(super) fn unavailable(message: impl Into<String>) -> Self {
        Self::new(StatusCode::SERVICE_UNAVAILABLE, message)
    }
}

#[derive(Serialize)]
struct ErrorJson<'a> {
    success: bool,
    command: &'static str,
    error: &'a str,
}

impl IntoResponse for Failure {
    fn into_response(self) -> Response {
        if self.status == StatusCode::INTERNAL_SERVER_ERROR {
            tracing::warn!("{}", self.message);
        }
        let body = ErrorJson {
            success: false,
            command: "serve",
            error: &self.message,
        };
        let mut response = json(self.status, &body);
        if self.status == StatusCode::UNAUTHORIZED {
            let scheme = HeaderValue::from_static("Bearer");
            response
                .headers_mut()
                .insert(header::WWW_AUTHENTICATE, scheme);
        }
        response
    }
}

impl From<DbError> for Failure {
    fn from(error: DbError) -> Self {
        Self::internal(error.to_string())
    }
}

impl From<FsError> for Failure {
    fn from(error: FsError) -> Self {
        Self::internal(error.to_string())
    }
}

impl From<MailError> for Failure {
    fn from(error: MailError) -> Self {
        let message = error.to_string();
        match error {
            MailError::Db(_) | MailError::Fs(_) | MailError::Claim(_) => Self::internal(message),
            MailError::NotFound { .. } => Self::missing(message),
            MailError::TerminalRecipient { .. }
            | MailError::Loop { .. }
            | MailError::Circle { .. }
            | MailError::Flood { .. } => Self::conflict(message),
            MailError::UnknownGroup { .. } | MailError::EmptyGroup { .. } => Self::bad(message),
        }
    }
}

impl From<CoordinatorError> for Failure {
    fn from(error: CoordinatorError) -> Self {
        Self::internal(error.to_string())
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Envelope<'a, T: Serialize> {
    success: bool,
    command: &'static str,
    data: &'a T,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_cursor: Option<String>,
}

/// What a handler returns.
pub(super) type Answer = Result<Response, Failure>;

/// A success with its data.
pub(super) fn data(data: &impl Serialize) -> Answer {
    page(data, None)
}

/// A success with one page of a list and where the next one begins.
pub(super) fn page(data: &impl Serialize, next_cursor: Option<String>) -> Answer {
    let envelope = Envelope {
        success: true,
        command: "serve",
        data,
        next_cursor,
    };
    Ok(json(StatusCode::OK, &envelope))
}

fn json(status: StatusCode, value: &impl Serialize) -> Response {
    let (status, text) = match to_compact_json(value) {
        Ok(text) => (status, text),
        Err(e) => {
            tracing::warn!("an answer could not be written: {e}");
            let text =
                r#"{"success":false,"command":"serve","error":"the answer could not be written"}"#;
            (StatusCode::INTERNAL_SERVER_ERROR, text.to_owned())
        }
    };
    let mut response = Response::new(Body::from(text));
    *response.status_mut() = status;
    let headers = response.headers_mut();
    for (name, value) in [
        (header::CONTENT_TYPE, "application/json"),
        // What agents say to each other is nothing for a cache or for another page.
        (header::CACHE_CONTROL, "no-store"),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    response
}
