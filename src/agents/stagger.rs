//! The pause between two starts, which keeps a team from asking its provider for everything at once.

use crate::types::{AgentSession, Timestamp};
use std::time::Duration;

/// How long to wait before one more agent may start: `delay_ms` after the newest active agent's
/// start. Never longer than the delay itself, whatever the clock says.
pub(super) fn due(sessions: &[AgentSession], delay_ms: u64, now: Timestamp) -> Option<Duration> {
    let newest = sessions
        .iter()
        .filter(|session| session.state.is_active())
        .filter_map(|session| Timestamp::parse(&session.started_at))
        .map(|started| started.0)
        .max()?;
    let since = u64::try_from(now.0.saturating_sub(newest)).unwrap_or(0);
    let left = delay_ms.saturating_sub(since).min(delay_ms);
    (left > 0).then(|| Duration::from_millis(left))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::db::sessions::tests::sample;
    use crate::types::AgentState;

    fn started(state: AgentState, at: &str) -> AgentSession {
        AgentSession {
            started_at: at.to_owned(),
            ..sample("a", state)
        }
    }

    #[test]
    fn only_the_newest_active_agent_counts() {
        let now = Timestamp::parse("2026-01-01T00:00:10.000Z").unwrap();
        let sessions = [
            started(AgentState::Working, "2026-01-01T00:00:09.500Z"),
            started(AgentState::Completed, "2026-01-01T00:00:09.900Z"),
        ];
        assert_eq!(due(&sessions, 2000, now), Some(Duration::from_millis(1500)));
        assert_eq!(due(&sessions, 500, now), None);
        assert_eq!(due(&sessions, 0, now), None);
        assert_eq!(due(&[], 2000, now), None);
    }

    #[test]
    fn a_start_in_the_future_costs_one_pause_and_no_more() {
        let now = Timestamp::parse("2026-01-01T00:00:10.000Z").unwrap();
        let sessions = [started(AgentState::Working, "2027-01-01T00:00:00.000Z")];
        assert_eq!(due(&sessions, 2000, now), Some(Duration::from_millis(2000)));
    }
}
