//! Mail between agents: types, priorities, messages.

macro_rules! text_enum {
    ($(#[$doc:meta])* $name:ident { $($variant:ident = $text:literal),+ $(,)? }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum $name { $($variant),+ }

        impl $name {
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $text),+ }
            }

            pub fn parse(text: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|v| v.as_str() == text)
            }
        }
    };
}
pub(crate) use text_enum;

text_enum!(
    /// What a message is about. The first four are free form, the rest are protocol.
    MailType {
        Status = "status",
        Question = "question",
        Result = "result",
        Error = "error",
        WorkerDone = "worker_done",
        WorkerDied = "worker_died",
        MergeReady = "merge_ready",
        Merged = "merged",
        MergeFailed = "merge_failed",
        Escalation = "escalation",
        HealthCheck = "health_check",
        Dispatch = "dispatch",
        Assign = "assign",
        DecisionGate = "decision_gate",
    }
);

impl MailType {
    /// Protocol types carry a payload that programs read.
    pub const fn is_protocol(self) -> bool {
        !matches!(
            self,
            Self::Status | Self::Question | Self::Result | Self::Error
        )
    }

    /// Types that leave a pending nudge for the recipient whatever their priority.
    pub const fn nudges(self) -> bool {
        matches!(
            self,
            Self::WorkerDone
                | Self::MergeReady
                | Self::Error
                | Self::Escalation
                | Self::MergeFailed
        )
    }
}

text_enum!(
    /// How urgent a message is.
    MailPriority { Low = "low", Normal = "normal", High = "high", Urgent = "urgent" }
);

/// One row of `messages`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MailMessage {
    pub id: String,
    pub from: String,
    pub to: String,
    pub subject: String,
    pub body: String,
    pub kind: MailType,
    /// The stored word, when this version does not know it: a newer one has written the message.
    pub unknown_kind: Option<String>,
    pub priority: MailPriority,
    /// The stored word, when this version does not know it.
    pub unknown_priority: Option<String>,
    pub thread_id: Option<String>,
    /// JSON text, not validated.
    pub payload: Option<String>,
    pub read: bool,
    pub created_at: String,
}

impl MailMessage {
    /// The type as it is stored.
    pub fn kind_text(&self) -> &str {
        self.unknown_kind.as_deref().unwrap_or(self.kind.as_str())
    }

    /// The priority as it is stored.
    pub fn priority_text(&self) -> &str {
        let unknown = self.unknown_priority.as_deref();
        unknown.unwrap_or(self.priority.as_str())
    }
}

/// A message that is about to be stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewMail {
    pub from: String,
    pub to: String,
    pub subject: String,
    pub body: String,
    pub kind: MailType,
    pub priority: MailPriority,
    pub thread_id: Option<String>,
    pub payload: Option<String>,
}

impl NewMail {
    /// A plain message of normal priority; change the public fields for anything else.
    pub fn new(from: &str, to: &str, kind: MailType, subject: &str, body: &str) -> Self {
        Self {
            from: from.to_owned(),
            to: to.to_owned(),
            subject: subject.to_owned(),
            body: body.to_owned(),
            kind,
            priority: MailPriority::Normal,
            thread_id: None,
            payload: None,
        }
    }
}
