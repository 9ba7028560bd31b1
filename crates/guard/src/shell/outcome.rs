//! How commands end, as far as that is known before they run, and what that says of those behind them.

use super::ast::Connector;

/// How a command ends, whenever it is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Outcome {
    Success,
    Failure,
    /// The same one each time; which one is not worked out.
    Same,
    Varies,
}

impl Outcome {
    pub(super) fn is_constant(self) -> bool {
        self != Self::Varies
    }

    pub(super) fn of(success: bool) -> Self {
        if success {
            Self::Success
        } else {
            Self::Failure
        }
    }

    pub(super) fn negated(self) -> Self {
        match self {
            Self::Success => Self::Failure,
            Self::Failure => Self::Success,
            Self::Same | Self::Varies => self,
        }
    }

    /// Whether what is joined to a command of this outcome runs.
    pub(super) fn reaches(self, connector: Connector) -> Reached {
        match (self, connector) {
            (Self::Success, Connector::And) | (Self::Failure, Connector::Or) | (Self::Same, _) => {
                Reached::Surely
            }
            (Self::Success, Connector::Or) | (Self::Failure, Connector::And) => Reached::Never,
            (Self::Varies, _) => Reached::Perhaps,
        }
    }
}

/// Whether a command that is judged runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reached {
    Surely,
    Perhaps,
    Never,
}
