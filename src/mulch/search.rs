//! Finding records by words: BM25 over what records say, raised by what came of using them. Pure.

use std::collections::{HashMap, HashSet};

use serde_json::Value;

use super::record::{Record, kind};

/// How soon more of the same word stops counting.
const K1: f64 = 1.5;
/// How much long records are held back.
const B: f64 = 0.75;

/// Which records are looked at; what is `None` does not matter.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Filter {
    /// Only of this type.
    pub kind: Option<String>,
    /// Only with this tag.
    pub tag: Option<String>,
    /// Only of this classification.
    pub classification: Option<String>,
    /// Only about a file whose path contains this.
    pub file: Option<String>,
}

impl Filter {
    /// Whether a record passes.
    pub fn takes(&self, record: &Record) -> bool {
        let is = |wanted: &Option<String>, found: &str| {
            wanted.as_deref().is_none_or(|wanted| wanted == found)
        };
        let has = |wanted: &Option<String>, field: &str, same: &dyn Fn(&str, &str) -> bool| {
            wanted.as_deref().is_none_or(|wanted| {
                let wanted = wanted.to_lowercase();
                let mut items = record.list(field).into_iter();
                items.any(|item| same(&item.to_lowercase(), &wanted))
            })
        };
        is(&self.kind, record.kind_name())
            && is(&self.classification, record.classification())
            && has(&self.tag, "tags", &|tag, wanted| tag == wanted)
            && has(&self.file, "files", &|file, wanted| file.contains(wanted))
    }
}

/// The records that have any of the words, the best first.
pub(super) fn search(records: Vec<Record>, query: &str, boost: f64) -> Vec<Record> {
    let wanted = words(query);
    let documents: Vec<Vec<String>> = records.iter().map(|r| words(&said(r))).collect();
    let total: usize = documents.iter().map(Vec::len).sum();
    let average = total as f64 / records.len().max(1) as f64;
    let rarity = rarity(&documents);
    let mut found: Vec<(f64, Record)> = records
        .into_iter()
        .zip(&documents)
        .map(|(record, document)| {
            let score = score(&wanted, document, average, &rarity);
            (score * (1.0 + boost * record.score()), record)
        })
        .filter(|(score, _)| *score > 0.0)
        .collect();
    found.sort_by(|(a, _), (b, _)| b.total_cmp(a));
    found.into_iter().map(|(_, record)| record).collect()
}

fn score(wanted: &[String], document: &[String], average: f64, rarity: &HashMap<&str, f64>) -> f64 {
    let length = document.len() as f64 / average.max(f64::MIN_POSITIVE);
    let one = |word: &String| {
        let count = document.iter().filter(|w| *w == word).count() as f64;
        let rare = rarity.get(word.as_str()).copied().unwrap_or(0.0);
        rare * count * (K1 + 1.0) / (count + K1 * (1.0 - B + B * length))
    };
    wanted.iter().map(one).sum()
}

/// A word counts the more the fewer records have it.
fn rarity(documents: &[Vec<String>]) -> HashMap<&str, f64> {
    let mut records: HashMap<&str, f64> = HashMap::new();
    for document in documents {
        let different: HashSet<&str> = document.iter().map(String::as_str).collect();
        for word in different {
            *records.entry(word).or_default() += 1.0;
        }
    }
    let all = documents.len() as f64;
    for n in records.values_mut() {
        *n = ((all - *n + 0.5) / (*n + 0.5) + 1.0).ln();
    }
    records
}

/// What a record says: the texts of its type, its files and its tags.
fn said(record: &Record) -> String {
    let mut parts: Vec<&str> = Vec::new();
    match kind(record.kind_name()) {
        Some(kind) => {
            parts.extend(kind.required.iter().map(|field| record.text(field)));
            if kind.has_files {
                parts.extend(record.list("files"));
            }
        }
        // A project's own type: everything but what every record has.
        None => {
            const EVERY: &[&str] = &[
                "id",
                "type",
                "classification",
                "recorded_at",
                "owner",
                "status",
            ];
            let texts = record.fields().iter();
            parts.extend(
                texts
                    .filter(|(name, _)| !EVERY.contains(&name.as_str()))
                    .filter_map(|(_, value)| Value::as_str(value)),
            );
        }
    }
    parts.extend(record.list("tags"));
    parts.join(" ")
}

fn words(text: &str) -> Vec<String> {
    let in_word = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
    text.to_lowercase()
        .split(|c| !in_word(c))
        .filter(|word| !word.is_empty())
        .map(str::to_owned)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn record(id: &str, content: &str, successes: usize) -> Record {
        let outcomes: Vec<Value> = (0..successes)
            .map(|_| json!({"status": "success"}))
            .collect();
        Record::of_json(&json!({"type": "convention", "id": id, "content": content,
            "tags": ["Safety"], "outcomes": outcomes}))
    }

    fn found(records: Vec<Record>, query: &str) -> Vec<String> {
        let found = search(records, query, 0.1);
        found.iter().map(|r| r.id().to_owned()).collect()
    }

    #[test]
    fn rare_words_and_short_records_come_first() {
        let records = vec![
            record(
                "long",
                "lock the file before you write the file and then write it again",
                0,
            ),
            record("other", "names are short", 0),
            record("short", "Lock: file-level, LOCK_FILE", 0),
        ];
        assert_eq!(found(records.clone(), "lock"), ["short", "long"]);
        assert_eq!(found(records.clone(), "file-level"), ["short"]);
        assert_eq!(found(records.clone(), "safety").len(), 3);
        assert!(found(records.clone(), "nothing").is_empty());
        assert!(found(records, " ,.").is_empty());
        assert!(found(Vec::new(), "x").is_empty());
    }

    #[test]
    fn confirmed_records_rise() {
        let records = vec![record("a", "same words", 0), record("b", "same words", 2)];
        assert_eq!(found(records, "words"), ["b", "a"]);
    }

    #[test]
    fn words_of_every_script_are_found() {
        let records = vec![
            record("de", "Prüfe Größen", 0),
            record("ru", "имя файла", 0),
        ];
        assert_eq!(found(records.clone(), "größen"), ["de"]);
        assert_eq!(found(records, "файла"), ["ru"]);
    }

    #[test]
    fn filters_narrow() {
        let record = Record::of_json(&json!({"type": "pattern", "name": "n", "tags": ["A"],
            "classification": "tactical", "files": ["src/Lock.rs"]}));
        let filter = |f: fn(&mut Filter)| {
            let mut filter = Filter::default();
            f(&mut filter);
            filter.takes(&record)
        };
        assert!(filter(|_| {}));
        assert!(filter(|f| f.tag = Some("a".into())));
        assert!(filter(|f| f.file = Some("lock".into())));
        assert!(!filter(|f| f.kind = Some("guide".into())));
        assert!(!filter(|f| f.classification = Some("foundational".into())));
    }
}
