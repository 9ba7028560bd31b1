//! Configuration files of other programs that share a project's data.

/// Reads such a file as plain data.
pub fn read_foreign_yaml(text: &str) -> Result<serde_json::Value, String> {
    serde_yaml::from_str(text).map_err(|e| e.to_string())
}
