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
