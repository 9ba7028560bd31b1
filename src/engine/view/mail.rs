//! Messages.

/// How urgent a mail is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MailPriority {
    Low,
    Normal,
    High,
    Urgent,
}

impl MailPriority {
    /// Lists every priority, least urgent first.
    pub const ALL: [Self; 4] = [Self::Low, Self::Normal, Self::High, Self::Urgent];

    /// Names the priority as the store spells it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Low => "low",
            Self::Normal => "normal",
            Self::High => "high",
            Self::Urgent => "urgent",
        }
    }
}

/// One message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MailView {
    pub id: String,
    pub from: String,
    pub to: String,
    pub subject: String,
    pub body: String,
    /// The message type as the store spells it (`status`, `question`, `merge_ready`, …).
    pub kind: String,
    pub priority: MailPriority,
    /// Id of the first message of the thread; `None` on that first message.
    pub thread: Option<String>,
    /// The protocol payload as JSON text.
    pub payload: Option<String>,
    pub read: bool,
    pub created_ms: i64,
}

impl MailView {
    /// Names the thread this message belongs to.
    pub fn thread_key(&self) -> &str {
        self.thread.as_deref().unwrap_or(&self.id)
    }
}
