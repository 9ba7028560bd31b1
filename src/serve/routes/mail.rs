//! `/api/mail`: the newest messages first, one message with its thread, and writing.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::{RawQuery, State};
use serde::Serialize;

use super::{Part, part};
use crate::cli::MailJson;
use crate::coordinator::post;
use crate::db::pages::{MailPage, Place};
use crate::mail::{self, GroupAddress, MailError, Outgoing};
use crate::serve::answer::{Answer, Failure, data, page};
use crate::serve::body::Fields;
use crate::serve::query::{Query, cut, one_more};
use crate::serve::server::Shared;
use crate::types::mail::{MailPriority, MailType};

/// Who writes when the request does not say.
pub(super) const OPERATOR: &str = "operator";

#[derive(Serialize)]
struct ThreadJson<'a> {
    message: MailJson<'a>,
    thread: Vec<MailJson<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SentJson<'a> {
    pub(super) message_id: &'a str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct BroadcastJson<'a> {
    message_ids: Vec<&'a str>,
}

#[derive(Serialize)]
struct ReadJson<'a> {
    id: &'a str,
    read: bool,
}

#[derive(Serialize)]
struct DeletedJson<'a> {
    id: &'a str,
    deleted: bool,
}

pub(super) async fn list(State(shared): State<Arc<Shared>>, RawQuery(query): RawQuery) -> Answer {
    let query = Query::parse(query.as_deref());
    let wanted = query.page()?;
    let limit = wanted.limit;
    let filter = MailPage {
        from: query.text("from"),
        to: query.text("to"),
        read: query.flag("unread")?.map(|unread| !unread),
    };
    let rows = shared
        .shelf
        .with(move |stores| Ok(stores.mail.page(&filter, &one_more(&wanted))?))
        .await?;
    let (rows, next) = cut(rows, limit, |mail| Place {
        at: mail.created_at.clone(),
        id: mail.id.clone(),
    });
    page(&rows.iter().map(MailJson::from).collect::<Vec<_>>(), next)
}

pub(super) async fn show(State(shared): State<Arc<Shared>>, id: Part) -> Answer {
    let id = part(id)?;
    let (message, thread) = shared
        .shelf
        .with(move |stores| {
            let message = stores.mail.get(&id)?.ok_or(MailError::NotFound { id })?;
            // The first message of a thread carries no thread id itself.
            let thread = match &message.thread_id {
                Some(thread) => stores.mail.thread(thread)?,
                None => {
                    let mut thread = stores.mail.thread(&message.id)?;
                    thread.insert(0, message.clone());
                    thread
                }
            };
            Ok((message, thread))
        })
        .await?;
    data(&ThreadJson {
        message: MailJson::from(&message),
        thread: thread.iter().map(MailJson::from).collect(),
    })
}

pub(super) async fn send(State(shared): State<Arc<Shared>>, body: Body) -> Answer {
    let outgoing = outgoing(&Fields::read(body).await?)?;
    let paths = shared.paths.clone();
    let sent = shared
        .shelf
        .with(move |stores| {
            let to = &outgoing.to;
            if !GroupAddress::looks_like_group(to) && stores.sessions.get(to)?.is_none() {
                return Err(Failure::bad(format!(
                    "Unknown recipient: \"{to}\". GET /api/agents lists them"
                )));
            }
            let sent = mail::send(&paths, &outgoing)?;
            for message in &sent.messages {
                post::announce(&paths, &message.to);
            }
            for warning in &sent.warnings {
                tracing::warn!("{warning}");
            }
            Ok(sent)
        })
        .await?;
    let message_ids: Vec<&str> = sent.messages.iter().map(|m| m.id.as_str()).collect();
    match message_ids.as_slice() {
        [message_id] if !sent.broadcast => data(&SentJson { message_id }),
        _ => data(&BroadcastJson { message_ids }),
    }
}

fn outgoing(fields: &Fields) -> Result<Outgoing, Failure> {
    let kind = fields.optional("type")?;
    let priority = fields.optional("priority")?;
    let payload = fields.optional("payload")?;
    if let Some(payload) = &payload
        && !crate::text::is_json(payload)
    {
        return Err(Failure::bad("Field \"payload\" must be JSON text"));
    }
    Ok(Outgoing {
        to: fields.required("to")?,
        subject: fields.required("subject")?,
        body: fields.required("body")?,
        from: fields
            .optional("from")?
            .unwrap_or_else(|| OPERATOR.to_owned()),
        kind: match kind {
            None => MailType::Status,
            Some(text) => MailType::parse(&text)
                .ok_or_else(|| one_of("type", &text, MailType::ALL.iter().map(|k| k.as_str())))?,
        },
        priority: match priority {
            None => MailPriority::Normal,
            Some(text) => MailPriority::parse(&text).ok_or_else(|| {
                one_of(
                    "priority",
                    &text,
                    MailPriority::ALL.iter().map(|p| p.as_str()),
                )
            })?,
        },
        payload,
        waits: true,
    })
}

fn one_of(field: &str, given: &str, names: impl Iterator<Item = &'static str>) -> Failure {
    let names: Vec<_> = names.collect();
    Failure::bad(format!(
        "Invalid {field}: \"{given}\". Must be one of: {}",
        names.join(", ")
    ))
}

pub(super) async fn reply(State(shared): State<Arc<Shared>>, id: Part, body: Body) -> Answer {
    let id = part(id)?;
    let fields = Fields::read(body).await?;
    let paths = shared.paths.clone();
    let answer = shared
        .shelf
        .with(move |stores| {
            if stores.mail.get(&id)?.is_none() {
                return Err(MailError::NotFound { id }.into());
            }
            let text = fields.required("body")?;
            let from = fields
                .optional("from")?
                .unwrap_or_else(|| OPERATOR.to_owned());
            let answer = mail::reply(&stores.mail, &id, &from, &text)?;
            post::announce(&paths, &answer.to);
            Ok(answer)
        })
        .await?;
    data(&SentJson {
        message_id: &answer.id,
    })
}

pub(super) async fn mark_read(State(shared): State<Arc<Shared>>, id: Part) -> Answer {
    let id = part(id)?;
    let id = shared
        .shelf
        .with(move |stores| {
            if stores.mail.get(&id)?.is_none() {
                return Err(MailError::NotFound { id }.into());
            }
            stores.mail.mark_read(&[&id])?;
            Ok(id)
        })
        .await?;
    data(&ReadJson {
        id: &id,
        read: true,
    })
}

pub(super) async fn delete(State(shared): State<Arc<Shared>>, id: Part) -> Answer {
    let id = part(id)?;
    let id = shared
        .shelf
        .with(move |stores| {
            if !stores.mail.delete(&id)? {
                return Err(MailError::NotFound { id }.into());
            }
            Ok(id)
        })
        .await?;
    data(&DeletedJson {
        id: &id,
        deleted: true,
    })
}
