//! Files that several branches append to are joined by keeping both sides' lines.

use std::path::Path;

use crate::platform::{FsError, fs};

/// Adds `<pattern> merge=union` for each pattern to the root's `.gitattributes`, where it is missing.
pub fn add_merge_union(root: &Path, patterns: &[&str]) -> Result<(), FsError> {
    let path = root.join(".gitattributes");
    let old = fs::read_optional(&path)?.unwrap_or_default();
    let mut text = old.clone();
    for pattern in patterns {
        let line = format!("{pattern} merge=union");
        if text.lines().any(|known| known.trim() == line) {
            continue;
        }
        if !text.is_empty() && !text.ends_with('\n') {
            text.push('\n');
        }
        text.push_str(&line);
        text.push('\n');
    }
    if text == old {
        return Ok(());
    }
    fs::write_atomic(&path, text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_added_once_and_others_stay() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(".gitattributes");
        std::fs::write(&path, "*.png binary").unwrap();
        for _ in 0..2 {
            add_merge_union(dir.path(), &["a", "b"]).unwrap();
        }
        assert_eq!(
            std::fs::read_to_string(&path).unwrap(),
            "*.png binary\na merge=union\nb merge=union\n"
        );
    }
}
