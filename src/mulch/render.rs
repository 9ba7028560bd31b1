//! Records as text for models: Markdown, XML or JSON. Pure.

use std::fmt::Write as _;

use serde_json::json;

use super::record::{KINDS, Record, kind};
use crate::text::{counted, to_compact_json};

type Domains = [(String, Vec<Record>)];

/// Markdown; domains are headings of the given level.
pub(super) fn markdown(domains: &Domains, level: usize) -> String {
    let heading = "#".repeat(level);
    let sections: Vec<String> = domains
        .iter()
        .map(|(domain, records)| {
            let count = counted(records.len() as u64, "record");
            let mut out = format!("{heading} {domain} ({count})\n");
            for kind in KINDS {
                let of_kind: Vec<&Record> = records
                    .iter()
                    .filter(|r| r.kind_name() == kind.name)
                    .collect();
                push_group(&mut out, level, kind.title, &of_kind);
            }
            let others: Vec<&Record> = records
                .iter()
                .filter(|r| kind(r.kind_name()).is_none())
                .collect();
            push_group(&mut out, level, "Others", &others);
            out
        })
        .collect();
    sections.join("\n")
}

fn push_group(out: &mut String, level: usize, title: &str, records: &[&Record]) {
    if records.is_empty() {
        return;
    }
    writeln!(out, "\n{}# {title}", "#".repeat(level)).unwrap_or_default();
    for record in records {
        writeln!(out, "- {}", line(record)).unwrap_or_default();
    }
}

/// One record in one line, its id first.
pub(super) fn line(record: &Record) -> String {
    let mut out = String::new();
    if !record.id().is_empty() {
        write!(out, "[{}] ", record.id()).unwrap_or_default();
    }
    let rest = match record.kind_name() {
        "convention" => record.text("content").to_owned(),
        "failure" => format!(
            "{} → {}",
            record.text("description"),
            record.text("resolution")
        ),
        "decision" => format!("**{}**: {}", record.text("title"), record.text("rationale")),
        "pattern" | "reference" | "guide" => {
            format!(
                "**{}**: {}",
                record.text("name"),
                record.text("description")
            )
        }
        other => format!("{other}: {}", record.summary()),
    };
    // A record is one item of a list, whatever its author typed.
    out.push_str(&rest.split_whitespace().collect::<Vec<_>>().join(" "));
    let files = record.list("files");
    if !files.is_empty() {
        write!(out, " ({})", files.join(", ")).unwrap_or_default();
    }
    for (title, field) in [("relates to", "relates_to"), ("supersedes", "supersedes")] {
        let links = record.list(field);
        if !links.is_empty() {
            write!(out, " [{title}: {}]", links.join(", ")).unwrap_or_default();
        }
    }
    let score = record.score();
    if score > 0.0 {
        write!(out, " ★{score}").unwrap_or_default();
    }
    out
}

/// XML, one element per record.
pub(super) fn xml(domains: &Domains) -> String {
    let mut out = String::from("<expertise>\n");
    for (domain, records) in domains {
        writeln!(
            out,
            "<domain name=\"{}\" entries=\"{}\">",
            escape(domain),
            records.len()
        )
        .unwrap_or_default();
        for record in records {
            push_element(&mut out, record);
        }
        out.push_str("</domain>\n");
    }
    out.push_str("</expertise>\n");
    out
}

fn push_element(out: &mut String, record: &Record) {
    let known = kind(record.kind_name());
    let name = known.map_or("record", |kind| kind.name);
    writeln!(
        out,
        "  <{name} id=\"{}\" classification=\"{}\">",
        escape(record.id()),
        escape(record.classification())
    )
    .unwrap_or_default();
    match known {
        Some(kind) => {
            for field in kind.required {
                push_field(out, field, record.text(field));
            }
        }
        None => push_field(out, "summary", record.summary()),
    }
    for field in ["files", "tags", "relates_to", "supersedes"] {
        push_field(out, field, &record.list(field).join(", "));
    }
    writeln!(out, "  </{name}>").unwrap_or_default();
}

fn push_field(out: &mut String, name: &str, text: &str) {
    if !text.is_empty() {
        writeln!(out, "    <{name}>{}</{name}>", escape(text)).unwrap_or_default();
    }
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}

/// JSON, the records as they are stored.
pub(super) fn json(domains: &Domains) -> String {
    let domains: Vec<_> = domains
        .iter()
        .map(|(domain, records)| {
            let fields: Vec<_> = records.iter().map(Record::fields).collect();
            json!({"domain": domain, "entry_count": records.len(), "records": fields})
        })
        .collect();
    let value = json!({"type": "expertise", "domains": domains});
    to_compact_json(&value).unwrap_or_else(|_| value.to_string()) + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    fn domains() -> Vec<(String, Vec<Record>)> {
        let record = |value| Record::of_json(&value);
        vec![(
            "cli".to_owned(),
            vec![
                record(
                    json!({"type": "failure", "id": "mx-1", "description": "a\n# b", "resolution": "<c>"}),
                ),
                record(
                    json!({"type": "pattern", "id": "mx-2", "name": "n", "description": "d", "files": ["x.rs"],
                    "outcomes": [{"status": "success"}]}),
                ),
                record(json!({"type": "hypothesis", "id": "mx-3", "name": "own type"})),
            ],
        )]
    }

    #[test]
    fn markdown_is_one_line_per_record() {
        assert_eq!(
            markdown(&domains(), 2),
            "## cli (3 records)\n\n\
             ### Patterns\n- [mx-2] **n**: d (x.rs) ★1\n\n\
             ### Known Failures\n- [mx-1] a # b → <c>\n\n\
             ### Others\n- [mx-3] hypothesis: own type\n"
        );
    }

    #[test]
    fn xml_is_escaped() {
        let text = xml(&domains());
        assert!(
            text.contains("<resolution>&lt;c&gt;</resolution>"),
            "{text}"
        );
        assert!(text.contains("<domain name=\"cli\" entries=\"3\">"));
    }

    #[test]
    fn json_keeps_every_field() {
        let value: serde_json::Value = serde_json::from_str(&json(&domains())).unwrap();
        assert_eq!(value["domains"][0]["entry_count"], 3);
        assert_eq!(value["domains"][0]["records"][1]["files"][0], "x.rs");
    }
}
