//! All stores of a project, kept open by those who look at them again and again.
//!
//! Opening a database writes beside it, which would wake everybody who watches the folder; a
//! store that stays open can be read, and asked whether it has changed, without a trace.

use super::{
    DbError, EventStore, GroveStore, MailStore, MergeQueueStore, MetricsStore, SessionStore,
};
use crate::platform::ProjectPaths;

/// Open stores and the version of each that was seen last.
#[derive(Debug)]
pub struct Stores {
    pub mail: MailStore,
    pub sessions: SessionStore,
    pub events: EventStore,
    pub metrics: MetricsStore,
    pub queue: MergeQueueStore,
    pub grove: GroveStore,
    seen: [i64; 6],
}

impl Stores {
    pub fn open(paths: &ProjectPaths) -> Result<Self, DbError> {
        Ok(Self {
            mail: MailStore::open(&paths.mail_db())?,
            sessions: SessionStore::open(&paths.sessions_db())?,
            events: EventStore::open(&paths.events_db())?,
            metrics: MetricsStore::open(&paths.metrics_db())?,
            queue: MergeQueueStore::open(&paths.merge_queue_db())?,
            grove: GroveStore::open(&paths.grove_db())?,
            seen: [0; 6],
        })
    }

    /// Whether anybody has committed to any store since the last call.
    pub fn changed(&mut self) -> Result<bool, DbError> {
        let now = [
            self.mail.db().data_version()?,
            self.sessions.db().data_version()?,
            self.events.db().data_version()?,
            self.metrics.db().data_version()?,
            self.queue.db().data_version()?,
            self.grove.db().data_version()?,
        ];
        Ok(std::mem::replace(&mut self.seen, now) != now)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::event::{EventType, NewEvent};

    #[test]
    fn reading_is_no_change_and_a_commit_of_somebody_else_is() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir(dir.path().join(".overstory")).unwrap();
        let paths = ProjectPaths::new(dir.path());
        let mut stores = Stores::open(&paths).unwrap();
        stores.changed().unwrap();
        stores.sessions.all().unwrap();
        assert!(!stores.changed().unwrap());
        let other = EventStore::open(&paths.events_db()).unwrap();
        assert!(!stores.changed().unwrap());
        other
            .insert(&NewEvent::new("a", EventType::Custom))
            .unwrap();
        assert!(stores.changed().unwrap());
        assert!(!stores.changed().unwrap());
    }
}
