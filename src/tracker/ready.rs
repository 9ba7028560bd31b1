//! Which tasks can be started now, and in which order tasks follow from each other. Pure.

use std::collections::{HashMap, HashSet};

use super::issue::Issue;
use super::plans::Plans;

/// Open tasks that wait for nothing, the most urgent first and of those the newest first.
pub(super) fn ready(issues: &[Issue], plans: &Plans) -> Vec<Issue> {
    let closed: HashSet<&str> = issues
        .iter()
        .filter(|i| i.status() == "closed")
        .map(Issue::id)
        .collect();
    let found = issues
        .iter()
        .filter(|issue| is_ready(issue, &closed, plans));
    sorted(found.cloned().collect())
}

fn is_ready(issue: &Issue, closed: &HashSet<&str>, plans: &Plans) -> bool {
    if issue.status() != "open" {
        return false;
    }
    if issue.fields().get("requires_plan") == Some(&true.into()) {
        // Waits for a plan of its own, and afterwards for what every task waits for.
        if plans.of_seed(issue.id()).is_none_or(|s| s == "draft") {
            return false;
        }
    } else if plans.status(issue.text("plan_id")) == Some("draft") {
        // Its plan is not finished: planning comes before everything else.
        return true;
    }
    // A task that does not exist cannot have been closed.
    issue.list("blockedBy").iter().all(|id| closed.contains(id))
}

/// The order of lists: the most urgent first, and of those the newest.
pub(super) fn sorted(mut issues: Vec<Issue>) -> Vec<Issue> {
    issues.sort_by(|a, b| {
        (a.priority(), b.text("createdAt")).cmp(&(b.priority(), a.text("createdAt")))
    });
    issues
}

/// Puts each task behind those it waits for; otherwise the order stays. Tasks that wait for each
/// other in a circle come last, in the order given.
pub fn in_dependency_order(issues: &[Issue]) -> Vec<Issue> {
    let known: HashSet<&str> = issues.iter().map(Issue::id).collect();
    let waits: HashMap<&str, Vec<&str>> = issues
        .iter()
        .map(|issue| {
            let on = issue.list("blockedBy");
            (
                issue.id(),
                on.into_iter().filter(|id| known.contains(id)).collect(),
            )
        })
        .collect();
    let mut placed: HashSet<&str> = HashSet::new();
    let mut rest: Vec<&Issue> = issues.iter().collect();
    let mut out = Vec::with_capacity(issues.len());
    while !rest.is_empty() {
        let free = |issue: &&Issue| {
            waits
                .get(issue.id())
                .is_none_or(|on| on.iter().all(|id| placed.contains(id)))
        };
        let Some(next) = rest.iter().position(free) else {
            out.extend(rest.into_iter().cloned());
            break;
        };
        let issue = rest.remove(next);
        placed.insert(issue.id());
        out.push(issue.clone());
    }
    out
}

/// The way from `from` to `to` along what tasks wait for, if there is one.
pub(super) fn path_between(issues: &[Issue], from: &str, to: &str) -> Option<Vec<String>> {
    let waits: HashMap<&str, Vec<&str>> = issues
        .iter()
        .map(|issue| (issue.id(), issue.list("blockedBy")))
        .collect();
    let mut seen: HashSet<&str> = HashSet::from([from]);
    let mut open: Vec<Vec<&str>> = vec![vec![from]];
    while let Some(way) = open.pop() {
        let last = way.last().copied().unwrap_or_default();
        if last == to {
            return Some(way.into_iter().map(str::to_owned).collect());
        }
        for next in waits.get(last).into_iter().flatten() {
            if seen.insert(next) {
                let mut longer = way.clone();
                longer.push(next);
                open.push(longer);
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn issue(id: &str, status: &str, priority: i64, blocked_by: &[&str]) -> Issue {
        let value = json!({"id": id, "title": id, "status": status, "priority": priority,
            "blockedBy": blocked_by, "createdAt": format!("2026-01-01T00:00:00.{:03}Z", id.len())});
        Issue::new(value.as_object().unwrap().clone())
    }

    fn ids(issues: &[Issue]) -> Vec<&str> {
        issues.iter().map(Issue::id).collect()
    }

    #[test]
    fn only_open_tasks_whose_dependencies_are_closed_are_ready() {
        let issues = [
            issue("done", "closed", 2, &[]),
            issue("going", "in_progress", 0, &[]),
            issue("free", "open", 2, &["done"]),
            issue("urgent", "open", 0, &[]),
            issue("waits", "open", 0, &["done", "going"]),
            issue("orphan", "open", 0, &["missing"]),
        ];
        let ready = ready(&issues, &Plans::default());
        assert_eq!(ids(&ready), ["urgent", "free"]);
    }

    #[test]
    fn plans_decide_before_dependencies() {
        let plans = Plans::parse(
            "{\"id\":\"pl-1\",\"seed\":\"own\",\"status\":\"draft\",\"updatedAt\":\"1\",\"children\":[]}\n\
             {\"id\":\"pl-2\",\"seed\":\"ok\",\"status\":\"approved\",\"updatedAt\":\"1\",\"children\":[]}",
        );
        let mut needs = issue("own", "open", 2, &[]);
        needs.set("requires_plan", true);
        let mut has = issue("ok", "open", 2, &[]);
        has.set("requires_plan", true);
        let mut planning = issue("draft", "open", 2, &["missing"]);
        planning.set("plan_id", "pl-1");
        let ready = ready(&[needs, has, planning], &plans);
        assert_eq!(ids(&ready), ["draft", "ok"]);
    }

    #[test]
    fn tasks_come_after_what_they_wait_for() {
        let issues = [
            issue("c", "open", 0, &["b"]),
            issue("b", "open", 2, &["a", "gone"]),
            issue("a", "open", 2, &[]),
            issue("x", "open", 2, &["y"]),
            issue("y", "open", 2, &["x"]),
        ];
        assert_eq!(
            ids(&in_dependency_order(&issues)),
            ["a", "b", "c", "x", "y"]
        );
        assert_eq!(path_between(&issues, "c", "a").unwrap(), ["c", "b", "a"]);
        assert_eq!(path_between(&issues, "a", "c"), None);
    }
}
