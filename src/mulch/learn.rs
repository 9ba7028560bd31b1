//! What the end of a session teaches: which domains its files belong to, and whether the records it was
//! given held.

use super::applied::AppliedRecords;
use super::error::MulchError;
use super::outcome::{NewOutcome, OutcomeStatus};
use super::record::NewRecord;
use super::relevance::names_one_of;
use super::store::Mulch;
use crate::platform::ProjectPaths;

/// Most files that a note names.
const FILES: usize = 10;

/// A domain whose records name changed files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Suggestion {
    /// The domain.
    pub domain: String,
    /// The files.
    pub files: Vec<String>,
}

/// A session that has ended.
#[derive(Debug, Clone, Copy)]
pub struct SessionEnd<'a> {
    /// Who.
    pub agent: &'a str,
    /// In which role.
    pub capability: &'a str,
    /// On which task.
    pub task: &'a str,
    /// What it has changed, relative to the root.
    pub changed_files: &'a [String],
    /// How it went, if that is known.
    pub outcome: Option<OutcomeStatus>,
}

/// What was learnt.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Learned {
    /// Domains of the changed files, the best fitting first.
    pub suggested: Vec<Suggestion>,
    /// Ids of the notes that were recorded.
    pub recorded: Vec<String>,
    /// Number of records whose outcome was added.
    pub outcomes: usize,
    /// What could not be done, one line each.
    pub warnings: Vec<String>,
}

/// Finds the domains that changed files belong to: a record of theirs names the file.
pub fn suggest(mulch: &Mulch, changed: &[String]) -> Result<Vec<Suggestion>, MulchError> {
    let mut found = Vec::new();
    for domain in mulch.domains()? {
        let records = mulch.read(&domain)?;
        let belongs = |file: &&String| {
            let one = std::slice::from_ref(*file);
            records.iter().any(|record| names_one_of(record, one))
        };
        let files: Vec<String> = changed.iter().filter(belongs).cloned().collect();
        if !files.is_empty() {
            found.push(Suggestion { domain, files });
        }
    }
    found.sort_by_key(|s| std::cmp::Reverse(s.files.len()));
    Ok(found)
}

/// Draws the conclusions from a session: adds its outcome to the records it was given, and notes in
/// the domains of its files that it worked there. Does nothing in a project without expertise.
pub fn learn(paths: &ProjectPaths, end: &SessionEnd<'_>) -> Result<Learned, MulchError> {
    let Some(mulch) = Mulch::open(&paths.root) else {
        return Ok(Learned::default());
    };
    let mut learned = Learned {
        suggested: suggest(&mulch, end.changed_files)?,
        ..Learned::default()
    };
    for suggestion in &learned.suggested {
        match mulch.record(&suggestion.domain, &note(end, suggestion), false) {
            Ok(done) => learned.recorded.push(done.record.id().to_owned()),
            Err(e) => learned.warnings.push(format!("nothing was noted: {e}")),
        }
    }
    let Some(status) = end.outcome else {
        return Ok(learned);
    };
    let applied = AppliedRecords::take(paths, end.agent)?.unwrap_or_default();
    let outcome = NewOutcome {
        agent: Some(end.agent.to_owned()),
        notes: Some(format!("{} on {}", end.capability, end.task)),
        ..NewOutcome::new(status)
    };
    for record in applied.records {
        match mulch.add_outcome(&record.domain, &record.id, &outcome) {
            Ok(_) => learned.outcomes += 1,
            // Somebody has removed or replaced it meanwhile.
            Err(MulchError::NotFound { .. } | MulchError::UnknownDomain { .. }) => {}
            Err(e) => learned
                .warnings
                .push(format!("no outcome for {}: {e}", record.id)),
        }
    }
    Ok(learned)
}

fn note(end: &SessionEnd<'_>, suggestion: &Suggestion) -> NewRecord {
    let shown: Vec<&str> = suggestion
        .files
        .iter()
        .take(FILES)
        .map(String::as_str)
        .collect();
    let more = suggestion.files.len() - shown.len();
    let more = if more > 0 {
        format!(" and {more} more")
    } else {
        String::new()
    };
    let description = format!(
        "{} {} worked here on {}: {}{more}",
        end.capability,
        end.agent,
        end.task,
        shown.join(", ")
    );
    // One note per task and domain, however many sessions the task takes.
    let mut new = NewRecord::new("reference")
        .text("name", format!("work on {}", end.task))
        .text("description", description);
    new.classification = Some("observational".into());
    new.tags = vec!["auto-session-end".into(), end.capability.to_owned()];
    new.evidence = vec![("bead".into(), end.task.to_owned())];
    new.files = suggestion.files.iter().take(FILES).cloned().collect();
    new
}

#[cfg(test)]
mod tests {
    use super::super::applied::AppliedRecord;
    use super::super::store::create;
    use super::*;

    #[test]
    fn a_session_confirms_what_it_was_given_and_is_noted_where_it_worked() {
        let dir = tempfile::tempdir().unwrap();
        let paths = ProjectPaths::new(dir.path());
        let files = ["src/a.rs".to_owned(), "other.rs".to_owned()];
        let end = SessionEnd {
            agent: "b1",
            capability: "builder",
            task: "t-1",
            changed_files: &files,
            outcome: Some(OutcomeStatus::Success),
        };
        assert_eq!(learn(&paths, &end).unwrap(), Learned::default());
        create(dir.path()).unwrap();
        let mulch = Mulch::open(dir.path()).unwrap();
        let mut pattern = NewRecord::new("pattern")
            .text("name", "n")
            .text("description", "d");
        pattern.files = vec!["a.rs".into()];
        let id = mulch.record("cli", &pattern, false).unwrap().record;
        let applied = AppliedRecords {
            agent_name: "b1".into(),
            records: ["gone", id.id()]
                .map(|id| AppliedRecord {
                    id: id.into(),
                    domain: "cli".into(),
                })
                .to_vec(),
            ..AppliedRecords::default()
        };
        applied.save(&paths).unwrap();
        let learned = learn(&paths, &end).unwrap();
        assert_eq!((learned.outcomes, learned.recorded.len()), (1, 1));
        assert_eq!(learned.suggested[0].files, ["src/a.rs"]);
        assert!((mulch.get("cli", id.id()).unwrap().score() - 1.0).abs() < f64::EPSILON);
        // A second session of the task adds no second note.
        learn(&paths, &end).unwrap();
        assert_eq!(mulch.read("cli").unwrap().len(), 2);
    }
}
