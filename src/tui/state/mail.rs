//! The mail screen: messages, which one is looked at, which part of the screen has the keys.

use crate::engine::view::{MailPriority, MailView};
use crate::tui::state::RowCursor;

/// Messages and cursor.
#[derive(Debug, Clone, Default)]
pub(crate) struct MailState {
    /// Newest first.
    pub items: Vec<MailView>,
    pub known: bool,
    pub cursor: RowCursor,
    /// The detail has the keys; on a narrow screen it is the page that is shown.
    pub detail: bool,
    pub scroll: usize,
    pub filter: String,
}

impl MailState {
    /// Lists the messages that pass the filter, newest first. Reading one does not move it.
    pub(crate) fn rows(&self) -> Vec<&MailView> {
        let needle = self.filter.to_lowercase();
        let mut rows: Vec<_> = self.items.iter().filter(|m| matches(m, &needle)).collect();
        rows.sort_by_key(|m| std::cmp::Reverse(m.created_ms));
        rows
    }

    /// Gives the message under the cursor.
    pub(crate) fn selected(&self) -> Option<&MailView> {
        let rows = self.rows();
        let ids: Vec<_> = rows.iter().map(|m| m.id.as_str()).collect();
        self.cursor.resolve(&ids).and_then(|i| rows.get(i).copied())
    }

    /// Lists the thread of a message, oldest first.
    pub(crate) fn thread<'a>(&'a self, mail: &MailView) -> Vec<&'a MailView> {
        let key = mail.thread_key();
        let mut thread: Vec<_> = self
            .items
            .iter()
            .filter(|m| m.thread_key() == key)
            .collect();
        thread.sort_by(|a, b| (a.created_ms, &a.id).cmp(&(b.created_ms, &b.id)));
        thread
    }

    /// Counts unread messages and the urgent ones among them.
    pub(crate) fn unread(&self) -> (usize, usize) {
        let unread = || self.items.iter().filter(|m| !m.read);
        (unread().count(), unread().filter(|m| urgent(m)).count())
    }
}

fn urgent(mail: &MailView) -> bool {
    !mail.read && matches!(mail.priority, MailPriority::High | MailPriority::Urgent)
}

fn matches(mail: &MailView, needle: &str) -> bool {
    needle.is_empty()
        || [&mail.from, &mail.to, &mail.subject, &mail.kind, &mail.body]
            .iter()
            .any(|f| f.to_lowercase().contains(needle))
}
