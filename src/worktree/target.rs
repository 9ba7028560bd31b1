//! The branch that agents' work goes to.

use crate::platform::{FsError, ProjectPaths, fs};

/// The branch that the project's session is about, else its canonical one.
pub fn target_branch(paths: &ProjectPaths, canonical: &str) -> Result<String, FsError> {
    let session = fs::read_optional(&paths.file("session-branch.txt"))?.unwrap_or_default();
    Ok(match session.trim() {
        "" => canonical.to_owned(),
        branch => branch.to_owned(),
    })
}
