//! Up to where the stores have been read, and how that place is found again when rows are deleted or
//! another file takes the place of one.

use std::collections::VecDeque;

use super::feed::News;
use crate::db::{DbError, Stores};

/// Rows that are read and handed on at once.
const CHUNK: i64 = 64;
/// Messages by which the place in the mail is found again after others were deleted.
const REMEMBERED: usize = 64;

/// Up to where the stores have been read.
#[derive(Debug, Default)]
pub(super) struct Position {
    event: i64,
    /// Time of the newest event.
    event_until: String,
    /// Ids of the mail that came last, newest first.
    mail: VecDeque<String>,
    /// Time of the newest mail.
    mail_until: String,
}

impl Position {
    /// The present end of the stores.
    pub(super) fn end(stores: &Stores) -> Result<Self, DbError> {
        let (event, event_until) = stores.events.last()?.unwrap_or_default();
        Ok(Self {
            event,
            event_until,
            mail: stores.mail.last_ids(REMEMBERED as i64)?.into(),
            mail_until: stores.mail.newest_time()?.unwrap_or_default(),
        })
    }

    /// Goes to the present end of the same stores, or of others with less in them: what was passed once
    /// stays passed.
    pub(super) fn skip_to(&mut self, mut end: Self) {
        let before = std::mem::take(self);
        end.event_until = end.event_until.max(before.event_until);
        end.mail_until = end.mail_until.max(before.mail_until);
        let known = before.mail.into_iter();
        let gone: Vec<String> = known.filter(|id| !end.mail.contains(id)).collect();
        end.mail.extend(gone);
        end.mail.truncate(REMEMBERED);
        *self = end;
    }

    /// Finds the place again after other files have taken the place of those that were read. A copy
    /// goes on after the event that was read last; elsewhere only what is later is news. Mail is
    /// found by its ids in any case.
    pub(super) fn move_to(&mut self, stores: &Stores) -> Result<(), DbError> {
        let is_copy = stores.events.time_of(self.event)?.as_ref() == Some(&self.event_until);
        if !is_copy {
            self.event = stores.events.last_before(&self.event_until)?;
        }
        Ok(())
    }

    /// The next rows, at most a chunk of each store; nothing when all has been read.
    pub(super) fn advance(&mut self, stores: &Stores) -> Result<Vec<News>, DbError> {
        let mut news = Vec::new();
        for event in stores.events.written_after(self.event, CHUNK)? {
            self.event = event.id;
            if self.event_until < event.created_at {
                self.event_until.clone_from(&event.created_at);
            }
            news.push(News::Event(event));
        }
        for mail in stores.mail.arrived_after(self.arrival(stores)?, CHUNK)? {
            self.mail.push_front(mail.id.clone());
            self.mail.truncate(REMEMBERED);
            if self.mail_until < mail.created_at {
                self.mail_until.clone_from(&mail.created_at);
            }
            news.push(News::Mail(mail));
        }
        Ok(news)
    }

    /// Where in the order of arrival the newest message that is still there stands. Rows behind
    /// it are new: those that were read have been deleted.
    fn arrival(&self, stores: &Stores) -> Result<i64, DbError> {
        for id in &self.mail {
            if let Some(arrival) = stores.mail.arrival(id)? {
                return Ok(arrival);
            }
        }
        // None that is remembered is left: time has to tell. What has the very time of the last
        // one is not it.
        stores.mail.arrival_before(&self.mail_until)
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::platform::ProjectPaths;
    use crate::types::Timestamp;
    use crate::types::event::{EventType, NewEvent};
    use crate::types::mail::{MailType, NewMail};

    pub(in crate::serve) fn project() -> (tempfile::TempDir, Stores) {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir(dir.path().join(".overstory")).unwrap();
        let stores = Stores::open(&ProjectPaths::new(dir.path())).unwrap();
        (dir, stores)
    }

    pub(in crate::serve) fn send(stores: &Stores, subject: &str) -> String {
        let mail = NewMail::new("a", "b", MailType::Status, subject, "x");
        stores.mail.insert(&mail).unwrap().id
    }

    pub(in crate::serve) fn subjects(news: &[News]) -> Vec<&str> {
        news.iter()
            .map(|n| match n {
                News::Mail(m) => m.subject.as_str(),
                News::Event(e) => e.event_type.as_str(),
            })
            .collect()
    }

    #[test]
    fn only_what_comes_later_is_news() {
        let (_dir, stores) = project();
        send(&stores, "old");
        let mut position = Position::end(&stores).unwrap();
        assert!(position.advance(&stores).unwrap().is_empty());
        send(&stores, "new");
        let event = NewEvent::new("a", EventType::Custom);
        stores.events.insert(&event).unwrap();
        let news = position.advance(&stores).unwrap();
        assert_eq!(subjects(&news), ["custom", "new"]);
        assert!(position.advance(&stores).unwrap().is_empty());
    }

    #[test]
    fn deleting_mail_neither_hides_nor_repeats_any() {
        let (_dir, stores) = project();
        let ids: Vec<_> = (0..5).map(|n| send(&stores, &format!("old {n}"))).collect();
        let mut position = Position::end(&stores).unwrap();
        for id in &ids[2..] {
            stores.mail.delete(id).unwrap();
        }
        // The new row takes the number of a deleted one.
        send(&stores, "new");
        assert_eq!(subjects(&position.advance(&stores).unwrap()), ["new"]);
        stores
            .mail
            .purge(&crate::db::mail::PurgeFilter::default())
            .unwrap();
        assert!(position.advance(&stores).unwrap().is_empty());
        send(&stores, "after all");
        assert_eq!(subjects(&position.advance(&stores).unwrap()), ["after all"]);
    }

    #[test]
    fn what_a_copy_brings_back_is_no_news() {
        let (_dir, stores) = project();
        let (_other_dir, other) = project();
        let mut position = Position::default();
        let happens = |stores: &Stores, minute: i64| {
            let event = NewEvent::new("a", EventType::Custom);
            let late = [(event, Timestamp(minute * 60_000))];
            stores.events.insert_late(&late).unwrap();
        };
        for n in 0..3 {
            send(&stores, &format!("sent {n}"));
            happens(&stores, n);
        }
        assert_eq!(position.advance(&stores).unwrap().len(), 6);
        // A file that is made anew begins with nothing, and then with what comes.
        position.move_to(&other).unwrap();
        position.skip_to(Position::end(&other).unwrap());
        assert!(position.advance(&other).unwrap().is_empty());
        send(&other, "new");
        happens(&other, 3);
        let news = position.advance(&other).unwrap();
        assert_eq!(subjects(&news), ["custom", "new"]);
        // The old one comes back, with something that is later than all of it.
        position.move_to(&stores).unwrap();
        assert!(position.advance(&stores).unwrap().is_empty());
        send(&stores, "later");
        happens(&stores, 4);
        let news = position.advance(&stores).unwrap();
        assert_eq!(subjects(&news), ["custom", "later"]);
        // A copy of what is open goes on where that was.
        position.move_to(&stores).unwrap();
        assert!(position.advance(&stores).unwrap().is_empty());
    }
}
