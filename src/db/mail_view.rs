//! A message as a row of the store, with or without a copy of its texts.

use super::cells::{borrowed_text, optional_borrowed_text};
use crate::types::mail::{MailMessage, MailPriority, MailType};
use rusqlite::Row;
use rusqlite::types::ValueRef;
use std::borrow::Cow;

/// Place of the time among the columns.
pub(super) const CREATED_AT: usize = 10;

/// A message as it lies in the store, without a copy of its texts.
#[derive(Debug)]
pub struct MailView<'a> {
    pub id: Cow<'a, str>,
    pub from: Cow<'a, str>,
    pub to: Cow<'a, str>,
    pub subject: Cow<'a, str>,
    pub body: Cow<'a, str>,
    pub kind: MailType,
    /// The stored word, when this version does not know it.
    pub unknown_kind: Option<Cow<'a, str>>,
    pub priority: MailPriority,
    /// The stored word, when this version does not know it.
    pub unknown_priority: Option<Cow<'a, str>>,
    pub thread_id: Option<Cow<'a, str>>,
    pub payload: Option<Cow<'a, str>>,
    pub read: bool,
    pub created_at: Cow<'a, str>,
}

impl MailView<'_> {
    /// The type as it is stored.
    pub fn kind_text(&self) -> &str {
        self.unknown_kind.as_deref().unwrap_or(self.kind.as_str())
    }

    /// The priority as it is stored.
    pub fn priority_text(&self) -> &str {
        let unknown = self.unknown_priority.as_deref();
        unknown.unwrap_or(self.priority.as_str())
    }

    pub(super) fn to_owned(&self) -> MailMessage {
        let text = |text: &Cow<'_, str>| text.clone().into_owned();
        MailMessage {
            id: text(&self.id),
            from: text(&self.from),
            to: text(&self.to),
            subject: text(&self.subject),
            body: text(&self.body),
            kind: self.kind,
            unknown_kind: self.unknown_kind.as_ref().map(text),
            priority: self.priority,
            unknown_priority: self.unknown_priority.as_ref().map(text),
            thread_id: self.thread_id.as_ref().map(text),
            payload: self.payload.as_ref().map(text),
            read: self.read,
            created_at: text(&self.created_at),
        }
    }
}

pub(super) fn view<'r>(row: &'r Row<'_>) -> rusqlite::Result<MailView<'r>> {
    // The table's CHECK admits other words only where a newer version has made it; they are treated
    // as ov's own migration treats them, and shown as they are.
    let (kind, priority) = (borrowed_text(row, 5)?, borrowed_text(row, 6)?);
    let (known_kind, known_priority) = (MailType::parse(&kind), MailPriority::parse(&priority));
    Ok(MailView {
        id: borrowed_text(row, 0)?,
        from: borrowed_text(row, 1)?,
        to: borrowed_text(row, 2)?,
        subject: borrowed_text(row, 3)?,
        body: borrowed_text(row, 4)?,
        kind: known_kind.unwrap_or(MailType::Status),
        unknown_kind: known_kind.is_none().then_some(kind),
        priority: known_priority.unwrap_or(MailPriority::Normal),
        unknown_priority: known_priority.is_none().then_some(priority),
        thread_id: optional_borrowed_text(row, 7)?,
        payload: optional_borrowed_text(row, 8)?,
        read: row.get_ref(9)? == ValueRef::Integer(1),
        created_at: borrowed_text(row, CREATED_AT)?,
    })
}

pub(super) fn message(row: &Row<'_>) -> rusqlite::Result<MailMessage> {
    view(row).map(|view| view.to_owned())
}
