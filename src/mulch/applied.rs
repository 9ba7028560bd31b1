//! Which records an agent was given: `agents/<name>/applied-records.json`, kept until its session ends
//! and shows whether they helped.

use serde::{Deserialize, Serialize};

use crate::platform::{FsError, ProjectPaths, fs};
use crate::text::to_tabbed_json;

/// The records of one agent.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AppliedRecords {
    /// Task it works on.
    pub task_id: String,
    /// Agent name.
    pub agent_name: String,
    /// Its role.
    pub capability: String,
    /// The records.
    pub records: Vec<AppliedRecord>,
}

/// One record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AppliedRecord {
    /// Its id.
    pub id: String,
    /// Its domain.
    pub domain: String,
}

fn file(paths: &ProjectPaths, agent: &str) -> std::path::PathBuf {
    paths
        .file("agents")
        .join(agent)
        .join("applied-records.json")
}

impl AppliedRecords {
    /// Keeps them; none is no file.
    pub fn save(&self, paths: &ProjectPaths) -> Result<(), FsError> {
        let path = file(paths, &self.agent_name);
        if self.records.is_empty() {
            return fs::remove_file(&path);
        }
        if let Some(dir) = path.parent() {
            fs::create_dir_all(dir)?;
        }
        // Strings and lists of strings always serialise.
        fs::write_atomic(&path, to_tabbed_json(self).unwrap_or_default())
    }

    /// Takes them: they are given once. A damaged file is none.
    pub fn take(paths: &ProjectPaths, agent: &str) -> Result<Option<Self>, FsError> {
        let path = file(paths, agent);
        let text = fs::read_optional(&path)?;
        fs::remove_file(&path)?;
        Ok(text.and_then(|text| serde_json::from_str(&text).ok()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn they_are_given_once() {
        let dir = tempfile::tempdir().unwrap();
        let paths = ProjectPaths::new(dir.path());
        let applied = AppliedRecords {
            agent_name: "a".into(),
            records: vec![AppliedRecord {
                id: "mx-1".into(),
                domain: "d".into(),
            }],
            ..AppliedRecords::default()
        };
        applied.save(&paths).unwrap();
        assert_eq!(AppliedRecords::take(&paths, "a").unwrap(), Some(applied));
        assert_eq!(AppliedRecords::take(&paths, "a").unwrap(), None);
    }
}
