//! One message as text, shared by `list` and `check`.

use std::fmt::Write as _;

use crate::types::mail::{MailMessage, MailPriority};

/// Appends a message and a blank line.
pub(super) fn append(text: &mut String, message: &MailMessage) {
    // Writing to a text cannot fail.
    write(text, message).unwrap_or_default();
}

fn write(text: &mut String, message: &MailMessage) -> std::fmt::Result {
    let unread = if message.read { " " } else { "*" };
    let (id, from, to) = (&message.id, &message.from, &message.to);
    write!(text, "{unread} {id}  From: {from} → To: {to}")?;
    match message.priority {
        MailPriority::Normal => writeln!(text)?,
        MailPriority::Low | MailPriority::High | MailPriority::Urgent => {
            writeln!(text, " [{}]", message.priority.as_str().to_uppercase())?;
        }
    }
    let kind = message.kind.as_str();
    writeln!(text, "  Subject: {}  ({kind})", message.subject)?;
    writeln!(text, "  {}", message.body)?;
    if let Some(payload) = &message.payload {
        writeln!(text, "  Payload: {payload}")?;
    }
    writeln!(text, "  {}\n", message.created_at)
}
