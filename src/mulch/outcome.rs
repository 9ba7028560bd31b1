//! What came of using a record: the confirmations that make it rank higher.

use serde_json::{Map, Value};

use super::error::MulchError;

/// How it went.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OutcomeStatus {
    /// It helped.
    Success,
    /// It was wrong.
    Failure,
    /// It helped in part.
    Partial,
}

impl OutcomeStatus {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Success, Self::Failure, Self::Partial];

    /// The stored word.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Success => "success",
            Self::Failure => "failure",
            Self::Partial => "partial",
        }
    }

    /// Reads the stored word.
    pub fn parse(text: &str) -> Result<Self, MulchError> {
        match text {
            "success" => Ok(Self::Success),
            "failure" => Ok(Self::Failure),
            "partial" => Ok(Self::Partial),
            _ => Err(MulchError::Invalid {
                what: "status",
                value: text.to_owned(),
                valid: "success, failure, partial".to_owned(),
            }),
        }
    }
}

/// An outcome to be added to a record.
#[derive(Debug, Clone, PartialEq)]
pub struct NewOutcome {
    /// How it went.
    pub status: OutcomeStatus,
    /// How long it took; milliseconds.
    pub duration_ms: Option<u64>,
    /// Who tried it.
    pub agent: Option<String>,
    /// Anything else.
    pub notes: Option<String>,
    /// What the tests said.
    pub test_results: Option<String>,
}

impl NewOutcome {
    /// Only a state.
    pub fn new(status: OutcomeStatus) -> Self {
        Self {
            status,
            duration_ms: None,
            agent: None,
            notes: None,
            test_results: None,
        }
    }

    pub(super) fn fields(&self, now: &str) -> Map<String, Value> {
        let mut fields = Map::new();
        fields.insert("status".into(), self.status.as_str().into());
        fields.insert("recorded_at".into(), now.into());
        if let Some(ms) = self.duration_ms {
            fields.insert("duration".into(), ms.into());
        }
        let texts = [
            ("agent", &self.agent),
            ("notes", &self.notes),
            ("test_results", &self.test_results),
        ];
        for (name, text) in texts {
            if let Some(text) = text.as_deref().filter(|t| !t.is_empty()) {
                fields.insert(name.into(), text.into());
            }
        }
        fields
    }
}
