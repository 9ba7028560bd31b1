//! Notices: toasts in the corner and the one-line note in the status bar.
//!
//! A repeat raises a count instead of stacking. What asks a person to act stays until dismissed.

use crate::engine::event::Level;

const SHOWN: usize = 3;
const WARN_MS: i64 = 6_000;
const ERROR_MS: i64 = 12_000;
const NOTE_MS: i64 = 3_000;

/// One notice in the corner.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Toast {
    pub level: Level,
    pub text: String,
    pub count: u32,
    /// `None` stays until dismissed.
    pub until_ms: Option<i64>,
}

/// Everything that is announced right now.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Notices {
    toasts: Vec<Toast>,
    note: Option<(String, i64)>,
    /// The note answers a key: the next one makes it old.
    is_answer: bool,
    /// Toasts pushed out by newer ones before their time.
    pub pushed_out: u32,
}

impl Notices {
    /// Announces something in the way its level asks for.
    pub(crate) fn add(&mut self, level: Level, text: &str, now_ms: i64) {
        let until_ms = match level {
            Level::Info | Level::Ok => {
                self.note = Some((text.to_owned(), now_ms + NOTE_MS));
                self.is_answer = false;
                return;
            }
            Level::Warn => Some(now_ms + WARN_MS),
            Level::Error => Some(now_ms + ERROR_MS),
            Level::Act => None,
        };
        self.show(level, text, until_ms);
    }

    /// Says something about the key that was just pressed.
    pub(crate) fn answer(&mut self, text: &str, now_ms: i64) {
        self.note = Some((text.to_owned(), now_ms + NOTE_MS));
        self.is_answer = true;
    }

    /// Takes back what was said about the key before; tells whether there was something.
    pub(crate) fn key_pressed(&mut self) -> bool {
        self.is_answer && self.note.take().is_some()
    }

    /// Announces something good in the corner until a time: there is a key to act on it.
    pub(crate) fn offer(&mut self, text: &str, until_ms: i64) {
        self.show(Level::Ok, text, Some(until_ms));
    }

    fn show(&mut self, level: Level, text: &str, until_ms: Option<i64>) {
        if let Some(same) = self
            .toasts
            .iter_mut()
            .find(|t| t.level == level && t.text == text)
        {
            same.count += 1;
            same.until_ms = until_ms;
            return;
        }
        self.toasts.push(Toast {
            level,
            text: text.to_owned(),
            count: 1,
            until_ms,
        });
        if self.toasts.len() > SHOWN {
            // What expires anyway goes before what waits for a person.
            let victim = self
                .toasts
                .iter()
                .position(|t| t.until_ms.is_some())
                .unwrap_or(0);
            self.toasts.remove(victim);
            self.pushed_out += 1;
        }
    }

    /// Removes what has had its time; tells whether anything went.
    pub(crate) fn expire(&mut self, now_ms: i64) -> bool {
        let before = (self.toasts.len(), self.note.is_some());
        self.toasts
            .retain(|t| t.until_ms.is_none_or(|u| u > now_ms));
        self.note.take_if(|(_, until)| *until <= now_ms);
        before != (self.toasts.len(), self.note.is_some())
    }

    /// Takes away what begins like this: it is no longer so.
    pub(crate) fn outdate(&mut self, beginning: &str) {
        self.toasts.retain(|t| !t.text.starts_with(beginning));
    }

    /// Dismisses the newest toast; tells whether there was one.
    pub(crate) fn dismiss(&mut self) -> bool {
        self.toasts.pop().is_some()
    }

    /// Gives the toasts, newest last.
    pub(crate) fn toasts(&self) -> &[Toast] {
        &self.toasts
    }

    /// Gives the note for the status bar.
    pub(crate) fn note(&self) -> Option<&str> {
        self.note.as_ref().map(|(text, _)| text.as_str())
    }

    /// Gives the next time at which something expires.
    pub(crate) fn deadline(&self) -> Option<i64> {
        let toasts = self.toasts.iter().filter_map(|t| t.until_ms);
        toasts
            .chain(self.note.as_ref().map(|(_, until)| *until))
            .min()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_worked_out_is_no_longer_said_to_have_failed() {
        let mut notices = Notices::default();
        notices.add(Level::Error, "merge ann failed: held", 0);
        notices.add(Level::Error, "merge anna failed: held", 0);
        notices.outdate("merge ann failed: ");
        let left: Vec<&str> = notices.toasts().iter().map(|t| t.text.as_str()).collect();
        assert_eq!(left, ["merge anna failed: held"]);
    }

    #[test]
    fn a_repeat_counts_instead_of_stacking() {
        let mut notices = Notices::default();
        notices.add(Level::Warn, "builder-db stalled", 0);
        notices.add(Level::Warn, "builder-db stalled", 5_000);
        assert_eq!(notices.toasts().len(), 1);
        assert_eq!(notices.toasts()[0].count, 2);
        assert!(!notices.expire(10_999));
        assert!(notices.expire(11_000));
    }

    #[test]
    fn what_waits_for_a_person_outlives_what_does_not() {
        let mut notices = Notices::default();
        notices.add(Level::Act, "answer me", 0);
        for n in 0..5 {
            notices.add(Level::Warn, &format!("warning {n}"), 0);
        }
        assert_eq!(notices.toasts().len(), 3);
        assert_eq!(notices.toasts()[0].level, Level::Act);
        assert_eq!(notices.pushed_out, 3);
        notices.expire(1 << 40);
        assert_eq!(notices.toasts().len(), 1);
        assert!(notices.deadline().is_none() && notices.dismiss() && !notices.dismiss());
    }
}
