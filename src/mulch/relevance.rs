//! Which records matter for given files, which of them are trusted most, and which fit into a budget.
//! Pure.

use super::record::Record;
use super::settings::Settings;

/// Types in the order in which they are kept when there is no room for all.
const KEPT_FIRST: &[&str] = &[
    "convention",
    "decision",
    "pattern",
    "guide",
    "failure",
    "reference",
];
const LASTING_FIRST: &[&str] = &["foundational", "tactical", "observational"];

/// Whether a record is about any of the files. One that names no place is about all of them.
pub(super) fn concerns(record: &Record, files: &[String]) -> bool {
    let named = record.list("files");
    let folders = record.list("dir_anchors");
    if named.is_empty() && folders.is_empty() {
        return true;
    }
    names_one_of(record, files)
        || folders.iter().any(|folder| {
            let folder = folder.trim_start_matches("./").trim_end_matches('/');
            files.iter().any(|file| {
                folder.is_empty()
                    || file == folder
                    || file
                        .strip_prefix(folder)
                        .is_some_and(|rest| rest.starts_with('/'))
            })
        })
}

/// Whether a record names one of the files, as a whole or by its end.
pub(super) fn names_one_of(record: &Record, files: &[String]) -> bool {
    let named = record.list("files");
    named.iter().any(|name| {
        files
            .iter()
            .any(|file| file.ends_with(name) || name.ends_with(file.as_str()))
    })
}

/// The most trusted first: confirmed ones, then by how long they are meant to hold.
pub(super) fn by_trust(mut records: Vec<Record>, settings: &Settings) -> Vec<Record> {
    let trust =
        |r: &Record| r.score() * settings.weight("star") + settings.weight(r.classification());
    records.sort_by(|a, b| trust(b).total_cmp(&trust(a)));
    records
}

/// Keeps what fits: `cost` in tokens. The order of domains and records stays.
pub(super) fn fit(
    domains: Vec<(String, Vec<Record>)>,
    budget: usize,
    cost: &dyn Fn(&Record) -> usize,
) -> (Vec<(String, Vec<Record>)>, usize) {
    let place = |list: &[&str], name: &str| {
        list.iter()
            .position(|known| *known == name)
            .unwrap_or(list.len())
    };
    let mut all: Vec<(usize, usize, &Record)> = Vec::new();
    for (d, (_, records)) in domains.iter().enumerate() {
        all.extend(records.iter().enumerate().map(|(r, record)| (d, r, record)));
    }
    all.sort_by(|(_, _, a), (_, _, b)| {
        let key = |r: &Record| {
            (
                place(KEPT_FIRST, r.kind_name()),
                place(LASTING_FIRST, r.classification()),
            )
        };
        key(a)
            .cmp(&key(b))
            .then(b.score().total_cmp(&a.score()))
            .then_with(|| b.text("recorded_at").cmp(a.text("recorded_at")))
    });
    let mut spent = 0;
    let mut kept = std::collections::HashSet::new();
    for (d, r, record) in &all {
        let price = cost(record);
        if spent + price <= budget {
            spent += price;
            kept.insert((*d, *r));
        }
    }
    let dropped = all.len() - kept.len();
    let mut out = Vec::new();
    for (d, (name, records)) in domains.into_iter().enumerate() {
        let records: Vec<Record> = records
            .into_iter()
            .enumerate()
            .filter(|(r, _)| kept.contains(&(d, *r)))
            .map(|(_, record)| record)
            .collect();
        if !records.is_empty() {
            out.push((name, records));
        }
    }
    (out, dropped)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn about(files: &[&str], folders: &[&str]) -> Record {
        Record::of_json(
            &json!({"type": "pattern", "name": "n", "files": files, "dir_anchors": folders}),
        )
    }

    #[test]
    fn records_without_a_place_are_about_everything() {
        let files = ["src/mail/send.rs".to_owned()];
        assert!(concerns(&about(&[], &[]), &files));
        assert!(concerns(&about(&["mail/send.rs"], &[]), &files));
        assert!(concerns(&about(&[], &["./src/mail/"]), &files));
        assert!(!concerns(&about(&["src/db/x.rs"], &["src/ma"]), &files));
        assert!(!names_one_of(&about(&[], &[]), &files));
    }

    #[test]
    fn what_does_not_fit_is_counted_and_conventions_stay() {
        let record = |kind: &str, content: &str| {
            Record::of_json(
                &json!({"type": kind, "content": content, "classification": "tactical"}),
            )
        };
        let domains = vec![
            (
                "a".to_owned(),
                vec![record("failure", "x"), record("convention", "y")],
            ),
            ("b".to_owned(), vec![record("reference", "z")]),
        ];
        let (kept, dropped) = fit(domains, 1, &|_| 1);
        assert_eq!(dropped, 2);
        assert_eq!(kept.len(), 1);
        assert_eq!(kept[0].1[0].kind_name(), "convention");
    }
}
