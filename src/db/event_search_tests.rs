//! The shortcuts answer exactly what the plain query answers.

use super::EventStore;
use super::events::EventFilter;
use crate::types::event::Level;
use proptest::prelude::*;
use rusqlite::params;

fn store(rows: &[(u8, u8, bool, u8)]) -> (tempfile::TempDir, EventStore) {
    let dir = tempfile::tempdir().unwrap();
    let store = EventStore::open(&dir.path().join("events.db")).unwrap();
    store
        .db()
        .write(|tx| {
            for (agent, kind, error, time) in rows {
                tx.execute(
                    "INSERT INTO events (run_id, agent_name, event_type, level, created_at) VALUES (?1, ?2, ?3, ?4, ?5)",
                    params![
                        (agent % 2 == 0).then_some("r"),
                        format!("a{agent}"),
                        format!("kind-{kind}"),
                        if *error { "error" } else { "info" },
                        format!("2026-01-01T00:00:{time:02}.000")
                    ],
                )?;
            }
            Ok(())
        })
        .unwrap();
    (dir, store)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn shortcuts_change_nothing(
        rows in prop::collection::vec((0u8..3, 0u8..4, any::<bool>(), 0u8..20), 0..60),
        limit in prop::option::of(0i64..12),
        since in prop::option::of(0u8..20),
        until in prop::option::of(0u8..20),
        who in 0u8..4,
    ) {
        let (_dir, store) = store(&rows);
        let time = |second: u8| format!("2026-01-01T00:00:{second:02}.000");
        let filter = EventFilter {
            agent: (who == 1).then(|| "a0".to_owned()),
            run: (who == 2).then(|| "r".to_owned()),
            level: (who > 0).then_some(Level::Error),
            since: since.map(time),
            until: until.map(time),
            limit,
            newest_first: who == 3,
            ..EventFilter::default()
        };
        prop_assert!(super::event_search::shortcut(&filter).is_some());
        prop_assert_eq!(store.query(&filter).unwrap(), store.query_plainly(&filter).unwrap());
    }
}

#[test]
fn tool_totals_are_the_same_with_and_without_our_index() {
    let dir = tempfile::tempdir().unwrap();
    let store = EventStore::open(&dir.path().join("events.db")).unwrap();
    store
        .db()
        .write(|tx| {
            for n in 0..200 {
                tx.execute(
                    "INSERT INTO events (agent_name, event_type, tool_name, tool_duration_ms, created_at) VALUES (?1, ?2, ?3, ?4, ?5)",
                    params![
                        ["a", "b"][n % 2],
                        ["tool_start", "tool_end", "tool_start"][n % 3],
                        ["Bash", "Read", "Edit", "Grep"][n % 4],
                        (n % 5 > 0).then_some(n as i64),
                        // Not in the order of the ids: clocks are set back.
                        format!("2026-01-01T00:00:{:02}.000", n * 7 % 50)
                    ],
                )?;
            }
            Ok(())
        })
        .unwrap();
    let with = store.tool_stats("a").unwrap();
    let plain: Vec<(String, i64, f64, i64)> = store
        .db()
        .read(|c| {
            c.prepare(
                "SELECT tool_name, COUNT(*) AS count, COALESCE(AVG(tool_duration_ms), 0), COALESCE(MAX(tool_duration_ms), 0)
                 FROM events WHERE agent_name = 'a' AND tool_name IS NOT NULL AND event_type = 'tool_start'
                 GROUP BY tool_name ORDER BY count DESC, tool_name DESC",
            )?
            .query_map([], |r| Ok((r.get(0)?, r.get(1)?, r.get(2)?, r.get(3)?)))?
            .collect()
        })
        .unwrap();
    let seen: Vec<_> = with
        .iter()
        .map(|s| {
            (
                s.tool_name.clone(),
                s.count,
                s.avg_duration_ms,
                s.max_duration_ms,
            )
        })
        .collect();
    assert_eq!(seen, plain);
    store
        .db()
        .write(|tx| tx.execute_batch("DROP INDEX grove_events_tools"))
        .unwrap();
    assert_eq!(store.tool_stats("a").unwrap(), with);
    assert!(store.tool_stats("nobody").unwrap().is_empty());
    for readers in 1..=4 {
        assert_eq!(store.tool_stats_with("a", readers, 0).unwrap(), with);
        assert!(
            store
                .tool_stats_with("nobody", readers, 0)
                .unwrap()
                .is_empty()
        );
    }
    for index in ["idx_events_agent_time", "idx_events_tool_agent"] {
        store
            .db()
            .write(|tx| tx.execute_batch(&format!("DROP INDEX {index}")))
            .unwrap();
        assert_eq!(store.tool_stats_with("a", 4, 0).unwrap(), with);
    }
}
