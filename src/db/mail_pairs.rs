//! Who writes to whom and nudges whom, and when.

use super::connection::DbError;
use super::events::EventStore;
use super::mail::MailStore;
use rusqlite::params;

impl MailStore {
    /// Who has written to whom between two ISO times, and how many messages.
    pub fn pairs_between(
        &self,
        since: &str,
        until: &str,
    ) -> Result<Vec<(String, String, i64)>, DbError> {
        self.db().read(|c| {
            c.prepare_cached(
                "SELECT from_agent, to_agent, count(*) FROM messages WHERE created_at BETWEEN ?1 AND ?2 GROUP BY 1, 2",
            )?
            .query_map([since, until], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?
            .collect()
        })
    }

    /// When somebody has last written to somebody between two ISO times.
    pub fn last_between(
        &self,
        (from, to): (&str, &str),
        since: &str,
        until: &str,
    ) -> Result<Option<String>, DbError> {
        self.db().read(|c| {
            c.prepare_cached(
                "SELECT max(created_at) FROM messages WHERE from_agent = ?1 AND to_agent = ?2 AND created_at BETWEEN ?3 AND ?4",
            )?
            .query_row(params![from, to, since, until], |row| row.get(0))
        })
    }
}

impl EventStore {
    /// Who has nudged whom between two ISO times, and how many nudges arrived.
    pub fn nudges_between(
        &self,
        since: &str,
        until: &str,
    ) -> Result<Vec<(String, String, i64)>, DbError> {
        // As stored: without the closing Z.
        let [since, until] = [since, until].map(|time| time.trim_end_matches('Z'));
        self.db().read(|c| {
            // What other programs store need not be JSON.
            c.prepare_cached(
                "SELECT json_extract(data, '$.from'), agent_name, count(*) FROM events
                 WHERE event_type = 'custom' AND created_at BETWEEN ?1 AND ?2
                 AND CASE WHEN json_valid(data)
                     THEN json_extract(data, '$.type') = 'nudge' AND json_extract(data, '$.delivered')
                         AND json_type(data, '$.from') = 'text'
                     ELSE 0 END
                 GROUP BY 1, 2",
            )?
            .query_map([since, until], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?
            .collect()
        })
    }
}
