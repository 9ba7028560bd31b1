//! Theme and glyphs together: everything a drawing function needs to know about taste.
//!
//! Also the one place that says how a condition of an agent looks: glyph, word and token, so that
//! they cannot differ between screens.

use ratatui::style::Style;

use crate::engine::event::Level;
use crate::engine::view::{Attention, MailPriority, MergeState, NeedsReason};
use crate::tui::glyphs::{ASCII, Glyphs, UNICODE};
use crate::tui::theme::{Theme, Token};

/// How things look.
#[derive(Debug, Clone)]
pub(crate) struct Look {
    pub theme: Theme,
    pub glyphs: &'static Glyphs,
}

impl Look {
    /// Combines a theme with a set of glyphs.
    pub(crate) fn new(theme: Theme, ascii: bool) -> Self {
        Self {
            theme,
            glyphs: if ascii { &ASCII } else { &UNICODE },
        }
    }

    /// Gives the style of a token.
    pub(crate) fn style(&self, token: Token) -> Style {
        self.theme.style(token)
    }

    /// Gives glyph, word and token of a condition.
    pub(crate) fn attention(&self, attention: Attention) -> (&'static str, &'static str, Token) {
        let g = self.glyphs;
        match attention {
            Attention::NeedsYou { .. } => (g.needs_you, "needs you", Token::StateNeedsYou),
            Attention::Error => (g.error, "error", Token::LevelError),
            Attention::OverBudget => (g.over_budget, "over budget", Token::StateOverBudget),
            Attention::Stalled => (g.stalled, "stalled", Token::StateStalled),
            Attention::RateLimited => (g.limited, "rate-limited", Token::StateLimited),
            Attention::Working => (g.working, "working", Token::StateWorking),
            Attention::Booting => (g.booting, "booting", Token::StateBooting),
            Attention::BetweenTurns => (g.booting, "idle", Token::StateIdle),
            Attention::Dead => (g.zombie, "dead", Token::StateZombie),
            Attention::Stopped => (g.dash, "stopped", Token::StateDone),
            Attention::Done => (g.done, "done", Token::StateDone),
        }
    }

    /// Names in a few letters what an agent waits for, for narrow lists.
    pub(crate) fn short_reason(reason: NeedsReason) -> &'static str {
        match reason {
            NeedsReason::Permission => "perm",
            NeedsReason::Question => "asks",
            NeedsReason::Escalation => "escal",
            NeedsReason::Checkpoint => "check",
            NeedsReason::Displaced => "lines",
            NeedsReason::SignIn => "login",
            NeedsReason::Refused => "guard",
        }
    }

    /// Gives glyph and token of a merge state.
    pub(crate) fn merge_state(&self, state: MergeState) -> (&'static str, Token) {
        let g = self.glyphs;
        match state {
            MergeState::Pending => (" ", Token::Text),
            MergeState::Merging => (g.working, Token::StateWorking),
            MergeState::Review => (g.needs_you, Token::StateNeedsYou),
            MergeState::Conflict => (g.stalled, Token::StateStalled),
            MergeState::Failed => (g.error, Token::LevelError),
            MergeState::Merged => (g.done, Token::StateDone),
        }
    }

    /// Gives the token of a level.
    pub(crate) fn level(level: Level) -> Token {
        match level {
            Level::Info => Token::LevelInfo,
            Level::Ok => Token::LevelOk,
            Level::Warn => Token::LevelWarn,
            Level::Error => Token::LevelError,
            Level::Act => Token::StateNeedsYou,
        }
    }

    /// Gives the token of a priority.
    pub(crate) fn priority(priority: MailPriority) -> Token {
        match priority {
            MailPriority::Low => Token::PrioLow,
            MailPriority::Normal => Token::PrioNormal,
            MailPriority::High => Token::PrioHigh,
            MailPriority::Urgent => Token::PrioUrgent,
        }
    }
}
