//! What an agent left for its next session: `agents/<name>/checkpoint.json`.

use serde::{Deserialize, Serialize};

use crate::platform::{FsError, ProjectPaths, fs};
use crate::text::to_tabbed_json;

/// Progress of an unfinished session.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Checkpoint {
    /// Agent name.
    pub agent_name: String,
    /// Task it works on.
    pub task_id: String,
    /// Session that wrote this.
    pub session_id: String,
    /// When, as ISO text.
    pub timestamp: String,
    /// What is done.
    pub progress_summary: String,
    /// Files changed so far.
    pub files_modified: Vec<String>,
    /// Branch of its worktree.
    pub current_branch: String,
    /// What is left.
    pub pending_work: String,
    /// Expertise domains in use.
    pub mulch_domains: Vec<String>,
}

impl Checkpoint {
    /// Reads an agent's checkpoint; a missing or damaged one is none.
    pub fn load(paths: &ProjectPaths, agent: &str) -> Result<Option<Self>, FsError> {
        let text = fs::read_optional(&paths.file("agents").join(agent).join("checkpoint.json"))?;
        Ok(text.and_then(|text| serde_json::from_str(&text).ok()))
    }

    /// Writes the checkpoint.
    pub fn save(&self, paths: &ProjectPaths) -> Result<(), FsError> {
        let folder = paths.file("agents").join(&self.agent_name);
        fs::create_dir_all(&folder)?;
        // Strings and lists of strings always serialise.
        fs::write_atomic(
            &folder.join("checkpoint.json"),
            to_tabbed_json(self).unwrap_or_default(),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_checkpoint_is_read_back() {
        let dir = tempfile::tempdir().unwrap();
        let paths = ProjectPaths::new(dir.path());
        let checkpoint = Checkpoint {
            agent_name: "a".into(),
            pending_work: "rest".into(),
            ..Checkpoint::default()
        };
        checkpoint.save(&paths).unwrap();
        assert_eq!(Checkpoint::load(&paths, "a").unwrap(), Some(checkpoint));
        assert_eq!(Checkpoint::load(&paths, "b").unwrap(), None);
    }
}
