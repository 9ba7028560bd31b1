//! How records are printed and chosen, and where the commands get them.

use serde::Serialize;
use serde_json::{Map, Value};

use crate::cli::{CliError, CliResult, Context, Part};
use crate::mulch::{Filter, Mulch, MulchError, Record};
use crate::platform::lock_file::LockError;

pub(super) fn mulch(ctx: &Context) -> CliResult<Mulch> {
    let root = ctx.project()?.root;
    Mulch::open(&root).ok_or_else(|| MulchError::NoStore.into())
}

impl From<MulchError> for CliError {
    fn from(error: MulchError) -> Self {
        let shown = Self::coded("MULCH_ERROR", error.to_string());
        match error {
            MulchError::Fs(inner) => inner.into(),
            MulchError::Lock(LockError::Fs(inner)) => Self {
                code: Some("MULCH_ERROR"),
                ..inner.into()
            },
            MulchError::Git(inner) => inner.into(),
            MulchError::NoStore => shown.hint(
                "`grove expertise record <domain> --type convention \"...\"` starts it in .mulch/",
            ),
            MulchError::UnknownDomain { .. } => {
                shown.hint("a domain is made by the first `grove expertise record` into it")
            }
            MulchError::NotFound { .. } => shown.hint("`grove expertise query` shows all ids"),
            MulchError::Invalid { .. }
            | MulchError::Incomplete { .. }
            | MulchError::BadDomain { .. } => Self::validation(error.to_string()),
            MulchError::Lock(_)
            | MulchError::LockLost { .. }
            | MulchError::Settings { .. }
            | MulchError::DomainRule { .. }
            | MulchError::Ambiguous { .. } => shown,
        }
    }
}

/// Which records; the same for listing and searching.
#[derive(Debug, clap::Args)]
pub(super) struct FilterArgs {
    /// Only of this type
    #[arg(long = "type", value_name = "type")]
    kind: Option<String>,
    /// Only with this tag
    #[arg(long, value_name = "tag")]
    tag: Option<String>,
    /// Only of this classification: foundational, tactical or observational
    #[arg(long, value_name = "class")]
    classification: Option<String>,
    /// Only about files whose path contains this
    #[arg(long, value_name = "path")]
    file: Option<String>,
}

impl FilterArgs {
    pub(super) fn filter(self) -> Filter {
        Filter {
            kind: self.kind,
            tag: self.tag,
            classification: self.classification,
            file: self.file,
        }
    }
}

/// The records of a domain in JSON, as they are stored.
#[derive(Serialize)]
pub(super) struct DomainJson<'a> {
    domain: &'a str,
    records: Vec<&'a Map<String, Value>>,
}

pub(super) fn domains_json(found: &[(String, Vec<Record>)]) -> Vec<DomainJson<'_>> {
    let domains = found.iter().map(|(domain, records)| DomainJson {
        domain,
        records: records.iter().map(Record::fields).collect(),
    });
    domains.collect()
}

pub(super) fn print(ctx: &Context, found: &[(String, Vec<Record>)]) -> CliResult<()> {
    for (domain, records) in found.iter().filter(|(_, records)| !records.is_empty()) {
        ctx.out.parts(&[Part::Bold(domain)])?;
        for record in records {
            let id = record.id();
            let kind = record.kind_name();
            ctx.out
                .line(format!("  {id}  [{kind}]  {}", record.summary()))?;
            let more = match kind {
                "failure" => record.text("resolution"),
                "decision" => record.text("rationale"),
                "pattern" | "reference" | "guide" => record.text("description"),
                _ => "",
            };
            if !more.is_empty() {
                ctx.out.line(format!("      {more}"))?;
            }
        }
    }
    Ok(())
}
