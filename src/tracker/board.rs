//! All tasks of a seeds file in memory, and the changes to them. Pure: reads and writes its content.

use std::collections::{HashMap, HashSet};

use serde_json::{Map, Value};

use super::change::{NewTask, TaskChange};
use super::error::TrackerError;
use super::issue::Issue;
use super::ready::path_between;
use super::task_id::new_id;
use crate::text::{JsonLine, parse_jsonl, print_jsonl};

/// The file's lines, one per task.
#[derive(Debug)]
pub(super) struct Board {
    lines: Vec<JsonLine>,
    /// Where each task is.
    places: HashMap<String, usize>,
}

impl Board {
    /// Reads a file. After a merge of branches a task may have several lines: the last one counts, in
    /// the place of the first. Lines that hold no task stay.
    pub(super) fn parse(content: impl AsRef<[u8]>) -> Self {
        let mut board = Self {
            lines: Vec::new(),
            places: HashMap::new(),
        };
        for line in parse_jsonl(content) {
            let earlier = line.text_of("id").and_then(|id| board.places.get(id));
            match earlier.and_then(|at| board.lines.get_mut(*at)) {
                Some(earlier) => *earlier = line,
                None => board.push(line),
            }
        }
        board
    }

    fn push(&mut self, line: JsonLine) {
        if let Some(id) = line.text_of("id") {
            self.places.insert(id.to_owned(), self.lines.len());
        }
        self.lines.push(line);
    }

    pub(super) fn print(&self) -> Vec<u8> {
        print_jsonl(&self.lines)
    }

    pub(super) fn issues(&self) -> Vec<Issue> {
        self.lines.iter().filter_map(Issue::of_line).collect()
    }

    pub(super) fn get(&self, id: &str) -> Result<Issue, TrackerError> {
        self.places
            .get(id)
            .and_then(|at| self.lines.get(*at))
            .and_then(Issue::of_line)
            .ok_or_else(|| TrackerError::NotFound { id: id.to_owned() })
    }

    fn put(&mut self, issue: Issue) {
        let place = self.places.get(issue.id());
        if let Some(line) = place.and_then(|at| self.lines.get_mut(*at)) {
            line.replace(issue.into_fields());
        }
    }

    pub(super) fn add(
        &mut self,
        project: &str,
        task: &NewTask,
        now: &str,
    ) -> Result<Issue, TrackerError> {
        task.check()?;
        for id in &task.depends_on {
            self.get(id)?;
        }
        let taken: HashSet<String> = self.places.keys().cloned().collect();
        let id = new_id(project, &taken);
        let mut fields: Map<String, Value> = Map::new();
        let mut set = |name: &str, value: Value| fields.insert(name.to_owned(), value);
        set("id", id.clone().into());
        set("title", task.title.trim().into());
        set("status", "open".into());
        set("type", task.kind.as_deref().unwrap_or("task").into());
        set("priority", task.priority.unwrap_or(2).into());
        set("createdAt", now.into());
        set("updatedAt", now.into());
        let texts = [
            ("assignee", &task.assignee),
            ("description", &task.description),
        ];
        for (name, text) in texts {
            if let Some(text) = text.as_deref().filter(|text| !text.is_empty()) {
                set(name, text.into());
            }
        }
        let labels = labels(&task.labels);
        if !labels.is_empty() {
            set("labels", labels.into());
        }
        self.push(JsonLine::new(fields));
        for on in &task.depends_on {
            self.depend(&id, on, now)?;
        }
        self.get(&id)
    }

    pub(super) fn update(
        &mut self,
        id: &str,
        change: &TaskChange,
        now: &str,
    ) -> Result<Issue, TrackerError> {
        change.check()?;
        let mut issue = self.get(id)?;
        issue.set("updatedAt", now);
        match change.status.as_deref() {
            Some("closed") if issue.status() != "closed" => {
                self.close(id, None, now)?;
                issue = self.get(id)?;
            }
            Some(status) => {
                issue.set("status", status);
                if status != "closed" {
                    issue.remove("closedAt");
                    issue.remove("closeReason");
                }
            }
            None => {}
        }
        let texts = [
            ("title", change.title.as_deref().map(str::trim)),
            ("assignee", change.assignee.as_deref()),
            ("description", change.description.as_deref()),
            ("type", change.kind.as_deref()),
        ];
        for (name, text) in texts {
            if let Some(text) = text {
                issue.set(name, text);
            }
        }
        if let Some(priority) = change.priority {
            issue.set("priority", priority);
        }
        if !change.add_labels.is_empty() || !change.remove_labels.is_empty() {
            let gone = labels(&change.remove_labels);
            let mut all: Vec<String> = issue
                .list("labels")
                .into_iter()
                .map(str::to_owned)
                .collect();
            for label in labels(&change.add_labels) {
                if !all.contains(&label) {
                    all.push(label);
                }
            }
            all.retain(|label| !gone.contains(label));
            issue.set_list("labels", all);
        }
        self.put(issue.clone());
        Ok(issue)
    }

    /// Closes a task; those that wait for it wait for it no longer.
    pub(super) fn close(
        &mut self,
        id: &str,
        reason: Option<&str>,
        now: &str,
    ) -> Result<Issue, TrackerError> {
        let mut issue = self.get(id)?;
        issue.set("status", "closed");
        issue.set("closedAt", now);
        issue.set("updatedAt", now);
        if let Some(reason) = reason.filter(|reason| !reason.is_empty()) {
            issue.set("closeReason", reason);
        }
        self.put(issue.clone());
        for waiting in issue.list("blocks") {
            let Ok(mut other) = self.get(waiting) else {
                continue;
            };
            other.set_list("blockedBy", without(&other.list("blockedBy"), id));
            other.set("updatedAt", now);
            self.put(other);
        }
        Ok(issue)
    }

    pub(super) fn depend(&mut self, id: &str, on: &str, now: &str) -> Result<(), TrackerError> {
        if id == on {
            return Err(TrackerError::DependsOnItself { id: id.to_owned() });
        }
        let mut issue = self.get(id)?;
        let mut other = self.get(on)?;
        if let Some(circle) = path_between(&self.issues(), on, id) {
            return Err(TrackerError::Circle {
                id: id.to_owned(),
                on: on.to_owned(),
                circle,
            });
        }
        issue.set_list("blockedBy", with(&issue.list("blockedBy"), on));
        other.set_list("blocks", with(&other.list("blocks"), id));
        issue.set("updatedAt", now);
        other.set("updatedAt", now);
        self.put(issue);
        self.put(other);
        Ok(())
    }

    pub(super) fn release(&mut self, id: &str, on: &str, now: &str) -> Result<(), TrackerError> {
        let mut issue = self.get(id)?;
        issue.set_list("blockedBy", without(&issue.list("blockedBy"), on));
        issue.set("updatedAt", now);
        self.put(issue);
        // What it waited for may be gone; the task must not stay blocked because of that.
        if let Ok(mut other) = self.get(on) {
            other.set_list("blocks", without(&other.list("blocks"), id));
            other.set("updatedAt", now);
            self.put(other);
        }
        Ok(())
    }
}

fn labels(given: &[String]) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    for label in given.iter().map(|label| label.trim().to_lowercase()) {
        if !label.is_empty() && !out.contains(&label) {
            out.push(label);
        }
    }
    out
}

fn with(ids: &[&str], id: &str) -> Vec<String> {
    let mut all: Vec<String> = ids.iter().map(|id| (*id).to_owned()).collect();
    if !ids.contains(&id) {
        all.push(id.to_owned());
    }
    all
}

fn without(ids: &[&str], id: &str) -> Vec<String> {
    let rest = ids.iter().filter(|other| **other != id);
    rest.map(|id| (*id).to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn board(tasks: usize) -> (Board, Vec<String>) {
        let mut board = Board::parse("");
        let ids = (0..tasks).map(|n| {
            let task = NewTask {
                title: format!("task {n}"),
                ..NewTask::default()
            };
            board.add("p", &task, "1").unwrap().id().to_owned()
        });
        let ids = ids.collect();
        (board, ids)
    }

    #[test]
    fn a_new_task_has_the_fields_in_their_order() {
        let mut board = Board::parse("");
        let task = NewTask {
            title: " Do it ".into(),
            labels: vec!["A".into(), "b ".into(), "a".into()],
            description: Some("more\nlines".into()),
            ..NewTask::default()
        };
        let id = board.add("p", &task, "T").unwrap().id().to_owned();
        assert_eq!(
            String::from_utf8(board.print()).unwrap(),
            format!(
                "{{\"id\":\"{id}\",\"title\":\"Do it\",\"status\":\"open\",\"type\":\"task\",\"priority\":2,\
                 \"createdAt\":\"T\",\"updatedAt\":\"T\",\"description\":\"more\\nlines\",\"labels\":[\"a\",\"b\"]}}\n"
            )
        );
    }

    #[test]
    fn the_last_line_of_a_task_counts_in_the_place_of_the_first() {
        let board = Board::parse(
            "{\"id\":\"a\",\"status\":\"open\"}\nbroken\n{\"id\":\"b\"}\n{\"id\":\"a\",\"status\":\"closed\"}\n",
        );
        assert_eq!(
            board.print(),
            b"{\"id\":\"a\",\"status\":\"closed\"}\nbroken\n{\"id\":\"b\"}\n"
        );
        assert_eq!(board.issues().len(), 2);
    }

    #[test]
    fn closing_lets_go_of_those_that_wait_and_reopening_forgets_the_end() {
        let (mut board, ids) = board(2);
        board.depend(&ids[1], &ids[0], "2").unwrap();
        board.close(&ids[0], Some("done"), "3").unwrap();
        assert!(
            !board
                .get(&ids[1])
                .unwrap()
                .fields()
                .contains_key("blockedBy")
        );
        let closed = board.get(&ids[0]).unwrap();
        assert_eq!(
            (closed.text("closedAt"), closed.text("closeReason")),
            ("3", "done")
        );
        let open = board
            .update(&ids[0], &TaskChange::status("open"), "4")
            .unwrap();
        assert_eq!((open.text("closedAt"), open.text("closeReason")), ("", ""));
    }

    #[test]
    fn closing_by_a_change_of_state_is_closing() {
        let (mut board, ids) = board(2);
        board.depend(&ids[1], &ids[0], "2").unwrap();
        let change = TaskChange {
            title: Some("other".into()),
            ..TaskChange::status("closed")
        };
        let closed = board.update(&ids[0], &change, "3").unwrap();
        assert_eq!((closed.text("closedAt"), closed.title()), ("3", "other"));
        assert!(board.get(&ids[1]).unwrap().list("blockedBy").is_empty());
    }

    #[test]
    fn nothing_waits_for_itself() {
        let (mut board, ids) = board(3);
        board.depend(&ids[1], &ids[0], "2").unwrap();
        board.depend(&ids[2], &ids[1], "2").unwrap();
        assert!(matches!(
            board.depend(&ids[0], &ids[0], "2"),
            Err(TrackerError::DependsOnItself { .. })
        ));
        assert!(matches!(
            board.depend(&ids[0], &ids[2], "2"),
            Err(TrackerError::Circle { .. })
        ));
        board.release(&ids[1], &ids[0], "3").unwrap();
        assert!(!board.get(&ids[0]).unwrap().fields().contains_key("blocks"));
    }

    proptest! {
        #[test]
        fn a_change_touches_one_line_and_keeps_unknown_fields(
            extra in prop::collection::vec((".{1,8}", any::<i64>()), 0..4),
            lines in 1usize..6,
            chosen in any::<prop::sample::Index>(),
        ) {
            let text: String = (0..lines)
                .map(|n| {
                    let mut fields: Map<String, Value> =
                        [("id".to_owned(), Value::from(format!("p-{n}")))].into_iter().collect();
                    for (name, value) in &extra {
                        fields.entry(format!("x{name}")).or_insert((*value).into());
                    }
                    format!("{}\n", Value::Object(fields))
                })
                .collect();
            let mut board = Board::parse(&text);
            prop_assert_eq!(board.print(), text.as_bytes());
            let at = chosen.index(lines);
            let change = TaskChange { assignee: Some("me".into()), ..TaskChange::default() };
            board.update(&format!("p-{at}"), &change, "now").unwrap();
            let after = String::from_utf8(board.print()).unwrap();
            for (n, (old, new)) in text.lines().zip(after.lines()).enumerate() {
                if n == at {
                    let old: Value = serde_json::from_str(old).unwrap();
                    let new: Value = serde_json::from_str(new).unwrap();
                    for (name, value) in old.as_object().unwrap() {
                        prop_assert_eq!(&new[name], value);
                    }
                } else {
                    prop_assert_eq!(old, new);
                }
            }
        }
    }
}
