//! The run that new agents join: the id in `current-run.txt`.

use crate::platform::{FsError, ProjectPaths, fs};

/// Returns the id of the current run; an empty or missing file means there is none.
pub fn current_run(paths: &ProjectPaths) -> Result<Option<String>, FsError> {
    let text = fs::read_optional(&paths.current_run())?.unwrap_or_default();
    let id = text.trim();
    Ok((!id.is_empty()).then(|| id.to_owned()))
}

/// Makes `id` the current run.
pub fn set_current_run(paths: &ProjectPaths, id: &str) -> Result<(), FsError> {
    fs::write_atomic(&paths.current_run(), id)
}

/// Leaves no run current.
pub fn clear_current_run(paths: &ProjectPaths) -> Result<(), FsError> {
    fs::remove_file(&paths.current_run())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_id_is_trimmed_and_can_be_cleared() {
        let dir = tempfile::tempdir().unwrap();
        let paths = ProjectPaths::new(dir.path());
        std::fs::create_dir_all(paths.dir()).unwrap();
        assert_eq!(current_run(&paths).unwrap(), None);
        std::fs::write(paths.current_run(), " run-1\n").unwrap();
        assert_eq!(current_run(&paths).unwrap().as_deref(), Some("run-1"));
        set_current_run(&paths, "run-2").unwrap();
        assert_eq!(
            std::fs::read_to_string(paths.current_run()).unwrap(),
            "run-2"
        );
        clear_current_run(&paths).unwrap();
        assert_eq!(current_run(&paths).unwrap(), None);
    }
}
