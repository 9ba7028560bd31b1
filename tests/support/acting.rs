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

    /// Starts a scripted agent of a role on task `t-NAME`, whether or not somebody like us may start that role.
    pub(crate) fn sling_as(&self, role: &str, name: &str, steps: &str) {
        let spec = self.script(name, &format!("steps:\n{steps}"));
        let task = format!("t-{name}");
        let words = ["--name", name, "--runtime", "script", "--spec", &spec];
        let role = ["--capability", role, "--force-hierarchy"];
        self.grove_ok(&[&["sling", &task], &words[..], &role].concat());
    }

    /// Writes the mail that an agent waits for.
    pub(crate) fn tell(&self, agent: &str) {
        let (to, from) = (["--to", agent], ["--from", "orchestrator"]);
        let text = ["--subject", "go", "--body", "on"];
        self.grove_ok(&[&["mail", "send"], &to[..], &from, &text].concat());
    }

    /// Commits all that there is.
    pub(crate) fn commit_all(&self) {
        self.git(&["add", "-A"]);
        self.git(&["commit", "-q", "-m", "Add files"]);
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
