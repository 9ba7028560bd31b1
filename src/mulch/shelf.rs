//! One domain's file in memory, and the changes to it. Pure: reads and writes text.

use super::error::MulchError;
use super::outcome::NewOutcome;
use super::record::{Record, kind};
use crate::text::{JsonLine, parse_jsonl, print_jsonl};

/// What became of a new record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
    /// It was added.
    Created,
    /// It took the place of one of the same name.
    Updated,
    /// It is there already.
    Skipped,
}

impl Action {
    /// The word for it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Created => "created",
            Self::Updated => "updated",
            Self::Skipped => "skipped",
        }
    }
}

/// The lines of a domain. Those that hold no record stay where they are.
#[derive(Debug)]
pub(super) struct Shelf {
    lines: Vec<JsonLine>,
}

impl Shelf {
    pub(super) fn parse(content: impl AsRef<[u8]>) -> Self {
        Self {
            lines: parse_jsonl(content),
        }
    }

    pub(super) fn print(&self) -> Vec<u8> {
        print_jsonl(&self.lines)
    }

    pub(super) fn records(&self) -> Vec<Record> {
        self.lines.iter().filter_map(Record::of_line).collect()
    }

    /// Adds a record; a duplicate by name takes the place of the old one and inherits its outcomes,
    /// another duplicate is left out.
    pub(super) fn put(&mut self, record: Record, force: bool) -> (Action, Record) {
        let found = self.lines.iter_mut().find_map(|line| {
            let old = Record::of_line(line)?;
            (!force && record.is_duplicate_of(&old)).then_some((line, old))
        });
        let Some((line, old)) = found else {
            self.lines.push(JsonLine::new(record.clone().into_fields()));
            return (Action::Created, record);
        };
        if !kind(record.kind_name()).is_some_and(|kind| kind.is_named) {
            return (Action::Skipped, old);
        }
        let mut merged = record;
        let own: Vec<_> = outcomes(&merged);
        let mut all = outcomes(&old);
        all.extend(own);
        let mut fields = merged.clone().into_fields();
        fields.shift_remove("outcomes");
        if !all.is_empty() {
            fields.insert("outcomes".into(), all.into());
        }
        line.replace(fields);
        if let Some(stored) = Record::of_line(line) {
            merged = stored;
        }
        (Action::Updated, merged)
    }

    /// Adds an outcome to the record with this id, or the only one whose id begins so.
    pub(super) fn add_outcome(
        &mut self,
        domain: &str,
        id: &str,
        outcome: &NewOutcome,
        now: &str,
    ) -> Result<Record, MulchError> {
        let at = self.position(domain, id)?;
        let not_found = || MulchError::NotFound {
            id: id.to_owned(),
            domain: domain.to_owned(),
        };
        let line = self.lines.get_mut(at).ok_or_else(not_found)?;
        let mut record = Record::of_line(line).ok_or_else(not_found)?;
        record.add_outcomes([outcome.fields(now)]);
        let record = record.with_id();
        line.replace(record.clone().into_fields());
        Ok(record)
    }

    pub(super) fn get(&self, domain: &str, id: &str) -> Result<Record, MulchError> {
        let at = self.position(domain, id)?;
        self.lines
            .get(at)
            .and_then(Record::of_line)
            .ok_or_else(|| MulchError::NotFound {
                id: id.to_owned(),
                domain: domain.to_owned(),
            })
    }

    fn position(&self, domain: &str, id: &str) -> Result<usize, MulchError> {
        let wanted = format!("mx-{}", id.strip_prefix("mx-").unwrap_or(id));
        let id_of = |line: &JsonLine| Record::of_line(line).map(|r| r.id().to_owned());
        let begins: Vec<(usize, String)> = self
            .lines
            .iter()
            .enumerate()
            .filter_map(|(at, line)| Some((at, id_of(line)?)))
            .filter(|(_, id)| id.starts_with(&wanted))
            .collect();
        let exact = begins.iter().find(|(_, id)| *id == wanted);
        match (exact, begins.as_slice()) {
            (Some((at, _)), _) | (None, [(at, _)]) => Ok(*at),
            (None, []) => Err(MulchError::NotFound {
                id: id.to_owned(),
                domain: domain.to_owned(),
            }),
            (None, several) => Err(MulchError::Ambiguous {
                id: id.to_owned(),
                candidates: several.iter().map(|(_, id)| id.clone()).collect(),
            }),
        }
    }
}

fn outcomes(record: &Record) -> Vec<serde_json::Value> {
    record.outcomes().into_iter().cloned().collect()
}

#[cfg(test)]
mod tests {
    use super::super::outcome::OutcomeStatus;
    use super::super::record::NewRecord;
    use super::*;
    use proptest::prelude::*;

    fn pattern(name: &str, description: &str) -> Record {
        let new = NewRecord::new("pattern")
            .text("name", name)
            .text("description", description);
        new.build("T").unwrap()
    }

    fn convention(content: &str) -> Record {
        NewRecord::new("convention")
            .text("content", content)
            .build("T")
            .unwrap()
    }

    #[test]
    fn a_name_is_recorded_once_and_keeps_its_confirmations() {
        let mut shelf = Shelf::parse("");
        let (action, first) = shelf.put(pattern("n", "old"), false);
        assert_eq!(action, Action::Created);
        let success = NewOutcome::new(OutcomeStatus::Success);
        shelf.add_outcome("d", first.id(), &success, "T").unwrap();
        let (action, now) = shelf.put(pattern("n", "new"), false);
        assert_eq!(action, Action::Updated);
        assert_eq!(now.text("description"), "new");
        assert!((now.score() - 1.0).abs() < f64::EPSILON);
        assert_eq!(shelf.records().len(), 1);
        assert_eq!(shelf.put(pattern("n", "x"), true).0, Action::Created);
    }

    #[test]
    fn the_same_sentence_is_recorded_once() {
        let mut shelf = Shelf::parse("");
        shelf.put(convention("c"), false);
        let before = shelf.print();
        assert_eq!(shelf.put(convention("c"), false).0, Action::Skipped);
        assert_eq!(shelf.print(), before);
    }

    #[test]
    fn an_id_may_be_shortened_while_it_is_unique() {
        let text = "# a remark\n{\"type\":\"guide\",\"id\":\"mx-aabbcc\"}\n{\"type\":\"guide\",\"id\":\"mx-aabbdd\"}\n";
        let shelf = Shelf::parse(text);
        assert_eq!(shelf.get("d", "aabbd").unwrap().id(), "mx-aabbdd");
        assert!(matches!(
            shelf.get("d", "mx-aa"),
            Err(MulchError::Ambiguous { .. })
        ));
        assert!(matches!(
            shelf.get("d", "ff"),
            Err(MulchError::NotFound { .. })
        ));
        assert_eq!(shelf.print(), text.as_bytes());
    }

    proptest! {
        #[test]
        fn other_lines_and_unknown_fields_survive(
            other in "[^\\r\\n\\u{feff}]{0,20}",
            name in ".{1,8}",
            value in any::<i64>(),
        ) {
            let mut fields = pattern("n", "d").into_fields();
            fields.insert(format!("x{name}"), value.into());
            let line = JsonLine::new(fields.clone());
            let line = String::from_utf8(print_jsonl(&[line])).unwrap();
            let text = format!("{other}\n{line}");
            let mut shelf = Shelf::parse(&text);
            let outcome = NewOutcome::new(OutcomeStatus::Failure);
            let id = fields["id"].as_str().unwrap();
            let after = shelf.add_outcome("d", id, &outcome, "T").unwrap();
            for (name, value) in &fields {
                prop_assert_eq!(&after.fields()[name], value);
            }
            if !other.trim().is_empty() {
                prop_assert!(shelf.print().starts_with(other.trim().as_bytes()));
            }
        }
    }
}
