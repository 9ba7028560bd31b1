//! The scripted model server: the agent CLIs talk to it and do what its scenario says.

use serde_json::Value;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// A running model server on loopback; ends with the test.
pub(crate) struct MockModel {
    child: Child,
    dir: tempfile::TempDir,
    url: String,
}

impl MockModel {
    pub(crate) fn start(scenario: &Value) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("scenario.json");
        std::fs::write(&file, scenario.to_string()).unwrap();
        std::fs::create_dir(dir.path().join("bodies")).unwrap();
        let program = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/support/mock_model.py");
        let mut child = Command::new("python3")
            .arg(program)
            .arg("--scenario")
            .arg(&file)
            .arg("--log")
            .arg(dir.path().join("requests.jsonl"))
            .arg("--bodies")
            .arg(dir.path().join("bodies"))
            .args(["--with-parent", "--max-seconds", "900"])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .expect("python3 runs the model server");
        let mut line = String::new();
        let stdout = child.stdout.take().unwrap();
        BufReader::new(stdout).read_line(&mut line).unwrap();
        let ready: Value = serde_json::from_str(&line)
            .unwrap_or_else(|e| panic!("the model server said {line:?} instead of its url: {e}"));
        let url = ready["url"].as_str().unwrap().to_owned();
        Self { child, dir, url }
    }

    pub(crate) fn url(&self) -> &str {
        &self.url
    }

    /// Finished requests in the order of their arrival.
    pub(crate) fn requests(&self) -> Vec<Value> {
        let path = self.dir.path().join("requests.jsonl");
        let text = std::fs::read_to_string(path).unwrap_or_default();
        let mut found: Vec<Value> = text
            .lines()
            .filter_map(|line| serde_json::from_str(line).ok())
            .collect();
        found.sort_by_key(|r| r["n"].as_i64());
        found
    }

    /// Requests that were answered by a rule for this agent.
    pub(crate) fn requests_of(&self, agent: &str) -> Vec<Value> {
        let wanted = format!("[OVERSTORY] {agent} ");
        let of_agent = |r: &Value| {
            r["turn"].is_i64()
                && r["first_user"]
                    .as_str()
                    .is_some_and(|t| t.contains(&wanted))
        };
        self.requests().into_iter().filter(of_agent).collect()
    }

    /// Results of this agent's tool calls, as the model was given them.
    pub(crate) fn tool_results(&self, agent: &str) -> Vec<ToolResult> {
        let requests = self.requests_of(agent);
        let results = requests
            .iter()
            .filter_map(|r| r["tool_results"].as_array())
            .flatten();
        results
            .map(|r| ToolResult {
                text: r["text"].as_str().unwrap_or_default().to_owned(),
                is_error: r["is_error"].as_bool().unwrap_or(false),
            })
            .collect()
    }

    /// Raw bodies of this agent's requests that hold a text: proof that it reached the model.
    pub(crate) fn bodies_with(&self, agent: &str, text: &str) -> Vec<PathBuf> {
        let of_agent = format!("[OVERSTORY] {agent} ");
        let Ok(entries) = std::fs::read_dir(self.dir.path().join("bodies")) else {
            return Vec::new();
        };
        let mut found: Vec<PathBuf> = entries
            .flatten()
            .map(|e| e.path())
            .filter(|path| {
                let body = std::fs::read(path).unwrap_or_default();
                let body = String::from_utf8_lossy(&body);
                body.contains(text) && body.contains(&of_agent)
            })
            .collect();
        found.sort();
        found
    }

    /// What the server saw, short enough to be read in a failure.
    pub(crate) fn report(&self) -> String {
        let cut = |value: &Value| -> String {
            let text = value
                .as_str()
                .map_or_else(|| value.to_string(), str::to_owned);
            text.chars().take(400).collect()
        };
        let lines: Vec<String> = self
            .requests()
            .iter()
            .map(|r| {
                format!(
                    "{} {} rule={} turn={} outcome={} results={} calls={}",
                    r["n"],
                    cut(&r["path"]),
                    r["rule"],
                    r["turn"],
                    cut(&r["outcome"]),
                    cut(&r["tool_results"]),
                    cut(&r["answer"]["calls"]),
                )
            })
            .collect();
        format!("--- model server\n{}", lines.join("\n"))
    }
}

/// One result of a tool call.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ToolResult {
    pub(crate) text: String,
    pub(crate) is_error: bool,
}

impl Drop for MockModel {
    fn drop(&mut self) {
        self.child.kill().ok();
        self.child.wait().ok();
    }
}
