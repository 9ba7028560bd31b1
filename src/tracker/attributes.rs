//! Files that several branches append to are joined by keeping both sides' lines.

use std::path::Path;

use crate::platform::{FsError, fs, landed};

/// Git's attribute file, at the root.
pub const GITATTRIBUTES: &str = ".gitattributes";

/// Adds `<pattern> merge=union` for each pattern to the root's `.gitattributes`, where it is missing.
pub fn add_merge_union(root: &Path, patterns: &[&str]) -> Result<(), FsError> {
    let path = root.join(GITATTRIBUTES);
    landed::may_follow(root, &path)?;
    let old = fs::read_optional(&path)?.unwrap_or_default();
    match with_merge_union(&old, patterns) {
        Some(text) => fs::write_shared(&path, text),
        None => Ok(()),
    }
}

/// The attribute file's text with the missing lines added; `None` when nothing is missing.
pub fn with_merge_union(text: &str, patterns: &[&str]) -> Option<String> {
    let mut new = text.to_owned();
    for pattern in patterns {
        let line = format!("{pattern} merge=union");
        if new.lines().any(|known| known.trim() == line) {
            continue;
        }
        if !new.is_empty() && !new.ends_with('\n') {
            new.push('\n');
        }
        new.push_str(&line);
        new.push('\n');
    }
    (new != text).then_some(new)
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
        assert_eq!(with_merge_union("", &[]), None);
    }
}
