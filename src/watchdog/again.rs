//! Who is refused the same thing again and again, by what is stored.

use std::collections::HashMap;

use super::refusals::{Repeated, repeated};
use crate::config::GuardConfig;
use crate::db::{DbError, EventStore, GroveStore};
use crate::platform::ProjectPaths;
use crate::types::{AgentSession, Timestamp};

/// So many refusals of an agent are looked at; it needs far fewer to be noticed.
const MOST_REFUSALS: usize = 1_000;

/// Agents at work that were refused again and again within the window of the settings, by their names: whenever in their
/// present life that was, until a person has seen it. Nobody may have been there to look at that time.
pub fn refused_again(
    (events, grove): (&EventStore, &GroveStore),
    sessions: &[AgentSession],
    limits: &GuardConfig,
) -> Result<HashMap<String, Repeated>, DbError> {
    let began = |session: &AgentSession| Timestamp::parse(&session.started_at).map_or(0, |t| t.0);
    let lives: HashMap<&str, i64> = sessions
        .iter()
        .filter(|session| session.state.is_active())
        .map(|session| (session.agent_name.as_str(), began(session)))
        .collect();
    let Some(first) = lives.values().copied().min() else {
        return Ok(HashMap::new());
    };
    // As stored: without the closing Z.
    let since = Timestamp(first).iso();
    let found = events.newest_refusals(since.trim_end_matches('Z'), MOST_REFUSALS)?;
    if found.is_empty() {
        return Ok(HashMap::new());
    }
    let known = grove.refusals_seen()?;
    let mut by_agent: HashMap<String, Vec<(String, i64)>> = HashMap::new();
    for refused in found {
        let at = Timestamp::parse(&refused.at).map_or(0, |t| t.0);
        let is_of_life = lives.get(&*refused.agent).is_some_and(|began| at >= *began);
        let is_known = known
            .get(&refused.agent)
            .is_some_and(|id| refused.id <= *id);
        if is_of_life && !is_known {
            let seen = by_agent.entry(refused.agent).or_default();
            seen.push((refused.rule, at));
        }
    }
    let window = i64::try_from(limits.attention_window_ms).unwrap_or(i64::MAX);
    let again = by_agent.into_iter().filter_map(|(agent, seen)| {
        repeated(seen, limits.attention_after, window).map(|again| (agent, again))
    });
    Ok(again.collect())
}

/// A person has done something about an agent that was refused: what it was refused until now is seen.
pub fn refusals_are_seen(paths: &ProjectPaths, agent: &str) -> Result<(), DbError> {
    let events = paths.events_db();
    if !events.exists() {
        return Ok(());
    }
    let newest = EventStore::look(&events)?.newest_refusals("", 1)?;
    match newest.iter().find(|refused| refused.agent == agent) {
        Some(refused) => GroveStore::open(&paths.grove_db())?.note_refusals_seen(agent, refused.id),
        None => Ok(()),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;
    use crate::types::AgentState;
    use crate::types::event::{EventType, Level, NewEvent};

    #[test]
    fn what_was_refused_in_the_night_stands_in_the_morning_until_somebody_has_seen_it() {
        let dir = tempfile::tempdir().unwrap();
        let paths = ProjectPaths::new(dir.path());
        std::fs::create_dir_all(paths.dir()).unwrap();
        let events = EventStore::open(&paths.events_db()).unwrap();
        let grove = GroveStore::open(&paths.grove_db()).unwrap();
        let minute = |n: i64| {
            Timestamp(Timestamp::parse("2026-01-02T03:00:00.000Z").unwrap().0 + n * 60_000)
        };
        let refuse = |agent: &str, rule: &str, at: i64| {
            let data = serde_json::json!({"type": "guard_refused", "rule": rule, "reason": "r"});
            let event = NewEvent::new(agent, EventType::Custom)
                .level(Level::Warn)
                .data(&data);
            events.insert_late(&[(event, minute(at))]).unwrap();
        };
        let session = |agent: &str, state, began: i64| AgentSession {
            state,
            started_at: minute(began).iso(),
            ..AgentSession::example(agent)
        };
        let mut sessions = vec![
            session("ann", AgentState::Working, -60),
            session("ben", AgentState::Working, 20),
            session("eve", AgentState::Completed, -60),
            session("slow", AgentState::Working, -60),
        ];
        for at in 0..3 {
            for agent in ["ann", "ben", "eve"] {
                refuse(agent, "publish", at);
            }
            refuse("slow", "publish", at * 20);
        }
        // Far more by somebody else hide nothing.
        sessions.push(session("loud", AgentState::Working, -60));
        for at in 0..1_200 {
            refuse("loud", "outside", at / 100);
        }
        let limits = GuardConfig::default();
        let now = || {
            let found = refused_again((&events, &grove), &sessions, &limits).unwrap();
            let mut found: Vec<_> = found.into_iter().collect();
            found.sort_by(|a, b| a.0.cmp(&b.0));
            let brief = found.into_iter().map(|(agent, again)| (agent, again.count));
            brief.collect::<Vec<_>>()
        };
        let found = now();
        let [(ann, 3), (loud, _)] = found.as_slice() else {
            panic!("{found:?}");
        };
        assert_eq!((ann.as_str(), loud.as_str()), ("ann", "loud"));
        refusals_are_seen(&paths, "ann").unwrap();
        refusals_are_seen(&paths, "nobody").unwrap();
        assert_eq!(now().len(), 1);
        // What is refused after that is news.
        for at in 300..303 {
            refuse("ann", "publish", at);
        }
        assert_eq!(now()[0], ("ann".to_owned(), 3));
    }
}
