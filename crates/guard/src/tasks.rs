//! The rule about the task tracker, for those who carry a task command out and not only judge its text.

use super::policy::Role;
use super::rules::judge_tracker;

/// Why an agent may not run a tracker command, given by its arguments; `None` when it may.
pub fn task_refusal(capability: &str, task: Option<&str>, args: &[String]) -> Option<String> {
    let judged = judge_tracker(Role::of(capability), task, args);
    judged.err().map(|refusal| refusal.reason)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(capability: &str, command: &str) -> bool {
        let args: Vec<String> = command.split_whitespace().map(str::to_owned).collect();
        task_refusal(capability, Some("t-1"), &args).is_some()
    }

    #[test]
    fn only_the_own_task_is_moved() {
        for allowed in [
            "create something",
            "list --status open",
            "ready",
            "close t-1",
            "close t-1 --reason done",
            "close --reason done t-1",
            "close --json t-1",
            "update t-1 --status in_progress --notes x",
            "update t-2 --title x",
        ] {
            assert!(!refused("builder", allowed), "{allowed}");
        }
        for not in [
            "close t-2",
            "close t-1 t-2",
            "close --reason t-1 t-2",
            "close",
            "update t-2 --status closed",
            "update t-2 --status=closed",
            "update t-1 t-2 -s closed",
            "update --title t-1 t-2 --status closed",
            "delete t-1",
            "init",
        ] {
            assert!(refused("builder", not), "{not}");
            assert!(refused("lead", not), "{not}");
        }
        assert!(!refused("coordinator", "close t-2"));
    }
}
