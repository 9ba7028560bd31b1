//! Plans over several tasks, as far as tasks depend on them: a draft holds its tasks back, and a plan
//! goes on as its tasks do. Making plans is left to other programs.

use std::path::Path;

use serde_json::Value;

use super::issue::Issue;
use crate::platform::{FsError, fs};
use crate::text::{JsonLine, parse_jsonl, print_jsonl};

/// All plans of a project.
#[derive(Debug, Default)]
pub(super) struct Plans {
    lines: Vec<JsonLine>,
}

impl Plans {
    pub(super) fn load(path: &Path) -> Result<Self, FsError> {
        Ok(Self::parse(
            fs::read_bytes_optional(path)?.unwrap_or_default(),
        ))
    }

    pub(super) fn parse(content: impl AsRef<[u8]>) -> Self {
        let mut lines: Vec<JsonLine> = Vec::new();
        for line in parse_jsonl(content) {
            let earlier = line
                .text_of("id")
                .and_then(|id| lines.iter().position(|l| l.text_of("id") == Some(id)));
            match earlier.and_then(|at| lines.get_mut(at)) {
                // The last line about a plan counts.
                Some(earlier) => *earlier = line,
                None => lines.push(line),
            }
        }
        Self { lines }
    }

    pub(super) fn print(&self) -> Vec<u8> {
        print_jsonl(&self.lines)
    }

    /// The state of a plan.
    pub(super) fn status(&self, id: &str) -> Option<&str> {
        self.lines
            .iter()
            .find(|l| !id.is_empty() && l.text_of("id") == Some(id))?
            .text_of("status")
    }

    /// The state of the newest plan made for a task.
    pub(super) fn of_seed(&self, seed: &str) -> Option<&str> {
        let mut newest: Option<&JsonLine> = None;
        for line in self
            .lines
            .iter()
            .filter(|l| l.text_of("seed") == Some(seed))
        {
            let later = |other: &JsonLine| other.text_of("updatedAt") < line.text_of("updatedAt");
            if newest.is_none_or(later) {
                newest = Some(line);
            }
        }
        newest?.text_of("status")
    }

    /// Lets the plans of the given tasks go on; whether any did.
    pub(super) fn follow(&mut self, touched: &[String], issues: &[Issue], now: &str) -> bool {
        let mut changed = false;
        for line in &mut self.lines {
            let Some(object) = line.object() else {
                continue;
            };
            let children: Vec<&str> = object
                .get("children")
                .and_then(Value::as_array)
                .into_iter()
                .flatten()
                .filter_map(Value::as_str)
                .collect();
            if !children.iter().any(|c| touched.iter().any(|t| t == c)) {
                continue;
            }
            let states: Vec<&str> = issues
                .iter()
                .filter(|i| children.contains(&i.id()))
                .map(Issue::status)
                .collect();
            let old = line.text_of("status").unwrap_or_default();
            let new = next(old, &states);
            if new == old {
                continue;
            }
            let mut fields = object.clone();
            fields.insert("status".into(), new.into());
            fields.insert("updatedAt".into(), now.into());
            line.replace(fields);
            changed = true;
        }
        changed
    }
}

/// A plan is done when all its tasks are, and active once one has begun.
fn next<'a>(old: &'a str, children: &[&str]) -> &'a str {
    if old == "draft" || children.is_empty() {
        return old;
    }
    if children.iter().all(|s| *s == "closed") {
        return "done";
    }
    if matches!(old, "active" | "done") || children.contains(&"in_progress") {
        return "active";
    }
    "approved"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plan_goes_on_as_its_tasks_do() {
        assert_eq!(next("approved", &["open", "in_progress"]), "active");
        assert_eq!(next("approved", &["open", "closed"]), "approved");
        assert_eq!(next("active", &["open", "closed"]), "active");
        assert_eq!(next("active", &["closed", "closed"]), "done");
        assert_eq!(next("done", &["closed", "open"]), "active");
        assert_eq!(next("draft", &["closed"]), "draft");
        assert_eq!(next("approved", &[]), "approved");
    }

    #[test]
    fn only_plans_of_the_task_change_and_keep_their_fields() {
        let text = "{\"id\":\"pl-1\",\"status\":\"active\",\"x\":{\"y\":1},\"children\":[\"a\"],\"updatedAt\":\"1\"}\n\
                    {\"id\":\"pl-2\",\"status\":\"approved\",\"children\":[\"b\"]}\n";
        let mut plans = Plans::parse(text);
        let issue = serde_json::json!({"id": "a", "status": "closed"});
        let issues = [Issue::new(issue.as_object().unwrap().clone())];
        assert!(plans.follow(&["a".to_owned()], &issues, "2"));
        assert!(!plans.follow(&["a".to_owned()], &issues, "3"));
        assert_eq!(
            plans.print(),
            b"{\"id\":\"pl-1\",\"status\":\"done\",\"x\":{\"y\":1},\"children\":[\"a\"],\"updatedAt\":\"2\"}\n\
             {\"id\":\"pl-2\",\"status\":\"approved\",\"children\":[\"b\"]}\n"
        );
    }
}
