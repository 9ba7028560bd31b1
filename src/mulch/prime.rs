//! What a session should know at its start: the records that matter to it, within a budget.

use super::error::MulchError;
use super::relevance::{by_trust, concerns, fit};
use super::render;
use super::store::Mulch;
use crate::config::PrimeFormat;
use crate::text::counted;

/// The usual room; tokens.
const BUDGET: usize = 4000;
/// Characters of a token, about.
const TOKEN: usize = 4;

/// What to prime with.
#[derive(Debug, Clone, Default)]
pub struct PrimeRequest<'a> {
    /// Only these domains; empty means all.
    pub domains: &'a [String],
    /// Not these.
    pub exclude: &'a [String],
    /// Only what concerns these files; empty means everything.
    pub files: &'a [String],
    /// How it is written.
    pub format: PrimeFormat,
    /// Room in tokens; the usual when `None`. JSON is for programs and has no limit.
    pub budget: Option<usize>,
    /// Without the words around the records, for a text that has its own.
    pub bare: bool,
}

/// The text, and the records in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Primed {
    /// The text; empty when a bare one has nothing to say.
    pub text: String,
    /// Id and domain of each record, in order.
    pub records: Vec<(String, String)>,
}

impl Mulch {
    /// Chooses and renders records.
    pub fn prime(&self, request: &PrimeRequest<'_>) -> Result<Primed, MulchError> {
        let settings = self.settings()?;
        let known = settings.domains();
        for domain in request.domains.iter().chain(request.exclude) {
            settings.require_domain(domain)?;
        }
        let wanted = if request.domains.is_empty() {
            &known
        } else {
            request.domains
        };
        let mut domains = Vec::new();
        for domain in wanted.iter().filter(|d| !request.exclude.contains(d)) {
            let mut records = self.read(domain)?;
            if !request.files.is_empty() {
                records.retain(|r| concerns(r, request.files));
            }
            if !records.is_empty() {
                domains.push((domain.clone(), by_trust(records, &settings)));
            }
        }
        let mut dropped = 0;
        if request.format != PrimeFormat::Json {
            let cost = |r: &_| render::line(r).len().div_ceil(TOKEN);
            (domains, dropped) = fit(domains, request.budget.unwrap_or(BUDGET), &cost);
        }
        let records = domains.iter().flat_map(|(domain, records)| {
            let ids = records.iter().map(|r| r.id().to_owned());
            ids.filter(|id| !id.is_empty())
                .map(|id| (id, domain.clone()))
        });
        let records = records.collect();
        let text = match request.format {
            PrimeFormat::Json => render::json(&domains),
            PrimeFormat::Xml => render::xml(&domains),
            PrimeFormat::Markdown if request.bare => render::markdown(&domains, 4),
            PrimeFormat::Markdown => framed(&render::markdown(&domains, 2)),
        };
        let mut primed = Primed { text, records };
        if request.bare && domains.is_empty() {
            primed.text.clear();
        } else if dropped > 0 {
            let more = format!(
                "\n{} more; `grove expertise search \"<words>\"` finds them.\n",
                counted(dropped as u64, "record")
            );
            primed.text.push_str(&more);
        }
        Ok(primed)
    }
}

fn framed(records: &str) -> String {
    let records = if records.is_empty() {
        "Nothing is recorded yet.\n"
    } else {
        records
    };
    format!(
        "# Project Expertise\n\n\
         What people and agents have learnt in this project. Look here before you start something new:\n\
         `grove expertise search \"<words>\"`, `grove expertise prime --files <path>`.\n\n\
         {records}\n\
         Record what the next one should know, and nothing else:\n\
         `grove expertise record <domain> --type convention --content \"...\"`\n\
         (`failure` needs --description and --resolution, `decision` --title and --rationale, the others --name and --description).\n"
    )
}

#[cfg(test)]
mod tests {
    use super::super::record::NewRecord;
    use super::super::store::create;
    use super::*;

    fn store() -> (tempfile::TempDir, Mulch) {
        let dir = tempfile::tempdir().unwrap();
        create(dir.path()).unwrap();
        let mulch = Mulch::open(dir.path()).unwrap();
        let convention = NewRecord::new("convention").text("content", "short names");
        mulch.record("cli", &convention, false).unwrap();
        let mut pattern = NewRecord::new("pattern")
            .text("name", "n")
            .text("description", "d");
        pattern.files = vec!["src/db/a.rs".into()];
        mulch.record("db", &pattern, false).unwrap();
        (dir, mulch)
    }

    #[test]
    fn text_and_list_name_the_same_records() {
        let (_dir, mulch) = store();
        let primed = mulch.prime(&PrimeRequest::default()).unwrap();
        assert_eq!(primed.records.len(), 2);
        for (id, domain) in &primed.records {
            assert!(primed.text.contains(&format!("[{id}]")));
            assert!(primed.text.contains(&format!("\n## {domain} (1 record)\n")));
        }
    }

    #[test]
    fn files_and_domains_narrow() {
        let (_dir, mulch) = store();
        let files = ["src/cli.rs".to_owned()];
        let request = PrimeRequest {
            files: &files,
            bare: true,
            ..PrimeRequest::default()
        };
        let primed = mulch.prime(&request).unwrap();
        assert_eq!(primed.records.len(), 1);
        assert!(
            primed
                .text
                .starts_with("#### cli (1 record)\n\n##### Conventions\n- [")
        );
        let domains = ["nope".to_owned()];
        let request = PrimeRequest {
            domains: &domains,
            ..PrimeRequest::default()
        };
        assert!(matches!(
            mulch.prime(&request),
            Err(MulchError::UnknownDomain { .. })
        ));
    }

    #[test]
    fn what_has_no_room_is_counted() {
        let (_dir, mulch) = store();
        let request = PrimeRequest {
            budget: Some(8),
            ..PrimeRequest::default()
        };
        let primed = mulch.prime(&request).unwrap();
        assert_eq!(primed.records.len(), 1);
        assert!(primed.text.contains("1 record more"), "{}", primed.text);
    }
}
