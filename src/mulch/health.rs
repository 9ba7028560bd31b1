//! How the stored expertise is: domains near their limit, records past their time, and what is wrong
//! with the files. Looks and counts; changes nothing.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde_json::Value;

use super::error::MulchError;
use super::record::{CLASSIFICATIONS, Record, kind};
use super::settings::Settings;
use super::store::Mulch;
use crate::platform::fs;
use crate::types::Timestamp;

const DAY_MS: i64 = 86_400_000;

/// A domain that has as many records as its project warns about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NearLimit {
    /// Its name.
    pub domain: String,
    /// How many it has.
    pub records: usize,
    /// From how many on it is near.
    pub warn_at: usize,
}

/// What was found.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Health {
    /// Domains near their limit, in the order of the configuration.
    pub near_limit: Vec<NearLimit>,
    /// Records that `ml prune` would take away.
    pub stale: usize,
    /// Kinds of damage.
    pub issues: usize,
    /// Kinds of things to look at.
    pub warnings: usize,
}

/// One domain, read line by line.
struct Domain {
    name: String,
    there: bool,
    /// Lines that are no JSON.
    unreadable: usize,
    /// Lines that are JSON, but no record.
    no_records: usize,
    records: Vec<Record>,
}

/// Looks at everything stored for the project at `root`.
pub fn health(mulch: &Mulch, root: &Path, now: Timestamp) -> Result<Health, MulchError> {
    let settings = mulch.settings()?;
    let mut domains = Vec::new();
    for name in settings.domains() {
        let content = fs::read_bytes_optional(&mulch.file(&name)?)?;
        domains.push(Domain::parse(name, content.as_deref()));
    }
    let strays = stray_files(mulch, &settings)?;
    Ok(judge(&domains, &settings, strays, now, &|path| {
        root.join(path).exists()
    }))
}

/// Files of records that the configuration does not know.
fn stray_files(mulch: &Mulch, settings: &Settings) -> Result<usize, MulchError> {
    let known = settings.domains();
    let known: Result<BTreeSet<_>, _> = known.iter().map(|d| mulch.file(d)).collect();
    let known = known?;
    let files = fs::list_dir(&mulch.expertise_dir()?)?;
    let strays = files
        .iter()
        .filter(|path| path.extension().is_some_and(|e| e == "jsonl") && !known.contains(*path));
    Ok(strays.count())
}

impl Domain {
    fn parse(name: String, content: Option<&[u8]>) -> Self {
        let mut domain = Self {
            name,
            there: content.is_some(),
            unreadable: 0,
            no_records: 0,
            records: Vec::new(),
        };
        let lines = content.unwrap_or_default().split(|byte| *byte == b'\n');
        for line in lines.filter(|line| !line.trim_ascii().is_empty()) {
            match crate::text::read_json::<Value>(line) {
                Err(_) => domain.unreadable += 1,
                Ok(value) => match Record::of_value(value) {
                    Some(record) => domain.records.push(record),
                    None => domain.no_records += 1,
                },
            }
        }
        domain
    }

    fn any(&self, is: impl Fn(&Record) -> bool) -> bool {
        self.records.iter().any(is)
    }
}

fn judge(
    domains: &[Domain],
    settings: &Settings,
    strays: usize,
    now: Timestamp,
    exists: &dyn Fn(&str) -> bool,
) -> Health {
    let any = |is: &dyn Fn(&Domain) -> bool| usize::from(domains.iter().any(is));
    let governance = |name: &str| settings.governance(name);
    let known = |record: &Record| {
        kind(record.kind_name()).is_some() || settings.has_custom_type(record.kind_name())
    };
    let is_stale = |record: &Record| is_stale(record, settings, now);
    let (warn_at, most) = (governance("warn_entries"), governance("hard_limit"));
    let superseded = superseded(domains);
    let count = |is: &dyn Fn(&Record) -> bool| -> usize {
        let records = domains.iter().flat_map(|d| &d.records);
        records.filter(|r| is(r)).count()
    };
    let full = any(&|d| d.records.len() >= most);
    let issues = [
        any(&|d| d.unreadable > 0),
        any(&|d| d.no_records > 0 || d.any(|r| known(r) && !is_complete(r))),
        any(&|d| d.any(|r| !known(r))),
        any(&|d| d.any(|r| !keeps_rules(r, &d.name, settings))),
        full,
    ];
    let crowded = any(&|d| d.records.len() >= governance("max_entries"));
    let warnings = [
        any(&|d| d.any(is_stale)),
        any(&|d| {
            d.any(|r| {
                r.fields().contains_key("outcome")
                    && r.outcomes().len() == 1
                    && !r.fields().contains_key("outcomes")
            })
        }),
        usize::from(strays > 0 || domains.iter().any(|d| !d.there)),
        any(&has_duplicates),
        any(&|d| d.any(|r| anchors(r).iter().any(|path| !exists(path)))),
        crowded.saturating_sub(full),
    ];
    Health {
        near_limit: domains
            .iter()
            .filter(|d| d.records.len() >= warn_at)
            .map(|d| NearLimit {
                domain: d.name.clone(),
                records: d.records.len(),
                warn_at,
            })
            .collect(),
        // A record that was replaced goes when it has no lower rank to fall to.
        stale: count(&|r| {
            let lowest = r.classification() == "observational";
            is_stale(r) || (lowest && superseded.contains(r.id()))
        }),
        issues: issues.iter().sum(),
        warnings: warnings.iter().sum(),
    }
}

/// Whether a record has outlived its time; one whose time cannot be read has not.
fn is_stale(record: &Record, settings: &Settings, now: Timestamp) -> bool {
    let Some(days) = settings.shelf_life(record.classification()) else {
        return false;
    };
    let recorded = Timestamp::parse(record.text("recorded_at"));
    recorded.is_some_and(|at| ((now.0 - at.0).div_euclid(DAY_MS)) as f64 > days)
}

fn is_complete(record: &Record) -> bool {
    let required = kind(record.kind_name()).map_or(&[][..], |kind| kind.required);
    let said = |field: &str| record.fields().get(field).is_some_and(Value::is_string);
    required.iter().all(|field| said(field))
        && said("recorded_at")
        && CLASSIFICATIONS.contains(&record.classification())
}

fn keeps_rules(record: &Record, domain: &str, settings: &Settings) -> bool {
    let allowed = settings.allowed_types(domain);
    let has = |field: &String| match record.fields().get(field) {
        Some(Value::String(text)) => !text.is_empty(),
        Some(Value::Array(items)) => !items.is_empty(),
        Some(value) => !value.is_null(),
        None => false,
    };
    (allowed.is_empty() || allowed.iter().any(|kind| kind == record.kind_name()))
        && settings.required_fields(domain).iter().all(has)
}

fn has_duplicates(domain: &Domain) -> bool {
    let mut seen = BTreeSet::new();
    domain
        .records
        .iter()
        .filter(|r| kind(r.kind_name()).is_some())
        .any(|r| !seen.insert((r.kind_name(), r.summary())))
}

/// The files and folders that a record speaks of.
fn anchors(record: &Record) -> Vec<&str> {
    let mut paths = record.list("files");
    paths.extend(record.list("dir_anchors"));
    let evidence = record.fields().get("evidence");
    paths.extend(evidence.and_then(|e| e.get("file")?.as_str()));
    paths
}

/// Ids of records that others replace. Those that replace each other in a circle are none.
fn superseded(domains: &[Domain]) -> BTreeSet<&str> {
    let mut replaces: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for record in domains.iter().flat_map(|d| &d.records) {
        let mut old = record.list("supersedes");
        old.retain(|id| *id != record.id());
        if !record.id().is_empty() {
            replaces.entry(record.id()).or_default().extend(old);
        }
    }
    let in_circle = |id: &str| {
        let mut seen = BTreeSet::new();
        let mut open: Vec<&str> = replaces.get(id).cloned().unwrap_or_default();
        while let Some(next) = open.pop() {
            if next == id {
                return true;
            }
            if seen.insert(next) {
                open.extend(replaces.get(next).into_iter().flatten());
            }
        }
        false
    };
    let old: BTreeSet<&str> = replaces.values().flatten().copied().collect();
    old.into_iter().filter(|id| !in_circle(id)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const NOW: Timestamp = Timestamp(1_772_366_400_000);

    fn record(text: &str, classification: &str, days: i64) -> Value {
        json!({"type": "convention", "content": text, "classification": classification,
            "id": format!("mx-{text}"), "recorded_at": Timestamp(NOW.0 - days * DAY_MS).iso()})
    }

    fn with(mut value: Value, field: &str, more: Value) -> Value {
        value.as_object_mut().unwrap().insert(field.into(), more);
        value
    }

    fn look(config: &str, lines: &[Value]) -> Health {
        let text: Vec<String> = lines.iter().map(ToString::to_string).collect();
        look_at(config, &text.join("\n"))
    }

    fn look_at(config: &str, text: &str) -> Health {
        let settings = Settings::parse(config).unwrap();
        let domain = Domain::parse("d".into(), Some(text.as_bytes()));
        judge(&[domain], &settings, 0, NOW, &|path| path == "there.rs")
    }

    #[test]
    fn each_kind_of_damage_counts_once() {
        let good = record("a", "tactical", 1);
        let table: [(&str, Vec<Value>, (usize, usize)); 9] = [
            ("", vec![good.clone()], (0, 0)),
            ("", vec![json!(1), json!({"no": "type"})], (1, 0)),
            ("", vec![record("a", "eternal", 1)], (1, 0)),
            (
                "",
                vec![json!({"type": "vision"}), json!({"type": "idea"})],
                (1, 0),
            ),
            (
                "custom_types: {vision: {}}",
                vec![json!({"type": "vision",
                "recorded_at": "x", "classification": "tactical"})],
                (0, 0),
            ),
            (
                "domains: {d: {allowed_types: [guide]}}",
                vec![good.clone()],
                (1, 0),
            ),
            ("", vec![good.clone(), good.clone()], (0, 1)),
            (
                "",
                vec![with(good.clone(), "files", json!(["there.rs", "gone.rs"]))],
                (0, 1),
            ),
            (
                "",
                vec![with(good.clone(), "outcome", json!({"status": "success"}))],
                (0, 1),
            ),
        ];
        for (config, lines, expected) in table {
            let found = look(config, &lines);
            assert_eq!((found.issues, found.warnings), expected, "{lines:?}");
        }
        assert_eq!(look_at("", "{\n[").issues, 1);
    }

    #[test]
    fn records_outlive_their_time_by_rank() {
        let lines = [
            record("a", "tactical", 14),
            record("b", "tactical", 15),
            record("c", "observational", 31),
            record("d", "foundational", 4000),
        ];
        let found = look("", &lines);
        assert_eq!((found.stale, found.warnings), (2, 1));
        let longer = "classification_defaults: {shelf_life: {tactical: 60, observational: 60}}";
        assert_eq!(look(longer, &lines).stale, 0);
    }

    #[test]
    fn what_was_replaced_goes_when_it_cannot_fall_lower() {
        let new = with(
            record("new", "tactical", 1),
            "supersedes",
            json!(["mx-old", "mx-kept"]),
        );
        let old = record("old", "observational", 1);
        let lines = [new, old.clone(), record("kept", "foundational", 1)];
        assert_eq!(look("", &lines).stale, 1);
        let circle = [
            with(
                record("new", "observational", 1),
                "supersedes",
                json!(["mx-old"]),
            ),
            with(old, "supersedes", json!(["mx-new"])),
        ];
        assert_eq!(look("", &circle).stale, 0);
    }

    #[test]
    fn a_domain_is_near_its_limit_when_the_project_warns() {
        let lines: Vec<Value> = (0..4)
            .map(|n| record(&n.to_string(), "tactical", 1))
            .collect();
        let config = "governance: {max_entries: 2, warn_entries: 4, hard_limit: 5}";
        let found = look(config, &lines);
        let near = NearLimit {
            domain: "d".into(),
            records: 4,
            warn_at: 4,
        };
        assert_eq!(
            (found.near_limit, found.issues, found.warnings),
            (vec![near], 0, 1)
        );
        assert!(look("", &lines).near_limit.is_empty());
        let full = look("governance: {hard_limit: 4}", &lines);
        assert_eq!((full.issues, full.warnings), (1, 0));
    }
}
