//! One message as text, shared by `list` and `check`.

use std::fmt::Write as _;

use crate::cli::MailJson;
use crate::mail::shown::heading;
use crate::mail::unfenced;

/// Appends a message and a blank line.
pub(super) fn append(text: &mut String, message: &MailJson<'_>) {
    // Writing to a text cannot fail.
    write(text, message).unwrap_or_default();
}

fn write(text: &mut String, message: &MailJson<'_>) -> std::fmt::Result {
    let unread = if message.read { " " } else { "*" };
    let (id, from, to) = (message.id, heading(message.from), heading(message.to));
    write!(text, "{unread} {id}  From: {from} → To: {to}")?;
    match message.priority {
        "normal" => writeln!(text)?,
        other => writeln!(text, " [{}]", other.to_uppercase())?,
    }
    let subject = heading(message.subject);
    writeln!(text, "  Subject: {subject}  ({})", heading(message.kind))?;
    writeln!(text, "  {}", unfenced::body(message.body))?;
    if let Some(payload) = message.payload {
        writeln!(text, "  Payload: {}", unfenced::body(payload))?;
    }
    writeln!(text, "  {}\n", message.created_at)
}
