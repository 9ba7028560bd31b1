//! One message as text, shared by `list` and `check`.

use crate::cli::{CliResult, Context};
use crate::types::mail::{MailMessage, MailPriority};

/// Prints a message and a blank line.
pub(super) fn message(ctx: &Context, message: &MailMessage) -> CliResult<()> {
    let unread = if message.read { " " } else { "*" };
    let priority = match message.priority {
        MailPriority::Normal => String::new(),
        MailPriority::Low | MailPriority::High | MailPriority::Urgent => {
            format!(" [{}]", message.priority.as_str().to_uppercase())
        }
    };
    ctx.out.line(format!(
        "{unread} {}  From: {} → To: {}{priority}",
        message.id, message.from, message.to
    ))?;
    ctx.out.line(format!(
        "  Subject: {}  ({})",
        message.subject,
        message.kind.as_str()
    ))?;
    ctx.out.line(format!("  {}", message.body))?;
    if let Some(payload) = &message.payload {
        ctx.out.line(format!("  Payload: {payload}"))?;
    }
    ctx.out.line(format!("  {}", message.created_at))?;
    ctx.out.line("")
}
