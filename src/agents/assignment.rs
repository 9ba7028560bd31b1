//! The task an agent is started on: whether the tracker knows it and it can be worked on, and who has
//! taken it.

use super::AgentError;
use super::sling::SlingRequest;
use crate::config::TaskTrackerConfig;
use crate::tracker::{TaskChange, Tracker, TrackerError};
use std::path::Path;

/// A task that may be worked on.
#[derive(Debug)]
pub(super) struct Assignment<'a> {
    tracker: Tracker,
    task: &'a str,
    /// Nobody works on it yet.
    is_open: bool,
}

/// Looks the task up. A project without a tracker takes every task.
pub(super) fn check<'a>(
    root: &Path,
    config: &TaskTrackerConfig,
    request: &'a SlingRequest,
) -> Result<Assignment<'a>, AgentError> {
    let tracker = Tracker::of(root, config);
    let task = request.task.as_str();
    let unchecked = |tracker| Assignment {
        tracker,
        task,
        is_open: false,
    };
    let Some(name) = tracker.name().filter(|_| !request.skip_task_check) else {
        return Ok(unchecked(tracker));
    };
    let issue = match tracker.get(task) {
        Ok(issue) => issue,
        Err(TrackerError::NoTracker) => return Ok(unchecked(Tracker::Missing)),
        Err(TrackerError::NotFound { .. }) => {
            return Err(AgentError::UnknownTask {
                task: task.to_owned(),
                tracker: name,
            });
        }
        Err(e) => {
            return Err(AgentError::TaskLookup {
                task: task.to_owned(),
                reason: e.to_string(),
            });
        }
    };
    let status = issue.status();
    if !request.recover && !matches!(status, "open" | "in_progress") {
        return Err(AgentError::NotWorkable {
            task: task.to_owned(),
            status: status.to_owned(),
        });
    }
    let is_open = status == "open";
    Ok(Assignment {
        tracker,
        task,
        is_open,
    })
}

impl Assignment<'_> {
    /// The tracker's name and command for the agent's instructions.
    pub(super) fn tracker(&self) -> Option<(&'static str, &'static str)> {
        Some((self.tracker.name()?, self.tracker.cli()?))
    }

    /// Says in the tracker that the task is being worked on; a line for the user when that failed.
    pub(super) fn claim(&self) -> Option<String> {
        if !self.is_open {
            return None;
        }
        let change = TaskChange::status("in_progress");
        let failed = self.tracker.update(self.task, &change).err()?;
        Some(format!(
            "task {} is not marked as in progress: {failed}",
            self.task
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tracker::{NewTask, Seeds, seeds};

    fn request(task: &str) -> SlingRequest {
        SlingRequest {
            task: task.to_owned(),
            ..SlingRequest::default()
        }
    }

    #[test]
    fn a_task_is_taken_once_and_closed_ones_only_to_recover() {
        let dir = tempfile::tempdir().unwrap();
        seeds::create(dir.path()).unwrap();
        let store = Seeds::open(dir.path()).unwrap();
        let new = NewTask {
            title: "t".into(),
            ..NewTask::default()
        };
        let id = store.add(&new).unwrap().id().to_owned();
        let config = TaskTrackerConfig::default();
        let wanted = request(&id);
        let taken = check(dir.path(), &config, &wanted).unwrap();
        assert_eq!(taken.tracker(), Some(("seeds", "grove task")));
        assert_eq!(taken.claim(), None);
        assert_eq!(store.get(&id).unwrap().status(), "in_progress");
        store.close(std::slice::from_ref(&id), None).unwrap();
        assert!(matches!(
            check(dir.path(), &config, &wanted),
            Err(AgentError::NotWorkable { .. })
        ));
        let recover = SlingRequest {
            recover: true,
            ..request(&id)
        };
        let recovered = check(dir.path(), &config, &recover).unwrap();
        assert_eq!(recovered.claim(), None);
        assert_eq!(store.get(&id).unwrap().status(), "closed");
        assert!(matches!(
            check(dir.path(), &config, &request("x")),
            Err(AgentError::UnknownTask { .. })
        ));
        let skipped = SlingRequest {
            skip_task_check: true,
            ..request("x")
        };
        assert!(check(dir.path(), &config, &skipped).is_ok());
        let off = TaskTrackerConfig {
            enabled: false,
            ..config
        };
        assert_eq!(
            check(dir.path(), &off, &request("x")).unwrap().tracker(),
            None
        );
    }
}
