//! Things that many tests do to agents and processes.

use super::processes::alive;
use super::project::TestProject;
use super::wait::{SHORT, wait_until};

impl TestProject {
    /// Starts a scripted agent on task `t-NAME`, with its steps.
    pub(crate) fn sling(&self, name: &str, steps: &str) {
        let script = self.script(name, &format!("steps:\n{steps}"));
        self.sling_script(name, &script);
    }

    /// The same with the path of a script.
    pub(crate) fn sling_script(&self, name: &str, script: &str) {
        let task = format!("t-{name}");
        let words = ["--name", name, "--runtime", "script", "--spec", script];
        self.grove_ok(&[&["sling", &task], &words[..]].concat());
    }

    /// Waits until none of some processes is left.
    pub(crate) fn wait_gone(&self, what: &str, pids: &[i64]) {
        wait_until(
            what,
            SHORT,
            || (!pids.iter().any(|pid| alive(*pid))).then_some(()),
            || self.report(),
        );
    }

    /// Records an agent of the other program, `theirs`, whose process is gone.
    pub(crate) fn record_theirs(&self) {
        let database = rusqlite::Connection::open(self.overstory("sessions.db")).unwrap();
        let now = "strftime('%Y-%m-%dT%H:%M:%fZ', 'now')";
        let insert = format!(
            "INSERT INTO sessions (id, agent_name, capability, worktree_path, branch_name, task_id, tmux_session, state, pid, \
             parent_agent, started_at, last_activity) VALUES ('session-1-ov', 'theirs', 'builder', '/nowhere', 'b', 't', '', \
             'working', 999999999, 'boss', {now}, {now})"
        );
        database.execute(&insert, []).unwrap();
    }
}
