//! One record as it is stored. Fields and types that grove does not know stay as they are.

use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

use super::error::MulchError;
use crate::text::JsonLine;

/// A type of record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Kind {
    /// Its name.
    pub name: &'static str,
    /// Title of its section.
    pub title: &'static str,
    /// What it has to say, the field that makes it what it is first.
    pub required: &'static [&'static str],
    /// Whether it names files.
    pub has_files: bool,
    /// Whether a second record of the same name takes the place of the first.
    pub is_named: bool,
}

/// The types, in the order of their sections.
pub const KINDS: &[Kind] = &[
    Kind {
        name: "convention",
        title: "Conventions",
        required: &["content"],
        has_files: false,
        is_named: false,
    },
    Kind {
        name: "pattern",
        title: "Patterns",
        required: &["name", "description"],
        has_files: true,
        is_named: true,
    },
    Kind {
        name: "failure",
        title: "Known Failures",
        required: &["description", "resolution"],
        has_files: false,
        is_named: false,
    },
    Kind {
        name: "decision",
        title: "Decisions",
        required: &["title", "rationale"],
        has_files: false,
        is_named: true,
    },
    Kind {
        name: "reference",
        title: "References",
        required: &["name", "description"],
        has_files: true,
        is_named: true,
    },
    Kind {
        name: "guide",
        title: "Guides",
        required: &["name", "description"],
        has_files: false,
        is_named: true,
    },
];

/// How long a record is meant to hold.
pub const CLASSIFICATIONS: &[&str] = &["foundational", "tactical", "observational"];

/// The type of that name.
pub fn kind(name: &str) -> Option<&'static Kind> {
    KINDS.iter().find(|kind| kind.name == name)
}

/// A stored record.
#[derive(Debug, Clone, PartialEq)]
pub struct Record(Map<String, Value>);

impl Record {
    /// The record in a line of the file; `None` for a line that is none.
    pub(super) fn of_line(line: &JsonLine) -> Option<Self> {
        line.text_of("type")?;
        line.object().cloned().map(Self)
    }

    /// The record in a line that was read as JSON.
    pub(super) fn of_value(value: Value) -> Option<Self> {
        match value {
            Value::Object(fields) if fields.get("type").is_some_and(Value::is_string) => {
                Some(Self(fields))
            }
            Value::Object(_)
            | Value::Null
            | Value::Bool(_)
            | Value::Number(_)
            | Value::String(_)
            | Value::Array(_) => None,
        }
    }

    #[cfg(test)]
    pub(super) fn of_json(value: &Value) -> Self {
        Self(value.as_object().unwrap().clone())
    }

    /// All fields, in their order.
    pub fn fields(&self) -> &Map<String, Value> {
        &self.0
    }

    pub(super) fn into_fields(self) -> Map<String, Value> {
        self.0
    }

    /// A text field; empty when there is none.
    pub fn text(&self, field: &str) -> &str {
        self.0.get(field).and_then(Value::as_str).unwrap_or("")
    }

    /// The id; empty for records of old programs.
    pub fn id(&self) -> &str {
        self.text("id")
    }

    /// The name of its type.
    pub fn kind_name(&self) -> &str {
        self.text("type")
    }

    /// How long it is meant to hold.
    pub fn classification(&self) -> &str {
        self.text("classification")
    }

    /// A list of texts; empty when there is none.
    pub fn list(&self, field: &str) -> Vec<&str> {
        self.0
            .get(field)
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .collect()
    }

    /// What came of using it. Records of old programs have a single one.
    pub fn outcomes(&self) -> Vec<&Value> {
        match (self.0.get("outcomes"), self.0.get("outcome")) {
            (Some(Value::Array(all)), _) => all.iter().collect(),
            (_, Some(one @ Value::Object(_))) => vec![one],
            (_, _) => Vec::new(),
        }
    }

    /// Number of confirmations; half a one for a partial success.
    pub fn score(&self) -> f64 {
        let worth = |outcome: &&Value| match outcome.get("status").and_then(Value::as_str) {
            Some("success") => 1.0,
            Some("partial") => 0.5,
            Some(_) | None => 0.0,
        };
        self.outcomes().iter().map(worth).sum()
    }

    /// What it is about, in one line.
    pub fn summary(&self) -> &str {
        let first = kind(self.kind_name()).and_then(|kind| kind.required.first());
        match first {
            Some(field) => self.text(field),
            None => ["name", "title", "content", "description"]
                .into_iter()
                .map(|field| self.text(field))
                .find(|text| !text.is_empty())
                .unwrap_or(""),
        }
    }

    pub(super) fn add_outcomes(&mut self, more: impl IntoIterator<Item = Map<String, Value>>) {
        let mut all: Vec<Value> = self.outcomes().into_iter().cloned().collect();
        all.extend(more.into_iter().map(Value::Object));
        self.0.shift_remove("outcome");
        if !all.is_empty() {
            self.0.insert("outcomes".into(), all.into());
        }
    }

    /// Gives it the id that its content has, where it has none.
    pub(super) fn with_id(mut self) -> Self {
        if self.id().is_empty() {
            let id = content_id(self.kind_name(), self.summary());
            self.0.insert("id".into(), id.into());
        }
        self
    }

    /// Whether both say the same thing, in the sense that one is enough.
    pub(super) fn is_duplicate_of(&self, other: &Self) -> bool {
        kind(self.kind_name()).is_some()
            && self.kind_name() == other.kind_name()
            && self.summary() == other.summary()
    }
}

/// The id of what a record says: the same content has the same id everywhere.
fn content_id(kind: &str, key: &str) -> String {
    let digest = Sha256::digest(format!("{kind}:{key}").as_bytes());
    let hex: String = digest.iter().take(3).map(|b| format!("{b:02x}")).collect();
    format!("mx-{hex}")
}

/// A record to be made.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct NewRecord {
    /// Name of its type.
    pub kind: String,
    /// How long it is meant to hold; `tactical` when not said.
    pub classification: Option<String>,
    /// Its text fields: name and value.
    pub texts: Vec<(String, String)>,
    /// Files it is about.
    pub files: Vec<String>,
    /// Tags.
    pub tags: Vec<String>,
    /// Where it comes from: `commit`, `issue`, `seeds`, `bead` … and a value.
    pub evidence: Vec<(String, String)>,
    /// Ids of records it belongs with.
    pub relates_to: Vec<String>,
    /// Ids of records it replaces.
    pub supersedes: Vec<String>,
    /// What has come of it already.
    pub outcomes: Vec<super::NewOutcome>,
}

impl NewRecord {
    /// A record of a type.
    pub fn new(kind: &str) -> Self {
        Self {
            kind: kind.to_owned(),
            ..Self::default()
        }
    }

    /// With a text field.
    #[must_use]
    pub fn text(mut self, field: &str, value: impl Into<String>) -> Self {
        self.texts.push((field.to_owned(), value.into()));
        self
    }

    fn value(&self, field: &str) -> Option<&str> {
        let given = self.texts.iter().find(|(name, _)| name == field);
        given
            .map(|(_, v)| v.as_str())
            .filter(|v| !v.trim().is_empty())
    }

    /// Checks it and puts it into the stored shape.
    pub(super) fn build(&self, now: &str) -> Result<Record, MulchError> {
        let Some(kind) = kind(&self.kind) else {
            let names: Vec<&str> = KINDS.iter().map(|kind| kind.name).collect();
            return Err(invalid("type", &self.kind, &names));
        };
        let classification = self.classification.as_deref().unwrap_or("tactical");
        if !CLASSIFICATIONS.contains(&classification) {
            return Err(invalid("classification", classification, CLASSIFICATIONS));
        }
        let missing: Vec<String> = kind
            .required
            .iter()
            .filter(|field| self.value(field).is_none())
            .map(|field| format!("--{field}"))
            .collect();
        if !missing.is_empty() {
            return Err(MulchError::Incomplete {
                kind: self.kind.clone(),
                missing,
            });
        }
        for link in self.relates_to.iter().chain(&self.supersedes) {
            check_link(link)?;
        }
        let mut fields: Map<String, Value> = Map::new();
        let mut set = |name: &str, value: Value| fields.insert(name.to_owned(), value);
        set("type", kind.name.into());
        set("classification", classification.into());
        set("recorded_at", now.into());
        if !self.evidence.is_empty() {
            let pairs = self.evidence.iter();
            let map: Map<String, Value> =
                pairs.map(|(k, v)| (k.clone(), v.clone().into())).collect();
            set("evidence", map.into());
        }
        let lists = [
            ("tags", &self.tags),
            ("relates_to", &self.relates_to),
            ("supersedes", &self.supersedes),
        ];
        for (name, items) in lists {
            if !items.is_empty() {
                set(name, items.clone().into());
            }
        }
        if !self.outcomes.is_empty() {
            let all = self.outcomes.iter().map(|o| Value::Object(o.fields(now)));
            set("outcomes", all.collect::<Vec<_>>().into());
        }
        for field in kind.required {
            set(field, self.value(field).unwrap_or_default().into());
        }
        if kind.has_files && !self.files.is_empty() {
            set("files", self.files.clone().into());
        }
        Ok(Record(fields).with_id())
    }
}

fn invalid(what: &'static str, value: &str, valid: &[&str]) -> MulchError {
    MulchError::Invalid {
        what,
        value: value.to_owned(),
        valid: valid.join(", "),
    }
}

/// `mx-1a2b3c`, or one of another domain: `cli:mx-1a2b3c`.
fn check_link(link: &str) -> Result<(), MulchError> {
    let id = link.rsplit_once(':').map_or(link, |(_, id)| id);
    let good = id.strip_prefix("mx-").is_some_and(|hex| {
        (4..=8).contains(&hex.len())
            && hex
                .chars()
                .all(|c| c.is_ascii_digit() || ('a'..='f').contains(&c))
    });
    if good {
        Ok(())
    } else {
        Err(invalid(
            "record id",
            link,
            &["mx-1a2b3c", "domain:mx-1a2b3c"],
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_new_record_has_the_fields_in_their_order() {
        let mut new = NewRecord::new("pattern")
            .text("description", "d")
            .text("name", "n");
        new.tags = vec!["t".into()];
        new.files = vec!["a.rs".into()];
        new.evidence = vec![("commit".into(), "abc".into())];
        let line = JsonLine::new(new.build("T").unwrap().into_fields());
        assert_eq!(
            String::from_utf8(crate::text::print_jsonl(&[line])).unwrap(),
            "{\"type\":\"pattern\",\"classification\":\"tactical\",\"recorded_at\":\"T\",\
             \"evidence\":{\"commit\":\"abc\"},\"tags\":[\"t\"],\"name\":\"n\",\"description\":\"d\",\
             \"files\":[\"a.rs\"],\"id\":\"mx-2d9db4\"}\n"
                .replace("mx-2d9db4", &content_id("pattern", "n"))
        );
    }

    #[test]
    fn what_is_missing_is_named_as_an_option() {
        let error = NewRecord::new("failure")
            .text("description", " ")
            .build("T");
        assert_eq!(
            error.unwrap_err().to_string(),
            "a failure needs --description and --resolution"
        );
        assert!(NewRecord::new("idea").build("T").is_err());
        let mut linked = NewRecord::new("convention").text("content", "c");
        linked.relates_to = vec!["mx-xyz".into()];
        assert!(linked.build("T").is_err());
        linked.relates_to = vec!["cli:mx-1a2b3c".into()];
        assert!(linked.build("T").is_ok());
    }

    #[test]
    fn an_outcome_of_an_old_program_is_kept_beside_new_ones() {
        let mut record =
            Record::of_json(&json!({"type": "guide", "outcome": {"status": "success"}}));
        let new = super::super::NewOutcome::new(super::super::OutcomeStatus::Partial);
        record.add_outcomes([new.fields("T")]);
        assert!((record.score() - 1.5).abs() < f64::EPSILON);
        assert!(!record.fields().contains_key("outcome"));
    }
}
